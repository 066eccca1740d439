# SPDX-License-Identifier: MIT
"""Tests of ulockflex as a whole, in short runs: results, bad input, broken locks.

The argument is the directory in which it was built.  Most tests use the worker with the locks of
test_adapters.c, some of which are broken on purpose.
"""

import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "common"))

from infull import IN_FULL, in_full  # noqa: E402

BUILT = os.path.realpath(sys.argv.pop()) if len(sys.argv) > 1 else os.getcwd()
FRONT_END = os.path.join(BUILT, "ulockflex")
TEST_WORKER = os.path.join(BUILT, "test", "ulockflex-run")
REAL_WORKER = os.path.join(BUILT, "ulockflex-run")
SHORT = ("--seconds", "0.05", "--rounds", "2", "--max-rounds", "2", "--quiet")
# Windows so short see nothing where nobody has a CPU meanwhile: then some of more see something.
ROUNDS = ("6", "18")
PATIENCE = 900.0  # seconds: on a busy machine, everything may take its time


def environment(worker=TEST_WORKER):
    return {**os.environ, "ULOCKFLEX_RUN": worker, "COLUMNS": "100"}


def ulockflex(*arguments, worker=TEST_WORKER):
    return subprocess.run([FRONT_END, *arguments], env=environment(worker), text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False,
                          timeout=PATIENCE)


def worker(*arguments, binary=TEST_WORKER, **how):
    return subprocess.run([binary, *arguments], text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, check=False, timeout=PATIENCE, **how)


class InDirectory(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = directory.name
        self.path = os.path.join(directory.name, "result.json")

    def load(self):
        with open(self.path, encoding="utf-8") as f:
            return json.load(f)

    def refused(self, said, *arguments):
        done = ulockflex(*arguments)
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        self.assertRegex(done.stderr, said)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)

    def often(self, saw_enough, *arguments):
        """(what it said, its result): in more rounds until saw_enough(runs of the first cell)."""
        for rounds in ROUNDS:
            if os.path.exists(self.path):
                os.unlink(self.path)
            done = ulockflex(*SHORT, "--rounds", rounds, "--max-rounds", rounds, "--probe-rounds",
                             rounds, "--json", self.path, *arguments)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            found = self.load()
            if saw_enough(found["cells"][0]["runs"]):
                return done, found
        self.fail(found["cells"][0]["runs"])


class Whole(InDirectory):
    def test_one_configuration(self):
        done, found = self.often(
            lambda runs: max(one["iterations"] for one in runs) > 0
            and any("max" in (one["wait_ns"] or ()) for one in runs)
            and any(one["contention"] is not None for one in runs),
            "--tasks", "3", "pthread", "sysv")
        self.assertRegex(done.stdout, r"\npthread +\S+ +\S+% +1\.00 ")
        self.assertTrue(found["complete"])
        self.assertEqual([c["lock"] for c in found["cells"]], ["pthread", "sysv"])
        runs = found["cells"][0]["runs"]
        run = max(runs, key=lambda one: one["iterations"])
        self.assertEqual(run["integrity"], 0)
        told = [one["contention"] for one in runs if one["contention"] is not None]
        self.assertLessEqual(max(told), 1.0)
        self.assertGreater(run["cpu_ns"], 0)
        self.assertLess(run["burnt_ns"], run["cpu_ns"])
        self.assertIn(run["assist"], ("on", "off", "unknown"))
        self.assertIn(found["machine"]["assist"], ("on", "off", "unknown"))
        self.assertEqual(found["made"]["command"][:2], ["ulockflex", "--seconds"])
        self.assertLessEqual({"commit", "clean", "versions", "load"}, found["made"].keys())
        self.assertIsNone(found["cells"][1]["runs"][0]["contention"])  # it has no trylock

    def test_processes_and_many_locks(self):
        done = ulockflex(*SHORT, "--kind", "processes", "--tasks", "6", "--locks", "4", "--pick",
                         "random", "--probes", "none", "--json", self.path, "pthread")
        self.assertEqual(done.returncode, 0, done.stderr)
        cell = self.load()["cells"][0]
        self.assertEqual((cell["kind"], cell["locks"], cell["pick"]), ("processes", 4, "random"))

    def test_real_locks(self):
        if not os.path.exists(REAL_WORKER):
            self.skipTest("no worker with the real locks")
        done = ulockflex("--seconds", "0.2", "--rounds", "2", "--max-rounds", "2", "--probes",
                         "none", "--json", self.path, "furwock", "pthread", worker=REAL_WORKER)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual([c["failures"] for c in self.load()["cells"]], [[], []])

    def test_system_calls_are_counted(self):
        done = ulockflex("--seconds", "0.1", "--rounds", "2", "--max-rounds", "2", "--probes",
                         "syscalls", "--json", self.path, "pthread")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        result = self.load()
        if any("system calls are not counted" in note for note in result["notes"]):
            self.skipTest("the kernel does not let us count system calls")
        counted = [run for run in result["cells"][0]["runs"] if run["syscalls"] is not None]
        self.assertTrue(counted)
        for run in counted:
            self.assertIn(run["fences_per_s"], (0, None))  # a C library's lock makes none

    def test_plans_can_be_looked_at(self):
        for plan in ("paper", "today", "adaptive", "share", "demo", "share-demo"):
            done = ulockflex(plan, "--dry-run")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertRegex(done.stdout, r"expected time: [0-9:]+ to [0-9:]+")

    @in_full
    def test_budget_is_kept(self):
        done = ulockflex("paper", "--budget", "4", "--quiet", "--json", self.path, "sysv",
                         "pthread")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(any("dropped" in note for note in self.load()["notes"]))
        self.assertIn("Table 1", done.stdout)

    def test_list(self):
        done = ulockflex("--list")
        self.assertRegex(done.stdout, r"\npthread +rival ")
        self.assertIn("not here: absent (install libabsent-dev)", done.stdout)

    def test_resume(self):
        first = ulockflex(*SHORT, "--json", self.path, "pthread")
        self.assertEqual(first.returncode, 0, first.stderr)
        before = self.load()["cells"][0]["runs"]
        more = ulockflex("--resume", "--rounds", "3", "--max-rounds", "3", "--json", self.path,
                         "pthread", "sysv")
        self.assertEqual(more.returncode, 0, more.stderr)
        cells = self.load()["cells"]
        self.assertEqual(cells[0]["runs"][:2], before)
        self.assertGreaterEqual(min(len(c["runs"]) for c in cells), 3)


