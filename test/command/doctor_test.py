#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""furwock doctor: what it says is held against what can be seen otherwise."""

import ctypes
import json
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import unittest

import command_test

MEMBARRIER = {"x86_64": 324, "aarch64": 283}
PRIVATE_EXPEDITED_RSEQ = 1 << 7
NEVER_REFUSED = ("rseq", "two processors", "quick clock", "sched_ext", "POSIX drop-in")
DROP_IN = []  # has the build the library?


class Doctor(command_test.Case):
    def findings(self, **more):
        whole = json.loads(self.good("doctor", "--json", **more))
        self.assertEqual(whole["format"], "furwock-doctor-1")
        self.assertEqual(whole["machine"]["cpus"], len(os.sched_getaffinity(0)))
        return {f["name"]: f for f in whole["findings"]}

    def test_each_has_an_answer(self):
        findings = self.findings()
        self.assertEqual(len(findings), 24)
        for f in findings.values():
            self.assertEqual(set(f), {"name", "state", "detail", "follows"})
            self.assertIn(f["state"], ("yes", "no", "refused"))
            self.assertTrue(f["follows"])
        for name in NEVER_REFUSED:
            self.assertNotEqual(findings[name]["state"], "refused")

    def test_text_has_a_line_for_each(self):
        lines = self.good("doctor").splitlines()
        findings = self.findings()
        self.assertEqual(lines[1], "")
        for line, f in zip(lines[2:], findings.values(), strict=True):
            self.assertRegex(line, rf"^{f['name']} +{f['state']} ")
            self.assertIn(f["follows"], line)

    def test_what_can_be_seen_otherwise(self):
        findings = self.findings()
        libc = ctypes.CDLL(None, use_errno=True)
        commands = libc.syscall(MEMBARRIER[os.uname().machine], 0, 0, 0)
        self.assertEqual(findings["membarrier for rseq"]["state"] == "yes",
                         commands > 0 and bool(commands & PRIVATE_EXPEDITED_RSEQ))
        try:
            size = ctypes.c_uint.in_dll(libc, "__rseq_size").value
        except ValueError:
            size = 0
        self.assertEqual(findings["rseq"]["state"] == "yes", size != 0)
        clock = pathlib.Path("/sys/devices/system/clocksource/clocksource0/current_clocksource")
        if clock.exists():
            self.assertEqual(findings["quick clock"]["detail"], clock.read_text().strip())
        self.assertEqual(findings["/dev/shm"]["state"] == "yes",
                         os.access("/dev/shm", os.R_OK | os.W_OK | os.X_OK))
        self.assertEqual(findings["POSIX drop-in"]["state"], DROP_IN[0])

    def test_one_processor(self):
        cpu = min(os.sched_getaffinity(0))
        text = self.good("doctor", "--json", preexec_fn=lambda: os.sched_setaffinity(0, {cpu}))
        states = {f["name"]: f["state"] for f in json.loads(text)["findings"]}
        self.assertEqual(states["two processors"], "no")

    def test_without_rseq(self):
        env = {**os.environ, "GLIBC_TUNABLES": "glibc.pthread.rseq=0"}
        self.assertEqual(self.findings(env=env)["rseq"]["state"], "no")

    @unittest.skipUnless(os.geteuid() == 0 and shutil.which("setpriv"), "only root may drop rights")
    def test_without_rights(self):
        words = ["setpriv", "--reuid=65534", "--clear-groups", "--bounding-set=-all",
                 "--inh-caps=-all", *command_test.PROGRAM, "doctor", "--json"]
        done = subprocess.run(words, stdout=subprocess.PIPE, text=True, check=False,
                              preexec_fn=no_real_time)
        if done.returncode != 0:
            self.skipTest("the program is in a folder that nobody else may read")
        states = {f["name"]: f["state"] for f in json.loads(done.stdout)["findings"]}
        self.assertEqual(states["real-time threads"], "refused")

    @unittest.skipUnless(shutil.which("strace"), "strace is not installed")
    def test_the_kernel_asks_to_try_again(self):
        before = self.findings()["assist possible"]
        words = ["strace", "-qq", "-o", "/dev/null", "-e", "trace=bpf", "-e",
                 "inject=bpf:error=EAGAIN:when=2..3", *command_test.PROGRAM, "doctor", "--json"]
        env = {**os.environ, "ASAN_OPTIONS": "detect_leaks=0"}  # that would trace, too
        done = subprocess.run(words, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              env=env, check=False)
        if "ptrace" in done.stderr:
            self.skipTest("no process may look into another one here")
        findings = {f["name"]: f for f in json.loads(done.stdout)["findings"]}
        self.assertEqual(findings["assist possible"], before)

    def test_usage(self):
        self.assertIn('"now"', self.refused(2, "doctor", "now"))

    def test_standard_output_that_is_full(self):
        with open("/dev/full", "w", encoding="ascii") as full:
            for words in ([], ["--json"]):
                done = command_test.furwock("doctor", *words, stdout=full)
                self.assertEqual(done.returncode, 1)


def no_real_time():
    resource.setrlimit(resource.RLIMIT_RTPRIO, (0, 0))


if __name__ == "__main__":
    command_test.PROGRAM[:] = sys.argv[1:2]
    DROP_IN[:] = sys.argv[2:3]
    unittest.main(argv=sys.argv[:1])
