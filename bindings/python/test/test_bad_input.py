# SPDX-License-Identifier: MIT
"""Arguments that no object can have get an exception that names the cause, and crash nothing."""

from __future__ import annotations

import contextlib
import errno
import os
import pathlib
import signal
import subprocess
import sys
from typing import Any, Callable

import pytest

import furwock

CLASSES: list[Callable[..., Any]] = [
    furwock.Mutex, furwock.RWLock, furwock.Once, furwock.Event, furwock.Semaphore,
    lambda **names: furwock.Permits(2, **names), furwock.Condition,
    lambda **names: furwock.Barrier(2, **names)]


@pytest.fixture(name="region")
def a_region(tmp_path: pathlib.Path) -> furwock.Region:
    """A region for names."""
    return furwock.Region(tmp_path / "region", size=1 << 18)


@pytest.mark.parametrize("name", [1, object(), b"name", ["name"]])
@pytest.mark.parametrize("make", CLASSES)
def test_a_name_is_a_str(make: Callable[..., Any], name: object, region: furwock.Region) -> None:
    """Also that from which a condition makes the name of its lock."""
    with pytest.raises(TypeError, match="name is a str or None"):
        make(region=region, name=name)
    with pytest.raises(TypeError, match="name is a str or None"):
        make(name=name)


@pytest.mark.parametrize("name", ["", "a\0b", "\0", "x" * 40, "é" * 20])
@pytest.mark.parametrize("make", CLASSES)
def test_a_name_is_taken_whole_or_not(make: Callable[..., Any], name: str,
                                      region: furwock.Region) -> None:
    """A zero byte would end it, and two objects have one name."""
    with pytest.raises(ValueError, match="1 to 39 bytes in UTF-8"):
        make(region=region, name=name)


@pytest.mark.parametrize("state", [None, 1, [], "x", {}])
@pytest.mark.parametrize("make", [furwock.Condition, lambda: furwock.Barrier(2)])
def test_a_state_is_a_tuple(make: Callable[[], Any], state: object) -> None:
    """Not SystemError."""
    with pytest.raises(TypeError):
        make().__setstate__(state)


@pytest.mark.parametrize("make", [
    furwock.Mutex, lambda **names: furwock.RWLock(**names).write])
def test_a_repair_that_releases_the_lock(make: Callable[..., Any]) -> None:
    """The caller of acquire does not hold it then, and is told so."""
    lock = make(on_death=lambda grant: lock.release())
    pid = os.fork()
    if pid == 0:
        lock.acquire()
        os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(pid, 0)
    with pytest.raises(furwock.Error):
        lock.acquire()
    with pytest.raises(furwock.LockLost):
        lock.acquire()


def test_a_class_of_two_bases() -> None:
    """Its instances would be used as what they are not."""
    both = type("Both", (furwock.Mutex, furwock.Event), {})
    with pytest.raises(TypeError, match="several classes of furwock"):
        both()


def test_too_many_regions(tmp_path: pathlib.Path) -> None:
    """It is said that it may be the regions that are too many, not the descriptors."""
    regions = []
    with pytest.raises(furwock.Error, match="as many regions open as it may") as error:
        for i in range(17):
            regions.append(furwock.Region(tmp_path / str(i), size=65536))
    assert error.value.errno == errno.EMFILE
    regions.pop()
    assert furwock.Region(tmp_path / "last", size=65536)


FULL = """
import furwock
try:
    furwock.Region("/full", size=1 << 20)
except OSError as error:
    print(error)
"""


def test_a_full_file_system_is_not_a_full_region() -> None:
    """In a mount namespace of its own, whose /dev/shm has 64 KiB."""
    mount = ["unshare", "-m", "sh", "-c",
             'mount -t tmpfs -o size=65536 none /dev/shm && exec "$@"', "sh"]
    with contextlib.suppress(OSError):
        if subprocess.run([*mount, "true"], capture_output=True, check=False).returncode == 0:
            told = subprocess.run([*mount, sys.executable, "-c", FULL], capture_output=True,
                                  text=True, check=True).stdout
            assert "No space left on device: '/full'" in told
            return
    pytest.skip("needs mount namespaces")
