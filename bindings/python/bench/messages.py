#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What queues and pools cost, beside the standard library's.

In every round each experiment runs once with the standard module and once with furwock's, the first
of them in turns; a ratio is of the two times of one round.  The table has the median of the ratios,
and the interval of order statistics that holds the median with at least 95 % confidence.
"""

from __future__ import annotations

import argparse
import multiprocessing as standard
import sys
import time
from typing import Any, Callable

import furwock.multiprocessing as ours

SIZES = {"10 B": 10, "20 KB": 20_000, "1 MB": 1_000_000}
# Ranks from both ends for the interval of the median: 95 % from that many rounds on.
RANKS = ((6, 1), (9, 2), (12, 3), (15, 4), (17, 5), (20, 6))


def send_all(queue: Any, size: int, n: int) -> None:
    """The child's part of a stream: n items."""
    item = b"x" * size
    for _ in range(n):
        queue.put(item)


def send_back(to: Any, back: Any, n: int) -> None:
    """The child's part of the round trips."""
    for _ in range(n):
        back.put(to.get())


def stream(module: Any, kind: str, size: int, n: int) -> float:
    """Seconds in which a process gets n items from another one."""
    queue = getattr(module, kind)()
    child = module.Process(target=send_all, args=(queue, size, n))
    child.start()
    queue.get()
    start = time.perf_counter()
    for _ in range(n - 1):
        queue.get()
    took = time.perf_counter() - start
    child.join()
    return took


def round_trips(module: Any, kind: str, size: int, n: int) -> float:
    """Seconds for n items to another process and back, one at a time."""
    to, back = getattr(module, kind)(), getattr(module, kind)()
    child = module.Process(target=send_back, args=(to, back, n))
    child.start()
    item = b"x" * size
    to.put(item)
    back.get()
    start = time.perf_counter()
    for _ in range(n - 1):
        to.put(item)
        back.get()
    took = time.perf_counter() - start
    child.join()
    return took


def pool_map(module: Any, chunk: int, n: int) -> float:
    """Seconds for n tasks that do nothing, in two workers."""
    with module.Pool(2) as pool:
        pool.map(abs, range(100), chunk)
        start = time.perf_counter()
        pool.map(abs, range(n), chunk)
        return time.perf_counter() - start


def experiments() -> dict[str, Callable[[Any], float]]:
    """By name; each takes the module, and gives seconds."""
    found: dict[str, Callable[[Any], float]] = {}
    for kind in ("SimpleQueue", "Queue"):
        for name, size in SIZES.items():
            n = 2000 if size < 1_000_000 else 100
            found[f"{kind}, {name}, one after the other"] = (
                lambda module, k=kind, s=size, n=n: stream(module, k, s, n))
            found[f"{kind}, {name}, to and fro"] = (
                lambda module, k=kind, s=size, n=n: round_trips(module, k, s, n))
    for chunk in (1, 100):
        found[f"Pool(2).map of abs, chunks of {chunk}"] = (
            lambda module, c=chunk: pool_map(module, c, 4000))
    return found


def middle(ratios: list[float]) -> str:
    """The median with its interval."""
    ordered, n = sorted(ratios), len(ratios)
    median = (ordered[(n - 1) // 2] + ordered[n // 2]) / 2
    rank = max((rank for least, rank in RANKS if n >= least), default=0)
    if rank == 0:
        return f"{median:.2f} (of {n})"
    return f"{median:.2f} [{ordered[rank - 1]:.2f}, {ordered[n - rank]:.2f}]"


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--only", default="", help="experiments with these words in their names")
    options = parser.parse_args()
    chosen = {name: run for name, run in experiments().items() if options.only in name}
    if not chosen or options.rounds < 1:
        parser.error("nothing to do")
    ratios: dict[str, list[float]] = {name: [] for name in chosen}
    for number in range(options.rounds):
        for name, run in chosen.items():
            order = [standard, ours] if number % 2 else [ours, standard]
            took = {module.__name__: run(module) for module in order}
            ratios[name].append(took[ours.__name__] / took[standard.__name__])
    print(f"Python {sys.version.split()[0]}: time, of that of multiprocessing")
    for name, found in ratios.items():
        print(f"{name:42} {middle(found)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
