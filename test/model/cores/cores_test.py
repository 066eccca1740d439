#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""fw-cores: what is known of locks on many cores comes out; bad input is answered.

The argument is the program."""

import subprocess
import sys
import unittest

PROGRAM = sys.argv.pop() if len(sys.argv) > 1 else "fw-cores"


def run(*words):
    return subprocess.run([PROGRAM, *words], text=True, capture_output=True, check=False,
                          timeout=900)


def table(*words):
    """The figures by (lock, cores)."""
    done = run("--duration", "100", "--outside", "500", *words)
    assert done.returncode == 0, done.stdout + done.stderr
    lines = [line.replace("longest us", "longest").split() for line in done.stdout.splitlines()]
    return {(row[0], int(row[1])): dict(zip(lines[0][2:], map(float, row[2:])))
            for row in lines[1:]}


class Known(unittest.TestCase):
    """Theory, and what the locks' papers say of them."""

    def test_queues_take_as_many_lines_with_any_number_of_cores(self):
        found = table("--cores", "8,64", "mcs", "clh")
        for lock in ("mcs", "clh"):
            self.assertLess(abs(found[(lock, 64)]["lines"] - found[(lock, 8)]["lines"]), 0.5)
            self.assertLess(found[(lock, 64)]["lines"], 10)

    def test_with_tickets_all_who_wait_read_each_number(self):
        found = table("--cores", "8,64", "ticket")
        self.assertGreater(found[("ticket", 64)]["lines"], 60)
        self.assertLess(found[("ticket", 8)]["lines"], 12)

    def test_locks_for_nodes_stay_on_a_node(self):
        found = table("--cores", "32", "--nodes", "4", "mcs", "cohort", "cna")
        self.assertGreater(found[("mcs", 32)]["far"], 4)
        for lock in ("cohort", "cna"):
            self.assertLess(found[(lock, 32)]["far"], 0.5)
        self.assertGreater(found[("cna", 32)]["thousand/s"], found[("mcs", 32)]["thousand/s"])

    def test_where_each_core_is_a_node_all_lines_come_from_others(self):
        for row in table("--cores", "4", "--nodes", "4").values():
            self.assertEqual(row["far"], row["lines"])

    def test_a_queue_is_fair_and_test_and_set_is_not(self):
        found = table("--cores", "16", "--duration", "500", "clh", "ttas")
        self.assertLess(found[("clh", 16)]["variation"], 0.05)
        self.assertGreater(found[("ttas", 16)]["variation"], 0.1)

    def test_nobody_waits_alone(self):
        found = table("--cores", "1")
        for (lock, _), row in found.items():
            self.assertEqual((row["lines"], row["sleeps"], row["failed"], row["hand-off"]),
                             (0, 0, 0, 0), lock)


    def test_readers_share_and_only_those_of_read_write_locks(self):
        found = table("--cores", "8", "--reads", "100", "--inside", "1000", "rw-each", "mcs")
        self.assertGreater(found[("rw-each", 8)]["ideal"], 0.9)
        self.assertLess(found[("mcs", 8)]["thousand/s"], found[("rw-each", 8)]["thousand/s"] / 4)

    def test_writers_of_a_lock_for_each_core_take_all(self):
        few, many = (table("--cores", n, "--reads", "10", "rw-each")[("rw-each", int(n))]
                     for n in ("4", "32"))
        self.assertGreater(many["lines"], 4 * few["lines"])


class Ours(unittest.TestCase):
    def test_no_convoy_of_writers_that_have_to_be_woken(self):
        found = table("--cores", "16", "--duration", "2000", "--inside", "1000", "--outside",
                      "1000", "--reads", "50", "rw-furwock", "rw-phase-fair")
        self.assertGreater(found[("rw-furwock", 16)]["thousand/s"],
                           found[("rw-phase-fair", 16)]["thousand/s"] / 2)

    def test_many_that_join_at_once_do_not_hold_up_the_lock(self):
        found = table("--cores", "128", "--duration", "1000", "furwock")
        self.assertGreater(found[("furwock", 128)]["thousand/s"], 100)
        self.assertLess(found[("furwock", 128)]["failed"], 20)


class Program(unittest.TestCase):
    def test_equal_arguments_give_equal_figures(self):
        words = ("--cores", "8", "--duration", "50", "--outside", "300")
        self.assertEqual(run(*words).stdout, run(*words).stdout)
        self.assertNotEqual(run(*words).stdout, run(*words, "--seed", "2").stdout)

    def test_what_costs_more_takes_longer(self):
        cheap, expensive = (table("--cores", "8", "--set", f"near={ns}",
                                  "mcs")[("mcs", 8)] for ns in (20, 200))
        self.assertGreater(cheap["thousand/s"], 2 * expensive["thousand/s"])
        cheap, expensive = (table("--cores", "8", "--set", f"latency={ns}",
                                  "drepper")[("drepper", 8)] for ns in (1000, 50000))
        self.assertGreater(expensive["longest"], cheap["longest"])

    def test_a_lock_that_does_not_exclude_is_found(self):
        done = run("--cores", "4", "--duration", "50", "none")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout, r"none +4 FAILED: exclusion: \d+ were added")
        done = run("--cores", "4", "--duration", "50", "--reads", "80", "none")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout, r"none +4 FAILED: exclusion: one that reads saw \d+, and")

    def test_bad_arguments(self):
        for words, said in ((("--cores", "129"), "--cores: 129 is not from 1 to 128"),
                            (("--cores", "x"), "--cores: x is not"),
                            (("--cores", ""), "--cores"),
                            (("--cores", ","), "--cores: how many?"),
                            (("--cores", "2.5"), "--cores: 2.5 is no whole number"),
                            (("--set", "pause=0"), "hit and pause take some time"),
                            (("--nodes", "9"), "--nodes: 9"),
                            (("--inside", "-1"), "--inside: -1"),
                            (("--duration", "0"), "--duration: 0"),
                            (("--reads", "101"), "--reads: 101"),
                            (("--set", "near"), "near is no NAME=NS"),
                            (("--set", "nearer=1"), "nearer=1 is no NAME=NS"),
                            (("--set", "near=1e9"), "--set: 1e9"),
                            (("mutex",), "no lock mutex; --list")):
            done = run(*words)
            self.assertEqual(done.returncode, 2, words)
            self.assertIn(said, done.stderr)

    def test_a_full_disk_is_an_error(self):
        with open("/dev/full", "w", encoding="ascii") as full:
            done = subprocess.run([PROGRAM, "--list"], stdout=full, stderr=subprocess.PIPE,
                                  text=True, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("No space left", done.stderr)

    def test_list(self):
        done = run("--list")
        self.assertEqual(done.returncode, 0)
        for word in ("furwock", "mcs", "near", "latency"):
            self.assertRegex(done.stdout, rf"(?m)^{word} ")


if __name__ == "__main__":
    unittest.main()
