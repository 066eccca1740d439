#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs CPython's own test_multiprocessing_* against furwock.multiprocessing, or the standard one.

The tests come from the package `test` of the interpreter that is named; nothing of them is kept
here.  Each test class has a process of its own, and a test that hangs is killed and reported, and
the rest of its class goes on.  What is not run against furwock, and why: cpython/left_out.py.

    cpython_suites.py --python ~/.pyenv/versions/3.13.0/bin/python --method fork spawn forkserver
    cpython_suites.py --standard --method fork --only 'WithProcessesTest*Lock*'
"""
from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))

from cpython.environment import HERE, Environment, probe  # noqa: E402
from cpython.left_out import LEFT_OUT, why_left_out  # noqa: E402

METHODS = ("fork", "spawn", "forkserver")
OUTCOMES = ("pass", "skip", "fail", "error", "hang", "crash", "left out")


class Session:
    """One interpreter, one start method, one implementation: the tests and their outcomes."""

    def __init__(self, env: Environment, method: str, limit: float, work: Path) -> None:
        self.env, self.method, self.limit, self.work = env, method, limit, work
        self.results: dict[str, dict[str, Any]] = {}

    def launch(self, tag: str, tests: list[str]) -> tuple[subprocess.Popen[bytes], Path, Path]:
        results, log = self.work / f"{tag}.jsonl", self.work / f"{tag}.log"
        home = self.work / f"{tag}.d"  # tests leave files in the current directory
        home.mkdir(exist_ok=True)
        results.write_text("")
        with open(log, "wb") as err:
            process = subprocess.Popen(
                [self.env.python, str(HERE / "runner.py"), f"furwock_cases_{self.method}",
                 str(results), str(self.limit * 0.9), *tests],
                stdout=err, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, cwd=home,
                start_new_session=True)
        return process, results, log

    def tests(self) -> list[str]:
        process, results, log = self.launch(f"list-{self.method}", ["--list"])
        if process.wait() != 0:
            sys.exit(f"cannot list the tests: {log.read_text()[-2000:]}")
        return list(json.loads(results.read_text()))

    def run_class(self, name: str, tests: list[str]) -> None:
        """Runs the tests of a class; what hangs or crashes is noted, and the rest goes on."""
        attempt = 0
        while tests:
            attempt += 1
            process, results, log = self.launch(f"{self.method}-{name}-{attempt}", tests)
            state = self.watch(process, results)
            kill_session(process)
            running = self.collect(results)
            if running is not None:
                tail = log.read_text(errors="replace")[-3000:]
                self.results[running] = {"outcome": state, "reason": tail}
            left = [test for test in tests if test not in self.results]
            if running is None and len(left) == len(tests):
                tail = log.read_text(errors="replace")[-3000:]
                for test in left:  # setUpModule failed, or the runner itself
                    self.results[test] = {"outcome": "crash", "reason": tail}
                return
            tests = left

    def watch(self, process: subprocess.Popen[bytes], results: Path) -> str:
        """Waits until the process ends ("crash", if in a test) or stops making progress."""
        size, since = -1, time.monotonic()
        while process.poll() is None:
            now = results.stat().st_size
            if now != size:
                size, since = now, time.monotonic()
            if time.monotonic() - since > self.limit:
                return "hang"
            time.sleep(0.05)
        return "crash"

    def collect(self, results: Path) -> str | None:
        """Takes what has ended into the results; returns the test that had not, if any."""
        running = None
        for line in results.read_text().splitlines():
            record = json.loads(line)
            if record["event"] == "start":
                running = record["test"]
            elif record["event"] == "end":
                self.results[record.pop("test")] = record
                running = None
        return running


def kill_session(process: subprocess.Popen[bytes]) -> None:
    """Ends the process and what it has started (it leads a session of its own)."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()


