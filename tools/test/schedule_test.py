#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests of the drawing of what real-time tasks did."""

import unittest

import reporting
from reporting import report
from fwreport import results, schedule

MS = 1000000


def task(name, priority, cpu=0, deadline=0):
    return {"name": name, "process": 1, "thread": 2, "group": 3, "cpu": cpu, "priority": priority,
            "tier": "A", "period_ns": 20 * MS, "deadline_ns": deadline * MS, "lost": 0}


def event(at, number, kind, lock=None, other=None, value=0):
    return {"ns": int(at * MS), "task": number, "kind": kind, "lock": lock, "other": other,
            "cpu": 0, "value": value}


def run(number, start, end):
    return {"task": number, "cpu": 0, "from": int(start * MS), "to": int(end * MS)}


# "low" has A from 1 ms on; "high" comes at 2, wants it at 3, and waits until 4.
EVENTS = [event(0, 1, "begin"), event(0, 1, "release"), event(1, 1, "request", 0),
          event(1, 1, "acquire", 0), event(2, 0, "begin"), event(2, 0, "release"),
          event(3, 0, "request", 0), event(3, 0, "block", 0, 1), event(3, 0, "inherit", 0, 1),
          event(4, 1, "unlock", 0), event(4, 0, "resume", 0, 1), event(4, 0, "acquire", 0),
          event(5, 0, "unlock", 0), event(6, 0, "complete", value=1), event(6, 0, "end"),
          event(7, 1, "complete"), event(7, 1, "end")]
RUNS = [run(1, 0, 2), run(0, 2, 3), run(1, 3, 4), run(0, 4, 6), run(1, 6, 7)]


def raw(**more):
    return {"format": schedule.FORMAT, "command": ["it"], "status": 0, "missing": "",
            "beginning_ns": 5, "tasks": [task("high", 20, deadline=3), task("low", 10)],
            "locks": [{"name": "A", "protocol": "PCP", "group": 3}], "events": EVENTS,
            "runs": RUNS, **more}


class Reading(unittest.TestCase):
    def test_what_happened(self):
        found = schedule.Trace(raw(), "it")
        high, low = found.tasks
        self.assertEqual(low.sections, [(0, 1, 4)])
        self.assertEqual(high.sections, [(0, 4, 5)])
        self.assertEqual(high.waits, [(0, 3, 4)])
        self.assertEqual(low.inherits, [(3, 0)])
        self.assertEqual((high.releases, high.completions, high.late), ([2], [6], [6]))
        self.assertEqual(low.completions, [7])
        self.assertEqual(low.busy(), [(0, 2), (3, 4), (6, 7)])
        self.assertEqual(found.span(), (0, 7, True))

    def test_without_the_kernel(self):
        high, low = schedule.Trace(raw(runs=None), "it").tasks
        self.assertEqual(high.busy(), [(2, 3), (4, 6)])
        self.assertEqual(low.busy(), [(0, 7)])

    def test_what_never_ended(self):
        high, low = schedule.Trace(raw(events=EVENTS[:8]), "it").tasks
        self.assertEqual(high.waits, [(0, 3, 3)])
        self.assertEqual(low.sections, [(0, 1, 3)])

    def test_many_jobs(self):
        events = [event(at, 0, kind) for at in range(1, 300)
                  for kind in ("release", "complete")]
        self.assertEqual(schedule.Trace(raw(events=events), "it").span(),
                         (0, schedule.JOBS, False))

    def test_spans(self):
        self.assertEqual(schedule.without([(0, 10)], [(2, 3), (9, 12), (20, 30)]),
                         [(0, 2), (3, 9)])
        self.assertEqual(schedule.without([(0, 1)], [(0, 5)]), [])
        self.assertEqual(schedule.common([(0, 4), (6, 9)], 3, 7), [(3, 4), (6, 7)])


class Drawing(reporting.InDirectory):
    def test_pictures(self):
        paths = [self.file("a.json", raw()), self.file("b.json", raw(runs=None))]
        for more in ([], ["--span", "1,4.5"]):
            out = self.dir / "out"
            done = report("-o", out, *more, *paths)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(done.stdout.split(), [f"{out}/schedule.svg", f"{out}/schedule.png"])
            self.assertIn("<svg", (out / "schedule.svg").read_text(encoding="utf-8"))
            self.assertGreater((out / "schedule.png").stat().st_size, 1000)

    def test_names_are_only_names(self):
        odd = [task("$\\frac$", 20), task("a\x1b[31m\n", 10)]
        locks = [{"name": "$x", "protocol": "$^$", "group": 3}]
        path = self.file("$a$.json", raw(tasks=odd, locks=locks))
        self.assertEqual(report("-o", self.dir / "out", path).returncode, 0)
        said = report("--summary", path).stdout
        self.assertIn("a?[31m?", said)
        self.assertNotIn("\x1b", said)

    def test_summary(self):
        done = report("--summary", self.file("a.json", raw(missing="no tracefs")))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("a: PCP", done.stdout)
        self.assertIn("no tracefs", done.stdout)
        line = next(line for line in done.stdout.splitlines() if "high" in line)
        self.assertEqual(line.split(), ["high", "0", "20", "1", "1", "1", "1", "1.000", "1.000",
                                        "3.000"])

    def test_bad_input(self):
        for bad in (raw(tasks=[]), raw(events=[event(1, 7, "begin")]),
                    raw(events=[event(1, 0, "acquire", 9)]), raw(tasks=3), raw(locks=[{}])):
            self.refused("bad.json", "--summary", self.file("bad.json", bad))

    def test_a_trace_is_not_a_result(self):
        other = self.file("other.json", {"format": results.FORMAT})
        self.refused("other.json", "--summary", self.file("a.json", raw()), other)

    def test_spans(self):
        for text in ("1", "2,1", "a,b", "-1,3", "1,nan", ""):
            done = report("--span", text, self.file("a.json", raw()))
            self.assertEqual(done.returncode, 2, text)


if __name__ == "__main__":
    unittest.main()