class Starting(InDirectory):
    def test_tasks_that_have_not_started_fail_the_run(self):
        """The worker counts them; here one that says so of one lock, and is right of the other."""
        fake = os.path.join(self.directory, "ulockflex-run")
        with open(fake, "w", encoding="utf-8") as f:
            f.write(f'#!/bin/sh\ncase "$*" in *"--lock private"*) {TEST_WORKER} "$@" --parent $$ |'
                    f""" sed 's/"late":0/"late":38/' ;; *) exec {TEST_WORKER} "$@" ;; esac""")
        os.chmod(fake, 0o755)
        done = ulockflex(*SHORT, "--probes", "none", "--json", self.path, "private", "pthread",
                         worker=fake)
        said = "38 of the tasks had not started when measuring began"
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn(f"! private: {said}, in (9,1) 2 tasks", done.stdout)
        late, good = self.load()["cells"]
        self.assertEqual((late["runs"], late["throughput"]["n"]), ([], 0))
        self.assertEqual((late["failures"][0]["what"], late["failures"][0]["late"]), (said, 38))
        self.assertEqual((good["lock"], len(good["runs"])), ("pthread", 2))

    def test_too_short_a_run_is_said(self):
        tasks = 20 * len(os.sched_getaffinity(0))
        done = ulockflex(*SHORT[2:], "--seconds", "0.01", "--probes", "none", "--tasks",
                         str(tasks), "--json", self.path, "pthread")
        self.assertIn(f"runs of 0.01 s are too short for {tasks} tasks", done.stderr)
        found = self.load()
        self.assertTrue(found["cells"][0]["short"])
        self.assertIn("too short", found["notes"][0])
        self.assertRegex(done.stdout, r"\npthread +\S+\? ")


class BadInput(InDirectory):
    def test_names(self):
        self.refused("unknown lock or plan futx; plans: paper today adaptive processes share "
                     "demo share-demo; locks: none pthread", "futx")
        self.refused(r"unknown option --colour; there are .*--budget .*--tasks", "--colour")
        self.refused("absent is not in this build: install libabsent-dev", "absent")
        self.refused("has to come before", "pthread", "paper")
        self.refused("between threads only", "--kind", "processes", "private")
        self.refused("named twice", "pthread", "pthread")
        self.refused("--locks is for one configuration", "demo", "--locks", "3")

    def test_values(self):
        self.refused("--tasks", "--tasks", "0")
        self.refused("--lht", "--lht", "-1")
        self.refused("--lht", "--lht", "nan")
        self.refused("--kind", "--kind", "fibres")
        self.refused("--probes", "--probes", "waits,chance")
        self.refused("less than --rounds", "--rounds", "5", "--max-rounds", "2")
        self.refused("needs --json", "--resume")
        self.refused("a budget of .* is too small", "--budget", "0.01", "pthread")

    def test_result_file(self):
        self.refused("cannot write .*/none/x.json: No such file", "--json", "/none/x.json")
        self.refused("not a regular file", "--json", "/dev/null")
        self.refused("cannot read .*: Is a directory", "--json", self.directory)
        with open(self.path, "w", encoding="utf-8") as f:
            f.write("precious")
        self.refused("not a result file", "--json", self.path)
        self.refused("not a result file", "--resume", "--json", self.path)
        with open(self.path, encoding="utf-8") as f:
            self.assertEqual(f.read(), "precious")

    def test_resume_with_other_options(self):
        ulockflex(*SHORT, "--probes", "none", "--json", self.path, "pthread")
        self.refused("measured with --seconds 0.05, not 0.5", "--resume", "--seconds", "0.5",
                     "--json", self.path)
        self.refused("holds the plan single, not demo", "demo", "--resume", "--json", self.path)

    def test_worker_missing(self):
        done = ulockflex("pthread", worker="/none/ulockflex-run")
        self.assertEqual(done.returncode, 1)
        self.assertIn("cannot start /none/ulockflex-run", done.stderr)


