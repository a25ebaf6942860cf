#!/usr/bin/env python3
"""A mirror as a browser would make it: follows every link of every listing and writes each file under the name that
its link means. wget cannot do that for all names: it cuts long ones, escapes some, and rewrites others.

usage: mirror.py URL DIR [DEPTH]"""
import os, sys, http.client
from html.parser import HTMLParser
from urllib.parse import urljoin, urlsplit, unquote_to_bytes


class Links(HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.found = []

    def handle_starttag(self, tag, attrs):
        self.found += [v for k, v in attrs if tag == "a" and k == "href" and v]


def get(connection, target):
    for attempt in (1, 2):
        try:
            connection.request("GET", target, headers={"Accept": "*/*"})
            answer = connection.getresponse()
            return answer.status, answer.read()
        except (http.client.HTTPException, OSError):
            connection.close()
            if attempt == 2:
                raise


def main():
    start, top, deepest = sys.argv[1], os.fsencode(sys.argv[2]), int((sys.argv[3:] or [40])[0])
    base = urlsplit(start).path
    connection = http.client.HTTPConnection(urlsplit(start).netloc, timeout=20)
    waiting, seen, faults = [(start, 0)], {base}, 0
    while waiting:
        url, depth = waiting.pop()
        path = urlsplit(url).path
        status, body = get(connection, path)
        if status != 200:
            print("refused %s %s" % (status, path))
            faults += 1
            continue
        name = os.path.join(top, unquote_to_bytes(path[len(base):]))
        if not path.endswith("/"):
            with open(name, "wb") as f:
                f.write(body)
            continue
        os.makedirs(name, exist_ok=True)
        links = Links()
        links.feed(body.decode("utf-8", "surrogateescape"))
        for href in links.found:
            to = urljoin(url, href).split("#")[0]
            target = urlsplit(to).path
            if "?" in to or not target.startswith(path) or target in seen or depth >= deepest:
                continue
            seen.add(target)
            waiting.append((to, depth + 1))
    return 1 if faults else 0


sys.exit(main())
