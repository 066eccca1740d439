# SPDX-License-Identifier: MIT
"""Pool and ProcessPoolExecutor: what their users see, above all when workers die."""

from __future__ import annotations

import errno
import gc
import multiprocessing
import os
import random
import signal
import threading
import time
from concurrent.futures import CancelledError
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import TimeoutError as MpTimeoutError
from pathlib import Path
from typing import Any, Callable, NoReturn

import pytest

from children import Child, wait_until
from furwock.concurrent import ProcessPoolExecutor
from furwock.multiprocessing import _worker
from furwock.multiprocessing._channel import duplex
from furwock.multiprocessing.pool import Pool, PoolTerminated, WorkerDied, WorkersCannotStart
from furwock.multiprocessing.queues import SimpleQueue

METHODS = ("fork", "spawn", "forkserver")
DEADLINE = 60.0


def square(x: int) -> int:
    return x * x


def add(x: int, y: int) -> int:
    return x + y


def big(x: int) -> bytes:
    return bytes([x]) * 1_000_000


def length(x: bytes) -> int:
    return len(x)


def die_if(x: int, bad: int) -> int:
    if x == bad:
        os.kill(os.getpid(), signal.SIGKILL)
    return x


def die_once(flag: str) -> int:
    if not os.path.exists(flag):
        Path(flag).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return 42


def exit_with(status: int) -> None:
    os._exit(status)


def worker_pid(_: Any = None) -> int:
    return os.getpid()


def ignore_sigterm(started: str) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    Path(started).touch()
    time.sleep(1000)


def touch_and_sleep(started: str) -> None:
    Path(started).touch()
    time.sleep(1000)


def fail() -> None:
    raise KeyError("no such thing")


def make(method: str, n: int = 2, **options: Any) -> Pool:
    return Pool(n, context=multiprocessing.get_context(method), **options)


@pytest.mark.parametrize("method", METHODS)
def test_calls_and_results(method: str) -> None:
    with make(method) as pool:
        assert pool.apply(add, (1,), {"y": 2}) == 3
        assert pool.map(square, range(100)) == [x * x for x in range(100)]
        assert pool.starmap(add, [(1, 2), (3, 4)], chunksize=1) == [3, 7]
        assert list(pool.imap(square, range(30))) == [x * x for x in range(30)]
        assert sorted(pool.imap_unordered(square, range(30), 7)) == [x * x for x in range(30)]
        assert pool.map(big, [1, 2]) == [big(1), big(2)]
        assert pool.map(length, [big(3)] * 5, chunksize=1) == [1_000_000] * 5
        with pytest.raises(KeyError, match="no such thing"):
            pool.apply(fail)
        seen: list[Any] = []
        pool.apply_async(square, (3,), callback=seen.append).wait(DEADLINE)
        pool.apply_async(fail, error_callback=seen.append).wait(DEADLINE)
        wait_until(lambda: len(seen) == 2)
        assert seen[0] == 9 and isinstance(seen[1], KeyError)


@pytest.mark.parametrize("method", METHODS)
def test_a_dead_worker_fails_its_task_only(method: str) -> None:
    with make(method) as pool:
        others = [pool.apply_async(square, (i,)) for i in range(20)]
        dead = pool.apply_async(die_if, (5, 5))
        others += [pool.apply_async(square, (i,)) for i in range(20)]
        with pytest.raises(WorkerDied, match="killed by SIGKILL while it ran die_if") as caught:
            dead.get(DEADLINE)
        assert caught.value.task == (die_if, (5, 5), {})
        assert caught.value.exitcode == -signal.SIGKILL and caught.value.pid > 0
        assert [r.get(DEADLINE) for r in others] == [i * i for i in range(20)] * 2
        with pytest.raises(WorkerDied, match="exited with status 0") as caught:
            pool.apply_async(exit_with, (0,)).get(DEADLINE)
        with pytest.raises(WorkerDied) as caught:
            pool.starmap_async(die_if, [(i, 3) for i in range(9)], 1).get(DEADLINE)
        assert caught.value.task == (die_if, ((3, 3),), {})
        assert pool.map(square, range(9)) == [x * x for x in range(9)]


def test_imap_goes_on_after_a_death() -> None:
    with make("fork") as pool:
        results = pool.imap(square_unless_4, range(9))
        got: list[Any] = []
        for _ in range(9):
            try:
                got.append(results.next(DEADLINE))
            except WorkerDied:
                got.append("died")
        assert got == [0, 1, 4, 9, "died", 25, 36, 49, 64]


def square_unless_4(x: int) -> int:
    return square(die_if(x, 4))


