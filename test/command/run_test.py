#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""furwock run: what it starts, and how; what it refuses, with which status and in one line."""

import os
import pathlib
import random
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import unittest

import command_test
from command_test import furwock

SHOWN = []
LIBRARY = []
PHDR = struct.Struct("<IIQQQQQQ")
PT_NULL, PT_INTERP = 0, 3
E_MACHINE, E_PHOFF, E_PHNUM = 18, 32, 56
MACHINES = {62: 183, 183: 62}  # x86-64, AArch64


def segments(image):
    """The place of each program header in an ELF file, and the header."""
    at = struct.unpack_from("<Q", image, E_PHOFF)[0]
    for i in range(struct.unpack_from("<H", image, E_PHNUM)[0]):
        yield at + i * PHDR.size, PHDR.unpack_from(image, at + i * PHDR.size)


def loader_of(image):
    for _, (kind, _, offset, _, _, size, _, _) in segments(image):
        if kind == PT_INTERP:
            return offset, size
    raise AssertionError("the helper has no loader")


class Case(command_test.Case):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def put(self, name, content, mode=0o755):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, (bytes, bytearray)) else content.encode())
        path.chmod(mode)
        return str(path)

    def shown_image(self):
        return bytearray(pathlib.Path(SHOWN[0]).read_bytes())

    def with_loader(self, loader):
        image = self.shown_image()
        offset, size = loader_of(image)
        text = loader.encode() + b"\0"
        if len(text) <= size:
            image[offset:offset + len(text)] = text
        else:  # at the end of the file, and the header says so
            at = next(place for place, header in segments(image) if header[0] == PT_INTERP)
            struct.pack_into("<Q", image, at + 8, len(image))
            struct.pack_into("<Q", image, at + 32, len(text))
            image += text
        return image

    def refused_program(self, status, words, path, *more):
        for options in ([], ["--environment"]):
            said = self.refused(status, "run", *options, path, *more)
            for word in words:
                self.assertIn(word, said)


class Runs(Case):
    def test_the_library_is_before_the_c_library(self):
        lines = self.good("run", "--", SHOWN[0], "-a", "--", "b c").splitlines()
        self.assertEqual(lines[:4], [f"{name} {LIBRARY[0]}" for name in (
            "pthread_mutex_lock", "pthread_cond_wait", "pthread_rwlock_rdlock", "sem_wait")])
        self.assertEqual(lines[4:], [f"argument {word}" for word in (SHOWN[0], "-a", "--", "b c")])

    def test_options_end_at_the_program(self):
        self.assertEqual(self.good("run", "echo", "--policy", "-x"), "--policy -x\n")
        self.assertEqual(self.good("run", "--", "echo", "--", "x"), "-- x\n")

    def test_status(self):
        for status in (0, 1, 77, 125):
            done = furwock("run", "sh", "-c", f"exit {status}")
            self.assertEqual((done.returncode, done.stderr), (status, ""))
        done = furwock("run", "sh", "-c", "kill -TERM $$")
        self.assertEqual(done.returncode, -signal.SIGTERM)

    def test_no_process_stays_between(self):
        with subprocess.Popen([*command_test.PROGRAM, "run", "sh", "-c", "echo $$"],
                              stdout=subprocess.PIPE, text=True) as process:
            self.assertEqual(process.stdout.read(), f"{process.pid}\n")

    def test_standard_input(self):
        self.assertEqual(self.good("run", "cat", input="x\ny"), "x\ny")

    def test_programs_that_it_starts(self):
        said = self.good("run", "sh", "-c", f"exec '{SHOWN[0]}'")
        self.assertIn(f"sem_wait {LIBRARY[0]}\n", said)

    def test_scripts(self):
        for first in ("#!/bin/sh\n", "#! /bin/sh -e\n", "#!/usr/bin/env sh\n", ""):
            path = self.put("script", f"{first}'{SHOWN[0]}' $1\n")
            self.assertIn(f"sem_wait {LIBRARY[0]}\n", self.good("run", path, "x"))
        inner = self.put("inner", "#!/bin/sh\necho inner\n")
        self.assertEqual(self.good("run", self.put("outer", f"#!{inner}\n")), "inner\n")

    def test_it_is_found_as_the_shell_finds_it(self):
        self.put("a/tool", "#!/bin/sh\necho a\n", 0o644)
        os.mkdir(self.folder / "b")
        os.mkdir(self.folder / "b/tool")
        self.put("c/tool", "#!/bin/sh\necho c\n")
        path = ":".join(str(self.folder / name) for name in "abc")
        more = {"env": {**os.environ, "PATH": path}}
        self.assertEqual(self.good("run", "tool", **more), "c\n")
        more["env"]["PATH"] = ""
        self.assertEqual(self.good("run", "tool", cwd=self.folder / "c", **more), "c\n")

    def test_the_loader_itself(self):
        image = self.shown_image()
        offset, size = loader_of(image)
        loader = bytes(image[offset:offset + size - 1]).decode()
        self.assertIn(f"sem_wait {LIBRARY[0]}\n", self.good("run", loader, SHOWN[0]))


