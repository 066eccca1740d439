#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Run random task sets by furwock rt run: measured blocking against its bound.

Without options all protocols that the tier has, 100,000 jobs of each, a new task set for each
2,000: some five minutes.  Exit status 1 where a job was blocked for longer than its limit: the
set is kept then, in the folder of --keep.  Exit status 3 where none was, but the machine stood
still for too much of the time of some runs (furwock rt run --max-noise): they do not count.
In an emulator one CPU stands still while another one's turn is; --max-noise says how much of that
is allowed.

Tier B, where this machine has none, in a virtual machine of tools/vm:

    rt_sets.py FURWOCK --vm build/release --jobs 100000 --json sets-b.json
"""

import argparse
import datetime
import json
import os
import pathlib
import platform
import random
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
FORMAT = "furwock-rt-sets-1"
ONE_CPU = ["PIP", "IPCP", "PCP", "PCP-DU-BOOL", "PCP-DU-PF"]
ANY_CPU = ["MPCP", "MPCP-DU", "FMLP+", "FMLP+-DU"]
NOT_IN = {"A": "PCP-DU-PF", "B": "PIP"}
NOT_VALID = 3       # exit status
LOCKS = ["a", "b", "c", "d"]
ALLOWED = sorted(os.sched_getaffinity(0))


def section(rng, locks, budget, may_nest):
    """A critical section, in microseconds; the locks inside of it are later ones of the list."""
    lock = rng.randrange(len(locks))
    us = round(rng.uniform(0.2, 1) * budget, 1)
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


def protocols(given):
    """Those that were asked for, or all that the tier has."""
    return given.protocol or [name for name in ONE_CPU + ANY_CPU if name != NOT_IN[given.tier]]


def sets(given, protocol):
    """The sets of a protocol, and how many jobs of each."""
    for number, jobs in enumerate(range(given.jobs, 0, -given.set_jobs)):
        yield (number, task_set(random.Random(f"{given.seed} {protocol} {number}"), protocol),
               min(jobs, given.set_jobs))


def options(given):
    """Of furwock rt run, for all sets."""
    return [f"--section-cost={given.section_cost}", f"--wake-cost={given.wake_cost}",
            f"--max-noise={given.max_noise}", f"--stall={given.stall}"]


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
    parser.add_argument("--protocol", action="append", choices=ONE_CPU + ANY_CPU)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=pathlib.Path, default=pathlib.Path("."))
    parser.add_argument("--section-cost", metavar="US",
                        help="as for furwock rt run (5; in a virtual machine 20)")
    parser.add_argument("--wake-cost", metavar="US",
                        help="as for furwock rt run (20; in a virtual machine 100)")
    parser.add_argument("--max-noise", metavar="PERCENT",
                        help="as for furwock rt run (5; in a virtual machine 25)")
    parser.add_argument("--stall", metavar="US", default="50",
                        help="as for furwock rt run (%(default)s)")
    parser.add_argument("--json", metavar="FILE", type=pathlib.Path, help="also write it there")
    parser.add_argument("--vm", metavar="BUILD", type=pathlib.Path,
                        help="under tier B in a virtual machine, with the programs of this build")
    parser.add_argument("--vm-options", metavar="WORDS", default="--icount --minutes 1000",
                        help="for tools/vm (default: %(default)s)")
    given = parser.parse_args()
    given.section_cost = given.section_cost or ("20" if given.vm else "5")
    given.wake_cost = given.wake_cost or ("100" if given.vm else "20")
    given.max_noise = given.max_noise or ("25" if given.vm else "5")
    given.kernel = f"{platform.system()} {platform.release()}"
    return given


class Sum:
    """Of all sets under one protocol."""

    def __init__(self):
        self.jobs = self.above = self.missed = self.not_valid = 0
        self.blocked = self.lost = self.excess = self.stalled = 0.0     # at most; over the bound
        self.late = 0.0                                                 # at most; tier B: woken

    def add(self, found):
        """The JSON of a run."""
        self.not_valid += not found["valid"]
        self.stalled = max(self.stalled, found["noise"]["stalled_percent"] or 0)
        for made in found["tasks"]:
            self.jobs += made["jobs"]
            self.above += made["above"]
            self.missed += made["missed"]
            self.blocked = max(self.blocked, made["blocked_us"])
            self.lost = max(self.lost, made["lost_us"])
            self.late = max(self.late, made["late_us"])
            if made["bound_us"] is not None:
                self.excess = max(self.excess, made["blocked_us"] - made["bound_us"])


def here(given):
    """(protocol, number, set, exit status, what was printed, or why not) of each, as it is run."""
    for protocol in protocols(given):
        for number, made, jobs in sets(given, protocol):
            yield (protocol, number, made,
                   *run(given.program, made, "--tier", given.tier, "--jobs", str(jobs),
                        *options(given)))


def in_vm(given):
    """The same; all of them are run first."""
    global ALLOWED                          # pylint: disable=global-statement
    ALLOWED = [0, 1]                        # that machine's
    given.tier = "B"
    cache = ROOT / "build" / "vm"
    shutil.rmtree(cache / "sets", ignore_errors=True)
    (cache / "sets").mkdir(parents=True)
    every = {}
    for protocol in protocols(given):
        for number, made, jobs in sets(given, protocol):
            name = f"{protocol}-{number:04}-{jobs}.json"
            every[name] = protocol, number, made
            (cache / "sets" / name).write_text(json.dumps(made), encoding="utf-8")
    words = [ROOT / "tools" / "vm", given.vm, "--labels", "^scx-sets$", "--cache", cache, "--files",
             cache / "sets", "--program", given.program, *given.vm_options.split(), "--words",
             " ".join(options(given))]
    with subprocess.Popen([str(word) for word in words], stdout=subprocess.PIPE,
                          text=True) as machine:
        for line in machine.stdout:
            said = re.search(r"vm: kernel: (\S+)", line)
            given.kernel = said[1] if said else given.kernel
            said = re.match(r"set: (\S+) (\d+) (.*)", line)
            if not said or said[1] not in every:
                print(line, end="", file=sys.stderr)
                continue
            line, start, found = said[3].partition("{")    # a line on standard error comes first
            yield (*every.pop(said[1]), int(said[2]), json.loads(start + found) if start else None,
                   line)
    for protocol, number, made in every.values():
        yield protocol, number, made, 1, None, "was not run"


def write(given, sums, sets_above):
    """What was found, and how to find it again."""
    whole = {"format": FORMAT, "seed": given.seed, "tier": given.tier, "set_jobs": given.set_jobs,
             "section_cost_us": float(given.section_cost), "wake_cost_us": float(given.wake_cost),
             "max_noise_percent": float(given.max_noise), "stall_us": float(given.stall),
             "machine": {"kernel": given.kernel, "cpus": len(ALLOWED),
                         "emulated": given.vm is not None,
                         "date": datetime.datetime.now(datetime.timezone.utc).strftime(
                             "%Y-%m-%dT%H:%M:%SZ")},
             "protocols": [{"protocol": protocol, "jobs": total.jobs, "missed": total.missed,
                            "above_limit": total.above, "blocked_us": round(total.blocked, 3),
                            "over_bound_us": round(total.excess, 3),
                            "lost_us": round(total.lost, 3), "late_us": round(total.late, 3),
                            "stalled_percent": round(total.stalled, 3),
                            "sets_not_valid": total.not_valid}
                           for protocol, total in sums.items()],
             "sets_above": sets_above}
    given.json.write_text(json.dumps(whole, indent=1) + "\n", encoding="utf-8")


def keep(given, protocol, number, made):
    path = given.keep / f"{protocol}-{given.seed}-{number}.json"
    path.write_text(json.dumps(made, indent=1), encoding="utf-8")
    print(f"above the limit: {path}", file=sys.stderr)
    return path.name


def explain(found):
    """What the scheduler of tier B has noted while jobs were blocked for too long."""
    for made in found["tasks"]:
        for job in made["jobs_above"]:
            noted = [f"{n['cause']} ({n['us']} from {n['from_us']} on)" for n in job["noted"]]
            print(f"  {made['name']}: blocked {job['blocked_us']}, limit {made['limit_us']}, lost "
                  f"{job['lost_us']}, woken late by {job['late_us']}, held by the kernel for "
                  f"{job['held_us']}; noted: "
                  f"{', '.join(noted) or 'nothing'}", file=sys.stderr)


def show(protocol, total):
    print(f"{protocol:12} {total.jobs:8} {total.missed:7} {total.blocked:8.1f} "
          f"{total.excess:10.1f} {total.lost:9.1f} {total.stalled:8.2f} {total.not_valid:9} "
          f"{total.above:11}", flush=True)


def main():
    given = arguments()
    status, sums, above = 0, {}, []
    print(f"seed {given.seed}; times in microseconds")
    print(f"{'protocol':12} {'jobs':>8} {'missed':>7} {'blocked':>8} {'over bound':>10} "
          f"{'lost':>9} {'stalled%':>8} {'not valid':>9} {'above limit':>11}")
    for protocol, number, made, rc, found, why in (in_vm if given.vm else here)(given):
        if found is None:
            print(f"{protocol}, set {number}: {why}", file=sys.stderr)
            return 77 if "SCHED_FIFO" in why else 1
        if sums and protocol not in sums:
            show(*list(sums.items())[-1])
        sums.setdefault(protocol, Sum()).add(found)
        if rc == NOT_VALID:
            print(f"{protocol}, set {number}: {why}", file=sys.stderr)
            status = status or NOT_VALID
        elif rc != 0:
            above.append(keep(given, protocol, number, made))
            explain(found)
            status = 1
    if sums:
        show(*list(sums.items())[-1])
    if given.json:
        write(given, sums, above)
    return status


if __name__ == "__main__":
    sys.exit(main())
