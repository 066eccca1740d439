#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Threads that compute, and that sleep for a moment with a lock that all of them want."""

import argparse
import threading
import time

SECONDS, HOLD_S = 3.0, 0.0005

lock = threading.Lock()
turns = []


def work(until):
    mine = 0
    while time.monotonic() < until:
        sum(range(2000))
        with lock:
            time.sleep(HOLD_S)
        mine += 1
    turns.append(mine)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("threads", type=int)
    until = time.monotonic() + SECONDS
    threads = [threading.Thread(target=work, args=(until,))
               for _ in range(parser.parse_args().threads)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(f"turns {sum(turns) / SECONDS:.1f}")


if __name__ == "__main__":
    main()