def named():
    """The library, as LD_PRELOAD has it."""
    path = pathlib.Path(LIBRARY[0])
    return path.name if " " in LIBRARY[0] else str(path)


class Environment(Case):
    def preload(self, *words, before=None):
        env = dict(os.environ)
        env.pop("LD_PRELOAD", None)
        if before is not None:
            env["LD_PRELOAD"] = before
        text = self.good("run", *words, "--environment", env=env)
        said = dict(line.strip('"').split("=", 1) for line in text.splitlines())
        if " " in LIBRARY[0]:
            self.assertTrue(LIBRARY[0].startswith(said.pop("LD_LIBRARY_PATH")))
        return said

    def test_alone(self):
        self.assertEqual(self.preload(), {"LD_PRELOAD": named()})

    def test_what_is_there_stays_before_it(self):
        self.assertEqual(self.preload(before="libm.so.6 libc.so.6"),
                         {"LD_PRELOAD": f"libm.so.6:libc.so.6:{named()}"})
        self.assertEqual(self.preload(before=" : ")["LD_PRELOAD"], named())

    def test_it_is_there_once(self):
        text = self.good("run", *command_test.PROGRAM, "run", *command_test.PROGRAM, "run",
                         "--environment")
        self.assertEqual(text.splitlines()[0], f"LD_PRELOAD={named()}")
        other = self.put("libfurwock-pthread-stat.so", pathlib.Path(LIBRARY[0]).read_bytes())
        self.assertEqual(self.preload(before=f"{other}:libm.so.6")["LD_PRELOAD"],
                         f"libm.so.6:{named()}")

    def test_policy(self):
        for policy in ("greedy", "fair", "spin=0", "spin=1000000", "fair,spin=20"):
            self.assertEqual(self.preload("--policy", policy)["FURWOCK_POLICY"], policy)
            said = self.good("run", f"--policy={policy}", "sh", "-c", "echo $FURWOCK_POLICY")
            self.assertEqual(said, f"{policy}\n")


