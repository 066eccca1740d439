#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""furwock assist where things are not as they should be: what lies in its way, what the kernel or
the machine lacks, and starts and stops that are killed, or at work at once."""

import itertools
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import assist_test
import assist_namespace as ns
import command_test
from command_test import IN_FULL, furwock

KILLS = 10 if IN_FULL else 4
STARTERS = 6
# It makes some 60 calls of bpf.
STEP = 1 if IN_FULL else 10
HANG_S = 300
# Without its sleeps: a stop waits for another one for ten seconds.
SLEEPLESS = ["strace", "-qq", "-o", "/dev/null", "-e", "inject=clock_nanosleep:retval=0"]


class InTheWay(assist_test.Alone):
    """What is there is not touched, and a line says what it is."""

    def setUp(self):
        super().setUp()
        self.leaves_nothing = False

    def refuses(self, *words):
        for action in ("start", "stop"):
            said = self.refused(1, "assist", action)
            for word in words:
                self.assertIn(word, said)

    def test_symbolic_links(self):
        with tempfile.TemporaryDirectory() as elsewhere:
            os.chmod(elsewhere, 0o755)
            ns.ABOVE.symlink_to(elsewhere)
            self.refuses("/run/furwock")
            self.assertEqual(os.listdir(elsewhere), [])
            ns.ABOVE.unlink()
            ns.ABOVE.mkdir(0o711)
            ns.MOUNT.symlink_to(elsewhere)
            self.refuses("/run/furwock/assist")
            self.assertEqual(os.listdir(elsewhere), [])
            self.assertTrue(ns.MOUNT.is_symlink())

    def test_files(self):
        ns.ABOVE.write_text("mine")
        self.refuses("/run/furwock", "Not a directory")
        self.assertEqual(ns.ABOVE.read_text(), "mine")
        ns.ABOVE.unlink()
        ns.ABOVE.mkdir(0o711)
        ns.MOUNT.write_text("mine")
        self.refuses("/run/furwock/assist", "Not a directory")
        self.assertEqual(ns.MOUNT.read_text(), "mine")

    def test_directories_that_others_may_change(self):
        ns.ABOVE.mkdir(0o711)
        os.chown(ns.ABOVE, assist_test.NOBODY, -1)
        self.refuses("/run/furwock", "others than root")
        os.chown(ns.ABOVE, 0, -1)
        for mode in (0o731, 0o713, 0o1777):
            ns.ABOVE.chmod(mode)
            self.refuses("/run/furwock", "others than root")

    def test_mounts(self):
        ns.MOUNT.mkdir(parents=True)
        ns.mount("tmpfs", ns.MOUNT)
        (ns.MOUNT / "page").write_text("mine")
        self.refuses("/run/furwock/assist", "not ours")
        self.assertEqual((ns.MOUNT / "page").read_text(), "mine")

    def test_pages(self):
        for forged in ({"magic": b"fwkssisT"}, {"size": 64}):
            self.assist("start")
            ns.forge_page(1, **forged)
            self.refuses("/run/furwock/assist/page", "not ours")
            ns.unmount(ns.MOUNT)


class Older(assist_test.Alone):
    """Pins of another version, and what a stop left that was killed."""

    def test_other_version(self):
        for version in (2, 77):
            self.assist("start")
            ns.forge_page(version)
            self.assertEqual(self.status()["state"], "other version")
            self.assertEqual(self.status()["version"], version)
            self.assertIn(f"version {version}:", self.good("assist", "status"))
            said = self.refused(1, "assist", "start")
            self.assertIn(f"version {version} ", said)
            self.assertIn("stop", said)
            self.stop()

    def test_what_does_not_run_any_more(self):
        def lose(pin):
            return lambda: (ns.MOUNT / pin).unlink()

        for spoil in (lambda: ns.forge_page(1, stopped=1), lambda: ns.forge_page(2, 1),
                      lose("switch"), lose("join"), lose("exit"), lose("page")):
            self.assist("start")
            spoil()
            self.assertEqual(self.status()["state"], "not running")
            self.assertTrue(self.assist("start").startswith("started\n"))
            self.assertEqual(self.status()["state"], "running")
            spoil()
            self.assertEqual(furwock("assist", "stop").returncode, 0)
            self.assertEqual(os.listdir(ns.RUN), [])

    def test_empty_directories(self):
        for path in (ns.ABOVE, ns.MOUNT):
            path.mkdir(parents=True)
            self.assist("stop")
            self.assertEqual(os.listdir(ns.RUN), [])
            path.mkdir(parents=True)
            self.assist("start")
            self.stop()

    def test_it_ends_in_copies_of_the_mount(self):
        self.assist("start")
        with subprocess.Popen(["unshare", "-m", "--propagation", "private", "sh", "-c",
                               "echo; read x; ls /run/furwock/assist 2>&1"], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, text=True) as other:
            other.stdout.readline()
            self.stop()
            self.assertNotIn("page", other.communicate("\n")[0])


class Lacking(assist_test.Alone):
    """What the kernel, the machine or the caller lacks."""

    def fails(self, *words, **more):
        said = self.refused(1, "assist", "start", **more)
        for word in words:
            self.assertIn(word, said)
        return said

    def test_run_that_cannot_be_written(self):
        ns.unmount(ns.RUN)
        ns.mount("tmpfs", ns.RUN, ns.MS_RDONLY)
        self.fails("/run/furwock", "Read-only file system")
        self.assertEqual(self.assist("stop"), "did not run\n")

    def test_run_that_is_full(self):
        for inodes in (1, 2):  # with that of /run itself
            ns.unmount(ns.RUN)
            ns.mount("tmpfs", ns.RUN, options=f"nr_inodes={inodes}")
            self.fails("/run/furwock", "No space left on device")
            self.assertEqual(os.listdir(ns.RUN), [])
        ns.unmount(ns.RUN)
        ns.mount("tmpfs", ns.RUN, options="nr_inodes=3")
        self.assist("start")
        self.stop()

    def test_kernel_without_types(self):
        types = pathlib.Path("/sys/kernel/btf")
        ns.mount("tmpfs", types)
        self.addCleanup(ns.unmount, types)
        self.fails("/sys/kernel/btf/vmlinux")

    def test_kernel_without_bpf(self):
        said = self.fails(preexec_fn=ns.refuse_bpf)
        self.assertIn("Function not implemented", said)

    def test_rights(self):
        for rights in ("-all", "+bpf,+perfmon", "+sys_admin"):
            words = ["setpriv", f"--bounding-set=-all,{rights}", *command_test.PROGRAM, "assist",
                     "start"]
            if rights == "-all":
                words[1] = "--bounding-set=-all"
            done = subprocess.run(words, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL,
                                  text=True, check=False)
            if rights == "+sys_admin":
                self.assertEqual(done.returncode, 0, done.stderr)  # as root alone, it is enough
                self.stop()
                continue
            self.assertEqual((done.returncode, len(done.stderr.splitlines())), (1, 1))
            self.assertIn("root", done.stderr)

    @unittest.skipUnless(shutil.which("strace"), "strace is not installed")
    def test_somebody_else_is_at_work(self):
        self.assist("start")
        holds = f"echo; exec sleep {HANG_S}"
        with subprocess.Popen(["flock", str(ns.ABOVE), "sh", "-c", holds],
                              start_new_session=True, stdout=subprocess.PIPE) as holder:
            holder.stdout.readline()
            done = subprocess.run([*SLEEPLESS, *command_test.PROGRAM, "assist", "stop"], text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
            os.killpg(holder.pid, signal.SIGKILL)
        if "ptrace" in done.stderr:
            self.skipTest("no process may look into another one here")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertEqual(done.stderr, "furwock assist: another furwock is at work\n")
        self.stop()


@unittest.skipUnless(shutil.which("strace"), "strace is not installed")
class Failing(assist_test.Alone):
    """The kernel's calls fail, one in each try."""

    def assist_failing(self, action, call, number):
        """(did it do what it shall?  Else it has said why, in one line; has that call been made)"""
        with tempfile.NamedTemporaryFile("r", encoding="utf-8") as calls:
            done = subprocess.run(["strace", "-qq", "-o", calls.name, "-e", f"trace={call}", "-e",
                                   f"inject={call}:error=ENOMEM:when={number}",
                                   *command_test.PROGRAM, "assist", action], text=True,
                                  stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
            is_made = "(INJECTED)" in calls.read()
        if "ptrace" in done.stderr:
            self.skipTest("no process may look into another one here")
        self.assertIn(done.returncode, (0, 1), done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), done.returncode, done.stderr)
        return done.returncode == 0, is_made

    def each_call(self, action, call, before, after, step=1):
        """Each of these calls, or one in `step`, fails, one in each try; returns after how many
        it did not do what it shall."""
        failures = 0
        for number in itertools.chain([1], itertools.count(1 + random.randint(1, step), step)):
            with self.subTest(call=call, number=number):
                before()
                runs, is_made = self.assist_failing(action, call, number)
                after(runs)
                failures += not runs
                if not is_made:
                    self.assertGreater(number, 1, f"{action} makes no call {call}")
                    self.assertTrue(runs)
                    return failures

    def test_start(self):
        def look(runs):
            self.assertEqual(self.status()["state"], "running" if runs else "not running")
            self.assertTrue(runs or os.listdir(ns.RUN) == [])
            self.assist("stop")

        for call in ("bpf", "fsopen", "fsconfig", "fsmount", "move_mount", "fchmodat", "mkdirat",
                     "flock"):
            failures = self.each_call("start", call, lambda: None, look,
                                      STEP if call == "bpf" else 1)
            self.assertTrue(failures > 0 or call == "flock")

    def test_stop(self):
        def look(_):
            self.assist("stop")
            self.assertEqual(os.listdir(ns.RUN), [])

        for call in ("bpf", "umount2", "unlinkat"):
            self.each_call("stop", call, lambda: self.assist("start"), look)


