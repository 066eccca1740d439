# SPDX-License-Identifier: MIT
"""What is to be run: which locks in which configurations, how often and for how long."""

from dataclasses import dataclass, field
from typing import NamedTuple

from front import assist, machine

from flex import Trouble, paper, turns

PROBES = ("waits", "contention", "syscalls")
MANY_TASKS = 1000          # with that many, a run lasts ten seconds, and time may be short
PLANS = ("paper", "today", "adaptive", "processes", "share", "demo", "share-demo")


class Config(NamedTuple):
    """A point in an experiment at which locks are compared.  Times in microseconds."""

    experiment: str  # efficiency, tables, grid, adaptive, share, single
    kind: str        # threads, processes
    tasks: int
    locks: int
    lht_us: float    # mean lock-hold time
    nlht_us: float   # mean time between release and the next acquisition
    pick: str = "own"  # each task uses its own lock, round robin; or a "random" one each time
    share: float | None = None  # per cent of the lock calls that are for reading; None: a mutex
    assist: str | None = None  # the assist is turned on or off before; None: it stays as it is
    memory: str | None = None  # where the locks lie: anonymous, shmat, file; None: anonymous
    regions: int | None = None  # in how many regions of memory; None: one

    @classmethod
    def of(cls, cell):
        """From a cell of a result file, also of one that was written before there were shares."""
        return cls(*(cell.get(k, cls._field_defaults[k]) if k in cls._field_defaults else cell[k]
                     for k in cls._fields))

    def __str__(self):
        times = f"({self.nlht_us:g},{self.lht_us:g})"  # as the paper writes it: outside first
        tasks = "1 task" if self.tasks == 1 else f"{self.tasks} tasks"
        locks = "1 lock" if self.locks == 1 else f"{self.locks} locks"
        pick = " at random" if self.pick == "random" and self.locks > 1 else ""
        share = "" if self.share is None else f", {self.share:g} % reads"
        state = "" if self.assist is None else f", assist {self.assist}"
        where = "" if self.memory is None else f", {self.memory}"
        parts = "" if self.regions is None else f", {self.regions} regions"
        return f"{times} {tasks}, {locks}{pick}, {self.kind}{share}{state}{where}{parts}"

    def point(self):
        """What a cell of the result file says of it."""
        return {k: v for k, v in self._asdict().items()
                if v is not None or k not in ("share", "assist", "memory", "regions")}


@dataclass
class Settings:
    seconds: float = 1.0       # of one run; of many tasks, longer: see length()
    rounds: int = 6            # the least number of runs for each cell
    max_rounds: int = 20       # the largest, where the interval stays wide
    ci: float = 0.05           # narrow enough: half the 95 % interval over the mean
    probes: tuple = PROBES
    probe_seconds: float = 0.3  # the length of the runs that find out more than throughput
    probe_rounds: int = 1      # in how many rounds there are such runs
    seed: int = 1
    pin: bool = False          # each task stays on one CPU
    exact: bool = False        # runs last just `seconds`, as was asked for
    many_rounds: int | None = None  # the least number with MANY_TASKS; None: as with fewer tasks

    def length(self, tasks, probe=False):
        """Of a run: not less than several turns of the scheduler, unless told."""
        seconds = min(self.probe_seconds, self.seconds) if probe else self.seconds
        return seconds if self.exact else max(seconds, turns.least_seconds(tasks))

    def least_rounds(self, tasks):
        many = tasks >= MANY_TASKS and self.many_rounds
        return min(self.rounds, many) if many else self.rounds

    def is_probed(self, config, lock, probe):
        """Where time is short, contention of the paper's lock only, and of many tasks no more."""
        if self.many_rounds is None:
            return True
        return lock == paper.CONTENTION_LOCK if probe == "contention" else config.tasks < MANY_TASKS

    def problem(self):
        """What is wrong with them, or None."""
        if not 0.01 <= self.seconds <= 3600:
            return f"--seconds must lie between 0.01 and 3600, not {self.seconds:g}"
        if self.rounds < 1:
            return f"--rounds must be at least 1, not {self.rounds}"
        if self.probe_rounds < 1:
            return f"--probe-rounds must be at least 1, not {self.probe_rounds}"
        if self.max_rounds < self.rounds:
            return f"--max-rounds is {self.max_rounds}, less than --rounds, {self.rounds}"
        if not 0 < self.ci < 1:
            return f"--ci must lie between 0 and 1, not {self.ci:g}"
        return None