@pytest.mark.parametrize("method", METHODS)
def test_retry(method: str, tmp_path: Path) -> None:
    with make(method, retry=1) as pool:
        assert pool.apply_async(die_once, (str(tmp_path / "flag"),)).get(DEADLINE) == 42
        with pytest.raises(WorkerDied):
            pool.apply_async(die_if, (1, 1)).get(DEADLINE)
    with ProcessPoolExecutor(2, multiprocessing.get_context(method), retry=1) as executor:
        assert executor.submit(die_once, str(tmp_path / "flag2")).result(DEADLINE) == 42


def test_tasks_behind_a_long_one_go_to_others(tmp_path: Path) -> None:
    with make("fork") as pool:
        pool.map(square, range(500), chunksize=1)       # short ones: they are sent ahead
        pool.apply_async(touch_and_sleep, (str(tmp_path / "started"),))
        results = [pool.apply_async(square, (i,)) for i in range(50)]
        assert [r.get(DEADLINE) for r in results] == [i * i for i in range(50)]


def test_maxtasksperchild() -> None:
    with make("fork", maxtasksperchild=2) as pool:
        pids = pool.map(worker_pid, range(20), chunksize=1)
        assert len(set(pids)) >= 10 and max(pids.count(p) for p in pids) <= 2


@pytest.mark.parametrize("method", METHODS)
def test_terminate_ends_whatever_the_workers_do(method: str, tmp_path: Path) -> None:
    started = tmp_path / "started"
    pool = make(method, 1)
    result = pool.apply_async(ignore_sigterm, (str(started),))
    wait_until(started.exists)
    waiting = pool.imap(square, range(5))
    processes = pool._pool
    pool.terminate()
    pool.join()
    with pytest.raises(PoolTerminated):
        result.get(DEADLINE)
    with pytest.raises(PoolTerminated):
        waiting.next(DEADLINE)
    assert not any(p.is_alive() for p in processes)


def test_close_and_join_do_what_was_given() -> None:
    pool = make("fork")
    results = [pool.apply_async(square, (i,)) for i in range(200)]
    pool.close()
    with pytest.raises(ValueError, match="not running"):
        pool.apply(square, (1,))
    pool.join()
    assert [r.get(0) for r in results] == [i * i for i in range(200)]


def own_a_pool(method: str, pids: Any) -> None:
    pool = make(method)
    pool.map(square, range(4))
    pids.put([p.pid for p in pool._pool])
    time.sleep(1000)


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def workers_of_killed(run: Callable[..., None], *args: Any) -> list[int]:
    """The ids of the workers whose owner ran that, and was killed."""
    pids = SimpleQueue()
    owner = multiprocessing.get_context("spawn").Process(target=run, args=(*args, pids))
    owner.start()
    workers: list[int] = pids.get()
    owner.kill()
    owner.join()
    return workers


@pytest.mark.parametrize("method", METHODS)
def test_workers_end_when_their_owner_is_killed(method: str) -> None:
    workers = workers_of_killed(own_a_pool, method)
    wait_until(lambda: not any(is_running(pid) for pid in workers))


def own_a_pool_that_is_late(reader: Any, pids: Any) -> None:
    os.register_at_fork(after_in_child=lambda: reader.poll(None))
    pool = make("fork")
    pids.put([p.pid for p in pool._pool])
    time.sleep(1000)


def test_workers_end_that_start_when_their_owner_is_dead() -> None:
    reader, writer = multiprocessing.Pipe(duplex=False)
    workers = workers_of_killed(own_a_pool_that_is_late, reader)
    assert all(is_running(pid) for pid in workers)
    writer.close()
    wait_until(lambda: not any(is_running(pid) for pid in workers))


def test_a_worker_whose_result_does_not_fit_ends_with_its_owner() -> None:
    child = Child(time.sleep, 1000)
    owner = _worker._Owner(child.pid)
    end, far_end = duplex()
    with pytest.raises(BlockingIOError):
        while True:
            end.send_now(_worker.pack(1, big(1)))
    child.kill()
    with pytest.raises(SystemExit):
        _worker._send(end, _worker.pack(1, big(1)), owner)
    far_end.close()


def own_a_pool_without_pidfds(pids: Any) -> None:
    def refused(_: int) -> NoReturn:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))

    os.pidfd_open = refused
    own_a_pool("fork", pids)


def test_workers_end_with_their_owner_without_pidfds() -> None:
    workers = workers_of_killed(own_a_pool_without_pidfds)
    wait_until(lambda: not any(is_running(pid) for pid in workers))


def cannot_start() -> None:
    raise RuntimeError("no licence")


