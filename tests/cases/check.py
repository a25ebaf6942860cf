#!/usr/bin/env python3
"""Runs checks.json against a server.  usage: check.py BASE ROOT [--only R07,R12] [-v]
BASE e.g. http://127.0.0.1:18301 (or with a path prefix); ROOT is the folder that fixtures.py built.
Raw sockets: the request target goes out exactly as written. Closing line: 'N passed, N failed, N skipped'."""
import json, os, re, socket, sys, time, gzip, zlib, email.utils
from html.parser import HTMLParser
from urllib.parse import urlsplit, urljoin, quote_from_bytes
HERE = os.path.dirname(os.path.abspath(__file__)); sys.path.insert(0, HERE)
BASE = sys.argv[1].rstrip("/"); ROOT = sys.argv[2].rstrip("/"); U = urlsplit(BASE); PFX = U.path; V = "-v" in sys.argv
arg = lambda k: sys.argv[sys.argv.index(k) + 1] if k in sys.argv else None

class R: pass
def raw(m, target, hdrs=(), timeout=6, http="1.1", cut=None):
    s = socket.create_connection((U.hostname, U.port or 80), timeout); s.settimeout(timeout)
    hs = [("Host", "localhost"), ("Connection", "close")] + [tuple(h) for h in hdrs]
    tb = target if isinstance(target, bytes) else target.encode("latin-1", "backslashreplace") if all(ord(c) < 256 for c in target) else target.encode()
    s.sendall(m.encode() + b" " + tb + b" HTTP/" + http.encode() + b"\r\n" + b"".join(k.encode() + b": " + v.encode("latin-1") + b"\r\n" for k, v in hs) + b"\r\n")
    b = b""; r = R(); r.err = None; t0 = time.time()
    try:
        while True:
            d = s.recv(65536)
            if not d: break
            b += d
            if cut and len(b) > cut: break
            if time.time() - t0 > 30: r.err = "too slow"; break
    except (socket.timeout, ConnectionError) as e: r.err = repr(e)
    s.close(); r.raw = b; r.t = time.time() - t0; r.st = 0; r.h = []; r.body = b""
    i = b.find(b"\r\n\r\n")
    if i < 0: return r
    head = b[:i].split(b"\r\n"); r.st = int(head[0].split()[1]); r.body = b[i + 4:]
    for l in head[1:]:
        k, _, v = l.partition(b":"); r.h.append((k.decode("latin-1").lower(), v.strip().decode("latin-1")))
    if "chunked" in (g(r, "transfer-encoding") or "").lower():
        o = b""; p = r.body; ok = False
        while True:
            n, _, rest = p.partition(b"\r\n")
            try: n = int(n.split(b";")[0], 16)
            except ValueError: break
            if n == 0: ok = True; break
            if len(rest) < n: o += rest; break
            o += rest[:n]; p = rest[n + 2:]
        r.body = o; r.chunk_ok = ok
    return r
def g(r, k):
    v = [x for n, x in r.h if n == k.lower()]
    return ", ".join(v) if v else None
def path(p): return PFX + p
_c = {}
def ref(p, hdrs=()):
    k = (p, tuple(map(tuple, hdrs)))
    if k not in _c: _c[k] = raw("GET", path(p), hdrs)
    return _c[k]
def sub(v, p, hdrs):
    if "{" not in v: return v
    r = ref(p); e = g(r, "etag") or '"no-etag"'; lm = g(r, "last-modified") or "Thu, 01 Jan 1970 00:00:00 GMT"; t = email.utils.parsedate_to_datetime(lm).timestamp()
    D = lambda x: email.utils.formatdate(x, usegmt=True); tm = time.gmtime(t)
    wd = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"][tm.tm_wday]; mo = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()[tm.tm_mon - 1]
    rep = {"{etag}": e, "{opaque}": e.replace("W/", "").strip('"'), "{strong}": e.replace("W/", ""), "{lm}": lm, "{lm-1}": D(t - 1), "{lm+1}": D(t + 1), "{lm-day}": D(t - 86400),
           "{rfc850}": "%s, %02d-%s-%02d %02d:%02d:%02d GMT" % (wd, tm.tm_mday, mo, tm.tm_year % 100, tm.tm_hour, tm.tm_min, tm.tm_sec),
           "{asctime}": "%s %s %2d %02d:%02d:%02d %d" % (wd[:3], mo, tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec, tm.tm_year)}
    for a, b in rep.items(): v = v.replace(a, b)
    return v
