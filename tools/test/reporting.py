# SPDX-License-Identifier: MIT
"""What the tests of the report share: made-up results changed and loaded, goals, pages.

Import it first: it ends a test that lacks a module of Python's.
"""

import contextlib
import functools
import io
import json
import os
import pathlib
import runpy
import sys
import tempfile
import unittest
from collections import namedtuple
from unittest import mock

sys.dont_write_bytecode = True
TOOLS = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(TOOLS))

try:
    import fwreport  # noqa: F401  (before the modules that it sets up)
    import matplotlib  # noqa: F401
    import numpy  # noqa: F401
    import tabulate  # noqa: F401
except ImportError as error:
    print(f"skipped: {error}; install python3-matplotlib, -numpy and -tabulate")
    sys.exit(77)

from fwreport import outcome, results  # noqa: E402

REPORT = TOOLS / "report"
IN_FULL = "TESTS_IN_FULL" in os.environ
in_full = unittest.skipUnless(IN_FULL, "only in full")
SHORT_ITERATIONS = 500          # nobody looks at the ideal lock in these pictures

Done = namedtuple("Done", "returncode stdout stderr")


def load(*raws):
    loaded = results.Results()
    for at, raw in enumerate(raws):
        loaded.add(json.loads(json.dumps(raw)), f"result {at}")
    return loaded


def changed(raw, change, **where):
    """The result after change(run) of each run of the cells that match."""
    for cell in raw["cells"]:
        if all(cell[name] == value for name, value in where.items()):
            for run in cell["runs"]:
                change(run)
    return raw


def times(factor, *metrics):
    """A change: the metrics are multiplied by the factor, or by factor(run)."""
    def change(run):
        by = factor(run) if callable(factor) else factor
        for metric in metrics:
            run[metric] *= by
    return change


def slower(factor):
    return times(factor, "seconds")


def goals(table, *raws):
    return outcome.goals_of(table, load(*raws))


def states(table, *raws):
    return [goal.state for goal in goals(table, *raws)]


def report(*words):
    """tools/report, in this process, which has its modules already."""
    out, errors = io.StringIO(), io.StringIO()
    with mock.patch.object(sys, "argv", [str(REPORT), *map(str, words)]), \
            contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors):
        try:
            status = runpy.run_path(str(REPORT))["main"]()
        except SystemExit as end:
            status = end.code
    return Done(status, out.getvalue(), errors.getvalue())


class InDirectory(unittest.TestCase):
    def setUp(self):
        room = tempfile.TemporaryDirectory()
        self.addCleanup(room.cleanup)
        self.dir = pathlib.Path(room.name)
        before = os.getcwd()
        os.chdir(self.dir)
        self.addCleanup(os.chdir, before)

    def file(self, name, content):
        path = self.dir / name
        path.write_text(content if isinstance(content, str) else json.dumps(content))
        return str(path)

    def report(self, raws, *words):
        """The report of these results: files 0.json, 1.json and so on."""
        return report(*(self.file(f"{at}.json", raw) for at, raw in enumerate(raws)), *words)

    def page_of(self, *raws):
        """(its text, the names of the pictures beside it, which are empty: drawing them is slow)

        Of the pictures of one kind, by the first word of their names, one is drawn in the page.
        """
        from fwreport import ideal, look
        short = functools.partial(ideal.throughput, iterations=SHORT_ITERATIONS)
        save, kinds = look.save, set()

        def save_one_of_a_kind(figure, name, directory):
            kind = name.partition("-")[0]
            if kind not in kinds:
                kinds.add(kind)
                return save(figure, name, directory)
            matplotlib.pyplot.close(figure)
            (directory / f"{name}.png").touch()
            return '<svg role="img"></svg>'

        with mock.patch.object(look, "write_png", lambda _, path: path.touch()), \
                mock.patch.object(look, "save", save_one_of_a_kind), \
                mock.patch.object(ideal, "throughput", short):
            done = self.report(raws, "-o", "out")
        self.assertEqual(done.returncode, 0, done.stderr)
        page = (self.dir / "out" / "index.html").read_text()
        self.assertNotIn("nan", page.replace("nanoseconds", ""))
        pictures = {path.stem for path in (self.dir / "out").glob("*.png")}
        for name in pictures:
            self.assertIn(f'<figure id="{name}">', page)
        return page, pictures

    def refused(self, pattern, *words):
        done = report(*words)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertRegex(done.stderr, pattern)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
