# SPDX-License-Identifier: MIT
"""The rounds.

In each round each configuration is visited once, and there all locks run one after the other: A B
C, in the next round B C A, and so on.  A machine that gets slower or faster does so for all locks
alike, and no lock is always the first.  Each task draws the same times under every lock of a round.
A configuration is done when the confidence intervals of all its locks are narrow, or after the
largest number of its runs.  Those with a thousand tasks, whose runs are long, come when all others
have had their least number.
"""

import time

from front import assist
from front.rounds import rotated

from flex.plan import MANY_TASKS, REFERENCE, run_seconds
from flex.worker import Failure

WRITE_SECONDS = 2.0  # not more often than this within a round

# What a probe's run tells, by its names in the result of the worker.  The first is always there;
# the others are for read-write locks.
PROBE_FIELDS = {"waits": ("wait_ns", "read_wait_ns", "write_wait_ns"),
                "contention": ("contention", "read_contention", "write_contention"),
                "syscalls": ("syscalls", "fences_per_s")}


class OutOfTime(Exception):
    """The next run would end after the deadline."""


def _times(config):
    return config.lht_us, config.nlht_us, config.assist


def in_turns(groups, number):
    """The order of a round.

    With the assist off and on: each configuration in both states before the next, and the switch is
    turned once for each.  Every other round begins with the other state.
    """
    points = {}
    for group in groups:
        points.setdefault(group[0]._replace(assist=None), []).append(group)
    now, order = (assist.OFF if number % 2 else assist.ON), []
    for found in points.values():
        order += sorted(found, key=lambda group: group[0].assist != now)
        now = order[-1][0].assist
    return order


class Engine:
    def __init__(self, plan, worker, store, progress, deadline=None, clock=time.monotonic,
                 switch=None):
        self.plan = plan
        self.worker = worker
        self.store = store
        self.progress = progress
        self.deadline = deadline
        self.clock = clock
        self.switch = switch    # of the assist, where configurations name its state
        self.last_write = clock()

    def measure(self):
        """Runs the plan; True where nothing was left out for want of time."""
        number = 0
        try:
            while groups := self.next_groups():
                number += 1
                self.progress.round(number, groups)
                for config, locks in in_turns(groups, number):
                    self.visit(config, locks, number)
                self.write()
        except OutOfTime:
            return not any(self.is_short(*g) for g in self.plan.groups)
        return True

    def next_groups(self):
        """Those of the next round: first those with few tasks, until each has had its least number
        of runs, then those with many, whose runs are long; then all that lack a narrow interval."""
        groups = self.open_groups()
        short = [g for g in groups if g[0].experiment != REFERENCE and self.is_short(*g)]
        chosen = [g for g in short if g[0].tasks < MANY_TASKS] or short
        if not chosen:
            return groups
        times = {_times(config) for config, _ in chosen}
        return [g for g in groups
                if (_times(g[0]) in times if g[0].experiment == REFERENCE else g in chosen)]

    def open_groups(self):
        """Those that need more runs, and as long the runs without a lock of the same times."""
        needed = {_times(g[0]) for g in self.plan.groups
                  if g[0].experiment != REFERENCE and not self.is_done(*g)}
        return [g for g in self.plan.groups
                if (_times(g[0]) in needed if g[0].experiment == REFERENCE
                    else not self.is_done(*g))]

    def alive(self, config, locks):
        return [lock for lock in locks if not self.store.has_failed(config, lock)]

    def cell_runs(self, config, lock):
        cell = self.store.find(config, lock)
        return len(cell["runs"]) if cell else 0

    def is_short(self, config, locks):
        """Whether a lock has had fewer than the least number of runs."""
        least = self.plan.settings.least_rounds(config.tasks)
        return any(self.cell_runs(config, lock) < least
                   for lock in self.alive(config, locks))

    def is_done(self, config, locks):
        for lock in self.alive(config, locks):
            cell = self.store.find(config, lock)
            if cell is None or not (cell["narrow"]
                                    or len(cell["runs"]) >= self.plan.settings.max_rounds):
                return False
        return True

    def visit(self, config, locks, number):
        if config.assist is not None:
            self.switch.turn(config.assist)
        for lock in rotated(locks, number - 1):
            if not self.store.has_run(config, lock, number):
                self.run_once(config, lock, number)
        if config.experiment != REFERENCE and (
                max(self.cell_runs(config, lock) for lock in locks)
                <= self.plan.settings.probe_rounds):
            for probe in self.plan.settings.probes:
                for lock in rotated(locks, number - 1):
                    self.probe_once(config, lock, number, probe)
        if self.clock() - self.last_write >= WRITE_SECONDS:
            self.write()

    def seed(self, number):
        """The same for all locks of a round; far from those of other rounds."""
        return (self.plan.settings.seed << 40) + (number << 24)

    def allow(self, config, seconds):
        end = self.clock() + run_seconds(config, seconds)
        if self.deadline is not None and end > self.deadline:
            raise OutOfTime

    def run_once(self, config, lock, number):
        if self.store.has_failed(config, lock):
            return
        seconds = self.plan.settings.length(config.tasks)
        self.allow(config, seconds)
        self.progress.running(config, lock, None)
        try:
            run = self.worker.run(lock, config, seconds, self.seed(number))
        except Failure as e:
            self.store.add_failure(config, lock, number, e.what, e.run)
            self.progress.failed(config, lock, e.what)
        else:
            self.store.add_run(config, lock, number, run)

    def wants_probe(self, config, lock, number, field):
        """Whether the round's run is there and the field is still to be filled in."""
        cell = self.store.find(config, lock)
        return cell is not None and any(run["round"] == number and run.get(field) is None
                                        for run in cell["runs"])

    def probe_once(self, config, lock, number, probe):
        """A short run beside the measured one, for what would disturb it."""
        fields = PROBE_FIELDS[probe]
        if (self.store.has_failed(config, lock) or not self.can_probe(config, lock, probe)
                or not self.wants_probe(config, lock, number, fields[0])):
            return
        seconds = self.plan.settings.length(config.tasks, probe=True)
        self.allow(config, seconds)
        self.progress.running(config, lock, probe)
        try:
            run = self.worker.run(lock, config, seconds, self.seed(number), probe)
        except Failure as e:
            what = f"{e.what} (while measuring {probe})"
            self.store.add_failure(config, lock, number, what, e.run)
            self.progress.failed(config, lock, what)
            return
        found = {field: run[field] for field in fields if field in run}
        self.store.add_probe(config, lock, number, found)
        if "syscalls_why" in run:
            self.store.note(f"system calls are not counted: {run['syscalls_why']}")

    def can_probe(self, config, lock, probe):
        if not self.plan.settings.is_probed(config, lock, probe):
            return False
        if probe == "contention":
            return self.store.locks.known(lock, config.share is not None)["trylock"]
        return probe != "syscalls" or self.worker.events is not None

    def write(self):
        self.last_write = self.clock()
        self.store.write()
