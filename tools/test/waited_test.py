#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Tests of what the report makes of the figures of furwock run --stat."""

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
from fwreport import results, waited  # noqa: E402

REPORT = HERE.parent / "report"


def location(text):
    return {"address": "0x1000", "text": text, "symbol": text, "file": None, "line": 0,
            "module": "/bin/it", "offset": 16}


def lock(name, ns, is_lock=True, sites=("worker (it.c:7)",)):
    return {"object": location(name), "kind": "mutex" if is_lock else "condition",
            "is_lock": is_lock, "waits": 10, "failed": 0, "ns": ns, "p50_ns": ns // 20,
            "p99_ns": ns // 5, "longest_ns": ns // 4, "histogram_ns": [[64, 10]], "holders": [],
            "sites": [{"waiter": location(where),
                       "holder": location("keeper (it.c:9)") if at else None,
                       "waits": 10 // len(sites), "ns": ns // len(sites), "callers": []}
                      for at, where in enumerate(sites)]}


def run(locks, **more):
    return {"format": waited.FORMAT, "benchmark": "stat", "machine": synthetic.MACHINE,
            "command": ["it", "<b>&"], "seconds": 2.5, "is_over": True, "status": 0,
            "quiet_processes": 0,
            "processes": [{"process": 4711, "program": "it", "waits": 10, "ns": 1000,
                           "locks": locks, "threads": [], "waiting": []}], **more}


def load(raw):
    loaded = results.Results()
    loaded.add(json.loads(json.dumps(raw)), "stat.json")
    return loaded


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
        with self.assertRaisesRegex(results.BadInput, "stat.json: .* proper 'p50_ns'"):
            load(raw)

    def test_only_conditions(self):
        self.assertEqual(waited.headline(load(run([lock("cond", 1, False)]))),
                         "No thread waited for a lock.")


class Program(unittest.TestCase):
    def setUp(self):
        self.room = tempfile.TemporaryDirectory()
        self.dir = pathlib.Path(self.room.name)
        self.addCleanup(self.room.cleanup)

    def report(self, raw, *words):
        (self.dir / "stat.json").write_text(json.dumps(raw))
        return subprocess.run([str(REPORT), "stat.json", *words], capture_output=True, text=True,
                              check=False, cwd=self.dir, timeout=900)

    def test_page(self):
        raw = run([lock(f"lock {i}", 10 ** (i % 9), i % 5 != 0,
                        [f"site {k}" for k in range(i % 7)]) for i in range(30)])
        done = self.report(raw, "-o", "out")
        self.assertEqual(done.returncode, 0, done.stderr)
        page = (self.dir / "out" / "index.html").read_text()
        self.assertTrue((self.dir / "out" / "waited-1.png").exists())
        for text in ('<figure id="waited-1">', "What programs waited for", "&lt;b&gt;&amp;",
                     "The threads of it: it"):
            self.assertIn(text, page)
        self.assertNotIn("<b>&", page)

    def test_summary(self):
        done = self.report(run([lock("hot_lock", 3 * 10 ** 6)]), "--summary")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"what process 4711 waited for")
        self.assertRegex(done.stdout, r"hot_lock +mutex +10 +3 ms")

    def test_nothing_waited_for(self):
        done = self.report(run([]))
        self.assertEqual(done.returncode, 2)
        self.assertIn("nothing was measured", done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=1)
