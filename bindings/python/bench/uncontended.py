#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What an uncontended lock costs, beside the standard library's.

Every round times each lock once, one after the other, so that a disturbance hits all. The table has
each minimum, less that of an empty loop, as a ratio to that of multiprocessing.Lock.
"""

from __future__ import annotations

import argparse
import multiprocessing
import sys
import threading
import time
from typing import Any, Callable

import furwock


def pair(lock: Any, n: int) -> float:
    """Seconds for n calls of acquire and release."""
    acquire, release = lock.acquire, lock.release
    start = time.perf_counter()
    for _ in range(n):
        acquire()
        release()
    return time.perf_counter() - start


def block(lock: Any, n: int) -> float:
    """Seconds for n with statements."""
    start = time.perf_counter()
    for _ in range(n):
        with lock:
            pass
    return time.perf_counter() - start


def loop(_: Any, n: int) -> float:
    """Seconds for n empty rounds."""
    start = time.perf_counter()
    for _ in range(n):
        pass
    return time.perf_counter() - start


def measure(rounds: int, n: int) -> dict[tuple[str, str], float]:
    """The least seconds of each lock by each use."""
    locks: dict[str, Any] = {
        "multiprocessing.Lock": multiprocessing.Lock(),
        "threading.Lock": threading.Lock(),
        "furwock.Mutex": furwock.Mutex(),
        "multiprocessing.RLock": multiprocessing.RLock(),
        "furwock.Mutex (count)": furwock.Mutex(relock="count"),
    }
    uses: dict[str, Callable[[Any, int], float]] = {"loop": loop, "pair": pair, "with": block}
    least: dict[tuple[str, str], float] = {}
    for _ in range(rounds):
        for name, lock in locks.items():
            for use, run in uses.items():
                took = run(lock, n)
                least[name, use] = min(least.get((name, use), took), took)
    empty = min(took for (_, use), took in least.items() if use == "loop")
    return {key: took - empty for key, took in least.items()}


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=1000)
    parser.add_argument("-n", type=int, default=1000, help="operations a round")
    options = parser.parse_args()
    least = measure(options.rounds, options.n)
    print(f"Python {sys.version.split()[0]}: ratio to multiprocessing.Lock")
    for name in dict.fromkeys(name for name, _ in least):
        ratios = [least[name, use] / least["multiprocessing.Lock", use] for use in ("pair", "with")]
        print(f"{name:24} pair {ratios[0]:.2f}   with {ratios[1]:.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
