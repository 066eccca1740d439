#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests of the tables that results write into the documents."""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

from reporting import REPORT, TOOLS, changed, load, times
import synthetic
import synthetic_adaptive
import synthetic_between
import synthetic_futexlock
import synthetic_lifo
import synthetic_lockmix
import synthetic_mix
import synthetic_rtlatency
import synthetic_share
import synthetic_wakes
from fwreport import documents

DOCUMENTS = TOOLS.parent / "doc"
TEXT = "# Page\n\n<!-- measured: {} -->\n\nold\n\n<!-- end -->\nafter\n"


def paper(**how):
    return synthetic.paper(**{"runs": 6, "tasks": (2, 100), **how})


def as_processes(raw):
    """The result, as if the tasks had been processes."""
    for cell in raw["cells"]:
        cell["kind"] = "processes"
    return raw


def database(loops):
    return {**synthetic_between.database(), "settings": {"loops": loops}}


def cells(lines):
    """Rows of the first table among the lines, as lists of words."""
    rows = [line.strip("|").split("|") for line in lines if line.startswith("|")]
    return [[word.strip() for word in row] for row in rows]


class Tables(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.results = load(
            paper(), as_processes(paper()), synthetic.today(), synthetic.uncontended(),
            synthetic_share.share(),
            synthetic_share.uncontended(), synthetic_wakes.condperf(), synthetic_wakes.pingpong(),
            synthetic_wakes.latency(), synthetic_futexlock.futexlock(), synthetic_lifo.lifo(),
            synthetic_mix.atomicmix(), synthetic_rtlatency.pairs(), synthetic_rtlatency.tasks(),
            synthetic_rtlatency.tasks(**synthetic_rtlatency.WITH_NEEDLESS_CALLS, run_ms=500),
            synthetic_between.processes(), database(200000), database(100),
            synthetic_adaptive.adaptive(), synthetic_lockmix.lockmix())

    def test_every_table_has_rows_as_long_as_its_head(self):
        for name, make in documents.TABLES.items():
            if name == "drop-in":       # of which there are no invented results
                continue
            with self.subTest(table=name):
                lines = make(self.results)
                self.assertTrue(lines)
                width = None
                for line in lines:
                    if not line.startswith("|"):
                        width = None
                        continue
                    self.assertEqual(line.replace("\\|", "").count("|"),
                                     width or line.count("|"), line)
                    width = line.count("|")

    def test_nothing_measured_makes_no_table(self):
        few = load(synthetic_wakes.pingpong())
        made = {name for name, make in documents.TABLES.items() if make(few)}
        self.assertEqual(made - {"short"}, {"machine", "2003-pingpong", "goals"})

    def test_twice_system_v_is_a_hundred_per_cent_above(self):
        raw = changed(paper(tasks=(2,), locks=("sysv", "futex-fair")), times(2, "throughput"),
                      lock="futex-fair")
        for cell in raw["cells"]:
            for run in cell["runs"]:
                run["throughput"] = 2000.0 if cell["lock"] == "futex-fair" else 1000.0
        rows = cells(documents.TABLES["2002-table-1"](load(raw)))
        self.assertEqual(rows[2][:4], ["2", "(0,10)", "+100 ±0", "-15.5"])

    def test_runs_of_two_files_add_up(self):
        raws = [paper(runs=4, tasks=(2,), locks=("sysv",)) for _ in range(2)]
        for raw, seconds in zip(raws, (0.15, 0.5)):
            for cell in raw["cells"]:
                cell["narrow"] = False
                for run in cell["runs"]:
                    run.update(seconds=seconds, throughput=1000.0)
        make = documents.TABLES["2002-lengths"]
        self.assertEqual(cells(make(load(raws[0])))[2][2:], ["4", "4", "0.15", "4"])
        self.assertEqual(cells(make(load(*raws)))[2][2:], ["4", "8", "0.15 to 0.50", "0"])

    def test_no_interval_of_three_runs(self):
        rows = cells(documents.TABLES["2002-table-2"](load(paper(runs=3))))
        self.assertNotIn("±", "".join(rows[2]))


class Filling(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = pathlib.Path(directory.name)
        self.result = self.directory / "result.json"
        self.result.write_text(json.dumps(synthetic_wakes.pingpong()), encoding="utf-8")
        self.page = self.directory / "page.md"

    def report(self, *words):
        return subprocess.run([sys.executable, REPORT, *map(str, words)], stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, check=False)

    def test_a_table_is_replaced_and_no_more(self):
        self.page.write_text(TEXT.format("2003-pingpong"), encoding="utf-8")
        done = self.report("--documents", self.directory, self.result)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("page.md: 1 tables written", done.stdout)
        text = self.page.read_text(encoding="utf-8")
        self.assertRegex(text, r"(?s)^# Page\n\n<!-- measured: 2003-pingpong -->\n\n\| games .*"
                               r"\|\n\n<!-- end -->\nafter\n$")
        self.assertNotIn("old", text)
        self.report("--documents", self.page, self.result)
        self.assertEqual(self.page.read_text(encoding="utf-8"), text)

    def test_what_was_not_measured_stays(self):
        old = TEXT.format("2002-table-1")
        self.page.write_text(old, encoding="utf-8")
        done = self.report("--documents", self.page, self.result)
        self.assertIn("not measured: 2002-table-1", done.stdout)
        self.assertEqual(self.page.read_text(encoding="utf-8"), old)

    def test_bad_documents(self):
        for text, said in ((TEXT.format("2003-pong"), "there is no table '2003-pong'; there are: "),
                           ("<!-- measured: 2003-pingpong -->\n", "without its counterpart"),
                           ("<!-- end -->\n", "without its counterpart")):
            with self.subTest(text=text):
                self.page.write_text(text, encoding="utf-8")
                done = self.report("--documents", self.page, self.result)
                self.assertEqual(done.returncode, 2)
                self.assertIn(f"report: {self.page}: ", done.stderr)
                self.assertIn(said, done.stderr)
                self.assertEqual(self.page.read_text(encoding="utf-8"), text)
        for path, said in ((self.directory / "none.md", "No such file or directory"),
                           (self.result, "none of these documents")):
            done = self.report("--documents", path, self.result)
            self.assertIn(said, done.stdout + done.stderr)

    def test_the_documents_name_tables_that_there_are(self):
        for path in sorted(DOCUMENTS.rglob("*.md")):
            text = path.read_text(encoding="utf-8")
            _, made, left = documents.fill(text, load(synthetic_wakes.pingpong()))
            self.assertEqual(len(made) + len(left), text.count("<!-- measured: "), path)


if __name__ == "__main__":
    unittest.main()
