#!/usr/bin/env python3
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
import tempfile
import unittest

import command_test

MEMBARRIER = {"x86_64": 324, "aarch64": 283}
PRIVATE_EXPEDITED_RSEQ = 1 << 7
NEVER_REFUSED = ("rseq", "two CPUs", "fast clock", "sched_ext", "POSIX drop-in")
DROP_IN = []  # has the build the library?
ILL = 3
TRACED = {**os.environ, "ASAN_OPTIONS": "detect_leaks=0"}  # that would trace, too


class Doctor(command_test.Case):
    def doctor(self, *words, program=None, before=(), **more):
        """What it prints: its status is that of its findings."""
        done = subprocess.run([*before, *(program or command_test.PROGRAM), "doctor", *words],
                              text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              timeout=900, check=False, **more)
        self.assertIn(done.returncode, (0, ILL), done.stderr)
        if words == ("--json",):
            self.assertEqual(json.loads(done.stdout)["status"], done.returncode)
        return done.stdout

    def findings(self, **more):
        whole = json.loads(self.doctor("--json", **more))
        self.assertEqual(whole["format"], "furwock-doctor-1")
        self.assertEqual(whole["machine"]["cpus"], len(os.sched_getaffinity(0)))
        return {f["name"]: f for f in whole["findings"]}

    def test_each_has_an_answer(self):
        findings = self.findings()
        self.assertEqual(len(findings), 28)
        for f in findings.values():
            self.assertEqual(set(f), {"name", "state", "detail", "follows", "weight", "remedy"})
            self.assertIn(f["state"], ("yes", "no", "refused"))
            self.assertIn(f["weight"], ("extra", "faster", "needed"))
            self.assertEqual(bool(f["remedy"]), f["state"] != "yes" and f["weight"] != "extra", f)
            self.assertTrue(f["follows"])
        for name in NEVER_REFUSED:
            self.assertNotEqual(findings[name]["state"], "refused")

    def test_text_has_a_line_for_each(self):
        summary, machine, lines = self.doctor().split("\n\n")
        findings = self.findings()
        self.assertIn("CPU", machine)
        for line, f in zip(lines.splitlines(), findings.values(), strict=True):
            self.assertRegex(line, rf"^{f['name']} +{f['state']} ")
            self.assertIn(f["follows"], line)
        said, *remedies = summary.splitlines()
        self.assertEqual(said, json.loads(self.doctor("--json"))["summary"])
        wanted = [f for weight in ("needed", "faster") for f in findings.values()
                  if f["weight"] == weight and f["remedy"]]
        for line, f in zip(remedies, wanted, strict=True):
            self.assertRegex(line, rf"^  {f['name']} +\S")
            self.assertIn(f["remedy"], line)
        self.assertEqual("All is well" in said, all(f["weight"] != "needed" for f in wanted))
        self.assertEqual(said.endswith(":"), bool(wanted))

    def test_something_needed_is_not_there(self):
        if DROP_IN[0] != "yes":
            self.skipTest("there is no drop-in here")
        with tempfile.TemporaryDirectory() as folder:
            alone = [shutil.copy(command_test.PROGRAM[0], folder)]
            whole = json.loads(self.doctor("--json", program=alone))
            f = {f["name"]: f for f in whole["findings"]}["POSIX drop-in"]
            self.assertEqual((whole["status"], f["state"], f["weight"]), (ILL, "no", "needed"))
            text = self.doctor(program=alone)
        self.assertRegex(text, r"^Not all is well.*:\n(  .*\n)*  POSIX drop-in +install ")

    def test_something_is_refused(self):
        before = ["strace", "-qq", "-o", "/dev/null", "-e", "trace=get_robust_list", "-e",
                  "inject=get_robust_list:error=EPERM"]
        if not shutil.which("strace"):
            self.skipTest("strace is not installed")
        done = subprocess.run([*before, *command_test.PROGRAM, "doctor"], text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False,
                              env=TRACED)
        if "ptrace" in done.stderr:
            self.skipTest("no process may look into another one here")
        self.assertEqual(done.returncode, ILL)
        summary = done.stdout.split("\n\n", maxsplit=1)[0]
        self.assertRegex(summary, r"\n  robust lists +let the container .* \(seccomp\)")

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
            self.assertEqual(findings["fast clock"]["detail"], clock.read_text().strip())
        self.assertEqual(findings["/dev/shm"]["state"] == "yes",
                         os.access("/dev/shm", os.R_OK | os.W_OK | os.X_OK))
        self.assertEqual(findings["POSIX drop-in"]["state"], DROP_IN[0])

    def test_one_cpu(self):
        cpu = min(os.sched_getaffinity(0))
        text = self.doctor("--json", preexec_fn=lambda: os.sched_setaffinity(0, {cpu}))
        states = {f["name"]: f["state"] for f in json.loads(text)["findings"]}
        self.assertEqual(states["two CPUs"], "no")

    def test_without_rseq(self):
        env = {**os.environ, "GLIBC_TUNABLES": "glibc.pthread.rseq=0"}
        rseq = self.findings(env=env)["rseq"]
        self.assertEqual((rseq["state"], rseq["weight"]), ("no", "faster"))
        self.assertIn("GLIBC_TUNABLES", rseq["remedy"])

    @unittest.skipUnless(os.geteuid() == 0 and shutil.which("setpriv"), "only root may drop rights")
    def test_without_rights(self):
        words = ["setpriv", "--reuid=65534", "--clear-groups", "--bounding-set=-all",
                 "--inh-caps=-all", *command_test.PROGRAM, "doctor", "--json"]
        done = subprocess.run(words, stdout=subprocess.PIPE, text=True, check=False,
                              preexec_fn=no_real_time)
        if done.returncode not in (0, ILL):
            self.skipTest("the program is in a folder that nobody else may read")
        states = {f["name"]: f["state"] for f in json.loads(done.stdout)["findings"]}
        self.assertEqual(states["real-time threads"], "refused")

    @unittest.skipUnless(shutil.which("strace"), "strace is not installed")
    def test_the_kernel_asks_to_try_again(self):
        before = self.findings()["assist possible"]
        words = ["strace", "-qq", "-o", "/dev/null", "-e", "trace=bpf", "-e",
                 "inject=bpf:error=EAGAIN:when=2..3", *command_test.PROGRAM, "doctor", "--json"]
        done = subprocess.run(words, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              env=TRACED, check=False)
        if "ptrace" in done.stderr:
            self.skipTest("no process may look into another one here")
        findings = {f["name"]: f for f in json.loads(done.stdout)["findings"]}
        self.assertEqual(findings["assist possible"], before)


def no_real_time():
    resource.setrlimit(resource.RLIMIT_RTPRIO, (0, 0))


if __name__ == "__main__":
    command_test.PROGRAM[:] = sys.argv[1:2]
    DROP_IN[:] = sys.argv[2:3]
    unittest.main(argv=sys.argv[:1])
