"""What is measured. A row is one request, one way to ask it, and the subjects for which it makes sense."""
from peers import (FLOOR, INBAND, LIBFCGI, NODE_CODED, NODE_DYNAMIC, NODE_FILES, NODE_LISTING, OWN, OWN_LISTING,
                   POOLED)

WHOLE = {"Accept": "*/*"}
PAGE = {"Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}
CODED = {"Accept-Encoding": "br, gzip"}
CLASSIC_WHOLE = ["koa-classic-server-whole"]


class Row:
    """how: get, wrk, ab, autocannon, memory, startup, listing. options go to the load generator."""

    def __init__(self, name, title, how, path="/", fields=None, who=(), needs=(), status=200, expect_coding=False,
                 revalidate=False, cold=False, touch=None, hand_off=False, default=True, floor_dir=None, **options):
        self.name, self.title, self.how = name, title, how
        self.paths = [path] if isinstance(path, str) else path
        self.fields, self.who, self.needs, self.status = fields or {}, list(who), list(needs), status
        self.expect_coding, self.revalidate, self.cold, self.touch = expect_coding, revalidate, cold, touch
        self.hand_off, self.default, self.floor_dir, self.options = hand_off, default, floor_dir, options

    @property
    def unit(self):
        return {"get": "µs", "memory": "kB", "startup": "µs"}.get(self.how, "requests/s")

    def rounds(self, usual):
        """Fewer where a round is long, or where its figure hardly varies."""
        return min(usual, {"autocannon": 3, "memory": 2}.get(self.how, usual))

    @property
    def lower_is_better(self):
        return self.unit != "requests/s"


def files():
    who = POOLED + FLOOR + LIBFCGI + OWN + NODE_FILES + ["node-memory"]
    yield Row("file-1k", "1 KB file, one request after the other", "get", "/f/1k.txt", WHOLE, who)
    yield Row("file-1k-c8", "1 KB file, 8 connections", "wrk", "/f/1k.txt", WHOLE, who, connections=8)
    yield Row("file-1k-c100", "1 KB file, 100 connections", "wrk", "/f/1k.txt", WHOLE, who, connections=100)
    big = POOLED + INBAND + FLOOR + OWN + NODE_FILES
    yield Row("file-100k", "100 KB file, 8 connections", "wrk", "/f/100k.txt", WHOLE, big, hand_off=True, connections=8)
    yield Row("file-1m", "1 MB file, one request after the other", "get", "/f/1m.bin", WHOLE, big, hand_off=True)
    yield Row("file-1m-c8", "1 MB file, 8 connections", "wrk", "/f/1m.bin", WHOLE, big, hand_off=True, connections=8)
    yield Row("file-100m", "100 MB file, one request after the other", "get", "/f/100m.bin", WHOLE, big, hand_off=True)
    yield Row("page-9175", "page of 9,175 bytes, ab -n 1000 -c 100", "ab", "/f/page.html", WHOLE,
              POOLED + FLOOR + OWN + NODE_DYNAMIC, connections=100, requests=1000)
    yield Row("ten-small", "ten small files at once, over ten connections", "get",
              ["/f/ten/%d.txt" % i for i in range(10)], WHOLE, POOLED + OWN + NODE_FILES, connections=10)
    yield Row("status-404", "a file that is not there, 8 connections", "wrk", "/f/none.txt", WHOLE,
              POOLED + OWN + NODE_FILES, status=404, connections=8)
    yield Row("304-file", "1 KB file that the client has, 8 connections", "wrk", "/f/1k.txt", WHOLE,
              POOLED + OWN + NODE_FILES, revalidate=True, connections=8)


def listings():
    for count in (100, 1000, 10000, 100000, 1000000):
        path, needs, usual = "/l/%d/" % count, [str(count)], count < 1000000
        words, floor = format(count, ","), "/l/%d" % count
        page = ["koa-classic-server"] + NODE_LISTING
        whole = CLASSIC_WHOLE + NODE_LISTING
        in_band = INBAND if count in (10000, 100000) else []
        yield Row("list-%d-whole" % count, words + " entries, whole, unchanged", "get", path, WHOLE,
                  POOLED + in_band + FLOOR + OWN_LISTING + whole, needs, floor_dir=floor, default=usual)
        yield Row("list-%d-page" % count, words + " entries, as a browser gets them, unchanged", "get", path, PAGE,
                  POOLED + OWN_LISTING + page, needs, floor_dir=floor, default=usual)
    path, needs, floor = "/l/10000/", ["10000"], "/l/10000"
    codes = POOLED + OWN_LISTING + ["express-compress", "fastify-compress", "serve", "koa-classic-server-whole"]
    yield Row("list-10000-whole-coded", "10,000 entries, whole, Accept-Encoding: br, gzip", "get", path,
              {**WHOLE, **CODED}, codes, needs, expect_coding=True)
    yield Row("list-10000-page-coded", "10,000 entries, browser, Accept-Encoding: br, gzip", "get", path,
              {**PAGE, **CODED}, codes[:-1] + ["koa-classic-server"], needs, expect_coding=True)
    slow = POOLED + OWN_LISTING + NODE_LISTING
    yield Row("list-10000-whole-cold", "10,000 entries, whole, a folder never listed before", "get", [], WHOLE,
              slow + CLASSIC_WHOLE, ["cold"], cold=True, floor_dir="/cold/10000-000")
    yield Row("list-10000-page-cold", "10,000 entries, browser, a folder never listed before", "get", [], PAGE,
              slow + ["koa-classic-server"], ["cold"], cold=True, floor_dir="/cold/10000-000")
    yield Row("list-10000-whole-changed", "10,000 entries, whole, one file changed before each request", "get", path,
              WHOLE, slow + CLASSIC_WHOLE, needs, touch="/l/10000", floor_dir=floor)
    yield Row("list-10000-page-changed", "10,000 entries, browser, one file changed before each request", "get", path,
              PAGE, slow + ["koa-classic-server"], needs, touch="/l/10000", floor_dir=floor)
    yield Row("five-listings", "five listings of 1,000 at once, over five connections", "get",
              ["/l/five-%d/" % i for i in range(5)], WHOLE, slow + CLASSIC_WHOLE, ["five"], connections=5)
    yield Row("304-listing", "listing of 10,000 that the client has", "get", path, WHOLE, slow + CLASSIC_WHOLE, needs,
              revalidate=True)


def dynamic():
    who = POOLED + FLOOR + OWN + NODE_DYNAMIC
    yield Row("hello-json", '{"hello":true}, autocannon -c 100 -p 10', "autocannon", "/f/hello.json", WHOLE, who)
    yield Row("page-html", "page of 9,175 bytes, autocannon -c 100 -p 10", "autocannon", "/f/page.html", WHOLE, who)
    yield Row("json-589k", "JSON of 589 KB, autocannon -c 100 -p 10", "autocannon", "/f/big.json", WHOLE, who,
              hand_off=True)
    yield Row("json-589k-coded", "JSON of 589 KB, Accept-Encoding: br, gzip, autocannon -c 100 -p 10", "autocannon",
              "/f/big.json", {**WHOLE, **CODED}, POOLED + OWN + NODE_CODED, expect_coding=True)
    yield Row("json-589k-c8", "JSON of 589 KB, 8 connections", "wrk", "/f/big.json", WHOLE, who, hand_off=True,
              connections=8)
    yield Row("json-589k-coded-c8", "JSON of 589 KB, Accept-Encoding: br, gzip, 8 connections", "wrk", "/f/big.json",
              {**WHOLE, **CODED}, POOLED + OWN + NODE_CODED, expect_coding=True, connections=8)


def processes():
    who = ["staticgi-lighttpd", "lighttpd", "nginx", "apache", "caddy", "koa-classic-server-whole", "express", "fastify",
           "serve", "http-server"]
    for count in (10000, 100000):
        yield Row("memory-%d" % count, "largest process (PSS) after listing %s entries" % format(count, ","), "memory",
                  "/l/%d/" % count, WHOLE, who, [str(count)])
    yield Row("startup", "from exec to the first answer", "startup", "/",
              who=["staticgi", "floor", "libfcgi", "lighttpd", "nginx", "caddy"] + NODE_DYNAMIC)


def all_rows():
    return [*files(), *listings(), *dynamic(), *processes()]


def choose(words):
    """Rows by name; a word that is no name takes all rows that start with it. Without words, all but those by hand."""
    rows = all_rows()
    if not words:
        return [row for row in rows if row.default]
    chosen = []
    for word in words:
        found = [r for r in rows if r.name == word] or [r for r in rows if r.name.startswith(word) and r.default]
        if not found:
            raise SystemExit("no row %s; there are: %s" % (word, " ".join(r.name for r in rows)))
        chosen += [r for r in found if r not in chosen]
    return chosen
