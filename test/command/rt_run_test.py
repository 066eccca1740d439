#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""furwock rt analyze and furwock rt run: what they print of a task set, and what they refuse.

No times: limits are so generous that only an unbounded wait exceeds them.
"""

import json
import os
import pathlib
import random
import sys
import tempfile
import unittest

import command_test
import rt_sets

CPU = rt_sets.ALLOWED[0]
PROTOCOLS = ["PIP", "IPCP", "PCP", "PCP-DU-BOOL", "PCP-DU-PF", "MPCP", "MPCP-DU", "FMLP+",
             "FMLP+-DU"]
NOT_VALID = 3       # exit status
GENEROUS = ["--section-cost", "5000", "--wake-cost", "50000"]


def small():
    """Three tasks; the first and the last share a lock, under which the last is for 300 us."""
    return {"format": "furwock-taskset-1", "locks": ["q"], "tasks": [
        {"name": "high", "cpu": CPU, "priority": 30, "period_us": 2000, "execution_us": 100,
         "sections": [{"lock": "q", "us": 20}]},
        {"name": "middle", "cpu": CPU, "priority": 20, "period_us": 3000, "execution_us": 150},
        {"name": "low", "cpu": CPU, "priority": 10, "period_us": 7000, "execution_us": 600,
         "sections": [{"lock": "q", "us": 300}]}]}


class Case(command_test.Case):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def file(self, made):
        path = pathlib.Path(self.folder.name) / "set.json"
        path.write_text(made if isinstance(made, str) else json.dumps(made), encoding="utf-8")
        return str(path)


class Analyze(Case):
    def test_json(self):
        whole = json.loads(self.good("rt", "analyze", "--json", self.file(small())))
        self.assertEqual(whole["format"], "furwock-rt-analysis-1")
        analyses = whole["analyses"]
        self.assertEqual([p for a in analyses for p in a["protocols"]], PROTOCOLS)
        for analysis in analyses:
            self.assertIsNone(analysis["unfit"])
            self.assertTrue(analysis["schedulable"])
        pcp = {t["name"]: t for t in analyses[1]["tasks"]}
        self.assertEqual((pcp["high"]["blocking_us"], pcp["high"]["response_us"]), (300, 400))
        self.assertEqual((pcp["middle"]["blocking_us"], pcp["middle"]["response_us"]), (300, 550))
        self.assertEqual((pcp["low"]["blocking_us"], pcp["low"]["response_us"]), (0, 850))
        self.assertEqual(pcp["low"]["deadline_us"], 7000)

    def test_text(self):
        text = self.good("rt", "analyze", self.file(small()))
        self.assertIn("\nIPCP, PCP, PCP-DU-BOOL, PCP-DU-PF: schedulable\n", text)
        self.assertRegex(text, r"\n  high +\d+ +30 +100.000 +300.000 +400.000 +2000.000\n")

    def test_one_protocol(self):
        made = small()
        text = self.good("rt", "analyze", "--protocol", "fmlp+", self.file(made))
        self.assertIn("FMLP+: schedulable", text)
        self.assertNotIn("PCP", text)
        made["protocol"] = "MPCP"
        text = self.good("rt", "analyze", self.file(made))
        self.assertIn("MPCP: schedulable", text)
        self.assertNotIn("FMLP", text)

    def conditional(self, *words):
        """{protocol: condition} of the JSON, and what was said on standard error."""
        done = command_test.furwock("rt", "analyze", "--json", *words, self.file(small()))
        self.assertEqual(done.returncode, 0, done.stderr)
        analyses = json.loads(done.stdout)["analyses"]
        for condition in [c for a in analyses for c in a["conditions"]]:
            self.assertEqual(condition["tier"], "A")
        return ({c["protocol"]: c["bounds_hold_if"] for a in analyses for c in a["conditions"]},
                [p for a in analyses for p in a["protocols"]], done.stderr)

    def test_condition(self):
        """In tier A the deferred updates of MPCP and FMLP+ have bounds under a condition: whoever
        reads the table, the JSON or standard error is told."""
        conditions, protocols, said = self.conditional()
        self.assertEqual((list(conditions), said), (["MPCP-DU", "FMLP+-DU"], ""))
        self.assertEqual(protocols, PROTOCOLS)
        for condition in conditions.values():
            for word in ("raise the owner", "CAP_SYS_NICE", "RLIMIT_RTPRIO", "sleep"):
                self.assertIn(word, condition)
        text = self.good("rt", "analyze", self.file(small()))
        for name, condition in conditions.items():
            self.assertIn(f"  {name} in tier A: the bounds hold if {condition}.\n", text)
        self.assertEqual(text.count("the bounds hold if"), 2)

    def test_tier(self):
        conditions, protocols, said = self.conditional("--tier", "A")
        self.assertEqual(list(conditions), ["MPCP-DU", "FMLP+-DU"])
        self.assertEqual(protocols, [p for p in PROTOCOLS if p != rt_sets.NOT_IN["A"]])
        self.assertEqual(said.splitlines(),
                         [f"furwock rt analyze: warning: the bounds of {name} hold in tier A if "
                          f"{condition}" for name, condition in conditions.items()])
        conditions, protocols, said = self.conditional("--tier", "A", "--protocol", "MPCP-DU")
        self.assertEqual((list(conditions), protocols), (["MPCP-DU"], ["MPCP-DU"]))
        self.assertEqual(len(said.splitlines()), 1)
        for words in (("--tier", "B"), ("--tier", "A", "--protocol", "MPCP"),
                      ("--tier", "B", "--protocol", "FMLP+-DU")):
            conditions, protocols, said = self.conditional(*words)
            self.assertEqual((conditions, said), ({}, ""))
        conditions, protocols, said = self.conditional("--tier", "B")
        self.assertEqual(protocols, [p for p in PROTOCOLS if p != rt_sets.NOT_IN["B"]])

    def test_costs(self):
        words = ["--section-cost", "10", "--wake-cost", "5", "--json", "--protocol", "PCP"]
        whole = json.loads(self.good("rt", "analyze", *words, self.file(small())))
        self.assertEqual([t["blocking_us"] for t in whole["analyses"][0]["tasks"]], [315, 315, 5])

    def test_tier_b(self):
        """What its scheduler gives away comes in where a task with locks is there for long."""
        made = small()
        path = self.file(made)
        plain = self.good("rt", "analyze", "--protocol", "PCP", path)
        self.assertEqual(self.good("rt", "analyze", "--protocol", "PCP", "--tier", "B", path),
                         plain)
        for task, ms in zip(made["tasks"], (100, 700, 900)):
            task["period_us"] = ms * 1000
        made["tasks"][2]["execution_us"] = 300000
        words = ["rt", "analyze", "--json", "--protocol", "PCP", self.file(made)]
        tier_a = json.loads(self.good(*words, "--tier", "A"))["analyses"][0]["tasks"]
        for tick in 1, 4:
            tier_b = json.loads(self.good(*words, "--tier", "B", "--tick", f"{tick}000"))
            more = [b["response_us"] - a["response_us"]
                    for a, b in zip(tier_a, tier_b["analyses"][0]["tasks"])]
            self.assertEqual(more, [1000 * (1 + tick) * turns for turns in (1, 1, 2)])

    def test_not_schedulable(self):
        made = small()
        made["tasks"][0]["deadline_us"] = 350
        path = self.file(made)
        done = command_test.furwock("rt", "analyze", path)
        self.assertEqual((done.returncode, done.stderr), (1, ""))
        self.assertIn("not schedulable", done.stdout)
        self.assertIn("late", done.stdout)
        done = command_test.furwock("rt", "analyze", "--protocol", "PCP", path)
        self.assertEqual(done.returncode, 1)

    def test_unfit(self):
        made = small()
        made["tasks"][2]["cpu"] = CPU + 1
        text = self.good("rt", "analyze", self.file(made))
        self.assertIn('PIP: not for this set: lock "q" is used on more than one CPU', text)

    def test_standard_input(self):
        done = command_test.furwock("rt", "analyze", "-", input=json.dumps(small()))
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_refused(self):
        for verb in ("analyze", "run"):
            self.assertIn("line 2, column", self.refused(1, "rt", verb, self.file("{\n1}")))
            made = small()
            made["tasks"][1]["priority"] = 99
            self.assertIn("tasks[1]: \"priority\" has to be",
                          self.refused(1, "rt", verb, self.file(made)))
            made = small()
            made["tasks"][1]["name"] = "a\nb"
            made["tasks"][2]["priority"] = 20
            self.assertIn("have the same priority", self.refused(1, "rt", verb, self.file(made)))

    def test_damaged(self):
        """Whatever a file has: an answer or one line."""
        rng = random.Random(7)
        whole = json.dumps(small())
        for _ in range(150):
            text = list(whole)
            for _ in range(rng.randint(1, 4)):
                text[rng.randrange(len(text))] = rng.choice("{}[]\",:019.-ex\0\x7f\u00e4")
            done = command_test.furwock("rt", "analyze", "-", input="".join(text))
            self.assertIn(done.returncode, (0, 1), done.stderr)
            self.assertLessEqual(len(done.stderr.splitlines()), 1, done.stderr)


class Run(Case):
    def run_set(self, made, *words):
        done = command_test.furwock("rt", "run", "--json", "--tier", "A", *GENEROUS, *words, "-",
                                    input=json.dumps(made))
        if any(why in done.stderr for why in ("SCHED_FIFO", "not permitted", "too slow")):
            self.skipTest(done.stderr.strip())
        found = json.loads(done.stdout)
        if found["valid"]:
            self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        else:       # what the machine does is not the program's fault
            self.assertEqual(done.returncode, NOT_VALID, done.stdout)
            self.assertIn("not a valid run", done.stderr)
        return found

    def check(self, found, made, jobs):
        self.assertEqual((found["format"], found["tier"]), ("furwock-rt-run-1", "A"))
        self.assertEqual([t["name"] for t in found["tasks"]], [t["name"] for t in made["tasks"]])
        done = sum(t["jobs"] for t in found["tasks"])
        self.assertTrue(jobs <= done + len(made["tasks"]) and done <= jobs, found)
        for share in ("stalled_percent", "steal_percent", "lost_percent"):
            self.assertTrue(0 <= (found["noise"][share] or 0) <= 100, found["noise"])
        for task, given in zip(found["tasks"], made["tasks"]):
            self.assertEqual(task["above"], 0)
            if task["jobs"]:
                self.assertGreaterEqual(task["response_us"], given["execution_us"])
            if task["limit_us"] is not None:
                self.assertGreaterEqual(task["limit_us"], task["bound_us"])

    def test_small(self):
        for protocol in ("PIP", "IPCP", "PCP", "PCP-DU-BOOL", "MPCP", "MPCP-DU", "FMLP+",
                         "FMLP+-DU"):
            with self.subTest(protocol=protocol):
                found = self.run_set(small(), "--protocol", protocol, "--jobs", "60")
                self.assertEqual(found["protocol"], protocol)
                self.check(found, small(), 60)

    def test_random(self):
        for number, protocol in enumerate(rt_sets.ONE_CPU + rt_sets.ANY_CPU):
            if protocol == rt_sets.NOT_IN["A"]:
                continue
            with self.subTest(protocol=protocol):
                made = rt_sets.task_set(random.Random(number), protocol)
                self.check(self.run_set(made, "--jobs", "150"), made, 150)

    @unittest.skipUnless(len(rt_sets.ALLOWED) > 1, "one CPU only")
    def test_blocked_from_elsewhere(self):
        """A task that waits for an owner on another CPU is blocked, as is found.  The owner has the
        lock for half of the time, so some job in thousands comes in its section."""
        made = small()
        made["tasks"][1]["cpu"] = rt_sets.ALLOWED[1]
        made["tasks"][1]["period_us"] = 1000
        made["tasks"][1]["execution_us"] = 600
        made["tasks"][1]["sections"] = [{"lock": "q", "us": 500}]
        del made["tasks"][2]
        for protocol in ("MPCP", "MPCP-DU", "FMLP+", "FMLP+-DU"):
            with self.subTest(protocol=protocol):
                for _ in range(50):
                    found = self.run_set(made, "--protocol", protocol, "--jobs", "300")
                    high = found["tasks"][0]
                    if high["blocked_us"] > 0:
                        break
                self.assertGreater(high["blocked_us"], 0)
                if high["limit_us"] is not None:
                    self.assertEqual(high["above"], 0)

    def test_text(self):
        done = command_test.furwock("rt", "run", "-p", "PCP-DU-BOOL", "-n", "30", *GENEROUS,
                                    self.file(small()))
        if not done.stdout:
            self.skipTest(done.stderr.strip())
        self.assertIn(done.returncode, (0, NOT_VALID))
        self.assertRegex(done.stdout, r"PCP-DU-BOOL, tier [AB]; times in microseconds\n  task ")

    def test_refused(self):
        made = small()
        made["tasks"][1]["execution_us"] = 2900
        self.assertIn(f"CPU {CPU} would be busy",
                      self.refused(1, "rt", "run", "-p", "PCP", self.file(made)))
        made = small()
        made["tasks"][0]["sections"][0]["us"] = 21
        made["tasks"][2]["cpu"] = CPU + 1
        self.assertIn("PCP is not for this set",
                      self.refused(1, "rt", "run", "-p", "PCP", self.file(made)))

    def test_no_such_cpu(self):
        made = small()
        missing = max(os.sched_getaffinity(0)) + 1
        while pathlib.Path(f"/sys/devices/system/cpu/cpu{missing}").exists():
            missing += 1
        for task in made["tasks"]:
            task["cpu"] = missing
        text = self.refused(1, "rt", "run", "-p", "PCP", "--tier", "A", self.file(made))
        self.assertIn("task \"", text)

    @unittest.skipUnless(os.geteuid() == 0, "only root can become nobody")
    def test_no_right(self):
        """An ordinary user without the right to use SCHED_FIFO is told so."""
        try:
            done = command_test.furwock("rt", "run", "-p", "PCP", "--tier", "A", "-",
                                        input=json.dumps(small()), user=65534, cwd="/")
        except PermissionError:
            self.skipTest("nobody may not run what lies here, or root not become nobody")
        if done.returncode == 0:
            self.skipTest("everybody may use SCHED_FIFO here")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)


if __name__ == "__main__":
    command_test.PROGRAM[:] = sys.argv[1:2]
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