@dataclass
class Plan:
    name: str
    settings: Settings
    groups: list                # (Config, [names of locks]), most important first
    left_out: list = field(default_factory=list)  # what people should know is not measured

    def cells(self):
        return sum(len(locks) for _, locks in self.groups)


def _with(tasks):
    """How a line about what is left out begins, where that holds for that number of tasks only."""
    return f"with {tasks} tasks"


def keep_tasks(plan, tasks):
    """Only the configurations of these numbers of tasks, and the runs without a lock beside."""
    there = {config.tasks for config, _ in plan.groups if config.experiment != REFERENCE}
    for number in tasks:
        if number not in there:
            raise Trouble(f"the plan {plan.name} has no configuration of {number} tasks; there "
                          f"are {', '.join(map(str, sorted(there)))}", 2)
    plan.groups = [(config, locks) for config, locks in plan.groups
                   if config.tasks in tasks or config.experiment == REFERENCE]
    gone = tuple(map(_with, there.difference(tasks)))
    plan.left_out = [line for line in plan.left_out if not line.startswith(gone)]


# What an ideal lock is measured by: the same loop with no lock at all, in each round, on each CPU a
# task with data of its own.  The work was calibrated once; how fast it is done changes.
REFERENCE, NO_LOCK = "reference", "none"


def with_reference(plan, locks, kind, cpus):
    """The plan with a run without a lock before the first configuration of the same times."""
    if not locks.among([NO_LOCK], kind):
        return plan
    groups, seen = [], set()
    for config, names in plan.groups:
        times = (config.lht_us, config.nlht_us)
        if times not in seen and sum(times) > 0 and config.experiment != "efficiency":
            seen.add(times)
            groups.append((Config(REFERENCE, kind, cpus, cpus, *times), [NO_LOCK]))
        groups.append((config, names))
    plan.groups = groups
    return plan


def with_assist(plan, choice, without=None):
    """The plan with each configuration in the states of the assist that are asked for.

    Of both: with it off only the locks `without`, if such are given, as the others do not know.
    """
    states = (assist.OFF, assist.ON) if choice == assist.BOTH else (choice,)
    few = without if choice == assist.BOTH else None
    plan.groups = [(config._replace(assist=state),
                    [lock for lock in locks if lock in few]
                    if few and state == assist.OFF and config.experiment != REFERENCE else locks)
                   for config, locks in plan.groups for state in states]


# --- How long a plan takes ---------------------------------------------------------------------

START_SECONDS = 0.03              # a process is started, its memory mapped
START_SECONDS_PER_TASK = 0.0004   # a task is started, woken, joined
SWITCH_SECONDS = 0.5              # the assist is turned on or off


def run_seconds(config, seconds):
    last = config.tasks * (config.lht_us + config.nlht_us) * 1e-6  # each ends its last iteration
    return (seconds + turns.warm_seconds(config.tasks, seconds) + START_SECONDS
            + config.tasks * START_SECONDS_PER_TASK + last)


def group_seconds(config, locks, settings, rounds=None):
    rounds = rounds or settings.least_rounds(config.tasks)
    probes = min(settings.probe_rounds, rounds) * sum(
        settings.is_probed(config, lock, probe) for lock in locks for probe in settings.probes)
    switch = 0 if config.assist is None else rounds * SWITCH_SECONDS
    return (switch + len(locks) * rounds * run_seconds(config, settings.length(config.tasks))
            + probes * run_seconds(config, settings.length(config.tasks, probe=True)))


def estimate(plan, rounds=None):
    """Expected seconds, with the least number of rounds unless another is given."""
    return sum(group_seconds(c, locks, plan.settings, rounds) for c, locks in plan.groups)


def too_short(plan):
    """A line where runs were asked for that are too short for the number of tasks, or None."""
    tasks = max((config.tasks for config, _ in plan.groups), default=1)
    if plan.settings.length(tasks) >= turns.least_seconds(tasks):
        return None
    return (f"runs of {plan.settings.seconds:g} s are too short for {tasks} tasks on "
            f"{machine.cpus()} CPUs and say little: {turns.WINDOW_TURNS} turns of the scheduler "
            f"take {turns.least_seconds(tasks):g} s; without --seconds they last that long")


# --- Which locks -------------------------------------------------------------------------------

# A lock that only polls is out of its element where tasks outnumber CPUs: who should have the
# lock next waits for a CPU, and the others burn theirs.  It is shown a little of that.
SPINNERS_PER_CPU = 2

