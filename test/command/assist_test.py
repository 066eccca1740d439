#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""furwock assist: what it answers, with which status, and that it leaves nothing behind."""

import grp
import json
import os
import pathlib
import shutil
import signal
import stat
import subprocess
import sys
import threading
import time
import unittest

import assist_namespace as ns
import command_test
from command_test import furwock

NOBODY = 65534
GROUP = next((g for g in grp.getgrall() if g.gr_gid not in (0, NOBODY)), None)
PATIENCE = 600  # seconds, for what the kernel does by and by



def as_nobody(group=NOBODY):
    def drop():
        os.setgroups([])
        os.setgid(group)
        os.setuid(NOBODY)
    return drop


def is_refused(way):
    try:
        way()
    except PermissionError:
        return True
    return False


class Alone(command_test.Case):
    """An empty /run for each test, and at its end a look at what is left of it."""

    def setUp(self):
        ns.mount("tmpfs", ns.RUN, options="mode=755")
        self.leaves_nothing = True

    def tearDown(self):
        left = os.listdir(ns.RUN)
        if ns.MOUNT.is_mount():
            ns.unmount(ns.MOUNT)
        ns.unmount(ns.RUN)
        if self.leaves_nothing:
            self.assertEqual(left, [])

    def assist(self, *words, **more):
        return self.good("assist", *words, **more)

    def status(self, **more):
        done = furwock("assist", "status", "--json", **more)
        answer = json.loads(done.stdout)
        self.assertEqual(answer["format"], "furwock-assist-1")
        self.assertEqual(done.returncode, {"running": 0, "other version": 0, "not running": 3,
                                           "unknown": 4}[answer["state"]])
        return answer

    def ends(self, link):
        """The kernel lets go of it, though not at once."""
        until = time.monotonic() + PATIENCE
        while ns.link_lives(link):
            self.assertLess(time.monotonic(), until, "the program is still in the kernel")
            time.sleep(0.01)

    def stop(self):
        link = ns.link_number()
        self.assertEqual(self.assist("stop"), "stopped\n")
        self.ends(link)


class Life(Alone):
    def test_start_and_stop(self):
        self.assertEqual(self.status()["state"], "not running")
        self.assertRegex(self.assist("start"), r"^started\n  readers   root\n")
        self.assertLessEqual(ns.PINS, set(os.listdir(ns.MOUNT)))
        answer = self.status()
        self.assertEqual((answer["state"], answer["version"], answer["readers"], answer["group"]),
                         ("running", 1, "root", None))
        self.assertEqual(stat.S_IMODE(os.stat(ns.PAGE).st_mode), 0o600)
        self.stop()
        self.assertEqual(self.status()["state"], "not running")

    def test_json(self):
        self.assertEqual(json.loads(self.assist("start", "--json"))["result"], "started")
        again = json.loads(self.assist("start", "--json"))
        self.assertEqual((again["result"], again["state"]), ("runs already", "running"))
        self.assertEqual(json.loads(self.assist("stop", "--json"))["result"], "stopped")
        again = json.loads(self.assist("stop", "--json"))
        self.assertEqual((again["result"], again["state"]), ("did not run", "not running"))

    def test_stop_where_none_runs(self):
        self.assertEqual(self.assist("stop"), "did not run\n")

    def test_twice(self):
        self.assist("start")
        link = ns.link_number()
        self.assertTrue(self.assist("start").startswith("runs already\n"))
        self.assertIn("runs already, readable by root", self.refused(
            1, "assist", "start", "--group", GROUP.gr_name))
        self.assertIn("not for every process", self.refused(1, "assist", "start", "--all"))
        self.assertEqual(ns.link_number(), link)
        self.stop()

    def test_all(self):
        self.assertIn("every process", self.assist("start", "--all"))
        self.assertTrue(self.assist("start", "--all").startswith("runs already\n"))
        self.assertEqual(self.status()["registration"], "all")
        until = time.monotonic() + PATIENCE
        while self.status()["switches"] == 0:
            self.assertLess(time.monotonic(), until, "no switch was seen")
            time.sleep(0.01)
        self.stop()

    def test_members(self):
        """Other programs of the machine may be participants, too."""
        self.assist("start")
        if self.status()["registration"] != "prctl":
            self.stop()
            self.skipTest("processes do not become participants by prctl")
        with subprocess.Popen([sys.executable, "-c", "print(flush=True)\nwhile True: pass"],
                              preexec_fn=ns.ring, stdout=subprocess.PIPE) as child:
            child.stdout.readline()
            self.assertIsNone(ns.entry(child.pid))  # its exec has made it a stranger again
            child.kill()
        child = os.fork()
        if child == 0:
            come_and_go()
        until = time.monotonic() + PATIENCE
        while (ns.entry(child) or (0, 0))[0] < 3 or self.status()["switches"] < 3:
            self.assertLess(time.monotonic(), until, "the participant is not seen")
        self.assertGreaterEqual(self.status()["participants"], 1)
        self.assertIsNone(ns.entry(os.getpid()))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        self.assertIsNone(ns.entry(child))
        self.stop()

    def test_readers_are_told_that_it_ends(self):
        self.assist("start")
        fd = ns.open_pin(ns.PAGE)
        with ns.mmap.mmap(fd, 4096, ns.mmap.MAP_SHARED, ns.mmap.PROT_READ) as page:
            self.assertEqual(page[ns.AT_STOPPED], 0)
            self.stop()
            self.assertNotEqual(page[ns.AT_STOPPED], 0)
        os.close(fd)


