# SPDX-License-Identifier: MIT
"""The command line."""

import argparse
import json
import os
import pathlib
import signal
import sys
import tempfile
import time

from flex import machine

from . import Trouble, engine, source, table
from .build import Builder

ROUNDS, BUDGET = 5, 300.0
EXIT_INTERRUPTED = 130


class Parser(argparse.ArgumentParser):
    def error(self, message):
        raise Trouble(message, 2)


def positive(text):
    value = float(text)
    if not 0 < value < 1e9:
        raise ValueError
    return value


def whole(text):
    value = int(text)
    if not 0 < value <= 10000000:
        raise ValueError
    return value


def arguments(argv):
    p = Parser(prog="tdbtorture", allow_abbrev=False, description=__doc__,
               epilog="Without sources of TDB it ends with status 77 and says why.")
    p.add_argument("kinds", nargs="*", metavar="LOCKS", help=f"of {', '.join(engine.KINDS)}")
    p.add_argument("--level", metavar="LEVEL,...", help="of high,low,none (all)")
    p.add_argument("--rounds", type=whole, default=ROUNDS, metavar="N", help="runs of each (5)")
    p.add_argument("--loops", type=whole, metavar="N",
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
    options.kinds = _among(options.kinds, engine.KINDS, "locks")
    names = [level.name for level in engine.LEVELS]
    wanted = _among(options.level.split(",") if options.level else [], names, "level")
    options.levels = [level for level in engine.LEVELS if level.name in wanted]
    return options


def _among(given, there, what):
    for name in given:
        if name not in there:
            raise Trouble(f"unknown {what} {name}; there are: {' '.join(there)}", 2)
    return list(dict.fromkeys(given)) or list(there)


def about(builder):
    libc = os.confstr("CS_GNU_LIBC_VERSION") or "unknown"
    return machine.describe({"libc": libc.rpartition(" ")[2],
                             "compiler": builder.known["compiler"]})


def write(path, document):
    if path is None:
        return
    try:
        folder = os.path.dirname(os.path.realpath(path))
        descriptor, name = tempfile.mkstemp(prefix=".tdbtorture.", dir=folder)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            json.dump(document, file, indent=1)
            file.write("\n")
        os.chmod(name, 0o644)
        os.replace(name, path)
    except OSError as error:
        raise Trouble(f"cannot write {path}: {error.strerror}", 2) from None


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
        status = EXIT_INTERRUPTED
    if not options.quiet:
        print("\r\033[K", end="", file=sys.stderr)
    write(options.json, document)
    print(table.text(document), flush=True)
    return status or int(any(cell["failures"] for cell in document["cells"]))


def _interrupt(_number, _frame):
    raise KeyboardInterrupt


def main(argv, here):
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _interrupt)
    try:
        options = arguments(argv)
        where = options.dir or ("/dev/shm" if os.access("/dev/shm", os.W_OK) else None)
        if options.json and not os.path.isdir(os.path.dirname(os.path.realpath(options.json))):
            raise Trouble(f"cannot write {options.json}: no such directory", 2)
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
        return EXIT_INTERRUPTED
    except OSError as error:
        print(f"tdbtorture: {error.filename or ''}: {error.strerror}", file=sys.stderr)
        return 2
