#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests of what the report makes of the figures of furwock run --stat."""

import unittest

import reporting
import synthetic
from reporting import load
from fwreport import results, waited

def location(text):
    return {"address": "0x1000", "text": text, "symbol": text, "file": None, "line": 0,
            "module": "/bin/it", "offset": 16}


def lock(name, ns, is_lock=True, sites=("worker (it.c:7)",)):
    return {"object": location(name), "kind": "mutex" if is_lock else "condition",
            "is_lock": is_lock, "waits": 10, "failed": 0, "ns": ns, "p50_ns": ns // 20,
            "p99_ns": ns // 5, "longest_ns": ns // 4, "histogram_ns": [[64, 10]], "holders": [],
            "sites": [{"waiter": location(where),
                       "holder": location("owner (it.c:9)") if at else None,
                       "waits": 10 // len(sites), "ns": ns // len(sites), "callers": []}
                      for at, where in enumerate(sites)]}


def run(locks, **more):
    return {"format": waited.FORMAT, "benchmark": "stat", "machine": synthetic.MACHINE,
            "command": ["it", "<b>&"], "seconds": 2.5, "is_over": True, "status": 0,
            "quiet_processes": 0,
            "processes": [{"process": 4711, "program": "it", "waits": 10, "ns": 1000,
                           "locks": locks, "threads": [], "waiting": []}], **more}


class Reading(unittest.TestCase):
    def test_locks_first_and_most_time_first(self):
        raw = run([lock("less", 2000), lock("cond", 10 ** 9, False), lock("most", 6 * 10 ** 6)])
        process, = load(raw).waited
        self.assertEqual([one.name for one in process.locks], ["most", "less"])
        self.assertEqual([one.name for one in process.others], ["cond"])
        self.assertEqual(waited.total(process), 6002000)
        self.assertIn("100 % of that for most, most of it in worker (it.c:7)",
                      waited.headline(load(raw)))

    def test_a_run_that_never_waited(self):
        self.assertEqual(load(run([])).waited, [])

    def test_what_is_broken_is_named(self):
        raw = run([lock("one", 2000)])
        del raw["processes"][0]["locks"][0]["p50_ns"]
        with self.assertRaisesRegex(results.BadInput, "result 0: .* proper 'p50_ns'"):
            load(raw)

    def test_only_conditions(self):
        self.assertEqual(waited.headline(load(run([lock("cond", 1, False)]))),
                         "No thread waited for a lock.")


class Program(reporting.InDirectory):
    def test_summary(self):
        done = self.report([run([lock("hot_lock", 3 * 10 ** 6)])], "--summary")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"what process 4711 waited for")
        self.assertRegex(done.stdout, r"hot_lock +mutex +10 +3 ms")

    def test_nothing_waited_for(self):
        self.refused("nothing was measured", self.file("stat.json", run([])))


if __name__ == "__main__":
    unittest.main(verbosity=1)