class Refuses(Case):
    def test_what_is_not_there(self):
        for word in ("furwock-no-such", "/no/such", "./no-such", "", "/etc/passwd/x"):
            self.assertIn(f"{word}: No", self.refused(127, "run", word))

    def test_what_is_no_program(self):
        plain = self.put("plain", "text", 0o644)
        for path in (plain, str(self.folder)):
            self.assertIn("Permission denied", self.refused(126, "run", path))
        env = {**os.environ, "PATH": f"{self.folder}:/no/such"}
        self.assertIn("Permission denied", self.refused(126, "run", "plain", env=env))

    def test_linked_statically(self):
        image = self.shown_image()
        for place, header in segments(image):
            if header[0] == PT_INTERP:
                struct.pack_into("<I", image, place, PT_NULL)
        self.refused_program(126, ["statically"], self.put("still", image))

    def test_another_c_library(self):
        for loader in ("/lib/ld-musl-x86_64.so.1", "/system/bin/linker64", "/lib/ld-uClibc.so.0"):
            path = self.put("other", self.with_loader(loader))
            self.refused_program(126, ["another C library", loader], path)

    def test_another_machine(self):
        image = self.shown_image()
        machine = struct.unpack_from("<H", image, E_MACHINE)[0]
        struct.pack_into("<H", image, E_MACHINE, MACHINES[machine])
        self.refused_program(126, ["another kind of machine"], self.put("foreign", image))
        image = self.shown_image()
        image[4] = 1
        self.refused_program(126, ["32 bits"], self.put("narrow", image))

    def test_an_older_c_library(self):
        image = self.shown_image()
        offset, size = loader_of(image)
        loader = pathlib.Path(bytes(image[offset:offset + size - 1]).decode()).resolve()
        libc = bytearray((loader.parent / "libc.so.6").read_bytes())
        old = self.put("old/" + loader.name, loader.read_bytes())
        program = self.put("program", self.with_loader(old))
        self.put("old/libc.so.6", libc)
        self.assertIn("LD_PRELOAD", self.good("run", "--environment", program))
        wanted = self.newest_version()
        self.put("old/libc.so.6", libc.replace(wanted, b"X" * len(wanted)))
        self.refused_program(126, ["too old", wanted.decode(), "old/libc.so.6"], program)

    @staticmethod
    def newest_version():
        text = subprocess.run(["readelf", "-V", LIBRARY[0]], stdout=subprocess.PIPE, text=True,
                              check=True).stdout
        needs = text.partition("Version needs")[2].partition("libc.so.6")[2].partition("File:")[0]
        names = [word for line in needs.splitlines() if "WEAK" not in line
                 for word in line.split() if word.startswith("GLIBC_2")]
        return max(names, key=lambda name: [int(n) for n in name[6:].split(".")]).encode()

    @unittest.skipUnless(os.geteuid() == 0, "only root may give files away")
    def test_with_other_rights(self):
        path = self.put("setuid", self.shown_image())
        os.chown(path, 1, 1)
        for mode in (0o4755, 0o2755, 0o6755):
            os.chmod(path, mode)
            if os.statvfs(path).f_flag & os.ST_NOSUID:
                self.skipTest("set-user-id is ignored here")
            self.refused_program(126, ["setuid"], path)
            for command in ("setpriv",):
                if shutil.which(command):
                    done = subprocess.run([command, "--no-new-privs", *command_test.PROGRAM, "run",
                                           path], check=False, stdout=subprocess.PIPE, text=True)
                    self.assertIn(LIBRARY[0], done.stdout)
        os.chmod(path, 0o2745)  # no execution for the group: no right
        self.assertIn(LIBRARY[0], self.good("run", path))

    def test_interpreters(self):
        static = shutil.which("ldconfig", path="/sbin:/usr/sbin")
        musl = self.put("musl", self.with_loader("/lib/ld-musl-x86_64.so.1"))
        self.refused_program(126, [f"interpreter {musl}", "another C library"],
                             self.put("script", f"#!{musl}\n"))
        env = {**os.environ, "PATH": f"{self.folder}:{os.environ['PATH']}"}
        said = self.refused(126, "run", self.put("by-env", "#!/usr/bin/env musl\n"), env=env)
        self.assertIn("another C library", said)
        outer = self.put("outer", f"#! {self.put('inner', f'#!{musl} -x')} -y\n")
        self.refused_program(126, ["outer", "another C library"], outer)
        self.assertIn("No such file",
                      self.refused(127, "run", self.put("orphan", "#!/no/such\n")))
        if static:
            self.refused_program(126, ["statically"], self.put("script", f"#!{static}\n"))

    def test_a_script_that_interprets_itself(self):
        path = self.folder / "self"
        self.put("self", f"#!{path}\n")
        self.assertIn("run: ", self.refused(126, "run", str(path)))

    def test_tools_that_see_no_lock(self):
        path = self.put("valgrind", "#!/bin/sh\n")
        for tool in ("helgrind", "drd"):
            self.refused_program(126, ["races"], path, "-q", f"--tool={tool}", "true")
        self.good("run", path, "--tool=memcheck", "true", "--tool=drd")

    def test_files_that_make_no_sense(self):
        """They are looked at, and not executed: an answer, and no crash."""
        good = self.shown_image()
        noise = random.Random(1)
        for turn in range(300):
            image = bytearray(good[:noise.choice((5, 20, 64, 200, 700, len(good)))])
            for _ in range(noise.choice((1, 3, 30))):
                at = noise.randrange(min(len(image), 4096))
                if at > 15 and at not in range(E_MACHINE, E_MACHINE + 2):
                    image[at] = noise.randrange(256)
            path = self.put("noise", image)
            done = furwock("run", "--environment", path)
            self.assertIn(done.returncode, (0, 126), (turn, done.stderr))

    def test_the_library_is_not_there(self):
        path = self.put("bin/furwock", pathlib.Path(command_test.PROGRAM[0]).read_bytes())
        for option in ([], ["--stat"]):
            done = subprocess.run([path, "run", *option, "true"], stderr=subprocess.PIPE, text=True,
                                  check=False)
            self.assertEqual(done.returncode, 125)
            self.assertIn("libfurwock-pthread", done.stderr)

    def elsewhere(self, folder):
        """A copy of the program, with its libraries beside it."""
        for name in ("libfurwock-pthread.so", "libfurwock-pthread-stat.so"):
            self.put(f"{folder}/posix/{name}",
                     (pathlib.Path(LIBRARY[0]).parent / name).read_bytes())
        return self.put(f"{folder}/command/furwock",
                        pathlib.Path(command_test.PROGRAM[0]).read_bytes())

    def test_the_library_cannot_be_named(self):
        for folder in ("a:b", "a b:c"):
            path = self.elsewhere(folder)
            done = subprocess.run([path, "run", "true"], stderr=subprocess.PIPE, text=True,
                                  check=False)
            self.assertEqual(done.returncode, 125)
            self.assertIn("LD_PRELOAD", done.stderr)
            self.assertIn("colon", done.stderr)

    def test_the_library_is_to_be_searched(self):
        """A name with a blank cannot be in LD_PRELOAD: the directory is searched."""
        path = self.elsewhere("a b")
        where = f"{self.folder}/a b/posix"
        for before, after in ((None, where), ("", where), ("/x:/y", f"{where}:/x:/y"),
                              (where, where), (f"{where};/x", f"{where};/x"),
                              (where + "c", f"{where}:{where}c")):
            env = {name: value for name, value in os.environ.items()
                   if name not in ("LD_PRELOAD", "LD_LIBRARY_PATH")}
            if before is not None:
                env["LD_LIBRARY_PATH"] = before
            said = subprocess.run([path, "run", "sh", "-c", 'echo "$LD_LIBRARY_PATH"; "$0"',
                                   SHOWN[0]], env=env, capture_output=True, text=True, check=True)
            self.assertEqual(said.stderr, "")
            self.assertEqual(said.stdout.splitlines()[0], after)
            self.assertIn(f"sem_wait {where}/libfurwock-pthread.so\n", said.stdout)
            printed = subprocess.run([path, "run", "--environment"], env=env, capture_output=True,
                                     text=True, check=True)
            self.assertEqual(printed.stdout, "LD_PRELOAD=libfurwock-pthread.so\n"
                                             f'"LD_LIBRARY_PATH={after}"\n')
        counted = subprocess.run([path, "run", "--stat", SHOWN[0]], capture_output=True, text=True,
                                 check=True)
        self.assertIn(f"sem_wait {where}/libfurwock-pthread-stat.so\n", counted.stdout)
        doctor = subprocess.run([path, "doctor"], capture_output=True, text=True, check=False)
        self.assertRegex(doctor.stdout, "(?m)^POSIX drop-in +yes")


if __name__ == "__main__":
    command_test.PROGRAM[:] = sys.argv[1:2]
    SHOWN[:] = sys.argv[2:3]
    LIBRARY[:] = [str(pathlib.Path(sys.argv[3]).resolve())]
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])
