# SPDX-License-Identifier: MIT
"""One worker process of a pool or executor: what runs in it, and how its owner sees it.

Both sides use one pair of channels.  The owner keeps the worker's end, too, so that it can take
back tasks that the worker has not received.
"""

from __future__ import annotations

import errno
import io
import os
import select
import signal
import struct
import sys
import time
from concurrent.futures._base import LOGGER
from concurrent.futures.process import BrokenProcessPool, _ExceptionWithTraceback
from multiprocessing import util
from multiprocessing.pool import (  # type: ignore[attr-defined]
    ExceptionWithTraceback, MaybeEncodingError)
from multiprocessing.reduction import ForkingPickler
from typing import Any, Callable, NamedTuple

from ._channel import Buffer, Duplex, Message, duplex

_KEY = struct.Struct("<Q")
READY_KEY = 0               # of the message that says that the initializer has returned
_STOP = b""                 # the message that ends a worker
_OWNER_INTERVAL_MS = 1000   # where a process cannot wait for another one's end


class Call(NamedTuple):
    """A task: `func(*args, **kwds)`.  For a chunk of map(), args are the items of the chunk."""

    func: Any
    args: Any
    kwds: Any


class WorkerDied(BrokenProcessPool):
    """The process that ran the task ended before the task did.

    pid, task (a Call) and exitcode (negative: the signal that killed it; None: not known) say
    which.  Only this task is affected.  It is a BrokenProcessPool for code that expects that.
    """

    def __init__(self, pid: int, task: Any = None, exitcode: int | None = None) -> None:
        super().__init__(pid, task, exitcode)
        self.pid = pid
        self.task = task
        self.exitcode = exitcode

    def __str__(self) -> str:
        if self.exitcode is None:
            how = "ended"
        elif self.exitcode < 0:
            try:
                how = f"was killed by {signal.Signals(-self.exitcode).name}"
            except ValueError:
                how = f"was killed by signal {-self.exitcode}"
        else:
            how = f"exited with status {self.exitcode}"
        name = getattr(getattr(self.task, "func", None), "__qualname__", None) or "a task"
        return f"worker process {self.pid} {how} while it ran {name}"


class WorkersCannotStart(BrokenProcessPool):
    """Several workers in a row ended before they could run a task; __cause__ may say why."""


class ResultLost(BrokenProcessPool):
    """The task was done, but its result cannot be unpickled; __cause__ says why."""


class PoolTerminated(RuntimeError):
    """The pool was terminated before the task was done."""


def pack(key: int, obj: Any) -> Message:
    """A message: the key, then the pickled object."""
    buffer = io.BytesIO()
    buffer.write(_KEY.pack(key))
    ForkingPickler(buffer).dump(obj)
    return Message(buffer.getbuffer())


def key_of(payload: Buffer) -> int:
    return int(_KEY.unpack_from(payload)[0])


def unpack(payload: Buffer) -> Any:
    return ForkingPickler.loads(memoryview(payload)[_KEY.size:])


