# SPDX-License-Identifier: MIT
"""Tables for people."""

from tabulate import tabulate

from flex import stats
from flex.plan import REFERENCE

# What the others are compared with: the first of these that was measured.
BASES = ("pthread", "sysv")
RW_BASES = ("pthread-rw", "pthread")
STYLE = "simple"

# Columns of a table with a column for each lock: in all, for the names of the configurations, for a
# number, and between two of them.
WIDTH, LABEL, CELL, GAP = 110, 40, 7, 2


def table(rows, headers, **how):
    if not rows:
        return "nothing was measured"
    return tabulate(rows, headers=headers, tablefmt=STYLE, disable_numparse=True,
                    colalign=("left",) + ("right",) * (len(headers) - 1), **how)


def rate(value):
    """Iterations per second with three digits: 81.2k, 2.65M."""
    if value is None:
        return "-"
    for factor, unit in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= factor * 0.9995:
            form = ".3g" if value < 999.5 * factor else ".0f"
            return f"{value / factor:{form}}{unit}"
    return f"{value:.3g}"


def duration(ns):
    """850ns, 12us, 3.4ms, 1.2s"""
    if ns is None:
        return "-"
    for factor, unit in ((1e9, "s"), (1e6, "ms"), (1e3, "us")):
        if ns >= factor * 0.9995:
            form = ".2g" if ns < 99.5 * factor else ".0f"
            return f"{ns / factor:{form}}{unit}"
    return f"{ns:.0f}ns"


def number(value, form, factor=1):
    return "-" if value is None else format(value * factor, form)


def base_of(store, config, locks):
    for name in BASES if config.share is None else RW_BASES:
        cell = store.find(config, name)
        if name in locks and cell is not None and cell["throughput"]["n"]:
            return name
    return None


def _row(store, config, lock, base):
    cell = store.find(config, lock)
    if cell is None or not cell["runs"]:
        return None
    throughput = cell["throughput"]
    half = throughput["ci95"]
    never = stats.median_of(cell, "reacquire", "never")
    return [lock, rate(throughput["median"]) + ("?" if cell["short"] else ""),
            "-" if half is None else f"{100 * half / throughput['mean']:.1f}%",
            number(stats.ratio(cell, store.find(config, base)) if base else None, ".2f"),
            number(stats.median_of(cell, "coeff"), ".3f"),
            number(stats.median_of(cell, "contention"), ".1f", 100),
            number(never if config.tasks > config.locks else None, ".1f", 100),
            duration(stats.median_of(cell, "wait_ns", "p50")),
            duration(stats.median_of(cell, "wait_ns", "p99")),
            duration(stats.max_of(cell, "wait_ns", "max")),
            number(stats.median_of(cell, "syscalls"), ".2f"),
            number(stats.median_of(cell, "fences_per_s"), ".0f"),
            number(stats.median_of(cell, "vcsw"), ".2f"),
            number(stats.median_of(cell, "ivcsw"), ".3f"),
            duration(stats.median_of(cell, "cpu_ns")), _burnt(cell)]


def _burnt(cell):
    """Work that was calibrated on a faster moment may seem to have cost less than nothing."""
    burnt = stats.median_of(cell, "burnt_ns")
    return duration(None if burnt is None else max(0.0, burnt))


MARKS = """\
~: the 95 % confidence interval is wider than asked for, or unknown.  ?: runs shorter than some
turns of the scheduler.  !: see below."""

# A figure alone decides nothing: its interval does.
JUDGED = "Whether that is reached, tools/report says from the result file."

LEGEND = """\
it/s: iterations per second, median of the runs.  +-: half the 95 % confidence interval of the mean.
coeff: standard deviation of the tasks' counts over their mean.  taken: lock calls that found the
lock taken.  never: acquisitions after which the same task did not get the lock back at once.
Waits: lock calls, in runs of their own.  Per iteration: system calls, context switches that were
asked for (vcsw) and not (ivcsw), CPU time, and what of it was not work (burnt).  fences/s: calls of
membarrier(2) per second of the run, each of which interrupts the CPUs that run the process."""


def single(store, config, locks):
    """One configuration in full: a row for each lock."""
    base = base_of(store, config, locks)
    rows = [row for row in (_row(store, config, lock, base) for lock in locks) if row]
    headers = ["lock", "it/s", "+-", f"/{base}" if base else "ratio", "coeff", "taken %", "never %",
               "wait p50", "p99", "max", "syscalls", "fences/s", "vcsw", "ivcsw", "cpu",
               "burnt"]
    title = (f"{config}: {config.nlht_us:g} us outside the lock and {config.lht_us:g} us inside, "
             "on average")
    return title + "\n\n" + table(rows, headers)


