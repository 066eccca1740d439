# SPDX-License-Identifier: MIT
"""libc++'s and libstdc++'s own tests of locks: which there are, and how each is built.

They are built twice against the installed standard library: as they are, and with furwock's classes
in the place of std's (shim/fw_in_std.hpp).  Some have to be refused by the compiler.
"""

import re
import subprocess
import tarfile
from dataclasses import dataclass
from pathlib import Path

from . import running, sources
from .running import Case

NO_COMPILE, COMPILES = "does not compile", "compiles"
STD, OURS = "std_only.hpp", "fw_in_std.hpp"
RUN, COMPILE, REFUSE = "run", "compile", "refuse"


@dataclass
class Test:
    name: str
    source: Path
    kind: str
    standard: str


class LibCxx:
    """LLVM's: Apache-2.0 WITH LLVM-exception."""
    NAME = "libcxx"
    FOLDERS = ("thread.barrier", "thread.condition", "thread.latch", "thread.mutex",
               "thread.semaphore")
    BELOW, SUPPORT = "libcxx/test/std/thread", "libcxx/test/support"
    STANDARD = "c++20"

    @staticmethod
    def test(name, source):
        """None: needs what libc++'s own runner has."""
        text = source.read_text(encoding="utf-8", errors="replace")
        if name.endswith(".sh.cpp") or re.search(r"UNSUPPORTED:.*c\+\+(20|2a)", text):
            return None
        kind = RUN
        if name.endswith(".compile.pass.cpp"):
            kind = COMPILE
        elif name.endswith((".fail.cpp", ".verify.cpp")):
            kind = REFUSE
        return Test(name, source, kind, LibCxx.STANDARD)


class LibStdCxx:
    """GCC's: GPL-3.0-or-later.  Fetched and run, and no part of anything."""
    NAME = "libstdcxx"
    FOLDERS = ("barrier", "call_once", "condition_variable", "condition_variable_any", "latch",
               "lock", "lock_guard", "mutex", "recursive_mutex", "recursive_timed_mutex",
               "scoped_lock", "semaphore", "shared_lock", "shared_mutex", "shared_timed_mutex",
               "timed_mutex", "try_lock", "unique_lock")
    BELOW, SUPPORT = "libstdc++-v3/testsuite/30_threads", "libstdc++-v3/testsuite/util"
    STANDARD = "gnu++20"

    @staticmethod
    def test(name, source):
        text = source.read_text(encoding="utf-8", errors="replace")
        standard = re.search(r"dg-options.*-std=(\S+?)[\" ]", text)
        kind = RUN
        if "dg-error" in text or name.endswith("_neg.cc"):
            kind = REFUSE
        elif re.search(r"dg-do\s+compile", text):
            kind = COMPILE
        return Test(name, source, kind, standard.group(1) if standard else LibStdCxx.STANDARD)


SUITES = {suite.NAME: suite for suite in (LibCxx, LibStdCxx)}


def fetch(apt, suite, package, target):
    """The tests out of a source package, and nothing else of it: it is very large."""
    if target.is_dir():
        return target
    wanted = re.compile(rf"(?:[^/]+/)+?(({re.escape(suite.BELOW)}|{re.escape(suite.SUPPORT)})/.*)")
    for archive in sorted(apt.archive(package).glob("*.orig.tar.*")):
        if archive.suffix != ".asc":
            _extract(archive, wanted, target)
    if not target.is_dir():
        raise sources.Unavailable(f"{package} has no {suite.BELOW}")
    return target


def _extract(archive, wanted, target):
    with tarfile.open(archive) as tar:
        for member in tar:
            inner = wanted.fullmatch(member.name)
            if inner and member.isfile():
                path = target / inner.group(1)
                if ".." in path.parts:
                    continue
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(tar.extractfile(member).read())
            elif re.fullmatch(r"[^/]+/gcc-[\d.]+(-dfsg)?\.tar\.xz", member.name):
                nested = target.parent / Path(member.name).name
                nested.write_bytes(tar.extractfile(member).read())
                _extract(nested, wanted, target)
                nested.unlink()


class Builder:
    """Compiles tests with one of the two headers before them, precompiled where possible."""

    def __init__(self, compiler, root, library, build, suite, tree):
        self.compiler, self.library, self.build, self.suite = compiler, library, build, suite
        self.include = [f"-I{root / 'include'}", f"-I{tree / suite.SUPPORT}"]
        self.shim = root / "tools/fwconform/shim"
        self.tree = tree

    def flags(self, standard):
        return [f"-std={standard}", "-O1", "-w", "-pthread", "-DTEST_HAS_NO_C11_FEATURES=0",
                *self.include]

    def prepare(self, pool):
        """Only for the standard of nearly all tests: it takes as long as ten tests."""
        list(pool.map(self._precompile, (STD, OURS)))

    def _precompile(self, header):
        standard = self.suite.STANDARD
        (self.build / standard).mkdir(parents=True, exist_ok=True)
        copy = self.build / standard / header
        copy.write_text(f'#include "{self.shim / header}"\n', encoding="utf-8")
        subprocess.run([self.compiler, *self.flags(standard), "-x", "c++-header", copy, "-o",
                        f"{copy}.gch"], check=True)

    def tests(self, only):
        found = []
        below = self.tree / self.suite.BELOW
        for folder in self.suite.FOLDERS:
            for path in sorted((below / folder).rglob("*")):
                name = str(path.relative_to(below))
                if path.suffix in (".cc", ".cpp") and only.search(name):
                    test = self.suite.test(name, path)
                    if test is not None:
                        found.append(test)
        return found

    def outcome(self, test, header, limit):
        """Compiles and runs it once."""
        program = self.build / header.split(".")[0] / f"{test.name.replace('/', '_')}.exe"
        program.parent.mkdir(exist_ok=True)
        before = self.build / test.standard / header
        if not before.exists():
            before = self.shim / header
        target = ["-fsyntax-only"] if test.kind != RUN else [
            "-o", program, f"-L{self.library.parent}", "-lfurwock",
            f"-Wl,-rpath,{self.library.parent}"]
        if test.kind == RUN and program.exists():
            return running.run(Case(test.name, [program], self.build, {}), limit)
        done = subprocess.run([self.compiler, *self.flags(test.standard), "-include", before,
                               test.source, *target], check=False, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if test.kind == REFUSE:
            word = running.PASS if done.returncode != 0 else COMPILES
            return running.Outcome(word, 0, "")
        if done.returncode != 0:
            errors = [line for line in done.stdout.splitlines() if "error" in line]
            return running.Outcome(NO_COMPILE, 0, "\n".join(errors[:3]))
        if test.kind == COMPILE:
            return running.Outcome(running.PASS, 0, "")
        return running.run(Case(test.name, [program], self.build, {}), limit)