# From the furwock family, what a user would choose between, and what else users have.
OURS = ("furwock", "furwock-fair")
RIVALS = ("pthread", "pthread-adaptive", "nsync", "abseil", "tbb", "parking_lot", "rust-std")
# Of locks for use between processes, those that work between threads too: these are not chosen
# there, only taken when they are named.
FOR_PROCESSES = ("furwock-ipc", "furwock-ipc-permit", "sysv-undo", "sem-named", "boost",
                 "boost-sharable")
DEMO_LOCKS = ("furwock", "furwock-fair", "pthread", "pthread-adaptive", "sysv", "nsync", "abseil",
              "tbb", "parking_lot", "rust-std")


class Locks:
    """The locks that this build has."""

    def __init__(self, info):
        self.by_name = {lock["lock"]: lock for lock in info["locks"]}
        self.missing = info["missing"]
        self.rw_by_name = {lock["lock"]: lock for lock in info.get("rwlocks", [])}
        self.rw_missing = info.get("rwmissing", [])

    def known(self, name, sharing=False):
        """What is known of a lock; of a read-write lock first, where some calls are for reading."""
        return (self.rw_by_name.get(name) if sharing else None) or self.by_name.get(name)

    def names(self, sharing=False):
        return list(dict.fromkeys([*(self.rw_by_name if sharing else ()), *self.by_name]))

    def absent(self, sharing=False):
        return self.rw_missing if sharing else self.missing

    def suits(self, name, kind, sharing=False):
        lock = self.known(name, sharing)
        if lock is None:
            return False
        return lock.get("threads", True) if kind == "threads" else lock["shared"]

    def is_choice(self, name, kind, sharing=False):
        """Whether the lock suits, and is meant for that."""
        return self.suits(name, kind, sharing) and (kind != "threads"
                                                    or name not in FOR_PROCESSES)

    def blocking(self, kind, families=("furwock", "classic", "rival")):
        return [name for name, lock in self.by_name.items()
                if lock["blocks"] and lock["family"] in families and name != "none"
                and self.is_choice(name, kind)]

    def rwlocks(self, kind, tasks, cpus):
        """Those that make sense with that many tasks: without one that sleeps, not too many."""
        return [name for name, lock in self.rw_by_name.items()
                if (lock["blocks"] or tasks <= SPINNERS_PER_CPU * cpus)
                and self.is_choice(name, kind, True)]

    def among(self, names, kind, sharing=False):
        return [name for name in names if self.suits(name, kind, sharing)]


# --- The plans ---------------------------------------------------------------------------------

def single(locks, names, kind, point, settings, shares, cpus):
    """One configuration, or one for each read share; all blocking locks if none are named."""
    if not shares:
        config = Config("single", kind, **point)
        return Plan("single", settings, [(config, list(names) or locks.blocking(kind))])
    plan = Plan("single", settings, [])
    chosen = list(names) or _rwlocks(plan, locks, kind, point["tasks"], cpus)
    plan.groups += [(Config("share", kind, **point, share=share), chosen) for share in shares]
    return plan


def _rwlocks(plan, locks, kind, tasks, cpus):
    """All that suit; the plan notes which do not."""
    chosen = locks.rwlocks(kind, tasks, cpus)
    gone = [n for n in locks.rw_by_name if n not in chosen and locks.is_choice(n, kind, True)]
    if gone:
        plan.left_out.append(f"{_with(tasks)} on {cpus} CPUs, without those that only poll: "
                             + ", ".join(gone))
    return chosen


NOT_WITH_MANY = RIVALS[1:]


def paper_plan(locks, names, kind, settings, cpus):
    """All of section 4.1."""
    chosen = list(names) or locks.among(paper.NINE, kind)
    if not names and kind == "threads":
        chosen += locks.among(OURS + RIVALS, kind)
    plain = [n for n in chosen if n != "none"]
    of_many = plain if names else [n for n in plain if n not in NOT_WITH_MANY]
    with_none = locks.among(["none"], kind) + plain
    groups = [(Config("efficiency", kind, 1, 1, 0.0, 0.0), with_none),
              (Config("efficiency", kind, 1, 1, 5.0, 5.0), with_none),
              (Config("efficiency", kind, 2, 2, 0.0, 0.0), with_none)]
    groups += [(Config("tables", kind, tasks, 1, float(lht), float(nlht)),
                of_many if tasks >= MANY_TASKS else plain)
               for tasks in paper.TASKS for nlht, lht in paper.CONFIGURATIONS]
    plan = Plan("paper", settings, groups)
    if len(of_many) < len(plain):
        plan.left_out.append(f"{_with(MANY_TASKS)}, whose runs are long, without: "
                             + ", ".join(n for n in plain if n in NOT_WITH_MANY))
    gone = [n for n in paper.NINE if not names and n not in chosen]
    if gone:
        plan.left_out.append("of the paper's nine are not here: " + ", ".join(gone))
    return with_reference(plan, locks, kind, cpus)