def _exists(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True


def _pidfd(pid: int) -> int:
    try:
        return os.pidfd_open(pid)
    except OSError:
        return -1


class _Owner:
    """The process of the owner, as a worker sees it.

    The channel does not tell that it is gone: by fork, workers have copies of the other end.
    """

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._is_child = os.getppid() == pid    # of a fork server: not
        self._fd = _pidfd(pid)
        self._pollers: dict[int, select.poll] = {}

    def is_gone(self) -> bool:
        """By ids: at once if it was the parent, else when it is reaped."""
        parent = os.getppid()
        if parent in (self._pid, 0):    # 0: it is in a pid namespace outside
            return False
        return self._is_child or not _exists(self._pid)

    def wait(self, end: Duplex, event: int) -> bool:
        """Wait until the worker's end is ready; False: the owner is gone."""
        poller = self._pollers.get(event)
        if poller is None:
            poller = self._pollers[event] = select.poll()
            poller.register(end, event)
            if self._fd >= 0:
                poller.register(self._fd, select.POLLIN)
        ready = poller.poll(None if self._fd >= 0 else _OWNER_INTERVAL_MS)
        return [fd for fd, _ in ready] != [self._fd] and (bool(ready) or not self.is_gone())


class Style(NamedTuple):
    """How a worker tells of exceptions: as multiprocessing's pools, or the executors, do."""

    caught: type[BaseException]         # others end the worker
    with_traceback: Callable[[BaseException, Any], Any]
    wrap_encoding_error: bool


POOL_STYLE, EXECUTOR_STYLE = "pool", "executor"
_STYLES = {
    POOL_STYLE: Style(Exception, ExceptionWithTraceback, True),
    EXECUTOR_STYLE: Style(BaseException, _ExceptionWithTraceback, False),
}


def _run(payload: Buffer, style: Style) -> tuple[bool, Any]:
    try:
        func, args, kwds = unpack(payload)
    except Exception as e:
        return False, style.with_traceback(e, e.__traceback__)
    try:
        return True, func(*args, **kwds)
    except style.caught as e:
        return False, style.with_traceback(e, e.__traceback__)


def _receive(end: Duplex, owner: _Owner) -> Buffer:
    while True:
        try:
            return end.receive_now()
        except BlockingIOError:
            if owner.wait(end, select.POLLIN):
                continue
            util.debug("the pool's owner is gone; worker ends")
            return _STOP
        except (EOFError, ConnectionError):
            return _STOP


def _send(end: Duplex, message: Message, owner: _Owner) -> None:
    while True:
        try:
            end.send_now(message)
            message.close()
            return
        except BlockingIOError as e:
            if e.errno == errno.EAGAIN:
                is_there = owner.wait(end, select.POLLOUT)
            else:
                end.wait_writable(e)
                is_there = not owner.is_gone()
            if is_there:
                continue
        except ConnectionError:
            pass
        util.debug("the pool's owner is gone; worker ends")
        sys.exit(1)


def serve(end: Duplex, owner_pid: int, initializer: Callable[..., Any] | None, initargs: Any,
          maxtasks: int | None, style_name: str) -> None:
    """The life of a worker."""
    style = _STYLES[style_name]
    owner = _Owner(owner_pid)
    if owner.is_gone():     # it was killed before this process got so far
        util.debug("the pool's owner is gone; worker ends")
        return
    if initializer is not None:
        try:
            initializer(*initargs)
        except Exception as e:
            _send(end, _pack_result(
                READY_KEY, (False, style.with_traceback(e, e.__traceback__)), style), owner)
            if style_name == EXECUTOR_STYLE:
                LOGGER.critical("Exception in initializer:", exc_info=True)
                sys.exit(1)
            raise
    _send(end, pack(READY_KEY, (True, None)), owner)
    completed = 0
    while maxtasks is None or completed < maxtasks:
        payload = _receive(end, owner)
        if not len(payload):
            break
        key = key_of(payload)
        result = _run(payload, style)
        del payload
        _send(end, _pack_result(key, result, style), owner)
        del result
        completed += 1
    util.debug("worker ends after %d tasks", completed)


def _pack_result(key: int, result: tuple[bool, Any], style: Style) -> Message:
    try:
        return pack(key, result)
    except style.caught as e:
        if style.wrap_encoding_error:
            return pack(key, (False, MaybeEncodingError(e, result[1])))
        return pack(key, (False, style.with_traceback(e, e.__traceback__)))


class Worker:
    """A worker as its owner sees it; guarded by the engine's lock."""

    def __init__(self, ctx: Any, args: tuple[Any, ...], name: str, daemon: bool) -> None:
        self.end, self.far_end = duplex()
        self.process = ctx.Process(target=serve, args=(self.far_end, os.getpid(), *args))
        self.process.name = self.process.name.replace("Process", name)
        self.process.daemon = daemon
        self.in_flight: dict[int, Any] = {}     # tasks by key, the oldest first
        self.ready = False
        self.stopping = False
        self.given = 0                          # tasks that it was ever given and not taken back
        self.last_event = time.monotonic()
        self.process.start()
        self.pid: int = self.process.pid
        # A sentinel stays silent while a child of the worker has inherited its other end.
        self.pidfd = _pidfd(self.pid)

    def take_back(self) -> Buffer | None:
        """A task that was given and not received."""
        try:
            return self.far_end.receive_now()
        except (EOFError, OSError):     # there is none, or no descriptor to receive it
            return None

    def stop(self) -> bool:
        """Tell it to end when it has done its tasks; False if it cannot be told now."""
        try:
            self.end.send_now(Message(_STOP))
        except BlockingIOError:
            return False
        except OSError:         # it is gone
            pass
        self.stopping = True
        return True

    def is_dead(self) -> bool:
        if self.pidfd < 0:
            return not self.process.is_alive()
        poller = select.poll()
        poller.register(self.pidfd, select.POLLIN)
        return bool(poller.poll(0))

    def exitcode(self) -> int | None:
        """After it has died: as of Process.exitcode; a fork server tells it a moment later."""
        self.process.join(5)
        code: int | None = self.process.exitcode
        return code

    def close(self) -> None:
        self.end.close()
        self.far_end.close()
        fd, self.pidfd = self.pidfd, -1
        if fd >= 0:
            os.close(fd)
