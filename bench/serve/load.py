"""The load generators. Each gives back what one round measured:

    value    microseconds (get) or requests a second (wrk, ab, autocannon)
    requests answered, failed; bytes of one answer's content, None where the generator does not tell
"""
import json, re, resource, subprocess


class Failed(Exception):
    pass


def call(argv, timeout):
    try:
        done = subprocess.run(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              timeout=timeout, text=True, errors="replace")
    except subprocess.TimeoutExpired:
        raise Failed("no end after %d s" % timeout)
    return done


def own_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def header_options(fields, flag, join=": "):
    words = []
    for name, value in fields.items():
        words += [flag, name + join + value]
    return words


def get(bench, port, paths, fields, seconds, turns=None, connections=1, once=False, touch=None):
    argv = [bench.tool("get"), "-d", str(seconds), "-c", str(connections)]
    argv += ["-n", str(turns)] if turns else []
    argv += ["-o"] if once else []
    argv += ["-t", touch] if touch else []
    done = call(argv + header_options(fields, "-H") + [str(port)] + paths, 600)
    if done.returncode != 0:
        raise Failed("get: " + (done.stderr or done.stdout)[-200:])
    answer = json.loads(done.stdout)
    return {"value": answer["median"], "requests": answer["requests"], "failed": answer["failed"],
            "bytes": answer["bytes"], "min": answer["min"], "p90": answer["p90"]}


def wrk(bench, port, path, fields, seconds, connections):
    # Whole seconds only.
    argv = ["wrk", "-t1", "-c%d" % connections, "-d%ds" % max(1, round(seconds)), "--timeout", "60s", "--latency"]
    argv += header_options(fields, "-H") + ["http://127.0.0.1:%d%s" % (port, path)]
    text = call(argv, seconds + 120).stdout
    count = re.search(r"(\d+) requests in", text)
    rate = re.search(r"Requests/sec:\s+([\d.]+)", text)
    if not count or not rate or not int(count[1]):
        raise Failed("wrk: " + text[-200:])
    failed = sum(map(int, re.findall(r"(?:Non-2xx or 3xx responses:|timeout|connect|read|write) (\d+)", text)))
    tail = re.search(r"99%\s+([\d.]+)(us|ms|s)", text)
    scale = {"us": 1, "ms": 1e3, "s": 1e6}
    return {"value": float(rate[1]), "requests": int(count[1]), "failed": failed, "bytes": None,
            "p99": float(tail[1]) * scale[tail[2]] if tail else None}


def ab(bench, port, path, fields, requests, connections):
    argv = ["ab", "-q", "-n", str(requests), "-c", str(connections)] + header_options(fields, "-H")
    text = call(argv + ["http://127.0.0.1:%d%s" % (port, path)], 120).stdout
    rate = re.search(r"Requests per second:\s+([\d.]+)", text)
    done = re.search(r"Complete requests:\s+(\d+)", text)
    failed = re.search(r"Failed requests:\s+(\d+)", text)
    size = re.search(r"Document Length:\s+(\d+)", text)
    if not rate:
        raise Failed("ab: " + text[-200:])
    return {"value": float(rate[1]), "requests": int(done[1]), "failed": int(failed[1]), "bytes": int(size[1])}


def autocannon(bench, port, path, fields, seconds):
    argv = ["node", bench.npm + "/node_modules/autocannon/autocannon.js", "-c", "100", "-p", "10", "-d", str(seconds),
            "-j", "-n"] + header_options(fields, "-H", "=")
    done = call(argv + ["http://127.0.0.1:%d%s" % (port, path)], seconds + 120)
    try:
        answer = json.loads(done.stdout.strip().splitlines()[-1])
    except (ValueError, IndexError):
        raise Failed("autocannon: " + (done.stderr or done.stdout)[-200:])
    total = answer["requests"]["total"]
    if not total:
        raise Failed("autocannon: no answer in %s s" % seconds)
    return {"value": total / answer["duration"], "requests": total,
            "failed": answer["non2xx"] + answer["errors"] + answer["timeouts"], "bytes": None,
            "failures": "%(non2xx)d not 2xx, %(errors)d errors, %(timeouts)d timeouts" % answer,
            "p99": answer["latency"]["p99"] * 1e3}
