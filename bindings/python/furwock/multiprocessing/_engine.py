# SPDX-License-Identifier: MIT
"""Runs tasks in worker processes, and knows which worker has which task.

Two threads: the feeder takes tasks from sequences and pickles them, the watcher receives results,
notices deaths and starts workers.  Each task is sent to a chosen worker over that worker's own
channel.  Short tasks are sent ahead, up to DEPTH per worker; a worker that has nothing to do gets
those that another one has not yet received, so nothing waits behind a long task.

A worker receives one task after the other, and its results come in that order.  So when it has
died, its results and the tasks that it has not received are still in its channels, and what is in
neither died with it.
"""

from __future__ import annotations

import collections
import select
import threading
import time
from multiprocessing import util
from typing import Any, Callable

from ._channel import Buffer, Message
from ._counter import Counter
from ._dispatch import Dispatcher
from ._task import Task, deliver, report
from ._worker import (READY_KEY, PoolTerminated, ResultLost, Worker, WorkerDied,
                      WorkersCannotStart, key_of, unpack)

AHEAD = 16                  # tasks per worker that are pickled before a worker can have them
START_FAILURES = 3          # in a row, after which no further worker is started
START_KILLS = 30            # the same, for workers that were killed by a signal
RESTART_WAIT_S = 0.1        # before another try, when a process cannot be started
TERMINATE_S = 2.0           # that workers have between SIGTERM and SIGKILL
RETRY_S = 0.005             # while no descriptor is free
POLL_LIMIT_S = 1.0          # between looks at what should have been seen anyway

RUN, CLOSE, TERMINATE = "RUN", "CLOSE", "TERMINATE"


