# SPDX-License-Identifier: MIT
"""The command line."""

import os
import pathlib
import signal
import sys
import tempfile
import time

from front import Trouble, machine
from front.cli import (
    EXIT_INTERRUPTED, Parser, among, check_folder, end_like_interrupt, positive, up_to, whole,
    write_json)

from . import engine, source, table
from .build import Builder

ROUNDS, BUDGET = 5, 300.0
INTERRUPTED = EXIT_INTERRUPTED + signal.SIGINT
LOOPS_MOST = 10000000


def arguments(argv):
    p = Parser(prog="tdbtorture", description=__doc__,
               epilog="Without sources of TDB it ends with status 77 and says why.")
    p.add_argument("kinds", nargs="*", metavar="LOCKS", help=f"of {', '.join(engine.KINDS)}")
    p.add_argument("--level", metavar="LEVEL,...", help="of high,low,none (all)")
    p.add_argument("--rounds", type=whole, default=ROUNDS, metavar="N", help="runs of each (5)")
    p.add_argument("--loops", type=up_to(LOOPS_MOST), metavar="N",
                   help="operations of each process (as many as the budget allows, 200000 at most)")
    p.add_argument("--budget", type=positive, default=BUDGET, metavar="SECONDS",
                   help="time for all, without building (300)")
    p.add_argument("--seed", type=whole, default=1, metavar="N", help="of the first round, less 1")
    p.add_argument("--json", metavar="FILE", help="write the results there")
    p.add_argument("--source", type=pathlib.Path, metavar="DIR",
                   help="sources of TDB; without, Debian's are fetched and kept in the cache")
    p.add_argument("--dir", metavar="DIR", help="where the databases lie (/dev/shm)")
    p.add_argument("--quiet", action="store_true", help="no progress line")
    options = p.parse_intermixed_args(argv)
    options.kinds = among(options.kinds, engine.KINDS, "locks")
    names = [level.name for level in engine.LEVELS]
    wanted = among(options.level.split(",") if options.level else [], names, "level")
    options.levels = [level for level in engine.LEVELS if level.name in wanted]
    return options


def about(builder):
    libc = os.confstr("CS_GNU_LIBC_VERSION") or "unknown"
    return machine.describe({"libc": libc.rpartition(" ")[2],
                             "compiler": builder.known["compiler"]})


def conduct(options, here, folder):
    sources = source.find(options.source, source.cache())
    builder = Builder(here, sources, folder)
    runner = engine.Runner(builder.programs(), folder)
    begun = time.monotonic()
    loops, expected = options.loops, 0.0
    if loops is None:
        loops, expected = engine.fit(runner, options.kinds, options.levels, options.rounds,
                                     options.budget)
    settings = {"kinds": options.kinds, "levels": options.levels, "rounds": options.rounds,
                "loops": loops, "seed": options.seed, "expected": expected}
    document = {"format": "furwock-bench-1", "benchmark": "tdbtorture", "plan": "table3",
                "machine": about(builder), "missing": [], "notes": [], "complete": False,
                "source": source.origin(sources),
                "settings": {k: settings[k] for k in ("rounds", "loops", "seed")},
                "cells": [{"lock": kind, "family": engine.FAMILIES.get(kind, "rival"),
                           "level": level.name, "processes": level.processes,
                           "hash_size": level.hash_size, "runs": [], "failures": []}
                          for level in options.levels for kind in options.kinds]}
    status = 0
    try:
        document["complete"] = engine.measure(runner, document, settings, options.quiet,
                                              begun + options.budget)
        if not document["complete"]:
            document["notes"].append("the time was up before all rounds were done")
    except KeyboardInterrupt:
        document["notes"].append("interrupted")
        status = INTERRUPTED
    if not options.quiet:
        print("\r\033[K", end="", file=sys.stderr)
    write_json(options.json, document)
    print(table.text(document), flush=True)
    return status or int(any(cell["failures"] for cell in document["cells"]))


def main(argv, here):
    end_like_interrupt()
    try:
        options = arguments(argv)
        where = options.dir or ("/dev/shm" if os.access("/dev/shm", os.W_OK) else None)
        check_folder(options.json)
        with tempfile.TemporaryDirectory(prefix="tdbtorture-", dir=where) as folder:
            return conduct(options, here, pathlib.Path(folder))
    except Trouble as trouble:
        print(f"tdbtorture: {trouble}", file=sys.stderr)
        return trouble.status
    except engine.Failure as failure:
        print(f"tdbtorture: {failure}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("tdbtorture: interrupted", file=sys.stderr)
        return INTERRUPTED
    except OSError as error:
        print(f"tdbtorture: {error.filename or ''}: {error.strerror}", file=sys.stderr)
        return 2
