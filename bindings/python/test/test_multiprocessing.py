# SPDX-License-Identifier: MIT
"""furwock.multiprocessing used as the standard module is, and what is different."""
from __future__ import annotations

import multiprocessing as standard
import os
import pickle
import signal
import subprocess
import sys
import textwrap
import threading
import warnings
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import furwock
import furwock.multiprocessing as mp

METHODS = ["fork", "spawn", "forkserver"]
LONG = 120  # seconds that only a hang reaches


@pytest.fixture(params=METHODS)
def ctx(request: Any) -> Any:
    return mp.get_context(request.param)


def join(process: Any) -> None:
    process.join(LONG)
    assert process.exitcode == 0


def use_all(ctx: Any, lock: Any, rlock: Any, semaphore: Any, bounded: Any, condition: Any,
            event: Any, barrier: Any, value: Any, array: Any) -> None:
    assert mp.get_start_method() == ctx.get_start_method()
    assert mp.current_process().name == "a child"
    assert mp.parent_process() is not None
    with lock:
        array[0] += 1
    with rlock, rlock:
        array[1] += 1
    with semaphore, bounded:
        array[2] += 1
    with condition:
        array[3] += 1
        condition.notify_all()
    event.set()
    barrier.wait(LONG)
    with value.get_lock():
        value.value += 1
    # An object of this process, in the region that all share, for a grandchild.
    assert furwock.default_region().key == lock.region.key
    own = ctx.Lock()
    own.acquire()
    assert own.region.key == lock.region.key


def test_child_uses_everything(ctx: Any) -> None:
    objects = [ctx.Lock(), ctx.RLock(), ctx.Semaphore(2), ctx.BoundedSemaphore(2),
               ctx.Condition(), ctx.Event(), ctx.Barrier(2), ctx.Value("i", 0),
               ctx.Array("i", 4)]
    condition, event, barrier, value, array = objects[4:]
    process = ctx.Process(target=use_all, args=(ctx, *objects), name="a child")
    with condition:
        process.start()
        assert condition.wait_for(lambda: array[3] == 1, LONG)
    assert event.wait(LONG)
    barrier.wait(LONG)
    join(process)
    assert list(array) == [1, 1, 1, 1]
    assert value.value == 1


def hold_and_say(lock: Any, event: Any) -> None:
    lock.acquire()
    event.set()
    signal.pause()


def test_death_of_a_holder(ctx: Any) -> None:
    lock, event = ctx.Lock(), ctx.Event()
    process = ctx.Process(target=hold_and_say, args=(lock, event))
    process.start()
    assert event.wait(LONG)
    assert lock.locked() and not lock.acquire(False)
    assert "SomeOtherProcess" in repr(lock)
    os.kill(process.pid, signal.SIGKILL)
    with pytest.warns(furwock.OwnerDiedWarning):
        grant = lock.acquire(timeout=LONG)
    assert grant is not True and grant == True  # noqa: E712
    assert grant.owner_died and grant.process == process.pid
    assert lock.deaths == 1
    assert "MainProcess" in repr(lock)
    lock.release()
    process.join(LONG)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with lock as grant:
            assert not grant.owner_died
    assert "None" in repr(lock)


def test_warning_is_given_once() -> None:
    ctx = mp.get_context("fork")
    lock = ctx.Lock()
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        for deaths in range(1, 4):
            event = ctx.Event()
            process = ctx.Process(target=hold_and_say, args=(lock, event))
            process.start()
            assert event.wait(LONG)
            process.kill()
            assert lock.acquire(timeout=LONG)
            lock.release()
            process.join(LONG)
            assert lock.deaths == deaths
    assert [item.category for item in seen].count(furwock.OwnerDiedWarning) == 1


def test_only_the_holder_releases() -> None:
    lock, rlock = mp.Lock(), mp.RLock()
    with pytest.raises(ValueError):
        lock.release()
    with pytest.raises(AssertionError):
        rlock.release()
    with lock:
        failures = []

        def release() -> None:
            try:
                lock.release()
            except ValueError as error:
                failures.append(error)

        thread = threading.Thread(target=release)
        thread.start()
        thread.join()
        assert len(failures) == 1 and lock.locked()
    assert not lock.locked()


