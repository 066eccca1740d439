# SPDX-License-Identifier: MIT
"""The command line."""

import os
import pathlib
import time

from front import Trouble, machine, made, rounds
from front.cli import (
    Parser, add_cpus, among, check_folder, positive, program, up_to, use_cpus, whole, write_json)

from . import Absent, bars, engine, table
from .peers import PEERS, Builder

ROUNDS, BUDGET = 7, 120.0
TASKS_MOST = 10000000


def arguments(argv):
    p = Parser(prog="manytasks", description=(
        "User-level tasks, far more than CPUs, that compete for locks: furwock's beside those of "
        "other languages and libraries."),
               epilog="A peer that cannot be fetched or built is named and left out.")
    p.add_argument("peers", nargs="*", metavar="PEER", help=f"of {', '.join(PEERS)}")
    p.add_argument("--shape", metavar="SHAPE,...",
                   help="of many,one,shared,bars (all): 100000 tasks and 1000 locks; 100 tasks "
                   "and one; as many, 100 of the locks with another process; what a task "
                   "costs beside what a thread does")
    p.add_argument("--short", action="store_true", help="one small shape instead, for a test")
    p.add_argument("--tasks", type=up_to(TASKS_MOST), metavar="N", help="in each shape")
    p.add_argument("--locks", type=whole, metavar="N", help="in each shape")
    p.add_argument("--passes", type=whole, metavar="N", help="locks that each task takes")
    p.add_argument("--rounds", type=whole, default=ROUNDS, metavar="N", help="runs of each (7)")
    p.add_argument("--budget", type=positive, default=BUDGET, metavar="SECONDS",
                   help="no round but the first begins later, without building (120)")
    p.add_argument("--seed", type=whole, default=1, metavar="N", help="of the first round, less 1")
    p.add_argument("--source", action="append", default=[], metavar="PEER=DIR",
                   help="sources of libcoro or cppcoro; without, git fetches them")
    p.add_argument("--json", metavar="FILE", help="write the results there")
    p.add_argument("--resume", action="store_true",
                   help="go on with FILE, where that was interrupted")
    p.add_argument("--list", action="store_true", help="name the peers, and what is missing")
    p.add_argument("--quiet", action="store_true", help="no progress line")
    add_cpus(p)
    options = p.parse_intermixed_args(argv)
    if options.resume and not options.json:
        p.error("--resume goes with --json FILE")
    options.peers = among(options.peers, PEERS, "peer")
    options.shapes, options.bars = shapes(options)
    options.source = dict(source(text) for text in options.source)
    return options


def shapes(options):
    """(shapes, whether there are the bars)"""
    names = [*(shape.name for shape in engine.SHAPES), bars.SHAPE]
    wanted = among(options.shape.split(",") if options.shape else [], names, "shape")
    found = [shape for shape in engine.SHAPES if shape.name in wanted]
    if options.short:
        found = [engine.SHORT]
    given = {key: value for key in ("tasks", "locks", "passes")
             if (value := getattr(options, key)) is not None}
    return ([shape._replace(**given) for shape in found],
            bars.SHAPE in wanted and not options.short and "furwock" in options.peers)


def source(text):
    name, equals, path = text.partition("=")
    if not equals or name not in PEERS or PEERS[name].git is None:
        there = ", ".join(name for name, peer in PEERS.items() if peer.git)
        raise Trouble(f"--source {text}: PEER=DIR, and a peer of {there}", 2)
    return name, pathlib.Path(path)


def programs(builder, peers):
    """({peer: its program}, [(peer, why it is missing)])"""
    found, missing = {}, []
    for name in peers:
        try:
            found[name] = builder.program(name)
        except Absent as absent:
            missing.append((name, str(absent)))
    return found, missing


def new_document(options, points, missing, builder):
    libc = os.confstr("CS_GNU_LIBC_VERSION") or "unknown"
    about = machine.describe({"libc": libc.rpartition(" ")[2],
                              "compiler": builder.known["version"]})
    return {"format": "furwock-bench-1", "benchmark": "manytasks", "plan": "shapes",
            "machine": about, "made": made.describe(), "missing": missing, "notes": [],
            "complete": False,
            "settings": {"rounds": options.rounds, "seed": options.seed,
                         "pinned": bool(options.pin)},
            "cells": [cell for point in points for cell in point]}


def conduct(options, here):
    use_cpus(options)
    line = rounds.Line(options.quiet)
    builder = Builder(here, options.source, line.say)
    there, missing = programs(builder, options.peers)
    line.clear()
    if options.list:
        for name in options.peers:
            why = dict(missing).get(name)
            print(f"{name:10} {PEERS[name].about}{'; missing: ' + why if why else ''}")
        return 0
    if not there:
        raise Trouble("; ".join(f"{name}: {why}" for name, why in missing), 77)
    points = engine.points(there, options.shapes, machine.cpus())
    if options.bars:
        there[bars.SHAPE] = builder.known["bars"]
        points += bars.points()
    document = new_document(options, points, missing, builder)
    if options.pin and "go" in there:
        document["notes"].append("go's threads are its own: they are not pinned")
    done, before = rounds.resume(options.json, document, points) if options.resume else (0, None)
    runner = engine.Runner(there, options.seed)
    status = rounds.conduct(
        document, points, rounds=options.rounds, run=runner.run, done=done,
        deadline=time.monotonic() + options.budget - rounds.spent(before),
        say=lambda number, cell: line.say(f"round {number}, {cell['shape']}: {cell['lock']}"))
    line.clear()
    write_json(options.json, document)
    print(table.text(document), flush=True)
    return status


def main(argv, here):
    def begin():
        options = arguments(argv)
        check_folder(options.json)
        return conduct(options, here)

    return program("manytasks", begin)
