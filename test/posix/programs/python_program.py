# SPDX-License-Identifier: MIT
"""A Python program under the drop-in: threads, processes that share locks, and ctypes.

Python's own locks are semaphores, or mutexes with condition variables; multiprocessing's are
semaphores with names.
"""

import ctypes
import multiprocessing
import queue
import subprocess
import sys
import threading

THREADS, ROUNDS, PROCESSES = 8, 2000, 4
MUTEX_BYTES = 40                # and more: what the C library reserves
BUSY = 16
PATIENCE_S = 600                # a hang


def threads():
    lock, full, counted = threading.Lock(), queue.Queue(4), [0]
    ready = threading.Barrier(THREADS)

    def work(number):
        ready.wait()
        for i in range(ROUNDS):
            with lock:
                counted[0] += 1
            if number % 2:
                full.put(i)
            else:
                full.get(timeout=PATIENCE_S)
    made = [threading.Thread(target=work, args=(n,)) for n in range(THREADS)]
    for thread in made:
        thread.start()
    for thread in made:
        thread.join()
    assert counted[0] == THREADS * ROUNDS and full.empty()
    assert not threading.Event().wait(0.01)


def count(total, lock, done, barrier):
    barrier.wait()
    for _ in range(200):
        with lock:
            total.value += 1
    done.put(1)


def processes(way):
    context = multiprocessing.get_context(way)
    lock, done, total = context.Lock(), context.Queue(), context.Value("l", 0, lock=False)
    barrier = context.Barrier(PROCESSES)
    made = [context.Process(target=count, args=(total, lock, done, barrier))
            for _ in range(PROCESSES)]
    for process in made:
        process.start()
    for _ in made:
        done.get(timeout=PATIENCE_S)
    for process in made:
        process.join()
        assert process.exitcode == 0
    assert total.value == PROCESSES * 200
    with context.Pool(3) as pool:
        assert pool.map(abs, range(-50, 0)) == list(range(50, 0, -1))


def foreign():
    """By the program's own scope the calls are the drop-in's; by the C library's handle its own."""
    for scope in (ctypes.CDLL(None), ctypes.CDLL("libc.so.6")):
        mutex = ctypes.create_string_buffer(MUTEX_BYTES)
        assert scope.pthread_mutex_lock(mutex) == 0
        assert scope.pthread_mutex_trylock(mutex) == BUSY
        waiter = threading.Thread(target=scope.pthread_mutex_lock, args=(mutex,))
        waiter.start()
        assert scope.pthread_mutex_unlock(mutex) == 0
        waiter.join()
        assert scope.pthread_mutex_unlock(mutex) == 0
        assert scope.pthread_mutex_destroy(mutex) == 0


def main():
    threads()
    foreign()
    for way in ("fork", "spawn"):
        processes(way)
    for _ in range(20):
        subprocess.run([sys.executable, "-c", "pass"], check=True)


if __name__ == "__main__":
    main()
