"""The list of all subjects, in the order of the tables. A factory makes each one when a row needs it."""
import fronts
from subjects import Node, Own, Pooled

TOTAL_ROUTES = {"/f/hello.json": "/hello", "/f/page.html": "/page", "/f/big.json": "/big"}


def script(bench, name):
    return ["%s/%s.js" % (bench.peers, name)]


def package(bench, path):
    return ["%s/node_modules/%s" % (bench.npm, path)]


def static(bench, name):
    words = {"http-server": ["http-server/bin/http-server", "{www}", "-p", "{port}", "-a", "127.0.0.1", "-s"],
             "serve": ["serve/build/main.js", "{www}", "-l", "tcp://127.0.0.1:{port}", "-L", "-n", "-c",
                       "{dir}/serve.json"],
             "sirv": ["sirv-cli/bin.js", "{www}/f", "--port", "{port}", "--host", "127.0.0.1", "--quiet", "--etag"]}
    # sirv reads the whole tree at its start: it gets the files alone.
    paths = (lambda path: path[2:] if path.startswith("/f/") else path) if name == "sirv" else None
    return Node(bench, name, package(bench, words[name][0]) + words[name][1:], paths=paths)


def make(bench):
    """{name: factory}"""
    table = {}
    for front in ("lighttpd", "nginx", "apache-event", "apache-prefork"):
        table["staticgi-" + front] = lambda f=front: Pooled(bench, "staticgi", f)
        if front in ("lighttpd", "nginx"):
            table["staticgi-%s-inband" % front] = lambda f=front: Pooled(bench, "staticgi", f, hand_off=False)
    for front in ("lighttpd", "nginx", "apache-event", "apache-prefork"):
        table["floor-" + front] = lambda f=front: Pooled(bench, "floor", f)
    table["libfcgi-lighttpd"] = lambda: Pooled(bench, "libfcgi", "lighttpd")
    # Kept-alive connections would pin its two workers.
    table["libfcgi-nginx"] = lambda: Pooled(bench, "libfcgi", "nginx", keepalive=False)
    table["lighttpd"] = lambda: Own(bench, "lighttpd", "lighttpd", fronts.lighttpd_own)
    table["lighttpd-cache"] = lambda: Own(bench, "lighttpd-cache", "lighttpd",
                                          lambda s: fronts.lighttpd_own(s, cached=True))
    table["nginx"] = lambda: Own(bench, "nginx", "nginx", fronts.nginx_own)
    table["nginx-fancyindex"] = lambda: Own(bench, "nginx-fancyindex", "nginx",
                                            lambda s: fronts.nginx_own(s, fancy=True))
    table["apache"] = lambda: Own(bench, "apache", "apache", fronts.apache_own)
    table["caddy"] = lambda: Own(bench, "caddy", "caddy", fronts.caddy_own)
    classic = script(bench, "koa-classic-server")
    table["koa-classic-server"] = lambda: Node(bench, "koa-classic-server", classic, {"PAGE": "100"})
    table["koa-classic-server-whole"] = lambda: Node(bench, "koa-classic-server-whole", classic, {"PAGE": "0"})
    for name in ("express", "fastify", "koa"):
        table[name] = lambda n=name: Node(bench, n, script(bench, n))
        table[name + "-compress"] = lambda n=name: Node(bench, n + "-compress", script(bench, n), {"COMPRESS": "1"})
    table["total5"] = lambda: Node(bench, "total5", script(bench, "total5"), paths=lambda p: TOTAL_ROUTES.get(p, p))
    for name in ("http-server", "serve", "sirv"):
        table[name] = lambda n=name: static(bench, n)
    table["node-memory"] = lambda: Node(bench, "node-memory", script(bench, "memory"))
    return table


POOLED = ["staticgi-lighttpd", "staticgi-nginx", "staticgi-apache-event", "staticgi-apache-prefork"]
INBAND = ["staticgi-lighttpd-inband", "staticgi-nginx-inband"]
FLOOR = ["floor-lighttpd", "floor-nginx", "floor-apache-event", "floor-apache-prefork"]
LIBFCGI = ["libfcgi-lighttpd", "libfcgi-nginx"]
OWN = ["lighttpd", "nginx", "apache", "caddy"]
OWN_LISTING = ["lighttpd", "lighttpd-cache", "nginx", "nginx-fancyindex", "apache", "caddy"]
NODE_FILES = ["koa-classic-server", "express", "fastify", "http-server", "serve", "sirv"]
NODE_LISTING = ["express", "fastify", "serve", "http-server"]
NODE_DYNAMIC = ["express", "fastify", "koa", "total5", "koa-classic-server", "http-server", "serve", "sirv",
                "node-memory"]
NODE_CODED = ["express-compress", "fastify-compress", "koa-compress", "total5", "koa-classic-server", "serve"]