def _parts(names):
    """The names in groups, each of which fits into a table of WIDTH columns."""
    parts, left = [], 0
    for name in names:
        needs = max(len(name), CELL) + GAP
        if needs > left:
            parts.append([])
            left = WIDTH - LABEL
        parts[-1].append(name)
        left -= needs
    return parts


def matrix(store, groups, value, title, last=None, label=str, head="(outside,inside) us"):
    """A row for each configuration, a column for each lock; wide tables are cut into several.

    value(store, config, locks, lock) gives the text of a cell; last(column of configs) a last row;
    label(config) the name of a row, and head what is written above these.
    """
    names = list(dict.fromkeys(lock for _, locks in groups for lock in locks))
    parts = []
    for part in _parts(names):
        rows = [[label(config)] + [value(store, config, locks, lock) for lock in part]
                for config, locks in groups]
        if last is not None:
            rows.append([last[0]] + [last[1](lock) for lock in part])
        parts.append(table(rows, [head] + list(part)))
    return title + "\n\n" + "\n\n".join(parts)


def ratio_text(store, config, locks, lock):
    base = base_of(store, config, locks)
    cell = store.find(config, lock)
    if cell is None or base is None:
        return "-"
    r = stats.ratio(cell, store.find(config, base))
    return number(r, ".2f") + _marks(cell)


def rate_text(store, config, _locks, lock):
    cell = store.find(config, lock)
    return "-" if cell is None else rate(cell["throughput"]["median"]) + _marks(cell)


def _marks(cell):
    """What MARKS says."""
    if cell["failures"]:
        return "!"
    if cell["short"]:
        return "?"
    return "" if cell["narrow"] or not cell["runs"] else "~"


def grid(store, groups):
    """Many configurations: throughput as a ratio, and the geometric mean of each lock."""
    measured = [(c, locks) for c, locks in groups if c.experiment != REFERENCE and any(
        (cell := store.find(c, lock)) and cell["runs"] for lock in locks)]
    measured.sort(key=lambda g: (g[0].experiment, g[0].locks, g[0].lht_us, g[0].nlht_us,
                                 g[0].tasks))
    if not measured:
        return "nothing was measured"
    bases = {base_of(store, c, locks) for c, locks in measured} - {None}

    def mean(lock):
        ratios = [stats.ratio(store.find(c, lock), store.find(c, base_of(store, c, locks)))
                  for c, locks in measured if base_of(store, c, locks)]
        return number(stats.geometric_mean(ratios), ".2f")

    if not bases:
        return matrix(store, measured, rate_text, "Throughput, iterations per second")
    title = "Throughput over that of " + " or ".join(sorted(bases))
    return (matrix(store, measured, ratio_text, title, ("geometric mean", mean))
            + "\n\n" + MARKS)


def failures(store):
    """What did not work, one line for each kind of failure."""
    points = {}
    for config, lock, what in store.failures():
        points.setdefault((lock, what), []).append(config)
    lines = []
    for (lock, what), configs in points.items():
        more = f" and in {len(configs) - 1} more" if len(configs) > 1 else ""
        lines.append(f"! {lock}: {what}, in {configs[0]}{more}")
    return "\n".join(lines)


def missing(absent):
    return "\n".join(f"not here: {m['lock']} ({m['why']})" for m in absent)


def listing(locks, sharing):
    """--list, of the mutexes or of the read-write locks"""
    here = locks.rw_by_name if sharing else locks.by_name
    rows = [[name, lock["family"], f"{lock['size']}",
             "yes" if lock["shared"] else "no", "yes" if lock["blocks"] else "no",
             lock["preference"] if sharing else "yes" if lock["fair"] else "no", lock["about"]]
            for name, lock in here.items()]
    headers = ["read-write lock" if sharing else "lock", "family", "bytes", "processes", "blocks",
               "prefers" if sharing else "fair", "what it is"]
    text = tabulate(rows, headers=headers, tablefmt=STYLE, disable_numparse=True,
                    colalign=("left", "left", "right", "left", "left", "left", "left"))
    gone = missing(locks.absent(sharing))
    return text + ("\n\n" + gone if gone else "")