class L(HTMLParser):
    def __init__(s): super().__init__(convert_charrefs=True); s.o = []
    def handle_starttag(s, t, a):
        if t == "a":
            for k, v in a:
                if k == "href" and v is not None: s.o.append(v)
def links(r):
    p = L(); p.feed(r.body.decode("utf-8", "surrogateescape")); return p.o
def to_target(url):  # absolute http url -> raw target, keeping bytes
    u = urlsplit(url); t = u.path + ("?" + u.query if u.query else ""); return t.encode("utf-8", "surrogateescape")
def wsplit(url):  # what a browser does with TAB/CR/LF and surrounding blanks in an href
    return re.sub("[\t\r\n]", "", url.strip("\x00\x01\x02\x03\x04\x05\x06\x07\x08\t\n\x0b\x0c\r\x0e\x0f\x10\x11\x12\x13\x14\x15\x16\x17\x18\x19\x1a\x1b\x1c\x1d\x1e\x1f ")).replace("\\", "/")
def follow(base, href):
    u = urljoin(base, wsplit(href)); s = urlsplit(u)
    return u if s.scheme == "http" and s.netloc == U.netloc else None

# ---- checks that need more than one request -------------------------------------------------
def fn_click(c):
    """open the listing, follow every link as a browser would: each file must come back as itself"""
    base = BASE + c["p"]; r = raw("GET", path(c["p"]), [("Accept", "text/html")], 10)
    if r.st != 200: return "listing status %s" % r.st
    want = {}; d = (ROOT + c["p"]).encode()
    for n in os.listdir(d):
        p = os.path.join(d, n)
        want[n] = None if os.path.isdir(p) else open(p, "rb").read()
    got = {}; stray = []
    for h in links(r):
        u = follow(base, h)
        if u is None: stray.append(h); continue
        if not u.startswith(base) or u == base or u[len(base):].startswith("?"): continue
        x = raw("GET", to_target(u.split("#")[0]))
        m = re.match(rb"(?:name|dir):([0-9a-f]+)$", x.body)
        if m: got[bytes.fromhex(m[1].decode())] = x.st
        elif x.st in (200, 301, 302, 307, 308):
            y = raw("GET", to_target(u.split("#")[0].rstrip("/") + "/in.txt")); m = re.match(rb"dir:([0-9a-f]+)$", y.body)
            if m: got[bytes.fromhex(m[1].decode())] = y.st
    miss = [n for n in want if n not in got and not (n.startswith(b".") and c.get("dots_ok"))]
    if miss: return "%d of %d not reachable by their link: %s%s" % (len(miss), len(want), [m.decode("latin-1")[:24] for m in miss[:8]], (" stray hrefs: %s" % stray[:3]) if stray else "")
def fn_direct(c):
    """GET each name with every byte but unreserved percent-encoded"""
    bad = []; d = (ROOT + c["p"]).encode()
    for n in os.listdir(d):
        if os.path.isdir(os.path.join(d, n)) or (n.startswith(b".") and c.get("dots_ok")): continue
        x = raw("GET", path(c["p"]) + quote_from_bytes(n, safe="-._~"))
        if x.st != 200 or x.body != b"name:" + n.hex().encode(): bad.append((n.decode("latin-1")[:24], x.st))
    if bad: return "%d names: %s" % (len(bad), bad[:8])
def fn_head(c):
    """HEAD == GET without the body"""
    a = raw("GET", path(c["p"]), c.get("h", [])); b = raw("HEAD", path(c["p"]), c.get("h", []))
    if a.st != b.st: return "GET %s, HEAD %s" % (a.st, b.st)
    if b.body: return "HEAD has a body of %d" % len(b.body)
    for k in ("content-length", "content-type", "etag", "last-modified", "content-encoding", "vary", "accept-ranges", "location", "allow", "cache-control"):
        if k == "content-length" and g(b, k) is None: continue
        if g(a, k) != g(b, k): return "%s: GET %r, HEAD %r" % (k, g(a, k), g(b, k))
