#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Hold the tables of test/model/README.md against `fw-model --list`.

Each program and each fault has one row, which says what the list says.  Findings are printed as
file:line: message; exit status 1 where there are any.  With --fill the tables are brought up to
date instead, from what fw-model printed when it ran programs or faults.
"""
import argparse
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

RUN = re.compile(r"(?P<name>\S+) +(?P<preemptions>any|\d+) preemptions +(?P<states>\d+) states +"
                 r"(?P<steps>\d+) steps +depth +\d+ +(?P<seconds>[\d.]+) s  (?P<verdict>.+)")
PROGRAM_CELLS, FAULT_CELLS = 7, 4  # by which the two kinds of tables are told apart


class Entry(NamedTuple):
    """A program or, with the program that it is run in, a fault."""

    name: str
    about: str
    program: str


def listed(fw_model: Path) -> dict[str, Entry]:
    """All that --list names, in its order."""
    entries = {}
    is_fault = False
    for line in subprocess.run([fw_model, "--list"], stdout=subprocess.PIPE, text=True,
                               check=True).stdout.splitlines():
        if not line.startswith("  "):
            is_fault = line == "faults:" or (is_fault and not line)
            continue
        name, about = line.split(maxsplit=1)
        what = re.fullmatch(r"(.*) \(program (\S+)\)", about) if is_fault else None
        entries[name] = Entry(name, what[1], what[2]) if what else Entry(name, about, "")
    return entries


def cells_of(line: str) -> list[str]:
    """Those of a row about a program or a fault; none for other lines."""
    cells = [cell.strip() for cell in line.strip("|").split("|")] if line.startswith("|") else []
    is_head = cells[:1] in (["program"], ["fault"], ["---"])
    return cells if len(cells) in (PROGRAM_CELLS, FAULT_CELLS) and not is_head else []


def row_of(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def findings(lines: list[str], entries: dict[str, Entry]) -> list[tuple[int, str]]:
    found = []
    missing = dict(entries)
    for number, line in enumerate(lines, 1):
        cells = cells_of(line)
        if not cells:
            continue
        entry = missing.pop(cells[0], None)
        kind = "fault" if len(cells) == FAULT_CELLS else "program"
        if entry is None:
            found.append((number, f"{cells[0]}: a second row, or no {kind} of that name"))
        elif kind != ("fault" if entry.program else "program"):
            found.append((number, f"{cells[0]}: a row as of a {kind}, which it is not"))
        elif [entry.about] + ([entry.program] if entry.program else []) != \
                cells[1:3 if entry.program else 2]:
            found.append((number, f"{cells[0]}: the row does not say what fw-model --list does"))
    return found + [(len(lines), f"{name}: no row") for name in missing]


def grouped(digits: str) -> str:
    """Thousands are set apart by a space."""
    return f"{int(digits):,}".replace(",", " ")


def fresh(entry: Entry, run: re.Match) -> list[str]:
    verdict = run["verdict"].removeprefix("caught: ")
    if entry.program:
        return [entry.name, entry.about, entry.program, verdict]
    return [entry.name, entry.about, run["preemptions"], grouped(run["states"]),
            grouped(run["steps"]), run["seconds"], verdict]


def is_same(old: list[str], new: list[str]) -> bool:
    """Seconds are no news: they differ from run to run."""
    return old[:5] + old[6:] == new[:5] + new[6:]


def filled(lines: list[str], entries: dict[str, Entry], runs: dict[str, re.Match]) -> list[str]:
    """The lines with what the runs showed; a new row comes behind its neighbour in the list."""
    rows = {cells[0]: cells for line in lines if (cells := cells_of(line))}
    followers: dict[str, list[str]] = {}
    last = ""
    for name, entry in entries.items():
        if name in rows:
            last = name
        elif name in runs:
            followers.setdefault(last, []).append(row_of(fresh(entry, runs[name])))
    result = []
    for line in lines:
        cells = cells_of(line)
        name = cells[0] if cells else ""
        if cells and name not in entries:
            continue
        if name in runs and not is_same(cells, new := fresh(entries[name], runs[name])):
            line = row_of(new)
        result += [line] + (followers.pop(name, []) if cells else [])
    return result


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("readme", type=Path)
    parser.add_argument("fw_model", type=Path)
    parser.add_argument("--fill", type=Path, nargs="+", metavar="OUTPUT",
                        help="bring the rows up to date from what fw-model printed")
    args = parser.parse_args()
    entries = listed(args.fw_model)
    lines = args.readme.read_text(encoding="utf-8").splitlines()
    if args.fill:
        runs = {run["name"]: run for output in args.fill
                for line in output.read_text(encoding="utf-8").splitlines()
                if (run := RUN.fullmatch(line)) and run["name"] in entries}
        lines = filled(lines, entries, runs)
        args.readme.write_text("\n".join(lines) + "\n", encoding="utf-8")
    found = findings(lines, entries)
    for number, message in found:
        print(f"{args.readme}:{number}: {message}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
