# SPDX-License-Identifier: MIT
"""rtlatency in tables: pairs that meet nobody, and the paper's Table 1 and Figure 1."""

import html

from tabulate import tabulate

from . import rtlatency
from .outcome import interval

METHOD = ("rtlatency, after section V of the paper on real-time futexes (RTSS 2014). Pairs: the "
          "least urgent task of a CPU locks and unlocks while the others of its group sleep. Table "
          "1: periodic tasks with a section in each job; time in which a task did not run is "
          "taken out, and equally many samples of each protocol are drawn by chance. The paper's "
          "cycles are those of a processor of 1 GHz, so they stand beside nanoseconds. A change "
          "is against the protocol's own kind without deferred updates; on one CPU, of the "
          "others, against PCP. Figure 1: what a task spends from the end of a job to the "
          "beginning of the next one while it does not sleep: in the scheduler, and in what the "
          "library does for tasks that wake up.")


def _calls(value):
    return "-" if value is None else f"{value:.3f}"


PAIR_HEADS = ["protocol", "ns", f"of {rtlatency.INHERIT}", f"of {rtlatency.PROTECT}",
              "of its own baseline", "system calls"]


def pair_row(one, point, cell):
    middle = cell.median()
    ns = middle._replace(**{end: getattr(middle, end) and getattr(middle, end) * 1e9
                            for end in ("value", "low", "high")})
    return [cell.lock, interval(ns, 1),
            interval(rtlatency.of(one, point, cell.lock, rtlatency.INHERIT)),
            interval(rtlatency.of(one, point, cell.lock, rtlatency.PROTECT), 3),
            interval(rtlatency.of(one, point, cell.lock,
                                  rtlatency.BASELINES.get(cell.lock)), 3),
            _calls(rtlatency.calls(one, point, cell.lock))]


def pairs(one):
    """[(title, heads, rows)]: a table for each number of tasks."""
    return [("lock and unlock that meet nobody, " + rtlatency.title(point), PAIR_HEADS,
             [pair_row(one, point, cell) for cell in one.at(point)])
            for point in rtlatency.points(one, rtlatency.PAIRS)]


def _cell(value, ratio):
    if value is None:
        return "-"
    return f"{value:.0f}" + ("" if ratio is None else f" ({100 * (ratio - 1):+.0f}%)")


def _rows(one, point, sample, figure):
    locks = [cell.lock for cell in rtlatency.protocols(one, point)]
    for words, value in ((rtlatency.FIGURES[figure], rtlatency.nanoseconds),
                         ("in the paper", rtlatency.published)):
        yield [words] + [_cell(value(one.cell(point, lock), sample, figure),
                               rtlatency.change(one, point, lock, sample, figure, value))
                         for lock in locks]


def _block(one, point, sample, words):
    """The rows of a kind of call."""
    found = rtlatency.samples(one, point, sample)
    if not found and sample in rtlatency.APART:
        return
    yield [f"{words.upper()} ({found})"] + [""] * len(rtlatency.protocols(one, point))
    for figure in rtlatency.FIGURES:
        rows = [row for row in _rows(one, point, sample, figure) if set(row[1:]) != {"-"}]
        yield from rows if sample in rtlatency.SAMPLES else rows[:1]


def table1(one):
    """[(title, heads, rows)]: a table for each set of tasks."""
    tables = []
    for point in rtlatency.of_the_paper(one):
        rows = []
        for sample, words in (rtlatency.SAMPLES | rtlatency.APART).items():
            rows += _block(one, point, sample, words)
        tables.append((f"Table 1, {rtlatency.title(point)}, runs of {point.run_ms} ms: ns",
                       ["(samples of each)"]
                       + [cell.lock for cell in rtlatency.protocols(one, point)], rows))
    return tables


def needless_calls(one):
    """[(title, heads, rows)]: baselines with and without a system call that they need not make."""
    tables = []
    for point in rtlatency.with_needless_calls(one):
        locks = [cell.lock for cell in one.at(point)]
        rows = [[f"{words}, {rtlatency.FIGURES[figure]}"]
                + [_cell(rtlatency.nanoseconds(one.cell(point, lock), sample, figure),
                         rtlatency.change(one, point, lock, sample, figure)) for lock in locks]
                for sample, words in rtlatency.SAMPLES.items() for figure in ("average", "median")]
        tables.append((f"a needless call, {rtlatency.title(point)}, runs of {point.run_ms} ms: ns",
                       [""] + locks, [row for row in rows if set(row[1:]) != {"-"}]))
    return tables


def _at_percent(one, point, lock, percent):
    """"4321 (+65)": what scheduling costs, and how much more than the baseline's that is."""
    value = rtlatency.percentile(one.cell(point, lock), percent)
    base = rtlatency.percentile(one.cell(point, rtlatency.BASELINES.get(lock)), percent)
    if value is None:
        return "-"
    return f"{value:.0f}" + ("" if base is None else f" ({value - base:+.0f})")


def figure1(one):
    """[(title, heads, rows)]: the distribution as percentiles, for each set of tasks."""
    tables = []
    for point in rtlatency.of_the_paper(one):
        locks = [cell.lock for cell in rtlatency.protocols(one, point)
                 if rtlatency.distribution(cell)]
        if not locks:
            continue
        rows = [[f"{percent:g} %"] + [_at_percent(one, point, lock, percent) for lock in locks]
                for percent in rtlatency.PERCENTS]
        adds = [rtlatency.PAPER_ADDS.get(lock) for lock in locks]
        rows.append(["in the paper, about"] + [f"(+{add})" if add else "" for add in adds])
        found = rtlatency.samples(one, point, rtlatency.SCHEDULING)
        tables.append((f"Figure 1, {rtlatency.title(point)}: scheduling, ns, and more than its "
                       "baseline's", [f"({found} samples of each)"] + locks, rows))
    return tables


def _all(one):
    return pairs(one) + table1(one) + needless_calls(one) + figure1(one)


def text(one):
    return "\n\n".join(
        f"{rtlatency.NAME}: {title}\n" + tabulate(rows, heads, disable_numparse=True,
                                                colalign=["left"] + ["right"] * (len(heads) - 1))
        for title, heads, rows in _all(one))


def page(results, tables):
    """For the page; `tables` makes HTML of rows."""
    one = rtlatency.found(results)
    if not one:
        return ""

    def ours(row):
        return row[0] in rtlatency.BASELINES

    parts = [f"<h3>{html.escape(title[0].upper() + title[1:])}</h3>"
             + tables.table(heads, rows, texts=(0,), ours=ours)
             for title, heads, rows in _all(one)]
    return "\n".join(parts) + f'<p class="soft">{html.escape(rtlatency.SOURCE)}.</p>'


def compact(results, bold):
    """The time of a pair beside PRIO_INHERIT's; "" where there is none."""
    one = rtlatency.found(results)
    points = rtlatency.points(one, rtlatency.PAIRS) if one else []
    if not points:
        return ""
    rows = []
    for lock in dict.fromkeys(cell.lock for point in points for cell in one.at(point)):
        ratios = [rtlatency.of(one, point, lock, rtlatency.INHERIT) for point in points]
        row = [lock] + [f"{ratio.value:.2f}" if ratio else "" for ratio in ratios]
        rows.append([bold(word) for word in row] if lock in rtlatency.BASELINES else row)
    heads = ["real-time tasks on the CPU"] + [f"{point.tasks}" for point in points]
    return (tabulate(rows, heads, disable_numparse=True,
                     colalign=["left"] + ["right"] * len(points))
            + f"\nTime of a lock and unlock that meet nobody over {rtlatency.INHERIT}'s; lower is "
              "better.")