def run(env: Environment, method: str, args: argparse.Namespace, work: Path,
        standard: bool) -> dict[str, dict[str, Any]]:
    """Runs what --only asks for; returns the outcome of each test."""
    session = Session(env, method, args.limit, work)
    classes: dict[str, list[str]] = {}
    for test in session.tests():
        if not any(fnmatchcase(test, pattern) or fnmatchcase(test.split(".")[0], pattern)
                   for pattern in args.only):
            continue
        reason = why_left_out(test)
        if reason is not None and not args.everything:
            session.results[test] = {"outcome": "left out", "reason": reason}
        else:
            classes.setdefault(test.split(".")[0], []).append(test)
    with ThreadPoolExecutor(args.jobs) as pool:
        jobs = [pool.submit(session.run_class, name, tests) for name, tests in classes.items()]
        for job in jobs:
            job.result()
    return session.results


def report(title: str, results: dict[str, dict[str, Any]], verbose: bool) -> None:
    """Prints what did not pass."""
    for test, result in sorted(results.items()):
        if result["outcome"] in ("pass", "skip", "left out"):
            continue
        lines = [line for line in result["reason"].strip().splitlines() if line.strip()]
        print(f"  {title}: {test}: {result['outcome']}: {lines[-1][:160] if lines else ''}")
        if verbose:
            print("\n".join("    | " + line for line in lines[-40:]))


def table(rows: list[tuple[str, dict[str, dict[str, Any]]]]) -> None:
    print("\n| interpreter, start method, classes | " + " | ".join(OUTCOMES) + " |")
    print("|---|" + "---|" * len(OUTCOMES))
    for title, results in rows:
        count = Counter(result["outcome"] for result in results.values())
        print(f"| {title} | " + " | ".join(str(count[name]) for name in OUTCOMES) + " |")
    print("\nLeft out:")
    for pattern, reason in LEFT_OUT:
        print(f"  {pattern}: {reason}")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--python", nargs="+", default=[sys.executable], metavar="PATH",
                        help="interpreters whose package `test` is run (default: this one)")
    parser.add_argument("--method", nargs="+", default=list(METHODS), choices=METHODS)
    parser.add_argument("--standard", action="store_true",
                        help="run against the standard classes")
    parser.add_argument("--both", action="store_true", help="run against both")
    parser.add_argument("--only", nargs="+", default=["*"], metavar="PATTERN",
                        help="classes, or Class.method, as fnmatch patterns")
    parser.add_argument("--everything", action="store_true",
                        help="also run what is left out")
    parser.add_argument("--furwock-path", metavar="DIR",
                        help="directory that holds the package furwock (default: as installed)")
    parser.add_argument("--limit", type=float, default=180, metavar="SECONDS",
                        help="a test that takes longer hangs (default: 180)")
    parser.add_argument("--jobs", type=int, default=2, help="classes at a time (default: 2)")
    parser.add_argument("--json", metavar="FILE", help="write all outcomes there")
    parser.add_argument("--verbose", action="store_true", help="print tracebacks")
    return parser.parse_args()


def main() -> int:
    args = arguments()
    rows = []
    skipped = 0
    for python in args.python:
        found = probe(python, args.furwock_path)
        if not found["test"]:
            print(f"{python}: skipped: no package `test` (Debian has it in libpython3-testsuite)")
            skipped += 1
            continue
        for standard in ([False, True] if args.both else [args.standard]):
            if not standard and found["furwock"] is None:
                sys.exit(f"{python}: {found['error']}")
            name = "standard" if standard else "furwock"
            for method in args.method:
                with tempfile.TemporaryDirectory(prefix="furwock-suites-") as scratch:
                    env = Environment(Path(scratch) / "env", python, None if standard else
                                      Path(args.furwock_path or str(found["furwock"])).resolve())
                    results = run(env, method, args, Path(scratch), standard)
                title = f"{found['version']}, {method}, {name}"
                report(title, results, args.verbose)
                rows.append((title, results))
    if skipped == len(args.python):
        return 77
    table(rows)
    if args.json:
        Path(args.json).write_text(json.dumps(dict(rows), indent=1))
    bad = ("fail", "error", "hang", "crash")
    ours = [results for title, results in rows if title.endswith("furwock")] or [
        results for _, results in rows]
    return int(any(r["outcome"] in bad for results in ours for r in results.values()))


if __name__ == "__main__":
    sys.exit(main())
