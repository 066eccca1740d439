# SPDX-License-Identifier: MIT
"""The result files: read, checked, merged.  Nothing else in this package touches raw JSON."""

import json
import math
import os
import shlex
from collections import namedtuple

from . import experiment, stats, waited

FORMAT = "furwock-bench-1"
PLANS = ("paper", "today", "adaptive", "processes", "share", "demo", "share-demo")

# Where a measurement was taken: everything but the lock.
# pick: "own", each task has its lock; "random", it takes any of the locks each time.
# share: of read-write locks, the per cent of the lock calls that are for reading.
# assist: "on", or None: it was off, or nobody looked.
Spot = namedtuple("Spot", "experiment kind tasks locks lht nlht pick share assist",
                  defaults=("own", None, None))
ON = "on"
NARROW = 0.05       # half the interval of a mean, in parts of it: as ulockflex goes on for

# As in bench/ulockflex/flex/turns.py: each of several tasks has had a CPU that many times.
WINDOW_TURNS, SLICE_SECONDS = 4, 0.004


class BadInput(Exception):
    """A file that cannot be used; the text is one line for the user."""


class Cell:
    """One lock at one spot: its runs, oldest first."""

    def __init__(self, raw, where, assist=None):
        """`assist`: how it was where the cell does not say."""
        try:
            self.lock = str(raw["lock"])
            self.family = str(raw["family"])
            self.spot = Spot(str(raw["experiment"]), str(raw["kind"]), int(raw["tasks"]),
                             int(raw["locks"]), float(raw["lht_us"]), float(raw["nlht_us"]),
                             str(raw.get("pick") or "own"),
                             None if raw.get("share") is None else float(raw["share"]),
                             ON if raw.get("assist", assist) == ON else None)
            self.runs = [dict(run) for run in raw["runs"]]
        except (KeyError, TypeError, ValueError) as error:
            raise BadInput(f"{where}: a cell without a proper {error}") from None
        self.blocks = bool(raw.get("blocks"))
        self.fair = bool(raw.get("fair"))
        self.preference = raw.get("preference")
        self.narrow = bool(raw.get("narrow", True))
        self.failures = [fault for fault in raw.get("failures") or [] if isinstance(fault, dict)]
        self.short = bool(raw.get("short"))

    def join(self, other):
        """Takes in what another file has of the same."""
        self.runs += other.runs
        self.failures += other.failures
        self.short |= other.short
        middle = stats.mean(self.values("throughput"))
        self.narrow = middle.low is not None and (
            middle.high - middle.value <= NARROW * middle.value)

    def doubt(self, cpus):
        """Takes out runs in which tasks had not started: they were runs of fewer tasks.  Marks what
        was measured for less than some turns of the scheduler.  A result of today says both."""
        for run in [run for run in self.runs if run.get("late")]:
            self.runs.remove(run)
            self.failures.append({"what": f"{run['late']} of the tasks had not started when "
                                          "measuring began"})
        least = WINDOW_TURNS * SLICE_SECONDS * self.spot.tasks / cpus
        self.short |= self.spot.tasks > cpus and any(run.get("seconds", least) < least
                                                     for run in self.runs)

    def by_round(self, *path):
        """{round: value} of a metric, e.g. by_round("wait_ns", "p99"); runs without it left out."""
        found = {}
        for at, run in enumerate(self.runs):
            value = run
            for name in path:
                value = value.get(name) if isinstance(value, dict) else None
            if isinstance(value, (int, float)) and math.isfinite(value):
                found[run.get("round", at)] = float(value)
        return found

    def values(self, *path):
        return list(self.by_round(*path).values())

    def mean(self, *path):
        values = self.values(*path)
        return sum(values) / len(values) if values else None

    def most(self, *path):
        return max(self.values(*path), default=None)


def _command(made):
    """As it was typed, result files without their directories; None where it is not told."""
    words = made.get("command")
    if not isinstance(words, list):
        return None
    return " ".join(shlex.quote(os.path.basename(str(word)) if before == "--json" else str(word))
                    for before, word in zip([None, *words], words) if word != "--resume")


