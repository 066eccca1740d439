#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Two processes of different names that wake each other, until standard input ends."""

import ctypes
import multiprocessing
import sys
import threading

PR_SET_NAME = 15


def take_turns(name, mine, its):
    ctypes.CDLL(None).prctl(PR_SET_NAME, name, 0, 0, 0)
    while True:
        mine.acquire()
        its.release()


def main():
    one, two = multiprocessing.Semaphore(1), multiprocessing.Semaphore(0)
    for words in ((b"fw-turns-one", one, two), (b"fw-turns-two", two, one)):
        multiprocessing.Process(target=take_turns, args=words, daemon=True).start()
    print("\n".join(str(child.pid) for child in multiprocessing.active_children()), flush=True)
    threading.Thread(target=sys.stdin.read).start()


if __name__ == "__main__":
    main()
