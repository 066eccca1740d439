#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""furwock run --check on programs with planted faults: what is found, and what is not there."""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

PROGRAM, PLANTED, NAMED, WRAPPED, KNOWS = ("",) * 5
VARIANTS = 20
FOUND = 123
PATIENCE_S = 600  # a hang

# The kind as planted.c calls it, and as furwock does.
KINDS = {"order": "order", "relock": "relock", "destroyed": "destroyed", "reused": "reused",
         "stranger": "stranger", "not_held": "free", "two_mutexes": "two-mutexes",
         "unheld": "unheld", "thread_exit": "thread-exit", "forked": "fork", "lost": "lost",
         "blocked": "blocked", "inversion": "inversion"}


def run(*words, **more):
    return subprocess.run([PROGRAM, "run", *words], text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=PATIENCE_S, check=False, **more)


class Case(unittest.TestCase):
    def findings(self, *words, options=()):
        """Those of a run, and its exit status."""
        with tempfile.TemporaryDirectory() as room:
            path = pathlib.Path(room) / "check.json"
            done = run("--check", f"--json={path}", *options, "--", *words)
            if done.returncode == 77:
                self.skipTest(done.stdout.strip())
            self.assertEqual(done.stderr, "")
            return json.loads(path.read_text())["findings"], done.returncode

    def needs_names(self):
        if KNOWS != "names":
            self.skipTest("built without libdw")


def calls_of(finding):
    """The functions in which a finding's locks were asked for, or taken."""
    found = set()
    for call in finding["by"]:
        for place in [*call["calls"], call["held_since"]]:
            if place is not None and place["symbol"]:
                found.add(place["symbol"])
    return found


def options_of(kind):
    return ("--hold=10",) if kind == "blocked" else ()


class Planted(Case):
    """Twenty faults of each kind, and as many things that look like them."""

    def find(self, kind):
        found, status = self.findings(PLANTED, kind, "bad", options=options_of(kind))
        self.assertEqual({one["kind"] for one in found}, {KINDS[kind]})
        self.assertEqual(status, FOUND)
        if KNOWS == "names":
            calls = set().union(*map(calls_of, found))
            self.assertEqual({f"{kind}{i}" for i in range(VARIANTS)} - calls, set())
        self.assertEqual(len(found), VARIANTS)

    def find_nothing(self, kind):
        self.assertEqual(self.findings(PLANTED, kind, "good", options=options_of(kind)), ([], 0))


def add_kind(kind):
    setattr(Planted, f"test_{kind}_is_found", lambda self: self.find(kind))
    setattr(Planted, f"test_{kind}_is_not_there", lambda self: self.find_nothing(kind))


for one_kind in KINDS:
    add_kind(one_kind)


class Shown(Case):
    def test_a_cycle_is_told_with_both_calls(self):
        self.needs_names()
        done = run("--check", "--", PLANTED, "order", "bad")
        self.assertEqual(done.returncode, FOUND)
        self.assertRegex(done.stderr, r"""(?x)
            \n\d+\.\ lock\ order:.*\n.*\n
            \ \ \ thread\ \d+\ asked\ for\ variables.*\n
            \ \ \ \ \ \ in\ order0\ \(.*planted.*\)?.*\n
            \ \ \ \ \ \ while\ it\ held\ variables.*,\ taken\ in\ order0.*\n
            \ \ \ thread\ \d+\ asked\ for\ variables.*\n
            (.*\n){2}
            \ \ \ to\ suppress:\ order\ order0\ order0\n""")
        self.assertRegex(done.stderr, r"\nfurwock run: 20 findings\n$")

    def test_a_clean_program(self):
        done = run("--check", "--", "true")
        self.assertEqual((done.returncode, done.stderr), (0, "\nfurwock run: 0 findings\n"))

    def test_to_a_file(self):
        with tempfile.TemporaryDirectory() as room:
            path = pathlib.Path(room) / "found"
            done = run(f"--check={path}", "--", PLANTED, "not_held", "bad")
            self.assertEqual((done.returncode, done.stderr), (FOUND, ""))
            self.assertIn("20 findings", path.read_text())

    def test_the_programs_own_status_comes_first(self):
        done = run("--check", "--", "sh", "-c", f"{PLANTED} not_held bad; exit 5")
        self.assertEqual(done.returncode, 5)
        self.assertIn("20 findings", done.stderr)

    def test_locks_have_the_names_that_the_program_gives_them(self):
        found, _ = self.findings(NAMED)
        names = sorted(one["by"][0]["lock"]["symbol"] or "" for one in found)
        self.assertEqual(names, ["", "first cache", "second cache"])

    def test_locks_of_one_class_are_told_apart(self):
        self.needs_names()
        done = run("--check", "--", WRAPPED)
        self.assertIn("\nfurwock run: 1 finding\n", done.stderr)
        self.assertRegex(done.stderr, r"to suppress: order (in_no_order in_order|"
                                      r"in_order in_no_order)\n")

    def test_with_the_figures_of_stat(self):
        done = run("--check", "--stat", "--", PLANTED, "not_held", "bad")
        self.assertIn("waits within", done.stderr)
        self.assertIn("20 findings", done.stderr)


class Suppressed(Case):
    def suppress(self, *lines):
        with tempfile.TemporaryDirectory() as room:
            path = pathlib.Path(room) / "known"
            path.write_text("\n".join(lines) + "\n")
            return run("--check", f"--suppress={path}", "--", PLANTED, "order", "bad")

    def test_what_a_finding_ends_with_suppresses_it(self):
        self.needs_names()
        first = run("--check", "--", PLANTED, "order", "bad").stderr
        lines = [line.split(": ", 1)[1] for line in first.splitlines() if "to suppress: " in line]
        self.assertEqual(len(lines), VARIANTS)
        done = self.suppress("# known ones", *lines[:3])
        self.assertEqual(done.returncode, FOUND)
        self.assertIn("17 findings, and 3 suppressed", done.stderr)
        done = self.suppress(*lines)
        self.assertEqual(done.returncode, 0)
        self.assertIn("0 findings, and 20 suppressed", done.stderr)

    def test_patterns(self):
        self.needs_names()
        self.assertIn("10 findings, and 10 suppressed", self.suppress("* order1?").stderr)
        self.assertIn("20 findings\n", self.suppress("free *").stderr)
        self.assertIn("20 findings\n", self.suppress("order order1 order2").stderr)

    def test_lines_that_are_none(self):
        done = self.suppress("order", "", "ordr main")
        self.assertEqual(done.returncode, 125)
        self.assertRegex(done.stderr, r'known:3: there is no kind of finding "ordr"\n$')
        done = run("--check", "--suppress=/not/there", "--", "true")
        self.assertEqual((done.returncode, len(done.stderr.splitlines())), (125, 1))

    def test_the_environment_may_say_how_long(self):
        found, _ = self.findings("env", "FURWOCK_CHECK_HOLD=10", PLANTED, "blocked", "bad")
        self.assertEqual(len(found), VARIANTS)

    def test_a_bad_time(self):
        for text in ("0", "", "ten", "1.5"):
            done = run(f"--hold={text}", "--", "true")
            self.assertEqual((done.returncode, len(done.stderr.splitlines())), (125, 1))


if __name__ == "__main__":
    PROGRAM, PLANTED, NAMED, WRAPPED, KNOWS = sys.argv[1:6]
    unittest.main(argv=sys.argv[:1] + sys.argv[6:])
