# SPDX-License-Identifier: MIT
"""Runs tests of CPython's test_multiprocessing_*, and says at once how each of them ended.

`runner.py MODULE RESULTS LIMIT (--list | TEST...)`.  A line of JSON goes to the file RESULTS when a
test starts and when it ends, so that whoever started this process knows which test was running
when it stopped making progress.  After LIMIT seconds in one test all threads' tracebacks go to
stderr.
"""
from __future__ import annotations

import faulthandler
import importlib
import json
import os
import sys
import time
import unittest
from typing import IO, Any, Iterator


def flatten(suite: Any) -> Iterator[unittest.TestCase]:
    """The tests of a suite of suites, in its order."""
    for item in suite:
        if isinstance(item, unittest.TestSuite):
            yield from flatten(item)
        else:
            yield item


class Reporter(unittest.TestResult):
    """Writes what happens to each test as a line of JSON."""

    def __init__(self, out: IO[str], limit: float) -> None:
        super().__init__()
        self.out = out
        self.limit = limit
        self.outcome = "pass"
        self.reason = ""
        self.began = 0.0

    def write(self, **record: Any) -> None:
        self.out.write(json.dumps(record) + "\n")
        self.out.flush()

    def startTest(self, test: unittest.TestCase) -> None:
        super().startTest(test)
        self.outcome, self.reason, self.began = "pass", "", time.monotonic()
        faulthandler.dump_traceback_later(self.limit, exit=False)
        self.write(event="start", test=name_of(test))

    def stopTest(self, test: unittest.TestCase) -> None:
        faulthandler.cancel_dump_traceback_later()
        super().stopTest(test)
        self.write(event="end", test=name_of(test), outcome=self.outcome, reason=self.reason,
                   seconds=round(time.monotonic() - self.began, 2))

    def note(self, test: Any, outcome: str, reason: str) -> None:
        if not isinstance(test, unittest.TestCase):  # setUpModule, setUpClass
            self.write(event="end", test=str(test), outcome=outcome, reason=reason, seconds=0.0)
        elif self.outcome == "pass":
            self.outcome, self.reason = outcome, reason

    def addError(self, test: Any, err: Any) -> None:
        super().addError(test, err)
        self.note(test, "error", self._exc_info_to_string(err, test))  # type: ignore

    def addFailure(self, test: Any, err: Any) -> None:
        super().addFailure(test, err)
        self.note(test, "fail", self._exc_info_to_string(err, test))  # type: ignore

    def addSubTest(self, test: Any, subtest: Any, err: Any) -> None:
        super().addSubTest(test, subtest, err)
        if err is not None:
            self.note(test, "fail", self._exc_info_to_string(err, test))  # type: ignore

    def addSkip(self, test: Any, reason: str) -> None:
        super().addSkip(test, reason)
        self.note(test, "skip", reason)


def name_of(test: unittest.TestCase) -> str:
    """Class.method."""
    return ".".join(test.id().split(".")[-2:])


def main() -> int:
    module_name, results, limit = sys.argv[1], sys.argv[2], float(sys.argv[3])
    names = sys.argv[4:]
    module = importlib.import_module(module_name)
    loader = unittest.defaultTestLoader
    # A load_tests of the module would look for files beside it.
    every = list(flatten(unittest.TestSuite(
        loader.loadTestsFromTestCase(item) for item in vars(module).values()
        if isinstance(item, type) and issubclass(item, unittest.TestCase)
        and item.__module__ == module_name)))
    with open(results, "w", encoding="utf-8") as out:
        if names == ["--list"]:
            out.write(json.dumps([name_of(test) for test in every]))
            return 0
        chosen = [test for test in every if name_of(test) in set(names)]
        faulthandler.enable()
        reporter = Reporter(out, limit)
        unittest.TestSuite(chosen).run(reporter)
        reporter.write(event="done")
        out.flush()
    sys.stdout.flush()
    sys.stderr.flush()
    os.chdir("/")
    return 0


if __name__ == "__main__":
    sys.exit(main())
