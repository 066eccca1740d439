# SPDX-License-Identifier: MIT
"""Tests of ulockflex with read-write locks: planning and tables, then short runs as a whole.

The argument is the directory in which it was built.  The worker is the one with the locks of
test_rw_adapters.c, some of which are broken on purpose.
"""

import os
import sys
import unittest

HERE = os.path.dirname(os.path.realpath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "common")]

import test_parts as parts  # noqa: E402
from flex import Trouble, fitting, plan as planning, prefer, showshare  # noqa: E402
from flex import store as storing  # noqa: E402
from flex.cli import BUDGETS, DEFAULTS  # noqa: E402
from flex.engine import Engine  # noqa: E402
from flex.plan import Config, Plan, Settings  # noqa: E402
from infull import IN_FULL, in_full  # noqa: E402
from test_whole import (  # noqa: E402
    REAL_WORKER, SHORT, InDirectory, ulockflex, worker)


def info():
    """Those of the mutexes' tests, and some read-write locks."""
    locks = [{"lock": name, "about": "", "family": family, "size": 8, "blocks": name != "ck-pflock",
              "spins": True, "fair": False, "shared": name == "pthread-rw", "trylock": True,
              "preference": preference}
             for name, family, preference in (
                 ("furwock-rw", "furwock", "fair"), ("furwock-rw-readers", "furwock", "readers"),
                 ("furwock-classic", "classic", "none"), ("pthread-rw", "rival", "readers"),
                 ("nsync", "rival", "none"), ("ck-pflock", "rival", "fair"))]
    return {**parts.info(("nsync", "rival")), "rwlocks": locks,
            "rwmissing": [{"lock": "absent-rw", "why": "install it, too"}]}


class Planning(unittest.TestCase):
    def setUp(self):
        self.locks = planning.Locks(info())

    def plan(self, names=(), cpus=2, **how):
        return planning.share_plan(self.locks, names, "threads", Settings(), cpus, **how)

    def test_the_grid_of_figure_6(self):
        points = [config for config, _ in self.plan().groups]
        self.assertEqual(len(points), len(set(points)))
        self.assertEqual({c.tasks for c in points}, {2, 3, 4, 100})
        self.assertEqual({c.share for c in points}, {float(s) for s in range(0, 101, 10)})
        self.assertEqual({(c.nlht_us, c.lht_us) for c in points}, {(5, 5), (0, 10)})
        self.assertEqual({c.locks for c in points}, {1})

    def test_what_matters_most_comes_first(self):
        plan = self.plan()
        self.assertEqual({c.share for c, _ in plan.groups[:12]}, {0, 50, 100})
        fitting.fit(plan, 60)
        self.assertEqual({c.tasks for c, _ in plan.groups}, {2, 3, 4, 100})

    def test_those_that_only_poll_are_left_out_with_many_tasks(self):
        plan = self.plan()
        few = {config.tasks for config, locks in plan.groups if "ck-pflock" in locks}
        self.assertEqual(few, {2, 3, 4})
        self.assertEqual(plan.left_out, ["with 100 tasks on 2 CPUs, without those that only "
                                         "poll: ck-pflock"])
        self.assertEqual(self.plan(cpus=64).left_out, [])
        named = self.plan(names=["ck-pflock"])
        self.assertIn(100, {config.tasks for config, _ in named.groups})

    def test_other_shares_and_times(self):
        plan = self.plan(shares=(25.0,), times=[(1.0, 2.0)])
        self.assertEqual({(c.share, c.nlht_us, c.lht_us) for c, _ in plan.groups}, {(25, 1, 2)})

    def test_the_demo_fits_its_time(self):
        plan = planning.share_demo_plan(self.locks, [], "threads",
                                        Settings(**DEFAULTS["share-demo"]))
        self.assertEqual(plan.groups[0][1], ["furwock-rw", "pthread-rw"])
        self.assertEqual(fitting.fit(plan, BUDGETS["share-demo"]), [])
        self.assertEqual({c.tasks for c, _ in plan.groups}, {2, 4})

    def test_a_name_of_both_kinds(self):
        self.assertEqual(self.locks.known("nsync", True)["preference"], "none")
        self.assertNotIn("preference", self.locks.known("nsync"))
        self.assertEqual(self.locks.known("furwock", True)["family"], "furwock")
        self.assertIsNone(self.locks.known("furwock-rw"))
        self.assertEqual(self.locks.absent(True)[0]["lock"], "absent-rw")

    def test_names_of_configurations(self):
        config = self.plan().groups[0][0]
        self.assertEqual(str(config), "(5,5) 2 tasks, 1 lock, threads, 0 % reads")
        cell = {k: v for k, v in config._asdict().items() if k != "share"}
        self.assertIsNone(Config.of(cell).share)  # a result file from before there were shares


