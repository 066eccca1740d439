#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""furwock top: it finds the lock that threads wait for, whatever it is, and leaves nothing behind.

waits_test.py FURWOCK PLANTED
"""

import contextlib
import ctypes
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import support
from support import PATIENCE, cases, functions, planted, tables, wait_for

command_test = support.command_test
SYS_BPF = {"x86_64": 321, "aarch64": 280}
PROG_GET_FD_BY_ID = 13


class Top(command_test.Case):
    @classmethod
    def setUpClass(cls):
        why = support.why_not()
        if why:
            raise unittest.SkipTest(why)


def fits(table, name, address, of):
    """Is the planted lock the hottest of its class, with the place where it was planted?"""
    locks = [lock for lock in table if lock["class"] == of]
    if not locks or locks[0]["address"] is None or int(locks[0]["address"], 16) != address:
        return False
    return any("hot_place" in functions(place["waiter"]) or name == "many"
               for place in locks[0]["places"])


class Planted(Top):
    """Twenty kinds of locks, in programs of their own, all at once."""

    def test_the_hot_lock_is_found(self):
        rows = {name: row for name, row in cases().items() if row[2] == 0}
        self.assertGreaterEqual(len(rows), 20)
        with contextlib.ExitStack() as stack:
            started = {name: stack.enter_context(planted(name)) for name in rows}
            found = self.watch(rows, started)
        self.assertEqual(set(rows) - set(found), set(), "not found")
        for name, (_, kind, _) in rows.items():
            with self.subTest(name):
                self.assertEqual(found[name]["kind"], kind)
                self.assertGreater(found[name]["waits"], 0)
                self.assertLessEqual(found[name]["p50_us"], found[name]["max_us"])

    def watch(self, rows, started):
        """name -> the lock, for those that were the hottest in a table once."""
        pids = ",".join(str(process.pid) for process, _ in started.values())
        deadline = time.monotonic() + PATIENCE
        found = {}
        for table in tables("-p", pids, "--locks=0", "--places=0"):
            for name, (process, address) in started.items():
                locks = [lock for lock in table["locks"] if lock["pid"] == process.pid]
                if fits(locks, name, address, rows[name][0]):
                    found[name] = next(lock for lock in locks if lock["class"] == rows[name][0])
            if len(found) == len(rows) or time.monotonic() > deadline:
                return found
        return found

    def test_who_holds_it_and_who_ends_the_waits(self):
        with planted("recursive") as (process, address):
            for table in tables("-p", str(process.pid)):
                lock = next((x for x in table["locks"] if x["address"] == hex(address)), None)
                wakers = [functions(p["waker"]) for p in lock["places"]] if lock else []
                if lock and lock["holder"] and any("hot_place" in w for w in wakers):
                    break
            threads = {int(t) for t in os.listdir(f"/proc/{process.pid}/task")}
            self.assertIn(lock["holder"]["tid"], threads)
            self.assertEqual(lock["variable"], "hot_mutex")

    def test_a_stripped_program(self):
        if not shutil.which("strip"):
            self.skipTest("strip is not installed")
        with tempfile.TemporaryDirectory() as folder:
            copy = pathlib.Path(folder, "stripped")
            subprocess.run(["strip", "-s", "-o", copy, *support.PLANTED], check=True)
            with planted("recursive", program=[str(copy)]) as (process, address):
                for table in tables("-p", str(process.pid), "--locks=0"):
                    lock = next((x for x in table["locks"] if x["address"] == hex(address)), None)
                    if lock and lock["kind"] == "mutex" and lock["places"]:
                        break
                modules = [frame["module"] for frame in lock["places"][0]["waiter"]]
                self.assertIn(str(copy), modules)


class Present(Top):
    """Threads that waited before anybody watched, and that nobody wakes."""

    def test_a_thousand_threads(self):
        with planted("many") as (process, address):
            for table in tables("-p", str(process.pid)):
                lock = next((x for x in table["locks"] if x["address"] == hex(address)), None)
                if lock and lock["waiters"] == 1000 and lock["places"]:
                    break
            self.assertEqual((lock["kind"], lock["waits"]), ("mutex", 0))
            self.assertEqual(lock["holder"]["tid"], process.pid)
            self.assertIn("sleeper", functions(lock["places"][0]["waiter"]))

    def test_a_pid_namespace(self):
        before = ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc"]
        if subprocess.run([*before, "true"], check=False, stderr=subprocess.DEVNULL).returncode:
            self.skipTest("no pid namespace can be made here")
        with planted("recursive", before=before) as (process, address):
            inner = int(subprocess.run(["ps", "-o", "pid=", "--ppid", str(process.pid)],
                                       stdout=subprocess.PIPE, check=True).stdout)
            for table in tables("-p", str(inner)):
                lock = next((x for x in table["locks"] if x["address"] == hex(address)), None)
                if lock and lock["holder"]:
                    break
            self.assertIn(str(lock["holder"]["tid"]), os.listdir(f"/proc/{inner}/task"))
            self.assertEqual(lock["holder"]["name"], "planted")


class Named(Top):
    def test_who_wakes_them_is_not_watched(self):
        """By its name: only it, and not another process that it waits for."""
        turns = pathlib.Path(__file__).with_name("handoff.py")
        with subprocess.Popen(["/usr/bin/python3", "-B", turns], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, text=True) as process:
            for _ in range(2):
                process.stdout.readline()
            try:
                seen, tables_left = set(), 5
                for table in tables("--comm", "fw-turns-one", "--samples=0"):
                    seen |= {lock["process"] for lock in table["locks"]}
                    tables_left -= bool(seen)
                    if tables_left == 0:
                        break
                self.assertEqual(seen, {"fw-turns-one"})
            finally:
                process.stdin.close()  # it ends its children, and itself

    def test_a_pid_namespace_is_not_where_it_works(self):
        words = ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc"]
        if subprocess.run([*words, "true"], check=False, stderr=subprocess.DEVNULL).returncode:
            self.skipTest("no pid namespace can be made here")
        done = subprocess.run([*words, *command_test.PROGRAM, "top", "--once", "-p", "1"],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              check=False)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("works outside of containers only", done.stderr)


class Ends(Top):
    def loaded(self, pid):
        """The numbers of the programs in the kernel that the process has open."""
        found = set()
        with contextlib.suppress(FileNotFoundError):
            for entry in pathlib.Path(f"/proc/{pid}/fdinfo").iterdir():
                with contextlib.suppress(FileNotFoundError):
                    for line in entry.read_text(encoding="ascii").splitlines():
                        if line.startswith("prog_id:"):
                            found.add(int(line.split()[1]))
        return found

    def is_loaded(self, number):
        attributes = (ctypes.c_uint32 * 32)(number)
        libc = ctypes.CDLL(None, use_errno=True)
        fd = libc.syscall(SYS_BPF[os.uname().machine], PROG_GET_FD_BY_ID,
                          ctypes.byref(attributes), ctypes.sizeof(attributes))
        if fd >= 0:
            os.close(fd)
        return fd >= 0

    def test_killed_it_leaves_nothing(self):
        with planted("normal") as (process, _):
            with subprocess.Popen([*command_test.PROGRAM, "top", "-p", str(process.pid), "--json",
                                   "--interval=0.1"], stdout=subprocess.PIPE, text=True) as top:
                top.stdout.readline()
                programs = self.loaded(top.pid)
                self.assertGreaterEqual(len(programs), 3)
                self.assertTrue(all(map(self.is_loaded, programs)))
                top.kill()
            wait_for(lambda: not any(map(self.is_loaded, programs)), "gone from the kernel")
            self.assertIsNone(process.poll())

    def test_the_watched_process_is_killed(self):
        with planted("normal") as (process, address):
            with subprocess.Popen([*command_test.PROGRAM, "top", "-p", str(process.pid), "--json",
                                   "--interval=0.1"], stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, text=True) as top:
                top.stdout.readline()
                process.kill()
                said, warned = top.communicate(timeout=PATIENCE)
                self.assertEqual((top.returncode, warned),
                                 (0, "furwock top: the process has ended\n"))
        self.assertIn(hex(address), said)

    def test_a_storm_of_watchers(self):
        with planted("normal") as (process, _):
            for _ in range(10):
                self.good("top", "-p", str(process.pid), "--once", "--interval=0.01", "--json")
            self.assertIsNone(process.poll())

    def test_what_is_lost_is_said(self):
        """While it is stopped, the buffer fills up."""
        with planted("barrier") as (process, _):
            watching = tables("-p", str(process.pid), "--samples=0")
            with subprocess.Popen([*command_test.PROGRAM, "top", "-p", str(process.pid), "--json",
                                   "--samples=0", "--interval=0.1"], stdout=subprocess.PIPE,
                                  text=True) as top:
                top.stdout.readline()
                top.send_signal(signal.SIGSTOP)
                self.count_waits(watching, 4000)
                top.send_signal(signal.SIGCONT)
                lost = 0
                while not lost:
                    lost = command_test.json.loads(top.stdout.readline())["lost"]["samples"]
                top.kill()
                top.stdout.close()

    def count_waits(self, watching, wanted):
        waits = 0
        for table in watching:
            waits += sum(lock["waits"] for lock in table["locks"])
            if waits >= wanted:
                return


class Rights(command_test.Case):
    @unittest.skipIf(os.getuid() != 0, "for root, who can give up being root")
    def test_without_rights_it_says_which(self):
        def drop():
            os.setgroups([])
            os.setgid(65534)
            os.setuid(65534)
        program = pathlib.Path(command_test.PROGRAM[0])
        done = subprocess.run([program, "--version"], preexec_fn=drop, check=False,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) \
            if self.may_run(program, drop) else None
        if done is None or done.returncode:
            self.skipTest("others may not run the program where it is")
        self.assertRegex(self.refused(1, "top", "-p", str(os.getpid()), preexec_fn=drop),
                         "CAP_BPF and CAP_PERFMON|built without")

    @staticmethod
    def may_run(program, drop):
        try:
            subprocess.run([program, "--version"], preexec_fn=drop, check=False,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        except PermissionError:
            return False
        return True


if __name__ == "__main__":
    command_test.PROGRAM[:] = sys.argv[1:2]
    support.PLANTED[:] = sys.argv[2:3]
    unittest.main(argv=sys.argv[:1])
