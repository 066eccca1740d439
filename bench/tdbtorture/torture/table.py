# SPDX-License-Identifier: MIT
"""Table 3: completion times, today's with the paper's beside them, and the goals."""

import math
import statistics

from flex import stats
from flex.show import number, table

from .published import BASE, LIKE, MOST, MUTEX, MUTEX_MOST, OURS, PAPER, then

WIDE = 10                                      # an interval from x to 10x says nothing


def times(document, lock, level):
    """{round: seconds}"""
    return {run["round"]: run["seconds"] for cell in document["cells"] for run in cell["runs"]
            if (cell["lock"], cell["level"]) == (lock, level)}


def ratio(document, lock, base, level):
    """(value, low, high) of the times of both, compared within rounds; None where there are none.

    low and high are the 95 % confidence interval, or None.
    """
    above, below = times(document, lock, level), times(document, base, level)
    logs = [math.log(above[r] / below[r]) for r in above if r in below]
    return stats.mean_ratio(logs)


def ratio_text(found):
    if found is None:
        return "-"
    value, low, high = found
    if low is None or high > WIDE * low:
        return f"{value:.2f}" + ("" if low is None else " [very wide]")
    return f"{value:.2f} [{low:.2f}, {high:.2f}]"


def seconds_text(found):
    values = list(found.values())
    if not values:
        return "-"
    half = stats.half_width(values)
    return f"{statistics.median(values):.3g}" + ("" if half is None else f" +- {half:.2g}")


def main_table(document):
    locks = list(dict.fromkeys(cell["lock"] for cell in document["cells"]))
    levels = list(dict.fromkeys(cell["level"] for cell in document["cells"]))
    rows = []
    for lock in locks:
        row = [lock]
        for level in levels:
            before, base = then(lock, level), PAPER[BASE][level]
            row += [seconds_text(times(document, lock, level)), number(before, ".4g"),
                    ratio_text(ratio(document, lock, BASE, level)),
                    number(before and before / base, ".2f")]
        rows.append(row)
    headers = ["locks"]
    for level in levels:
        headers += [f"{level}: s", "2002", f"/{BASE}", "2002"]
    return table(rows, headers)


def like_for_like(document):
    """What replaces just the locks of TDB's own mutex mode, beside it; None: not measured."""
    levels = list(dict.fromkeys(cell["level"] for cell in document["cells"]))
    found = [(level, times(document, LIKE, level), times(document, MUTEX, level),
              ratio(document, LIKE, MUTEX, level)) for level in levels]
    if not any(both for *_, both in found):
        return None
    return table([[level, seconds_text(ours), seconds_text(theirs), ratio_text(both)]
                  for level, ours, theirs, both in found],
                 ["like for like", f"{LIKE}: s", f"{MUTEX}: s", f"/{MUTEX}"])


def goals(document):
    """(name, wanted, (value, low, high) or None, reached) of each goal"""
    levels = list(dict.fromkeys(cell["level"] for cell in document["cells"]))
    found = []
    for level in levels:
        for lock, base, most in ((OURS, BASE, MOST[level]), (LIKE, MUTEX, MUTEX_MOST)):
            r = ratio(document, lock, base, level)
            found.append((f"{level}: {lock} of {base}", most, r, r and r[0] <= most))
    return found


def text(document):
    s = document["settings"]
    parts = [f"Completion times, seconds, medians of up to {s['rounds']} rounds; {s['loops']} "
             f"operations of each process ({document['source']});\nbeside them the paper's, of "
             "2002, with 200000 operations", main_table(document)]
    parts += [like_for_like(document)] if like_for_like(document) else []
    lines = [f"{name} {ratio_text(r)}, wanted at most {most:g}: "
             f"{'not measured' if r is None else 'reached' if good else 'missed'}"
             for name, most, r, good in goals(document)]
    parts.append("\n".join(lines))
    parts += [f"! {cell['lock']}, {cell['level']}: {cell['failures'][0]['what']}"
              for cell in document["cells"] if cell["failures"]]
    return "\n\n".join(parts + document["notes"])
