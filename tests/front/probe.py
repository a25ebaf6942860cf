#!/usr/bin/env python3
"""Sends the requests of a table and judges the answers; a row is a check.   usage: probe.py LABEL PORT <table

    200/304 GET /target | >Accept: text/html | +body has | -body lacks | =whole body | ?Name: regex | !Name # what it shows

The target goes out exactly as written. Of several '>' fields each is sent; '?' and '!' look at the answer's fields.
Empty lines and lines that begin with '#' are left out. Exit status 1 when a row fails."""
import re, socket, sys


def exchange(port, method, target, fields):
    with socket.create_connection(("127.0.0.1", port), 20) as s:
        s.settimeout(20)
        lines = ["%s %s HTTP/1.1" % (method, target), "Host: localhost", "Connection: close"]
        if any(f.lower().startswith("host:") for f in fields):
            del lines[1]
        s.sendall("\r\n".join(lines + fields + ["", ""]).encode("utf-8", "surrogateescape"))
        data = b""
        while True:
            piece = s.recv(65536)
            if not piece:
                break
            data += piece
    head, _, body = data.partition(b"\r\n\r\n")
    head = head.decode("latin-1").split("\r\n")
    got = [tuple(x.strip() for x in line.split(":", 1)) for line in head[1:] if ":" in line]
    if any(n.lower() == "transfer-encoding" for n, _ in got):
        whole = b""
        while body:
            size, _, body = body.partition(b"\r\n")
            size = int(size.split(b";")[0] or b"0", 16)
            whole, body = whole + body[:size], body[size + 2:]
        body = whole
    return int(head[0].split()[1]) if head[0] else 0, got, body.decode("utf-8", "replace")


def judge(row, port):
    request, *tests = row.split(" | ")
    wanted, method, target = request.split(None, 2)
    status, fields, body = exchange(port, method, target, [t[1:] for t in tests if t[0] == ">"])
    values = {}
    for name, value in fields:
        values[name.lower()] = values.get(name.lower(), []) + [value]
    if str(status) not in wanted.split("/"):
        return "status %s, wanted %s" % (status, wanted)
    for kind, text in ((t[0], t[1:]) for t in tests):
        if kind == "+" and text not in body:
            return "the body lacks %r: %r" % (text, body[:80])
        if kind == "-" and (text in body or any(text in v for vs in values.values() for v in vs)):
            return "the answer holds %r" % text
        if kind == "=" and body != text:
            return "the body is %r" % body[:80]
        if kind == "!" and text.lower() in values:
            return "%s: %s" % (text, values[text.lower()])
        if kind == "?":
            name, _, pattern = text.partition(": ")
            found = ", ".join(values.get(name.lower(), []))
            if not re.search(pattern, found):
                return "%s is %r" % (name, found)
    return None


def main():
    label, port, failed = sys.argv[1], int(sys.argv[2]), 0
    for line in sys.stdin:
        if not line.strip() or line.startswith("#"):
            continue
        row, _, name = line.rstrip("\n").rpartition(" # ")
        try:
            fault = judge(row.strip(), port)
        except (OSError, ValueError, IndexError) as e:
            fault = "no answer: %r" % e
        failed += fault is not None
        print("ok   %s: %s" % (label, name) if fault is None else "FAIL %s: %s: %s [%s]" % (label, name, fault, row.strip()))
    return 1 if failed else 0


sys.exit(main())
