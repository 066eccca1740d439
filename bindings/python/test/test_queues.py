# SPDX-License-Identifier: MIT
"""Queue, JoinableQueue and SimpleQueue as their users know them."""

from __future__ import annotations

import errno
import gc
import multiprocessing
import os
import queue
import resource
import signal
import socket
import threading
from multiprocessing.connection import wait
from typing import Any, Callable

import pytest

from furwock.multiprocessing._spare import spare
from furwock.multiprocessing.queues import JoinableQueue, Queue, SimpleQueue

METHODS = ("fork", "spawn", "forkserver")
DEADLINE = 60.0


def run_child(method: str, target: Callable[..., None], *args: Any) -> None:
    child = multiprocessing.get_context(method).Process(target=target, args=args)
    child.start()
    child.join(DEADLINE)
    assert child.exitcode == 0


def descriptors() -> int:
    gc.collect()
    return len(os.listdir("/proc/self/fd"))


def echo(requests: Any, answers: Any) -> None:
    while (item := requests.get()) is not None:
        answers.put(item)
        if hasattr(requests, "task_done"):
            requests.task_done()


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("make", [SimpleQueue, Queue, lambda: Queue(2), lambda: JoinableQueue(3)])
def test_items_reach_a_child_and_come_back(method: str, make: Callable[[], Any]) -> None:
    requests, answers = make(), SimpleQueue()
    items = [1, "two", b"3" * 20_000, list(range(40_000)), b"5" * 3_000_000, {}]
    thread = threading.Thread(target=lambda: [requests.put(i) for i in [*items, None]])
    thread.start()
    run_child(method, echo, requests, answers)
    thread.join()
    assert [answers.get() for _ in items] == items
    assert requests.empty() and answers.empty()


def test_a_queue_is_pickled_only_for_a_child() -> None:
    import pickle
    for item in Queue(), SimpleQueue(), JoinableQueue():
        with pytest.raises(RuntimeError, match="inheritance"):
            pickle.dumps(item)


def test_size_bounds_and_timeouts() -> None:
    q = Queue(2)
    assert q.empty() and not q.full() and q.qsize() == 0
    q.put("a")
    q.put("b", timeout=1)
    assert q.full() and q.qsize() == 2 and not q.empty()
    with pytest.raises(queue.Full):
        q.put("c", timeout=0.05)
    with pytest.raises(queue.Full):
        q.put_nowait("c")
    with pytest.raises(queue.Full):
        q.put("c", timeout=-1)
    assert [q.get(), q.get_nowait()] == ["a", "b"]
    for call in (q.get_nowait, lambda: q.get(timeout=0.05), lambda: q.get(True, -1)):
        with pytest.raises(queue.Empty):
            call()
    assert q.qsize() == 0 and q.lost == 0


def test_maxsize_may_be_large() -> None:
    q = Queue(100_000)
    for i in range(3000):       # far more than the channel holds, so the feeder has most of them
        q.put(i)
    assert q.qsize() == 3000 and not q.full()
    assert [q.get() for _ in range(3000)] == list(range(3000))


def test_a_waiting_put_goes_on_when_there_is_room() -> None:
    q = Queue(1)
    q.put(1)
    thread = threading.Thread(target=q.put, args=(2,))
    thread.start()
    assert q.get() == 1 and q.get() == 2
    thread.join(DEADLINE)
    assert not thread.is_alive()


def test_closed_queue() -> None:
    q = Queue()
    q.put(1)
    q.close()
    q.join_thread()
    for call in (lambda: q.put(2), q.get):
        with pytest.raises(ValueError, match="is closed"):
            call()
    with pytest.raises(OSError, match="is closed"):
        q.empty()
    q.close()


class Unpicklable:
    def __reduce__(self) -> Any:
        raise ZeroDivisionError("not to be pickled")