def fn_truncate(c):
    f = ROOT + c["p"]; s = socket.create_connection((U.hostname, U.port or 80), 8); s.settimeout(8); s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 18)
    open(f, "wb").write(b"S" * (8 << 20)); s.sendall(("GET %s HTTP/1.1\r\nHost: x\r\nConnection: keep-alive\r\n\r\n" % path(c["p"])).encode()); b = s.recv(2000); time.sleep(0.3); os.truncate(f, 1000); n = len(b); t = time.time(); end = "closed"
    try:
        while True:
            d = s.recv(65536)
            if not d: break
            n += len(d)
            if d.strip(b"S") and n > 4000: return "foreign bytes in the body: %r" % d.strip(b"S")[:20]
    except socket.timeout: end = "hang"
    except ConnectionError: end = "reset"
    open(f, "wb").write(b"S" * (8 << 20))
    if end == "hang" and n < (8 << 20): return "hangs after truncation (%d bytes)" % n
    x = raw("GET", path(c["p"]), [("Range", "bytes=0-9")])
    if x.body not in (b"S" * 10,) and x.st != 200: return "server not well afterwards: %s" % x.st
def fn_ce(c):
    """Range + Accept-Encoding: Content-Range total must be the size of the representation that Content-Encoding names"""
    r = raw("GET", path(c["p"]), [("Range", "bytes=0-9"), ("Accept-Encoding", "gzip")]); f = ROOT + c["p"]; ce = g(r, "content-encoding")
    if r.st == 200:
        b = r.body if not ce else zlib.decompress(r.body, 47)
        return None if b == open(f, "rb").read() else "200 body differs"
    m = re.match(r"bytes 0-9/(\d+)$", g(r, "content-range") or ""); full = open(f + (".gz" if ce == "gzip" else ""), "rb").read() if os.path.isfile(f + (".gz" if ce == "gzip" else "")) else b""
    if not m: return "no good Content-Range: %r" % g(r, "content-range")
    if int(m[1]) != len(full) or r.body != full[:10]: return "206 with CE %r but total %s, body %r" % (ce, m[1], r.body)
def fn_dec(c):
    """GET with Accept-Encoding: gzip, undo the coding, compare with the plain file on disk"""
    r = raw("GET", path(c["p"]), [("Accept-Encoding", "gzip")]); ce = g(r, "content-encoding")
    if r.st != 200: return "status %s" % r.st
    try: b = zlib.decompress(r.body, 47) if ce == "gzip" else r.body
    except zlib.error as e: return "Content-Encoding %s, body does not decode: %s" % (ce, e)
    if b != open(ROOT + c["p"], "rb").read(): return "body (coding %s) is not the file: %r" % (ce, b[:20])
def fn_etags(c):
    a = raw("GET", path(c["p"])); b = raw("GET", path(c["p"]), [("Accept-Encoding", "gzip")]); ea, eb = g(a, "etag"), g(b, "etag")
    if not g(b, "content-encoding"): return "SKIP: no coding served"
    if ea and ea == eb and not ea.startswith("W/"): return "same strong etag %s for identity and gzip" % ea
def fn_json(c):
    for q, h in (("", [("Accept", "application/json")]), ("?json", []), ("?format=json", []), ("?F=json", [])):
        r = raw("GET", path(c["p"]) + q, h)
        if r.st == 200 and "json" in (g(r, "content-type") or ""):
            try: j = json.loads(r.body.decode("utf-8"))
            except Exception as e: return "not valid UTF-8 JSON: %s" % e
            s = json.dumps(j, ensure_ascii=True); miss = [n for n in os.listdir(ROOT + c["p"]) if not n.startswith(".") and all(0xdc80 > ord(x) or ord(x) > 0xdcff for x in n) and json.dumps(n)[1:-1] not in s and json.dumps(n + "/")[1:-1] not in s]
            return "names missing in JSON: %s" % miss[:6] if miss else None
    return "SKIP: no JSON listing found"
