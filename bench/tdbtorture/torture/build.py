# SPDX-License-Identifier: MIT
"""Compiles TDB and its tool tdbtorture, twice: as it is, and with other locks in fcntl's point."""

import concurrent.futures
import json
import os
import pathlib
import re
import subprocess

from . import Absent, Trouble

FLAGS = ["-O2", "-D_GNU_SOURCE", "-w"]
# In the tool: its mutex mode leaves transactions out, so that they are left out of all; and the
# walk that cleans up at the end, as in the paper.
CHANGES = ((r"(?m)^#define TRANSACTION_PROB .*$", "#define TRANSACTION_PROB 0"),
           (r"(?m)^\s*tdb_traverse\(db, traverse_fn, NULL\);\n", ""))
PLACES = 3                      # where these apply
# Headers of Samba's library that TDB includes; replace.h in shim/ has all that is in them.
SYSTEM = ("filesys", "select", "shmem", "threads", "time", "wait")


class Builder:
    def __init__(self, here, source, folder):
        try:
            with open(pathlib.Path(here, "build.json"), encoding="utf-8") as file:
                self.known = json.load(file)
        except OSError:
            raise Trouble("build.json is missing: run the tdbtorture of a build directory",
                          2) from None
        self.source, self.folder = source, folder
        (folder / "system").mkdir()
        for name in SYSTEM:
            (folder / "system" / f"{name}.h").write_text('#include "replace.h"\n',
                                                         encoding="utf-8")

    def compile(self, path, name, *more):
        target = self.folder / f"{name}.o"
        includes = [self.folder, self.known["shim"], self.known["tree"],
                    self.source / "include", self.source / "common"]
        self._cc(["-c", path, "-o", target, *more, *(f"-I{folder}" for folder in includes)])
        return target

    def _cc(self, words):
        words = [self.known["compiler"], *FLAGS, *map(str, words)]
        try:
            done = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, text=True, check=False)
        except OSError as error:
            raise Trouble(f"{words[0]}: {error.strerror}", 2) from None
        if done.returncode != 0:
            line = next((x for x in done.stdout.splitlines() if "error" in x), done.stdout[:200])
            raise Absent(f"this TDB does not compile: {line}")

    def tool(self):
        text = (self.source / "tools/tdbtorture.c").read_text(encoding="utf-8")
        found = 0
        for old, new in CHANGES:
            text, n = re.subn(old, new, text)
            found += n
        if found != PLACES:
            raise Absent("this TDB's tdbtorture is not the one that is known here")
        path = self.folder / "tdbtorture.c"
        path.write_text(text, encoding="utf-8")
        return path

    def programs(self):
        """(tdbtorture as it is, tdbtorture with locks of ours)"""
        common = {path.stem: path for path in (self.source / "common").glob("*.c")}
        lock = common.pop("lock")
        tool = self.tool()
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            jobs = [pool.submit(self.compile, path, name) for name, path in common.items()]
            jobs.append(pool.submit(self.compile, tool, "tool"))
            plain = pool.submit(self.compile, lock, "lock-plain")
            other = pool.submit(self.compile, lock, "lock-other", "-Dfcntl=tdbtorture_fcntl")
            objects = [job.result() for job in jobs]
            plain, other = plain.result(), other.result()
        made = self.folder / "tdbtorture-plain", self.folder / "tdbtorture-other"
        self._cc([*objects, plain, "-o", made[0], "-pthread"])
        self._cc([*objects, other, *self.known["libraries"], "-o", made[1], "-pthread"])
        return made
