# SPDX-License-Identifier: MIT
"""Queue, JoinableQueue and SimpleQueue: the interface of multiprocessing's, without locks.

A process that is killed while it puts, gets, or waits leaves the queue usable: an item is in the
queue whole or not at all, an item that the dead had taken or not yet sent is lost (`lost` counts
them), and its slot of a bounded queue is free again.  See _channel.py and _ledger.py.

Differences from multiprocessing's queues:

- put() pickles and sends at once if it can, in the calling thread; the feeder thread serves only
  what does not fit into the channel.  Errors of pickling go to _on_queue_feeder_error() as before.
- join() of a JoinableQueue counts as done what a dead process had taken.
- A queue uses three descriptors per process, a bounded one four, a large item in flight one more.
"""

from __future__ import annotations

import errno
import functools
import os
import select
import threading
import time
import traceback
import types
import weakref
from multiprocessing import context, util
from multiprocessing import queues as standard
from queue import Empty, Full
from typing import Any

from ._channel import ItemLost, Message, channel, in_one_step
from ._counter import Counter
from ._ledger import BUSY, DONES, GOTS, HELD, OPEN, OPS, PUTS, Ledger
from ._outlet import Outlet, dumps, end_feeder, join_feeder, loads
from ._simple import NoLock, SimpleQueue

__all__ = ["Queue", "JoinableQueue", "SimpleQueue", "Empty", "Full"]

# Bases only so that isinstance() finds them; nothing of theirs is used.
_StandardQueue: Any = standard.Queue
_StandardJoinableQueue: Any = standard.JoinableQueue
_UNBOUNDED = 2**31 - 1          # SEM_VALUE_MAX, the maxsize of a queue without one
_RECHECK_MIN_S = 0.02           # between looks for the dead while a queue stays full
_RECHECK_MAX_S = 0.5