class Results:
    """Everything that was measured on one machine."""

    def __init__(self):
        self.machine = {}
        self.plans = []
        self.missing = {}
        self.cells = {}
        self.uncontended = None   # of mutexes
        self.objects = {}         # the same of other objects: {object: Table}
        self.experiments = {}        # {benchmark: Experiment}
        self.waited = []          # of programs, by furwock run --stat
        self.files = []
        self.failures = []        # (spot, lock, what happened)
        self.notes = []
        self.settings = {}        # of each plan
        self.commands = []        # that measure this again
        self.made = []            # of each file: of which sources, on a machine in which state

    def absent(self):
        """[(locks that were not there, why): one for each reason]"""
        locks = {}
        for lock, why in sorted(self.missing.items()):
            locks.setdefault(why, []).append(lock)
        return [(names, why) for why, names in locks.items()]

    def add(self, raw, where):
        if raw.get("format") == waited.FORMAT:
            self._add_machine(raw.get("machine") or {}, where)
            self.waited += waited.read(raw, lambda text: BadInput(f"{where}: {text}"))
            self.files.append(where)
            return          # of programs, which are not built here
        benchmark = raw.get("benchmark")
        known = ("ulockflex", "uncontended", *experiment.KINDS)
        if benchmark not in known:
            raise BadInput(f"{where}: benchmark {benchmark!r} is none that this program knows "
                           f"({', '.join(known)})")
        self._add_machine(raw.get("machine") or {}, where)
        for gone in raw.get("missing") or []:
            self.missing[str(gone.get("lock"))] = str(gone.get("why", ""))
        self.files.append(where)
        made = raw.get("made")
        self.made.append((where, made if isinstance(made, dict) else {}))
        before = len(self.commands)
        if benchmark == "uncontended":
            self._add_uncontended(raw, where)
        elif benchmark in experiment.KINDS:
            self._add_experiment(raw, where)
        else:
            self._add_ulockflex(raw, where)
        self.commands[before:] = [_command(self.made[-1][1]) or guess
                                  for guess in self.commands[before:]]

    def _add_machine(self, machine, where):
        for name in ("cpu", "cpus"):
            old, new = self.machine.get(name), machine.get(name)
            if old is not None and new is not None and old != new:
                raise BadInput(f"{where}: from another machine ({new}, not {old}); "
                               "a report shows one machine")
        old, new = self.machine.get("assist"), machine.get("assist")
        if old and new and old != new:
            self.machine["assist"] = "not the same in all results"
        for name, value in machine.items():
            if self.machine.get(name) in (None, True):      # True: one program tells no more
                self.machine[name] = value

    def _add_ulockflex(self, raw, where):
        if not isinstance(raw.get("cells"), list):
            raise BadInput(f"{where}: no list of cells")
        plan = raw.get("plan")
        if plan and plan not in self.plans:
            self.plans.append(str(plan))
        self.notes += [str(note) for note in raw.get("notes") or [] if str(note) not in self.notes]
        if isinstance(raw.get("settings"), dict):
            self.settings[str(plan)] = raw["settings"]
        assist = (raw.get("machine") or {}).get("assist")
        kinds = {cell.get("kind") for cell in raw["cells"] if isinstance(cell, dict)}
        if plan in PLANS and len(kinds) == 1:
            how = f" --assist {raw['assist']}" if raw.get("assist") else ""
            self.commands.append(f"ulockflex {plan} --kind {kinds.pop()}{how} "
                                 f"--json {os.path.basename(where)}")
        for one in raw["cells"]:
            if not isinstance(one, dict):
                raise BadInput(f"{where}: a cell that is no object")
            cell = Cell(one, where, assist)
            cell.doubt(self.cpus)
            self.failures += [(cell.spot, cell.lock, str(fault.get("what", "failed")))
                              for fault in cell.failures]
            if not cell.values("throughput"):
                continue
            for at, run in enumerate(cell.runs):
                run["round"] = (len(self.files), run.get("round", at))
            old = self.cells.setdefault((cell.spot, cell.lock), cell)
            if old is not cell:
                old.join(cell)

    def _add_uncontended(self, raw, where):
        from . import uncontended
        tables = uncontended.read(raw, where)
        self.uncontended = tables.pop(uncontended.MUTEX, self.uncontended)
        self.objects.update(tables)
        self.commands.append(f"uncontended --json {os.path.basename(where)}")

    def _add_experiment(self, raw, where):
        name = raw["benchmark"]
        found = self.experiments.get(name) or experiment.Experiment(name)
        found.add(raw, lambda text: BadInput(f"{where}: {text}"))
        if found.cells:
            self.experiments[name] = found
        self.notes += [f"{name}: {note}" for note in raw.get("notes") or []]
        self.commands.append(f"{name} --json {os.path.basename(where)}")

    @property
    def cpus(self):
        try:
            return max(1, int(self.machine.get("cpus", 1)))
        except (TypeError, ValueError):
            return 1

    def spots(self, experiment, kind=None):
        """The spots of an experiment: by kind, locks, task count, times."""
        found = {spot for spot, _ in self.cells
                 if spot.experiment == experiment and kind in (None, spot.kind)}
        return sorted(found, key=lambda s: (s.kind != "threads", s.locks, s.tasks,
                                            s.nlht + s.lht, s.nlht, s.pick, s.share or 0,
                                            s.assist or ""))

    def kinds(self, experiment):
        return list(dict.fromkeys(spot.kind for spot in self.spots(experiment)))

    def cell(self, spot, lock):
        return self.cells.get((spot, lock))

    def at(self, spot):
        """The cells of one spot."""
        return [cell for (where, _), cell in self.cells.items() if where == spot]

    def locks(self, experiment=None, kind=None):
        return list(dict.fromkeys(lock for spot, lock in self.cells
                                  if experiment in (None, spot.experiment)
                                  and kind in (None, spot.kind)))

    def family(self, lock):
        return next((c.family for (_, name), c in self.cells.items() if name == lock), None)

    def otherwise_assisted(self):
        """How many runs found the assist in another state than their cell says."""
        return sum(run.get("assist") in (ON, "off") and (run["assist"] == ON) != bool(spot.assist)
                   for (spot, _), cell in self.cells.items() for run in cell.runs)

    def broken(self):
        """(spot, lock) of the cells in which a lock let two tasks in at once."""
        return [key for key, cell in self.cells.items() if any(cell.values("integrity"))
                or any(fault.get("integrity") for fault in cell.failures)]


def load(paths):
    """Results of all files together; BadInput when one cannot be used or nothing was measured."""
    results = Results()
    for path in paths:
        try:
            with open(path, encoding="utf-8") as file:
                raw = json.load(file)
        except OSError as error:
            raise BadInput(f"{path}: {error.strerror}") from None
        except ValueError as error:
            raise BadInput(f"{path}: not JSON ({error})") from None
        if not isinstance(raw, dict) or raw.get("format") not in (FORMAT, waited.FORMAT):
            found = raw.get("format") if isinstance(raw, dict) else None
            raise BadInput(f"{path}: its format is {found!r}, not {FORMAT!r}")
        results.add(raw, str(path))
    if not any((results.cells, results.uncontended, results.objects, results.experiments,
                results.waited)):
        raise BadInput(f"{', '.join(map(str, paths))}: nothing was measured (no runs)")
    return results
