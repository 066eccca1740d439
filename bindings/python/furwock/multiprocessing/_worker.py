# SPDX-License-Identifier: MIT
"""One worker process of a pool or executor: what runs in it, and how its owner sees it.

Both sides use one pair of channels.  The owner keeps the worker's end, too, so that it can take
back tasks that the worker has not received.
"""

from __future__ import annotations

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
_PARENT_INTERVAL_MS = 1000  # where a process cannot wait for another one's end


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


class _Inbox:
    """Receives tasks until the owner is gone.

    The channel alone does not tell that it is gone: by fork, workers have copies of the other end.
    """

    def __init__(self, end: Duplex, owner: int) -> None:
        self._end = end
        self._poll = select.poll()
        self._poll.register(end, select.POLLIN)
        self._parent = os.getppid()
        self._interval: int | None = None
        self._owner = -1
        self.has_owner = True
        try:
            self._owner = os.pidfd_open(owner)
            self._poll.register(self._owner, select.POLLIN)
        except ProcessLookupError:      # it was killed before this process got so far
            self.has_owner = False
        except OSError:                 # no descriptors of processes: look at the parent
            self._interval = _PARENT_INTERVAL_MS
            self.has_owner = _exists(owner)

    def receive(self) -> Buffer:
        while True:
            try:
                return self._end.receive_now()
            except BlockingIOError:
                ready = self._poll.poll(self._interval)
            except (EOFError, ConnectionError):
                return _STOP
            if ([fd for fd, _ in ready] == [self._owner]
                    or not ready and os.getppid() != self._parent):
                util.debug("the pool's owner is gone; worker ends")
                return _STOP


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


def _send(end: Duplex, message: Message) -> None:
    while True:
        try:
            end.send_now(message)
            message.close()
            return
        except BlockingIOError as e:
            end.wait_writable(e)
        except ConnectionError:
            util.debug("the pool's owner is gone; worker ends")
            sys.exit(1)


def serve(end: Duplex, owner: int, initializer: Callable[..., Any] | None, initargs: Any,
          maxtasks: int | None, style_name: str) -> None:
    """The life of a worker."""
    style = _STYLES[style_name]
    inbox = _Inbox(end, owner)
    if not inbox.has_owner:
        util.debug("the pool's owner is gone; worker ends")
        return
    if initializer is not None:
        try:
            initializer(*initargs)
        except Exception as e:
            _send(end, _pack_result(
                READY_KEY, (False, style.with_traceback(e, e.__traceback__)), style))
            if style_name == EXECUTOR_STYLE:
                LOGGER.critical("Exception in initializer:", exc_info=True)
                sys.exit(1)
            raise
    _send(end, pack(READY_KEY, (True, None)))
    completed = 0
    while maxtasks is None or completed < maxtasks:
        payload = inbox.receive()
        if not len(payload):
            break
        key = key_of(payload)
        result = _run(payload, style)
        del payload
        _send(end, _pack_result(key, result, style))
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
