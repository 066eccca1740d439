# SPDX-License-Identifier: MIT
"""Worker processes in Python, one of which is killed while it holds the lock; the others go on.

    $ python3 pool.py
    4 workers, 1 of them killed with the lock: 30 of 30 steps, total 30

With the standard multiprocessing the program would hang.  Only the import is different; and the
lock tells its next owner what happened, who repairs the data.
"""

import os
import signal

import furwock
import furwock.multiprocessing as multiprocessing

STEPS = 10


def repair(grant, done, total):
    """If the last owner died between the two changes: undo the first one."""
    if grant.owner_died:
        done.value = total.value


def work(lock, done, total):
    """Ten steps; done and total agree whenever the lock is free."""
    for _ in range(STEPS):
        with lock as grant:
            repair(grant, done, total)
            done.value += 1
            total.value += 1


def fail(lock, done):
    """Is killed in the middle of a change."""
    with lock:
        done.value += 1
        os.kill(os.getpid(), signal.SIGKILL)


def main():
    lock = furwock.Mutex()
    done = multiprocessing.RawValue("i", 0)
    total = multiprocessing.RawValue("i", 0)
    victim = multiprocessing.Process(target=fail, args=(lock, done))
    workers = [multiprocessing.Process(target=work, args=(lock, done, total)) for _ in range(3)]
    victim.start()
    for worker in workers:
        worker.start()
    for worker in [victim, *workers]:
        worker.join()
    with lock as grant:  # it may have died after all others were done
        repair(grant, done, total)
    print(f"{len(workers) + 1} workers, 1 of them killed with the lock: "
          f"{done.value} of {len(workers) * STEPS} steps, total {total.value}")


if __name__ == "__main__":
    main()
