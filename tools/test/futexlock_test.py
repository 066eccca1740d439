#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Tests of what the report makes of futexlock."""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

try:
    import matplotlib  # noqa: F401
    import numpy  # noqa: F401
    import scipy  # noqa: F401
    import tabulate  # noqa: F401
except ImportError as error:
    print(f"skipped: {error}; install python3-matplotlib, -numpy, -scipy and -tabulate")
    sys.exit(77)

import synthetic  # noqa: E402
import synthetic_futexlock  # noqa: E402
from fwreport import futexlock, results, summary  # noqa: E402
from fwreport.outcome import MISSED, NOISE, REACHED, UNKNOWN  # noqa: E402

INVENTED = synthetic_futexlock.futexlock


def load(*raws):
    loaded = results.Results()
    for at, raw in enumerate(raws):
        loaded.add(json.loads(json.dumps(raw)), f"result {at}")
    return loaded


def changed(change, **where):
    """An invented result; change(run) is called for each run of the cells that match."""
    raw = INVENTED()
    for cell in raw["cells"]:
        if all(cell[name] == value for name, value in where.items()):
            for run in cell["runs"]:
                change(run)
    return raw


def times(metric, factor):
    def change(run):
        run[metric] *= factor(run) if callable(factor) else factor
    return change


def goals(*raws):
    return [goal for evaluate in futexlock.GOALS for goal in evaluate(load(*raws))]


def states(*raws):
    return [goal.state for goal in goals(*raws)]


class Figures(unittest.TestCase):
    def test_figures(self):
        one = futexlock.found(load(INVENTED()))
        self.assertEqual(futexlock.series(one), [(1000, 10, "off"), (1000, 50, "off")])
        points = futexlock.points(one, 1000, 10, "off")
        self.assertEqual([point.threads for point in points], list(synthetic_futexlock.THREADS))
        self.assertAlmostEqual(
            futexlock.times(one, points[0], "furwock", "furwock-block").value, 1.4, delta=0.03)
        # The invented repetitions are up to 1.4 times slower.
        self.assertAlmostEqual(futexlock.speed(one, points[0], "furwock-block").value,
                               1e6 / 1.1 / 1.2, delta=3e4)
        self.assertAlmostEqual(futexlock.burnt(one, points[0], "furwock").value, 300e-9,
                               delta=10e-9)
        self.assertIsNone(futexlock.speed(one, points[-1], "ck-mcs"))

    def test_ideal(self):
        one = futexlock.found(load(INVENTED()))
        first, second, *_ = futexlock.points(one, 1000, 10, "off")
        self.assertAlmostEqual(futexlock.ideal(one, first, 4), 5e6, delta=1)
        self.assertAlmostEqual(futexlock.ideal(one, second, 4), 1e7, delta=1)
        half = futexlock.points(one, 1000, 50, "off")[-1]
        self.assertAlmostEqual(futexlock.ideal(one, half, 4), 1e7, delta=1)     # one at a time
        self.assertIn("a lock that costs nothing would have", goals(INVENTED())[0].got)

    def test_text(self):
        text = summary.text(load(INVENTED()))
        for wanted in ("futexlock, period 1000, duty cycle 10 %: thousand iterations per second",
                       "CPU time burnt, ns per iteration", "40 + 20",
                       "futexlock, 8 threads, period 1000, duty cycle 10 %"):
            self.assertIn(wanted, text)
        one = futexlock.found(load(INVENTED()))
        self.assertLess(max(map(len, futexlock.text(one).splitlines())), 130)

    def test_system_calls_that_were_not_counted_have_no_table(self):
        raw = INVENTED()
        for cell in raw["cells"]:
            for run in cell["runs"]:
                run["lock_syscalls"] = run["unlock_syscalls"] = run["syscalls"] = None
        titles = [title for title, _, _ in futexlock.figures(futexlock.found(load(raw)))]
        self.assertEqual(len(titles), 4)
        self.assertFalse(any("system calls" in title for title in titles))

    def test_one_run(self):
        """As one run without a sweep writes it."""
        text = summary.text(load(INVENTED(1, (8,), (10,), ("pthread",))))
        self.assertIn("not measured", text)


