#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""furwock top, record and report: which processes, how often, how much, in which order.

    options_test.py FURWOCK PLANTED
"""

import json
import pathlib
import re
import shutil
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import support  # noqa: E402
from support import planted, tables  # noqa: E402

command_test = support.command_test
ORDERS = {"time": "waited_us", "count": "waits", "max": "max_us"}


def has(locks, process, address):
    return any((lock["pid"], lock["address"]) == (process.pid, hex(address)) for lock in locks)


class Live(command_test.Case):
    @classmethod
    def setUpClass(cls):
        why = support.why_not()
        if why:
            raise unittest.SkipTest(why)
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="furwock-options-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)

    def test_top_which_processes(self):
        with planted("recursive") as (process, address), planted("recursive") as (other, beside):
            for which in ("--all", "--comm=planted", f"--pid={process.pid}"):
                for table in tables(which, "--locks=0"):
                    if has(table["locks"], process, address):
                        break
                with self.subTest(which):
                    if which.startswith("--pid"):
                        self.assertFalse(has(table["locks"], other, beside))

    def test_top_how_often(self):
        with planted("recursive") as (process, _):
            for word, count in (("--count=3", 3), ("--once", 1)):
                lines = self.good("top", f"--pid={process.pid}", "--json", "--interval=0.05",
                                  word).splitlines()
                self.assertEqual([json.loads(line)["format"] for line in lines],
                                 ["furwock-top-1"] * count)

    def test_top_how_much(self):
        """Of two locks one; of its places one.  And all of them."""
        with planted("fw_mutex") as (process, _), planted("fw_mutex") as (other, _):
            which = ("--samples=0", "-p", f"{process.pid},{other.pid}")
            for table in tables(*which, "--locks=0", "--places=0"):
                if len([x for x in table["locks"] if len(x["places"]) > 1]) == 2:
                    break
            for table in tables(*which, "--locks=1", "--places=1"):
                if table["locks"] and table["locks"][0]["places"]:
                    break
            self.assertEqual([len(lock["places"]) for lock in table["locks"]], [1])

    def test_top_length_of_stacks(self):
        with planted("recursive") as (process, _):
            for word, callers in (("--frames=1", 0), ("--frames=2", 1), ("--frames=0", 2)):
                places = []
                while not places:
                    table = self.good("top", f"--pid={process.pid}", "--once", "--interval=0.3",
                                      word)
                    places = re.findall(r"(?m)^ +[0-9]+ % (.*)$", table)
                self.assertGreaterEqual(places[0].count(" < "), callers)
                if callers < 2:
                    self.assertEqual(places[0].count(" < "), callers)

    def test_top_order(self):
        with planted("recursive") as (process, _), planted("recursive") as (other, _):
            for order, key in ORDERS.items():
                for table in tables("-p", f"{process.pid},{other.pid}", f"--sort={order}"):
                    if len(table["locks"]) == 2:
                        break
                values = [lock[key] for lock in table["locks"]]
                self.assertEqual(values, sorted(values, reverse=True))

    def test_record(self):
        """With --samples=0 each wait has its stacks."""
        with planted("recursive") as (process, address):
            for which in ("--all", "--comm=planted", f"--pid={process.pid}"):
                file = self.folder / "recorded"
                for seconds in (0.3, 2, 8, 30):  # until there are waits, on a busy machine
                    done = command_test.furwock("record", which, "--samples=0",
                                                f"--seconds={seconds}", f"--output={file}")
                    self.assertEqual(done.returncode, 0, done.stderr)
                    whole = json.loads(file.read_text(encoding="utf-8"))
                    found = [lock for lock in whole["locks"] if lock["address"] == address]
                    if found and found[0]["waits"]:
                        break
                with self.subTest(which):
                    counted = sum(lock["waits"] for lock in whole["locks"])
                    self.assertGreaterEqual(len(whole["samples"]) + whole["lost"]["samples"],
                                            0.9 * counted)


def made_up():
    """A recording of three locks, each the first in another order."""
    frames = [["inner", None, "made.c", line, "/made/up", line, 0, 0] for line in range(3)]
    # waits, nanoseconds, longest
    figures = ((10, 9_000_000, 2_000_000), (900, 1_000_000, 3_000), (2, 8_000_000, 7_000_000))
    locks = []
    for number, (waits, total, longest) in enumerate(figures):
        places = [{"waiter": stack, "waker": None, "waits": waits / 2, "ns": total / 2,
                   "longest": longest, "samples": 1} for stack in (0, 1)]
        locks.append({"process": 0, "address": 4096 + number, "name": f"lock{number}",
                      "kind": "mutex", "class": "lock", "op": 128, "waits": waits, "total": total,
                      "late": 0, "longest": longest, "by_other": 0, "buckets": [[50, waits]],
                      "waiters": 0, "oldest": 0, "owner": 0, "owner_known": False,
                      "owner_name": None, "places": places})
    return {"format": "furwock-waits-1", "started": 0.0, "seconds": 1.0,
            "lost": {"waits": 0, "samples": 0}, "frames": frames, "stacks": [[0, 1, 2], [1, 2]],
            "processes": [{"pid": 1, "name": "made", "program": "/made/up"}], "locks": locks,
            "threads": [], "samples": []}


class Report(command_test.Case):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="furwock-options-"))
        self.addCleanup(shutil.rmtree, self.folder)
        self.file = self.folder / "made-up"
        self.file.write_text(json.dumps(made_up()), encoding="utf-8")

    def report(self, *words):
        return json.loads(self.good("report", "--json", *words, str(self.file)))["locks"]

    def test_report_order(self):
        for order, first in (("time", "lock0"), ("count", "lock1"), ("max", "lock2")):
            found = self.report(f"--sort={order}")
            self.assertEqual(found[0]["variable"], first)
            values = [lock[ORDERS[order]] for lock in found]
            self.assertEqual(values, sorted(values, reverse=True))

    def test_report_how_much(self):
        whole = self.report("--locks=0", "--places=0")
        self.assertEqual([len(lock["places"]) for lock in whole], [2, 2, 2])
        part = self.report("--locks=1", "--places=1")
        self.assertEqual([len(lock["places"]) for lock in part], [1])

    def test_report_length_of_stacks(self):
        for word, callers in (("--frames=1", 0), ("--frames=2", 1), ("--frames=0", 2)):
            table = self.good("report", word, "--locks=1", str(self.file))
            self.assertEqual(max(line.count(" < ") for line in table.splitlines()), callers)


if __name__ == "__main__":
    command_test.PROGRAM[:] = sys.argv[1:2]
    support.PLANTED[:] = sys.argv[2:3]
    unittest.main(argv=sys.argv[:1])
