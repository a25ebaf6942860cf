"""Results as Markdown, JSON and one SVG plot a row."""
import json, os, shutil, subprocess

import noise, targets

COLOURS = {"staticgi": 0x1A7F37, "floor": 0x8C959F, "libfcgi": 0x8C959F, "front": 0x0969DA, "node": 0xBC4C00}
FRONTS = ("lighttpd", "lighttpd-cache", "nginx", "nginx-fancyindex", "apache", "caddy")


def number(n):
    if n is None:
        return "–"
    return "%.0f" % n if abs(n) >= 100 else "%.1f" % n if abs(n) >= 10 else "%.2f" % n


def size(n):
    return "–" if n is None else format(n, ",")


def load(out):
    try:
        with open(out + "/results.json") as f:
            return json.load(f)
    except (OSError, ValueError):
        return {"rows": {}}


def group(name):
    for part in ("staticgi", "floor", "libfcgi"):
        if name.startswith(part):
            return part
    return "front" if name in FRONTS else "node"


def is_peer(name):
    return group(name) in ("front", "node")


def is_honest(name):
    """A cached listing that may be stale is no answer to the same question."""
    return name != "lighttpd-cache"


def ordered(row):
    found = [(n, f) for n, f in row["subjects"].items() if f["value"] is not None]
    return sorted(found, key=lambda x: x[1]["value"], reverse=not row["lower"])


def times(row, a, b):
    """How many times as good a is as b."""
    return (b / a if row["lower"] else a / b) if a and b else 0


def remarks(name, row, figures):
    words = noise.words(figures)
    if figures.get("failed"):
        if not (row["how"] == "wrk" and figures.get("status") == 404):
            words.append("%d of %d failed %s" % (figures["failed"], figures["requests"], figures.get("failures", "")))
    texts = {"coding": "%s", "note": "%s", "all_kb": "all processes %s kB", "front_kb": "the front %s kB"}
    for key, text in texts.items():
        if figures.get(key):
            words.append(text % figures[key])
    if not is_honest(name):
        words.append("stale until its max-age is over")
    if figures.get("steps"):
        words.append(", ".join("%s %s" % (k, number(v)) for k, v in figures["steps"].items()
                               if k not in ("entries", "bytes", "whole")))
    return "; ".join(words)


def row_table(name, row):
    """The best: of those that answer requests; to staticgi: its best front, above 1 is worse than staticgi."""
    lines = ["### %s" % name, "", "%s (%s)" % (row["title"], row["unit"]), ""]
    found = ordered(row)
    if not found:
        return "\n".join(lines + ["nothing measured", ""])
    best = next((f["value"] for n, f in found if n != "floor-listing"), found[0][1]["value"])
    ours = next((f["value"] for n, f in found if group(n) == "staticgi"), None)
    lines += ["| | %s | best is … times better | staticgi is … times better | processor, front (µs/request) "
              "| processor, backend | bytes | remarks |" % row["unit"],
              "|---|--:|--:|--:|--:|--:|--:|---|"]
    for subject, f in found:
        label = "**%s**" % subject if group(subject) == "staticgi" else subject
        mark = " ~" if noise.is_noise(f) else ""
        cost = ("–", "–") if row["how"] in ("memory", "startup") else (number(f["front_us"]), number(f["back_us"]))
        lines.append("| %s | %s%s | %s | %s | %s | %s | %s | %s |" % (
            label, number(f["value"]), mark, number(times(row, best, f["value"])), number(times(row, ours, f["value"])),
            *cost, size(f.get("bytes")), remarks(subject, row, f)))
    for subject, f in row["subjects"].items():
        if f["value"] is None:
            lines.append("| %s | – | – | – | – | – | – | %s |" % (subject, f.get("note", "")))
    return "\n".join(lines + ["", faster_peers(row), ""])


def faster_peers(row):
    """The honest line: which peers are ahead of staticgi behind its best front."""
    found = ordered(row)
    ours = next((f["value"] for n, f in found if group(n) == "staticgi"), None)
    if ours is None:
        return ""
    ahead = ["%s (%s times%s)" % (n, number(times(row, f["value"], ours)), "" if is_honest(n) else ", stale")
             for n, f in found if is_peer(n) and times(row, f["value"], ours) > 1]
    return "Peers that are faster: %s." % (", ".join(ahead) or "none")


