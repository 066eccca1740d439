# SPDX-License-Identifier: MIT
"""The command line."""

import os
import signal
import sys
import time

from front import Trouble, machine
from front.cli import (
    EXIT_INTERRUPTED, Parser, check_folder, end_like_interrupt, positive, whole, write_json)

from . import engine, table

ROUNDS, MILLISECONDS, BUDGET = 31, 60.0, 300.0
INTERRUPTED = EXIT_INTERRUPTED + signal.SIGINT


def arguments(argv):
    p = Parser(prog="dropin", description=(
        "What pthread_* and sem_* cost with the POSIX drop-in preloaded, beside the C library's: "
        "short runs of one program, by turns with and without it."))
    p.add_argument("cases", nargs="*", metavar="CASE", help="all, where none is named")
    p.add_argument("--repeat", type=whole, default=ROUNDS, metavar="N", help="rounds (31)")
    p.add_argument("--milliseconds", type=positive, default=MILLISECONDS, metavar="MS",
                   help="length of a run (60)")
    p.add_argument("--budget", type=positive, default=BUDGET, metavar="SECONDS",
                   help="no round begins later (300)")
    p.add_argument("--library", metavar="FILE", help="what to preload (the drop-in just built)")
    p.add_argument("--json", metavar="FILE", help="write the results there")
    p.add_argument("--list", action="store_true", help="name the cases")
    p.add_argument("--quiet", action="store_true", help="no progress line")
    return p.parse_intermixed_args(argv)


def chosen(cases, names):
    there = [case["case"] for case in cases]
    for name in names:
        if name not in there:
            raise Trouble(f"unknown case {name}; there are: {' '.join(there)}", 2)
    return [case for case in cases if not names or case["case"] in names]


def new_document(cases, options, build):
    libc = os.confstr("CS_GNU_LIBC_VERSION") or "unknown"
    about = machine.describe({"libc": libc.rpartition(" ")[2], "compiler": build["compiler"]})
    return {"format": "furwock-bench-1", "benchmark": "dropin", "plan": "pairs", "rounds": 0,
            "machine": about, "missing": [], "notes": [], "complete": False,
            "settings": {"rounds": options.repeat, "milliseconds": options.milliseconds},
            "cells": engine.cells(cases)}


def conduct(options, build):
    library = options.library or build["furwock"]
    if not os.path.isfile(library):
        raise Trouble(f"{library}: no such library", 2)
    worker = engine.Worker(build["worker"], {engine.BASE: None, engine.OURS: library})
    cases = chosen(worker.cases(), options.cases)
    if options.list:
        print("\n".join(f"{case['case']:18} {case['about']}" for case in cases))
        return 0
    worker.calibrate()
    document, status = new_document(cases, options, build), 0
    try:
        document["complete"] = engine.measure(
            worker, document, options.repeat, options.milliseconds,
            time.monotonic() + options.budget, engine.progress(options.quiet))
        if not document["complete"]:
            document["notes"].append("the time was up before all rounds were done")
    except KeyboardInterrupt:
        document["notes"].append("interrupted")
        status = INTERRUPTED
    document["rounds"] = max(len(cell["runs"]) for cell in document["cells"])
    if not options.quiet and sys.stderr.isatty():
        print("\r\033[K", end="", file=sys.stderr)
    write_json(options.json, document)
    print(table.text(document), flush=True)
    return status or int(any(cell["failures"] for cell in document["cells"]))


def main(argv, build):
    end_like_interrupt()
    try:
        options = arguments(argv)
        check_folder(options.json)
        return conduct(options, build)
    except Trouble as trouble:
        print(f"dropin: {trouble}", file=sys.stderr)
        return trouble.status
    except KeyboardInterrupt:
        print("dropin: interrupted", file=sys.stderr)
        return INTERRUPTED
    except OSError as error:
        print(f"dropin: {error.filename or ''}: {error.strerror}", file=sys.stderr)
        return 2
