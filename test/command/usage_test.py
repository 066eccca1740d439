#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the program furwock refuses of its arguments: with which status, in one line of standard
error that says why, and before anything is printed."""

import json
import os
import sys
import tempfile
import unittest

import command_test

ALLOWED = command_test.ALLOWED
ABSENT = next(n for n in range(1024) if n not in ALLOWED)
USAGE, FAILED, RUN_USAGE = 2, 1, 125
SET = {"format": "furwock-taskset-1", "locks": ["q"], "tasks": [
    {"name": "high", "cpu": ALLOWED[0], "priority": 30, "period_us": 2000, "execution_us": 100,
     "sections": [{"lock": "q", "us": 20}]},
    {"name": "low", "cpu": ALLOWED[0], "priority": 20, "period_us": 3000, "execution_us": 150}]}

# Status, words, {value: what is said of it}: VALUE is the value, VALUES the words in it, if
# any; SET is the path of a task set that is right.
MICROSECONDS = ("", "-1", "x", "1us", "nan", "1e9")
ROWS = [
    (USAGE, "", {"": "--help"}),
    (USAGE, "VALUE", dict.fromkeys(("calibrte", ""), '"VALUE"; calibrate')),
    (USAGE, "help VALUES", {"calibrte": '"VALUE"; calibrate',
                            "calibrate calibrate": "one subcommand"}),
    (USAGE, "calibrate VALUE", {"now": '"now"'}),
    (USAGE, "calibrate --seconds=VALUE",
     dict.fromkeys(("", "x", "1x", "0", "-1", "nan", "1e9", "0.05"), "--seconds")),
    (USAGE, "calibrate --cpus=VALUE",
     dict.fromkeys(("", "x", "0,", ",0", "0,,1", "0-", "-1", "1-0", "0\t1", "0x1", "99999999",
                    "99999999999999999999"), "--cpus")),
    (USAGE, "calibrate --cpus VALUE", {f"{ALLOWED[0]},{ABSENT}": f"CPU {ABSENT} "}),
    (FAILED, "calibrate --json VALUE", {"/nonexistent/x.json": "/nonexistent/x.json"}),
    (USAGE, "doctor VALUE", {"now": '"now"'}),
    (USAGE, "kernel VALUES", {"": "load, unload or status", "fly": '"fly"', "load a b": '"b"',
                              "status x": '"x"', "unload --anybody": "--anybody"}),
    (FAILED, "kernel load VALUE", {"/nonexistent.ko": "/nonexistent.ko: No such file",
                                   "/dev/null": "/dev/null: "}),
    (USAGE, "show VALUES", {"": "missing", "/a b": '"b"'}),
    (FAILED, "show VALUE", dict.fromkeys(
        ("/furwock-no-such", "furwock-no-such", "./no/such", "/"), "No such file")),
    (FAILED, "show VALUE", dict.fromkeys(("/dev/null", "/tmp/"), "memory")),
    (USAGE, "who VALUES", {"": "a process is missing", "42": "--core", "-p 1 --core=x": "combined",
                           "--core=/dev/null a b": "one program"}),
    (USAGE, "who --pid=VALUE", dict.fromkeys(("", "x", "0", "-1", "1x", "99999999999"), "--pid")),
    (FAILED, "who --pid=VALUE", {"2147483647": "no such process"}),
    (FAILED, "who --core=VALUE", {"/nonexistent/core": "No such file", "/dev/null": "not a core",
                                  "/bin/true": "a program"}),
    (USAGE, "assist VALUES", {"": "start, stop or status", "begin": '"begin"',
                              "start stop": '"stop"', "start --anybody --group=0": "once"}),
    (USAGE, "assist start --group=VALUE", {"no-such": 'no group "no-such"', **dict.fromkeys(
        ("", "-1", "1x", "4294967295", "99999999999999999999"), "--group")}),
    (USAGE, "assist VALUES", {f"{action} {option}": option.partition("=")[0]
                             for action in ("stop", "status")
                             for option in ("--group=0", "--anybody", "--all")}),
    (USAGE, "rt VALUES", {"": "a verb is missing", "walk": 'no verb "walk"', "start now": "",
                         "status one two": "furwock rt status", "stop now": ""}),
    (USAGE, "rt run VALUES", {"SET": "names no protocol", "--tier C SET": "--tier takes A or B"}),
    (USAGE, "rt run --jobs=VALUE SET", dict.fromkeys(("0", "-3", "x", "1e3", ""), "--jobs takes")),
    (USAGE, "rt run --stall=VALUE SET", dict.fromkeys(("-1", "x", "2e6", ""), "--stall takes")),
    (USAGE, "rt run --max-noise=VALUE SET",
     dict.fromkeys(("-1", "101", "x", "nan", "5%", ""), "--max-noise takes")),
    (USAGE, "rt analyze VALUES", {"--tier B --protocol PIP SET": "tier B has no PIP",
                                 "--tier C SET": "--tier takes A or B"}),
    *((status, f"rt {verb} {words}", said)
      for verb in ("analyze", "run") for status, words, said in (
        (USAGE, "VALUES", {"": "task set is missing", "SET SET": "one task set",
                          "--protocol PCQ SET": 'no protocol "PCQ"; there are: PIP'}),
        (USAGE, "--wake-cost=VALUE SET", dict.fromkeys(MICROSECONDS, "microseconds")),
        (FAILED, "VALUE", {"/nowhere/set": "No such file", "/": "cannot be read"}))),
    (USAGE, "top VALUES", {"": "which process?", "-p x": '"x"', "-p 0": "--pid",
                           "-a -p 1": "--all", "-a word": '"word"', "-a -i 0": "--interval",
                           "-a -n 0": "--count", "-a --sort=size": "time, count or max",
                           "-a -s 100001": "--samples", "-a --locks=x": "--locks"}),
    (FAILED, "top -p VALUE", {"4194304": "no process 4194304"}),
    (USAGE, "record VALUES", {"": "which process?", "-a -t x": "--seconds",
                              "-p 1 -- true": "one of them"}),
    (USAGE, "report VALUES", {"a b": '"b"', "--sort=x": "time, count or max",
                              "--stacks=x": "waiters, wakers or both"}),
    (RUN_USAGE, "run VALUES", dict.fromkeys(("", "--"), "program")),
    (RUN_USAGE, "run --policy=VALUE true", dict.fromkeys(
        ("", "x", "fair,", ",fair", "spin", "spin=", "spin=x", "spin=-1", "spin=1us",
         "spin=1000001", "spin=99999999999999999999999"), "--policy")),
]

# An option that there is not; argp says more than one line of it.
UNKNOWN = {"": USAGE, "calibrate": USAGE, "rt": USAGE, "rt status": USAGE, "run": RUN_USAGE}


class Usage(command_test.Case):
    def test_what_is_refused(self):
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump(SET, file)
            file.flush()
            for status, words, values in ROWS:
                for value, said in values.items():
                    with self.subTest(words, value=value):
                        self.check(status, words, value, said, file.name)

    def check(self, status, words, value, said, path):
        given = []
        for word in words.split():
            given += value.split() if word == "VALUES" else [word.replace("VALUE", value)]
        found = self.refused(status, *(path if word == "SET" else word for word in given))
        for part in said.replace("VALUE", value).split("; "):
            self.assertIn(part, found)

    def test_unknown_option(self):
        for words, status in UNKNOWN.items():
            done = command_test.furwock(*words.split(), "--no-such")
            self.assertEqual(done.returncode, status, words)
            self.assertIn("--no-such", done.stderr)

    @unittest.skipIf(len(ALLOWED) < 2, "there is one CPU")
    def test_cpu_that_is_not_allowed(self):
        said = self.refused(USAGE, "calibrate", "--cpus", f"{ALLOWED[0]},{ALLOWED[1]}",
                            preexec_fn=lambda: os.sched_setaffinity(0, {ALLOWED[0]}))
        self.assertIn(f"CPU {ALLOWED[1]} ", said)
        self.assertRegex(said, rf"run on {ALLOWED[0]}\n$")


if __name__ == "__main__":
    command_test.PROGRAM[:] = sys.argv[1:]
    unittest.main(argv=sys.argv[:1])
