#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests of the demo and of the bench command, with benchmarks that only pretend to measure."""

import json
import os
import signal
import subprocess
import time
import unittest

import reporting
import synthetic
import synthetic_lifo
import synthetic_mix
import synthetic_share
import synthetic_wakes

# Writes the JSON beside it to where --json says; on `slow`, waits for an interrupt.
PRETENDER = """#!/bin/sh
case " $* " in *" --dry-run "*) echo "configurations dropped: (1,2)"; exit 0;; esac
echo "its own table"
echo "$*" >> "$0.words"
if [ -e "$0.refuses" ]; then
    case " $* " in *" --resume "*) exit 2;; esac
fi
[ ! -e "$0.broken" ] || exit 1
own=$0.$1.json
[ -e "$own" ] || own=$0.json
while [ "$1" != --json ]; do shift; done
cp "$own" "$2"
if [ -e "$0.slow" ]; then
    trap 'touch "$0.interrupted"; kill $!; exit 130' INT
    sleep 3600 &
    touch "$0.started"
    wait
fi
"""


class Conducting(reporting.InDirectory):
    def setUp(self):
        super().setUp()
        self.bench = self.dir / "build" / "bench"
        self.out = self.dir / "out"
        self.bench.mkdir(parents=True)
        self.pretend("uncontended", {**synthetic.uncontended(), "complete": True})
        self.pretend("ulockflex", synthetic.today(2, ("furwock", "pthread"), sets=(1,),
                                                  tasks=(2,)))

    def pretend_all(self):
        """The other benchmarks, too.  What becomes of each picture is seen once: that is slow."""
        self.write("ulockflex.share-demo", synthetic_share.share(2, (2, 4), (50, 90), [(5, 5)]))
        self.pretend("condperf", synthetic_wakes.condperf(2, (100,), (0,)))
        self.pretend("pingpong", synthetic_wakes.pingpong(2, (2, 100)))
        self.pretend("latency", synthetic_wakes.latency(2))
        self.pretend("lifo", synthetic_lifo.lifo(2, (2, 4)))
        self.pretend("atomicmix", synthetic_mix.atomicmix(2))

    def pretend(self, name, result):
        program = self.bench / name
        program.write_text(PRETENDER)
        program.chmod(0o755)
        self.write(name, result)

    def write(self, name, result):
        here = {**result["machine"], "cpus": len(os.sched_getaffinity(0))}
        (self.bench / f"{name}.json").write_text(json.dumps({**result, "machine": here}))

    def start(self, tool, *words, **more):
        return subprocess.Popen([str(reporting.TOOLS / tool), "--build", str(self.dir / "build"),
                                 "-o", str(self.out), *words], stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True, **more)

    def run_to_end(self, tool, *words):
        child = self.start(tool, *words)
        out, err = child.communicate(timeout=900)
        return child.returncode, out, err

    def demonstrate(self):
        status, out, err = self.run_to_end("demo")
        self.assertEqual(status, 0, err)
        self.assertIn("furwock", out)
        self.assertIn(f"{self.out}/index.html", out)
        self.assertNotIn("its own table", out)
        self.assertIn("make demo", (self.out / "index.html").read_text())
        self.assertTrue((self.out / "uncontended.png").exists())
        return out

    def test_demo(self):
        self.demonstrate()

    @reporting.in_full
    def test_demo_of_all(self):
        self.pretend_all()
        out = self.demonstrate()
        self.assertTrue((self.out / "condperf.png").exists())
        self.assertTrue((self.out / "share-fair-5-5-threads.png").exists())
        self.assertRegex(out, r"furwock-rw-readers +readers ")
        self.assertIn("pass a ball", out)
        self.assertIn("barrier", out)
        self.assertIn("stack with an atomic head", out)
        self.assertIn("atomic object of 32 bytes", out)

    def test_one_of_them_is_broken(self):
        (self.bench / "ulockflex.broken").touch()
        status, out, err = self.run_to_end("demo")
        self.assertEqual(status, 0, err)
        self.assertIn("ulockflex ended with status 1", err)
        self.assertIn("(cas+exchange)", out)

    @reporting.in_full
    def test_one_of_them_was_not_built(self):
        (self.bench / "uncontended").unlink()
        status, out, err = self.run_to_end("demo")
        self.assertEqual(status, 0, err)
        self.assertIn("not built here", err)

    def test_nothing_to_show(self):
        for name in ("uncontended", "ulockflex"):
            (self.bench / name).unlink()
        status, _, err = self.run_to_end("demo")
        self.assertEqual(status, 2)
        self.assertIn("demo: nothing was measured", err)

    def test_directory_that_cannot_be_made(self):
        self.out.write_text("a file, no directory")
        status, _, err = self.run_to_end("demo")
        self.assertEqual(status, 2)
        self.assertEqual(err.count("\n"), 1, err)

    def interrupt(self, number, **more):
        (self.bench / "ulockflex.slow").touch()
        child = self.start("demo", **more)
        while not (self.bench / "ulockflex.started").exists():
            self.assertIsNone(child.poll())
            time.sleep(0.1)
        os.kill(child.pid, number)
        out, err = child.communicate(timeout=900)
        self.assertEqual(child.returncode, 130, err)
        self.assertTrue((self.bench / "ulockflex.interrupted").exists())
        self.assertIn("stopped: reporting", out)
        self.assertTrue((self.out / "index.html").exists())

    def test_interrupt(self):
        self.interrupt(signal.SIGINT, preexec_fn=lambda: signal.signal(signal.SIGINT,
                                                                            signal.SIG_DFL))

    @reporting.in_full
    def test_terminate_in_the_background(self):
        """A shell without job control starts what runs in the background with SIGINT ignored."""
        self.interrupt(signal.SIGTERM,
                       preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN))

    def test_bench_goes_on(self):
        for more in ((), ("--assist", "both")):
            status, out, err = self.run_to_end("bench", "--minutes", "5", *more)
            self.assertEqual(status, 0, err)
        self.assertIn("goals", out)
        words = (self.bench / "ulockflex.words").read_text().splitlines()
        self.assertEqual(len(words), 12)
        self.assertNotIn("--resume", words[0])
        self.assertIn("measured before", out)
        self.assertEqual(len((self.bench / "uncontended.words").read_text().splitlines()), 1)
        self.assertTrue(all("--resume" in line for line in words[6:]))
        self.assertEqual([line.split()[0] for line in words if "--assist both" in line],
                         ["adaptive"])
        self.assertIn("make bench BENCH_ARGS=", (self.out / "index.html").read_text())

    def words_of(self, name):
        return (self.bench / f"{name}.words").read_text().splitlines()

    def test_bench_says_first_what_does_not_fit(self):
        status, out, err = self.run_to_end("bench", "--minutes", "5", "--dry-run")
        self.assertEqual(status, 0, err)
        self.assertRegex(out, r"^This takes about \d+ minutes; Ctrl-C")
        self.assertIn("Left out of today's grid:\n  configurations dropped: (1,2)", out)
        self.assertFalse((self.bench / "ulockflex.words").exists())
        self.assertFalse((self.out / "index.html").exists())

    @reporting.in_full
    def test_bench_is_interrupted_and_goes_on(self):
        """What is done is kept, what was under way is gone on with, and the rest is begun."""
        half = {**synthetic_wakes.condperf(2, (100,), (0,)), "complete": False, "seconds": 4.0}
        self.pretend("condperf", half)
        self.pretend("pingpong", {**synthetic_wakes.pingpong(2, (2, 100)), "complete": True})
        (self.bench / "condperf.slow").touch()
        child = self.start("bench", "--minutes", "5", preexec_fn=lambda: signal.signal(
            signal.SIGINT, signal.SIG_DFL))
        while not (self.bench / "condperf.started").exists():
            self.assertIsNone(child.poll())
            time.sleep(0.1)
        os.kill(child.pid, signal.SIGINT)
        child.communicate(timeout=900)
        self.assertEqual(child.returncode, 130)
        self.assertTrue((self.out / "index.html").exists())
        self.assertFalse((self.bench / "pingpong.words").exists())
        (self.bench / "condperf.slow").unlink()
        status, out, err = self.run_to_end("bench", "--minutes", "5")
        self.assertEqual(status, 0, err)
        self.assertEqual(["--resume" in line for line in self.words_of("condperf")],
                         [False, True])
        self.assertEqual(["--resume" in line for line in self.words_of("pingpong")], [False])
        self.assertEqual(len(self.words_of("uncontended")), 1)
        self.assertIn("measured before", out)

    @reporting.in_full
    def test_what_cannot_be_gone_on_with_is_begun_anew(self):
        self.pretend("condperf", {**synthetic_wakes.condperf(2, (100,), (0,)), "complete": False})
        (self.bench / "condperf.refuses").touch()
        for _ in range(2):
            status, out, err = self.run_to_end("bench", "--minutes", "5")
            self.assertEqual(status, 0, err)
        self.assertEqual(["--resume" in line for line in self.words_of("condperf")],
                         [False, True, False])
        self.assertIn("condperf.json was measured with other options", out)
        self.assertTrue((self.out / "condperf.before").exists())


if __name__ == "__main__":
    unittest.main(verbosity=1)
