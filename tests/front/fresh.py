#!/usr/bin/env python3
"""Is an answer ever older than the disk? Makes random changes in a tree, and after each one asks for what it changed:
names, kinds, sizes, times and bytes must be those of the disk, and a 304 must be true.

    fresh.py tree DIR SEED                 makes the tree: DIR/data to serve, DIR/outside beside it
    fresh.py check NAME DIR SEED COUNT ... makes COUNT changes; prints a line "ok ..." or "FAIL ..." for each kind of question
        port=N         asks a front there            socket=PATH    or the pool itself, as lighttpd would
        clients=N      while four threads ask there all the time
        age=SECONDS    an answer may be so much older than the disk
        bursts=N       instead: N times more changes at once than the kernel keeps events
        dates=1        instead: a listing asked for by its date
        links=N        instead: within how many seconds is a write seen through a link made unseen
        pool=PID watched=yes|no    whether its workers must have watches
    fresh.py hold instances|watches DIR LEAVE   uses up the user's inotify limits all but LEAVE, says "held", and waits"""
import ctypes, functools, gzip, hashlib, html, json, os, random, re, resource, select, shutil, signal, socket, stat, struct, subprocess
import sys, threading, time
from urllib.parse import quote, unquote_to_bytes

MOUNT = "/files"
PAGE = 200
FAULTS_SHOWN = 5
BIG = 70000     # from here on a file is handed off
SLACK = 0.2
SIZES = {"few": 20, "some": 60, "more": 120, "many": 300, "big": 3000, "some/sub": 25, "some/sub/deep": 20, "moving": 20}
libc = ctypes.CDLL(None, use_errno=True)


# ---------------------------------------------------------------- asking

class Answer:
    def __init__(self, status, fields, body):
        self.status, self.fields, self.raw = status, fields, body
        self.body = gzip.decompress(body) if fields.get("content-encoding") == "gzip" and body else body
        self.etag = fields.get("etag", "")

    def __repr__(self):
        return "%d %s, %d bytes, tag %s" % (self.status, self.fields.get("content-encoding", "plain"), len(self.body), self.etag)


def fields_of(lines):
    return {n.strip().lower(): v.strip() for n, _, v in (line.partition(":") for line in lines)}


class Front:
    """A kept-alive connection to a front server."""

    def __init__(self, port):
        self.port, self.file, self.sock = port, None, None

    def close(self):
        if self.sock:
            self.file.close()
            self.sock.close()
        self.sock = None

    def ask(self, target, method="GET", **fields):
        for attempt in (1, 2, 3):
            fresh = self.sock is None
            try:
                if fresh:
                    self.sock = socket.create_connection(("127.0.0.1", self.port), 20)
                    self.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                    self.file = self.sock.makefile("rb")
                head = ["%s %s HTTP/1.1" % (method, target), "Host: localhost"]
                head += ["%s: %s" % (n.replace("_", "-"), v) for n, v in fields.items()]
                self.sock.sendall(("\r\n".join(head) + "\r\n\r\n").encode())
                return self.answer(method)
            except (OSError, EOFError):
                self.close()
                if fresh and attempt > 1:
                    raise

    def answer(self, method):
        lines = []
        while True:
            line = self.file.readline()
            if not line:
                raise EOFError("closed")
            if line == b"\r\n":
                break
            lines.append(line.decode("latin-1").rstrip("\r\n"))
        status, fields = int(lines[0].split()[1]), fields_of(lines[1:])
        body = b"" if method == "HEAD" or status == 304 else self.body(fields)
        if fields.get("connection", "").lower() == "close":
            self.close()
        return Answer(status, fields, body)

    def body(self, fields):
        if fields.get("transfer-encoding", "").lower() == "chunked":
            whole = b""
            while True:
                size = int(self.file.readline().split(b";")[0], 16)
                whole += self.exactly(size)
                self.file.readline()
                if size == 0:
                    return whole
        if "content-length" not in fields:
            return self.file.read()
        return self.exactly(int(fields["content-length"]))

    def exactly(self, size):
        data = self.file.read(size)
        if len(data) != size:
            raise EOFError("cut")
        return data


class Pool:
    """Kept-alive connections to the pool itself, several, so that each worker gets some; X-Sendfile is obeyed here."""

    def __init__(self, path, root):
        self.path, self.root, self.socks, self.turn = path, root, [], 0

    def connect(self):
        sock = socket.socket(socket.AF_UNIX)
        sock.settimeout(20)
        sock.connect(self.path)
        return sock

    @staticmethod
    def pair(name, value):
        sizes = b"".join(struct.pack(">I", len(x) | 0x80000000) if len(x) > 127 else bytes([len(x)]) for x in (name, value))
        return sizes + name + value

    def ask(self, target, method="GET", **fields):
        while len(self.socks) < 4:
            self.socks.append(self.connect())
        self.turn = (self.turn + 1) % len(self.socks)
        path, _, query = target.partition("?")
        params = {"REQUEST_METHOD": method, "REQUEST_URI": target, "QUERY_STRING": query, "SCRIPT_NAME": MOUNT,
                  "SERVER_SOFTWARE": "lighttpd/1.4", "STATICGI_ROOT": self.root, "STATICGI_HANDOFF": "x-sendfile"}
        params.update(("HTTP_" + n.upper(), v) for n, v in fields.items())
        data = self.pair(b"PATH_INFO", unquote_to_bytes(path[len(MOUNT):]))
        data += b"".join(self.pair(n.encode(), v.encode()) for n, v in params.items())
        begin = struct.pack(">BBHHBxHB5x", 1, 1, 1, 8, 0, 1, 1)
        sock = self.socks[self.turn]
        sock.sendall(begin + struct.pack(">BBHHBx", 1, 4, 1, len(data), 0) + data + struct.pack(">BBHHBxBBHHBx", 1, 4, 1, 0, 0, 1, 5, 1, 0, 0))
        return self.answer(method, self.output(sock))

    @staticmethod
    def output(sock):
        buffer, out = bytearray(), []
        while True:
            while len(buffer) < 8 or len(buffer) < 8 + struct.unpack_from(">H", buffer, 4)[0] + buffer[6]:
                piece = sock.recv(262144)
                if not piece:
                    raise EOFError("closed")
                buffer += piece
            kind, size = buffer[1], struct.unpack_from(">H", buffer, 4)[0]
            if kind == 3:
                return b"".join(out)
            out.append(bytes(buffer[8:8 + size]) if kind == 6 else b"")
            del buffer[:8 + size + buffer[6]]

    @staticmethod
    def answer(method, data):
        head, _, body = data.partition(b"\r\n\r\n")
        fields = fields_of(head.decode("latin-1").split("\r\n"))
        status = int(fields.pop("status", "200").split()[0])
        path = fields.pop("x-sendfile", None)
        if path is not None:
            with open(unquote_to_bytes(path), "rb") as f:
                body = f.read()
            fields["content-length"] = str(len(body))
        return Answer(status, fields, b"" if method == "HEAD" else body)


