# SPDX-License-Identifier: MIT
"""Processes that use one queue are killed at random, many times; the others go on."""

from __future__ import annotations

import gc
import multiprocessing
import os
import queue
import random
import signal
import time
import zlib
from multiprocessing.sharedctypes import RawArray
from typing import Any, Callable

import pytest

from children import wait_until
from furwock.multiprocessing.queues import JoinableQueue, Queue, SimpleQueue

DEADLINE = 90.0
PROCESSES = 4               # two put, two get
STEPS = 5                   # that each survivor makes after a kill
ERRORS = PROCESSES          # index of the count of errors


def put_forever(q: Any, role: int, steps: Any, size: int) -> None:
    seq = 0
    while True:
        body = os.urandom(16) * (size // 16)
        try:
            q.put((os.getpid(), seq, body, zlib.crc32(body)))
        except BaseException:
            steps[ERRORS] += 1
            raise
        seq += 1
        steps[role] += 1
        while getattr(q, "_buffer", ()):        # the feeder's buffer shall not grow without end
            time.sleep(0.0002)


def get_forever(q: Any, role: int, steps: Any, size: int) -> None:
    last: dict[int, int] = {}
    try:
        while True:
            pid, seq, body, checksum = q.get()
            assert zlib.crc32(body) == checksum, "an item is corrupt"
            assert seq > last.get(pid, -1), "items are out of order"
            last[pid] = seq
            if isinstance(q, JoinableQueue):
                q.task_done()
            steps[role] += 1
    except BaseException:
        steps[ERRORS] += 1
        raise


class Group:
    def __init__(self, q: Any, size: int) -> None:
        self.q, self.size = q, size
        self.steps = RawArray("q", PROCESSES + 1)
        self.context = multiprocessing.get_context("fork")
        self.processes = [self.start(role) for role in range(PROCESSES)]

    def start(self, role: int) -> Any:
        process = self.context.Process(target=put_forever if role < 2 else get_forever,
                                       args=(self.q, role, self.steps, self.size), daemon=True)
        process.start()
        return process

    def kill(self, role: int) -> None:
        os.kill(self.processes[role].pid, signal.SIGKILL)
        self.processes[role].join()
        self.processes[role].close()

    def progress(self, roles: list[int]) -> None:
        goals = [self.steps[role] + STEPS for role in roles]

        def done() -> bool:
            assert not self.steps[ERRORS], "a process has failed"
            return all(self.steps[role] >= goal for role, goal in zip(roles, goals))
        wait_until(done, f"processes {roles} hang: steps are {list(self.steps)}", DEADLINE)


MAKERS: dict[str, Callable[[], Any]] = {
    "SimpleQueue": SimpleQueue, "Queue": Queue, "Queue(4)": lambda: Queue(4),
    "JoinableQueue": JoinableQueue, "JoinableQueue(4)": lambda: JoinableQueue(4),
}


@pytest.mark.parametrize("size", [20_000, 1_000_000])
@pytest.mark.parametrize("kind", MAKERS)
def test_storm_of_kills(kind: str, size: int, storm: int) -> None:
    rng = random.Random(f"{kind} {size} {storm}")
    SimpleQueue(), RawArray("q", 1)     # what each process opens once
    gc.collect()
    before = len(os.listdir("/proc/self/fd"))
    names = set(os.listdir("/dev/shm"))
    q = MAKERS[kind]()
    group = Group(q, size)
    try:
        group.progress(list(range(PROCESSES)))
        for _ in range(storm or 6):
            role = rng.randrange(PROCESSES)
            time.sleep(rng.uniform(0, 0.01))
            group.kill(role)
            group.progress([r for r in range(PROCESSES) if r != role])
            group.processes[role] = group.start(role)
        group.progress(list(range(PROCESSES)))
    finally:
        for role in range(PROCESSES):
            group.kill(role)
    check_usable(q, kind)
    del q, group
    gc.collect()
    wait_until(lambda: len(os.listdir("/proc/self/fd")) <= before,
               "descriptors are left over", DEADLINE)
    mine = {n for n in set(os.listdir("/dev/shm")) - names if str(os.getpid()) in n}
    assert not mine, "files in /dev/shm are left over"


def check_usable(q: Any, kind: str) -> None:
    """What the dead had is recovered: the sizes, the slots, and join()."""
    while not q.empty():
        q.get()
        if isinstance(q, JoinableQueue):
            q.task_done()
    if isinstance(q, SimpleQueue):
        q.put(1)
        assert q.get() == 1
        return
    assert q.qsize() == 0
    assert q.lost >= 0
    if isinstance(q, JoinableQueue):
        q.join()
    n = 4 if "4" in kind else 10
    for i in range(n):
        q.put(i, timeout=DEADLINE)
    assert q.qsize() == n
    if n == 4:
        assert q.full()
        with pytest.raises(queue.Full):
            q.put(n, timeout=0.1)
    assert [q.get() for _ in range(n)] == list(range(n))


def joiner(q: Any, joined: Any) -> None:
    q.join()
    joined.put(True)


def taker(q: Any, taken: Any) -> None:
    q.get()
    taken.put(True)
    time.sleep(1000)


def test_join_returns_when_the_process_that_had_the_last_item_dies() -> None:
    context = multiprocessing.get_context("fork")
    q, taken, joined = JoinableQueue(), SimpleQueue(), SimpleQueue()
    q.put("item")
    worker = context.Process(target=taker, args=(q, taken), daemon=True)
    waiters = [context.Process(target=joiner, args=(q, joined), daemon=True) for _ in range(2)]
    for process in (worker, *waiters):
        process.start()
    assert taken.get()
    os.kill(waiters[1].pid or 0, signal.SIGKILL)
    assert joined.empty()
    os.kill(worker.pid or 0, signal.SIGKILL)
    assert joined.get()
    q.join()
    assert q.lost == 1
    for process in (worker, *waiters):
        process.join(DEADLINE)


def put_and_stay(q: Any, n: int) -> None:
    for i in range(n):
        q.put(i)
    time.sleep(1000)


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_a_slot_of_a_dead_process_is_free_again(method: str) -> None:
    """The dead one holds slots in its feeder's buffer, since the channel is full."""
    n = 2000
    q = Queue(n)
    child = multiprocessing.get_context(method).Process(target=put_and_stay, args=(q, n))
    child.start()
    wait_until(q.full, "the queue does not get full", DEADLINE)
    os.kill(child.pid or 0, signal.SIGKILL)
    child.join()
    left = q.qsize()
    assert 0 < left < n
    for i in range(n - left):
        q.put("mine", timeout=DEADLINE)
    with pytest.raises(queue.Full):
        q.put_nowait("too many")
    assert [q.get() for _ in range(n)] == [*range(left), *["mine"] * (n - left)]
    assert q.lost == n - left
