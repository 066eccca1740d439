# SPDX-License-Identifier: MIT
"""The Open POSIX test suite (Debian's package posixtestsuite): all of pthread_* and sem_*, and the
functional tests of semaphores and of threads."""

import subprocess

from .running import Case

NAME = "open-posix"
PACKAGE = "posixtestsuite"
INTERFACES = "conformance/interfaces"
AREAS = ("pthread_", "sem_")
FUNCTIONAL = ("functional/semaphores", "functional/threads/condvar",
              "functional/threads/schedule", "functional/threads/pi_test",
              "functional/threads/robust_test")
# The suite's own, in include/posixtest.h.
WORDS = {1: "fail", 2: "unresolved", 4: "not supported here", 5: "not tested"}


class Suite:
    def __init__(self, tree, build, _shim, only):
        self.tree, self.build, self.only = tree, build, only
        self.unbuilt = []

    def prepare(self, _pool):
        self.build.mkdir(parents=True, exist_ok=True)

    def sources(self):
        folders = [folder for folder in sorted((self.tree / INTERFACES).iterdir())
                   if folder.name.startswith(AREAS)]
        folders += [self.tree / folder for folder in FUNCTIONAL]
        found = []
        for folder in folders:
            for path in sorted(folder.glob("*.c")):
                if path.stem != "testfrmw" and self.only.search(self._name(path)):
                    found.append(path)
        return found

    def _name(self, source):
        name = source.relative_to(self.tree).with_suffix("")
        return str(name).removeprefix(INTERFACES + "/").removeprefix("functional/")

    def cases(self, pool):
        return [case for case in pool.map(self._build, self.sources()) if case is not None]

    def _build(self, source):
        name = self._name(source)
        program = self.build / name
        program.parent.mkdir(parents=True, exist_ok=True)
        item = program.with_suffix(".o")
        # As the suite's own makefile has it; the later names are those that it was written for.
        flags = ["-g", "-O2", "-std=gnu99", "-w", "-D_GNU_SOURCE", "-D_XOPEN_SOURCE=600",
                 f"-I{self.tree / 'include'}", f"-I{self.tree / 'functional/threads/include'}"]
        if not item.exists():
            done = subprocess.run(["gcc", *flags, "-c", source, "-o", item], check=False,
                                  stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            if done.returncode != 0:
                errors = [line for line in done.stderr.splitlines() if "error:" in line]
                self.unbuilt.append((name, errors[0].split("error:")[-1].strip()))
                return None
        symbols = subprocess.run(["nm", "-g", item], stdout=subprocess.PIPE, text=True, check=True)
        if " T main" not in symbols.stdout:
            return None  # it is enough that it compiles
        if not program.exists():
            done = subprocess.run(["gcc", item, "-lpthread", "-lrt", "-lm", "-o", program],
                                  check=False, stderr=subprocess.PIPE, text=True)
            if done.returncode != 0:
                self.unbuilt.append((name, "does not link"))
                return None
        return Case(name, [program], self.build, WORDS)