class Goals(unittest.TestCase):
    def test_reached(self):
        self.assertEqual(states(INVENTED()), [REACHED, REACHED])

    def test_nothing_measured(self):
        self.assertEqual(states(synthetic.uncontended()), [UNKNOWN] * 2)
        self.assertEqual(states(INVENTED(locks=("furwock", "pthread"))), [UNKNOWN] * 2)
        self.assertEqual(states(INVENTED(threads=(2, 4))), [UNKNOWN, REACHED])
        self.assertEqual(states(INVENTED(period=500)), [UNKNOWN, REACHED])

    def test_adaptive_is_evaluated_where_it_was_claimed(self):
        slow = times("seconds", 1.3)
        self.assertEqual(states(changed(slow, lock="furwock", threads=8, duty=10))[0], MISSED)
        self.assertEqual(states(changed(slow, lock="furwock", threads=16, duty=10))[0], REACHED)
        self.assertEqual(states(changed(slow, lock="furwock", threads=8, duty=50))[0], REACHED)

    def test_with_and_without_the_assist(self):
        """Each for itself, though both are in one report."""
        slow = changed(times("seconds", 1.3), lock="furwock")
        found = goals(slow, INVENTED(assist="on"))
        self.assertEqual([goal.state for goal in found[:2]], [MISSED, REACHED])
        self.assertNotIn("assist", found[0].name)
        self.assertIn("assist on", found[1].name)

    def test_within_noise(self):
        shaky = times("seconds", lambda run: 1.2 if run["round"] % 2 else 1.05)
        shaky_more = times("seconds", lambda run: 1.2 if run["round"] % 4 else 1.05)
        self.assertIn(states(changed(shaky, lock="furwock", threads=8, duty=10))[0],
                      (REACHED, NOISE))
        self.assertEqual(states(changed(shaky_more, lock="furwock", threads=8, duty=10))[0],
                         NOISE)

    def test_cpu_time(self):
        dear = times("cpu_seconds", 1.5)
        found = goals(changed(dear, lock="furwock", threads=64, duty=50))[1]
        self.assertEqual(found.state, MISSED)
        self.assertEqual(len(found.short), 1)
        self.assertIn("64 threads, period 1000, duty cycle 50 %: 1.2", found.short[0])

    def test_cpu_time_may_buy_speed(self):
        raw = changed(times("cpu_seconds", 1.5), lock="furwock", threads=64, duty=50)
        for cell in raw["cells"]:
            if (cell["lock"], cell["threads"], cell["duty"]) == ("furwock", 64, 50):
                for run in cell["runs"]:
                    run["seconds"] /= 1.2
        self.assertEqual(states(raw)[1], REACHED)


class Shown(unittest.TestCase):
    def page_of(self, raw):
        with tempfile.TemporaryDirectory() as folder:
            path, out = pathlib.Path(folder, "futexlock.json"), pathlib.Path(folder, "out")
            path.write_text(json.dumps(raw))
            done = subprocess.run([str(HERE.parent / "report"), str(path), "-o", str(out)],
                                  capture_output=True, text=True, check=False, timeout=900)
            self.assertEqual(done.returncode, 0, done.stderr)
            page = (out / "index.html").read_text()
            self.assertNotIn("nan", page)
            return page, {picture.name for picture in out.glob("*.png")}

    def test_page(self):
        page, pictures = self.page_of(INVENTED())
        self.assertEqual(pictures, {"futexlock-10.png", "futexlock-50.png"})
        self.assertIn('<figure id="futexlock-10">', page)
        self.assertIn("Part of the time in the lock", page)
        self.assertIn("Darren Hart", page)

    def test_page_of_one_point(self):
        _, pictures = self.page_of(INVENTED(1, (3,), (0,), ("furwock",), period=500))
        self.assertEqual(pictures, {"futexlock-500-0.png"})


if __name__ == "__main__":
    unittest.main(verbosity=1)
