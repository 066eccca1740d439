# SPDX-License-Identifier: MIT
"""python -m furwock, as a user runs it."""

from __future__ import annotations

import json
import os
import pathlib
import subprocess
import sys
from typing import Any, Iterator

import pytest

import furwock
import furwock.__main__
from victims import killed_after

NAME = f"/furwock-test-main-{os.getpid()}"


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Runs the module."""
    return subprocess.run([sys.executable, "-m", "furwock", *arguments], capture_output=True,
                          text=True, check=False, timeout=120)


@pytest.fixture(name="region")
def _region() -> Iterator[furwock.Region]:
    region = furwock.Region(NAME, size=1 << 18)
    yield region
    region.unlink()


def test_it_lists_regions(region: furwock.Region) -> None:
    with furwock.Mutex(region, "lock"):
        done = run()
    assert done.returncode == 0 and done.stderr == ""
    head, *lines = done.stdout.splitlines()
    assert head.split() == ["region", "bytes", "objects", "threads", "processes", "holders", "dead"]
    mine = [line.split() for line in lines if line.split()[0] == NAME]
    assert mine == [[NAME, str(1 << 18), "1", "1", "1", "1", "0"]]


def test_it_shows_holders_and_the_dead(region: furwock.Region) -> None:
    held, left = furwock.Mutex(region, "held"), furwock.Mutex(region, "left")
    shared = furwock.RWLock(region, "shared")
    semaphore, event = furwock.Semaphore(2, region=region, name="two"), furwock.Event(region, "e")
    permits = furwock.Permits(2, region, "permits")
    furwock.Barrier(3, region=region, name="meet")
    killed_after(left.acquire)
    event.set()
    semaphore.acquire()
    permits.acquire()
    with held, shared.read:
        assert run("regions", NAME, "--check").returncode == 3
        done = run("show", NAME)
        data = json.loads(run("show", "--json", NAME).stdout)
    assert done.returncode == 0
    me = os.getpid()
    for line in (f"  {'held':<20} {'mutex':<8} held", f"      {me} holds", f"      {me} reads",
                 f"  {'left':<20} {'mutex':<8} left by a dead holder",
                 f"  {'e':<20} {'data':<8} Python: event, set", f"      {me} has units",
                 f"      {me} has permit", f"  {'meet':<20} {'data':<8} Python: barrier"):
        assert line in done.stdout.splitlines(), done.stdout
    assert data["schema"] == "furwock-python-1"
    objects: dict[str, Any] = {o["name"]: o for o in data["regions"][0]["objects"]}
    assert objects["left"]["inside"][0]["liveness"] == "dead"
    assert objects["held"]["inside"][0]["process"] == me
    with left as grant:
        assert grant.owner_died
    assert run("--check").returncode in (0, 3)  # of other regions nothing is known
    assert run("regions", NAME, "--check").returncode == 0


def test_what_is_no_region(tmp_path: pathlib.Path) -> None:
    other = tmp_path / "other"
    other.write_bytes(b"\0" * 100000)
    for name, why in ((str(other), "zeroes"), ("/furwock-none-such", "No such file")):
        done = run("regions", name)
        assert done.returncode == 1 and why in done.stderr
    other.write_bytes(os.urandom(100000))
    assert run("show", str(other)).returncode == 1
    assert run("sing").returncode == 2


def test_a_region_with_garbage_does_no_harm(region: furwock.Region, tmp_path: pathlib.Path) -> None:
    for i in range(20):
        furwock.Permits(2, region, f"p{i}").acquire()
    memory = bytearray(pathlib.Path("/dev/shm" + NAME).read_bytes())
    for trial in range(30):
        damaged = bytearray(memory)
        for _ in range(400):
            at = int.from_bytes(os.urandom(4), "little") % (len(memory) - 4096) + 4096
            damaged[at] = os.urandom(1)[0]
        file = tmp_path / f"damaged{trial}"
        file.write_bytes(damaged)
        found = furwock.__main__.read_region(str(file))  # type: ignore[attr-defined]
        assert isinstance(found, dict)