# ---------------------------------------------------------------- what the disk says

@functools.lru_cache(50000)
def date_of_second(second):
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(second))


def date_of(nanoseconds):
    return date_of_second(nanoseconds // 10**9)


class Disk:
    def __init__(self, data):
        self.data = os.path.realpath(data)

    def at(self, path):
        return os.path.join(self.data, path) if path else self.data

    def inside(self, full):
        """What a path finally names, or None: nothing, or something out of the root."""
        try:
            real = os.path.realpath(full, strict=True)
        except OSError:
            return None
        return real if real == self.data or real.startswith(self.data + "/") else None

    def row(self, entry):
        """(type, link, size, time), as the JSON listing has them."""
        st = entry.stat(follow_symlinks=False)
        link = stat.S_ISLNK(st.st_mode)
        if link:
            real = self.inside(entry.path)
            if real is None:
                return ("broken", True, None, None)
            st = os.stat(real)
        if stat.S_ISREG(st.st_mode):
            return ("file", link, st.st_size, date_of(st.st_mtime_ns))
        kind = "directory" if stat.S_ISDIR(st.st_mode) else "special"
        return (kind, link, None, date_of(st.st_mtime_ns))

    def rows(self, path):
        """The listing of a directory; None: it is none."""
        full = self.at(path)
        real = self.inside(full)
        if real is None or not os.path.isdir(real):
            return None
        with os.scandir(real) as entries:
            return {e.name: self.row(e) for e in entries if not e.name.startswith(".")}

    def file(self, path):
        """(status, bytes, mtime in nanoseconds)"""
        real = self.inside(self.at(path))
        st = os.stat(real) if real else None
        if st is None or not (stat.S_ISREG(st.st_mode) or stat.S_ISDIR(st.st_mode)):
            return (404, b"", 0)
        if stat.S_ISDIR(st.st_mode):
            return (301, b"", 0)
        if not st.st_mode & 0o400:
            return (403, b"", 0)
        with open(real, "rb") as f:
            return (200, f.read(), st.st_mtime_ns)


ROW = re.compile(r'<tr><td>(?:<a href="([^"]*)">)?<bdi>(.*?)</bdi>(/?)(?:</a>)?(?: <small>([^<]*)</small>)?'
                 r'<td(?: title="(\d+) bytes")?>([^\n<]*)<td>(?:<time datetime="([^"]*)">[^<]*</time>|[^\n<]*)\n')
NOTES = {"special file": "special", "link to a special file": "special", "broken link": "broken"}


def rows_of_html(text):
    """[(name, row)] and the count that the pager or the footer tells."""
    rows = []
    for href, name, slash, note, size, short, when in ROW.findall(text):
        kind = NOTES.get(note) or ("directory" if slash else "file")
        size = None if kind != "file" else int(size) if size else int(short.split()[0])
        rows.append((html.unescape(name), (kind, "link" in note, size, when or None)))
    pager = re.search("Rows [0-9,]*\u2013[0-9,]* of ([0-9,]*)", text)
    totals = re.search("<footer><p>([0-9,]*) folders?, ([0-9,]*) files?", text)
    count = sum(int(n.replace(",", "")) for n in (pager or totals).groups())
    return rows, count


def rows_of_json(text):
    got = json.loads(text)
    rows = [(e["name"], (e["type"], e.get("link", False), e.get("size"), e.get("mtime"))) for e in got["entries"]]
    return rows, got


def difference(got, wanted):
    if got == wanted:
        return None
    for name in got:
        if name not in wanted:
            return "%r is listed (%r) and is gone" % (name, got[name])
        if got[name] != wanted[name]:
            return "%r is listed as %r, the disk says %r" % (name, got[name], wanted[name])
    for name in wanted:
        if name not in got:
            return "%r is there (%r) and not listed" % (name, wanted[name])
    return None


@functools.lru_cache(50000)
def order_key(name):
    found = re.fullmatch(r"([a-z])-(\d+)\.([a-z]+)", name)
    return found and (found[1], int(found[2]), found[3])


def order_fault(rows):
    """Directories first; of the names made here the order is known."""
    kinds = [row[0] != "directory" for _, row in rows]
    if kinds != sorted(kinds):
        return "a directory stands among the files"
    for group in (False, True):
        keys = [key for key in (order_key(n) for (n, _), k in zip(rows, kinds) if k == group) if key]
        if keys != sorted(keys):
            return "not in order: %r" % [(a, b) for a, b in zip(keys, keys[1:]) if a > b][0:1]
    return None


# ---------------------------------------------------------------- changing

def make_bytes(rnd, size):
    words = rnd.choices([b"freshness", b"is proved", b"and not", b"claimed", b"%d" % rnd.getrandbits(40)], k=size // 6 + 1)
    return (b"%x " % rnd.getrandbits(64) + b" ".join(words))[:size].ljust(size, b".")


def make_tree(top, seed):
    rnd = random.Random(seed)
    data = os.path.join(top, "data")
    os.makedirs(os.path.join(top, "outside"))
    for name in ("secret.txt", "other.txt"):
        with open(os.path.join(top, "outside", name), "wb") as f:
            f.write(make_bytes(rnd, 500))
    for path, count in SIZES.items():
        os.makedirs(os.path.join(data, path))
    for path, count in SIZES.items():
        for i in range(count):
            full = os.path.join(data, path, "%s-%d.%s" % (rnd.choice("abcdef"), i, rnd.choice(["txt", "css", "bin", "html"])))
            with open(full, "wb") as f:
                f.write(make_bytes(rnd, rnd.randrange(1500)))
            old = rnd.randrange(1000000000 * 10**9, 1700000000 * 10**9)
            os.utime(full, ns=(old, old))
        with open(os.path.join(data, path, "README.md"), "wb") as f:
            f.write(b"# " + path.encode())


class Changes:
    """Random changes. Each returns the directories whose listings it touched, and the paths of files to ask for."""

    def __init__(self, disk, rnd, atomic=False):
        """`atomic`: no change passes through a state that is neither the one before nor the one after for its names."""
        self.disk, self.rnd, self.number, self.atomic = disk, rnd, 10000, atomic
        self.outside = os.path.join(os.path.dirname(disk.data), "outside")
        self.kinds = [(getattr(self, n), w) for n, w in (
            ("create", 10), ("delete", 8), ("rename", 8), ("rename_over", 4), ("rename_across", 5), ("exchange", 3),
            ("write_in_place", 10), ("append", 8), ("truncate", 6), ("touch", 8), ("chmod", 5), ("swap_link", 8),
            ("hard_link", 4), ("write_other_name", 6), ("in_subdirectory", 6), ("age_directory", 3), ("readme", 5), ("replace_directory", 5),
            ("move_directory", 2), ("large", 8), ("index", 3), ("special", 1), ("write_kept_open", 4), ("chmod_directory", 1))
            # What may lag is a directory, wherever it has been moved: its path alone does not tell what it was.
            if not (atomic and n == "move_directory")]
        self.open = []   # descriptors of files that are written again later
        self.twins = []  # pairs of paths of one file
        self.aged = None # a directory whose time is an old one

    def one(self):
        """(name, directories, files), or None when there was nothing to do it with."""
        kind = self.in_subdirectory if self.aged else self.rnd.choices([k for k, _ in self.kinds], [w for _, w in self.kinds])[0]
        try:
            done = kind()
        except PermissionError:  # its rights were taken away
            return None
        return done and (kind.__name__, [d for d in done[0] if d is not None], done[1])

    def directories(self):
        return [d for d in SIZES if os.path.isdir(self.disk.at(d)) and not (self.atomic and d == "big")]

    def directory(self):
        there = self.directories()
        return self.rnd.choices(there, [0.15 if d == "big" else 1 for d in there])[0]

    def file(self, within=None):
        """A regular file with one name, for which others may stand in."""
        path = within or self.directory()
        names = os.listdir(self.disk.at(path))
        for _ in range(8):
            if not names:
                return None
            name = self.rnd.choice(names)
            full = os.path.join(self.disk.at(path), name)
            if not os.path.islink(full) and os.path.isfile(full) and name != "index.html":
                return path, name, full
        return None

    def new_name(self):
        self.number += 1
        return "%s-%d.%s" % (self.rnd.choice("abcdefg"), self.rnd.randrange(self.number), self.rnd.choice(["txt", "css", "bin", "html"]))

    def size(self):
        return self.rnd.choice([0, 1, 40, 600, 1500, 3000, 3000, self.rnd.randrange(5000), BIG + self.rnd.randrange(9000)
                                if self.rnd.random() < 0.3 else 700])

    def write(self, full, data, flags=0, at=None):
        fd = os.open(full, os.O_WRONLY | os.O_CLOEXEC | flags, 0o644)
        try:
            os.pwrite(fd, data, at) if at is not None else os.write(fd, data)
        finally:
            os.close(fd)

    def writable(self, within=None):
        for _ in range(5):
            found = self.file(within)
            if found and os.stat(found[2]).st_mode & 0o200:
                return found
        return None

    def create(self):
        path = self.directory()
        if len(os.listdir(self.disk.at(path))) > SIZES[path] + 30:
            return self.delete(path)
        name = self.new_name()
        full = os.path.join(self.disk.at(path), name)
        if os.path.lexists(full):
            return None
        self.write(full, make_bytes(self.rnd, self.size()), os.O_CREAT | os.O_EXCL)
        return [path], [path + "/" + name]

    def delete(self, path=None):
        found = self.file(path)
        if not found or found[1] == "README.md":
            return None
        os.unlink(found[2])
        return [found[0]], [found[0] + "/" + found[1]]

    def rename(self, to=None, over=False):
        found = self.file()
        if not found or found[1] == "README.md":
            return None
        path, name, full = found
        to = to or path
        other = self.file(to) if over else None
        new = other[1] if other else self.new_name()
        target = os.path.join(self.disk.at(to), new)
        if new == "README.md" or os.path.isdir(target) and not os.path.islink(target):
            return None
        os.rename(full, target)
        return list({path, to}), [path + "/" + name, to + "/" + new]

    def rename_over(self):
        return self.rename(over=True)

    def rename_across(self):
        return self.rename(to=self.directory(), over=self.rnd.random() < 0.3)

    def exchange(self):
        a, b = self.file(), self.file()
        if not a or not b or a == b or libc.renameat2(-100, os.fsencode(a[2]), -100, os.fsencode(b[2]), 2) != 0:
            return None
        return list({a[0], b[0]}), [a[0] + "/" + a[1], b[0] + "/" + b[1]]

    def write_in_place(self, found=None):
        found = found or self.writable()
        if not found or os.path.getsize(found[2]) == 0:
            return None
        size = os.path.getsize(found[2])
        part = self.rnd.randrange(1, min(size, 30) + 1)
        self.write(found[2], make_bytes(self.rnd, part), at=self.rnd.randrange(size - part + 1))
        return [found[0]], [found[0] + "/" + found[1]]

    def append(self):
        found = self.writable()
        if not found or os.path.getsize(found[2]) > 200000:
            return None
        self.write(found[2], make_bytes(self.rnd, self.rnd.choice([1, 100, 2000])), os.O_APPEND)
        return [found[0]], [found[0] + "/" + found[1]]

    def truncate(self):
        found = self.writable()
        if not found:
            return None
        os.truncate(found[2], self.rnd.choice([0, os.path.getsize(found[2]) // 2, os.path.getsize(found[2]) + 50]))
        return [found[0]], [found[0] + "/" + found[1]]

    def touch(self):
        found = self.file()
        if not found:
            return None
        now = time.time_ns()
        st = os.stat(found[2])
        when = self.rnd.choice([self.rnd.randrange(10**18, now), now - 10**9 * self.rnd.randrange(100), st.st_mtime_ns + 1,
                                st.st_mtime_ns - 10**9, now + 86400 * 10**9, self.rnd.randrange(10**9) * 10**9])
        os.utime(found[2], ns=(st.st_atime_ns, when))
        return [found[0]], [found[0] + "/" + found[1]]

    def chmod(self):
        found = self.file()
        if not found or found[1] == "README.md":
            return None
        os.chmod(found[2], 0o644 if os.stat(found[2]).st_mode & 0o400 == 0 else 0)
        return [found[0]], [found[0] + "/" + found[1]]

    def swap_link(self):
        """A link gets another target, at once or by rename: a file, a directory, something outside, nothing, itself."""
        path = self.directory()
        name = "l-%d.txt" % self.rnd.randrange(4)
        full = os.path.join(self.disk.at(path), name)
        if os.path.lexists(full) and not os.path.islink(full):
            return None
        found = self.file()
        target = self.rnd.choice([found and os.path.relpath(found[2], self.disk.at(path)), found and found[2], found and found[1],
            "../" * (path.count("/") + 2) + "outside/secret.txt", self.outside + "/other.txt", self.outside, "nowhere", name,
            self.disk.at(self.directory())])
        if not target:
            return None
        if self.rnd.random() < 0.5 and os.path.lexists(full) and not self.atomic:
            os.unlink(full)
        if os.path.lexists(full):
            os.symlink(target, self.disk.at(path) + "/.new")
            os.rename(self.disk.at(path) + "/.new", full)
        else:
            os.symlink(target, full)
        return [path], [path + "/" + name]

    def hard_link(self):
        """A second name in another directory. Nobody is told that a file got one; a look at it shows it, and any
        event makes the program look: the rights are set again."""
        found, to, name = self.writable(), self.directory(), self.new_name()
        if not found or os.path.lexists(os.path.join(self.disk.at(to), name)) or len(self.twins) > 40:
            return None
        os.link(found[2], os.path.join(self.disk.at(to), name))
        os.chmod(found[2], stat.S_IMODE(os.stat(found[2]).st_mode))
        self.twins.append(((found[0], found[1]), (to, name)))
        return list({found[0], to}), [to + "/" + name]

    def write_other_name(self):
        """Through one name; the other's directory is asked first."""
        while self.twins:
            pair = self.rnd.choice(self.twins)
            full = [os.path.join(self.disk.at(d), n) for d, n in pair]
            try:
                same = os.path.samestat(os.lstat(full[0]), os.lstat(full[1])) and os.lstat(full[0]).st_mode & 0o200
            except OSError:
                same = False
            if not same:
                self.twins.remove(pair)
                continue
            one = self.rnd.randrange(2)
            if self.rnd.random() < 0.2:
                os.unlink(full[one])
            elif self.rnd.random() < 0.5:
                self.write(full[one], make_bytes(self.rnd, 30), os.O_APPEND)
            else:
                self.write(full[one], make_bytes(self.rnd, self.size()), os.O_TRUNC)
            return [pair[1 - one][0], pair[one][0]], ["/".join(p) for p in (pair[1 - one], pair[one])]
        return None

    def in_subdirectory(self):
        """Moves the time of a directory that its parent shows; the parent is asked first."""
        path, self.aged = self.aged or self.rnd.choice(self.directories()), None
        name = self.new_name()
        full = os.path.join(self.disk.at(path), name)
        if os.path.lexists(full):
            return None
        os.mkdir(full) if self.rnd.random() < 0.3 else os.symlink("README.md", full)
        if self.rnd.random() < 0.5 and not self.atomic:
            os.rmdir(full) if not os.path.islink(full) else os.unlink(full)
        return [os.path.dirname(path), path], []

    def age_directory(self):
        """Lists show seconds: a change in a directory shows in its parent when the last one was another second's."""
        path = self.aged = self.rnd.choice(self.directories())
        os.utime(self.disk.at(path), ns=(0, self.rnd.randrange(10**18, 17 * 10**17)))
        return [os.path.dirname(path)] * 4, []

    def readme(self):
        path = self.directory()
        self.write(os.path.join(self.disk.at(path), "README.md"), make_bytes(self.rnd, self.rnd.randrange(20, 900)), os.O_CREAT | os.O_TRUNC)
        return [path], [path + "/README.md"]

    def replace_directory(self):
        """A directory that is listed becomes a file, and the other way round."""
        path = self.directory()
        name = "x-%d.txt" % self.rnd.randrange(3)
        full = os.path.join(self.disk.at(path), name)
        inner = [path + "/" + name] if os.path.isdir(full) else []
        if os.path.islink(full):
            return None
        if os.path.isdir(full):
            shutil.rmtree(full)
            self.write(full, make_bytes(self.rnd, self.size()), os.O_CREAT)
            return [path] + inner, [path + "/" + name]
        if os.path.lexists(full):
            os.unlink(full)
        os.mkdir(full)
        self.write(full + "/a-1.txt", make_bytes(self.rnd, 100), os.O_CREAT)
        return [path, path + "/" + name], [path + "/" + name, path + "/" + name + "/a-1.txt"]

    def move_directory(self):
        """Away, and the next time back, or another one in its place."""
        a, b = self.disk.at("moving"), self.disk.at("few/moved")
        if os.path.isdir(a) and os.path.isdir(b):
            libc.renameat2(-100, os.fsencode(a), -100, os.fsencode(b), 2)
        elif os.path.isdir(a):
            os.rename(a, b)
            if self.rnd.random() < 0.5:
                os.mkdir(a)
                self.write(a + "/README.md", b"new", os.O_CREAT)
        else:
            os.rename(b, a)
        return ["", "few", "moving", "few/moved"], ["moving/README.md", "few/moved/README.md"]

    def index(self):
        """An index file stands for its directory."""
        full = self.disk.at("more/index.html")
        if os.path.exists(full) and self.rnd.random() < 0.6:
            os.unlink(full)
        else:
            self.write(full, make_bytes(self.rnd, 300), os.O_CREAT | os.O_TRUNC)
        return ["more"], ["more/index.html"]

    def large(self):
        """What a front is handed: changed by turns in every way that keeps its path."""
        path = self.rnd.choice([d for d in ("few", "some") if os.path.isdir(self.disk.at(d))])
        full, new = self.disk.at(path + "/h-1.bin"), self.disk.at(path + "/.new")
        kind = self.rnd.randrange(5)
        data = make_bytes(self.rnd, BIG + self.rnd.choice([0, 0, 500]))
        if kind == 0 and os.path.exists(full):
            self.write(full, data[:100], at=self.rnd.randrange(BIG - 100))
        elif kind == 1 and os.path.exists(full):
            os.truncate(full, BIG + self.rnd.randrange(4000))
        elif kind == 2:
            others = ["l-8.bin", "l-9.bin"]
            for name in others:
                if not os.path.exists(self.disk.at(path + "/" + name)):
                    self.write(self.disk.at(path + "/" + name), make_bytes(self.rnd, BIG + self.rnd.randrange(9)), os.O_CREAT)
            os.symlink(self.rnd.choice(others), new)
            os.rename(new, full)
        else:
            self.write(new, data, os.O_CREAT)
            os.rename(new, full)
        return [path], [path + "/h-1.bin"]

    def special(self):
        path = self.directory()
        full = os.path.join(self.disk.at(path), "pipe")
        os.unlink(full) if os.path.lexists(full) else os.mkfifo(full)
        return [path], [path + "/pipe"]

    def write_kept_open(self):
        """Through a descriptor opened long ago, wherever its file has been moved since."""
        if len(self.open) < 6:
            found = self.writable()
            if found and os.stat(found[2]).st_nlink == 1:
                self.open.append(os.open(found[2], os.O_WRONLY | os.O_CLOEXEC))
        if not self.open:
            return None
        fd = self.rnd.choice(self.open)
        path = os.readlink("/proc/self/fd/%d" % fd)
        # Not where the name is gone by which it was opened, and another one is left: see unseen_links.
        if os.fstat(fd).st_nlink != 1 or not os.path.exists(path) or not os.path.samestat(os.fstat(fd), os.lstat(path)):
            self.open.remove(fd)
            os.close(fd)
            return None
        os.pwrite(fd, make_bytes(self.rnd, 25), self.rnd.randrange(100))
        path = os.path.relpath(path, self.disk.data)
        return [os.path.dirname(path)], [path]

    def chmod_directory(self):
        """Its names can be read, what they are cannot; for the length of one question. (Asked by check_unsearchable.)"""
        os.chmod(self.disk.at("few"), 0o755)
        return ["", "few"], []


# ---------------------------------------------------------------- judging

class Stop(Exception):
    pass


class Check:
    def __init__(self, name, disk, asker, seed, age):
        self.name, self.disk, self.asker, self.seed, self.age = name, disk, asker, seed, age
        self.rnd = random.Random(seed + 1)
        self.held, self.strong, self.counts, self.faults = {}, {}, {}, {}
        self.now = (0, "start")
        self.true_304 = self.weak = 0
        self.rows_now = {}
        self.history = {}

    def fault(self, kind, what):
        self.faults[kind] = self.faults.get(kind, 0) + 1
        print("FAIL %s: %s: seed %d, operation %d (%s): %s" % (self.name, kind, self.seed, self.now[0], self.now[1], what), flush=True)
        if sum(self.faults.values()) >= FAULTS_SHOWN:
            raise Stop

    def count(self, kind):
        self.counts[kind] = self.counts.get(kind, 0) + 1

    def rows(self, path):
        if path not in self.rows_now:
            self.rows_now[path] = self.disk.rows(path)
        return self.rows_now[path]

    def note_tag(self, kind, key, answer):
        """RFC 9110 8.8.1: a strong tag never stands for two different contents."""
        if answer.status != 200 or not answer.etag or answer.etag.startswith("W/"):
            return
        digest = hashlib.md5(answer.raw).digest()
        if self.strong.setdefault((key, answer.etag), digest) != digest:
            self.fault(kind, "%s: the strong tag %s stands for two contents" % (key, answer.etag))

    @staticmethod
    def shown(key, answer):
        """What must be the same for a 304 to be true. The foot of a page of several tells the sum of sizes if it is known."""
        if key[1].startswith("page"):
            return repr(rows_of_html(answer.body.decode()))
        return hashlib.md5(answer.body).digest()

    # One question in one form. `variant`: its name; `fields`: what goes with it. `judge` says what is wrong with a 200.

    def question(self, kind, target, variant, fields, judge):
        key = (target, variant)
        conditional = key in self.held and self.rnd.random() < 0.6
        self.count(kind)
        if not conditional:
            answer = self.asker.ask(target, **fields)
            return self.settle(kind, key, answer, judge)
        etag, digest, modified = self.held[key]
        answer = self.asker.ask(target, If_None_Match=etag, **fields)
        if answer.status != 304:
            return self.settle(kind, key, answer, judge)
        self.count("304")
        whole = self.asker.ask(target, **fields)
        # A front gives a listing that is handed off the time of the file that holds the page.
        same = self.shown(key, whole) == digest and (whole.fields.get("last-modified") == modified or "file" not in kind)
        if whole.status != 200 or not same:
            # Two writes within one tick of the file system's clock have one time, and that is what a weak tag is for. When the file is
            # older than two seconds by now, the same tag is a strong one.
            if whole.status == 200 and etag.startswith("W/") and whole.etag in (etag, etag[2:]):
                self.weak += 1
            else:
                self.fault("304", "%s %s: 304 for %s, but the answer is another now: %r" % (target, variant, etag, whole))
        else:
            self.true_304 += 1
        self.settle(kind, key, whole, judge)

    def settle(self, kind, key, answer, judge):
        what = judge(answer)
        if what:
            self.fault(kind, "%s %s: %s (%r)" % (key[0], key[1], what, answer))
        self.note_tag(kind, key, answer)
        if answer.status == 200 and answer.etag:
            self.held[key] = (answer.etag, self.shown(key, answer), answer.fields.get("last-modified"))
        else:
            self.held.pop(key, None)
        return answer

    # Listings.

    def judge_rows(self, path, got, wanted):
        return difference(dict(got), wanted) or order_fault(got) or (len(got) != len(dict(got)) and "a name stands there twice") or None

    def judge_json(self, path, wanted):
        def judge(answer):
            if answer.status != 200:
                return "not listed"
            rows, got = rows_of_json(answer.body)
            files = [r for r in wanted.values() if r[0] != "directory"]
            totals = (len(wanted) - len(files), len(files), sum(r[2] or 0 for r in files))
            told = (got["directories"], got["files"], got["bytes"])
            return self.judge_rows(path, rows, wanted) or (told != totals and "totals %r, wanted %r" % (told, totals)) or None
        return judge

    def judge_sorted(self, path, wanted, at):
        def judge(answer):
            rows, _ = rows_of_json(answer.body) if answer.status == 200 else ([], {})
            keys = [r[at] or (0 if at == 2 else "") for _, r in rows if r[0] == "file"]
            return difference(dict(rows), wanted) or (keys != sorted(keys, reverse=True) and "not in order of the column") or None
        return judge

    def judge_html(self, path, wanted, page):
        def judge(answer):
            if answer.status != 200:
                return "not listed"
            rows, count = rows_of_html(answer.body.decode())
            if count != len(wanted):
                return "says %d entries, wanted %d" % (count, len(wanted))
            if page is None:
                return self.judge_rows(path, rows, wanted)
            last = (len(wanted) - 1) // PAGE + 1
            number = min(page, last)
            shown = len(wanted) - (number - 1) * PAGE if number == last else PAGE
            if len(rows) != shown:
                return "%d rows, wanted %d" % (len(rows), shown)
            whole, _ = rows_of_json(self.asker.ask(self.target(path), Accept="application/json").body)
            first = (number - 1) * PAGE
            if [n for n, _ in rows] != [n for n, _ in whole[first:first + shown]]:
                return "page %d has other rows than the whole" % number
            return difference(dict(rows), {n: wanted.get(n) for n, _ in rows})
        return judge

    def target(self, path, query=""):
        return MOUNT + "/" + quote(path) + ("/" if path else "") + query

    def by_date(self, path, wanted):
        """A listing has no date of its own; one that the front adds to what is handed off must do no harm."""
        key = (self.target(path), "json")
        modified = self.held[key][2]
        answer = self.asker.ask(key[0], Accept="application/json", If_Modified_Since=modified)
        self.count("listing by its date alone")
        if answer.status == 304:
            whole = self.asker.ask(key[0], Accept="application/json")
            if self.shown(key, whole) != self.held[key][1]:
                self.fault("listing by its date alone", "%s: 304, and it is another now" % path)
        else:
            self.settle("listing by its date alone", key, answer, self.judge_json(path, wanted))

    def listing(self, path):
        wanted = self.rows(path)
        if wanted is None:
            self.count("gone")
            answer = self.asker.ask(self.target(path))
            if answer.status != 404:
                self.fault("gone", "%s is no directory, and still: %r" % (path, answer))
            return
        if wanted.get("index.html", ("",))[0] == "file":
            return self.file(path + "/index.html", self.target(path))
        big = len(wanted) > 1000
        forms = [self.ask_json, self.ask_json_coded, self.ask_whole, self.ask_page, self.ask_page_coded, self.ask_head, self.ask_sorted]
        for form in self.rnd.sample(forms, 1 if big else 2):
            form(path, wanted)

    def ask_json(self, path, wanted):
        if self.held.get((self.target(path), "json"), ("", "", None))[2] and self.rnd.random() < 0.5:
            return self.by_date(path, wanted)
        self.question("listing as JSON", self.target(path), "json", {"Accept": "application/json"}, self.judge_json(path, wanted))

    def ask_json_coded(self, path, wanted):
        self.question("listing as JSON, coded", self.target(path), "json gzip", {"Accept": "application/json", "Accept_Encoding": "gzip"},
                      self.judge_json(path, wanted))

    def ask_whole(self, path, wanted):
        coded = {"Accept_Encoding": "gzip"} if self.rnd.random() < 0.3 else {}
        self.question("listing as HTML, whole", self.target(path), "whole %s" % bool(coded), coded, self.judge_html(path, wanted, None))

    def ask_page(self, path, wanted, **coded):
        page = self.rnd.randrange(1, len(wanted) // PAGE + 2)
        query = "?page=%d" % page if page > 1 or self.rnd.random() < 0.5 else ""
        self.question("listing as HTML, a page" + (", coded" if coded else ""), self.target(path, query), "page %s" % bool(coded),
                      dict(coded, Accept="text/html"), self.judge_html(path, wanted, page if len(wanted) > PAGE else None))

    def ask_page_coded(self, path, wanted):
        self.ask_page(path, wanted, Accept_Encoding="gzip")

    def ask_sorted(self, path, wanted):
        column, at = self.rnd.choice([("size", 2), ("time", 3)])
        self.question("listing sorted", self.target(path, "?format=json&order=desc&sort=" + column), "json", {},
                      self.judge_sorted(path, wanted, at))

    def ask_head(self, path, wanted):
        """What HEAD says must be what GET says, whichever worker each went to."""
        self.count("listing by HEAD")
        head = self.asker.ask(self.target(path), "HEAD", Accept="application/json")
        whole = self.asker.ask(self.target(path), Accept="application/json")
        what = self.judge_json(path, wanted)(whole)
        if head.status != 200 or head.etag != whole.etag or int(head.fields.get("content-length", len(whole.raw))) != len(whole.raw):
            what = "HEAD says %r %s, GET %r" % (head, head.fields.get("content-length"), whole)
        if what:
            self.fault("listing by HEAD", "%s: %s" % (path, what))

    # Files.

    def judge_file(self, wanted):
        status, data, mtime = wanted

        def judge(answer):
            if answer.status != status:
                return "wanted %d" % status
            if status != 200:
                return None
            if answer.body != data:
                at = next((i for i, (a, b) in enumerate(zip(answer.body, data)) if a != b), min(len(data), len(answer.body)))
                return "other bytes than the file's %d, from %d on" % (len(data), at)
            modified = time.strftime("%a, %d %b %Y %H:%M:%S GMT", time.gmtime(mtime // 10**9))
            told = answer.fields.get("last-modified")
            # No Last-Modified that is still to come (RFC 9110 8.8.2.1).
            return told not in (modified, None) and "Last-Modified: %s, wanted %s" % (told, modified) or None
        return judge

    def file(self, path, target=None):
        wanted = self.disk.file(path)
        target = target or MOUNT + "/" + quote(path)
        judge = self.judge_file(wanted)
        for form in self.rnd.sample(("plain", "coded", "head", "range"), 2):
            if form == "plain":
                self.question("file", target, "plain", {}, judge)
            elif form == "coded":
                self.question("file, coded", target, "gzip", {"Accept_Encoding": "gzip"}, judge)
            elif form == "head":
                self.count("file by HEAD")
                head = self.asker.ask(target, "HEAD")
                if head.status != wanted[0] or head.status == 200 and int(head.fields.get("content-length", -1)) != len(wanted[1]):
                    self.fault("file by HEAD", "%s: %r, Content-Length %s, wanted %d and %d" %
                               (target, head, head.fields.get("content-length"), wanted[0], len(wanted[1])))
            elif (target, "plain") in self.held and wanted[0] == 200:
                self.if_range(target, wanted)

    def if_range(self, target, wanted):
        """The rest of what was held: only if it is still the same."""
        etag, digest, _ = self.held[target, "plain"]
        self.count("If-Range")
        answer = self.asker.ask(target, Range="bytes=3-", If_Range=etag)
        same = hashlib.md5(wanted[1]).digest() == digest
        good = answer.body == wanted[1] if answer.status == 200 else answer.status == 206 and same and answer.body == wanted[1][3:]
        if not good and not (answer.status == 416 and same):
            self.fault("If-Range", "%s: %r for %s, the file has %d bytes, held %s" % (target, answer, etag, len(wanted[1]), same))

    # Answers that may lag: a row that did not change within the age is as the disk has it.

    def remember(self, directories):
        now = time.monotonic()
        for path in directories:
            states = self.history.setdefault(path, [])
            states.append((now, self.disk.rows(path) or {}))
            while len(states) > 2 and states[1][0] < now - self.age - 2:
                del states[0]

    def lagging(self, path):
        began = time.monotonic()
        as_json = self.rnd.random() < 0.5
        answer = self.asker.ask(self.target(path), **({"Accept": "application/json"} if as_json else {}))
        kind = "listing that may lag"
        self.count(kind)
        if answer.status == 404 and not all(s for _, s in self.history[path]):
            return
        if answer.status != 200:
            return self.fault(kind, "%s: %r" % (path, answer))
        states = self.history[path]
        oldest = began - self.age - SLACK
        ends = [t for t, _ in states[1:]] + [float("inf")]
        live = [s for (_, s), end in zip(states, ends) if end >= oldest]
        if any("index.html" in s for s in live):
            return
        got = dict((rows_of_json if as_json else lambda b: rows_of_html(b.decode()))(answer.body)[0])
        # What changed meanwhile may have been seen between two of the states: half removed, not yet written.
        for name in got.keys() | live[-1].keys():
            if got.get(name) != live[-1].get(name) and all(s.get(name) == live[-1].get(name) for s in live):
                return self.fault(kind, "%s: %r is listed as %r, which it was not for %g s; the disk says %r" %
                                  (path, name, got.get(name), self.age + SLACK, live[-1].get(name)))

    # All of it.

    def after(self, directories, files):
        self.rows_now = {}
        questions = [(self.lagging if self.age else self.listing, d) for d in directories]
        questions += [(self.file, f) for f in files]
        # The first answers are those that matter: which of the two it is is left to chance.
        if self.rnd.random() < 0.5:
            self.rnd.shuffle(questions)
        for ask, path in questions:
            ask(path)

    def unsearchable(self):
        """A directory whose entries cannot be looked at, and then can."""
        full = self.disk.at("few")
        self.count("rights of the directory")
        os.chmod(full, 0o444)
        try:
            answer = self.asker.ask(self.target("few"), Accept="application/json")
        finally:
            os.chmod(full, 0o755)
        if answer.status == 200 and any(r[2] is not None or r[3] is not None for _, r in rows_of_json(answer.body)[0]):
            self.fault("rights of the directory", "sizes of what may not be looked at: %r" % answer.body[:200])

    def run(self, count):
        changes = Changes(self.disk, random.Random(self.seed), bool(self.age))
        everything = [""] + [d for d in SIZES if os.path.isdir(self.disk.at(d))]
        if self.age:
            everything.remove("big")  # the disk is read after each change
            self.remember(everything)
        while self.now[0] < count:
            if self.age:
                self.settled_between()
            done = changes.one()
            if done is None:
                continue
            self.now = (self.now[0] + 1, done[0])
            if done[0] == "chmod_directory" and not self.age:
                self.unsearchable()
            if self.age:
                self.remember(everything + [d for d in done[1] if d not in everything])
            self.after(done[1], done[2])
            if self.now[0] % 500 == 0 and not self.age:
                self.now = (self.now[0], "everything, after " + done[0])
                self.after(everything, [])

    def settled_between(self):
        """Now and then the age goes by, and then nothing may lag."""
        time.sleep(0.002)
        if self.rnd.random() < 0.01:
            time.sleep(self.age + 0.05)
            age, self.age = self.age, 0
            self.now = (self.now[0], "the age went by")
            self.after(["", "few", "some", "many"], [])
            self.age = age

    def bursts(self, times):
        """More changes at once than the queue holds: at the end of it the names of the last ones were never told."""
        limit = int(open("/proc/sys/fs/inotify/max_queued_events").read())
        for i in range(times):
            self.now = (i + 1, "burst")
            path = ("more", "few", "many")[i % 3]
            self.after(["more", "few", "many", ""] * 3, [])
            files = [os.path.join(self.disk.at(path), n) for n in ("a-90001.txt", "a-90002.txt")]
            for full in files:
                with open(full, "wb") as f:
                    f.write(b"x")
            for k in range(limit // 2 + 200):
                for full in files:
                    os.utime(full, ns=(k, k * 10**9))
            with open(files[0], "ab") as f:
                f.write(b"the last one is not told of")
            os.rename(files[1], files[1] + ".txt")
            for k in range(3):
                with open(os.path.join(self.disk.at("few"), "b-91%d0%d.txt" % (i, k)), "wb") as f:
                    f.write(b"%d" % i)
            for _ in range(4):
                self.after(["few", path, ""], [path + "/a-90001.txt", path + "/a-90002.txt"])

    def dates(self):
        """A folder becomes what it was: the file that holds its page is older than what the client got meanwhile."""
        self.now, kind = (1, "there and back"), "listing by its date alone"
        full, fields = self.disk.at("big/a-1.new"), {"Accept": "application/json"}
        self.asker.ask(self.target("big"), **fields)
        time.sleep(1.1)
        open(full, "w").close()
        meanwhile = self.asker.ask(self.target("big"), **fields)
        os.unlink(full)
        date = meanwhile.fields.get("last-modified", "Thu, 01 Jan 1970 00:00:00 GMT")
        self.rows_now = {}
        self.question(kind, self.target("big"), "date", dict(fields, If_Modified_Since=date), self.judge_json("big", self.rows("big")))

    def unseen_links(self, seconds):
        """A file gets a second name where nobody looks, and is written through that: no event tells its directory."""
        self.now = (1, "link made unseen")
        hidden = os.path.join(os.path.dirname(self.disk.data), "outside", "second-name-%d" % self.seed)
        # The last one: the program compares some entries with the disk each second, from the first one on.
        full = [self.disk.at("many/" + n) for n in os.listdir(self.disk.at("many"))]
        name = os.path.basename([f for f in full if os.path.isfile(f) and not os.path.islink(f) and os.stat(f).st_nlink == 1
                                 and os.access(f, os.W_OK)][-1])
        for _ in range(8):
            self.rows_now = {}
            self.ask_json("many", self.rows("many"))
        os.link(os.path.join(self.disk.at("many"), name), hidden)
        with open(hidden, "ab") as f:
            f.write(b"written through another name")
        wanted, began, fresh = self.disk.rows("many"), time.monotonic(), 0
        kind = "a write through a link made unseen"
        self.count(kind)
        # Each worker has to notice it.
        while fresh < 8 and time.monotonic() - began < seconds:
            got = dict(rows_of_json(self.asker.ask(self.target("many"), Accept="application/json").body)[0])
            fresh = fresh + 1 if got == wanted else 0
            time.sleep(0.01)
        if fresh < 8:
            self.fault(kind, "not seen within %d s" % seconds)

    def report(self, done):
        for kind, count in sorted(self.counts.items()):
            if kind not in self.faults:
                print("ok   %s: %s, %d answers" % (self.name, kind, count))
        print("     %s: seed %d, %d changes, %d true 304, %d weak ones within one tick" % (self.name, self.seed, done, self.true_304, self.weak))


# ---------------------------------------------------------------- others that ask meanwhile

def client(port, disk, seed, totals, stopped):
    rnd, front = random.Random(seed), Front(port)
    tags = {}
    while not stopped.is_set():
        path = rnd.choices(list(SIZES) + [""], [1 if d == "big" else 20 for d in SIZES] + [20])[0]
        target = MOUNT + "/" + path + ("/" if path else "")
        if rnd.random() < 0.5 and path:
            try:
                target += quote(rnd.choice(os.listdir(disk.at(path))))
            except (OSError, IndexError):
                pass
        fields = rnd.choice([{}, {"Accept": "text/html"}, {"Accept": "application/json"}, {"Accept_Encoding": "gzip"},
                             {"Accept": "text/html", "Accept_Encoding": "br, gzip"}])
        key = (target, str(fields))
        if key in tags:
            fields = dict(fields, If_None_Match=tags[key])
        try:
            answer = front.ask(target, **fields)
        except (OSError, EOFError, ValueError) as e:
            totals["no answer: %r" % e] = totals.get("no answer: %r" % e, 0) + 1
            continue
        if answer.etag:
            tags[key] = answer.etag
        totals[answer.status] = totals.get(answer.status, 0) + 1
        stopped.wait(rnd.random() * 0.02)


def run_clients(port, data, seed):
    stopped, totals, disk = threading.Event(), {}, Disk(data)
    signal.signal(signal.SIGTERM, lambda *_: stopped.set())
    threads = [threading.Thread(target=client, args=(port, disk, seed + i, totals, stopped)) for i in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    print(json.dumps({str(k): v for k, v in totals.items()}))


def judge_clients(name, process):
    process.terminate()
    totals = json.loads(process.communicate(timeout=30)[0])
    bad = {k: v for k, v in totals.items() if k not in ("200", "301", "304", "403", "404")}
    told = "%s: four clients meanwhile: %s" % (name, ", ".join("%s %d times" % (k, v) for k, v in sorted(totals.items())))
    print("FAIL " + told if bad or not totals else "ok   " + told)


# ---------------------------------------------------------------- inotify's limits

def hold(what, top, leave):
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    limits = {n: int(open("/proc/sys/fs/inotify/max_user_" + n).read()) for n in ("instances", "watches")}
    if what == "instances":
        taken = []
        while True:
            fd = libc.inotify_init1(0)
            if fd < 0:
                break
            taken.append(fd)
        for fd in taken[:leave]:
            os.close(fd)
    else:
        # An instance watches a file once: so many files, from as many instances as still leave some to the pool.
        instances = min(limits["instances"] - 16, 100)
        names = []
        for i in range(limits["watches"] // instances + 1):
            names.append(os.fsencode("%s/watched-%d" % (top, i)))
            open(names[-1], "w").close()
        taken = []
        for _ in range(instances):
            fd = libc.inotify_init1(0)
            for name in names:
                wd = libc.inotify_add_watch(fd, name, 0x2)
                if wd < 0:
                    break
                taken.append((fd, wd))
        if ctypes.get_errno() != 28:
            sys.exit("watches: errno %d, not ENOSPC" % ctypes.get_errno())
        for fd, wd in taken[:leave]:
            libc.inotify_rm_watch(fd, wd)
    print("held", flush=True)
    signal.pause()


def watches_of(pool):
    """Of each worker, how many directories it watches."""
    workers = open("/proc/%d/task/%d/children" % (pool, pool)).read().split()
    counts = []
    for pid in workers:
        count = 0
        for fd in os.listdir("/proc/%s/fdinfo" % pid):
            try:
                count += open("/proc/%s/fdinfo/%s" % (pid, fd)).read().count("inotify wd:")
            except OSError:
                pass
        counts.append(count)
    return counts


# ----------------------------------------------------------------

def check(name, top, seed, count, options):
    disk = Disk(os.path.join(top, "data"))
    asker = Front(int(options["port"])) if "port" in options else Pool(options["socket"], disk.data)
    checked = Check(name, disk, asker, seed, float(options.get("age", 0)))
    clients = None
    if "clients" in options:
        clients = subprocess.Popen([sys.executable, "-B", __file__, "clients", options["clients"], disk.data, str(seed)],
                                   stdout=subprocess.PIPE)
    try:
        if "bursts" in options:
            checked.bursts(int(options["bursts"]))
        elif "dates" in options:
            checked.dates()
        elif "links" in options:
            checked.unseen_links(int(options["links"]))
        else:
            checked.run(count)
    except Stop:
        print("     %s: given up after %d faults" % (name, FAULTS_SHOWN))
    except (OSError, EOFError, ValueError) as e:
        if os.environ.get("FRESH_DEBUG"):
            raise
        print("FAIL %s: seed %d, operation %d (%s): no answer: %r" % (name, seed, *checked.now, e))
    checked.report(checked.now[0])
    if clients:
        judge_clients(name, clients)
    if "pool" in options:
        counts = watches_of(int(options["pool"]))
        good = len(counts) > 1 and (all(counts) if options["watched"] == "yes" else not any(counts))
        print("%s %s: directories watched by the workers: %s" % ("ok  " if good else "FAIL", name, counts))


def main():
    what, args = sys.argv[1], sys.argv[2:]
    if what == "tree":
        make_tree(args[0], int(args[1]))
    elif what == "clients":
        run_clients(int(args[0]), args[1], int(args[2]))
    elif what == "hold":
        hold(args[0], args[1], int(args[2]))
    else:
        check(args[0], args[1], int(args[2]), int(args[3]), dict(a.split("=", 1) for a in args[4:]))


main()