class Preferences(unittest.TestCase):
    def test_each_against_its_own_kind(self):
        for ours, theirs, wanted in (
                ("fair", "fair", True), ("fair", "none", True), ("fair", "readers", False),
                ("readers", "readers", True), ("readers", "none", False),
                ("writers", "writers", True), ("writers", "fair", False), ("fair", None, False)):
            self.assertEqual(prefer.rivals(ours, "rival", theirs), wanted, (ours, theirs))
        self.assertFalse(prefer.rivals("fair", "classic", "fair"))


class Showing(unittest.TestCase):
    def measured(self, names, throughput, shares=(0.0, 100.0)):
        locks = planning.Locks(info())
        plan = planning.share_plan(locks, names, "threads", Settings(
            rounds=2, max_rounds=2, probes=("waits",)), 2, shares, [(5.0, 5.0)])
        store = storing.Store(None, plan, locks, dict(parts.ABOUT))
        Engine(plan, Worker(throughput), store, parts.Quiet()).measure()
        return store, plan

    def test_against_the_best_of_its_kind(self):
        rates = {"furwock-rw": 90.0, "nsync": 100.0, "ck-pflock": 80.0, "pthread-rw": 500.0}
        store, plan = self.measured(list(rates), lambda lock, _: rates[lock])
        text = showshare.ShareShow(store, plan).text()
        self.assertRegex(text, r"\n100 % +0\.90 nsync")
        self.assertNotIn("pthread-rw\n", text.split("same preference")[1].split("\n\n")[1])

    def test_the_paper_beside_it(self):
        store, plan = self.measured(["furwock-classic"], lambda *_: 1.0)
        self.assertIn("0.100 (0.068)", showshare.ShareShow(store, plan).text())

    def test_probes_keep_readers_and_writers_apart(self):
        store, plan = self.measured(["furwock-rw", "furwock"], lambda *_: 1.0)
        config, locks = plan.groups[0]
        run = store.find(config, "furwock-rw")["runs"][0]
        self.assertEqual((run["read_wait_ns"]["p50"], run["write_wait_ns"]["p50"]), (1.0, 2.0))
        self.assertEqual(store.find(config, "furwock-rw")["preference"], "fair")
        self.assertIsNone(store.find(config, "furwock")["preference"])
        self.assertEqual(store.document["missing"][0]["lock"], "absent-rw")
        self.assertRegex(showshare.single(store, config, locks), r"\nfurwock +- ")


class Worker(parts.FakeWorker):
    """As ulockflex-run answers where there is a share."""

    def run(self, lock, point, seconds, seed, probe=None):
        found = super().run(lock, point, seconds, seed, probe)
        waits = [dict.fromkeys(("p50", "p99", "max"), value) for value in (1.0, 2.0)]
        return {**found, "reacquire": None, "reads": point.share / 100,
                "read_wait_ns": waits[0] if probe == "waits" else None,
                "write_wait_ns": waits[1] if probe == "waits" else None}


