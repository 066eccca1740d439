# SPDX-License-Identifier: MIT
"""contend.py THREADS MILLISECONDS: threads that meet on a lock, at a queue, and in pairs that hand
over to each other by a condition.  Each kind runs for a given time, and checks its own count.

Run by the Python that is measured: threading.Lock is a semaphore or a mutex of the C library's
there, as is the lock of the interpreter itself."""

import queue
import sys
import threading
import time

GOOD = True


def run(name, threads, seconds, work, check):
    """Lets threads call work(number) for that time; prints what they did in a second."""
    global GOOD
    stop, counts = threading.Event(), [0] * threads

    def body(number):
        while not stop.is_set():
            counts[number] += work(number)

    bodies = [threading.Thread(target=body, args=(number,)) for number in range(threads)]
    begun = time.monotonic()
    for one in bodies:
        one.start()
    time.sleep(seconds)
    stop.set()
    for one in bodies:
        one.join()
    print(f"{name} {sum(counts) / (time.monotonic() - begun):.0f}")
    GOOD = GOOD and check(sum(counts))


class Locked:
    """A count under a lock: the time that it is held is mostly the interpreter's."""
    def __init__(self):
        self.lock, self.count = threading.Lock(), 0

    def work(self, _):
        for _ in range(100):
            with self.lock:
                self.count += 1
        return 100

    def check(self, done):
        return self.count == done


class Queued:
    """What is put is got again, by whoever comes."""
    def __init__(self):
        self.queue = queue.Queue(64)

    def work(self, _):
        self.queue.put(1)
        return self.queue.get()

    def check(self, _):
        return self.queue.empty()


class HandedOver:
    """Two threads of a pair do the same by turns; who waits too long looks whether all is over."""
    def __init__(self, threads):
        self.turns = [[threading.Condition(), 0] for _ in range((threads + 1) // 2)]
        self.count = threads

    def work(self, number):
        pair, me = self.turns[number // 2], number % 2
        if number ^ 1 >= self.count:
            return 0  # it has no partner
        with pair[0]:
            if not pair[0].wait_for(lambda: pair[1] % 2 == me, timeout=0.05):
                return 0
            pair[1] += 1
            pair[0].notify()
        return 1

    def check(self, done):
        return sum(turns for _, turns in self.turns) == done


def main():
    threads, seconds = int(sys.argv[1]), int(sys.argv[2]) / 1000
    locked, queued, handed_over = Locked(), Queued(), HandedOver(threads)
    run("lock", threads, seconds, locked.work, locked.check)
    run("queue", threads, seconds, queued.work, queued.check)
    run("handoff", threads, seconds, handed_over.work, handed_over.check)
    print("good" if GOOD else "a count was wrong")


main()