def come_and_go():
    """Becomes a participant, whose main thread is often switched to, from one that computes: a
    kernel may leave out switches from idle threads."""
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    ns.ring()
    threading.Thread(target=compute, daemon=True).start()
    while True:
        time.sleep(0.001)


def compute():
    while True:
        pass


def others_may_run():
    """May nobody run the program?  Not where it lies in somebody's own folder."""
    try:
        return subprocess.run([*command_test.PROGRAM, "--version"], preexec_fn=as_nobody(),
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                              check=False).returncode == 0
    except PermissionError:
        return False


class Others(Alone):
    """What users see who are not root."""

    def setUp(self):
        if not others_may_run():
            self.skipTest("the program is in a folder that nobody else may read")
        super().setUp()

    def test_they_may_not_start_and_stop(self):
        for action in ("start", "stop"):
            self.assertIn("root", self.refused(1, "assist", action, preexec_fn=as_nobody()))
        self.assist("start", "--anybody")
        for action in ("start", "stop"):
            self.assertIn("root", self.refused(1, "assist", action, preexec_fn=as_nobody()))
        self.stop()

    def reads(self, group):
        return self.status(preexec_fn=as_nobody(group))["readable"]

    def test_who_may_read(self):
        self.assertEqual(self.status(preexec_fn=as_nobody())["state"], "not running")
        for options, may in (((), (False, False)), (("--group", GROUP.gr_name), (True, False)),
                             (("--group", str(GROUP.gr_gid)), (True, False)),
                             (("--anybody",), (True, True))):
            with self.subTest(options):
                self.assist("start", *options)
                self.assertEqual((self.reads(GROUP.gr_gid), self.reads(NOBODY)), may)
                self.assertEqual(self.status(preexec_fn=as_nobody())["state"], "running")
                self.stop()

    def test_readers_may_not_write(self):
        """Nor may root: other readers would believe it."""
        self.assist("start", "--anybody")
        ways = (lambda: ns.update(ns.open_pin(ns.PAGE)),
                lambda: ns.mmap.mmap(ns.open_pin(ns.PAGE), 4096))
        for way in ways:
            self.assertRaises(PermissionError, way)
        child = os.fork()
        if child == 0:
            as_nobody()()
            os._exit(sum(is_refused(way) for way in (
                *ways, lambda: ns.open_pin(ns.MOUNT / "switch"), ns.PAGE.unlink)))
        refused = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        self.stop()
        self.assertEqual(refused, 4)

    def test_they_cannot_keep_others_from_it(self):
        self.assist("start")
        done = subprocess.run(["sh", "-c", f"exec 3<{ns.ABOVE}"], stderr=subprocess.DEVNULL,
                              check=False, preexec_fn=as_nobody())
        self.assertNotEqual(done.returncode, 0, "its lock can be held by anybody")
        self.stop()

    @unittest.skipUnless(shutil.which("setpriv"), "setpriv is not installed")
    def test_rights_of_the_unit(self):
        unit = pathlib.Path(__file__).parents[2] / "bpf/running/systemd/furwock-assist.service.in"
        line = next(s for s in unit.read_text().splitlines()
                    if s.startswith("CapabilityBoundingSet="))
        rights = ",".join("+" + w.lower().removeprefix("cap_")
                          for w in line.partition("=")[2].split())
        for action in (("start", "--group", GROUP.gr_name), ("stop",)):
            done = subprocess.run(["setpriv", f"--bounding-set=-all,{rights}", "--no-new-privs",
                                   *command_test.PROGRAM, "assist", *action],
                                  stdout=subprocess.DEVNULL, check=False, umask=0o077)
            self.assertEqual(done.returncode, 0)
            self.assertEqual(ns.ABOVE.exists(), action[0] == "start")
            if ns.ABOVE.exists():
                self.assertTrue(self.reads(GROUP.gr_gid))


class Doctor(Alone):
    def finding(self, name, **more):
        whole = json.loads(command_test.furwock("doctor", "--json", **more).stdout)
        return next(f for f in whole["findings"] if f["name"] == name)

    def test_says_whether_it_runs(self):
        self.assertEqual(self.finding("assist")["state"], "no")
        self.assertEqual(self.finding("assist possible")["state"], "yes")
        self.assist("start")
        self.assertEqual(self.finding("assist")["state"], "yes")
        self.assertIn("readable by root", self.finding("assist")["detail"])
        if others_may_run():
            self.assertEqual(self.finding("assist", preexec_fn=as_nobody())["state"], "refused")
            self.assertEqual(self.finding("assist possible", preexec_fn=as_nobody())["state"],
                             "refused")
        self.stop()

    def test_says_why_it_cannot_run(self):
        done = self.finding("assist possible", preexec_fn=ns.refuse_bpf)
        self.assertEqual(done["state"], "no")


def enter():
    """Into a namespace of its own; ends as skipped where none can be had, or no assist."""
    if os.geteuid() != 0:
        ns.skip("only root may start the assist")
    if ns.BPF is None or GROUP is None:
        ns.skip("an architecture or a system that the test does not know")
    try:
        ns.own_namespace()
    except OSError as error:
        ns.skip(f"no mount namespace: {error}")
    ns.mount("tmpfs", ns.RUN)
    done = furwock("assist", "start")
    if done.returncode != 0:
        ns.skip(done.stderr.strip())
    furwock("assist", "stop")
    ns.unmount(ns.RUN)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)  # as nohup may have left it


if __name__ == "__main__":
    command_test.PROGRAM[:] = sys.argv[1:2]
    enter()
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
