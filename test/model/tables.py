#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tables of fw-model's programs and faults, made from what it prints.

Without options the table of groups in the README is held against `fw-model --list`: findings are
printed as file:line: message, and the exit status is 1 if there are any.  With --run all searches
are made, two or more at a time; with --from, what they printed before is read.  Then the README's
table is written anew and, with --out, a document that has a row for each program and each fault.
"""
import argparse
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

RUN = re.compile(r"(?P<name>\S+) +(?P<preemptions>any|\d+) preemptions +(?P<states>\d+) states +"
                 r"(?P<steps>\d+) steps +depth +\d+ +(?P<seconds>[\d.]+) s  (?P<result>.+)")
BEGIN, END = "<!-- tables.py: begin -->", "<!-- tables.py: end -->"
HEAD = ["| group | programs | with all schedules | states | steps | faults |",
        "|---|--:|--:|--:|--:|--:|"]


class Entry(NamedTuple):
    """A program or, if it names a program that it is run in, a fault."""

    name: str
    about: str
    group: str
    program: str


def listed(fw_model: Path) -> list[Entry]:
    """All that --list names, in its order; a fault is of its program's group."""
    entries: list[Entry] = []
    groups: dict[str, str] = {}
    heading = ""
    for line in subprocess.run([fw_model, "--list"], stdout=subprocess.PIPE, text=True,
                               check=True).stdout.splitlines():
        if not line.startswith("  "):
            heading = line.rstrip(":") or heading
            continue
        name, about = line.split(maxsplit=1)
        if heading != "faults":
            groups[name] = heading
            entries.append(Entry(name, about, heading, ""))
        elif what := re.fullmatch(r"(.*) \(program (\S+)\)", about):
            entries.append(Entry(name, what[1], groups[what[2]], what[2]))
    return entries


def groups_of(entries: list[Entry]) -> dict[str, list[Entry]]:
    groups: dict[str, list[Entry]] = {}
    for entry in entries:
        groups.setdefault(entry.group, []).append(entry)
    return groups


def grouped(number: int) -> str:
    """Thousands are set apart by a space."""
    return f"{number:,}".replace(",", " ")


def summary(entries: list[Entry], runs: dict[str, re.Match]) -> list[str]:
    """The README's table."""
    rows, sums = [], [0] * 5
    for group, members in groups_of(entries).items():
        mine = [runs[e.name] for e in members if not e.program and e.name in runs]
        cells = [sum(not e.program for e in members),
                 sum(run["preemptions"] == "any" for run in mine),
                 sum(int(run["states"]) for run in mine), sum(int(run["steps"]) for run in mine),
                 sum(bool(e.program) for e in members)]
        sums = [a + b for a, b in zip(sums, cells)]
        rows.append(f"| {group} | {' | '.join(map(grouped, cells))} |")
    return HEAD + rows + [f"| all | {' | '.join(map(grouped, sums))} |"]


def counts(table: list[str]) -> list[tuple[str, str, str]]:
    """What can be told without a search: of each group its programs and faults."""
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table]
    return [(cells[0], cells[1], cells[-1]) for cells in rows]


def findings(lines: list[str], entries: list[Entry]) -> list[tuple[int, str]]:
    first, last = lines.index(BEGIN) + 1, lines.index(END)
    have, want = counts(lines[first:last]), counts(summary(entries, {}))
    found = [(first + i + 1, f"{' '.join(row)}: fw-model has no such group, or other numbers of "
              "programs and faults") for i, row in enumerate(have) if row not in want]
    return found + [(last + 1, f"{' '.join(row)}: no row says this") for row in want
                    if row not in have]


def document(entries: list[Entry], runs: dict[str, re.Match]) -> str:
    """A row for each program and each fault."""
    lines = ["# What fw-model has found"]
    for group, members in groups_of(entries).items():
        lines += ["", f"## {group}", "",
                  "| program | what | preemptions | states | steps | s | result |",
                  "|---|---|--:|--:|--:|--:|---|"]
        faults = ["", "| fault | what is wrong | program | result |", "|---|---|---|---|"]
        for e in members:
            run = runs.get(e.name)
            result = run["result"] if run else "not run"
            if e.program:
                faults.append(f"| {e.name} | {e.about} | {e.program} | {result} |")
            else:
                numbers = [run["preemptions"], grouped(int(run["states"])),
                           grouped(int(run["steps"])), run["seconds"]] if run else [""] * 4
                lines.append(f"| {e.name} | {e.about} | {' | '.join(numbers)} | {result} |")
        lines += faults if len(faults) > 3 else []
    return "\n".join(lines) + "\n"


def run_all(fw_model: Path, entries: list[Entry]) -> list[str]:
    """What all searches print; the longest groups begin first."""
    groups = sorted(groups_of(entries).items(), key=lambda group: -len(group[1]))

    def run(group: str) -> list[str]:
        done = subprocess.run([fw_model, "--group", group], stdout=subprocess.PIPE, text=True,
                              check=False).stdout.splitlines()
        print(f"{group}: {done[-1] if done else 'nothing was printed'}", flush=True)
        return done

    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        return [line for lines in pool.map(run, ["faults"] + [g for g, _ in groups])
                for line in lines]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("readme", type=Path)
    parser.add_argument("fw_model", type=Path)
    parser.add_argument("--run", action="store_true", help="make all searches, and the tables")
    parser.add_argument("--from", dest="outputs", type=Path, nargs="+", metavar="OUTPUT",
                        default=[], help="make the tables from what fw-model has printed")
    parser.add_argument("--out", type=Path, help="write a row for each program and fault to it")
    args = parser.parse_args()
    entries = listed(args.fw_model)
    lines = args.readme.read_text(encoding="utf-8").splitlines()
    if args.run or args.outputs:
        printed = run_all(args.fw_model, entries) if args.run else []
        for output in args.outputs:
            printed += output.read_text(encoding="utf-8").splitlines()
        runs = {run["name"]: run for line in printed if (run := RUN.fullmatch(line))}
        if missing := [e.name for e in entries if e.name not in runs]:
            print(f"tables.py: no run of {' '.join(missing)}", file=sys.stderr)
            return 1
        lines[lines.index(BEGIN) + 1:lines.index(END)] = summary(entries, runs)
        args.readme.write_text("\n".join(lines) + "\n", encoding="utf-8")
        if args.out:
            args.out.write_text(document(entries, runs), encoding="utf-8")
    found = findings(lines, entries)
    for number, message in found:
        print(f"{args.readme}:{number}: {message}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
