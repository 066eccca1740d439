# SPDX-License-Identifier: MIT
"""Objects on their way to other processes: by spawning, by pickle, by name."""

from __future__ import annotations

import gc
import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
from typing import Any, Iterator, List

import pytest
from children import Child, wait_until

import furwock

METHODS = ["spawn", "forkserver", "fork"]


def die_holding(lock: furwock.Mutex) -> None:
    """In a child."""
    lock.acquire()
    os.kill(os.getpid(), signal.SIGKILL)


def use_both(locks: List[furwock.Mutex], rwlock: furwock.RWLock, once: furwock.Once) -> None:
    """In a child: they are those of the parent, which holds the first one."""
    assert locks[0].acquire(timeout=0) is False and locks[0].locked()
    with locks[1], rwlock.write:
        assert locks[1].generation == 2
    assert once.call(int)
    assert furwock.default_region().key == locks[0].region.key
    assert locks[0].region.is_default


def say_bye(lock: furwock.Mutex) -> None:
    """In a child, which is the only one that still has it."""
    with lock:
        pass


class Labelled(furwock.Mutex):
    """A derived class with an attribute."""

    label = ""


def check_label(lock: Labelled) -> None:
    """In a child."""
    assert type(lock) is Labelled and lock.label == "jobs"
    with lock, lock:
        pass


@pytest.mark.parametrize("method", METHODS)
def test_to_a_child(method: str) -> None:
    context: Any = multiprocessing.get_context(method)
    locks, rwlock, once = [furwock.Mutex() for _ in range(2)], furwock.RWLock(), furwock.Once()
    with locks[1]:
        pass
    with locks[0]:
        process = context.Process(target=use_both, args=(locks, rwlock, once))
        process.start()
        process.join()
        assert process.exitcode == 0
    assert once.done
    process = context.Process(target=die_holding, args=(locks[0],))
    process.start()
    process.join()
    with locks[0] as grant:
        assert grant.owner_died and grant.process == process.pid


@pytest.mark.parametrize("method", METHODS)
def test_the_parent_drops_it(method: str) -> None:
    """Also while the child is only being started."""
    region = furwock.default_region()
    gc.collect()
    before = region.slots[0]
    context: Any = multiprocessing.get_context(method)
    processes = []
    for _ in range(5):
        process = context.Process(target=say_bye, args=(furwock.Mutex(),))
        process.start()
        processes.append(process)
    for process in processes:
        process.join()
        assert process.exitcode == 0
    processes.clear()
    del process

    def all_free() -> bool:
        gc.collect()
        region.collect()
        return region.slots[0] <= before

    wait_until(all_free, "the slots are free")


def test_a_derived_class() -> None:
    context = multiprocessing.get_context("spawn")
    lock = Labelled(relock="count")
    lock.label = "jobs"
    process = context.Process(target=check_label, args=(lock,))
    process.start()
    process.join()
    assert process.exitcode == 0


def test_pickling_is_for_children_only() -> None:
    for obj in (furwock.Mutex(), furwock.RWLock(), furwock.Once(), furwock.default_region()):
        with pytest.raises(RuntimeError, match="inheritance"):
            pickle.dumps(obj)


@pytest.fixture(name="named")
def make_named(tmp_path: Any) -> Iterator[furwock.Region]:
    region = furwock.Region(tmp_path / "locks", size=1 << 16)
    yield region


def test_pickling_by_name(named: furwock.Region) -> None:
    lock = furwock.Mutex(named, "jobs", on_death="consistent", relock="count")
    again = pickle.loads(pickle.dumps(lock))
    with lock:
        assert again._is_mine() and again.name == "jobs" and again.region.name == named.name
        assert again.handle == lock.handle
    anonymous = furwock.Mutex(named)
    with pytest.raises(RuntimeError):
        pickle.dumps(anonymous)
    assert furwock.Mutex._from_handle(anonymous.handle).handle == anonymous.handle


def test_unrelated_processes(named: furwock.Region) -> None:
    program = """if True:
        import os, signal, sys, furwock
        lock = furwock.Mutex(furwock.Region(sys.argv[1], create=False), "jobs")
        lock.acquire()
        if sys.argv[2] == "die":
            os.kill(os.getpid(), signal.SIGKILL)
        lock.release()
        """
    lock = furwock.Mutex(named, "jobs")
    for how, code in (("end", 0), ("die", -signal.SIGKILL)):
        it = subprocess.run([sys.executable, "-c", program, str(named.name), how], check=False)
        assert it.returncode == code
    with lock as grant:
        assert grant.owner_died and grant.generation == 2


def test_regions(tmp_path: Any) -> None:
    path = tmp_path / "region"
    with pytest.raises(FileNotFoundError):
        furwock.Region(path, create=False)
    region = furwock.Region(path, size=1 << 16)
    assert region.name == str(path) and region.size == 1 << 16 and not region.is_default
    assert (path.stat().st_mode & 0o777) == 0o600
    with pytest.raises(FileExistsError):
        furwock.Region(path, exclusive=True)
    path.chmod(0o666)
    with pytest.raises(PermissionError):
        furwock.Region(path)
    region.unlink()
    with pytest.raises(FileNotFoundError):
        region.unlink()
    path.write_bytes(b"no region" * 10000)
    path.chmod(0o600)
    with pytest.raises(furwock.CorruptRegion):
        furwock.Region(path, size=1 << 16)
    for bad in ("", "name", None):
        with pytest.raises((ValueError, TypeError)):
            furwock.Region(bad)  # type: ignore[arg-type]


def test_data_is_shared(named: furwock.Region) -> None:
    view = named.data("totals", 16).cast("q")

    def child() -> None:
        view[1] += 7

    Child(child).join()
    assert list(named.data("totals", 16, create=False).cast("q")) == [0, 7]
    with pytest.raises(furwock.Error):
        named.data("nothing", 16, create=False)


def test_regions_are_closed(tmp_path: Any) -> None:
    """More than a process may have open at a time."""
    for i in range(40):
        region = furwock.Region(tmp_path / str(i), size=1 << 16)
        lock = furwock.Mutex(region, "x")
        other = furwock.Mutex(region)
        with lock, other:
            pass
        del region, lock, other
        gc.collect()