def plot(out, name, row):
    found = ordered(row)
    if not found or not shutil.which("gnuplot"):
        return False
    found = [x for x in found if x[1]["value"] > 0][::-1]
    low = min(f["value"] for _, f in found) / 2
    data = "\n".join('%d %g %d "%s"' % (i, f["value"], COLOURS[group(n)], n) for i, (n, f) in enumerate(found))
    better = "less is better" if row["lower"] else "more is better"
    script = """set terminal svg size 760,{height} font "sans-serif,11" background rgb "white"
set output "{out}/{name}.svg"
set title "{title}" noenhanced
set xlabel "{unit}, {better}; logarithmic" noenhanced
set logscale x
set xrange [{low}:*]
set yrange [-0.7:{top}]
set grid xtics
set rmargin 7
set style fill solid
unset key
$data << END
{data}
END
plot $data using 2:1:({low}):2:($1-0.38):($1+0.38):3:ytic(4) with boxxyerror lc rgb variable
""".format(height=90 + 20 * len(found), out=out, name=name, title=name + ": " + row["title"].replace('"', "'"),
           unit=row["unit"], better=better, low=low, top=len(found) - 0.3, data=data)
    done = subprocess.run(["gnuplot"], input=script, text=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    if done.returncode != 0:
        print("gnuplot: " + done.stderr[-300:])
    return done.returncode == 0


def overview(results, page=""):
    lines = ["| row | unit | staticgi, best front | its front | best peer | peer | staticgi is … times better "
             "| peer faster |", "|---|---|--:|---|--:|---|--:|---|"]
    for name, row in results["rows"].items():
        found = ordered(row)
        ours = next(((n, f) for n, f in found if group(n) == "staticgi"), None)
        peer = next(((n, f) for n, f in found if is_peer(n) and is_honest(n)), None)
        if not ours or not peer:
            continue
        ratio = times(row, ours[1]["value"], peer[1]["value"])
        mark = " ~" if noise.is_noise(ours[1]) or noise.is_noise(peer[1]) else ""
        lines.append("| [%s](%s#%s) | %s | %s | %s | %s | %s | %s%s | %s |" % (
            name, page, name, row["unit"], number(ours[1]["value"]), ours[0].replace("staticgi-", ""),
            number(peer[1]["value"]), peer[0], number(ratio), mark, "**yes**" if ratio < 1 else ""))
    return "\n".join(lines)


def machine_lines(machine):
    versions = "; ".join("%s: %s" % pair for pair in sorted(machine["versions"].items()))
    where = "%(date)s; %(processor)s, %(cores)d cores, %(memory_mb)d MB; Linux %(kernel)s, %(file_system)s" % machine
    return (where + "\n\n"
            "Versions: %s\n\nTwo workers for staticgi, the floor and libfcgi (mod_fcgid: up to 16); one process of nginx "
            "and lighttpd, two of Apache's event MPM; one of each Node server." % versions)


BEGIN, END = "<!-- the tables of bench/results -->", "<!-- end -->"


def put_into_readme(out, text):
    """bench/README.md holds the tables of the run that is kept in the tree."""
    readme = os.path.dirname(os.path.abspath(out)) + "/README.md"
    try:
        with open(readme) as f:
            before, _, rest = f.read().partition(BEGIN)
    except OSError:
        return
    if rest and END in rest:
        with open(readme, "w") as f:
            f.write(before + BEGIN + "\n\n" + text + "\n\n" + END + rest.partition(END)[2])


def write(out, results):
    with open(out + "/results.json.part", "w") as f:
        json.dump(results, f, indent=1, ensure_ascii=False)
    os.replace(out + "/results.json.part", out + "/results.json")
    parts = ["# Results", "", "Written by bench/run.sh; [bench/README.md](../README.md) says what each row measures. "
             "A mark ~ is noise: rounds more than %d %% apart, or other programs at work." % (100 * noise.SPREAD), "",
             machine_lines(results["machine"]), "", "## What was to be reached", "", targets.table(results), "",
             "## Overview", "", "Peers without lighttpd's stale cache; the rows have it.", "", overview(results), "",
             "## Rows", ""]
    for name, row in results["rows"].items():
        drawn = plot(out, name, row)
        parts.append(row_table(name, row))
        parts.append("Again: `sh bench/run.sh %s`; %d rounds, took %d s, load average after it %.1f\n" % (
            name, row["rounds"], row["seconds"], row["load"]))
        if drawn:
            parts.append("![%s](%s.svg)\n" % (name, name))
    with open(out + "/README.md", "w") as f:
        f.write("\n".join(parts))
    put_into_readme(out, "\n\n".join([machine_lines(results["machine"]), "### What was to be reached",
                                      targets.table(results), "### Every row", overview(results, "results/README.md")]))
