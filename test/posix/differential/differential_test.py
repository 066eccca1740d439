#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The same random sequences of calls with the C library alone and with the drop-in: every result,
and whether a call sleeps, has to be the same.

    differential_test.py PROGRAM LIBRARY...                      as ctest runs it
    differential_test.py PROGRAM LIBRARY --family mutex --seed 100000 --count 100000
    differential_test.py PROGRAM LIBRARY --family mutex --seed 447 --count 1
"""

import argparse
import concurrent.futures
import difflib
import os
import shlex
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                *[os.pardir] * 3, "tools"))

from fwpreload import preloaded  # noqa: E402

# Sequences of each family; there are the more, the more kinds of an object there are.
FAMILIES = {"mutex": 160, "rwlock": 80, "sem": 60, "named": 40, "barrier_spin": 40,
            "attributes": 40, "c11": 60}
# Those that have differed once, and are not among the first.  In two, the owner of a recursive,
# robust, inheriting mutex dies, and the next one unlocks it before it is consistent.
ONCE = (("mutex", 263), ("mutex", 758), ("mutex", 2299), ("mutex", 3164),
        ("mutex", 6669))
# An owner dies, which an emulator does not mark; the C library ends the program then.
DEATHS = (("mutex", 263), ("mutex", 758), ("mutex", 2299))
BATCH = 20   # in one run of the program
AGAIN = 3    # a difference that this machine made, by being late, does not recur as often
CONTEXT = 8  # lines before a difference
EMULATOR = []  # what runs the program, where it is for another processor


def run(program, library, *words):
    environment = {key: value for key, value in os.environ.items()
                   if key != "LD_PRELOAD" and not key.startswith("FURWOCK_")}
    if library is not None:
        wanted = preloaded(library)
        if EMULATOR:  # for its program, and not for itself
            wanted = {"QEMU_SET_ENV": ",".join("=".join(pair) for pair in wanted.items())}
        environment.update(wanted)
    done = subprocess.run([*EMULATOR, program, *map(str, words)], env=environment,
                          stdout=subprocess.PIPE, text=True, timeout=3600, check=False)
    return done.stdout.splitlines()


def sums(program, library, family, seed, count):
    """{seed: the sum of its text, or how it ended}"""
    lines = run(program, library, family, seed, count)
    return {int(line.split()[0]): line.split(maxsplit=1)[1] for line in lines}


def really_differs(program, library, family, seed):
    """The difference, if it comes each time; otherwise None."""
    for _ in range(AGAIN):
        theirs = run(program, None, family, seed)
        ours = run(program, library, family, seed)
        if theirs == ours:
            return None
    return list(difflib.unified_diff(theirs, ours, "the C library", os.path.basename(library),
                                     n=CONTEXT, lineterm=""))


def compare(program, libraries, family, seed, count):
    """How many sequences differ; each is told."""
    theirs = sums(program, None, family, seed, count)
    assert len(theirs) == count, f"{family}: {len(theirs)} of {count} sequences"
    differences = 0
    for library in libraries:
        ours = sums(program, library, family, seed, count)
        for number in range(seed, seed + count):
            if theirs[number] == ours.get(number):
                continue
            text = really_differs(program, library, family, number)
            if text is not None:
                differences += 1
                print(f"{family} {number}:", *text[:40], sep="\n  ", flush=True)
    return differences


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--emulator", default="", help="what runs the program (qemu-user)")
    parser.add_argument("program")
    parser.add_argument("library", nargs="+")
    parser.add_argument("--family", choices=FAMILIES)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, help="of each family")
    args = parser.parse_args()
    EMULATOR.extend(shlex.split(args.emulator))
    families = [args.family] if args.family else FAMILIES
    runs = [] if args.family else [(family, seed, 1) for family, seed in ONCE
                                   if not (EMULATOR and (family, seed) in DEATHS)]
    for family in families:
        end = args.seed + (args.count or FAMILIES[family])
        runs += [(family, seed, min(BATCH, end - seed)) for seed in range(args.seed, end, BATCH)]
    with concurrent.futures.ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        differences = sum(pool.map(lambda run: compare(args.program, args.library, *run), runs))
    total = sum(count for _, _, count in runs) * len(args.library)
    print(f"{total} sequences, {differences} differ")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
