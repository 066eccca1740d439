# SPDX-License-Identifier: MIT
"""What a lock could reach at best: a first-come-first-served lock that costs nothing.

Tasks run the loop of ulockflex (hold the lock for `lht`, then go without for `nlht`, both drawn
uniformly from 0.5 to 1.5 of their mean) on a number of CPUs.  Locking, releasing, waking
and switching take no time, and a CPU is never idle while a task can run.  The task that
holds a lock runs before those that hold none, so that nobody waits for a holder that waits for
a CPU.  The times are random ones of the same distribution, not the same ones.

Its microseconds are those of the calibration, once before the first round.  How fast the CPUs are
in a round, and what the loop costs around the lock, shows a run of the same loop without any lock
in that round; with that the simulated rate is scaled.
"""

import heapq
import math
from collections import deque
from functools import lru_cache

from . import stats

REFERENCE, NO_LOCK = "reference", "none"         # as in bench/ulockflex/flex/plan.py
SEED = 20020626  # the first day of the symposium; any number will do, if it is always the same
LOW, HIGH = 0.5, 1.5


class _Times:
    """A stream of random durations with one mean, drawn in blocks."""

    BLOCK = 4096

    def __init__(self, mean, generator):
        self.mean, self.generator, self.left = mean, generator, []

    def next(self):
        if not self.left:
            block = self.generator.uniform(LOW, HIGH, self.BLOCK) * self.mean
            self.left = block.tolist()
        return self.left.pop()


class _World:
    """Tasks, locks and CPUs; one event is a task that finishes what it was computing."""

    def __init__(self, tasks, locks, lht, nlht, cpus, seed):
        import numpy             # takes a while, and few commands want an ideal lock
        generator = numpy.random.default_rng(seed)
        self.holding = _Times(lht, generator)
        self.outside = _Times(nlht, generator)
        self.locks = locks
        self.now = 0.0
        self.events = []                      # (time, ticket, cpu)
        self.ticket = 0
        self.running = [None] * cpus          # (task, ticket, time when it finishes)
        self.idle = list(range(cpus))
        self.ready = (deque(), deque())       # holders first, then the others: (task, time left)
        self.owner = [None] * locks
        self.queue = [deque() for _ in range(locks)]
        self.iterations = 0
        for task in range(tasks):
            self.make_ready(task, self.outside.next())

    def holds(self, task):
        return self.owner[task % self.locks] == task

    def start(self, cpu, task, left):
        self.ticket += 1
        self.running[cpu] = (task, self.ticket, self.now + left)
        heapq.heappush(self.events, (self.now + left, self.ticket, cpu))

    def make_ready(self, task, left):
        """The task has `left` to compute: on an idle CPU, in another's point, or later."""
        if self.idle:
            self.start(self.idle.pop(), task, left)
            return
        if self.holds(task):
            for cpu, (other, _, until) in enumerate(self.running):
                if not self.holds(other):
                    self.ready[1].appendleft((other, until - self.now))
                    self.start(cpu, task, left)
                    return
            self.ready[0].append((task, left))
        else:
            self.ready[1].append((task, left))

    def release_cpu(self, cpu):
        self.running[cpu] = None
        for queue in self.ready:
            if queue:
                self.start(cpu, *queue.popleft())
                return
        self.idle.append(cpu)

    def acquire(self, task):
        lock = task % self.locks
        if self.owner[lock] is None:
            self.owner[lock] = task
            self.make_ready(task, self.holding.next())
        else:
            self.queue[lock].append(task)

    def release(self, task):
        lock = task % self.locks
        self.iterations += 1
        self.owner[lock] = None
        if self.queue[lock]:
            successor = self.queue[lock].popleft()
            self.owner[lock] = successor
            return successor
        return None

    def step(self):
        time, ticket, cpu = heapq.heappop(self.events)
        if self.running[cpu] is None or self.running[cpu][1] != ticket:
            return                            # it was put aside for a holder
        self.now = time
        task = self.running[cpu][0]
        if self.holds(task):
            successor = self.release(task)
            self.release_cpu(cpu)
            if successor is not None:
                self.make_ready(successor, self.holding.next())
            self.make_ready(task, self.outside.next())
        else:
            self.release_cpu(cpu)
            self.acquire(task)


@lru_cache(maxsize=None)
def throughput(tasks, locks, lht, nlht, cpus, iterations=20000, seed=SEED):
    """Iterations per second of all tasks together, times in microseconds.

    Infinite when an iteration takes no time.
    """
    if lht + nlht <= 0:
        return math.inf
    locks = min(locks, tasks)
    world = _World(tasks, locks, lht, nlht, cpus, seed)
    warm = max(tasks, iterations // 10)
    while world.iterations < warm:
        world.step()
    since, done = world.now, world.iterations
    while world.iterations < done + iterations:
        world.step()
    return (world.iterations - done) / (world.now - since) * 1e6


def speeds(results, spot):
    """{round: how fast a loop without a lock was, where 1 is what was calibrated}; empty where none
    was measured."""
    cpus, period = results.cpus, spot.lht + spot.nlht
    cell = results.cell(spot._replace(experiment=REFERENCE, tasks=cpus, locks=cpus, pick="own",
                                      share=None), NO_LOCK)
    if cell is None or period <= 0:
        return {}
    return {r: rate * period / 1e6 / cpus for r, rate in cell.by_round("throughput").items()}


def rate(results, spot):
    """Iterations per second, at the mean speed of the rounds."""
    simulated = throughput(spot.tasks, spot.locks, spot.lht, spot.nlht, results.cpus)
    found = speeds(results, spot)
    return simulated * (sum(found.values()) / len(found) if found else 1)


def share(results, spot, cell):
    """Estimate of the throughput of a cell over the ideal lock's, each in the round's own speed."""
    simulated = throughput(spot.tasks, spot.locks, spot.lht, spot.nlht, results.cpus)
    found, made = speeds(results, spot), cell.by_round("throughput")
    return stats.mean([made[r] / simulated / found.get(r, 1) for r in made
                       if not found or r in found])
