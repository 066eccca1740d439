# SPDX-License-Identifier: MIT
"""What real-time tasks did, by furwock rt trace: drawn as textbooks do, a line for each task."""

import json
from collections import namedtuple

from .results import BadInput

FORMAT = "furwock-rt-trace-1"
JOBS = 60                       # of all tasks, drawn where no span was asked for
MS = 1e6                        # nanoseconds

# Times in ms from the beginning of the trace.  lock: an index into Trace.locks.
Section = namedtuple("Section", "lock start end")
Wait = namedtuple("Wait", "lock start end")


def visible(name):
    """Names come out of programs: what would move a terminal's cursor is shown as "?"."""
    return "".join(c if c.isprintable() else "?" for c in str(name))


class Task:
    """A task: what it did, oldest first."""

    def __init__(self, raw):
        self.name = visible(raw["name"])
        self.cpu = int(raw["cpu"])
        self.priority = int(raw["priority"])
        self.deadline = float(raw["deadline_ns"]) / MS
        self.releases, self.completions, self.late = [], [], []
        self.sections, self.waits, self.runs = [], [], []
        self.inherits = []                          # (when, from which task)
        self._entered, self._waits = {}, None

    def take(self, at, kind, lock, value):
        if kind in ("begin", "release"):
            if not self.releases or at > self.releases[-1]:
                self.releases.append(at)
        elif kind in ("complete", "end"):
            if len(self.completions) < len(self.releases):
                self.completions.append(at)
                self.late += [at] if kind == "complete" and value else []
        elif kind == "acquire":
            self._entered[lock] = at
        elif kind == "unlock" and lock in self._entered:
            self.sections.append(Section(lock, self._entered.pop(lock), at))
        elif kind in ("block", "boost") and self._waits is None:
            self._waits = (lock, at)
        elif kind == "resume" and self._waits:
            self.waits.append(Wait(self._waits[0], self._waits[1], at))
            self._waits = None

    def finish(self, at):
        """What was not over when the trace was."""
        self.sections += [Section(lock, start, at) for lock, start in self._entered.items()]
        if self._waits:
            self.waits.append(Wait(self._waits[0], self._waits[1], at))

    @property
    def waited(self):
        return sum(wait.end - wait.start for wait in self.waits)

    def busy(self):
        """When it ran; where nobody knows, when it had a job and did not wait."""
        if self.runs is not None:
            return self.runs
        jobs = list(zip(self.releases, self.completions))
        return without(jobs, [(wait.start, wait.end) for wait in self.waits])


class Trace:
    """A trace: tasks as the file has them, by CPU and urgency."""

    def __init__(self, raw, name):
        self.name = name
        self.missing = str(raw.get("missing") or "")
        self.tasks = [Task(task) for task in raw["tasks"]]
        self.locks = [(visible(lock["name"]), visible(lock["protocol"]))
                      for lock in raw["locks"]]
        events = sorted(raw["events"], key=lambda event: event["ns"])
        for event in events:
            at, task = event["ns"] / MS, self.tasks[event["task"]]
            lock = event["lock"]
            if lock is not None and not 0 <= lock < len(self.locks):
                raise ValueError(f"lock {lock}")
            task.take(at, str(event["kind"]), lock, event.get("value"))
            if event["kind"] == "inherit" and event["other"] is not None:
                self.tasks[event["other"]].inherits.append((at, event["task"]))
        self.end = events[-1]["ns"] / MS if events else 0.0
        for task in self.tasks:
            task.finish(self.end)
            task.runs = [] if raw["runs"] is not None else None
        for run in raw["runs"] or ():
            self.tasks[run["task"]].runs.append((run["from"] / MS, run["to"] / MS))

    @property
    def protocols(self):
        return ", ".join(dict.fromkeys(protocol for _, protocol in self.locks if protocol))

    def span(self):
        """What is drawn where nothing was asked for: (from, to, whether that is all)."""
        ends = sorted(at for task in self.tasks for at in task.completions)
        if len(ends) <= JOBS:
            return 0.0, self.end, True
        return 0.0, ends[JOBS - 1], False


def without(spans, holes):
    """The spans [(from, to)], less the holes."""
    left = []
    for start, end in spans:
        for low, high in sorted(holes):
            if high <= start or low >= end:
                continue
            if low > start:
                left.append((start, low))
            start = max(start, high)
        if start < end:
            left.append((start, end))
    return left


def common(spans, start, end):
    """The parts of the spans that lie within start..end."""
    return [(max(low, start), min(high, end)) for low, high in spans if low < end and high > start]


def is_trace(path):
    """Whether it is one; files that cannot be read are left to whoever reads results."""
    try:
        with open(path, encoding="utf-8") as file:
            raw = json.load(file)
    except (OSError, ValueError):
        return False
    return isinstance(raw, dict) and raw.get("format") == FORMAT


def load(path):
    """The trace in a file; BadInput where it cannot be used."""
    try:
        with open(path, encoding="utf-8") as file:
            raw = json.load(file)
        if raw.get("format") != FORMAT:
            raise BadInput(f"{path}: its format is {raw.get('format')!r}, not {FORMAT!r}")
        trace = Trace(raw, path.stem)
    except OSError as error:
        raise BadInput(f"{path}: {error.strerror}") from None
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        raise BadInput(f"{path}: not a proper trace ({error!r})") from None
    if not trace.tasks:
        raise BadInput(f"{path}: there is no task in it")
    return trace


def text(trace):
    """A line for each task."""
    heads = ("task", "CPU", "priority", "jobs", "late", "sections", "waits", "waited ms",
             "longest ms", "ran ms")
    rows = [heads]
    for task in trace.tasks:
        ran = "-" if task.runs is None else f"{sum(b - a for a, b in task.runs):.3f}"
        longest = max((wait.end - wait.start for wait in task.waits), default=0)
        rows.append((task.name, task.cpu, task.priority, len(task.completions), len(task.late),
                     len(task.sections), len(task.waits), f"{task.waited:.3f}", f"{longest:.3f}",
                     ran))
    widths = [max(len(str(row[at])) for row in rows) for at in range(len(heads))]
    lines = [f"{trace.name}: {trace.protocols or 'no lock'}"]
    for row in rows:
        lines.append("  " + "  ".join(f"{cell:<{width}}" if at == 0 else f"{cell:>{width}}"
                                      for at, (cell, width) in enumerate(zip(row, widths))))
    if trace.missing:
        lines.append(trace.missing)
    return "\n".join(lines) + "\n"
