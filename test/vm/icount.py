#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Count the instructions of real-time locks, in a virtual machine whose time they are.

Runs rtlatency under both tiers, and what the scheduler of tier B adds to a decision (Figure 1 of
"Fast on Average, Predictable in the Worst Case"), and shows Table 1 with the paper's figures.
"""

import argparse
import json
import re
import subprocess
import sys
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
SKIPPED = 77
COST = re.compile(r"cost: (\d+) tasks: (\d+) decisions, (\d+) ns in all programs for each, "
                  r"(\d+) in fw_dispatch")
KERNEL = re.compile(r"vm: kernel: (\S+)")
# Section V-D: added to each decision, in cycles.
PAPER = {"PCP-DU": 700, "MPCP-DU": 650, "FMLP+-DU": 400}


def listen(words):
    """What the machine says, line by line, and its status; results are not shown."""
    said, quiet = [], False
    with subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors="replace") as machine:
        for line in machine.stdout:
            line = line.rstrip("\r\n")
            said.append(line)
            quiet = line.startswith("results: ") or quiet
            if not quiet:
                print(line, flush=True)
            quiet = quiet and line != "results end"
    return said, machine.returncode


def cut(said):
    """The result files, by tier."""
    found, tier, lines = {}, None, []
    for line in said:
        if line.startswith("results: "):
            tier, lines = line.split()[1], []
        elif line == "results end" and tier is not None:
            found[tier] = json.loads("\n".join(lines))
            tier = None
        elif tier is not None:
            lines.append(line)
    return found


def costs(said):
    """Of the scheduler, by the number of tasks."""
    return [dict(zip(("tasks", "decisions", "instructions", "in_dispatch"), map(int, m.groups())))
            for m in map(COST.search, said) if m]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=Path, help="a build directory")
    parser.add_argument("--json", type=Path, help="also write the results to this file")
    parser.add_argument("--repeat", default="4", help="repetitions (4)")
    parser.add_argument("--milliseconds", default="250", help="length of a run (250)")
    parser.add_argument("--vmlinuz", help="the kernel; else Debian's newest")
    parser.add_argument("--cache", default=str(SOURCE / "build/vm"), help="where files are kept")
    parser.add_argument("--minutes", default="120", help="how long all of it may take")
    parser.add_argument("words", nargs="*", help="protocols; else all")
    args = parser.parse_args()
    words = [SOURCE / "tools/vm", args.build, "--icount", "--labels", "^(icount|scx)$",
             "--tests", "^(icount_latency|scx_cost)$", "--cache", args.cache,
             "--minutes", args.minutes, "--program", args.build / "bench/rtlatency/rtlatency",
             "--words", " ".join(["--repeat", args.repeat, "--milliseconds", args.milliseconds,
                                  *args.words])]
    said, status = listen([str(word) for word in words]
                          + (["--vmlinuz", args.vmlinuz] if args.vmlinuz else []))
    results, added = cut(said), costs(said)
    if status != 0 or not results:
        return status or SKIPPED
    kernel = next((m.group(1) for m in map(KERNEL.search, said) if m), "")
    print("\nWhat the scheduler of tier B takes for a decision, instructions, emulated "
          f"(the paper adds, in cycles: {PAPER}):")
    for row in added:
        print(f"  {row['tasks']:3d} tasks {row['instructions']:7d}, "
              f"of them {row['in_dispatch']} in fw_dispatch")
    if args.json:
        args.json.write_text(json.dumps({
            "format": "furwock-icount-1", "figures": "instructions, emulated", "kernel": kernel,
            "scheduler": added, "paper_adds_cycles": PAPER, "tiers": results}, indent=1) + "\n",
            encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