TODAY_HOLD_US = (0.0, 1.0, 10.0, 100.0)
TODAY_OUTSIDE = (1, 10)  # times the hold time
TODAY_LOCKS = (1, 10, 1000)
TODAY_TASKS_PER_CPU = (1, 2, 3, 4)


def today_plan(locks, names, kind, settings, cpus, pick):
    chosen = list(names) or (locks.among(OURS, kind) + locks.blocking(kind, ("rival",)))
    times = dict.fromkeys((lht, lht * factor) for lht in TODAY_HOLD_US for factor in TODAY_OUTSIDE)
    groups = [(Config("grid", kind, cpus * per_cpu, n, lht, nlht, pick if n > 1 else "own"), chosen)
              for n in TODAY_LOCKS for per_cpu in TODAY_TASKS_PER_CPU for lht, nlht in times]
    return Plan("today", settings, groups)


# Figure 6.  The paper says which tasks and how many locks, but neither the times nor, in its text,
# the read shares.  These are two of its four configurations, as the experiments before it in the
# text all have 10 us to a loop; the fewest shares that show the curve come first, as a small budget
# drops the last.
SHARE_LEVELS = (0.0, 50.0, 100.0, 90.0, 20.0, 80.0, 10.0, 40.0, 60.0, 30.0, 70.0)
SHARE_CONFIGURATIONS = ((5.0, 5.0), (0.0, 10.0))  # (nlht, lht), in microseconds


SHARE_DEMO_LOCKS = ("furwock-rw", "furwock-rw-writers", "pthread-rw", "pthread-rw-writers",
                    "abseil", "tbb", "parking_lot")
SHARE_DEMO_LEVELS = (90.0, 50.0)
SHARE_DEMO_TASKS = (2, 4)


def share_demo_plan(locks, names, kind, settings):
    """A corner of Figure 6: the few tasks, of which short runs say something."""
    chosen = list(names) or locks.among(SHARE_DEMO_LOCKS, kind, True)
    nlht, lht = SHARE_CONFIGURATIONS[0]
    return Plan("share-demo", settings, [
        (Config("share", kind, tasks, 1, lht, nlht, share=share), chosen)
        for share in SHARE_DEMO_LEVELS for tasks in SHARE_DEMO_TASKS])


def share_plan(locks, names, kind, settings, cpus, shares=(), times=()):
    """Figure 6; other shares or other times, where they are given."""
    plan = Plan("share", settings, [])
    chosen = {tasks: list(names) or _rwlocks(plan, locks, kind, tasks, cpus)
              for tasks in paper.SHARE_TASKS}
    plan.groups = [(Config("share", kind, tasks, 1, lht, nlht, share=share), chosen[tasks])
                   for nlht, lht in times or SHARE_CONFIGURATIONS
                   for share in shares or SHARE_LEVELS for tasks in paper.SHARE_TASKS]
    return plan


# Most important first: a small budget drops the last.  The times are the paper's: (nlht, lht).
DEMO_POINTS = (("1", 9.0, 1.0), ("2", 9.0, 1.0), ("4/cpu", 9.0, 1.0), ("4/cpu", 5.0, 5.0),
               ("100", 9.0, 1.0), ("1/cpu", 9.0, 1.0))
# With that many tasks a run takes seconds: for a demonstration, these will do.
DEMO_MANY, DEMO_MANY_LOCKS = 100, ("furwock", "pthread", "parking_lot")


def demo_plan(locks, names, kind, settings, cpus):
    chosen = list(names) or locks.among(DEMO_LOCKS, kind)
    few = list(names) or locks.among(DEMO_MANY_LOCKS, kind)
    points = {}
    for tasks, nlht, lht in DEMO_POINTS:
        number, _, per = tasks.partition("/")
        n = int(number) * (cpus if per else 1)
        points[Config("tables", kind, n, 1, lht, nlht)] = few if n == DEMO_MANY else chosen
    return with_reference(Plan("demo", settings, list(points.items())), locks, kind, cpus)
