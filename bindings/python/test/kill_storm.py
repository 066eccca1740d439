#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Kills processes that use the objects of multiprocessing, and counts the others that hang.

Three processes share an object; one of them, the victim, is killed at a random moment, and the two
others must go on: one that does not make five steps within --limit seconds hangs.  With --kills K,
K victims are started and killed one after the other in each run.  At the end nothing may be lost:
no unit of a semaphore, no descriptor, no slot of the region, no file in /dev/shm.

    kill_storm.py --runs 200                                 furwock.multiprocessing, all classes
    kill_storm.py --standard --runs 50 --limit 5             the standard module
    kill_storm.py --classes Lock 'Queue*' --method spawn --runs 20
"""
from __future__ import annotations

import argparse
import json
import random
import sys
import time
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Dict, List

sys.path.insert(0, str(Path(__file__).resolve().parent))

from storm import pools, queues  # noqa: E402,F401  pylint: disable=unused-import
from storm.leaks import Footprint  # noqa: E402
from storm.objects import CASES  # noqa: E402
from storm.pools import POOLS  # noqa: E402
from storm.run import expect_deaths, run_once  # noqa: E402


def context(standard: bool, method: str) -> Any:
    if standard:
        import multiprocessing
        return multiprocessing.get_context(method)
    import furwock.multiprocessing
    return furwock.multiprocessing.get_context(method)


def storm(name: str, args: argparse.Namespace, rng: random.Random) -> Dict[str, Any]:
    """All runs of a class: how many there were, and how many of them ended badly, and how."""
    ctx = context(args.standard, args.method)
    count = {"runs": 0, "ok": 0, "hang": 0, "error": 0, "leak": 0}
    details: List[str] = []
    began = time.monotonic()
    before = None
    for number in range(args.runs):
        if name in POOLS:
            result = POOLS[name](ctx, args.limit, rng, args.kills)
        else:
            result = run_once(name, ctx, args.limit, rng, args.kills,
                              check=not args.standard)
        count["runs"] += 1
        count[result["outcome"]] += 1
        if result["outcome"] != "ok":
            details.append(f"run {number + 1}: {result['outcome']}: {result['detail']}")
        if number == 0:  # what is made at the first use stays
            before = Footprint(not args.standard)
    if before is not None:
        lost = before.lost()
        if lost:
            count["leak"] += 1
            details.append(lost)
    return {**count, "details": details, "seconds": round(time.monotonic() - began, 1)}


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--classes", nargs="+", default=["*"], metavar="PATTERN",
                        help="as fnmatch patterns (default: all; --list names them)")
    parser.add_argument("--list", action="store_true", help="names the classes and ends")
    parser.add_argument("--runs", type=int, default=20, help="of each class (default: 20)")
    parser.add_argument("--kills", type=int, default=1, help="in each run (default: 1)")
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--furwock", dest="standard", action="store_false", default=False)
    which.add_argument("--standard", action="store_true", help="the standard module's classes")
    parser.add_argument("--method", default="fork", choices=("fork", "spawn", "forkserver"))
    parser.add_argument("--limit", type=float, default=60, metavar="SECONDS",
                        help="a process that makes no steps for this time hangs (default: 60)")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(2 ** 31))
    parser.add_argument("--json", metavar="FILE", help="write all results there")
    return parser.parse_args()


def matches(name: str, patterns: List[str]) -> bool:
    return any(name == pattern or fnmatchcase(name, pattern) for pattern in patterns)


def main() -> int:
    args = arguments()
    names = [name for name, case in CASES.items() if case.standard or not args.standard]
    names += [name for name in POOLS]
    chosen = [name for name in names if matches(name, args.classes)]
    if args.list:
        print("\n".join(names))
        return 0
    if not chosen:
        sys.exit(f"no class matches {' '.join(args.classes)}")
    expect_deaths()
    rng = random.Random(args.seed)
    title = "standard" if args.standard else "furwock"
    print(f"{title}, {args.method}, {args.kills} kills a run, seed {args.seed}\n")
    print("| object, what is killed | runs | hangs | errors | leaks |\n|---|---|---|---|---|")
    results = {}
    for name in chosen:
        result = results[name] = storm(name, args, rng)
        print(f"| {name} | {result['runs']} | {result['hang']} | {result['error']} | "
              f"{result['leak']} |", flush=True)
        if not args.standard:
            for detail in result["details"]:
                print(f"    {detail}", file=sys.stderr, flush=True)
    if args.json:
        Path(args.json).write_text(json.dumps(
            {"implementation": title, "method": args.method, "kills": args.kills,
             "limit": args.limit, "seed": args.seed, "results": results}, indent=1))
    return int(not args.standard and any(r["ok"] < r["runs"] or r["leak"]
                                         for r in results.values()))


if __name__ == "__main__":
    sys.exit(main())
