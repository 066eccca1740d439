# SPDX-License-Identifier: MIT
"""The command line."""

import os
import pathlib
import sys
import tempfile
import time

from front import machine, made, rounds
from front.cli import (
    Parser, add_cpus, among, check_folder, positive, program, up_to, use_cpus, whole, write_json)

from . import engine, source, table
from .build import Builder

ROUNDS, BUDGET = 5, 300.0
LOOPS_MOST = 10000000
PAPER_LONGEST = 600.0           # seconds of a run with 200000 operations, before it looks hung


def arguments(argv):
    p = Parser(prog="tdbtorture", description=__doc__,
               epilog="Without sources of TDB it ends with status 77 and says why.")
    p.add_argument("kinds", nargs="*", metavar="LOCKS", help=f"of {', '.join(engine.KINDS)}")
    p.add_argument("--level", metavar="LEVEL,...", help="of high,low,none (all)")
    p.add_argument("--rounds", type=whole, default=ROUNDS, metavar="N", help="runs of each (5)")
    p.add_argument("--loops", type=up_to(LOOPS_MOST), metavar="N",
                   help="operations of each process (as many as the budget allows, 200000 at most)")
    p.add_argument("--paper", action="store_true",
                   help="as many operations as in Table 3, 200000, however long that takes")
    p.add_argument("--budget", type=positive, default=BUDGET, metavar="SECONDS",
                   help="time for all, without building (300)")
    p.add_argument("--seed", type=whole, default=1, metavar="N", help="of the first round, less 1")
    p.add_argument("--json", metavar="FILE", help="write the results there")
    p.add_argument("--resume", action="store_true",
                   help="go on with FILE, where that was interrupted: as many operations again")
    p.add_argument("--source", type=pathlib.Path, metavar="DIR",
                   help="sources of TDB; without, Debian's are fetched and kept in the cache")
    p.add_argument("--dir", metavar="DIR", help="where the databases lie (/dev/shm)")
    p.add_argument("--quiet", action="store_true", help="no progress line")
    add_cpus(p)
    options = p.parse_intermixed_args(argv)
    if options.paper and options.loops:
        p.error("--paper has its own --loops")
    if options.resume and not options.json:
        p.error("--resume goes with --json FILE")
    options.kinds = among(options.kinds or engine.present(), engine.KINDS, "locks")
    names = [level.name for level in engine.LEVELS]
    wanted = among(options.level.split(",") if options.level else [], names, "level")
    options.levels = [level for level in engine.LEVELS if level.name in wanted]
    return options


def about(builder):
    libc = os.confstr("CS_GNU_LIBC_VERSION") or "unknown"
    return machine.describe({"libc": libc.rpartition(" ")[2],
                             "compiler": builder.known["compiler"]})


def new_document(options, builder, sources, points):
    return {"format": "furwock-bench-1", "benchmark": "tdbtorture", "plan": "table3",
            "machine": about(builder), "made": made.describe(), "missing": [], "notes": [],
            "complete": False,
            "source": source.origin(sources),
            "settings": {"rounds": options.rounds, "loops": options.loops, "seed": options.seed,
                         "pinned": bool(options.pin)},
            "cells": [cell for point in points for cell in point]}


def conduct(options, here, folder):
    use_cpus(options)
    sources = source.find(options.source, source.cache())
    builder = Builder(here, sources, folder)
    runner = engine.Runner(builder.programs(), folder)
    begun = time.monotonic()
    points, line = engine.points(options.kinds, options.levels), rounds.Line(options.quiet)
    document = new_document(options, builder, sources, points)
    done, before = 0, None
    if options.resume:
        done, before = rounds.resume(options.json, document, points)
    loops, expected = options.loops, 0.0
    if done:
        loops, expected = before["settings"]["loops"], engine.longest(points)
    if loops is None:
        loops, expected, whole_time = engine.fit(
            runner, options.kinds, options.levels, options.rounds, options.budget,
            engine.LOOPS_MOST if options.paper else None)
        if options.paper:
            print(f"tdbtorture: {whole_time / 60:.0f} minutes for all rounds at least, as walks "
                  "get longer", file=sys.stderr)
    if options.paper:
        expected = max(expected, PAPER_LONGEST)
    deadline = None if options.paper else begun + options.budget - rounds.spent(before)
    document["settings"]["loops"] = loops
    status = rounds.conduct(
        document, points, rounds=options.rounds, deadline=deadline, done=done,
        run=engine.one_run(runner, options.levels, loops, options.seed, expected),
        say=lambda number, cell: line.say(f"round {number}, {cell['level']}: {cell['lock']}"))
    line.clear()
    write_json(options.json, document)
    print(table.text(document), flush=True)
    return status


def main(argv, here):
    def begin():
        options = arguments(argv)
        where = options.dir or ("/dev/shm" if os.access("/dev/shm", os.W_OK) else None)
        check_folder(options.json)
        with tempfile.TemporaryDirectory(prefix="tdbtorture-", dir=where) as folder:
            return conduct(options, here, pathlib.Path(folder))

    return program("tdbtorture", begin)
