# SPDX-License-Identifier: MIT
"""Medians, ratios within rounds, goals."""

from fwreport import stats

from .workdir import PLAIN
from .program import NEVER_BELOW

COUNTING = "counting"


def values(document, program, figure, locks):
    """{round: value}"""
    return {run["round"]: run["value"] for cell in document["cells"] for run in cell["runs"]
            if (cell["program"], cell["figure"], cell["locks"]) == (program, figure, locks)}


def base_of(document, cell):
    """Whose locks it is compared with: counting with not counting, others with the C library."""
    bases = ["furwock", PLAIN.name] if cell["locks"] == COUNTING else [PLAIN.name]
    there = {other["locks"] for other in document["cells"]}
    return next((name for name in bases if name in there), PLAIN.name)


def goal_of(cell):
    """What is gained is evaluated once, where nothing is counted; counting may not cost much."""
    if cell["goal"] is None:
        return None
    return NEVER_BELOW if cell["locks"] == COUNTING else cell["goal"]


def ratio(document, cell):
    """How much better than with the other locks, above 1: better; None if not known."""
    here = {run["round"]: run["value"] for run in cell["runs"]}
    base = values(document, cell["program"], cell["figure"], base_of(document, cell))
    if not here or not base:
        return None
    return stats.ratio(here, base) if cell["more"] else stats.ratio(base, here)


def per_cpu(cell):
    """{round: work for each second of CPU time}: what other programs take does not count."""
    found = {}
    for run in cell["runs"]:
        if run.get("cpu"):
            found[run["round"]] = (run["value"] if cell["more"] else 1) / run["cpu"]
    return found


def cpu_ratio(document, cell):
    """The ratio of work for each second of CPU time."""
    name = base_of(document, cell)
    base = next((other for other in document["cells"] if other["locks"] == name and
                 (other["program"], other["figure"]) == (cell["program"], cell["figure"])), None)
    here, there = per_cpu(cell), per_cpu(base) if base else {}
    return stats.ratio(here, there) if here and there else None


def outcome(estimate, goal):
    """What a ratio says about its goal: an interval that reaches over it leaves it open."""
    if goal is None or estimate is None:
        return ""
    if estimate.low is not None and estimate.low < goal <= estimate.high:
        return "open"
    return "reached" if estimate.value >= goal else "missed"


def ratio_text(estimate):
    if estimate is None:
        return "-"
    if estimate.low is None:
        return f"{estimate.value:.3f}"
    return f"{estimate.value:.3f} [{estimate.low:.3f}, {estimate.high:.3f}]"


def median_text(found):
    estimate = stats.median(list(found))
    return "-" if estimate is None else f"{estimate.value:.4g}"


def rows(document):
    found = []
    for cell in document["cells"]:
        if cell["locks"] == PLAIN.name:
            continue
        name, goal = base_of(document, cell), goal_of(cell)
        base = values(document, cell["program"], cell["figure"], name)
        r = ratio(document, cell)
        found.append([cell["program"], cell["figure"], cell["unit"],
                      cell["locks"] + (f" of {name}" if name != PLAIN.name else ""),
                      median_text(base.values()),
                      median_text(run["value"] for run in cell["runs"]), ratio_text(r),
                      ratio_text(cpu_ratio(document, cell)),
                      "" if goal is None else f"{goal:g}", outcome(r, goal)])
    return found


def text(document):
    from tabulate import tabulate
    parts = []
    found = rows(document)
    if found:
        parts.append(tabulate(found, ["program", "figure", "unit", "locks", "without", "with",
                                      "ratio", "for CPU time", "goal", ""], tablefmt="simple",
                              disable_numparse=True))
        parts.append("Medians; the ratios are taken within rounds, above 1 is better, with 95 % "
                     "intervals: of the\nfigure, and of work for each second of CPU time.")
    else:
        parts.append("\n".join(
            f"{cell['program']}, {cell['figure']}: "
            f"{median_text(run['value'] for run in cell['runs'])} {cell['unit']}"
            for cell in document["cells"]))
    seen = set()
    for cell in document["cells"]:
        for failure in cell["failures"]:
            line = (f"! {cell['program']} with {cell['locks']}, round {failure['round']}: "
                    f"{failure['what']}")
            if line not in seen:
                seen.add(line)
                parts.append(line)
    parts += [f"skipped {entry['program']}: {entry['why']}" for entry in document["skipped"]]
    return "\n\n".join(part for part in parts if part)
