# SPDX-License-Identifier: MIT
"""What tests of killed processes share: children that are killed, and survivors that must go on."""

from __future__ import annotations

import contextlib
import mmap
import os
import random
import signal
import struct
import threading
import time
from typing import Callable, Iterator, Sequence

from children import wait_until  # noqa: F401  (also for those who use what is here)

Step = Callable[[], object]

# Reached only by a hang: the tests run beside a busy machine.
DEADLINE_S = 60.0


def child(function: Step) -> int:
    """Forks a child that runs the function and ends: 0, or 1 after an exception. Its pid."""
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            function()
            status = 0
        except BaseException:  # pylint: disable=broad-except
            import traceback  # pylint: disable=import-outside-toplevel
            traceback.print_exc()
        finally:
            os._exit(status)
    return pid


def kill(pid: int) -> None:
    """SIGKILL, and waits for the end."""
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)


def exit_code(pid: int) -> int:
    """Waits for the end of a child."""
    end = time.monotonic() + DEADLINE_S
    while time.monotonic() < end:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.002)
    kill(pid)
    raise AssertionError("a child hung")


def killed_after(function: Step) -> None:
    """Runs the function in a child that is killed when it has returned."""
    def body() -> None:
        function()
        os.kill(os.getpid(), signal.SIGKILL)
    assert exit_code(child(body)) == -signal.SIGKILL


@contextlib.contextmanager
def interrupts(ready: Step = lambda: None) -> Iterator[None]:
    """Raises KeyboardInterrupt once in the block, soon after ready() has returned in a thread."""
    pid, done, raised = os.getpid(), threading.Event(), threading.Event()

    def handle(*_: object) -> None:
        if not raised.is_set():
            raised.set()
            raise KeyboardInterrupt

    def interrupt() -> None:
        ready()
        while not done.wait(0.03):
            os.kill(pid, signal.SIGINT)

    before = signal.signal(signal.SIGINT, handle)
    thread = threading.Thread(target=interrupt)
    try:
        thread.start()
        yield
    finally:
        done.set()
        thread.join()
        signal.signal(signal.SIGINT, before)


class Words:
    """Words of 8 bytes in shared memory, each written by one process."""

    def __init__(self, count: int) -> None:
        self._memory = mmap.mmap(-1, 8 * count)

    def __getitem__(self, i: int) -> int:
        value: int = struct.unpack_from("Q", self._memory, 8 * i)[0]
        return value

    def __setitem__(self, i: int, value: int) -> None:
        struct.pack_into("Q", self._memory, 8 * i, value)


def _repeat(step: Step, words: Words, i: int) -> Step:
    def body() -> None:
        while True:
            step()
            words[i] = words[i] + 1
    return body


def storm(victim: Step, survivors: Sequence[Step], rounds: int, progress: int = 3) -> None:
    """Kills a child that repeats `victim`, at a random moment, `rounds` times.

    After each kill every survivor, which repeats its step, must do `progress` more. So must they
    in the end, beside a victim that is not killed.
    """
    words = Words(len(survivors) + 1)
    mine = len(survivors)
    pids = [child(_repeat(step, words, i)) for i, step in enumerate(survivors)]
    try:
        for n in range(rounds):
            words[mine] = 0
            pid = child(_repeat(victim, words, mine))
            try:
                wait_until(lambda: words[mine] > 0, f"the first step of victim {n}")
                time.sleep(random.random() * 0.004)
            finally:
                kill(pid)
            before = [words[i] for i in range(mine)]
            for i in range(mine):
                wait_until(lambda i=i: words[i] >= before[i] + progress,  # type: ignore[misc]
                           f"survivor {i} after kill {n}")
        pids.append(child(_repeat(victim, words, mine)))
        before = [words[i] for i in range(mine)]
        for i in range(mine):
            wait_until(lambda i=i: words[i] >= before[i] + 3,  # type: ignore[misc]
                       f"survivor {i} in the end")
    finally:
        for pid in pids:
            kill(pid)