def test_bounded_semaphore_is_bounded() -> None:
    semaphore = mp.BoundedSemaphore(2)
    with pytest.raises(ValueError):
        semaphore.release()
    assert "maxvalue=2" in repr(semaphore)


def test_pickled_only_while_spawning() -> None:
    for obj in (mp.Lock(), mp.RLock(), mp.Semaphore(), mp.Condition(), mp.Event(), mp.Barrier(2)):
        with pytest.raises(RuntimeError, match="inheritance"):
            pickle.dumps(obj)


def test_objects_go_to_children_of_other_methods() -> None:
    lock = mp.get_context("fork").Lock()
    for method in ("spawn", "forkserver"):
        ctx = mp.get_context(method)
        event = ctx.Event()
        process = ctx.Process(target=acquire_and_set, args=(lock, event))
        process.start()
        assert event.wait(LONG)
        join(process)


def acquire_and_set(lock: Any, event: Any) -> None:
    with lock:
        event.set()


def test_standard_module_is_left_alone() -> None:
    assert type(standard.get_context("fork").Lock()).__module__ == "multiprocessing.synchronize"
    assert set(mp.__all__) >= {"Process", "Lock", "Queue", "Pool", "Value", "Manager", "Pipe"}
    assert set(mp.__all__) == {name for name in standard.__all__ if not name.startswith("_")}
    assert mp.connection is standard.connection
    assert mp.get_all_start_methods() == standard.get_all_start_methods()
    with pytest.raises(ValueError):
        mp.get_context("fork").set_start_method("spawn")
    with pytest.raises(ValueError):
        mp.get_context("thread")


SCRIPT = """
    import furwock
    import furwock.multiprocessing as multiprocessing

    # Also in a spawned child, while this module is imported there.
    lock = multiprocessing.get_context({method!r}).Lock()

    def work(lock, other, sender):
        with lock, other:
            sender.send((multiprocessing.current_process().name, multiprocessing.get_start_method(),
                         furwock.default_region().key))

    if __name__ == "__main__":
        multiprocessing.set_start_method({method!r})
        receiver, sender = multiprocessing.Pipe(False)
        process = multiprocessing.Process(target=work, args=(lock, multiprocessing.RLock(), sender))
        process.start()
        print(receiver.recv() == (process.name, {method!r}, furwock.default_region().key))
        process.join()
        print(process.exitcode)
"""


@pytest.mark.parametrize("method", METHODS)
def test_script_with_a_lock_of_its_main_module(method: str, tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(textwrap.dedent(SCRIPT.format(method=method)))
    done = subprocess.run([sys.executable, "-W", "error", str(script)], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, timeout=LONG, check=False)
    assert (done.stdout, done.stderr) == ("True\n0\n", "")


@pytest.mark.parametrize("method", METHODS)
def test_child_of_the_standard_module(method: str) -> None:
    ctx = standard.get_context(method)
    lock, event = mp.Lock(), mp.Event()
    process = ctx.Process(target=acquire_and_set, args=(lock, event))
    process.start()
    assert event.wait(LONG)
    join(process)


def twice(number: int) -> int:
    return 2 * number


def test_standard_executor_with_a_context(ctx: Any) -> None:
    with ProcessPoolExecutor(2, mp_context=ctx) as executor:
        assert list(executor.map(twice, range(20), timeout=LONG)) == list(range(0, 40, 2))


def put_in(shared: Any, lock: Any) -> None:
    with lock:
        shared["child"] = True


def test_manager_of_a_context(ctx: Any) -> None:
    with ctx.Manager() as manager:
        shared, lock = manager.dict(), manager.Lock()
        process = ctx.Process(target=put_in, args=(shared, lock))
        process.start()
        join(process)
        with lock:
            assert shared.copy() == {"child": True}
        with manager.Pool(2) as pool:
            assert pool.map(twice, range(10)) == list(range(0, 20, 2))


def make_grandchild(ctx: Any, event: Any) -> None:
    lock = ctx.Lock()
    process = ctx.Process(target=acquire_and_set, args=(lock, event))
    process.start()
    join(process)


def test_grandchildren(ctx: Any) -> None:
    event = ctx.Event()
    process = ctx.Process(target=make_grandchild, args=(ctx, event))
    process.start()
    assert event.wait(LONG)
    join(process)
