# SPDX-License-Identifier: MIT
"""The table: a part for each shape, a row for each peer."""

import statistics

from flex.show import duration, rate, table

from . import bars, ratio

BASE = "furwock"
TASKS_LEAST = 1000              # for which memory for each is told
HEAD = ["locks / CPU s", "of furwock", "locks / s", "wait: median", "99 %", "longest",
        "bytes a task", "operation"]


def by_round(cell, value):
    return {run["round"]: value(run) for run in cell["runs"]}


def per_cpu_second(run):
    return run["locks"] / run["cpu_seconds"]


def middle(cell, value):
    found = list(by_round(cell, value).values())
    return statistics.median(found) if found else None


def row(cell, base):
    if not cell["runs"]:
        return [cell["lock"], *["-"] * len(HEAD)]
    waits = [middle(cell, lambda run, i=i: run["wait_ns"][i]) for i in range(3)]
    operation = cell["runs"][0]["operation_bytes"]
    return [cell["lock"], rate(middle(cell, per_cpu_second)),
            "1" if cell is base else ratio.text(base and ratio.of(cell, base, per_cpu_second)),
            rate(middle(cell, lambda run: run["locks"] / run["seconds"])),
            *map(duration, waits), memory(cell), str(operation) if operation else "-"]


def memory(cell):
    """Of few tasks it is that of the threads."""
    if cell["tasks"] < TASKS_LEAST:
        return "-"
    return f"{middle(cell, lambda run: run['bytes']):.0f}"


def shape_text(cells):
    one = cells[0]
    base = next((cell for cell in cells if cell["lock"] == BASE and cell["runs"]), None)
    title = (f"{one['tasks']} tasks on {one['threads']} threads, {one['locks']} "
             f"lock{'s' if one['locks'] > 1 else ''}: {one['passes']} times each lock, yield, "
             "unlock")
    if one["shared"]:
        title += (f"; {one['shared']} of the locks\nlie in a region, and a second process with as "
                  "many tasks and threads competes for them")
    return title + "\n\n" + table([row(cell, base) for cell in cells], ["locks of", *HEAD])


def text(document):
    shapes = list(dict.fromkeys(cell["shape"] for cell in document["cells"]))
    parts = [(bars.text if shape == bars.SHAPE else shape_text)(
                 [cell for cell in document["cells"] if cell["shape"] == shape])
             for shape in shapes]
    parts += [f"! {cell['lock']}, {cell.get('bar', cell['shape'])}: {cell['failures'][0]['what']}"
              for cell in document["cells"] if cell["failures"]]
    parts += [f"! {name}: left out: {why}" for name, why in document["missing"]]
    parts.append("Medians of the rounds; ratios within rounds. A wait: from asking for the lock to "
                 "holding it. Bytes: resident\nmemory for each task while all wait; of them the "
                 "lock's operation, where it is known.")
    return "\n\n".join(parts + document["notes"])
