"""Processes: starting them in a group of their own, ending exactly those, and what they used of the processor and of
memory."""
import os, signal, socket, subprocess, time


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def stat_fields(pid):
    """(parent, session, start time) or None when it is gone."""
    try:
        with open("/proc/%d/stat" % pid) as f:
            fields = f.read().rpartition(")")[2].split()
    except OSError:
        return None
    return int(fields[1]), int(fields[3]), int(fields[19])


def family(leaders):
    """The processes that descend from the leaders or share their session, as {pid: start time}."""
    table = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            fields = stat_fields(int(name))
            if fields:
                table[int(name)] = fields
    found = {p for p in leaders if p in table}
    grown = True
    while grown:
        grown = False
        for pid, (parent, session, _) in table.items():
            if pid not in found and (parent in found or session in leaders):
                found.add(pid)
                grown = True
    return {pid: table[pid][2] for pid in found}


def executable(pid):
    try:
        return os.path.basename(os.readlink("/proc/%d/exe" % pid))
    except OSError:
        return ""


def processor_seconds(pid):
    """Nanosecond counters of all threads where the kernel has them, else the ticks of /proc/PID/stat."""
    try:
        total = 0
        for thread in os.listdir("/proc/%d/task" % pid):
            with open("/proc/%d/task/%s/schedstat" % (pid, thread)) as f:
                total += int(f.read().split()[0])
        return total / 1e9
    except (OSError, ValueError, IndexError):
        pass
    try:
        with open("/proc/%d/stat" % pid) as f:
            fields = f.read().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    except OSError:
        return 0.0


def proportional_kb(pid):
    try:
        with open("/proc/%d/smaps_rollup" % pid) as f:
            return sum(int(line.split()[1]) for line in f if line.startswith("Pss:"))
    except OSError:
        return 0


def machine_busy_seconds():
    with open("/proc/stat") as f:
        fields = [int(x) for x in f.readline().split()[1:]]
    # All but idle and iowait; guest time is counted in user already.
    return (sum(fields[:8]) - fields[3] - fields[4]) / os.sysconf("SC_CLK_TCK")


class Process:
    """One started program with all that it starts."""

    def __init__(self, argv, log, env=None, cwd=None):
        self.log = log
        with open(log, "ab") as out:
            self.popen = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=out, stderr=out, cwd=cwd,
                                          env=env, start_new_session=True)

    def alive(self):
        return self.popen.poll() is None

    def pids(self):
        return family({self.popen.pid})

    def stop(self):
        members = self.pids()
        if self.alive():
            self.popen.send_signal(signal.SIGTERM)
            try:
                self.popen.wait(5)
            except subprocess.TimeoutExpired:
                self.popen.kill()
                self.popen.wait()
        deadline = time.monotonic() + 3
        while members and time.monotonic() < deadline:
            members = {p: s for p, s in members.items() if (stat_fields(p) or (0, 0, -1))[2] == s}
            if members:
                time.sleep(0.02)
        # Only what is still the same process: a number may have been given to another one meanwhile.
        for pid in members:
            try:
                os.kill(pid, signal.SIGKILL)
            except OSError:
                pass

    def last_words(self):
        try:
            with open(self.log, errors="replace") as f:
                return f.read()[-800:]
        except OSError:
            return ""