class Queue(_StandardQueue):  # type: ignore[misc]
    """A queue with any number of putting and getting processes, first in, first out.

    maxsize: how many items may be in it; 0: any number.  ctx is the context, as for the standard
    class; nothing is taken from it.
    """

    _counts_open = False
    _rlock = _wlock = NoLock()

    def __init__(self, maxsize: int = 0, *, ctx: Any = None) -> None:
        bounded = 0 < maxsize < _UNBOUNDED
        self._maxsize = maxsize if bounded else _UNBOUNDED
        self._reader, self._writer = channel()
        self._slots = Counter(maxsize) if bounded else None
        self._ledger = Ledger()
        self._opid = os.getpid()
        self._ignore_epipe = False
        self._reset()
        util.register_after_fork(self, Queue._after_fork)

    def __getstate__(self) -> Any:
        context.assert_spawning(self)
        return (self._ignore_epipe, self._maxsize, self._reader, self._writer, self._slots,
                self._ledger, self._opid)

    def __setstate__(self, state: Any) -> None:
        (self._ignore_epipe, self._maxsize, self._reader, self._writer, self._slots,
         self._ledger, self._opid) = state
        self._reset()
        util.register_after_fork(self, Queue._after_fork)

    def _after_fork(self) -> None:
        self._ledger.after_fork()
        self._reset()

    def _reset(self) -> None:
        self._outlet = Outlet(self._writer, self._ledger, self._slots)
        self._thread: threading.Thread | None = None
        self._jointhread: Any = None
        self._joincancelled = False
        self._closed = False
        self._close: Any = None
        self._used = False

    # put

    def put(self, obj: Any, block: bool = True, timeout: float | None = None) -> None:
        """Append an item.  Full if the queue stays full for `timeout` seconds (or block=False)."""
        self._check_open()
        held: list[int] = []        # not empty while the row says HELD and no thread will send it
        try:
            if self._slots is None:
                row, ledger = self._ledger.row, self._ledger
                with ledger.lock:
                    row[PUTS] += 1
                    row[HELD] += 1
                    held.append(1)
            elif not self._take_slot(held, block, timeout):
                raise Full
            self._used = True
            self._put_held(obj, held)
        except BaseException:
            if held:
                self._outlet.drop()
            raise

    def _put_held(self, obj: Any, held: list[int]) -> None:
        """Send an item that has its slot, or give it to the feeder thread."""
        outlet = self._outlet
        item = obj
        try:
            if not outlet.unsent:
                item = Message(dumps(obj))
            with outlet.notempty:
                if not outlet.unsent and item is not obj:
                    try:
                        return outlet.send_now(item, held)
                    except BlockingIOError:
                        pass
                if self._thread is None:
                    self._start_thread()
                outlet.unsent += 1
                in_one_step(functools.partial(outlet.buffer.append, item), held.clear)
                outlet.notempty.notify()
        except Exception as e:
            if not held or self._ignore_epipe and getattr(e, "errno", 0) == errno.EPIPE:
                return
            held.clear()
            outlet.drop()
            self._on_queue_feeder_error(e, obj)

    def _try_slot(self, held: list[int]) -> bool:
        assert self._slots is not None
        row, ledger = self._ledger.row, self._ledger
        with ledger.lock:
            row[BUSY] = 1
            try:
                if self._slots.take():
                    row[PUTS] += 1
                    row[HELD] += 1
                    held.append(1)
            finally:
                row[OPS] += 1
                row[BUSY] = 0
        return bool(held)

    def _take_slot(self, held: list[int], block: bool, timeout: float | None) -> bool:
        assert self._slots is not None
        if self._try_slot(held):
            return True
        deadline = None if timeout is None else time.monotonic() + timeout
        if not block:
            deadline = 0.0
        recheck = _RECHECK_MIN_S
        while True:
            left = None if deadline is None else deadline - time.monotonic()
            if left is not None and left <= 0:
                return self._reclaim() > 0 and self._try_slot(held)
            if not self._slots.wait(recheck if left is None else min(left, recheck)):
                recheck = min(2 * recheck, _RECHECK_MAX_S)
                self._reclaim(recheck == _RECHECK_MAX_S)
            if self._try_slot(held):
                return True

    def _truth(self) -> tuple[int, int]:
        """What the kernel holds: items in the channel, free slots."""
        free = 0 if self._slots is None else self._slots.value()
        return self._reader.count(), free

    def _reclaim(self, always: bool = False) -> int:
        """Free the slots that no living process and no item in the channel accounts for.

        They belonged to the dead or, seldom (`always`), to a call that a signal handler ended.
        """
        if self._slots is None or self._slots.wait(0):
            return 0
        if not always and not self._ledger.has_dead():
            return 0
        try:
            with self._ledger.settling():
                now = self._ledger.snapshot(self._truth)
                items, free = now.truth
                missing: int = self._maxsize - items - free - now.held
                if now.exact and missing > 0:
                    self._slots.add(missing)
                    return missing
        except OSError as e:
            if e.errno not in (errno.EMFILE, errno.ENFILE):
                raise
            # Without a descriptor nothing can be found out; try again at the next look.
        return 0

    # get

    def get(self, block: bool = True, timeout: float | None = None) -> Any:
        """Take the oldest item.  Empty if none comes for `timeout` seconds (or block=False)."""
        self._check_open()
        deadline = None
        while True:
            try:
                return loads(self._receive())
            except BlockingIOError:
                pass
            if not block:
                raise Empty
            left = None
            if timeout is not None:
                now = time.monotonic()
                if deadline is None:
                    deadline = now + timeout
                left = deadline - now
            if not self._reader.wait(select.POLLIN, left):
                raise Empty

    def _receive(self) -> Any:
        row, ledger = self._ledger.row, self._ledger
        with ledger.lock:
            row[BUSY] = 1
            try:
                try:
                    payload = self._reader.receive_now()
                except ItemLost:
                    self._release_slot()
                    raise
                self._release_slot()
                row[GOTS] += 1
                if self._counts_open:
                    row[OPEN] += 1
            finally:
                row[OPS] += 1
                row[BUSY] = 0
        return payload

    def _release_slot(self) -> None:
        if self._slots is not None:
            self._slots.add()

    def get_nowait(self) -> Any:
        return self.get(False)

    def put_nowait(self, obj: Any) -> None:
        self.put(obj, False)

    # state

    @property
    def _buffer(self) -> Any:       # by the standard class's names, which others look at
        return self._outlet.buffer

    @property
    def _notempty(self) -> threading.Condition:
        return self._outlet.notempty

    def qsize(self) -> int:
        """How many items are in the queue or on their way into it."""
        now = self._ledger.snapshot(self._truth, tries=20)
        items: int = now.truth[0]
        return max(0, items + now.held)

    def empty(self) -> bool:
        """Is there nothing to get at this moment?"""
        return not self._reader.poll()

    def full(self) -> bool:
        """Would put() have to wait at this moment?"""
        return self._slots is not None and not self._slots.wait(0) and self._reclaim() <= 0

    @property
    def lost(self) -> int:
        """How many items were put that nobody will get, since the process that had them died.

        An estimate while other processes use the queue.
        """
        now = self._ledger.snapshot(self._truth)
        items: int = now.truth[0]
        return max(0, now.puts - now.gots - items - now.held)

    # the end

    def _check_open(self) -> None:
        if self._closed:
            raise ValueError(f"Queue {self!r} is closed")

    def close(self) -> None:
        """Put no more from this process; what was put is still sent."""
        self._closed = True
        close, self._close = self._close, None
        if close:
            close()
        elif self._used:
            self._reader.close()
            self._writer.close()

    def join_thread(self) -> None:
        """Wait until everything that was put is in the channel; only after close()."""
        assert self._closed, f"Queue {self!r} not closed"
        if self._jointhread:
            self._jointhread()

    def cancel_join_thread(self) -> None:
        """Let this process end before everything that it put is in the channel."""
        self._joincancelled = True
        if self._jointhread is not None:
            self._jointhread.cancel()

    def _terminate_broken(self) -> None:
        self._reader.close()
        self.close()
        self.join_thread()

    def _start_thread(self) -> None:
        outlet = self._outlet
        thread = threading.Thread(
            target=outlet.feed, name="QueueFeederThread", daemon=True,
            args=(self._reader, self._ignore_epipe, self._on_queue_feeder_error))
        thread.start()
        self._thread = thread
        if not self._joincancelled:
            self._jointhread = util.Finalize(
                thread, join_feeder, [weakref.ref(thread)], exitpriority=-5)
        self._close = util.Finalize(self, end_feeder, [outlet.buffer, outlet.notempty],
                                    exitpriority=10)

    @staticmethod
    def _on_queue_feeder_error(e: BaseException, obj: Any) -> None:
        """Called with what could not be pickled or sent."""
        traceback.print_exception(type(e), e, e.__traceback__)

    __class_getitem__: Any = classmethod(types.GenericAlias)