@pytest.mark.parametrize("full_channel", [False, True])
def test_what_cannot_be_pickled_is_reported_and_dropped(full_channel: bool) -> None:
    class Reporting(JoinableQueue):
        reports: list[Any] = []

        @staticmethod
        def _on_queue_feeder_error(e: BaseException, obj: Any) -> None:
            Reporting.reports.append((type(e), obj))

    n = 1000 if full_channel else 0     # the feeder pickles what comes when the channel is full
    q, bad = Reporting(n + 2), Unpicklable()
    for i in range(n):
        q.put(i)
    q.put(bad)
    q.put("good")
    for i in range(n):
        assert q.get(timeout=DEADLINE) == i
        q.task_done()
    assert q.get(timeout=DEADLINE) == "good"
    assert Reporting.reports == [(ZeroDivisionError, bad)]
    q.task_done()
    q.join()
    for i in range(n + 2):              # its slot is free again
        q.put(i, timeout=DEADLINE)
    for i in range(n + 2):              # or the feeder would be waited for at exit
        assert q.get(timeout=DEADLINE) == i


def test_connection_wait_and_poll() -> None:
    queues = [Queue(), SimpleQueue(), JoinableQueue(2)]
    readers = [q._reader for q in queues]
    assert wait(readers, timeout=0) == []
    queues[1].put(1)
    assert wait(readers, timeout=DEADLINE) == [readers[1]]


def test_task_done_and_join() -> None:
    q = JoinableQueue()
    q.join()
    with pytest.raises(ValueError, match="too many times"):
        q.task_done()
    for i in range(3):
        q.put(i)
    thread = threading.Thread(target=q.join)
    thread.start()
    for _ in range(3):
        assert thread.is_alive()
        q.get()
        q.task_done()
    thread.join(DEADLINE)
    assert not thread.is_alive()
    with pytest.raises(ValueError, match="too many times"):
        q.task_done()


def interrupted_getter(q: Any, ready: Any) -> None:
    signal.signal(signal.SIGUSR1, lambda *_: ready.put("signal"))
    ready.put("ready")
    assert q.get() == "item"
    try:
        ready.put("waits for KeyboardInterrupt")
        q.get()
    except KeyboardInterrupt:
        ready.put("interrupted")


def test_signals_while_waiting() -> None:
    ctx = multiprocessing.get_context("fork")
    q, ready = Queue(2), SimpleQueue()
    child = ctx.Process(target=interrupted_getter, args=(q, ready))
    child.start()
    assert child.pid and ready.get() == "ready"
    for _ in range(5):
        os.kill(child.pid, signal.SIGUSR1)
        assert ready.get() == "signal"
    q.put("item")
    assert ready.get() == "waits for KeyboardInterrupt"
    os.kill(child.pid, signal.SIGINT)
    assert ready.get() == "interrupted"
    child.join(DEADLINE)
    assert child.exitcode == 0


def exhaust(q: Any, kind: str) -> None:
    resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
    taken = []
    try:
        while True:
            taken.append(os.dup(0))
    except OSError as e:
        assert e.errno == errno.EMFILE
    assert q.get() == "first"           # one is kept for what that needs
    if kind == "spare":
        assert len(q.get()) == 1_000_000
        q.put("got it")
        return
    with spare.lent("for a test"):
        taken.append(os.dup(0))
    with pytest.raises(OSError, match="stays in the queue"):
        q.get()
    os.close(taken.pop())
    assert len(q.get()) == 1_000_000


@pytest.mark.parametrize("kind", ["spare", "none"])
def test_descriptors_exhausted(kind: str) -> None:
    q = Queue(3)
    q.put("first")
    q.put(b"x" * 1_000_000)
    run_child("fork", exhaust, q, kind)
    assert q.lost == 0


def test_no_descriptor_is_left() -> None:
    Queue()
    before = descriptors()
    for make in (SimpleQueue, Queue, lambda: Queue(9), JoinableQueue):
        q = make()
        for size in (1, 100_000, 1_000_000):
            q.put(b"x" * size)
            assert len(q.get()) == size
        q.put(b"x" * 200_000)           # dropped with the queue
        del q
    assert descriptors() == before


def test_stream_and_other_sockets_are_not_confused() -> None:
    """What a child receives is a socket of the right kind, whatever the default is."""
    assert SimpleQueue()._reader._socket.type == socket.SOCK_SEQPACKET
