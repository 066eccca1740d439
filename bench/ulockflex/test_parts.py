# SPDX-License-Identifier: MIT
"""Tests of ulockflex's planning, measuring order, arithmetic and files; nothing is run."""

import dataclasses
import json
import os
import signal
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.realpath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "common")]

from front import machine, made  # noqa: E402

from flex import Trouble, paper, show, stats  # noqa: E402
from flex import fitting, plan as planning, store as storing  # noqa: E402
from flex.cli import BUDGETS, DEFAULTS  # noqa: E402
from flex.engine import Engine  # noqa: E402
from flex.plan import Config, Plan, Settings  # noqa: E402
from flex.showpaper import PaperShow  # noqa: E402
from flex.worker import Failure, _evaluate  # noqa: E402

ABOUT = {"cpu": "any", "cpus": 2, "kernel": "6", "libc": "glibc", "compiler": "12", "date": "now"}


def info(*extra):
    locks = [{"lock": name, "about": "", "family": family, "size": 4, "blocks": name != "none",
              "spins": False, "fair": False, "shared": family != "furwock", "trylock": True}
             for name, family in (("furwock", "furwock"), ("pthread", "rival"),
                                  *((n, "classic") for n in paper.NINE), ("none", "rival"), *extra)]
    return {"locks": locks, "missing": [{"lock": "absent", "why": "install it"}]}


def config(**how):
    return Config("single", "threads", **{"tasks": 2, "locks": 1, "lht_us": 1.0, "nlht_us": 9.0,
                                          **how})


class Quiet:
    def round(self, *_):
        pass

    running = failed = say = round


class FakeWorker:
    """Remembers what it is asked for; throughputs are taken from a function."""

    events = None

    def __init__(self, throughput=lambda lock, call: 100.0):
        self.calls = []
        self.throughput = throughput

    def run(self, lock, point, seconds, seed, probe=None):
        self.calls.append((lock, point, seed, probe))
        value = self.throughput(lock, len(self.calls))
        if isinstance(value, BaseException):
            raise value
        return {"lock": lock, "seconds": seconds, "iterations": 10, "throughput": value,
                "coeff": 0.1, "contention": 0.5 if probe == "contention" else None,
                "reacquire": {"never": 1.0, "once": 0.0, "twice": 0.0, "max": 0},
                "wait_ns": {"p50": 5.0, "p90": 6.0, "p99": 7.0, "p999": 8.0, "max": 9.0,
                            "mean": 5.0} if probe == "waits" else None,
                "syscalls": None, "fences_per_s": None, "vcsw": 0.0, "ivcsw": 0.0,
                "cpu_seconds": 0.1, "integrity": 0, "late": 0}


def make(names=("furwock", "pthread", "sysv"), worker=None, path=None, clock=None, deadline=None,
         points=None, **settings):
    values = {"rounds": 2, "max_rounds": 3, "probes": (), **settings}
    groups = [(point, list(names)) for point in points or [config()]]
    plan = Plan("single", Settings(**values), groups)
    store = storing.Store(path, plan, planning.Locks(info()), dict(ABOUT))
    how = {"clock": clock} if clock else {}
    return Engine(plan, worker or FakeWorker(), store, Quiet(), deadline, **how)


class Arithmetic(unittest.TestCase):
    def test_interval_is_students(self):
        values = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
        self.assertAlmostEqual(stats.half_width(values), 2.570582 * (3.5 / 6) ** 0.5, 5)

    def test_no_interval_of_fewer_than_six(self):
        self.assertIsNone(stats.half_width([1.0, 2.0, 3.0, 4.0, 5.0]))

    def test_summary(self):
        summary = stats.summarize([10.0, 11.0, 15.0])
        self.assertEqual((summary["mean"], summary["median"], summary["n"]), (12.0, 11.0, 3))
        self.assertEqual(stats.summarize([])["n"], 0)

    def test_narrow(self):
        tight = stats.summarize([100.0, 101.0, 99.0] * 2)
        self.assertTrue(stats.is_narrow(tight, 0.05, 3))
        self.assertFalse(stats.is_narrow(tight, 0.05, 7))
        self.assertFalse(stats.is_narrow(tight, 0.001, 3))
        self.assertFalse(stats.is_narrow(stats.summarize([100.0] * 5), 0.05, 1))

    def test_ratios(self):
        cells = [{"throughput": stats.summarize([v])} for v in (300.0, 200.0)]
        self.assertEqual(stats.ratio(*cells), 1.5)
        self.assertEqual(stats.improvement(*cells), 50.0)
        self.assertIsNone(stats.ratio(cells[0], None))
        self.assertAlmostEqual(stats.geometric_mean([2.0, 8.0, None]), 4.0)

    def test_numbers_for_people(self):
        self.assertEqual([show.rate(v) for v in (None, 12.3, 999.96, 81234.0, 2.65e6, 1e9)],
                         ["-", "12.3", "1k", "81.2k", "2.65M", "1G"])
        self.assertEqual([show.duration(v) for v in (850.0, 1234.0, 123456.0, 3.4e6, 2e9)],
                         ["850ns", "1.2us", "123us", "3.4ms", "2s"])


