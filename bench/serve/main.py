#!/usr/bin/env python3
"""Runs rows of the bench; ../run.sh has installed and built what is needed.

usage: main.py [--quick] [--rounds N] [--seconds S] [--only SUBJECT,...] [--out DIR] [--list] [ROW...]"""
import argparse, json, os, pwd, shutil, signal, subprocess, sys, tempfile, time

import load, machine, measure, peers, report, rows, tree


DROP = ["setpriv", "--reuid=www-data", "--regid=www-data", "--clear-groups", "--"]


class Bench:
    def __init__(self, options):
        self.staticgi = os.environ["STATICGI"]
        self.npm, self.tools = os.environ["BENCH_NPM"], os.environ["BENCH_TOOLS"]
        self.rounds = options.rounds or (2 if options.quick else 5)
        self.seconds = options.seconds or (0.4 if options.quick else 1.0)
        self.cannon_seconds = 2 if options.quick else max(5, round(5 * self.seconds))
        self.cold_each = 1 if options.quick else 3
        self.temp = tempfile.mkdtemp(prefix="staticgi-bench.")
        os.chmod(self.temp, 0o755)
        self.www = self.temp + "/www"
        os.mkdir(self.www)
        # Apache refuses to be root, and a server should not be: everything but Node runs as www-data.
        self.dropped = os.geteuid() == 0 and shutil.which("setpriv") is not None
        self.as_user = DROP if self.dropped else []
        self.help = subprocess.run([self.staticgi, "help"], stdout=subprocess.PIPE, text=True).stdout
        # Out of the caller's home, where www-data may not go.
        self.staticgi = shutil.copy(self.staticgi, self.temp + "/staticgi")
        self.tools = shutil.copytree(self.tools, self.temp + "/tools")
        # Total.js writes beside its script.
        here = os.path.dirname(os.path.abspath(__file__))
        self.peers = shutil.copytree(here + "/peers", self.temp + "/peers")

    def tool(self, name):
        return self.tools + "/" + name

    def file_size(self, path):
        return os.path.getsize(self.www + path) if os.path.isfile(self.www + path) else 0

    def has_setting(self, name):
        return "--%s " % name in self.help

    def directory(self, name):
        path = "%s/%s" % (self.temp, name)
        os.makedirs(path, exist_ok=True)
        self.give(path)
        return path

    def give(self, *paths):
        for path in paths:
            os.makedirs(path, exist_ok=True)
            if self.dropped:
                user = pwd.getpwnam("www-data")
                os.chown(path, user.pw_uid, user.pw_gid)

    def forget(self, path):
        shutil.rmtree(path, ignore_errors=True)

    def touched(self, directory):
        names = sorted(n for n in os.listdir(self.www + directory) if n.endswith(".txt"))
        return "%s%s/%s" % (self.www, directory, names[len(names) // 2])


def say(text):
    print(text, file=sys.stderr, flush=True)


class Stand:
    """The subjects that run at the moment."""

    def __init__(self, bench):
        self.bench, self.table, self.running, self.broken = bench, peers.make(bench), {}, {}

    def get(self, name):
        if name in self.broken:
            raise load.Failed(self.broken[name])
        if name not in self.running:
            subject = self.table[name]()
            self.running[name] = subject
            try:
                subject.start()
            except (RuntimeError, OSError) as e:
                say("  %s" % e)
                self.broken[name] = "could not be started"
                self.drop(name)
                raise load.Failed(self.broken[name])
        return self.running[name]

    def drop(self, name):
        if name in self.running:
            self.running.pop(name).stop()

    def stop(self):
        for name in list(self.running):
            self.drop(name)


def prepare(stand, row, name, expected):
    """A subject ready for the row: (subject, fields to ask with, facts)."""
    bench = stand.bench
    if row.how == "startup":
        return None, {}, {}
    subject = stand.get(name)
    if subject.group == "floor":
        small = name.startswith("libfcgi") or not row.hand_off or row.expect_coding
        subject.for_row(expected, None if small else row.paths[0])
    if row.cold:
        subject.restart()
    if row.how == "memory":
        return subject, row.fields, {}
    fields, facts = measure.probe(subject, row)
    if row.cold:
        subject.restart()
    if fields is None:
        raise load.Failed(facts["note"])
    return subject, fields, facts


def measure_round(stand, row, name, ready, number):
    bench = stand.bench
    subject, fields, facts = ready
    if row.how == "startup":
        return measure.startup(bench, name, stand.table)
    if row.how == "memory":
        return measure.memory(subject, row)
    return measure.once(bench, subject, row, fields, facts, cold_paths(bench, number))


def cold_paths(bench, number):
    """The folders that nobody listed before this round."""
    first = number * bench.cold_each
    return ["/cold/10000-%03d/" % i for i in range(first, first + bench.cold_each)]


def floor_listing(bench, row, number):
    """The floor gets what the others get: one folder again and again, or each once."""
    if row.cold:
        return measure.floor_listing(bench, cold_paths(bench, number), bench.cold_each)
    return measure.floor_listing(bench, [row.floor_dir], 7)


def run_row(stand, row, only):
    names = [n for n in row.who if not only or n in only]
    ready, samples, result = {}, {n: [] for n in names}, {}
    expected = stand.bench.file_size(row.paths[0]) if row.paths else 0
    for name in names:
        try:
            if expected == 0 and name.startswith(("floor", "libfcgi")) and row.how == "get":
                expected = measure.probe(stand.get("staticgi-lighttpd"), row)[1]["bytes"]
            ready[name] = prepare(stand, row, name, expected)
        except (load.Failed, RuntimeError, OSError) as e:
            result[name] = {"value": None, "note": str(e).splitlines()[0][:120]}
            say("  %-26s %s" % (name, result[name]["note"]))
    rounds = row.rounds(stand.bench.rounds)
    for number in range(rounds):
        for name in list(ready):
            say("  round %d/%d  %-26s" % (number + 1, rounds, name) + one_sample(
                stand, row, name, ready, number, samples, result))
        if row.floor_dir:
            samples.setdefault("floor-listing", []).append(floor_listing(stand.bench, row, number))
    for name, taken in samples.items():
        if taken and name not in result:
            result[name] = measure.summary(taken, ready[name][2] if name in ready else {"status": 0, "coding": ""})
    return result


def one_sample(stand, row, name, ready, number, samples, result):
    try:
        sample = measure_round(stand, row, name, ready[name], number)
    except (load.Failed, RuntimeError, OSError, subprocess.SubprocessError) as e:
        result[name] = {"value": None, "note": str(e)[:120] or "failed"}
        if ready.pop(name)[0] is not None:
            stand.drop(name)
        return result[name]["note"]
    samples[name].append(sample)
    return "%12s %s" % (report.number(sample["value"]), row.unit)


def measure_all(bench, chosen, options, out):
    stand = Stand(bench)
    results = report.load(out)
    try:
        needs = {n for row in chosen for n in row.needs}
        tree.make(bench.www, needs, bench.rounds * bench.cold_each, say)
        for i, row in enumerate(chosen):
            begin = time.monotonic()
            say("[%d/%d] %s: %s" % (i + 1, len(chosen), row.name, row.title))
            figures = run_row(stand, row, options.only.split(",") if options.only else None)
            results["rows"][row.name] = {
                "title": row.title, "unit": row.unit, "lower": row.lower_is_better, "how": row.how,
                "subjects": figures, "seconds": round(time.monotonic() - begin), "rounds": row.rounds(bench.rounds), "load": os.getloadavg()[0]}
            results["machine"] = machine.describe(bench)
            report.write(out, results)
            print(report.row_table(row.name, results["rows"][row.name]), flush=True)
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        stand.stop()


def main():
    p = argparse.ArgumentParser(usage=__doc__.partition("usage: ")[2])
    p.add_argument("rows", nargs="*")
    p.add_argument("--quick", action="store_true", help="short rounds, two of them: tells orders of magnitude")
    p.add_argument("--rounds", type=int)
    p.add_argument("--seconds", type=float, help="length of a round of wrk; get takes half of it, autocannon five times")
    p.add_argument("--only", help="subjects, separated by commas")
    p.add_argument("--out", help="directory of the results; rows already in it stay unless measured again")
    p.add_argument("--list", action="store_true", help="names the rows")
    options = p.parse_args()
    if options.list:
        for row in rows.all_rows():
            print("%-26s %s" % (row.name, row.title))
        return 0
    chosen = rows.choose(options.rows)
    out = options.out or tempfile.mkdtemp(prefix="staticgi-bench-results.")
    os.makedirs(out, exist_ok=True)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    bench = Bench(options)
    try:
        measure_all(bench, chosen, options, out)
    except KeyboardInterrupt:
        return 130
    finally:
        shutil.rmtree(bench.temp, ignore_errors=True)
    say("results: %s/README.md" % out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
