"""What the figures were measured on, and the versions of everything."""
import json, os, platform, re, subprocess, time

PACKAGES = ("koa-classic-server", "koa", "express", "serve-index", "compression", "fastify", "@fastify/static",
            "@fastify/compress", "koa-compress", "total5", "http-server", "serve", "sirv-cli", "autocannon")
COMMANDS = {"lighttpd": ["lighttpd", "-v"], "nginx": ["nginx", "-v"], "apache": ["apache2", "-v"],
            "caddy": ["caddy", "version"], "node": ["node", "--version"], "wrk": ["wrk", "-v"], "ab": ["ab", "-V"]}


def first_line(argv):
    try:
        done = subprocess.run(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True)
    except OSError:
        return "not installed"
    line = (done.stdout.strip().splitlines() or ["?"])[0].strip()
    number = re.search(r"\d+\.\d[\w.+-]*", line)
    return number[0] if number else line[:60]


def package_version(npm, name):
    try:
        with open("%s/node_modules/%s/package.json" % (npm, name)) as f:
            return json.load(f)["version"]
    except (OSError, ValueError, KeyError):
        return "not installed"


def processor():
    with open("/proc/cpuinfo") as f:
        found = re.search(r"^model name\s*:\s*(.*)$", f.read(), re.M)
    return found[1] if found else platform.machine()


def describe(bench):
    versions = {name: first_line(argv) for name, argv in COMMANDS.items()}
    versions["staticgi"] = first_line([bench.staticgi, "version"]) + os.environ.get("BENCH_REVISION", "")
    versions.update((name, package_version(bench.npm, name)) for name in PACKAGES)
    disk = subprocess.run(["stat", "-f", "-c", "%T", bench.temp], stdout=subprocess.PIPE, text=True).stdout.strip()
    return {"date": time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime()), "processor": processor(),
            "cores": os.cpu_count(), "memory_mb": os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") >> 20,
            "kernel": platform.release(), "file_system": disk, "versions": versions,
            "settings": [s for s in ("cache-dir", "cache-hand-off", "page-size") if bench.has_setting(s)]}