class Order(unittest.TestCase):
    def test_locks_take_turns(self):
        engine = make(max_rounds=2)
        self.assertTrue(engine.measure())
        self.assertEqual([c[0] for c in engine.worker.calls],
                         ["furwock", "pthread", "sysv", "pthread", "sysv", "furwock"])

    def test_points_are_visited_in_each_round(self):
        points = [config(), config(tasks=3)]
        engine = make(names=["pthread"], points=points, max_rounds=2)
        engine.measure()
        self.assertEqual([c[1] for c in engine.worker.calls], points * 2)

    def test_same_times_in_a_round(self):
        engine = make(max_rounds=2)
        engine.measure()
        seeds = [c[2] for c in engine.worker.calls]
        self.assertEqual(len(set(seeds[:3])), 1)
        self.assertEqual(len(set(seeds)), 2)

    def test_narrow_is_enough(self):
        engine = make(max_rounds=9)
        engine.measure()
        self.assertEqual(len(engine.worker.calls), 3 * 6)     # there is no interval of fewer

    def test_wide_goes_on(self):
        engine = make(worker=FakeWorker(lambda lock, n: 100.0 * n), max_rounds=4)
        engine.measure()
        self.assertEqual(len(engine.worker.calls), 12)

    def test_probes_once_beside_the_first_run(self):
        engine = make(probes=("waits", "contention"), max_rounds=2)
        engine.measure()
        probes = [c[3] for c in engine.worker.calls]
        self.assertEqual(probes[3:9], ["waits"] * 3 + ["contention"] * 3)
        self.assertEqual(set(probes[:3] + probes[9:]), {None})
        first, second = engine.store.find(config(), "sysv")["runs"]
        self.assertEqual((first["wait_ns"]["max"], first["contention"]), (9.0, 0.5))
        self.assertIsNone(second["contention"])

    def test_probes_in_several_rounds(self):
        engine = make(names=["sysv"], probes=("waits",), probe_rounds=2, rounds=3)
        engine.measure()
        self.assertEqual([c[3] for c in engine.worker.calls], [None, "waits"] * 2 + [None])
        runs = engine.store.find(config(), "sysv")["runs"]
        self.assertEqual([r["wait_ns"] is None for r in runs], [False, False, True])

    def test_a_failed_lock_is_left_out(self):
        def throughput(lock, _call):
            return Failure("hung") if lock == "pthread" else 100.0
        engine = make(worker=FakeWorker(throughput), max_rounds=2)
        self.assertTrue(engine.measure())
        self.assertEqual(sum(c[0] == "pthread" for c in engine.worker.calls), 1)
        self.assertEqual([f[1:] for f in engine.store.failures()], [("pthread", "hung")])
        self.assertIn("! pthread: hung, in (9,1) 2 tasks", show.failures(engine.store))

    def test_deadline(self):
        now = iter(range(1000))
        engine = make(clock=lambda: float(next(now)), deadline=8.0, seconds=1.0)
        self.assertFalse(engine.measure())
        self.assertLess(len(engine.worker.calls), 6)