class Interrupted(assist_test.Alone):
    def interrupt(self, action, number, after, **more):
        """How it ended, with that signal `after` seconds after its start."""
        with subprocess.Popen([*command_test.PROGRAM, "assist", action], stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, text=True, **more) as process:
            time.sleep(after)
            process.send_signal(number)
            said = process.communicate()[1]
        self.assertLessEqual(len(said.splitlines()), 1, said)
        return process.returncode

    def how_long(self):
        began = time.monotonic()
        self.assist("start")
        taken = time.monotonic() - began
        self.stop()
        return taken

    def test_start_by_a_signal(self):
        """Nothing has been started then, and nothing is left."""
        most = self.how_long()
        ends = []
        for i in range(KILLS):
            number = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)[i % 4]
            after = random.uniform(0, most)
            ends.append(self.interrupt("start", number, after))
            self.assertIn(ends[-1], (0, -number))
            self.assertEqual(self.status()["state"], "not running" if ends[-1] else "running")
            if ends[-1] == 0:
                most = after  # it was done by then, however long the first one took
                self.stop()
            self.assertEqual(os.listdir(ns.RUN), [])
        self.assertTrue(any(ends), "no signal came in time")

    def test_stop_by_a_signal(self):
        for _ in range(KILLS):
            self.assist("start")
            self.assertIn(self.interrupt("stop", signal.SIGTERM, random.uniform(0, 0.02)),
                          (0, -signal.SIGTERM))
            self.assist("stop")
            self.assertEqual(os.listdir(ns.RUN), [])

    def test_signals_that_are_ignored(self):
        for _ in range(5):
            self.assertEqual(self.interrupt(
                "start", signal.SIGHUP, 0.02,
                preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN)), 0)
            self.assertEqual(self.status()["state"], "running")
            self.stop()

    def test_killed(self):
        """At any point; whatever comes next finds its way."""
        most = self.how_long()
        for i in range(2 * KILLS):
            action = "start" if i % 2 == 0 else "stop"
            if action == "stop":
                self.assist("start")
            self.interrupt(action, signal.SIGKILL,
                           random.uniform(0, most if action == "start" else 0.02))
            self.assertIn(self.status()["state"], ("running", "not running"))
            if i % 4 < 2:
                self.assist("start")
                self.assertEqual(self.status()["state"], "running")
                self.stop()
            else:
                self.assist("stop")
            self.assertEqual(os.listdir(ns.RUN), [])