class Engine(Dispatcher):
    """The state that both threads share; it has no reference to the pool or executor."""

    def __init__(self, ctx: Any, processes: int, args: tuple[Any, ...], maxtasks: int | None,
                 name: str, daemon: bool = True) -> None:
        self.ctx, self.processes, self.args = ctx, processes, args
        self.name, self.daemon = name, daemon
        super().__init__(maxtasks, AHEAD * processes // 2)
        self.state = RUN
        self.broken: BaseException | None = None
        self.ended: list[Any] = []                      # processes, after terminate()
        self.sequences: collections.deque[Any] = collections.deque()
        self.feeding = False                            # the feeder is within a sequence
        self.start_failures = 0
        self.start_error: BaseException | None = None
        self.next_start = 0.0
        self.wake = Counter()
        self.epoll = select.epoll()
        self.epoll.register(self.wake, select.EPOLLIN)
        self.by_fd: dict[int, tuple[Worker, bool]] = {}
        self.feeder = threading.Thread(target=self._feed, name="PoolFeeder", daemon=True)
        self.watcher = threading.Thread(target=self._watch, name="PoolWatcher", daemon=True)

    def start(self) -> None:
        """Start the workers and threads; an error of the first start is the caller's."""
        try:
            self.start_workers()
        except BaseException:
            self.terminate()
            raise
        self.feeder.start()
        self.watcher.start()

    # workers

    def start_workers(self) -> None:
        while len(self.workers) < self.processes and self.state != TERMINATE and not self.broken:
            worker = Worker(self.ctx, self.args, self.name, self.daemon)
            with self.lock:
                self.workers.append(worker)
                self.by_fd[worker.end.fileno()] = worker, False
                self.epoll.register(worker.end, select.EPOLLIN)
                watched = worker.pidfd if worker.pidfd >= 0 else worker.process.sentinel
                self.by_fd[watched] = worker, True
                self.epoll.register(watched, select.EPOLLIN)

    # the feeder

    def put_sequence(self, tasks: Any, finished: Callable[[], None] | None) -> None:
        """Run the Tasks of an iterable; it is iterated by the feeder, no faster than needed."""
        with self.lock:
            self.sequences.append((tasks, finished))
            self.changed.notify()

    def submit(self, task: Task) -> None:
        """Run one task; at once, by this thread, if no other waits."""
        with self.lock:
            direct = not self.sequences and not self.feeding and self._wants_more()
            if direct:
                self.feeding = True         # this thread takes the feeder's part
            else:
                self.put_sequence((task,), None)
        if direct:
            try:
                self._add(task)
            finally:
                with self.lock:
                    self.feeding = False
                    self.changed.notify()

    def _wants_more(self) -> bool:
        return len(self.pickled) < AHEAD * self.processes or self.broken is not None

    def _add(self, task: Task) -> None:
        try:
            task.pickle()
        except Exception as e:
            if task.begin is None or task.begin():
                deliver(task, False, e)
            return
        with self.lock:
            broken = self.broken
            if broken is None:
                self.pickled.append(task)
                self.dispatch()
        if broken is not None and (task.begin is None or task.begin()):
            deliver(task, False, broken)

    def _feed(self) -> None:
        while True:
            with self.lock:
                while not self.sequences or self.feeding:
                    if self.state == TERMINATE:
                        return
                    if self.state == CLOSE and not self.sequences and not self.feeding:
                        self.wake.add()
                        return
                    self.changed.wait()
                tasks, finished = self.sequences.popleft()
                self.feeding = True
            try:
                if not self._feed_all(tasks):
                    return
                if finished is not None:
                    finished()
            except Exception:
                report()
            tasks = finished = None     # keep nothing of the user's alive while waiting
            with self.lock:
                self.feeding = False

    def _feed_all(self, tasks: Any) -> bool:
        for task in tasks:
            with self.lock:
                if not self._wants_more():      # then do some at once, and sleep less often
                    while len(self.pickled) > self.low_water and self.state != TERMINATE:
                        self.changed.wait()
                if self.state == TERMINATE:
                    return False
            self._add(task)
            del task
        return True

    # the watcher

    def _watch(self) -> None:
        while self.state != TERMINATE:
            try:
                if self.state == CLOSE and self._is_finished() and self._end_workers():
                    return
                self._watch_once()
            except Exception:
                report()
                time.sleep(RESTART_WAIT_S)

    def _watch_once(self) -> None:
        timeout = POLL_LIMIT_S
        if len(self.workers) < self.processes and not self._is_finished():
            timeout = self._replace_workers()
        for fd, _ in self.epoll.poll(timeout):
            if fd == self.wake.fileno():
                while self.wake.take():
                    pass
                continue
            worker, died = self.by_fd.get(fd, (None, False))
            if worker is None:
                continue
            if not died:
                self._receive(worker)
            elif worker.is_dead():
                self._reap(worker)
        with self.lock:
            if self.pickled:        # what could not be sent may be sent now
                self.dispatch()

    def _is_finished(self) -> bool:
        with self.lock:
            return (self.state == CLOSE and not self.sequences and not self.feeding
                    and not self.pickled and not any(w.in_flight for w in self.workers))

    def _end_workers(self) -> bool:
        """Tell all workers to end; True when they have."""
        with self.lock:
            for worker in self.workers:
                if not worker.stopping:
                    worker.stop()
            return not self.workers

    def _replace_workers(self) -> float:
        """Start what is missing; returns how long to wait before the next look."""
        if time.monotonic() >= self.next_start:
            try:
                self.start_workers()
                return POLL_LIMIT_S
            except Exception as e:
                util.info("cannot start a worker: %s", e)
                self.next_start = time.monotonic() + RESTART_WAIT_S
                if not self.workers:
                    self._count_failure(1, e)
        return RESTART_WAIT_S

    def _receive(self, worker: Worker) -> bool:
        """Take all results that a worker has sent; False if they cannot be taken now."""
        while True:
            try:
                payload = worker.end.receive_now()
            except BlockingIOError:
                return True
            except (EOFError, OSError) as e:    # no descriptor is free: later
                util.debug("cannot receive a result now: %s", e)
                time.sleep(RETRY_S)
                return False
            key = key_of(payload)
            if key == READY_KEY:
                self._welcome(worker, payload)
                continue
            with self.lock:
                task = worker.in_flight.pop(key, None)
                now = time.monotonic()
                self.service_s += (now - worker.last_event - self.service_s) / 8
                worker.last_event = now
                self.dispatch()
            try:
                ok, value = unpack(payload)
            except BaseException as e:      # SystemExit, too: this thread goes on
                ok, value = False, ResultLost(f"the result cannot be unpickled: {e!r}")
                value.__cause__ = e
            if task is not None:
                deliver(task, ok, value)
            del payload, task, value

    def _welcome(self, worker: Worker, payload: Buffer) -> None:
        try:
            ok, error = unpack(payload)
        except BaseException as e:
            ok, error = False, e
        if not ok:
            self.start_error = error
            return
        with self.lock:
            worker.ready = True
            self.start_failures = 0
            self.dispatch()

    def _reap(self, worker: Worker) -> None:
        """A worker has ended: its results, what goes to others, and what died with it."""
        if not self._receive(worker):
            return
        exitcode = worker.exitcode()
        with self.lock:
            for fd in [fd for fd, (w, _) in self.by_fd.items() if w is worker]:
                del self.by_fd[fd]
                self.epoll.unregister(fd)
            self.workers.remove(worker)
            back = []
            while (task := self._take_back(worker)) is not None:
                back.append(task)
            died = list(worker.in_flight.values())
            worker.in_flight.clear()
            worker.close()
            for task in [t for t in died if t.tries > 1]:
                task.tries -= 1
                task.message = Message(task.payload)
                died.remove(task)
                back.insert(0, task)
            self.pickled.extendleft(reversed(back))
        if not worker.ready:
            self._count_failure(START_FAILURES if exitcode is None or exitcode < 0 else
                                START_KILLS, None)
        for task in died:
            deliver(task, False, WorkerDied(worker.pid, task.call, exitcode))
        with self.lock:
            self.dispatch()

    def _count_failure(self, weight: int, cause: BaseException | None) -> None:
        """Give up when no worker can be started, rather than try without end."""
        self.start_error = cause or self.start_error
        self.start_failures += weight
        if self.start_failures < START_FAILURES * START_KILLS or self.state == TERMINATE:
            return
        broken = WorkersCannotStart("several workers in a row ended before they could run a task"
                                    + (f": {self.start_error!r}" if self.start_error else ""))
        broken.__cause__ = self.start_error
        self.fail_all(broken)

    def fail_all(self, error: BaseException) -> None:
        """Every task that is not done, and any later one, fails with this error."""
        with self.lock:
            self.broken = error
            tasks = [t for w in self.workers for t in w.in_flight.values()] + list(self.pickled)
            for worker in self.workers:
                worker.in_flight.clear()
            self.pickled.clear()
            self.changed.notify()
        for task in tasks:
            if task.begin is None or task.begin():
                deliver(task, False, error)

    # the end

    def close(self) -> None:
        """No more tasks; the workers end when all are done."""
        with self.lock:
            if self.state == RUN:
                self.state = CLOSE
            self.changed.notify()
        self.wake.add()

    def terminate(self) -> None:
        """End the workers now; returns within a few seconds whatever they do."""
        with self.lock:
            self.state = TERMINATE
            self.changed.notify_all()
        self.wake.add()
        until = time.monotonic() + TERMINATE_S
        self._join(self.watcher, TERMINATE_S)
        with self.lock:
            workers = list(self.workers)
        for worker in workers:
            worker.process.terminate()
        for worker in workers:
            worker.process.join(max(0, until - time.monotonic()))
            if worker.process.exitcode is None:
                worker.process.kill()
                worker.process.join(TERMINATE_S)
        self.fail_all(PoolTerminated("the pool was terminated before the task was done"))
        self._join(self.feeder, 0.1)        # it may be in an iterator of the user
        with self.lock:
            self.ended = [worker.process for worker in self.workers]
            for worker in self.workers:
                worker.close()
            self.workers.clear()

    @staticmethod
    def _join(thread: threading.Thread, timeout: float | None) -> None:
        if thread is not threading.current_thread() and thread.ident is not None:
            thread.join(timeout)

    def join(self) -> None:
        """After close() or terminate(): wait until the threads and workers have ended."""
        self._join(self.watcher, TERMINATE_S if self.state == TERMINATE else None)
        self._join(self.feeder, 0.1 if self.state == TERMINATE else None)