class Planning(unittest.TestCase):
    def setUp(self):
        self.locks = planning.Locks(info())

    def test_paper(self):
        plan = planning.paper_plan(self.locks, [], "processes", Settings(), 2)
        tables = [(c, names) for c, names in plan.groups if c.experiment == "tables"]
        self.assertEqual(len(tables), 20)
        self.assertEqual(tables[3][0], Config("tables", "processes", 2, 1, 1.0, 9.0))
        self.assertEqual(tables[0][1], list(paper.NINE))
        efficiency = [c for c, _ in plan.groups if c.experiment == "efficiency"]
        self.assertEqual([(c.tasks, c.locks, c.lht_us + c.nlht_us) for c in efficiency],
                         [(1, 1, 0.0), (1, 1, 10.0), (2, 2, 0.0)])
        self.assertEqual(plan.groups[0][1][0], "none")

    def test_of_some_numbers_of_tasks(self):
        plan = planning.paper_plan(planning.Locks(info()), [], "threads", Settings(), 2)
        planning.keep_tasks(plan, (3, 100))
        self.assertEqual({c.tasks for c, _ in plan.groups if c.experiment != "reference"}, {3, 100})
        self.assertEqual(sum(c.experiment == "reference" for c, _ in plan.groups), 4)
        self.assertFalse([line for line in plan.left_out if "1000" in line])

    def test_paper_with_threads_adds_ours_and_rivals(self):
        plan = planning.paper_plan(self.locks, [], "threads", Settings(), 2)
        self.assertEqual(plan.groups[-1][1], [*paper.NINE, "furwock", "pthread"])

    def test_today(self):
        plan = planning.today_plan(self.locks, [], "threads", Settings(), 2, "random")
        points = [c for c, _ in plan.groups]
        self.assertEqual(len(points), len(set(points)))
        self.assertEqual({c.tasks for c in points}, {2, 4, 6, 8})
        self.assertEqual({c.locks for c in points}, {1, 10, 1000})
        self.assertEqual({(c.lht_us, c.nlht_us) for c in points},
                         {(0, 0), (1, 1), (1, 10), (10, 10), (10, 100), (100, 100), (100, 1000)})
        self.assertEqual(plan.groups[0][1], ["furwock", "pthread"])

    def test_demo_fits_its_budget(self):
        here = {"furwock", "pthread", "sysv"}
        locks = planning.Locks(info(*((n, "rival") for n in planning.DEMO_LOCKS if n not in here)))
        plan = planning.demo_plan(locks, [], "threads", Settings(**DEFAULTS["demo"]), 2)
        self.assertEqual([names for _, names in plan.groups[:2]],
                         [["none"], list(planning.DEMO_LOCKS)])
        if machine.cpus() >= 2:
            self.assertEqual(fitting.fit(plan, BUDGETS["demo"]), [])

    def test_processes_leave_out_what_is_for_threads(self):
        self.assertNotIn("furwock", self.locks.blocking("processes"))
        self.assertIn("furwock", self.locks.blocking("threads"))

    def test_fit_shortens_then_drops_and_says_so(self):
        plan = planning.paper_plan(self.locks, [], "processes", Settings(), 2)
        full = planning.estimate(plan)
        said = fitting.fit(plan, full * 0.35)
        self.assertLessEqual(planning.estimate(plan), full * 0.35)
        self.assertEqual(len(plan.groups), 27)
        self.assertRegex(said[0], "^with 1000 tasks 3 rounds instead of 6")
        self.assertRegex(said[1], r"^runs of 0\.\d+ s instead of 1 s, to end in time$")
        said = fitting.fit(plan, 20)
        self.assertLessEqual(planning.estimate(plan), 20)
        self.assertRegex(said[-1], r"configurations dropped: .*\(9,1\) 1000 tasks")
        with self.assertRaises(Trouble):
            fitting.fit(plan, 0.1)

    def test_bad_settings(self):
        for wrong in ({"seconds": 0.0}, {"rounds": 0}, {"rounds": 9, "max_rounds": 3}, {"ci": 2.0}):
            self.assertIsNotNone(Settings(**wrong).problem())
        self.assertIsNone(Settings().problem())


class Paper(unittest.TestCase):
    def test_tables_are_whole(self):
        for _, locks, table in paper.TABLES:
            self.assertEqual(tuple(table), paper.TASKS)
            for rows in table.values():
                self.assertEqual([len(r) for r in rows], [len(locks)] * 4)

    def test_samples(self):
        for lock, tasks, nlht, lht, expected in (
                ("futex-fair", 1000, 9, 1, 4393.7), ("ulock-fair-spin3", 2, 7, 3, 66.4),
                ("ulock", 2, 5, 5, 127.8), ("futex-spin3", 1000, 0, 10, 3333.1)):
            self.assertEqual(paper.improvement(lock, tasks, nlht, lht), expected)
        self.assertIsNone(paper.improvement("sysv", 2, 9, 1))

    def test_today_stands_beside_then(self):
        plan = planning.paper_plan(planning.Locks(info()), [], "processes",
                                   Settings(rounds=1, max_rounds=1, probes=("contention",)), 2)
        store = storing.Store(None, plan, planning.Locks(info()), dict(ABOUT))
        worker = FakeWorker(lambda lock, _: 100.0 if lock == "sysv" else 300.0)
        Engine(plan, worker, store, Quiet()).measure()
        text = PaperShow(store, plan, "processes").text()
        for part in ("+200.0 (+4393.7)", "33.3 (25.1)", "100.0 (84.6 to 87.9)", "50.0 (41.7)",
                     "1.00 (1.51)", "100.00 (92.10)", "0 (1034)"):
            self.assertIn(part, text)