class AtOnce(assist_test.Alone):
    def all_at_once(self, actions):
        programs = [subprocess.Popen([*command_test.PROGRAM, "assist", action], text=True,
                                     stdout=subprocess.PIPE, stderr=subprocess.PIPE)
                    for action in actions]
        said = []
        for process, action in zip(programs, actions):
            out, errors = process.communicate()
            status = process.returncode
            while "another furwock is at work" in errors:  # on a busy machine, for some time
                done = furwock("assist", action)
                status, out, errors = done.returncode, done.stdout, done.stderr
            self.assertEqual((status, errors), (0, ""))
            said.append(out.splitlines()[0])
        return said

    def test_starts(self):
        for _ in range(3):
            self.assertEqual(sorted(self.all_at_once(["start"] * STARTERS)),
                             ["runs already"] * (STARTERS - 1) + ["started"])
            link = ns.link_number()
            self.assertEqual(sorted(self.all_at_once(["stop"] * STARTERS)),
                             ["did not run"] * (STARTERS - 1) + ["stopped"])
            self.ends(link)
            self.assertEqual(os.listdir(ns.RUN), [])

    def test_starts_and_stops(self):
        for _ in range(8 if IN_FULL else 3):
            said = self.all_at_once(["start", "stop"] * STARTERS)
            runs = self.status()["state"] == "running"
            self.assertEqual(said.count("started") - said.count("stopped"), int(runs))
            self.assist("stop")
            self.assertEqual(os.listdir(ns.RUN), [])


if __name__ == "__main__":
    command_test.PROGRAM[:] = sys.argv[1:2]
    assist_test.enter()
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