def test_workers_that_cannot_start(capfd: pytest.CaptureFixture[str]) -> None:
    with make("fork", initializer=cannot_start) as pool:
        with pytest.raises(WorkersCannotStart, match="no licence"):
            pool.apply_async(square, (1,)).get(DEADLINE)
        with pytest.raises(WorkersCannotStart):
            pool.apply_async(square, (1,)).get(DEADLINE)
    with ProcessPoolExecutor(1, multiprocessing.get_context("fork"), cannot_start) as executor:
        with pytest.raises(BrokenProcessPool, match="no licence"):
            executor.submit(square, 1).result(DEADLINE)
    capfd.readouterr()


def test_an_error_in_a_callback_does_not_stop_the_pool() -> None:
    reported: list[Any] = []
    old, threading.excepthook = threading.excepthook, reported.append
    try:
        with make("fork") as pool:
            pool.apply_async(square, (1,), callback=lambda _: 1 // 0)
            assert pool.apply_async(square, (2,)).get(DEADLINE) == 4
            wait_until(lambda: reported)
    finally:
        threading.excepthook = old
    assert reported[0].exc_type is ZeroDivisionError


@pytest.mark.parametrize("method", METHODS)
def test_executor(method: str) -> None:
    with ProcessPoolExecutor(2, multiprocessing.get_context(method)) as executor:
        before = [executor.submit(square, i) for i in range(50)]
        dead = executor.submit(die_if, 1, bad=1)
        after = [executor.submit(square, i) for i in range(50)]
        assert [f.result(DEADLINE) for f in before + after] == [i * i for i in range(50)] * 2
        error = dead.exception(DEADLINE)
        assert isinstance(error, WorkerDied) and isinstance(error, BrokenProcessPool)
        assert error.task == (die_if, (1,), {"bad": 1})
        assert list(executor.map(add, range(9), range(9), chunksize=2)) == list(range(0, 18, 2))
        assert isinstance(executor.submit(fail).exception(DEADLINE), KeyError)
        unpicklable = executor.submit(lambda: 1)
        assert unpicklable.exception(DEADLINE) is not None
    with pytest.raises(RuntimeError, match="after shutdown"):
        executor.submit(square, 1)


def test_executor_cancels(tmp_path: Path) -> None:
    executor = ProcessPoolExecutor(1, multiprocessing.get_context("fork"))
    running = executor.submit(touch_and_sleep, str(tmp_path / "started"))
    wait_until((tmp_path / "started").exists)
    others = [executor.submit(square, i) for i in range(20)]
    assert others[3].cancel() and running.running()
    executor.shutdown(wait=False, cancel_futures=True)
    with pytest.raises(CancelledError):
        others[10].result(DEADLINE)
    assert all(f.cancelled() for f in others)
    executor.kill_workers()
    with pytest.raises((WorkerDied, PoolTerminated)):
        running.result(DEADLINE)


def test_bad_arguments() -> None:
    for options in {"processes": 0}, {"retry": -1}, {"maxtasksperchild": 0}:
        with pytest.raises(ValueError):
            Pool(**options)
    with pytest.raises(TypeError):
        Pool(1, initializer=3)
    with pytest.raises(ValueError, match="max_workers"):
        ProcessPoolExecutor(0)
    with pytest.raises(MpTimeoutError), make("fork", 1) as pool:
        pool.apply_async(time.sleep, (1000,)).get(0.01)


def spend(x: int) -> int:
    end = time.perf_counter() + random.uniform(0, 0.0005)
    while time.perf_counter() < end:
        pass
    return x


@pytest.mark.parametrize("kind", ["pool", "executor"])
def test_storm_of_kills(kind: str, storm: int) -> None:
    """Workers are killed at random; every task ends, all others' results are right."""
    SimpleQueue()               # opens what each process opens once
    gc.collect()
    before = len(os.listdir("/proc/self/fd"))
    context = multiprocessing.get_context("fork")
    rng = random.Random(storm)
    rounds = storm or 25
    deaths = 0
    owner: Any
    owner = make("fork", 3) if kind == "pool" else ProcessPoolExecutor(3, context)
    with owner:
        for _ in range(rounds):
            if kind == "pool":
                tasks = [owner.apply_async(spend, (i,)).get for i in range(100)]
            else:
                tasks = [owner.submit(spend, i).result for i in range(100)]
            time.sleep(rng.uniform(0, 0.01))
            workers = owner._pool if kind == "pool" else list(owner._processes.values())
            if workers:
                os.kill(rng.choice(workers).pid, signal.SIGKILL)
            for i, result in enumerate(tasks):
                try:
                    assert result(DEADLINE) == i
                except WorkerDied as e:
                    assert e.task.args == (i,)
                    deaths += 1
    assert deaths <= rounds
    if kind == "pool":
        owner.join()
    del owner, tasks, workers, result
    gc.collect()
    wait_until(lambda: len(os.listdir("/proc/self/fd")) <= before)