class BrokenLocks(InDirectory):
    def fails(self, lock, said, *arguments, others=("pthread",)):
        done = ulockflex(*SHORT, "--probes", "none", "--json", self.path, *arguments, lock,
                         *others)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertRegex(done.stdout, f"! {lock}: {said}")
        cells = {c["lock"]: c for c in self.load()["cells"]}
        for other in others:
            self.assertEqual(len(cells[other]["runs"]), 2)  # they go on
        return cells[lock]

    def test_no_lock_at_all(self):
        for kind in ("threads", "processes"):
            cell = self.fails("none", r"integrity violated \d+ times", "--kind", kind, "--tasks",
                              "4", "--lht", "5", "--nlht", "0")
            self.assertEqual(cell["throughput"]["n"], 0)
            self.assertGreater(cell["failures"][0]["integrity"], 0)
            os.unlink(self.path)

    def test_no_lock_needed(self):
        done = ulockflex(*SHORT, "--tasks", "2", "--locks", "2", "none")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_hung(self):
        # Alone: another lock may need longer than that where the machine is busy.
        cell = self.fails("stuck", r"hung: killed after 1 s", "--timeout", "1", "--kind",
                          "processes", others=())
        self.assertEqual(cell["runs"], [])

    def test_crash(self):
        self.fails("crash", "crashed: SIGABRT", "--kind", "threads")
        os.unlink(self.path)
        self.fails("crash", r"task \d+ was ended by signal 6", "--kind", "processes")

    def test_cannot_be_made(self):
        self.fails("full", "cannot make lock 1 of 1 .*No space left")


class Limits(unittest.TestCase):
    """The address space is made small, which is the one limit that also holds for root."""

    @staticmethod
    def squeeze():
        resource.setrlimit(resource.RLIMIT_AS, (400 << 20, 400 << 20))

    def refused(self, said, *arguments):
        done = worker("--lock", "pthread", "--seconds", "0.01", *arguments,
                      preexec_fn=self.squeeze)
        self.assertEqual((done.returncode, done.stdout), (1, ""), done.stderr)
        self.assertRegex(done.stderr, said)
        self.assertEqual(done.stderr.count("\n"), 1)

    def test_memory(self):
        self.refused("no shared memory: cannot map .*Cannot allocate", "--locks", "10000000")

    def test_tasks(self):
        self.refused("cannot start 20000 tasks: .*tightest limit here is", "--tasks", "20000")

    def test_many_tasks(self):
        for kind, tasks in (("threads", "1000" if IN_FULL else "100"),
                            ("processes", "300" if IN_FULL else "50")):
            done = worker("--lock", "pthread", "--kind", kind, "--tasks", tasks, "--seconds",
                          "0.05", "--lht", "1")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(json.loads(done.stdout)["integrity"], 0)


class Times(unittest.TestCase):
    @staticmethod
    def microseconds():
        rate = json.loads(worker("--calibrate").stdout)["rate"]
        run = json.loads(worker("--lock", "pthread", "--lht", "50", "--nlht", "50", "--seconds",
                                "0.2", "--rate", repr(rate)).stdout)
        # CPU time, as other programs have their share of the machine.
        return run["cpu_seconds"] / max(run["iterations"], 1) * 1e6

    def test_calibration_makes_microseconds(self):
        """At times a machine gives a CPU less than it says: the best of many tries."""
        found = []
        while len(found) < 20 and not (found and 80 < found[-1] < 200):
            found.append(self.microseconds())
        self.assertGreater(found[-1], 80, found)
        self.assertLess(found[-1], 200, found)


if __name__ == "__main__":
    unittest.main()
