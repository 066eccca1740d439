# SPDX-License-Identifier: MIT
"""What each process that uses a queue has in hand, in memory that all of them share.

Each process has a row of words that it alone writes, under a lock of its own threads.  The kernel
holds the rest of the truth: how many items lie in the channel, how many slots are free.  Both are
read at one moment at which no living process is in the middle of an operation (`snapshot`), and
what the living cannot account for belonged to the dead.  Nothing is moved or undone after a death,
so a process that is killed while it repairs leaves nothing to repair.

    PID, START  the process; PID 0: the row is free.  START tells it from a later one of that pid.
    BUSY        1 while an operation changes a row and the kernel's counts together
    OPS         completed operations
    HELD        items that are put, but not yet in the channel
    OPEN        items that are taken, but not yet done (JoinableQueue)
    PUTS, GOTS, DONES   ever, by all processes that had this row
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import mmap
import os
import threading
import time
from collections.abc import Iterator
from typing import Any, Callable, NamedTuple

from ._descriptor import Descriptor
from ._spare import spare

PID, START, BUSY, OPS, HELD, OPEN, PUTS, GOTS, DONES = range(9)
ROW = 16                        # words; 128 bytes, so that two processes share no cache line
ROWS = 2048                     # processes at a time; the file is sparse
_USED, _CLAIMS = 0, 1           # words of row 0: rows that were ever used, claims made
_QUIET_WAIT_S = 0.0005          # far longer than an operation, or than a store takes to be seen
_SNAPSHOT_TRIES = 200

_fork_guard = threading.RLock()     # no fork while a thread has the claim file locked
os.register_at_fork(before=_fork_guard.acquire, after_in_parent=_fork_guard.release,
                    after_in_child=_fork_guard.release)


def _stat(pid: int) -> list[bytes]:
    """The fields of /proc/PID/stat after the command: state is 0, threads 17, start time 19."""
    with open(f"/proc/{pid}/stat", "rb") as file:
        return file.read().rpartition(b")")[2].split()


class _Self:
    """This process, as rows name it."""

    def __init__(self) -> None:
        self.set()
        os.register_at_fork(after_in_child=self.set)

    def set(self) -> None:
        self.pid = os.getpid()
        self.start = int(_stat(self.pid)[19])


_self = _Self()


def is_alive(pid: int, start: int) -> bool:
    """Does this process run?  A zombie does not; what cannot be found out counts as alive."""
    if pid == _self.pid:
        return start == _self.start
    try:
        fields = _stat(pid)
    except (FileNotFoundError, ProcessLookupError):
        return False
    except OSError:
        return True
    if int(fields[19]) != start:
        return False
    # The first thread may end before the others.
    return fields[0] not in (b"Z", b"X") or int(fields[17]) > 1


class Snapshot(NamedTuple):
    """Sums over the rows at one moment, and what `truth` returned at that moment."""

    exact: bool         # False: processes were busy all the time, so this is an estimate
    truth: Any
    held: int           # by living processes
    open: int           # by living processes, less what others have done for them
    puts: int
    gots: int
    dones: int
    dead: int           # rows of processes that are gone


class Ledger(Descriptor):
    """The rows of one queue.  `lock` guards this process's row; hold it only for a moment."""

    def __init__(self, fd: int = -1) -> None:
        if fd < 0:
            fd = os.memfd_create("furwock-queue", os.MFD_CLOEXEC)
            os.ftruncate(fd, (ROWS + 1) * ROW * 8)
        self._fd = fd
        self._map = mmap.mmap(fd, (ROWS + 1) * ROW * 8)
        self.words = memoryview(self._map).cast("q")
        self.after_fork()

    def after_fork(self) -> None:
        """A forked child has neither its parent's row nor its lock."""
        self.lock = threading.Lock()
        self._row: memoryview | None = None
        self._owner = 0

    @property
    def row(self) -> memoryview:
        """The words of this process."""
        if self._row is None or self._owner != _self.pid:
            with self._claiming():
                self._claim()
        assert self._row is not None
        return self._row

    @contextlib.contextmanager
    def _claiming(self) -> Iterator[None]:
        """One process at a time; the kernel ends it with the process."""
        with _fork_guard:
            # A description of its own, as a lock of a shared one would be every process's.
            path = f"/proc/self/fd/{self._fd}"
            try:
                fd = os.open(path, os.O_RDWR | os.O_CLOEXEC)
            except OSError as e:
                if e.errno != errno.EMFILE:
                    raise
                with spare.lent("to begin to use a queue"):
                    fd = os.open(path, os.O_RDWR | os.O_CLOEXEC)
            try:
                fcntl.flock(fd, fcntl.LOCK_EX)
                yield
            finally:
                fcntl.flock(fd, fcntl.LOCK_UN)
                os.close(fd)
                with contextlib.suppress(OSError):
                    spare.reserve()

    def _claim(self) -> None:
        words = self.words
        if self._row is not None and self._owner == _self.pid:
            return
        used = words[_USED]
        index = used + 1
        if index > 8 or index > ROWS:       # look for the rows of the dead once there are some
            for i in range(1, used + 1):
                base = i * ROW
                if not is_alive(words[base + PID], words[base + START]):
                    index = i
                    break
        if index > ROWS:
            raise OSError(f"more than {ROWS} processes use one queue")
        self._claims_even()
        words[_CLAIMS] += 1
        row = words[index * ROW:(index + 1) * ROW]
        row[PID] = 0
        row[BUSY] = row[HELD] = 0
        row[OPEN] = min(row[OPEN], 0)       # what was done for others stays done
        row[START] = _self.start
        row[PID] = _self.pid
        words[_USED] = max(used, index)
        words[_CLAIMS] += 1
        self._row, self._owner = row, _self.pid

    def _claims_even(self) -> None:
        """Complete the claim of a process that died within it; its row counts as free or dead."""
        self.words[_CLAIMS] += self.words[_CLAIMS] % 2

    @contextlib.contextmanager
    def settling(self) -> Iterator[None]:
        """Only one process at a time acts upon a snapshot."""
        with self._claiming():
            self._claims_even()
            yield

    def has_dead(self) -> bool:
        """Did a process die (or end) that has a row?"""
        words = self.words
        return any(words[base] and not is_alive(words[base], words[base + START])
                   for base in range(ROW, (words[_USED] + 1) * ROW, ROW))

    def snapshot(self, truth: Callable[[], Any], tries: int = _SNAPSHOT_TRIES) -> Snapshot:
        """Sum the rows, and call `truth`, while no living process is within an operation."""
        words = self.words
        while True:
            tries -= 1
            if words[_CLAIMS] % 2:
                with self._claiming():
                    self._claims_even()
            claims, used = words[_CLAIMS], words[_USED]
            rows = [words[i * ROW:i * ROW + ROW].tolist() for i in range(1, used + 1)]
            alive = [bool(r[PID]) and is_alive(r[PID], r[START]) for r in rows]
            quiet = not any(r[BUSY] and a for r, a in zip(rows, alive))
            value = truth()
            if quiet:
                for i, row in enumerate(rows):
                    now = words[(i + 1) * ROW:(i + 2) * ROW].tolist()
                    quiet = quiet and (now == row or not alive[i])
                quiet = quiet and claims == words[_CLAIMS] and not claims % 2
            if quiet or tries <= 0:
                return self._sum(quiet, value, rows, alive)
            time.sleep(_QUIET_WAIT_S)

    @staticmethod
    def _sum(exact: bool, truth: Any, rows: list[list[int]], alive: list[bool]) -> Snapshot:
        living = [r for r, a in zip(rows, alive) if a]
        return Snapshot(
            exact, truth,
            held=sum(r[HELD] for r in living),
            open=sum(r[OPEN] for r in living)
            + sum(min(r[OPEN], 0) for r, a in zip(rows, alive) if not a),
            puts=sum(r[PUTS] for r in rows), gots=sum(r[GOTS] for r in rows),
            dones=sum(r[DONES] for r in rows), dead=alive.count(False))
