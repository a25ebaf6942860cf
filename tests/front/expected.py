#!/usr/bin/env python3
"""Makes the tree that a mirror must equal: DIR as staticgi shows it. Links inside are followed; what is hidden, leaves
the tree, cannot be read or is no file is left out, and each is named.   usage: expected.py DIR OUT"""
import os, shutil, stat, sys


def reason(root, path):
    name = os.path.basename(path)
    if name.startswith(b".") and name != b".well-known":
        return "hidden"
    try:
        real = os.path.realpath(path, strict=True)
        mode = os.stat(path).st_mode
    except OSError as e:
        return e.strerror
    if real != root and not real.startswith(root + b"/"):
        return "leaves the tree"
    # Hidden stays hidden, whatever name leads there.
    if any(p.startswith(b".") and p != b".well-known" for p in real[len(root):].split(b"/")):
        return "leads to what is hidden"
    if os.path.islink(path) and stat.S_ISDIR(mode) and (os.path.dirname(path) + b"/").startswith(real + b"/"):
        return "a link to a folder that it lies in: a mirror without an end"
    if not stat.S_ISDIR(mode) and not stat.S_ISREG(mode):
        return "no file"
    if not os.access(path, os.R_OK | (os.X_OK if stat.S_ISDIR(mode) else 0)):
        return "unreadable"
    return None


def copy(root, source, out):
    os.makedirs(out, exist_ok=True)
    for name in sorted(os.listdir(source)):
        path, to = os.path.join(source, name), os.path.join(out, name)
        why = reason(root, path)
        if why:
            print("left out: %s: %s" % (path[len(root) + 1:].decode("utf-8", "backslashreplace"), why))
        elif os.path.isdir(path):
            copy(root, path, to)
        else:
            shutil.copyfile(path, to)


top = os.path.realpath(os.fsencode(sys.argv[1]))
copy(top, top, os.fsencode(sys.argv[2]))