class Files(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.path = os.path.join(directory.name, "result.json")

    def write(self, text):
        with open(self.path, "w", encoding="utf-8") as f:
            f.write(text)

    def test_format(self):
        engine = make(path=self.path, max_rounds=2)
        engine.measure()
        found = storing.read(self.path)
        self.assertEqual((found["format"], found["benchmark"], found["plan"]),
                         ("furwock-bench-1", "ulockflex", "single"))
        cell = found["cells"][0]
        for key in ("lock", "family", "blocks", "spins", "fair", "shared", "experiment", "kind",
                    "tasks", "locks", "lht_us", "nlht_us", "runs", "throughput", "narrow"):
            self.assertIn(key, cell)
        self.assertEqual([r["round"] for r in cell["runs"]], [1, 2])
        self.assertEqual(os.listdir(os.path.dirname(self.path)), ["result.json"])

    def test_resume_does_only_the_rest(self):
        first = make(path=self.path, max_rounds=2, worker=FakeWorker(
            lambda _, n: KeyboardInterrupt() if n == 5 else 100.0))
        with self.assertRaises(KeyboardInterrupt):
            first.measure()
        first.store.write()
        old = storing.read(self.path)
        storing.check_resumable(old, self.path, "single", ABOUT)
        second = make(path=self.path, max_rounds=2)
        second.store.resume(old)
        second.measure()
        self.assertEqual([c[0] for c in second.worker.calls], ["sysv", "furwock"])
        self.assertEqual([len(c["runs"]) for c in storing.read(self.path)["cells"]], [2, 2, 2])

    def test_other_files_are_refused(self):
        for text, said in (("hello", "not a result file"), ("[1]", "not a result file"),
                           ('{"format": "furwock-bench-9"}', "but of furwock-bench-9"),
                           ('{"format": "furwock-bench-1", "benchmark": "uncontended"}',
                            "results of uncontended")):
            self.write(text)
            with self.assertRaisesRegex(Trouble, said):
                storing.read(self.path)

    def test_other_plans_and_machines_are_refused(self):
        good = {"plan": "paper", "machine": ABOUT, "made": made.describe(), "cells": [],
                "settings": dataclasses.asdict(Settings())}
        storing.check_resumable(good, "f", "paper", {**ABOUT, "date": "later"})
        for change, said in (({"plan": "today"}, "holds the plan today"),
                             ({"machine": {**ABOUT, "cpus": 64}}, "another machine"),
                             ({"made": {"commit": "f00", "clean": False}},
                              r"with other sources \(f00 with changes\), and these are"),
                             ({"settings": {"colour": 1}}, "damaged"),
                             ({"cells": [{"lock": "futex"}]}, "damaged")):
            with self.assertRaisesRegex(Trouble, said):
                storing.check_resumable({**good, **change}, "f", "paper", ABOUT)

    def test_a_failed_write_leaves_the_old_file(self):
        engine = make(path=self.path)
        engine.measure()
        before = storing.read(self.path)
        engine.store.as_json = lambda: json.dumps(object)
        with self.assertRaises(TypeError):
            engine.store.write()
        self.assertEqual(storing.read(self.path), before)
        self.assertEqual(os.listdir(os.path.dirname(self.path)), ["result.json"])

    def test_machine(self):
        about = machine.describe({"libc": "2.36", "compiler": "12"})
        self.assertTrue(machine.same(about, dict(about, date="another")))
        self.assertGreaterEqual(about["cpus"], 1)


class Worker(unittest.TestCase):
    def test_how_a_run_ended(self):
        run = {"integrity": 0, "iterations": 5, "late": 0}
        self.assertEqual(_evaluate(0, json.dumps(run), ""), run)
        for status, out, err, said in (
                (3, json.dumps({**run, "integrity": 7}), "", "integrity violated 7 times"),
                (0, json.dumps({**run, "iterations": 0}), "", "no iteration"),
                (0, json.dumps({**run, "late": 38}), "", "38 of the tasks had not started"),
                (1, "", "noise\nulockflex-run: no shared memory", "^no shared memory$"),
                (-signal.SIGABRT, "", "", "crashed: SIGABRT"), (0, "?", "", "no result")):
            with self.assertRaisesRegex(Failure, said):
                _evaluate(status, out, err)


if __name__ == "__main__":
    unittest.main()