def fn_same(c):
    a = raw("GET", path(c["p"])); 
    for q in c["q"]:
        b = raw("GET", path(c["p"]) + q)
        if b.st != a.st or (b.st == 200 and len(b.body) < len(a.body) // 2) or re.search(rb"(?i)usage:|Options:|version \d", b.body): return "%s -> %s, %d bytes (plain: %s, %d)" % (q, b.st, len(b.body), a.st, len(a.body))
def fn_tree(c):
    """listing is 200 and shows the healthy entry"""
    r = raw("GET", path(c["p"]), [("Accept", "text/html")], c.get("timeout", 3))
    if r.err: return r.err
    if r.st != 200: return "status %s" % r.st
    for n in c["has"]:
        if n.encode() not in r.body: return "lacks %s" % n
    for n in c.get("hasnot", []):
        if n.encode() in r.body: return "shows %s" % n
def fn_many(c):
    if not os.path.isdir(ROOT + "/many"): return "SKIP: fixtures built without --many"
    t = time.time(); r = raw("GET", path("/many/"), [("Accept", "text/html")], 25); n = len([h for h in links(r) if re.search(r"f\d{7}\.dat", h)]); k = len(os.listdir(ROOT + "/many"))
    if r.st != 200: return "status %s %s" % (r.st, r.err)
    if n not in (k,) and not re.search(rb"(?i)page|next|trunc|more", r.body): return "%d of %d entries and no sign of paging or truncation" % (n, k)
def fn_big(c):
    if not os.path.isfile(ROOT + "/t/big.bin"): return "SKIP: fixtures built without --big"
    r = raw("HEAD", path("/t/big.bin"))
    if g(r, "content-length") != str(5 * 2**30): return "Content-Length %s" % g(r, "content-length")
    for off in (2**31, 2**32):
        r = raw("GET", path("/t/big.bin"), [("Range", "bytes=%d-%d" % (off - 8, off + 7))])
        if r.st != 206 or r.body != b"ABCDEFGHIJKLMNOP" or g(r, "content-range") != "bytes %d-%d/%d" % (off - 8, off + 7, 5 * 2**30): return "at %d: %s %r %r" % (off, r.st, r.body[:20], g(r, "content-range"))
    r = raw("GET", path("/t/big.bin"), [("Range", "bytes=-1")])
    if r.st != 206 or r.body != b"\0": return "last byte: %s" % r.st
def fn_multi(c):
    f = open(ROOT + c["p"], "rb").read(); r = raw("GET", path(c["p"]), [("Range", c["range"])])
    if r.st == 200: return None if r.body == f else "200 with a wrong body"
    if r.st != 206: return "status %s" % r.st
    ct = g(r, "content-type") or ""; m = re.match(r'multipart/byteranges;\s*boundary="?([^";]+)"?', ct); parts = []
    if m:
        if g(r, "content-range"): return "Content-Range on a multipart 206"
        if g(r, "content-length") and int(g(r, "content-length")) != len(r.body): return "Content-Length %s, body %d" % (g(r, "content-length"), len(r.body))
        bd = m[1].encode(); b = b"\r\n" + r.body
        seg = b.split(b"\r\n--" + bd)
        if not seg[-1].startswith(b"--"): return "no closing boundary"
        for s in seg[1:-1]:
            h, _, d = s[2:].partition(b"\r\n\r\n")
            x = re.search(rb"(?im)^content-range: bytes (\d+)-(\d+)/(\d+)\s*$", h)
            if s[:2] != b"\r\n" or not x: return "bad part header %r" % h[:60]
            parts.append((int(x[1]), int(x[2]), d))
    else:
        x = re.match(r"bytes (\d+)-(\d+)/(\d+)$", g(r, "content-range") or "")
        if not x: return "206 without Content-Range"
        parts.append((int(x[1]), int(x[2]), r.body))
    for a, b, d in parts:
        if d != f[a:b + 1]: return "part %d-%d has wrong bytes" % (a, b)
    for a, b in c["want"]:
        if not any(x <= a and y >= b for x, y, _ in parts): return "%d-%d not delivered" % (a, b)
    if len(r.body) > len(f) * 2 + 4096: return "206 of %d bytes for a file of %d" % (len(r.body), len(f))
def fn_noleak(c):
    """none of these targets may give out what lies outside the root, nor a 5xx"""
    for t in c["t"]:
        r = raw("GET", PFX.encode() + t.encode("latin-1"))
        if b"TOP-SECRET" in r.body or b"root:x:0" in r.body: return "LEAK by %s" % t
        if r.st >= 500 or r.st == 0: return "%s -> %s %s" % (t, r.st, r.err)
def fn_loc(c):
    r = raw(c.get("m", "GET"), path(c["p"]), c.get("h", [])); l = g(r, "location")
    if r.st in c.get("orst", []): return None
    if r.st not in (301, 302, 307, 308): return "status %s" % r.st
    if any(n in ("set-cookie", "x-inj") for n, _ in r.h): return "header injection"
    u = urljoin("https://site.example" + path(c["p"]), wsplit(l)); s = urlsplit(u)
    if c.get("https") and s.scheme != "https" and s.netloc != "site.example": return "Location %s leaves https://site.example" % l
    if s.hostname not in ("site.example", "localhost", U.hostname): return "Location %r goes to host %s" % (l, s.hostname)
    t = s.path + ("?" + s.query if s.query else "")
    if "to" in c and t != path(c["to"]): return "Location %r resolves to %s, wanted %s" % (l, t, path(c["to"]))
    if c.get("follow"):
        x = raw("GET", t)
        if x.st != 200: return "following %s gives %s" % (t, x.st)
FN = {k[3:]: v for k, v in list(globals().items()) if k.startswith("fn_")}

def run(c):
    if "fn" in c: return FN[c["fn"]](c)
    r = raw(c.get("m", "GET"), path(c["p"]), [(k, sub(v, c["p"], c)) for k, v in c.get("h", [])], c.get("timeout", 6), c.get("http", "1.1"))
    if r.st == 0: return "no response: %s %r" % (r.err, r.raw[:40])
    if r.st not in c["st"]: return "status %s, wanted %s" % (r.st, c["st"])
    only = c.get("if")
    if only and r.st not in only: return None
    for k, x in c.get("hd", {}).items():
        v = g(r, k); 
        if v is None or not re.search(x, v): return "%s is %r, wanted /%s/" % (k, v, x)
    for k in c.get("no", []):
        if g(r, k) is not None: return "has %s: %s" % (k, g(r, k))
    if "body" in c and r.body != c["body"].encode("latin-1"): return "body %r" % r.body[:60]
    if "len" in c and len(r.body) != c["len"]: return "body of %d, wanted %d" % (len(r.body), c["len"])
    for x in c.get("re", []):
        if not re.search(x.encode(), r.body): return "body lacks /%s/" % x
    for x in c.get("nre", []):
        if re.search(x.encode(), r.body): return "body has /%s/" % x
    if "maxlen" in c and len(r.body) > c["maxlen"]: return "body of %d" % len(r.body)
def main():
    cs = json.load(open(HERE + "/checks.json")); only = set((arg("--only") or "").split(",")) - {""}; sp = arg("--split"); p = f = s = 0
    for c in cs:
        if only and c["id"].split(".")[0] not in only and c["id"] not in only: continue
        if sp and c.get("split") != sp: continue
        try: e = run(c)
        except Exception as x: e = "EXC " + repr(x)[:120]
        if e and e.startswith("SKIP"): s += 1; (V and print("skip", c["id"], e))
        elif e: f += 1; print("FAIL %-7s %s | %s" % (c["id"], c["n"], e))
        else: p += 1; (V and print("ok  ", c["id"], c["n"]))
    print("%d passed, %d failed, %d skipped" % (p, f, s)); sys.exit(1 if f else 0)
if __name__ == "__main__": main()
