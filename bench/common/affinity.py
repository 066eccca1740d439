# SPDX-License-Identifier: MIT
"""For tests: on which CPUs the threads may run that a program has started."""

import os
import pathlib
import subprocess
import time

PATIENCE_S = 60


def _children():
    """{process id: its parent's} of all that there are."""
    found = {}
    for path in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            found[int(path.parent.name)] = int(path.read_text().rpartition(")")[2].split()[1])
        except (OSError, ValueError, IndexError):
            continue
    return found


def _told(pid):
    """The children of a process, as a kernel tells them that has this file; else OSError."""
    return {int(child) for tasks in [os.listdir(f"/proc/{pid}/task")] for task in tasks
            for child in pathlib.Path(f"/proc/{pid}/task/{task}/children").read_text().split()}


def _below(pid):
    """The processes below it: a look at all that there are takes a hundred times as long."""
    if os.path.exists("/proc/thread-self/children"):
        below, more = set(), {pid}
        while more:
            at = more.pop()
            try:
                more |= _told(at) - below
            except OSError:
                continue        # it has ended
            below |= more
        return below
    parents, below = _children(), set()
    more = {pid}
    while more:
        more = {child for child, parent in parents.items() if parent in more} - below
        below |= more
    return below


def _allowed(pid):
    """The sets of CPUs of its threads."""
    found = set()
    try:
        for task in os.listdir(f"/proc/{pid}/task"):
            found.add(frozenset(os.sched_getaffinity(int(task))))
    except OSError:
        pass                    # it has ended
    return found


def of_single_cpus(words):
    """Runs it: on which CPUs threads below it were at home, of those that had one only."""
    found = set()
    with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                          text=True) as front:
        until = time.monotonic() + PATIENCE_S
        while front.poll() is None and time.monotonic() < until:
            for pid in _below(front.pid):
                found |= {min(cpus) for cpus in _allowed(pid) if len(cpus) == 1}
            time.sleep(0.005)
        said = front.communicate()[1]
    if front.returncode != 0:
        raise AssertionError(f"status {front.returncode}: {said}")
    return found


def seen_on_single_cpus(words, wanted):
    """The same, in as many runs as it takes to see all that are wanted: where the machine is busy,
    what a run has started may have ended before it is looked at."""
    found, until = set(), time.monotonic() + 5 * PATIENCE_S
    while not wanted <= found and time.monotonic() < until:
        found |= of_single_cpus(words)
    return found
