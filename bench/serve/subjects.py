"""What is measured: staticgi behind each front, the floor behind the same configuration, the fronts alone, and the
Node servers."""
import http.client, os, shutil, time

import fronts, proc

WORKERS = 2


class Subject:
    name = ""
    group = ""   # staticgi, floor, front, node
    about = ""
    prefix = ""  # of the mount

    def __init__(self, bench):
        self.bench = bench
        self.processes = []
        self.port = 0
        self.dropped = bench.dropped
        self.www = bench.www

    def start(self):
        self.dir = self.bench.directory(self.name)
        self.cache = self.dir + "/cache"
        self.port = proc.free_port()
        self.launch()
        self.await_answer()

    def stop(self):
        for process in reversed(self.processes):
            process.stop()
        self.processes = []
        shutil.rmtree(self.dir, ignore_errors=True)

    def restart(self):
        self.stop()
        self.start()

    def run(self, label, argv, env=None, cwd=None, drop=True):
        argv = (self.bench.as_user if drop else []) + argv
        env = dict(os.environ, HOME=self.dir, TMPDIR=self.dir, NODE_ENV="production", **(env or {}))
        self.processes.append(proc.Process(argv, "%s/%s.log" % (self.dir, label), env, cwd or self.dir))

    def await_answer(self):
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline:
            if not all(p.alive() for p in self.processes):
                break
            try:
                if self.fetch("/f/hello.json", {})[0] == 200:
                    return
            except OSError:
                pass
            time.sleep(0.03)
        words = "\n".join(p.last_words() for p in self.processes)
        raise RuntimeError("%s does not answer:\n%s" % (self.name, words))

    def url(self, path):
        return self.prefix + path

    def fetch(self, path, fields):
        c = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        try:
            c.request("GET", self.url(path), headers=fields)
            answer = c.getresponse()
            body = answer.read()
            return answer.status, answer.headers, body
        except http.client.HTTPException as e:
            raise OSError(str(e))
        finally:
            c.close()

    def is_back(self, pid):
        return False

    def pids(self):
        """(front, back): two lists."""
        all_pids = [pid for process in self.processes for pid in process.pids()]
        back = [p for p in all_pids if self.is_back(p)]
        return [p for p in all_pids if p not in back], back

    def processor(self):
        return [sum(map(proc.processor_seconds, pids)) for pids in self.pids()]

    def for_row(self, size, hand_off):
        """Tells the floor how many bytes to answer."""


class Pooled(Subject):
    """A FastCGI program behind a front. `back`: staticgi, floor or libfcgi."""

    def __init__(self, bench, back, front, hand_off=True, keepalive=True):
        super().__init__(bench)
        self.back, self.front, self.hand_off, self.keepalive = back, front, hand_off, keepalive
        self.name = "%s-%s%s" % (back, front, "" if hand_off or back != "staticgi" else "-inband")
        self.group = "staticgi" if back == "staticgi" else "floor"
        self.prefix = "/files" if front == "apache-prefork" else ""
        self.size, self.file = 1024, None
        self.program = {"staticgi": bench.staticgi, "floor": bench.tool("responder"),
                        "libfcgi": bench.tool("libfcgi")}[back]

    def hand_off_setting(self):
        if not self.hand_off:
            return "off"
        return "x-accel-redirect+vary:/_files/" if self.front == "nginx" else "x-sendfile"

    def arguments(self):
        if self.back == "staticgi":
            words = ["--config", "/dev/null", "--hand-off", self.hand_off_setting()]
            if self.bench.has_setting("cache-dir"):
                words += ["--cache-dir", self.cache]
            # Only lighttpd keeps Content-Encoding on a hand-off.
            if self.bench.has_setting("cache-hand-off"):
                words += ["--cache-hand-off", "x-sendfile" if self.hand_off and self.front == "lighttpd" else "off"]
            return words
        if self.file is None:
            return ["--bytes", str(self.size)]
        if self.front == "nginx":
            return ["--send", "X-Accel-Redirect:/_files" + self.file]
        return ["--send", "X-Sendfile:" + self.www + self.file]

    def launch(self):
        self.sock = self.dir + "/pool.sock"
        self.script = self.dir + "/bin/" + os.path.basename(self.program)
        os.makedirs(os.path.dirname(self.script))
        self.bench.give(os.path.dirname(self.script), self.cache)
        words = self.arguments()
        if self.front == "apache-prefork":
            # mod_fcgid gives no arguments and no environment: what staticgi is told stands beside it.
            shutil.copy(self.program, self.script)
            if self.back == "staticgi":
                with open(os.path.dirname(self.script) + "/staticgi.conf", "w") as f:
                    for i in range(2, len(words), 2):
                        f.write('%s = "%s"\n' % (words[i][2:], words[i + 1]))
            else:
                self.script += ".sh"
                with open(self.script, "w") as f:
                    f.write("#!/bin/sh\nexec %s %s\n" % (self.program, " ".join("'%s'" % w for w in words)))
                os.chmod(self.script, 0o755)
        elif self.back == "staticgi":
            mount = [] if self.front == "apache-event" else ["--root", self.www, "--url-prefix", "/"]
            self.run("pool", [self.program, "serve", "--listen", "unix:" + self.sock, "--listen-mode", "0666",
                              "--workers", str(WORKERS)] + mount + words)
        else:
            self.run("pool", [self.program, "--listen", self.sock, "--workers", str(WORKERS)] + words)
        configure = {"lighttpd": fronts.lighttpd_pool, "nginx": fronts.nginx_pool,
                     "apache-event": fronts.apache_proxy, "apache-prefork": fronts.apache_fcgid}[self.front]
        launch_front(self, self.front.partition("-")[0], configure(self))

    def is_back(self, pid):
        return proc.executable(pid) == os.path.basename(self.program)

    def for_row(self, size, hand_off):
        if self.back == "staticgi" or (self.size, self.file) == (size, hand_off):
            return
        self.size, self.file = size, hand_off
        self.restart()


def launch_front(subject, server, text):
    path = subject.dir + "/front.conf"
    with open(path, "w") as f:
        f.write(text)
    os.makedirs(subject.cache, exist_ok=True)
    argv = [path if word == "@" else word for word in fronts.COMMANDS[server]]
    subject.run("front", argv)


class Own(Subject):
    """A front server by itself."""
    group = "front"

    def __init__(self, bench, name, server, configure):
        super().__init__(bench)
        self.name, self.server, self.configure = name, server, configure

    def launch(self):
        self.bench.give(self.cache)
        launch_front(self, self.server, self.configure(self))


class Node(Subject):
    group = "node"

    def __init__(self, bench, name, argv, env=None, paths=None):
        super().__init__(bench)
        self.name, self.argv, self.env, self.paths = name, argv, env or {}, paths

    def url(self, path):
        return self.paths(path) if self.paths else path

    def command(self):
        return [w.format(port=self.port, www=self.www, dir=self.dir) for w in ["node"] + self.argv]

    def launch(self):
        env = dict(self.env, NODE_PATH=self.bench.npm + "/node_modules", PORT=str(self.port), WWW=self.www)
        with open(self.dir + "/serve.json", "w") as f:
            f.write('{"cleanUrls": false}')
        # As the caller: the packages lie in the caller's home.
        self.run("node", self.command(), env=env, drop=False)
