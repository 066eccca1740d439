# SPDX-License-Identifier: MIT
"""What programs waited for, by furwock run --stat --json."""

import shlex
from collections import namedtuple

FORMAT = "furwock-stat-1"

# One process of a run; locks: most time first, conditions and the like apart.
Process = namedtuple("Process", "title number seconds locks others")

# ns: total, half: the median, most: the 99th percentile; sites: [Site]
Lock = namedtuple("Lock", "name kind waits ns half most longest sites")
Site = namedtuple("Site", "waiter holder waits ns")

ROWS = 40
HEADS = ["lock", "kind", "waits", "waited", "p50", "p99", "longest", "most of it in"]
TITLE_LENGTH = 60


def _words(location):
    return str(location["text"]) if location else "unknown"


def _lock(raw):
    sites = [Site(_words(site["waiter"]), site["holder"] and _words(site["holder"]),
                  int(site["waits"]), float(site["ns"])) for site in raw["sites"]]
    return Lock(_words(raw["object"]), str(raw["kind"]), int(raw["waits"]), float(raw["ns"]),
                float(raw["p50_ns"]), float(raw["p99_ns"]), float(raw["longest_ns"]), sites)


def _process(raw, title, seconds):
    locks = sorted(((_lock(one), bool(one["is_lock"])) for one in raw["locks"]),
                   key=lambda pair: -pair[0].ns)
    return Process(title, int(raw["process"]), seconds,
                   [lock for lock, is_lock in locks if is_lock],
                   [lock for lock, is_lock in locks if not is_lock])


def read(raw, complaint):
    """The processes of a run that waited; complaint(text) makes the exception for a bad one."""
    try:
        command = shlex.join(map(str, raw["command"]))
        if len(command) > TITLE_LENGTH:
            command = command[:TITLE_LENGTH] + "…"
        found = [_process(one, f"{one['program']}: {command}", float(raw["seconds"]))
                 for one in raw["processes"]]
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise complaint(f"figures of waits without a proper {error}") from None
    return [process for process in found if process.locks or process.others]


def total(process):
    """Nanoseconds in which threads waited for locks."""
    return sum(lock.ns for lock in process.locks)


def headline(results):
    """The figure that most readers come for."""
    from .figures.waits import duration
    most = max(results.waited, key=total)
    if not most.locks:
        return "No thread waited for a lock."
    first = most.locks[0]
    where = f", most of it in {first.sites[0].waiter}" if first.sites else ""
    return (f"The threads of {most.title} waited {duration(total(most))} for locks within "
            f"{most.seconds:.3g} s: {100 * first.ns / max(total(most), 1):.0f} % of that for "
            f"{first.name}{where}.")


def _site(lock):
    if not lock.sites:
        return ""
    first = lock.sites[0]
    taken = f", while taken in {first.holder}" if first.holder else ""
    return f"{first.waiter}{taken} ({100 * first.ns / max(lock.ns, 1):.0f} %)"


def tables(results):
    """[(title, heads, rows)] for each process."""
    from .figures.waits import duration
    found = []
    for process in results.waited:
        rows = [[lock.name, lock.kind, lock.waits, *map(duration, (lock.ns, lock.half, lock.most,
                                                                   lock.longest)), _site(lock)]
                for lock in (process.locks + process.others)[:ROWS]]
        found.append((f"what process {process.number} waited for, {process.title}", HEADS, rows))
    return found
