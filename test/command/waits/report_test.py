#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""furwock record and report: what was recorded is found again in every form.

report_test.py FURWOCK PLANTED
"""

import json
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

import support
from support import functions, planted

command_test = support.command_test
SVG = "{http://www.w3.org/2000/svg}"


def no_room():
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (8, 8))


class Recording(command_test.Case):
    """One recording, of a lock for which threads wait all the time."""

    @classmethod
    def setUpClass(cls):
        why = support.why_not()
        if why:
            raise unittest.SkipTest(why)
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="furwock-report-"))
        cls.file = cls.folder / "waits"
        with planted("recursive") as (process, address):
            cls.address, cls.pid = hex(address), process.pid
            for seconds in (0.5, 2, 8, 30):  # until there are waits, on a busy machine
                done = command_test.furwock("record", "-p", str(process.pid), "-o", str(cls.file),
                                            f"--seconds={seconds}")
                assert done.returncode == 0, done.stderr
                cls.said = done.stderr
                if cls.is_enough(json.loads(cls.file.read_text(encoding="utf-8"))):
                    return
        raise AssertionError("nobody waited")

    @staticmethod
    def is_enough(recording):
        with_waker = [sample for sample in recording["samples"] if sample[7] is not None]
        return len(with_waker) >= 2

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder, ignore_errors=True)

    def report(self, *words):
        return self.good("report", str(self.file), *words)

    def lock(self):
        found = json.loads(self.report("--json", "--locks=0", "--places=0"))
        self.assertEqual(found["format"], "furwock-report-1")
        return next(x for x in found["locks"] if x["address"] == self.address), found

    def test_what_it_says(self):
        self.assertRegex(self.said, r"^furwock record: [0-9.]+ s, [0-9]+ waits for [0-9]+ objects, "
                                    r"[0-9]+ of them with stacks: ")

    def test_the_lock_is_in_it(self):
        lock, _ = self.lock()
        self.assertEqual((lock["variable"], lock["kind"], lock["pid"], lock["process"]),
                         ("hot_mutex", "mutex", self.pid, "planted"))
        self.assertIn("hot_place", functions(lock["places"][0]["waiter"]))
        self.assertTrue(any("hot_place" in functions(p["waker"]) for p in lock["places"]))
        self.assertAlmostEqual(sum(p["waits"] for p in lock["places"]), lock["waits"], delta=1e-3)
        self.assertAlmostEqual(sum(p["waited_us"] for p in lock["places"]), lock["waited_us"],
                               delta=1e-4 * lock["waited_us"])

    def test_table(self):
        text = self.report()
        self.assertRegex(text, r"(?m)^hot_mutex +mutex +planted\[[0-9]+\]")
        self.assertRegex(text, r"(?m)^ +[0-9]+ % .*hot_place \(planted\.c:[0-9]+\) < worker")
        self.assertRegex(text, r"(?m)^ +woken by hot_place ")

    def test_folded_stacks(self):
        lock, _ = self.lock()
        inner = r"(.*;)?worker;hot_place;(.*;)?"
        patterns = {"waiters": rf"planted;{inner}\[mutex hot_mutex\]",
                    "wakers": rf"planted;{inner}\[mutex hot_mutex\]",
                    "both": r"planted;.*\[mutex hot_mutex\];--;.*hot_place;worker"}
        for whose, pattern in patterns.items():
            lines = self.report("--folded=-", f"--stacks={whose}").splitlines()
            found = [re.fullmatch(rf"{pattern} (?P<us>[0-9]+)", line) for line in lines]
            times = [int(match["us"]) for match in found if match]
            self.assertTrue(times, lines)
            self.assertLessEqual(sum(times), 1.01 * lock["waited_us"] + len(lines))

    def test_flame_graph(self):
        for whose in ("waiters", "wakers", "both"):
            root = xml.etree.ElementTree.fromstring(
                self.report("--flame=-", f"--stacks={whose}"))
            titles = [t.text for t in root.iter(f"{SVG}title")]
            self.assertTrue(any(t.startswith("hot_place: ") for t in titles), titles)
            width = float(root.get("width"))
            for box in root.iter(f"{SVG}rect"):
                if box.get("x"):
                    self.assertLessEqual(float(box.get("x")) + float(box.get("width")), width)

    def test_trace(self):
        path = self.folder / "trace.json"
        self.report(f"--trace={path}")
        events = json.loads(path.read_text(encoding="utf-8"))["traceEvents"]
        waits = [e for e in events if e["ph"] == "X" and e["cat"] == "wait"]
        named = {e["tid"] for e in events if e["ph"] == "M" and e["name"] == "thread_name"}
        self.assertTrue(any(e["name"] == "mutex hot_mutex" for e in waits))
        self.assertLessEqual({e["tid"] for e in waits}, named)
        arrows = {ph: {e["id"] for e in events if e["ph"] == ph} for ph in "sf"}
        self.assertTrue(arrows["s"])
        self.assertEqual(arrows["s"], arrows["f"])
        for e in waits:
            self.assertEqual(e["pid"], self.pid)
            self.assertGreater(e["dur"], 0)

    def test_page(self):
        page = self.report("--page=-")
        for part in ("<!DOCTYPE html>", "hot_mutex", "hot_place", "<svg", "What ended their waits"):
            self.assertIn(part, page)
        self.assertEqual(page.count("<svg"), page.count("</svg>"))

    def test_one_lock_only(self):
        self.assertIn("hot_mutex", self.report("--lock=hot_"))
        self.assertNotIn("cold", self.report("--lock=hot_"))
        self.assertIn("no lock has", self.refused(1, "report", str(self.file), "--lock=nothing"))

    def test_a_program_that_is_started(self):
        file = self.folder / "started"
        done = command_test.furwock("record", "-o", str(file), "--", "sh", "-c", "exit 7")
        self.assertEqual(done.returncode, 7, done.stderr)
        self.assertEqual(json.loads(file.read_text(encoding="utf-8"))["format"], "furwock-waits-1")
        self.good("report", str(file))
        done = command_test.furwock("record", "-o", str(file), "--", "/nowhere/program")
        self.assertEqual(done.returncode, 127)
        self.assertIn("/nowhere/program", done.stderr)

    def test_into_a_pipe(self):
        """What is no regular file is written to, and not replaced by one."""
        pipe = self.folder / "pipe"
        os.mkfifo(pipe)
        reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
        try:
            done = command_test.furwock("record", "-p", str(os.getpid()), "--seconds=0.01", "-o",
                                        str(pipe))
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("format", json.loads(os.read(reader, 1 << 20)))
        finally:
            os.close(reader)
        self.assertTrue(pipe.is_fifo())

    def test_a_recording_that_cannot_be_written_is_kept(self):
        done = command_test.furwock("record", "-p", str(os.getpid()), "--seconds=0.01", "-o",
                                    "/dev/full")
        self.assertEqual(done.returncode, 1)
        said = re.fullmatch("furwock record: cannot write /dev/full: No space left on device; "
                            "the recording is in (/.+)\n", done.stderr)
        self.assertIsNotNone(said, done.stderr)
        self.addCleanup(os.unlink, said[1])
        self.good("report", said[1])

    def test_what_is_there_stays_if_it_cannot_be_written(self):
        done = command_test.furwock("record", "-p", str(os.getpid()), "--seconds=0.01", "-o",
                                    "/nowhere/file")
        self.assertEqual(done.returncode, 1)
        self.assertIn("/nowhere/file", done.stderr)


class Damaged(command_test.Case):
    """Of a file that is no recording it is said what is wrong."""

    WHOLE = {"format": "furwock-waits-1", "started": 0.0, "seconds": 1.0,
             "lost": {"waits": 0, "samples": 0}, "frames": [["f", None, None, 0, None, 0, 1, 0]],
             "stacks": [[0]], "processes": [{"pid": 1, "name": "p", "program": "/p"}],
             "threads": [], "samples": [], "locks": [
                 {"process": 0, "address": 4096, "name": None, "kind": "mutex", "class": "lock",
                  "op": 128, "waits": 2, "total": 2000, "late": 10, "longest": 1500, "by_other": 0,
                  "buckets": [[9, 2]], "waiters": 0, "oldest": 0, "owner": 0, "owner_known": False,
                  "owner_name": "", "places": [{"waiter": 0, "waker": None, "waits": 2.0,
                                                "ns": 2000.0, "longest": 1500, "samples": 2}]}]}

    def write(self, folder, **change):
        path = pathlib.Path(folder, "waits")
        path.write_text(json.dumps({**self.WHOLE, **change}), encoding="utf-8")
        return str(path)

    def test_a_whole_one(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertIn("0x1000", self.good("report", self.write(folder)))

    def test_files_that_cannot_be_written(self):
        """What is there stays."""
        with tempfile.TemporaryDirectory() as folder:
            waits, older = self.write(folder), pathlib.Path(folder, "older")
            for option in ("--flame", "--folded", "--trace", "--page"):
                with self.subTest(option):
                    older.write_text("older", encoding="ascii")
                    done = command_test.furwock("report", f"{option}={older}", waits,
                                                preexec_fn=no_room)
                    self.assertEqual((done.returncode, done.stderr), (
                        1, f"furwock report: cannot write {older}: File too large\n"))
                    self.assertEqual(older.read_text(encoding="ascii"), "older")
                    older.write_text("older" * 20000, encoding="ascii")
                    self.good("report", f"{option}={older}", waits)
                    self.assertNotIn("older", older.read_text(encoding="utf-8"))

    def test_others(self):
        lock = self.WHOLE["locks"][0]
        changes = ({"format": "x"}, {"frames": 1}, {"frames": [[]]}, {"stacks": [[1]]},
                   {"stacks": [[-1]]}, {"seconds": 0.0}, {"lost": None}, {"processes": []},
                   {"locks": [{**lock, "buckets": [[100000, 1]]}]},
                   {"locks": [{**lock, "places": [{}]}]}, {"samples": [[1]]},
                   {"samples": [[0, 1, 0, 1, 0, 7, 0, None, 1, 0]]})
        with tempfile.TemporaryDirectory() as folder:
            for change in changes:
                with self.subTest(change):
                    self.assertIn("waits", self.refused(1, "report", self.write(folder, **change)))
            path = pathlib.Path(folder, "cut")
            path.write_text('{"format":', encoding="utf-8")
            self.assertIn("cut", self.refused(1, "report", str(path)))
        self.assertIn("/nowhere", self.refused(1, "report", "/nowhere/file"))


if __name__ == "__main__":
    command_test.PROGRAM[:] = sys.argv[1:2]
    support.PLANTED[:] = sys.argv[2:3]
    unittest.main(argv=sys.argv[:1])
