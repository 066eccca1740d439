# SPDX-License-Identifier: MIT
"""furwock.lock, as scripts use it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from typing import Any, Iterator

import pytest
from children import Child, Pipe

import furwock


def die_holding(name: Any) -> int:
    def child() -> None:
        furwock.lock(name).acquire()
        os.kill(os.getpid(), signal.SIGKILL)

    it = Child(child)
    os.waitpid(it.pid, 0)
    return it.pid


@pytest.fixture(name="path")
def make_path(tmp_path: Any) -> Iterator[str]:
    yield str(tmp_path / "backup.lock")


def test_scripts_exclude_each_other(path: str) -> None:
    inside, go = Pipe(), Pipe()

    def holder() -> None:
        with furwock.lock(path):
            inside.tell()
            go.await_it()

    it = Child(holder)
    inside.await_it()
    lock = furwock.lock(path, timeout=0.02)
    with pytest.raises(TimeoutError, match=str(it.pid)):
        with lock:
            raise AssertionError("not reached")
    assert lock.acquire(blocking=False) is False and lock.locked()
    go.tell()
    it.join()
    with lock as grant:
        assert not grant.owner_died
    assert not lock.locked()


def test_a_death_is_told_until_it_is_repaired(path: str) -> None:
    pid = die_holding(path)
    with pytest.raises(KeyError):
        with furwock.lock(path) as grant:
            assert grant.owner_died and grant.process == pid
            raise KeyError
    lock = furwock.lock(path)
    grant = lock.acquire()
    assert isinstance(grant, furwock.Grant) and grant.owner_died
    lock.release()
    with lock as grant:
        assert grant.owner_died and grant.process == pid
    with lock as grant:
        assert not grant.owner_died
    pid = die_holding(path)
    grant = lock.acquire()
    assert isinstance(grant, furwock.Grant) and grant.process == pid
    grant.consistent()
    lock.release()
    with lock as grant:
        assert not grant.owner_died


@pytest.fixture(name="of_names")
def make_region_of_names(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Not that of the user who runs the tests: names stay there."""
    name = f"/furwock-pycore-{os.getpid()}"
    monkeypatch.setenv("FURWOCK_LOCKS", name)
    yield name
    furwock.Region(name, create=False).unlink()


def test_names_of_a_user(of_names: str) -> None:
    names = [f"furwock-pycore-{os.getpid()}", f"{'long name ' * 10}{os.getpid()}"]
    program = """if True:
        import os, signal, sys, furwock
        with furwock.lock(sys.argv[1]):
            print("has it", flush=True)
            signal.pause()
        """
    for name in names:
        with subprocess.Popen([sys.executable, "-c", program, name], stdout=subprocess.PIPE) as it:
            assert it.stdout is not None and it.stdout.readline() == b"has it\n"
            assert furwock.lock(name).acquire(blocking=False) is False
            assert furwock.lock(name + "2").acquire(blocking=False)
            furwock.lock(name + "2").release()
            it.kill()
        lock = furwock.lock(name, timeout=60)
        with lock as grant:
            assert grant.owner_died and grant.process == it.pid
        assert lock.mutex.region.name == of_names


def test_in_a_region_of_ones_own(tmp_path: Any) -> None:
    region = furwock.Region(tmp_path / "shared", size=1 << 16)
    with furwock.lock("jobs", region=region):
        assert furwock.Mutex(region, "jobs", on_death="repeat", create=False)._is_mine()
        with pytest.raises(furwock.Deadlock):
            furwock.lock("jobs", region=region).acquire()
        with furwock.lock("jobs", region=region, relock="count"):
            pass


def test_bad_names(tmp_path: Any) -> None:
    with pytest.raises(ValueError):
        furwock.lock("").acquire()
    with pytest.raises(FileNotFoundError):
        furwock.lock(tmp_path / "no" / "directory").acquire()
    with pytest.raises(furwock.NotHeld):
        furwock.lock(tmp_path / "x").release()
    data = tmp_path / "data"
    data.write_bytes(b"precious" * 100000)
    data.chmod(0o600)
    with pytest.raises(furwock.Error):
        furwock.lock(data).acquire()
    assert data.read_bytes() == b"precious" * 100000


def test_made_before_a_fork(path: str) -> None:
    lock = furwock.lock(path)

    def child() -> None:
        with lock:
            pass

    with lock:
        it = Child(child)
    it.join()
    Child(child).join()
