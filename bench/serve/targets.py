"""What was to be reached: a ratio, from which figures, and its bound. Ratios, because machines differ."""
import noise


class Missing(Exception):
    pass


class Figures:
    """The rows, and whether a figure that was asked for is noise."""

    def __init__(self, rows):
        self.rows, self.noise = rows, False


def value(figures, row, subject, key="value"):
    found = figures.rows.get(row, {}).get("subjects", {}).get(subject)
    if not found or found.get(key) is None:
        raise Missing("%s of %s" % (subject, row))
    figures.noise = figures.noise or noise.is_noise(found)
    return found[key]


def best(figures, row, subjects):
    """The highest, of those that were measured."""
    found = []
    for subject in subjects:
        try:
            found.append(value(figures, row, subject))
        except Missing:
            pass
    if not found:
        raise Missing("%s of %s" % (subjects[0], row))
    return max(found)


SL, SN = "staticgi-lighttpd", "staticgi-nginx"
IL, IN = SL + "-inband", SN + "-inband"
WHOLE, PAGE, MANY = "list-10000-whole", "list-10000-page", "list-100000-page"
NODE = ("fastify", "koa", "total5", "express", "http-server", "koa-classic-server", "node-memory")


def ratio(row_a, a, row_b, b, key="value"):
    return lambda r: value(r, row_a, a, key) / value(r, row_b, b, key)


def within(row, a, b, key="value"):
    return ratio(row, a, row, b, key)


def best_ratio(row, ours, peers):
    return lambda r: best(r, row, ours) / best(r, row, peers)


def names_read(figures):
    row = PAGE + "-cold"
    steps = value(figures, row, "floor-listing", "steps")
    return value(figures, row, SL) / (steps["read"] + steps["keys"] + steps["sort"])


def listing_targets():
    yield "10,000 whole, handed off / lighttpd's own stale page", within(WHOLE, SL, "lighttpd-cache"), "most", 1.5
    for peer, bound in (("nginx", 60), ("apache", 200), ("koa-classic-server-whole", 500)):
        yield "%s / 10,000 whole, handed off" % peer, within(WHOLE, peer, SL), "least", bound
    for ours, front in ((IL, "lighttpd"), (IN, "nginx")):
        yield "10,000 whole, in-band, %s / the floor" % front, within(WHOLE, ours, "floor-" + front), "most", 1.1
        yield "nginx's own / in-band through %s" % front, within(WHOLE, "nginx", ours), "least", 20
    yield "10,000 whole, coded / a 1 KB file, lighttpd", ratio(WHOLE + "-coded", SL, "file-1k", SL), "most", 2
    yield "10,000 page, coded / a 1 KB file, lighttpd", ratio(PAGE + "-coded", SL, "file-1k", SL), "most", 2
    yield "10,000 page, cold / reading and sorting the names", names_read, "most", 1.3
    yield "10,000 page, cold / nginx", within(PAGE + "-cold", SL, "nginx"), "most", 0.333
    yield "10,000 whole, cold / the floor program", within(WHOLE + "-cold", SL, "floor-listing"), "most", 1.3
    yield "10,000 whole, cold / nginx", within(WHOLE + "-cold", SL, "nginx"), "most", 1
    yield "10,000 whole, one file changed / unchanged", ratio(WHOLE + "-changed", SL, WHOLE, SL), "most", 3
    yield "10,000 page, one file changed / unchanged", ratio(PAGE + "-changed", SL, PAGE, SL), "most", 3
    yield "100,000, browser page / 10,000", ratio(MANY, SL, PAGE, SL), "most", 2


def file_targets():
    for row, text in (("file-1k-c8", "1 KB, 8 connections"), ("file-1k-c100", "1 KB, 100 connections")):
        for front in ("lighttpd", "nginx"):
            ours, floor = "staticgi-" + front, "floor-" + front
            yield "%s, %s / the floor" % (text, front), within(row, ours, floor), "least", 0.9
            yield "… backend's processor time", within(row, ours, floor, "back_us"), "most", 1.3
        for peer, bound in (("koa-classic-server", 8), ("express", 8), ("fastify", 4), ("http-server", 4)):
            yield "%s, best front / %s" % (text, peer), best_ratio(row, [SL, SN], [peer]), "least", bound
    for front in ("lighttpd", "nginx"):
        ours, floor = "staticgi-" + front, "floor-" + front
        yield "304 / the 1 KB row, %s" % front, ratio("304-file", ours, "file-1k-c8", ours), "least", 1
        yield "1 MB, %s / the floor's hand-off" % front, within("file-1m-c8", ours, floor), "least", 0.95
        yield "100 MB, %s's own / handed off to it" % front, within("file-100m", front, ours), "least", 0.95


def json_targets():
    for row in ("json-589k-coded", "json-589k-coded-c8"):
        for peer, bound in (("express-compress", 20), ("fastify-compress", 20), ("koa-compress", 20), ("apache", 10)):
            yield "%s, best front / %s" % (row, peer), best_ratio(row, [SL, SN], [peer]), "least", bound
    for row in ("hello-json", "page-html", "page-9175"):
        for front in ("nginx", "lighttpd"):
            yield "%s, %s / the best of Node" % (row, front), best_ratio(row, ["staticgi-" + front], NODE), "least", 1
    for row in ("json-589k", "json-589k-c8"):
        for peer in ("express", "koa", "fastify", "total5"):
            yield "%s, best front / %s" % (row, peer), best_ratio(row, [SL, SN], [peer]), "least", 20
        for front in ("lighttpd", "nginx"):
            yield "%s / %s's own file" % (row, front), within(row, "staticgi-" + front, front), "least", 0.8


def all_targets():
    """(text, function of Figures, "most" or "least", bound)"""
    yield from listing_targets()
    yield from file_targets()
    yield from json_targets()
    yield "largest worker after 10,000 (kB)", lambda r: value(r, "memory-10000", SL), "most", 6144
    yield "largest worker after 100,000 (kB)", lambda r: value(r, "memory-100000", SL), "most", 30720
    yield "exec to the first answer (µs)", lambda r: value(r, "startup", "staticgi"), "most", 5000


def table(results):
    lines = ["| what | to reach | reached | |", "|---|--:|--:|---|"]
    for text, measure, sense, bound in all_targets():
        figures = Figures(results["rows"])
        try:
            got = measure(figures)
        except (Missing, ZeroDivisionError):
            continue
        met = got <= bound if sense == "most" else got >= bound
        shown = "%.3g" % got if got < 1000 else "%.0f" % got
        lines.append("| %s | at %s %g | %s%s | %s |" % (text, sense, bound, shown, " ~" if figures.noise else "",
                                                        "" if met else "**missed**"))
    return "\n".join(lines) if len(lines) > 2 else "(no row of it was measured)"
