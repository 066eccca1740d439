#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""furwock run --stat on a program whose hot lock is known; no times."""

import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAM, HOT, KNOWS, NATIVE, CALLED = [], "", "", "", ""
ROUNDS = 40
FIRSTS = 40
PATIENCE_S = 600  # a hang


def run(*words, **more):
    return subprocess.run([*PROGRAM, "run", *words], text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=900, check=False, **more)


def figures(*words, options=()):
    """The JSON of a run, and what it ended with."""
    with tempfile.TemporaryDirectory() as room:
        path = pathlib.Path(room) / "stat.json"
        done = run(f"--stat={path}", "--json", *options, "--", *words)
        return json.loads(path.read_text()), done


def lock_of(process, name="hot_lock"):
    found = [lock for lock in process["locks"] if lock["object"]["symbol"] == name]
    return found[0] if found else None


class Case(unittest.TestCase):
    def needs_names(self):
        if KNOWS != "names":
            self.skipTest("built without libdw")


class Table(Case):
    def test_names_who_takes_and_who_holds(self):
        self.needs_names()
        done = run("--stat", "--", HOT)
        self.assertEqual((done.returncode, done.stdout), (3, ""))
        self.assertRegex(done.stderr, r"\n  hot_lock +mutex +\d+ ")
        self.assertRegex(done.stderr, r"100 %  in waits_for_it \(hot\.c:\d+\), while taken in "
                                      r"keeps_it \(hot\.c:\d+\)\n +called by waiter \(hot\.c:")
        self.assertRegex(done.stderr, r'held by \d+ "preload_stat_')
        self.assertRegex(done.stderr, r"condition/event(.*\n)+  turn +barrier ")
        self.assertNotIn("cold_lock", done.stderr)

    def test_a_program_that_never_waits(self):
        done = run("--stat", "--", "true")
        self.assertEqual((done.returncode, done.stdout), (0, ""))
        self.assertRegex(done.stderr, r"none, in 1 process\n$")

    def test_nothing_is_left_behind(self):
        done = run("--stat", "--", "sh", "-c", "echo $FURWOCK_STAT; ls $FURWOCK_STAT; exec " + HOT)
        directory, first, *_ = done.stdout.split()
        self.assertRegex(first, r"^\d+\.\d$")
        self.assertFalse(pathlib.Path(directory).exists())

    def test_to_a_file(self):
        with tempfile.TemporaryDirectory() as room:
            done = run(f"--stat={room}/table", "--", HOT)
            self.assertEqual(done.stderr, "")
            self.assertIn("waits for locks", pathlib.Path(room, "table").read_text())
        done = run("--stat=/not/there/table", "--", HOT)
        self.assertEqual((done.returncode, len(done.stderr.splitlines())), (125, 1))

    def test_figures_that_cannot_be_written(self):
        """They are not lost: they go to standard error."""
        for options, figure in ((("--stat=/dev/full",), "waits within "),
                                (("--json=/dev/full",), '"furwock-stat-1"'),
                                (("--live", "--json", "--stat=/dev/full"), '"furwock-stat-1"')):
            done = run(*options, "--", HOT)
            self.assertEqual(done.returncode, 125)
            self.assertIn(figure, done.stderr)
            self.assertEqual(done.stderr.splitlines()[-1],
                             "furwock run: cannot write /dev/full: No space left on device")
        with open("/dev/full", "w", encoding="ascii") as full:
            done = subprocess.run([*PROGRAM, "run", "--stat", "--", HOT], stderr=full, timeout=900,
                                  check=False)
        self.assertEqual(done.returncode, 125)

    def test_older_figures_stay_until_there_are_others(self):
        no_room = 'prlimit --pid $PPID --fsize=64 && exec "$0"'
        with tempfile.TemporaryDirectory() as room:
            path = pathlib.Path(room, "figures")
            path.write_text("older", encoding="ascii")
            done = run(f"--stat={path}", "--", "sh", "-c", no_room, HOT)
            self.assertEqual(done.returncode, 125, done.stderr)
            self.assertIn(f"cannot write {path}: File too large", done.stderr)
            self.assertIn("waits within", done.stderr)
            self.assertEqual(path.read_text(encoding="ascii"), "older")
            path.unlink()
            run(f"--stat={path}", "--", "sh", "-c", no_room, HOT)
            self.assertFalse(path.exists())
            path.write_text("older" * 10000, encoding="ascii")
            self.assertEqual(run(f"--stat={path}", "--", "true").returncode, 0)
            self.assertNotIn("older", path.read_text(encoding="ascii"))

    def test_standard_output_that_is_a_file(self):
        """What the program printed stays there."""
        with tempfile.TemporaryFile("w+", encoding="ascii") as out:
            done = subprocess.run([*PROGRAM, "run", "--stat=/dev/stdout", "--", "seq", "1000"],
                                  stdout=out, timeout=900, check=False)
            out.seek(0)
            text = out.read()
        self.assertEqual(done.returncode, 0)
        self.assertTrue(text.startswith("1\n2\n3\n"), text[:40])
        self.assertIn("\n1000\n", text)
        self.assertIn("waits within", text)

    def test_a_link_to_nowhere_stays(self):
        no_room = 'prlimit --pid $PPID --fsize=0 && exec "$0"'
        with tempfile.TemporaryDirectory() as room:
            target, link = pathlib.Path(room, "target"), pathlib.Path(room, "link")
            link.symlink_to(target)
            self.assertEqual(run(f"--stat={link}", "--", "sh", "-c", no_room, HOT).returncode, 125)
            self.assertTrue(link.is_symlink())
            self.assertFalse(target.exists())
            self.assertEqual(run(f"--stat={link}", "--", "true").returncode, 0)
            self.assertIn("waits within", target.read_text(encoding="ascii"))

    def test_json_to_a_file(self):
        with tempfile.TemporaryDirectory() as room:
            done = run(f"--json={room}/figures", "--", HOT)
            self.assertEqual((done.returncode, done.stderr), (3, ""))
            self.assertEqual(json.loads(pathlib.Path(room, "figures").read_text())["status"], 3)

    def test_processes_that_go_on(self):
        """They are named, and neither they nor what they start have anything to say of it."""
        with tempfile.TemporaryDirectory() as room:
            said, fifo = pathlib.Path(room, "said"), pathlib.Path(room, "fifo")
            os.mkfifo(fifo)
            script = ('(exec sh -c "read line < $1; ls /; exec ls /" >"$0" 2>&1 3>&-) & '
                      'until [ -e $FURWOCK_STAT/$!.0 ]; do sleep 0.01; done')
            done = run("--no-wait", "--", "sh", "-c", script, str(said), str(fifo))
            self.assertEqual(done.returncode, 0)
            self.assertIn("\n1 process goes on, and is counted no longer\n", done.stderr)
            self.assertEqual(done.stderr.count("furwock run:"), 1)
            fifo.write_text("go on\n")
            until = time.monotonic() + PATIENCE_S
            while said.read_text().count("\nusr\n") < 2:
                self.assertLess(time.monotonic(), until)
                time.sleep(0.01)
            self.assertNotIn("furwock", said.read_text())

    def test_no_such_program(self):
        done = run("--stat", "--", "/not/there")
        self.assertEqual((done.returncode, len(done.stderr.splitlines())), (127, 1), done.stderr)

    def test_exit_status_of_a_signal(self):
        done = run("--stat", "--", "sh", "-c", "kill -TERM $$")
        self.assertEqual(done.returncode, 128 + signal.SIGTERM)


