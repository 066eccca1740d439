# SPDX-License-Identifier: MIT
"""The command line."""

import os
import time

from front import Trouble, machine, made, rounds
from front.cli import (
    Parser, add_cpus, check_folder, positive, program, use_cpus, whole, write_json)

from . import engine, table

ROUNDS, MILLISECONDS, BUDGET = 31, 60.0, 300.0


def arguments(argv):
    p = Parser(prog="dropin", description=(
        "What pthread_* and sem_* cost with the POSIX drop-in preloaded, beside the C library's: "
        "short runs of one program, by turns with and without it."))
    p.add_argument("cases", nargs="*", metavar="CASE", help="all, where none is named")
    add_cpus(p)
    p.add_argument("--repeat", type=whole, default=ROUNDS, metavar="N", help="rounds (31)")
    p.add_argument("--milliseconds", type=positive, default=MILLISECONDS, metavar="MS",
                   help="length of a run (60)")
    p.add_argument("--budget", type=positive, default=BUDGET, metavar="SECONDS",
                   help="no round begins later (300)")
    p.add_argument("--library", metavar="FILE", help="what to preload (the drop-in just built)")
    p.add_argument("--json", metavar="FILE", help="write the results there")
    p.add_argument("--resume", action="store_true",
                   help="go on with FILE, where that was interrupted")
    p.add_argument("--list", action="store_true", help="name the cases")
    p.add_argument("--quiet", action="store_true", help="no progress line")
    return p.parse_intermixed_args(argv)


def chosen(cases, names):
    there = [case["case"] for case in cases]
    for name in names:
        if name not in there:
            raise Trouble(f"unknown case {name}; there are: {' '.join(there)}", 2)
    return [case for case in cases if not names or case["case"] in names]


def new_document(points, options, build):
    libc = os.confstr("CS_GNU_LIBC_VERSION") or "unknown"
    about = machine.describe({"libc": libc.rpartition(" ")[2], "compiler": build["compiler"]})
    return {"format": "furwock-bench-1", "benchmark": "dropin", "plan": "pairs", "rounds": 0,
            "machine": about, "made": made.describe(), "missing": [], "notes": [],
            "complete": False,
            "settings": {"rounds": options.repeat, "milliseconds": options.milliseconds,
                         "pinned": bool(options.pin)},
            "cells": [cell for point in points for cell in point]}


def conduct(options, build):
    use_cpus(options)
    if options.resume and not options.json:
        raise Trouble("--resume goes with --json FILE", 2)
    library = options.library or build["furwock"]
    if not os.path.isfile(library):
        raise Trouble(f"{library}: no such library", 2)
    worker = engine.Worker(build["worker"], {engine.BASE: None, engine.OURS: library})
    cases = chosen(worker.cases(), options.cases)
    if options.list:
        print("\n".join(f"{case['case']:18} {case['about']}" for case in cases))
        return 0
    points, line = engine.points(cases), rounds.Line(options.quiet)
    document = new_document(points, options, build)
    done, before = 0, None
    if options.resume:
        done, before = rounds.resume(options.json, document, points)
        worker.rate = before and before["settings"].get("rate")
    if not worker.rate:
        worker.calibrate()
    document["settings"]["rate"] = worker.rate
    status = rounds.conduct(
        document, points, rounds=options.repeat,
        deadline=time.monotonic() + options.budget - rounds.spent(before),
        done=done, run=lambda cell, _: worker.run(cell["case"], cell["lock"], options.milliseconds),
        say=lambda number, cell: line.say(f"round {number}: {cell['case']}"))
    document["rounds"] = max(len(cell["runs"]) for cell in document["cells"])
    line.clear()
    write_json(options.json, document)
    print(table.text(document), flush=True)
    return status


def main(argv, build):
    def begin():
        options = arguments(argv)
        check_folder(options.json)
        return conduct(options, build)

    return program("dropin", begin)
