#!/usr/bin/env python3
"""A FastCGI front of a few lines, for serve.sh.

fcgi.py ask WHERE NAME=VALUE...      sends one request to a unix socket (a path) or HOST:PORT, writes what comes back
fcgi.py start SOCKET PROGRAM ARG...  becomes PROGRAM with a listening unix socket as standard input, as a front starts it

In a VALUE, \\n stands for a line feed, \\e for an escape character."""
import os
import socket
import struct
import sys

BEGIN, PARAMS, STDIN, STDOUT, END = 1, 4, 5, 6, 3


def record(kind, content):
    return struct.pack(">BBHHBx", 1, kind, 1, len(content), 0) + content


def pair(name, value):
    def length(n):
        return struct.pack(">B", n) if n < 128 else struct.pack(">I", n | 0x80000000)
    return length(len(name)) + length(len(value)) + name + value


def exactly(connection, n):
    got = b""
    while len(got) < n:
        more = connection.recv(n - len(got))
        if not more:
            sys.exit("fcgi.py: the connection ended in the middle of a record")
        got += more
    return got


def connect(where):
    if where.startswith("/"):
        connection = socket.socket(socket.AF_UNIX)
        connection.settimeout(20)
        connection.connect(where)
        return connection
    host, port = where.rsplit(":", 1)
    return socket.create_connection((host.strip("[]"), int(port)), timeout=20)


def ask(where, variables):
    params = b""
    for variable in variables:
        name, value = os.fsencode(variable).split(b"=", 1)
        params += pair(name, value.replace(b"\\n", b"\n").replace(b"\\e", b"\x1b"))
    connection = connect(where)
    connection.sendall(record(BEGIN, struct.pack(">HB5x", 1, 0)) + record(PARAMS, params) + record(PARAMS, b"")
                       + record(STDIN, b""))
    answer = b""
    while True:
        _, kind, _, length, padding = struct.unpack(">BBHHBx", exactly(connection, 8))
        content = exactly(connection, length)
        exactly(connection, padding)
        if kind == STDOUT:
            answer += content
        if kind == END:
            break
    sys.stdout.buffer.write(answer)


def start(path, argv):
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(path)
    listener.listen(16)
    os.dup2(listener.fileno(), 0)
    os.execv(argv[0], argv)


if __name__ == "__main__":
    if sys.argv[1:2] == ["ask"] and len(sys.argv) > 2:
        ask(sys.argv[2], sys.argv[3:])
    elif sys.argv[1:2] == ["start"] and len(sys.argv) > 3:
        start(sys.argv[2], sys.argv[3:])
    else:
        sys.exit(__doc__)