class Whole(InDirectory):
    def cells(self):
        return {(cell["lock"], cell["share"]): cell for cell in self.load()["cells"]}

    def test_one_share(self):
        waits = ("read_wait_ns", "write_wait_ns")
        done, _ = self.often(
            lambda runs: max(one["iterations"] for one in runs) > 100
            and all(any(one[name] for one in runs) for name in waits)
            and any(one["write_contention"] is not None for one in runs),
            "--share", "30", "--tasks", "3", "furwock-rw", "pthread-rw", "pthread")
        self.assertRegex(done.stdout, r"\npthread-rw +readers +\S+ +\S+% +1\.00 ")
        cell = self.cells()[("furwock-rw", 30)]
        self.assertEqual((cell["experiment"], cell["preference"]), ("share", "fair"))
        run = max(cell["runs"], key=lambda one: one["iterations"])
        self.assertLess(abs(run["reads"] - 0.3), 0.1)
        for name in waits:
            self.assertGreater(max(one[name]["max"] for one in cell["runs"] if one[name]), 0)
        told = [one["write_contention"] for one in cell["runs"]
                if one["write_contention"] is not None]
        self.assertGreaterEqual(min(told), 0)

    def test_no_readers_or_no_writers(self):
        done = ulockflex(*SHORT, "--share", "0,100", "--json", self.path, "pthread-rw")
        self.assertEqual(done.returncode, 0, done.stderr)
        none, all_ = (self.cells()[("pthread-rw", share)]["runs"][0] for share in (0, 100))
        self.assertEqual((none["reads"], all_["reads"]), (0, 1))
        self.assertIsNone(none["read_wait_ns"])
        self.assertIsNone(all_["write_wait_ns"])

    def test_one_cpu(self):
        done = ulockflex(*SHORT, "--cpus", "1", "--pin", "--probes", "none", "--share", "50",
                         "--json", self.path, "pthread-rw")
        self.assertEqual(done.returncode, 0, done.stderr)
        found = self.load()
        self.assertEqual((found["machine"]["cpus"], found["settings"]["pin"]), (1, True))
        more = len(os.sched_getaffinity(0)) + 1
        self.assertIn(f"there are {more - 1}", ulockflex("--cpus", str(more)).stderr)

    def test_processes(self):
        done = ulockflex(*SHORT, "--share", "50", "--kind", "processes", "--probes", "none",
                         "pthread-rw")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_plan_and_resume(self):
        words = ("share", "--share", "0,90", "--lht", "5", "--nlht", "5", "--probes", "none",
                 "--json", self.path, "--quiet", "furwock-rw", "pthread-rw")
        done = ulockflex(*words, *SHORT, "--tasks", "2,4")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("over the best rival with the same preference", done.stdout)
        cells = self.load()["cells"]
        self.assertEqual([c["tasks"] for c in cells], [2, 2, 4, 4] * 2)  # shares, locks
        some = () if IN_FULL else ("--tasks", "2,3,4")  # else all of the plan's
        more = ulockflex(*words, "--resume", "--rounds", "3", *some)
        self.assertEqual(more.returncode, 0, more.stderr)
        again = self.load()["cells"]
        self.assertEqual([c["runs"][:2] for c in again[:len(cells)]], [c["runs"] for c in cells])
        self.assertEqual({len(c["runs"]) for c in again}, {3})
        self.assertEqual({c["tasks"] for c in again}, {2, 3, 4, 100} if IN_FULL else {2, 3, 4})

    def test_broken_locks_are_caught(self):
        done = ulockflex(*SHORT, "--share", "60", "--tasks", "4", "--lht", "20", "--nlht",
                         "0", "--seconds", "0.2", "--probes", "none", "--json", self.path,
                         "blind", "loose", "pthread-rw")
        self.assertEqual(done.returncode, 1, done.stderr)
        for lock in ("blind", "loose"):
            self.assertRegex(done.stdout, rf"! {lock}: integrity violated \d+ times")
        self.assertEqual(self.cells()[("pthread-rw", 60)]["failures"], [])

    def test_readers_alone_break_nothing(self):
        done = ulockflex(*SHORT, "--share", "100", "--tasks", "4", "--probes", "none", "blind")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    @in_full
    def test_real_locks(self):
        if not os.path.exists(REAL_WORKER):
            self.skipTest("no worker with the real locks")
        done = ulockflex("--seconds", "0.03", "--rounds", "2", "--max-rounds", "2", "--share",
                         "80", "--probes", "none", "--quiet", "--tasks", "4", worker=REAL_WORKER)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_bad_arguments(self):
        for wrong in ("-1", "101", "x", "", "5,,6", "nan"):
            self.refused("--share", "--share", wrong)
        self.refused("furwock-rw is a read-write lock: give --share", "furwock-rw")
        self.refused("absent-rw is not in this build", "--share", "50", "absent-rw")
        self.refused("locks: furwock-rw pthread-rw .* none pthread", "--share", "50", "futx")
        self.refused("between threads only", "share", "--kind", "processes", "furwock-rw")
        self.refused("--regions is for one configuration", "share", "--regions", "3")
        self.refused("share has no configuration of 7 tasks; there are 2, 3, 4, 100", "share",
                     "--tasks", "2,7")
        self.refused("--tasks", "share", "--tasks", "2,")
        self.refused("several numbers in a plan, not in one configuration", "--tasks", "2,3")
        self.refused("--lht and --nlht together", "share", "--lht", "3")
        self.refused("--share is for one configuration", "today", "--share", "3")

    def test_bad_arguments_of_the_worker(self):
        for said, *words in (("--share must be a number from 0 to 100", "--share", "101"),
                             ("a read-write lock; give --share", "--lock", "pthread-rw"),
                             ("there are: furwock-rw .* pthread", "--share", "1", "--lock", "x"),
                             ("no trylock", "--share", "1", "--lock", "blind", "--probe",
                              "contention"),
                             ("between threads only", "--share", "1", "--lock", "blind", "--kind",
                              "processes")):
            done = worker(*words)
            self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
            self.assertRegex(done.stderr, said)


if __name__ == "__main__":
    unittest.main()
