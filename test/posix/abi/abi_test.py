#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The drop-in's symbols and their versions, held against those of the C library beside it.

A program is bound to a name and a version.  What the drop-in lacks goes to the C library, whose
functions then meet objects in our format: so no name and no version may be missing.
"""

import argparse
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                *[os.pardir] * 3, "tools"))

from fwpreload import preloaded  # noqa: E402

SCOPE = re.compile(r"(__)?(pthread_(mutex|cond|rwlock|barrier|spin)|sem_|mtx_|cnd_)")
# Exported besides: calls that have to know what a lock does to their thread.
BESIDE = re.compile(r"pthread_(cancel|setschedparam|getschedparam|setschedprio|create|kill)$")
SKIP = 77
COMPILER, LIBRARIES = "cc", []
PREFIX, EMULATOR = "", []  # of the tools for another processor; what runs its programs


def listed(*command, **more):
    return subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True, timeout=900,
                          env=dict(os.environ, LC_ALL="C"), **more).stdout


def exported(library):
    """{(name, version): True where it is the one that programs are linked with today}"""
    found = {}
    for line in listed(PREFIX + "objdump", "-T", library).splitlines():
        match = re.match(r"[0-9a-f]{16} (.{7}) (\S+)\s+[0-9a-f]+\s+(\(?)([\w.]+)\)?\s+(\S+)$", line)
        if match and match[2] != "*UND*" and "F" in match[1]:
            found[match[5], match[4]] = match[3] == ""
    return found


def c_library():
    """The file that programs here are given, and not the one that a linker script names."""
    if PREFIX:
        return listed(COMPILER, "-print-file-name=libc.so.6").strip()
    for line in listed("ldd", LIBRARIES[0]).splitlines():
        if "libc.so.6 =>" in line:
            return line.split("=>")[1].split()[0]
    raise AssertionError(f"{LIBRARIES[0]} needs no libc.so.6")


class Symbols(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.theirs = {key: default for key, default in exported(c_library()).items()
                      if SCOPE.match(key[0]) and key[1] != "GLIBC_PRIVATE"}

    def test_there_is_something_to_compare(self):
        self.assertGreater(len(self.theirs), 90)
        self.assertIn(("pthread_mutex_lock", "GLIBC_2.2.5" if ("sem_open", "GLIBC_2.2.5") in
                       self.theirs else "GLIBC_2.17"), self.theirs)

    def test_none_is_missing(self):
        for library in LIBRARIES:
            with self.subTest(library=os.path.basename(library)):
                ours = exported(library)
                missing = sorted(f"{name}@{version}" for name, version in self.theirs
                                 if (name, version) not in ours)
                self.assertEqual(missing, [])

    def test_the_default_is_the_same(self):
        """Of what programs may be linked with today: names with underscores are for old ones."""
        for library in LIBRARIES:
            ours = exported(library)
            other = sorted(f"{name}@{version}" for (name, version), default in self.theirs.items()
                           if ours.get((name, version), default) != default
                           and not name.startswith("__"))
            self.assertEqual(other, [], library)

    def test_nothing_else_is_public(self):
        for library in LIBRARIES:
            others = sorted(f"{name}@{version}" for name, version in exported(library)
                            if (name, version) not in self.theirs and not BESIDE.match(name)
                            and not version.startswith("FURWOCK_"))
            self.assertEqual(others, [], library)

    def test_only_the_c_library_is_needed(self):
        """And the compiler's, which the C library loads itself when a thread is cancelled."""
        for library in LIBRARIES:
            needed = re.findall(r"\(NEEDED\).*\[(.*)\]", listed(PREFIX + "readelf", "-dW", library))
            self.assertEqual([name for name in needed if not name.startswith("ld-linux")
                              and name != "libgcc_s.so.1"], ["libc.so.6"], library)

    def test_it_can_be_unwound(self):
        """Exceptions and cancellation pass, and debuggers look, through every function."""
        for library in LIBRARIES:
            self.assertIn(".eh_frame_hdr", listed(PREFIX + "readelf", "-SW", library))
            self.assertNotIn("RWE", listed(PREFIX + "readelf", "-lW", library))


class Bound(unittest.TestCase):
    """A program that asks for each name in each of its versions, and the linker's own account of
    where it found them."""

    def test_every_version_is_found_in_the_library(self):
        theirs = sorted(key for key in exported(c_library())
                        if SCOPE.match(key[0]) and key[1] != "GLIBC_PRIVATE")
        text = "".join(f'__asm__(".symver wanted_{i}, {name}@{version}");\n'
                       f"extern void wanted_{i}(void);\n"
                       for i, (name, version) in enumerate(theirs))
        text += "void (*volatile const wanted[])(void) = {\n"
        text += "".join(f"    wanted_{i},\n" for i in range(len(theirs)))
        text += "};\nint main(void) { return wanted[0] == 0; }\n"
        with tempfile.TemporaryDirectory() as folder:
            source = pathlib.Path(folder) / "wanted.c"
            source.write_text(text, encoding="ascii")
            program = source.with_suffix("")
            subprocess.run([COMPILER, "-fPIE", "-pie", source, "-o", program], check=True)
            for library in LIBRARIES:
                with self.subTest(library=os.path.basename(library)):
                    self.assertEqual(self.elsewhere(program, library, theirs), [])

    def elsewhere(self, program, library, theirs):
        """Those that were not bound to the library."""
        wanted = {**preloaded(library), "LD_BIND_NOW": "1", "LD_DEBUG": "bindings"}
        words = [*EMULATOR, program]
        if EMULATOR:  # for its program, and not for itself
            words[-1:-1] = [word for name, value in wanted.items()
                            for word in ("-E", f"{name}={value}")]
        done = subprocess.run(words, stderr=subprocess.PIPE, text=True, timeout=900, check=True,
                              env=dict(os.environ, **({} if EMULATOR else wanted)))
        bound = set(re.findall(rf"binding file {re.escape(str(program))} \[0\] to "
                               rf"{re.escape(str(library))} \[0\]: normal symbol `(\w+)' "
                               r"\[([\w.]+)\]", done.stderr))
        return sorted(f"{name}@{version}" for name, version in theirs
                      if (name, version) not in bound)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--prefix", default="", help="of the tools for another processor")
    parser.add_argument("--emulator", default="", help="what runs its programs")
    parser.add_argument("compiler")
    parser.add_argument("libraries", nargs="+")
    options = parser.parse_args()
    COMPILER, PREFIX = options.compiler, options.prefix
    EMULATOR = shlex.split(options.emulator)
    LIBRARIES = [str(pathlib.Path(library).resolve()) for library in options.libraries]
    for tool in (PREFIX + "objdump", PREFIX + "readelf", "ldd"):
        if shutil.which(tool) is None:
            print(f"skipped: needs {tool}")
            sys.exit(SKIP)
    unittest.main(argv=[sys.argv[0]], verbosity=2)
