#!/usr/bin/env python3
"""First requests for the coded forms of large files, and small ones beside them.

    coded.py make DIR           files of JSON, each for one question, and a small one
    coded.py check LABEL PORT   asks for them below /files/; a line is a check. Exit status 1 when one fails."""
import gzip, json, os, random, socket, sys, threading, time

SIZE = 5 << 20
CODINGS = ("gzip", "zstd", "br")
NAMES = ["%s-%s.json" % (coding, what) for coding in CODINGS for what in ("first", "ten")]


def make(directory):
    source = random.Random(1)
    words = ["".join(source.choices("abcdefghijklmnopqrstuvwxyz", k=source.randint(2, 10))) for _ in range(5000)]
    rows = [{"id": i, "price": source.random(), "text": " ".join(source.choices(words, k=20))} for i in range(40000)]
    text = json.dumps(rows)[:SIZE]
    os.makedirs(directory)
    for name in NAMES:
        with open(os.path.join(directory, name), "w") as f:
            f.write(text)
    with open(os.path.join(directory, "small.txt"), "w") as f:
        f.write("a few bytes\n")


def get(port, name, coding):
    """Status, fields, content, and when it was sent and answered."""
    with socket.create_connection(("127.0.0.1", port), 20) as s:
        s.settimeout(20)
        sent = time.monotonic()
        s.sendall(("GET /files/%s HTTP/1.0\r\nHost: localhost\r\nAccept-Encoding: %s\r\n\r\n" % (name, coding)).encode())
        data, first = s.recv(65536), time.monotonic()
        while True:
            piece = s.recv(1 << 20)
            if not piece:
                break
            data += piece
    head, _, body = data.partition(b"\r\n\r\n")
    fields = {n.lower(): v.strip() for n, _, v in (line.partition(":") for line in head.decode("latin-1").split("\r\n")[1:])}
    return int(head.split()[1]), fields, body, sent, first


def together(port, asked):
    answers = [None] * len(asked)

    def one(i):
        answers[i] = get(port, *asked[i])

    threads = [threading.Thread(target=one, args=(i,)) for i in range(len(asked))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return answers


def small_ones(port, until, took):
    """Asks for the small one again and again."""
    while not until.is_set():
        _, _, _, sent, first = get(port, "small.txt", "identity")
        took.append((sent, first))
        time.sleep(0.002)


def first_request(port, coding):
    """It is coded, and small ones that came after it are answered before it."""
    done, took = threading.Event(), []
    beside = threading.Thread(target=small_ones, args=(port, done, took))
    beside.start()
    time.sleep(0.05)
    status, fields, body, sent, first = get(port, coding + "-first.json", coding)
    done.set()
    beside.join()
    meanwhile = [(b - a) * 1000 for a, b in took if a > sent and b < first]
    told = "%d ms to its first byte, %d small ones meanwhile, the slowest in %d ms" % (
        (first - sent) * 1000, len(meanwhile), max(meanwhile, default=0))
    good = status == 200 and fields.get("content-encoding") == coding and len(body) < SIZE / 2 and len(meanwhile) > 0
    return good and (coding != "gzip" or len(gzip.decompress(body)) == SIZE), told


def ten_at_once(port, coding):
    answers = together(port, [(coding + "-ten.json", coding)] * 10)
    coded = [body for status, fields, body, _, _ in answers if status == 200 and fields.get("content-encoding") == coding]
    plain = [body for status, fields, body, _, _ in answers if status == 200 and "content-encoding" not in fields]
    whole = len(set(coded)) == 1 and all(len(body) == SIZE for body in plain) and len(coded) + len(plain) == 10
    slowest = max((first - sent) * 1000 for _, _, _, sent, first in answers)
    return whole, "%d coded, the slowest's first byte after %d ms" % (len(coded), slowest)


def check(label, port):
    failed = False
    together(port, [("small.txt", "identity")] * 8)  # mod_fcgid starts some processes
    for coding in CODINGS:
        for ask in (first_request, ten_at_once):
            good, told = ask(port, coding)
            failed = failed or not good
            print("%s %s: %s, %s: %s" % ("ok  " if good else "FAIL", label, coding, ask.__name__.replace("_", " "), told))
    return failed


if sys.argv[1] == "make":
    make(sys.argv[2])
else:
    sys.exit(check(sys.argv[2], int(sys.argv[3])))
