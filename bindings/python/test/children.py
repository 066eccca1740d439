# SPDX-License-Identifier: MIT
"""What the tests share: children by fork, and waiting for conditions."""

from __future__ import annotations

import os
import signal
import sys
import time
import traceback
from typing import Any, Callable, Optional

PATIENCE_S = 60.0  # only a hang takes that long


def wait_until(condition: Callable[[], Any], what: str = "the condition",
               patience: float = PATIENCE_S) -> None:
    """Return when the condition holds; fail if it never does."""
    deadline = time.monotonic() + patience
    pause = 0.0005
    while not condition():
        if time.monotonic() > deadline:
            raise AssertionError(f"{what}: not within {patience} s")
        time.sleep(pause)
        pause = min(pause * 1.5, 0.02)


class Child:
    """A forked child that runs a function, and can be waited for or killed."""

    def __init__(self, run: Callable[..., object], *args: Any) -> None:
        sys.stdout.flush()
        self.status: Optional[int] = None
        self.pid = os.fork()
        if self.pid == 0:
            code = 1
            try:
                run(*args)
                code = 0
            except BaseException:  # pylint: disable=broad-except
                traceback.print_exc()
            finally:
                sys.stderr.flush()
                os._exit(code)

    def kill(self) -> None:
        """kill -9, and reap."""
        os.kill(self.pid, signal.SIGKILL)
        self.status = os.waitpid(self.pid, 0)[1]

    def join(self) -> None:
        """Wait for it; it must have succeeded."""
        deadline = time.monotonic() + PATIENCE_S
        while self.status is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid == self.pid:
                self.status = status
            elif time.monotonic() > deadline:
                self.kill()
                raise AssertionError("a child hangs")
            else:
                time.sleep(0.001)
        assert self.status == 0, f"a child ended with status {self.status}"


class Pipe:
    """One byte at a time between processes: to say that something has happened."""

    def __init__(self) -> None:
        self.reader, self.writer = os.pipe()

    def tell(self) -> None:
        """Say it."""
        os.write(self.writer, b"x")

    def await_it(self) -> None:
        """Wait until it was said."""
        assert os.read(self.reader, 1) == b"x"

    def close(self) -> None:
        """Both ends."""
        os.close(self.reader)
        os.close(self.writer)
