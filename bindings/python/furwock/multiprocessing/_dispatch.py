# SPDX-License-Identifier: MIT
"""Which worker gets which task."""

from __future__ import annotations

import collections
import threading
import time

from ._channel import Message
from ._task import Task, deliver
from ._worker import Worker, key_of

DEPTH = 3                   # short tasks in a worker's hands
SHORT_S = 0.002             # a task is short if it takes less than that, on average


class Dispatcher:
    """The pickled tasks and the workers; `lock` guards both."""

    def __init__(self, maxtasks: int | None, low_water: int) -> None:
        self.low_water = low_water                      # pickled tasks, below which more are wanted
        self.lock = threading.RLock()
        self.changed = threading.Condition(self.lock)   # there is less to do, or more to feed
        self.maxtasks = maxtasks
        self.workers: list[Worker] = []
        self.pickled: collections.deque[Task] = collections.deque()
        self.service_s = SHORT_S                        # average time of a task

    def _capacity(self, worker: Worker, depth: int) -> int:
        """How many more tasks it may be given."""
        if worker.stopping:
            return 0
        room = (depth if worker.ready else 1) - len(worker.in_flight)
        return room if self.maxtasks is None else min(room, self.maxtasks - worker.given)

    def dispatch(self) -> None:
        """Send what is pickled to workers; with the lock held."""
        depth = DEPTH if self.service_s < SHORT_S else 1
        full: set[Worker] = set()
        while self.pickled:
            free = [w for w in self.workers if w not in full and self._capacity(w, depth) > 0]
            if not free:
                break
            worker = min(free, key=lambda w: (len(w.in_flight), not w.ready))
            task = self.pickled[0]
            if task.begin is not None and not task.begin():
                self.pickled.popleft()      # it was cancelled
                continue
            task.begin = None
            if self._give(worker, task):
                self.pickled.popleft()
            else:
                full.add(worker)
        if not self.pickled:
            self._rebalance()
        if len(self.pickled) <= self.low_water:
            self.changed.notify()

    def _give(self, worker: Worker, task: Task) -> bool:
        assert task.message is not None
        try:
            worker.end.send_now(task.message)
        except OSError:         # full, or it is gone, which the watcher will see
            return False
        task.message.close()
        task.message = None
        if not worker.in_flight:
            worker.last_event = time.monotonic()
        worker.in_flight[task.key] = task
        worker.given += 1
        return True

    def _rebalance(self) -> None:
        """Give tasks that wait behind others to workers that have none."""
        for idle in self.workers:
            if not idle.ready or idle.in_flight or self._capacity(idle, 1) <= 0:
                continue
            donor = max(self.workers, key=lambda w: len(w.in_flight) + (not w.ready))
            if len(donor.in_flight) + (not donor.ready) < 2:
                return
            task = self._take_back(donor)
            if task is None:
                return
            if not self._give(idle, task):
                self.pickled.appendleft(task)
                return

    def _take_back(self, worker: Worker) -> Task | None:
        payload = worker.take_back()
        if payload is None or not len(payload):
            return None
        task: Task = worker.in_flight.pop(key_of(payload))
        worker.given -= 1
        try:
            task.message = Message(payload)
        except OSError as e:            # no memory or descriptor for a large one
            deliver(task, False, e)
            return None
        return task
