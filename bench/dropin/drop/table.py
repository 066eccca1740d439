# SPDX-License-Identifier: MIT
"""The table: each case with and without the drop-in."""

from fwreport import experiment, stats
from fwreport.waketables import time

from .engine import BASE, OURS

HEAD = ["case", "threads", BASE, OURS, "ratio", "95 % interval", "goal", "", "switches", "ours"]


def by_case(document):
    """{case: {lock: cell}}, cells as tools/report has them."""
    whole = experiment.Experiment("dropin")
    whole.add(document, ValueError)
    return {point: {cell.lock: cell for cell in whole.at(point)} for point in whole.points()}


def ratio(cells):
    """The median of the rounds' ratios of times, ours to theirs; None where one is missing."""
    return experiment.ratio(cells.get(OURS), cells.get(BASE))


def outcome(estimate, goal):
    """In one word, by the median; "about" where the interval holds the goal."""
    if goal is None or estimate is None:
        return ""
    word = "reached" if estimate.value <= goal else "missed"
    if estimate.low is not None and estimate.low <= goal < estimate.high:
        word = "about " + word
    return word


def _count(cell):
    found = stats.median(list(cell.by_round("vcsw").values())) if cell else None
    return f"{found.value:.2f}" if found and found.value >= 0.005 else "-"


def row(point, cells):
    both = [cells.get(BASE), cells.get(OURS)]
    estimate, goal = ratio(cells), (both[0] or both[1]).goal.get("ratio")
    inside = ("-" if estimate is None or estimate.low is None
              else f"{estimate.low:.3f} - {estimate.high:.3f}")
    return [point.case, str(point.threads), *(time(c.median().value) if c else "-" for c in both),
            f"{estimate.value:.3f}" if estimate else "-", inside,
            f"<= {goal:g}" if goal is not None else "", outcome(estimate, goal),
            *(_count(cell) for cell in both)]


def text(document):
    lines = [HEAD] + [row(point, cells) for point, cells in by_case(document).items()]
    widths = [max(len(line[i]) for line in lines) for i in range(len(HEAD))]
    parts = ["  ".join(word.ljust(width) for word, width in zip(line, widths)).rstrip()
             for line in lines]
    parts += [f"{cell['case']} with {cell['lock']}: {fault['what']}"
              for cell in document["cells"] for fault in cell["failures"]]
    parts += ["", f"{document['rounds']} rounds, by turns; time of a call, a pair of calls, or a "
              "round (broadcast); ratio: the median", "of the rounds' ratios, less is better; "
              "switches: voluntary ones for each of these, or each woken thread"]
    return "\n".join(parts + document["notes"])
