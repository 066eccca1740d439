#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Run random task sets by furwock rt run: measured blocking against its bound.

Without options all protocols that the tier has, 100,000 jobs of each, a new task set for each
2,000: some minutes.  Exit status 1 where a job was blocked for longer than its limit: the
set is kept then, in the folder of --keep.
"""

import argparse
import json
import os
import pathlib
import random
import subprocess
import sys

ONE_CPU = ["PIP", "IPCP", "PCP", "PCP-DU-BOOL"]
ANY_CPU = ["MPCP", "MPCP-DU", "FMLP+", "FMLP+-DU"]
LOCKS = ["a", "b", "c", "d"]
ALLOWED = sorted(os.sched_getaffinity(0))


def section(rng, locks, room, may_nest):
    """A critical section, in microseconds; the locks inside of it are later ones of the list."""
    lock = rng.randrange(len(locks))
    us = round(rng.uniform(0.2, 1) * room, 1)
    made = {"lock": locks[lock], "us": us}
    inner = locks[lock + 1:]
    if may_nest and inner and rng.random() < 0.3:
        made["sections"] = [section(rng, inner, us / 2, may_nest)]
    return made


def task(rng, name, cpu, priority, load, protocol):
    """A task that takes that share of its CPU, about."""
    period = round(rng.choice([600, 800, 1000, 1500, 2500, 4000]) * rng.uniform(0.9, 1.1), 1)
    execution = round(max(20, load * period), 1)
    made = {"name": name, "cpu": cpu, "priority": priority, "period_us": period,
            "execution_us": execution}
    count = rng.randint(0, 3)
    may_nest = protocol in ONE_CPU
    if count:
        made["sections"] = [section(rng, LOCKS[:rng.randint(1, 4)],
                                    min(150, 0.9 * execution / count), may_nest)
                            for _ in range(count)]
    if rng.random() < 0.25:
        made["suspensions"] = rng.randint(1, 2)
        made["suspension_us"] = round(0.1 * period, 1)
    return made


def task_set(rng, protocol):
    """Five tasks on one CPU, or six on those that there are; the shorter the period the more
    urgent, most of the time."""
    one = protocol in ONE_CPU
    cpus = [rng.choice(ALLOWED)] * 5 if one else [ALLOWED[i % len(ALLOWED)] for i in range(6)]
    tasks = [task(rng, f"t{i}", cpu, 1, rng.uniform(0.02, 0.14), protocol)
             for i, cpu in enumerate(cpus)]
    urgent = sorted(tasks, key=lambda t: t["period_us"] * rng.uniform(0.7, 1.4), reverse=True)
    for priority, made in enumerate(urgent, 1):
        made["priority"] = priority
    return {"format": "furwock-taskset-1", "protocol": protocol, "locks": LOCKS, "tasks": tasks}


def run(program, made, *words):
    """Returns the exit status, and what furwock rt run has printed; or why it has not."""
    done = subprocess.run([program, "rt", "run", "-", "--json", *words], input=json.dumps(made),
                          text=True, capture_output=True, check=False)
    return done.returncode, json.loads(done.stdout) if done.stdout else None, done.stderr.strip()


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    parser.add_argument("program", help="furwock")
    parser.add_argument("--jobs", type=int, default=100000, help="of each protocol")
    parser.add_argument("--set-jobs", type=int, default=2000, help="of each set")
    parser.add_argument("--tier", choices=["A", "B"], default="A")
    parser.add_argument("--protocol", action="append", choices=ONE_CPU + ANY_CPU + ["PCP-DU-PF"])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=pathlib.Path, default=pathlib.Path("."))
    parser.add_argument("--section-cost", default="5", help="as for furwock rt run")
    parser.add_argument("--wake-cost", default="20", help="as for furwock rt run")
    return parser.parse_args()


class Sum:
    """Of all sets under one protocol."""

    def __init__(self):
        self.jobs = self.above = self.missed = self.over_bound = 0
        self.blocked = self.lost = self.excess = 0.0

    def add(self, found):
        for made in found["tasks"]:
            self.jobs += made["jobs"]
            self.above += made["above"]
            self.missed += made["missed"]
            self.blocked = max(self.blocked, made["blocked_us"])
            self.lost = max(self.lost, made["lost_us"])
            if made["bound_us"] is not None:
                self.excess = max(self.excess, made["blocked_us"] - made["bound_us"])


def main():
    given = arguments()
    status = 0
    print(f"seed {given.seed}; times in microseconds")
    print(f"{'protocol':12} {'jobs':>8} {'missed':>7} {'blocked':>8} {'over bound':>10} "
          f"{'lost':>9} {'above limit':>11}")
    for protocol in given.protocol or ONE_CPU + ANY_CPU:
        total, number = Sum(), 0
        while total.jobs < given.jobs:
            made = task_set(random.Random(f"{given.seed} {protocol} {number}"), protocol)
            jobs = min(given.set_jobs, given.jobs - total.jobs)
            rc, found, why = run(given.program, made, "--tier", given.tier, "--jobs", str(jobs),
                                 "--section-cost", given.section_cost,
                                 "--wake-cost", given.wake_cost)
            if found is None:
                print(f"{protocol}, set {number}: {why}", file=sys.stderr)
                return 77 if "SCHED_FIFO" in why else 1
            total.add(found)
            if rc != 0:
                path = given.keep / f"{protocol}-{given.seed}-{number}.json"
                path.write_text(json.dumps(made, indent=1), encoding="utf-8")
                print(f"above the limit: {path}", file=sys.stderr)
                status = 1
            number += 1
        print(f"{protocol:12} {total.jobs:8} {total.missed:7} {total.blocked:8.1f} "
              f"{total.excess:10.1f} {total.lost:9.1f} {total.above:11}", flush=True)
    return status


if __name__ == "__main__":
    sys.exit(main())