class Observed(Case):
    """The C library's own locks, counted in the same way."""

    def test_the_hot_lock_is_found(self):
        self.needs_names()
        done = run("--observe", "--", HOT)
        self.assertEqual(done.returncode, 3)
        self.assertRegex(done.stderr, r"\n  hot_lock +mutex +\d+ ")
        self.assertRegex(done.stderr, r"100 %  in waits_for_it \(hot\.c:\d+\), while taken in "
                                      r"keeps_it \(hot\.c:\d+\)")
        self.assertRegex(done.stderr, r'held by \d+ "preload_stat_')
        self.assertRegex(done.stderr, r"condition/event(.*\n)+  turn +barrier ")

    def test_they_are_the_c_librarys(self):
        done = run("--observe", "--", "sh", "-c", "echo $LD_PRELOAD")
        self.assertRegex(done.stdout, r"libfurwock-pthread-observe\.so\n$")
        self.assertEqual(done.returncode, 0)

    def test_what_goes_only_with_furwocks_locks(self):
        for option in ("--check", "--policy=fair"):
            done = run("--observe", option, "--", "true")
            self.assertEqual((done.returncode, len(done.stderr.splitlines())), (125, 1))


class Native(Case):
    """Furwock's own locks, of a program that uses the shared library."""

    def test_they_are_counted_and_have_their_names(self):
        self.needs_names()
        for option in ("--stat", "--observe"):
            done = run(option, "--", NATIVE)
            self.assertEqual(done.returncode, 0)
            self.assertRegex(done.stderr, r"\n  own_mutex +fw_mutex +1 ")
            self.assertRegex(done.stderr, r"\n  the table +rwlock, read +1 ")
            self.assertRegex(done.stderr, r"in wait_for_both \(\w+\.h:\d+\)")
            self.assertRegex(done.stderr, r'held by \d+')

    def test_those_of_functions_of_the_library_are_counted(self):
        self.needs_names()
        for option in ("--stat", "--observe"):
            done = run(option, "--", CALLED)
            self.assertEqual(done.returncode, 0)
            self.assertRegex(done.stderr, r"\n  own_mutex +fw_mutex +1 ")
            self.assertRegex(done.stderr, r"\n  the table +rwlock, read +1 ")


