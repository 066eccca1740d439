# SPDX-License-Identifier: MIT
"""Options of the tests."""

from __future__ import annotations

import signal

import pytest

from furwock import _aio_watch
from furwock._furwock import _Watcher


def pytest_configure() -> None:
    """SIGINT is Python's, also where a shell in the background had it ignored."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_addoption(parser: pytest.Parser) -> None:
    """How many rounds the tests that kill processes at random make; what takes long."""
    parser.addoption("--storm", type=int, default=0, metavar="N",
                     help="rounds of the tests that kill at random (default: a few)")
    parser.addoption("--wheels", action="store_true",
                     help="build wheels, and test each in a clean environment of each CPython")
    parser.addoption("--packaging", action="store_true",
                     help="also build an sdist and a wheel of it, and install that (from PyPI)")


@pytest.fixture(name="storm")
def storm_rounds(request: pytest.FixtureRequest) -> int:
    """Rounds that were asked for; 0: none, the test has a number of its own."""
    return int(request.config.getoption("--storm"))


@pytest.fixture(name="engine", params=["uring", "thread"])
def fixture_engine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """How the kernel is asked."""
    monkeypatch.setenv("FURWOCK_LOOP_ENGINE", request.param)
    try:
        _Watcher()
    except OSError as error:
        pytest.skip(f"{request.param}: {error}")
    return str(request.param)


@pytest.fixture(name="no_rechecks")
def fixture_no_rechecks(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is not told is never found."""
    monkeypatch.setattr(_aio_watch, "_RECHECK_S", 1e6)
    monkeypatch.setattr(_aio_watch, "_FIRST_INTERVAL_S", 1e6)
    monkeypatch.setattr(_aio_watch, "_LONGEST_INTERVAL_S", 1e6)
