# SPDX-License-Identifier: MIT
"""atomicmix in tables: calls per second of both libraries, a row for each point."""

from tabulate import tabulate

from . import mix
from .compare import OURS
from .outcome import interval

METHOD = ("atomicmix: calls of the compilers' library for generic atomics, furwock's and the "
          "system's, both loaded at once. Alone: a tight loop, with a second thread asleep. "
          "Otherwise that many threads, each pinned to a CPU, on the same object, on "
          "neighbours in an array, or on objects far apart; counted are the calls of all of them. "
          "95:5 are percentages of loads and stores, 25:25:25:25 of loads, stores, exchanges and "
          "compare-exchanges. In each repetition the objects lie elsewhere.")
MILLION, NANO = 1e6, 1e-9


def millions(estimate):
    return f"{estimate.value / MILLION:.3g}" if estimate else "-"


def _in(unit, estimate):
    """With its interval, all to the same digits: three of the value."""
    if estimate is None:
        return "-"
    value, low, high = (None if x is None else x / unit for x in estimate[:3])
    digits = 2 if value < 10 else 1 if value < 100 else 0
    return interval(estimate._replace(value=value, low=low, high=high), digits)


def alone(one):
    """(heads, rows): the time of a call."""
    def time(point, lock):
        cell = one.cell(point, lock)
        return _in(NANO, cell and cell.median())

    points = [point for point in one.points() if point.where == mix.ALONE]
    return (["bytes", "calls", f"{OURS}, ns", f"{mix.BASE}, ns", f"of {mix.BASE}'s time"],
            [[mix.object_words(point), mix.mix_words(point), time(point, OURS),
              time(point, mix.BASE), interval(mix.time(one, point), 3)]
             for point in mix.in_order(points)])


def together(one):
    """(heads, rows): what all threads do in a second."""
    def speed(point, lock):
        return _in(MILLION, mix.speed(one, point, lock))

    points = [point for point in one.points() if point.where != mix.ALONE]
    return (["bytes", "calls", "objects", "threads", f"{OURS}, M/s", f"{mix.BASE}, M/s",
             "times its throughput"],
            [[mix.object_words(point), mix.mix_words(point), point.where, point.threads,
              speed(point, OURS), speed(point, mix.BASE), interval(mix.times(one, point))]
             for point in mix.in_order(points)])


WORDS = ("bytes", "calls", "objects")       # heads of columns that are words


def figures(one):
    """[(title, heads, rows)]; none is empty."""
    every = [("alone: nanoseconds of a call", *alone(one)),
             ("together: million calls per second, of all threads", *together(one))]
    return [(title, heads, rows) for title, heads, rows in every if rows]


def text(one):
    return "\n\n".join(
        f"atomicmix, {title}; 95 % intervals in brackets\n" + tabulate(
            rows, heads, disable_numparse=True,
            colalign=["left" if head in WORDS else "right" for head in heads])
        for title, heads, rows in figures(one))


def _few(one):
    """The points that a table for a terminal has: 32 bytes, by each operation, then by several."""
    alone = [point for name in mix.OPERATIONS
             for point in mix.points(one, size=mix.OBJECT, where=mix.ALONE, mix=name)
             if mix.plain(point)]
    together = [point for name in ("load", "95:5")
                for point in mix.points(one, size=mix.OBJECT, where="same", mix=name)
                if mix.plain(point)]
    return alone + together[:3]


def compact(results, bold):
    """Both libraries at a few points; "" where there is none."""
    one = mix.found(results)
    shown = _few(one) if one else []
    if not shown:
        return ""
    lines = []
    for lock in (OURS, mix.BASE):
        if lock not in one.locks():
            continue
        row = [lock] + [millions(mix.speed(one, point, lock)) for point in shown]
        lines.append([bold(word) for word in row] if lock == OURS else row)
    ratios = [mix.times(one, point) for point in shown]
    if any(ratios):
        lines.append(["ratio"] + [f"{ratio.value:.2f}" if ratio else "-" for ratio in ratios])
    heads = [f"atomic object of {mix.OBJECT} bytes\nthreads"] + [
        f"{point.mix.replace('compare-exchange', 'cmp-exch.')}\n{point.threads}"
        for point in shown]
    return (tabulate(lines, heads, disable_numparse=True,
                     colalign=["left"] + ["right"] * len(shown))
            + f"\nMillion calls per second, of all threads; higher is better.  {mix.BASE}: the "
              "compiler's.")