class Json(Case):
    def test_figures_fit_together(self):
        found, done = figures(HOT)
        self.assertEqual((done.returncode, done.stderr), (3, ""))
        self.assertEqual((found["format"], found["status"], found["is_over"]),
                         ("furwock-stat-1", 3, True))
        self.assertEqual(found["command"], [HOT])
        process, = found["processes"]
        self.assertEqual(process["program"], os.path.basename(HOT))
        self.assertEqual(process["waits"],
                         sum(lock["waits"] for lock in process["locks"] if lock["is_lock"]))
        for lock in process["locks"]:
            self.assertEqual(lock["waits"], sum(count for _, count in lock["histogram_ns"]))
            self.assertEqual(lock["waits"], sum(site["waits"] for site in lock["sites"]))
            self.assertEqual(lock["ns"], sum(site["ns"] for site in lock["sites"]))
            self.assertLessEqual(lock["p50_ns"], lock["p99_ns"])
            self.assertLessEqual(lock["p99_ns"], lock["longest_ns"])
            self.assertLessEqual(lock["longest_ns"], lock["ns"])
        names = {thread["name"] for thread in process["threads"]}
        self.assertIn("the waiter", names)
        self.assertEqual(process["waiting"], [])

    def test_hot_lock(self):
        self.needs_names()
        found, _ = figures(HOT)
        lock = lock_of(found["processes"][0])
        self.assertEqual((lock["kind"], lock["is_lock"], lock["failed"]), ("mutex", True, 0))
        self.assertGreater(lock["waits"], 0)
        self.assertLessEqual(lock["waits"], ROUNDS)
        for site in lock["sites"]:
            self.assertEqual(site["waiter"]["symbol"], "waits_for_it")
            self.assertRegex(site["waiter"]["file"], r"hot\.c$")
        self.assertEqual(lock["sites"][0]["holder"]["symbol"], "keeps_it")
        self.assertEqual(lock["sites"][0]["callers"][0]["symbol"], "waiter")
        self.assertEqual({holder["thread"] for holder in lock["holders"]},
                         {found["processes"][0]["process"]})

    def test_a_forked_child_has_its_own_figures(self):
        found, _ = figures(HOT, "fork")
        self.assertEqual(len(found["processes"]), 2)
        self.assertEqual(len({process["process"] for process in found["processes"]}), 2)
        for process in found["processes"]:
            self.assertLessEqual(max(lock["waits"] for lock in process["locks"]), 2 * ROUNDS)

    def test_both_of_two_threads_that_wait_first(self):
        found, done = figures(HOT, "first")
        self.assertEqual(done.returncode, 3)
        self.assertEqual([sum(lock["waits"] for lock in process["locks"])
                          for process in found["processes"]], [2] * FIRSTS)

    def test_programs_that_a_process_becomes_and_starts(self):
        found, done = figures("sh", "-c", f"'{HOT}'; '{HOT}'; exec '{HOT}'")
        self.assertEqual(done.returncode, 3)
        self.assertEqual(len(found["processes"]), 3)

    def test_addresses_without_names(self):
        found, _ = figures(HOT)
        for lock in found["processes"][0]["locks"]:
            for site in lock["sites"]:
                self.assertEqual(site["waiter"]["module"], HOT)
                self.assertGreater(site["waiter"]["offset"], 0)


