#!/bin/sh
# 100,000 requests through lighttpd while a worker of the pool is killed every 200 ms: no wrong byte ever, and only
# requests fail whose worker was killed.
#   kill.sh [REQUESTS]
. "$(dirname "$0")/lib.sh"
REQUESTS=${1:-100000}
front_begin

${CC:-cc} -O2 -pthread -o "$T/bin/load" "$FRONT/load.c" || die "load.c does not compile"
as_user python3 - "$T/data" <<'END'
import os, random, sys
# Below and above what fits into one record, one write, and what is handed over.
os.makedirs(sys.argv[1])
random.seed(5)
for size in (0, 1, 10, 1000, 4096, 8191, 20000, 65535, 65536, 100000, 300000, 1 << 20):
    with open("%s/s%d.bin" % (sys.argv[1], size), "wb") as f:
        f.write(random.randbytes(size))
END
WORKERS=4 pool pool "$T/run/staticgi.sock" --root "$T/data" --url-prefix /files
pool_id=$SPAWNED
# Without hand-off, so that every byte goes through the workers that are killed.
conf_use lighttpd/prefix.conf -e /STATICGI_HANDOFF/d -e '/"bin-path"/d' -e '/"max-procs"/d' -e 's/lighttpd\.sock/staticgi.sock/' \
	>"$T/conf/lighttpd"
lighttpd_start lighttpd "$T/conf/lighttpd"
as_user "$T/bin/load" "$PORT" "$REQUESTS" 8 "$pool_id" 200 /files "$T"/data/*.bin >"$T/tmp/load.out" 2>&1
[ $? -ne 2 ] || bad "load broke: $(tail -n 1 "$T/tmp/load.out")"
tally "$T/tmp/load.out"
if alive "$pool_id"; then ok "the pool is still there"; else bad "the pool has ended"; fi
sleep 0.5
expect "as many workers as before" 4 "$(wc -w <"/proc/$pool_id/task/$pool_id/children")"
front_end
