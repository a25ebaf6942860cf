#!/bin/sh
# A file of 5 GiB (sparse, with marks at 2^31 and 2^32) through each front with the hand-off on: exact length, right
# bytes, and no worker that grows.
. "$(dirname "$0")/lib.sh"
front_begin
SIZE=5368709120
LIMIT_KB=20480

as_user python3 - "$T/data" $SIZE <<'END'
import os, sys
os.makedirs(sys.argv[1])
with open(sys.argv[1] + "/big.bin", "wb") as f:
    f.write(b"the first bytes.")
    for at in (2**31, 2**32):
        f.seek(at - 8)
        f.write(b"ABCDEFGHIJKLMNOP")
    f.seek(int(sys.argv[2]) - 16)
    f.write(b"these are last.\n")
END

# peaks: the largest resident size of each process that runs staticgi, in KB.
peaks() {
	for exe in /proc/[0-9]*/exe; do
		case $(readlink "$exe" 2>/dev/null) in
		"$T"/*staticgi*) sed -n 's/^VmHWM:[^0-9]*\([0-9]*\).*/\1/p' "${exe%exe}status" 2>/dev/null ;;
		esac
	done
}

check() {
	name=$1 url=http://127.0.0.1:$PORT/files/big.bin
	probe "$name" "$PORT" <<-END
	200 HEAD /files/big.bin | ?Content-Length: ^$SIZE\$ | ?ETag: " | !X-Sendfile | !X-Accel-Redirect # the length
	206 GET /files/big.bin | >Range: bytes=0-15 | =the first bytes. | ?Content-Range: ^bytes 0-15/$SIZE\$ # the first bytes
	206 GET /files/big.bin | >Range: bytes=2147483640-2147483655 | =ABCDEFGHIJKLMNOP | ?Content-Range: ^bytes 2147483640-2147483655/$SIZE\$ # across 2^31
	206 GET /files/big.bin | >Range: bytes=4294967288-4294967303 | =ABCDEFGHIJKLMNOP | ?Content-Range: ^bytes 4294967288-4294967303/$SIZE\$ # across 2^32
	206 GET /files/big.bin | >Range: bytes=-5 | +ast. | ?Content-Range: ^bytes 5368709115-5368709119/$SIZE\$ # the last bytes
	206 GET /files/big.bin | >Range: bytes=5368709104- | +these are last. # from near the end
	416 GET /files/big.bin | >Range: bytes=$SIZE- # past the end
	END
	got=$(curl -s -o /dev/null -w '%{http_code} %{size_download}' "$url")
	expect "$name: all of it" "200 $SIZE" "$got"
	high=$(peaks | sort -n | tail -n 1)
	if [ -n "$high" ] && [ "$high" -lt $LIMIT_KB ]; then
		ok "$name: the largest worker had $high KB"
	else
		bad "$name: the largest worker had ${high:-no} KB, wanted less than $LIMIT_KB"
	fi
}

each_front check
front_end