class Watched(Case):
    def start(self, *options, words=("hang",)):
        child = subprocess.Popen([*PROGRAM, "run", *options, "--", HOT, *words], text=True,
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(child.stdout.close)
        self.addCleanup(child.stderr.close)
        self.addCleanup(child.kill)
        self.assertEqual(child.stdout.readline(), "hangs\n")
        return child

    def test_who_waits_when_it_is_killed(self):
        child = self.start("--stat")
        child.terminate()               # is passed on
        _, said = child.communicate(timeout=900)
        self.assertEqual(child.returncode, 128 + signal.SIGTERM)
        self.assertRegex(said, r'\d+ "[^"]+" has waited \S+ [mun]?s for ')
        if KNOWS == "names":
            self.assertRegex(said, r"for hot_lock, in hangs \(hot\.c:\d+\); \d+ had it, taken in "
                                   r"hang|main")

    def test_the_program_is_killed_beyond_help(self):
        child = self.start("--stat")
        kids = pathlib.Path(f"/proc/{child.pid}/task/{child.pid}/children").read_text().split()
        os.kill(int(kids[0]), signal.SIGKILL)
        _, said = child.communicate(timeout=900)
        self.assertEqual(child.returncode, 128 + signal.SIGKILL)
        self.assertIn("has waited", said)

    def test_on_a_signal(self):
        child = self.start("--stat", "--json")
        child.send_signal(signal.SIGUSR1)
        text, bracket = "", 0
        while not text or bracket:      # one whole object
            line = child.stderr.readline()
            text += line
            bracket += len(re.findall(r"[{\[]", line)) - len(re.findall(r"[}\]]", line))
        now = json.loads(text)
        self.assertEqual((now["is_over"], now["status"]), (False, None))
        self.assertEqual(len(now["processes"][0]["waiting"]), 1)
        child.terminate()
        child.communicate(timeout=900)

    def test_every_second(self):
        child = self.start("--live", "--json")
        lines = [json.loads(child.stderr.readline()) for _ in range(2)]
        self.assertTrue(all(not line["is_over"] for line in lines))
        child.terminate()
        _, rest = child.communicate(timeout=900)
        self.assertTrue(json.loads(rest.splitlines()[-1])["is_over"])

    def test_stopped_and_continued_with_it(self):
        child = self.start("--stat")
        kids = pathlib.Path(f"/proc/{child.pid}/task/{child.pid}/children").read_text().split()
        os.kill(int(kids[0]), signal.SIGSTOP)
        until, state = time.monotonic() + PATIENCE_S, ""
        while state != "T":
            self.assertLess(time.monotonic(), until)
            time.sleep(0.01)
            stat = pathlib.Path(f"/proc/{child.pid}/stat").read_text()
            state = stat.rpartition(")")[2].split()[0]
        child.send_signal(signal.SIGCONT)
        child.terminate()
        child.communicate(timeout=900)
        self.assertEqual(child.returncode, 128 + signal.SIGTERM)


if __name__ == "__main__":
    PROGRAM[:], HOT, KNOWS, NATIVE, CALLED = [sys.argv[1]], *sys.argv[2:6]
    unittest.main(argv=sys.argv[:1], verbosity=1)
