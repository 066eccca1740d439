# SPDX-License-Identifier: MIT
"""The command line."""

import argparse
import json
import os
import pathlib
import platform
import sys
import tempfile

from . import SKIPPED, Trouble, measure, table
from .catalog import LONG, PROGRAMS
from .workdir import PLAIN

ROUNDS = 5
THREADS_EACH = 4                # threads for each CPU: they meet
INTERRUPTED = 130


class Parser(argparse.ArgumentParser):
    def error(self, message):
        raise Trouble(message)


def whole(text):
    value = int(text)
    if not 0 < value <= 10000:
        raise ValueError
    return value


def arguments(argv, root):
    p = Parser(prog="programs", allow_abbrev=False, description=(
        "Runs real programs, unmodified, with and without furwock's locks by turns, and compares "
        "what they achieve. A program that is not installed is skipped."),
        epilog="The status is 1 where a program fails with the library, 77 where all is skipped.")
    p.add_argument("names", nargs="*", metavar="PROGRAM",
                   help=f"of {', '.join(PROGRAMS)} (all but {', '.join(LONG)})")
    p.add_argument("--rounds", type=whole, default=ROUNDS, metavar="N", help="runs of each (5)")
    p.add_argument("--threads", type=whole, metavar="N",
                   default=THREADS_EACH * len(os.sched_getaffinity(0)),
                   help="threads of each program (4 for each CPU)")
    p.add_argument("--locks", default="glibc,furwock", metavar="NAME,...",
                   help="of glibc, furwock, counting, which is the library of furwock run --stat "
                        "(glibc,furwock)")
    p.add_argument("--build", type=pathlib.Path, default=root / "build/release/posix",
                   metavar="DIR", help="where the libraries are (build/release/posix)")
    p.add_argument("--slower", type=whole, default=1, metavar="N",
                   help="N times longer until a program counts as hung (1)")
    p.add_argument("--reports", type=pathlib.Path, metavar="DIR",
                   default=pathlib.Path(tempfile.gettempdir(), f"furwock-programs-{os.getuid()}"),
                   help="where stacks and output of failures go")
    p.add_argument("--brief", action="store_true",
                   help="as little of each as shows that it works")
    p.add_argument("--json", metavar="FILE", help="write the results there")
    p.add_argument("--quiet", action="store_true", help="no progress")
    p.add_argument("--list", action="store_true", help="tell the programs, and stop")
    options = p.parse_args(argv)
    known = [PLAIN.name] + [name for name, _ in measure.LIBRARIES]
    options.locks = options.locks.split(",")
    for word, among in [(x, PROGRAMS) for x in options.names] + [(x, known) for x in options.locks]:
        if word not in among:
            p.error(f"no such thing: {word} (there are: {', '.join(among)})")
    return options


def listing():
    for name, kind in PROGRAMS.items():
        print(f"{name:18} {' '.join((kind.__doc__ or '').split())} [{kind.package}]")
    return 0


def finish(document, options):
    if options.json:
        try:
            with open(options.json, "w", encoding="utf-8") as file:
                json.dump(document, file, indent=1)
                file.write("\n")
        except OSError as error:
            raise Trouble(f"{options.json}: {error.strerror}") from None
    if not options.quiet:
        print("\r\033[K", end="", file=sys.stderr)
    print(table.text(document))


def body(options):
    document = {"tool": "programs", "cells": [], "skipped": [],
                "settings": {"rounds": options.rounds, "threads": options.threads},
                "machine": {"cpus": len(os.sched_getaffinity(0)), "kernel": platform.release(),
                            "libc": " ".join(platform.libc_ver())}}
    names = options.names or [name for name in PROGRAMS if name not in LONG]
    good, status = True, 0
    say = measure.progress(options.quiet)
    with measure.folder() as where:
        which = measure.variants(options.build, options.locks, where)
        try:
            for name in names:
                program = PROGRAMS[name](options.threads)
                if options.brief:
                    program.shorten()
                good = measure.measure(program, which, options, document, say) and good
        except KeyboardInterrupt:
            status = INTERRUPTED
    finish(document, options)
    if status == 0 and not document["cells"]:
        return SKIPPED
    return status or (0 if good else 1)


def main(argv, root):
    try:
        options = arguments(argv, root)
        return listing() if options.list else body(options)
    except Trouble as trouble:
        print(f"programs: {trouble}", file=sys.stderr)
        return trouble.status