class JoinableQueue(Queue, _StandardJoinableQueue):  # type: ignore[misc]
    """A queue whose join() waits until task_done() was called for each item that was put.

    task_done() is for the process that took the item: what a process has taken and not done when
    it dies or ends counts as done, and as lost.
    """

    _counts_open = True

    def __init__(self, maxsize: int = 0, *, ctx: Any = None) -> None:
        Queue.__init__(self, maxsize, ctx=ctx)
        self._news = Counter()      # added to when perhaps nothing is left to be done

    def __getstate__(self) -> Any:
        return (*Queue.__getstate__(self), self._news)

    def __setstate__(self, state: Any) -> None:
        *rest, self._news = state
        Queue.__setstate__(self, rest)

    def _unfinished(self) -> tuple[int, bool]:
        """Items that are put and not done, and whether that is exact."""
        now = self._ledger.snapshot(self._truth)
        return max(0, now.truth[0] + now.held + now.open), now.exact

    def task_done(self) -> None:
        """An item that get() returned is done.  ValueError if all are."""
        row, ledger = self._ledger.row, self._ledger
        if row[OPEN] <= 0 and not self._unfinished()[0]:
            raise ValueError("task_done() called too many times")
        with ledger.lock:
            row[OPEN] -= 1
            row[DONES] += 1
            row[OPS] += 1
            last = row[OPEN] <= 0
        if last and not self._news.wait(0):
            self._news.add()

    def join(self) -> None:
        """Wait until all items are done."""
        recheck = _RECHECK_MIN_S
        while True:
            while self._news.take():
                pass
            unfinished, exact = self._unfinished()
            if exact and not unfinished:
                self._news.add()        # for the other processes that wait
                return
            if not self._news.wait(recheck):
                recheck = min(2 * recheck, _RECHECK_MAX_S)

    @property
    def lost(self) -> int:
        """How many items will never be done, since the process that had them died.

        An estimate while other processes use the queue.
        """
        now = self._ledger.snapshot(self._truth)
        items: int = now.truth[0]
        return max(0, now.puts - now.dones - items - now.held - max(0, now.open))
