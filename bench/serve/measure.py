"""One round of one row for one subject, with what it cost: front and backend apart, and what others used meanwhile."""
import json, os, statistics, subprocess, time

import load, proc


def probe(subject, row):
    """Asks once as the row will. (fields to ask with, facts), or (None, facts) when the subject cannot do the row."""
    path = row.paths[0] if row.paths else "/cold/10000-000/"
    fields = dict(row.fields)
    status, headers, body = subject.fetch(path, fields)
    for _ in range(3 if row.expect_coding else 0):
        # Whoever codes in the background needs a moment; what is measured is what clients get from then on.
        time.sleep(0.3)
        status, headers, body = subject.fetch(path, fields)
    facts = {"status": status, "bytes": len(body), "coding": headers.get("Content-Encoding", "")}
    if row.revalidate:
        tag, date = headers.get("ETag"), headers.get("Last-Modified")
        if tag:
            fields["If-None-Match"] = tag
        elif date:
            fields["If-Modified-Since"] = date
        else:
            return None, dict(facts, note="no validator")
        status, headers, body = subject.fetch(path, fields)
        facts.update(status=status, bytes=len(body))
        if status != 304:
            return None, dict(facts, note="answers %d to its own validator" % status)
    elif status != row.status:
        return None, dict(facts, note="answers %d" % status)
    if row.expect_coding and not facts["coding"]:
        facts["note"] = "sends it uncoded"
    return fields, facts


def generate(bench, subject, row, fields, cold_paths):
    paths = [subject.url(p) for p in (cold_paths if row.cold else row.paths)]
    if row.how == "get":
        touch = bench.touched(row.touch) if row.touch else None
        return load.get(bench, subject.port, paths, fields, bench.seconds / 2, once=row.cold, touch=touch,
                        **row.options)
    if row.how == "wrk":
        return load.wrk(bench, subject.port, paths[0], fields, bench.seconds, **row.options)
    if row.how == "ab":
        return load.ab(bench, subject.port, paths[0], fields, **row.options)
    return load.autocannon(bench, subject.port, paths[0], fields, bench.cannon_seconds)


def once(bench, subject, row, fields, facts, cold_paths):
    front, back = subject.processor()
    busy, own, begin = proc.machine_busy_seconds(), load.own_seconds(), time.monotonic()
    sample = generate(bench, subject, row, fields, cold_paths)
    # A page whose dates change, of another folder, or coded better meanwhile may differ in length; nothing else may.
    may_differ = row.cold or row.touch or row.expect_coding or len(row.paths) > 1
    if sample["bytes"] not in (None, facts["bytes"]) and not may_differ:
        raise load.Failed("sent %d bytes, %d when asked by itself" % (sample["bytes"], facts["bytes"]))
    front_after, back_after = subject.processor()
    spent = (front_after - front) + (back_after - back) + (load.own_seconds() - own)
    span = time.monotonic() - begin
    # The machine's own account goes by ticks of 10 ms.
    others = max(0.0, proc.machine_busy_seconds() - busy - spent) / (span * os.cpu_count()) if span > 0.3 else 0.0
    if row.how == "autocannon":
        settle(subject)
    count = max(1, sample["requests"])
    sample.update(front_us=(front_after - front) / count * 1e6, back_us=(back_after - back) / count * 1e6,
                  others=others)
    return sample


def settle(subject):
    """Waits until the subject has worked off what the load generator left behind; restarts it when it does not end."""
    for _ in range(50):
        before = sum(subject.processor())
        time.sleep(0.1)
        if sum(subject.processor()) - before < 0.01:
            return
    subject.restart()


def memory(subject, row):
    """A fresh process lists the folder sixteen times, so that every worker has (less often where it takes long); then
    the largest process counts."""
    subject.restart()
    begin, count = time.monotonic(), 0
    while count < 16 and (count == 0 or time.monotonic() - begin < 20):
        count += 1
        status, _, body = subject.fetch(row.paths[0], row.fields)
        if status != 200:
            raise load.Failed("answers %d" % status)
    front, back = subject.pids()
    sizes = sorted(map(proc.proportional_kb, back or front), reverse=True)
    return {"value": sizes[0], "requests": count, "failed": 0, "bytes": len(body), "all_kb": sum(sizes),
            "front_kb": sum(map(proc.proportional_kb, front)) if back else 0, "front_us": 0, "back_us": 0, "others": 0}


def startup(bench, name, table):
    programs = {"staticgi": [bench.staticgi], "floor": [bench.tool("responder"), "--bytes", "1024"],
                "libfcgi": [bench.tool("libfcgi"), "--bytes", "1024"]}
    empty = bench.directory("startup")
    if name in programs:
        argv, env = ["fcgi", empty] + programs[name], None
    else:
        subject = table[name]()
        subject.dir, subject.cache, subject.port = empty, empty + "/cache", proc.free_port()
        subject.run = lambda label, argv, env=None, cwd=None, drop=True: setattr(subject, "planned",
                                                                                 (argv, env, drop))
        subject.launch()
        argv, more, drop = subject.planned
        env = dict(os.environ, HOME=empty, NODE_ENV="production", **(more or {}))
        argv = ["http", str(subject.port)] + (bench.as_user if drop else []) + argv
    done = subprocess.run([bench.tool("startup")] + argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, cwd=empty, env=env, timeout=90)
    bench.forget(empty)
    # The program may have printed something of its own before.
    value = float(done.stdout.split()[-1]) if done.returncode == 0 else -1
    if value <= 0:
        raise load.Failed("no answer")
    return {"value": value, "requests": 1, "failed": 0, "bytes": None, "front_us": 0, "back_us": 0, "others": 0}


def floor_listing(bench, paths, rounds):
    """The program that only reads, stats, sorts and formats."""
    done = subprocess.run([bench.tool("listing"), "-r", str(rounds)] + [bench.www + path for path in paths],
                          stdout=subprocess.PIPE, check=True)
    steps = json.loads(done.stdout)
    return {"value": steps["whole"], "requests": rounds, "failed": 0, "bytes": steps["bytes"], "steps": steps,
            "front_us": 0, "back_us": steps["whole"], "others": 0}


def summary(samples, facts):
    """Medians of the rounds; spread: how far apart the rounds were, as a part of the median."""
    values = [s["value"] for s in samples]
    middle = statistics.median(values)
    result = dict(facts)
    result.update(value=middle, rounds=values, spread=(max(values) - min(values)) / middle if middle else 0,
                  front_us=statistics.median(s["front_us"] for s in samples),
                  back_us=statistics.median(s["back_us"] for s in samples),
                  others=statistics.median(s["others"] for s in samples),
                  failed=sum(s["failed"] for s in samples), requests=sum(s["requests"] for s in samples))
    if "steps" in samples[0]:
        result["steps"] = {key: statistics.median(s["steps"][key] for s in samples) for key in samples[0]["steps"]}
    for key in ("all_kb", "front_kb", "p99", "p90"):
        if samples[-1].get(key) is not None:
            result[key] = samples[-1][key]
    bad = [s["failures"] for s in samples if s["failed"] and "failures" in s]
    if bad:
        result["failures"] = " / ".join(bad)
    if samples[-1]["bytes"] is not None:
        result["bytes"] = samples[-1]["bytes"]
    return result
