"""The tree that everybody serves:

    f/   1k.txt 100k.txt 1m.bin 100m.bin page.html (9,175 bytes) hello.json big.json (589 KB) ten/0.txt … 9.txt
    l/   100/ 1000/ 10000/ 100000/ five-0/ … five-4/     listings; files of mixed sizes, times and names, no content
    cold/10000-NNN/                                      folders that are listed once and never again
"""
import json, os, random

KINDS = ("txt", "pdf", "jpg", "tar.gz", "html", "log", "mp4", "csv")
WORDS = ("report", "Photo", "backup", "invoice", "draft", "notes", "Scan", "lecture")


def folder(path, count, seed=1):
    """The names repeat in no folder and differ in case, digits and ending; one in forty is a folder."""
    if os.path.exists(path + ".whole"):
        return
    os.makedirs(path, exist_ok=True)
    r = random.Random(seed)
    fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    for i in range(count):
        name = "%s-%d.%s" % (r.choice(WORDS), i, r.choice(KINDS))
        when = 1600000000 + r.randrange(90000000)
        if i % 40 == 39:
            name = name.partition(".")[0]
            os.mkdir(name, 0o755, dir_fd=fd)
        else:
            file = os.open(name, os.O_WRONLY | os.O_CREAT, 0o644, dir_fd=fd)
            os.ftruncate(file, int(10 ** (r.random() * 7)))
            os.close(file)
        os.utime(name, (when, when), dir_fd=fd)
    os.close(fd)
    open(path + ".whole", "w").close()


def records(size):
    """JSON like an API's, of about that many bytes."""
    r = random.Random(7)
    rows, length = [], 2
    while length < size - 200:
        row = {"id": len(rows), "name": "%s %s" % (r.choice(WORDS), r.choice(WORDS)), "active": r.random() < 0.5,
               "amount": round(r.random() * 1e5, 2), "tags": [r.choice(WORDS) for _ in range(3)],
               "created": "2024-%02d-%02dT%02d:00:00Z" % (r.randrange(1, 13), r.randrange(1, 29), r.randrange(24))}
        rows.append(row)
        length += len(json.dumps(row, separators=(",", ":"))) + 1
    rows.append({"id": len(rows), "name": "x" * (size - length - len('{"id":%d,"name":""}' % len(rows)))})
    return json.dumps(rows, separators=(",", ":"))


def page(size):
    r = random.Random(3)
    text = "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>A page</title></head><body>\n"
    while len(text) < size - 120:
        text += "<p>%s</p>\n" % " ".join(r.choice(WORDS) for _ in range(10))
    return text + "<!--" + "." * (size - len(text) - 22) + "-->\n</body></html>"


def write(path, content):
    if not os.path.exists(path):
        with open(path, "wb") as f:
            f.write(content if isinstance(content, bytes) else content.encode())


def files(www):
    os.makedirs(www + "/f/ten", exist_ok=True)
    r = random.Random(5)
    write(www + "/f/1k.txt", "A line of an ordinary text, sixty-four bytes with its line end.\n" * 16)
    write(www + "/f/100k.txt", "".join("%032x\n" % r.getrandbits(128) for _ in range(3104))[:102400])
    write(www + "/f/1m.bin", r.randbytes(1 << 20))
    if not os.path.exists(www + "/f/100m.bin"):
        block = r.randbytes(1 << 20)
        with open(www + "/f/100m.bin", "wb") as f:
            for _ in range(100):
                f.write(block)
    write(www + "/f/page.html", page(9175))
    write(www + "/f/hello.json", '{"hello":true}')
    write(www + "/f/big.json", records(589 * 1024))
    for i in range(10):
        write(www + "/f/ten/%d.txt" % i, "small file %d\n" % i * 100)
    # Older than two seconds, or validators are weak; the past is also what real files have.
    for base, _, names in os.walk(www + "/f"):
        for name in names:
            os.utime(os.path.join(base, name), (1700000000, 1700000000))


def make(www, needs, cold, say):
    """Only what the chosen rows need: 100,000 entries take a few seconds."""
    files(www)
    for need in sorted(needs):
        if need == "cold":
            say("making %d folders of 10,000 entries" % cold)
            for i in range(cold):
                folder("%s/cold/10000-%03d" % (www, i), 10000, i)
        elif need == "five":
            for i in range(5):
                folder("%s/l/five-%d" % (www, i), 1000, 100 + i)
        else:
            if int(need) >= 100000:
                say("making a folder of %s entries" % need)
            folder("%s/l/%s" % (www, need), int(need))
