# SPDX-License-Identifier: MIT
"""The tables and the text of the page."""

import html

from . import (adaptive, between, compare, futexlock, goals, ideal, lifo, lifotables,
               lockmixtables, made, mix, mixtables, paper, rttables, stats, summary,
               waketables)
from .compare import FAIR, OURS, PTHREAD
from .markdown import percent_above, percent_of, span

CLASSES = {goals.REACHED: "reached", goals.OPEN: "open", goals.MISSED: "missed",
           goals.UNKNOWN: "unknown"}


class Safe(str):
    """Text that is HTML already."""


def cell_html(value, tag="td", kind=""):
    text = value if isinstance(value, Safe) else html.escape(str(value))
    return f"<{tag}{f' class={kind}' if kind else ''}>{text}</{tag}>"


def table(head, rows, texts=(), ours=lambda row: False):
    """An HTML table; `texts` are the columns that are words, not figures."""
    kinds = ["text" if at in texts else "" for at in range(len(head))]
    lines = ["<thead><tr>" + "".join(map(cell_html, head, ["th"] * len(head), kinds))
             + "</tr></thead><tbody>"]
    for row in rows:
        lines.append(f"<tr{' class=ours' if ours(row) else ''}>"
                     + "".join(map(cell_html, row, ["td"] * len(row), kinds)) + "</tr>")
    return '<div class="scroll"><table>' + "\n".join(lines) + "</tbody></table></div>"


def folded(title, text):
    return f"<details><summary>{html.escape(title)}</summary>{text}</details>" if text else ""


def _goal_row(goal):
    state = Safe(f'<span class="{CLASSES[goal.state]}">{goal.state}</span>')
    got = html.escape(goal.got)
    if goal.short:
        lines = "".join(f"<li>{html.escape(line)}</li>" for line in goal.short)
        got += f"<details><summary>which fall short</summary><ul>{lines}</ul></details>"
    return (f'<tr><td class="wrap">{html.escape(goal.name)}</td>'
            f'<td class="text wrap">{html.escape(goal.want)}</td>'
            f'<td class="text wrap">{got}</td><td class="text">{state}</td></tr>')


def _goal_rows(found):
    head = "".join(cell_html(name, "th", "text") for name in ("what", "goal", "found", "outcome"))
    return (f'<div class="scroll"><table><thead><tr>{head}</tr></thead><tbody>'
            + "\n".join(map(_goal_row, found)) + "</tbody></table></div>")


def goals_table(results):
    """Those that the results speak of; folded, those of which they say nothing."""
    every = goals.all_goals(results)
    known = [goal for goal in every if goal.state != goals.UNKNOWN]
    unknown = [goal for goal in every if goal.state == goals.UNKNOWN]
    parts = [_goal_rows(known)] if known else []
    if unknown:
        parts.append(folded(f"{len(unknown)} goals of which these results say nothing",
                            _goal_rows(unknown)))
    return "\n".join(parts) + (
        '<p class="soft">Brackets hold 95 % confidence intervals. Reached and missed: the whole '
        "interval lies on that side of the goal. Open: it does not, or there are fewer than six "
        "repetitions, of which no interval is told.</p>")


def every_cell(results):
    parts = []
    for experiment, name in summary.EXPERIMENTS:
        for kind in results.kinds(experiment):
            rows = summary.cells_table(results, experiment, kind)
            for row in rows:
                if row[5].endswith("<"):
                    row[5] = Safe(f'<span class="low">▼ {row[5][:-2]}</span>')
            if rows:
                parts.append(folded(f"All cells of {name} in figures, {kind}", table(
                    summary.CELL_HEADINGS, rows, texts=(4,))))
    return "\n".join(parts)


def adaptive_cells(results):
    """Every cell of the plan adaptive."""
    return "\n".join(folded(title[0].upper() + title[1:], table(
        heads, rows, texts=tuple(at for at, head in enumerate(heads) if head == "best rival")))
        for title, heads, rows in adaptive.tables(results))


def improvement_intro(results):
    if not improvement(results):
        return ""
    return ("<p>Franke, Russell and Kirkwood, <cite>Fuss, Futexes and Furwocks: Fast Userlevel "
            "Locking in Linux</cite> (Ottawa Linux Symposium 2002), section 4.1, compared eight "
            "user-level locks with System V semaphores. The same locks today, with furwock and "
            "pthread's mutex among them.</p>")


def _percent(ratio):
    return "" if ratio is None else percent_above(ratio, 1)


def improvement(results):
    """Tables 1 and 2: percent over System V, the paper's beside today's."""
    parts = []
    for kind in results.kinds("tables"):
        for title, locks in paper.TABLES:
            ours = FAIR if set(locks) <= set(paper.FAIR_LOCKS) else OURS
            rows = [row for spot in results.spots("tables", kind) if paper.covers(spot)
                    for row in [_improvement_row(results, spot, locks, ours)] if row]
            if not rows:
                continue
            head = ["tasks", "(nlht,lht)"]
            for lock in locks:
                head += [f"{lock} 2002", f"{lock} today"]
            parts.append(f"<h3>{html.escape(title)}, {kind}: percent improvement over System V"
                         "</h3>" + table(head + [ours], rows))
    return "\n".join(parts)


def _improvement_row(results, spot, locks, ours):
    """None where none of the paper's locks was measured."""
    base = results.cell(spot, paper.BASE)
    if base is None or not any(results.cell(spot, lock) for lock in locks):
        return None
    row = [spot.tasks, compare.configuration(spot)]
    for lock in locks:
        then = paper.improvement(lock, spot.tasks, (spot.nlht, spot.lht))
        row.append(Safe("" if then is None else
                        f'<span class="then">{(then - 1) * 100:+.1f}</span>'))
        row.append(_percent(compare.throughput_ratio(results.cell(spot, lock), base)))
    row.append(_percent(compare.throughput_ratio(results.cell(spot, ours), base)))
    return row


def efficiency(results):
    """Throughput in percent of a run without lock calls."""
    spots = [s for s in results.spots("efficiency") if results.cell(s, "none")]
    if not spots:
        return ""
    locks = [lock for lock in results.locks("efficiency") if lock != "none"]
    head = ["lock"] + [f"{s.tasks} task{'s' if s.tasks > 1 else ''}, {s.locks} "
                       f"lock{'s' if s.locks > 1 else ''}, "
                       f"{s.nlht + s.lht:g} µs{'' if s.kind == 'threads' else ', ' + s.kind}"
                       for s in spots]
    rows = []
    for lock in locks:
        ratios = [compare.throughput_ratio(results.cell(s, lock), results.cell(s, "none"))
                  for s in spots]
        rows.append([lock] + list(map(percent_of, ratios)))
    for name in (paper.BASE, paper.USER_LEVEL):
        then = [paper.EFFICIENCY.get((s.tasks, s.locks, s.nlht + s.lht), {}).get(name)
                for s in spots]
        rows.append([f"{name}, 2002"] + list(map(span, then)))
    return ("<h3>Efficiency: throughput in percent of a run without lock calls</h3>"
            + table(head, rows, ours=lambda row: row[0] == OURS)
            + '<p class="soft">The columns say how long an iteration works, held and not held '
            "together.</p>")


KERNEL_METRICS = (("system calls", "syscalls"), ("voluntary switches", "vcsw"),
                  ("involuntary switches", "ivcsw"))


def kernel(results):
    """Per iteration: system calls, context switches and CPU time, for a few locks."""
    parts = []
    for experiment, name in summary.EXPERIMENTS:
        for kind in results.kinds(experiment):
            rows = [row for spot in results.spots(experiment, kind)
                    for row in _kernel_rows(results, spot)]
            if rows:
                text = table(["tasks", "(nlht,lht)", "locks", "lock"]
                             + [title for title, _ in KERNEL_METRICS]
                             + ["CPU µs", "burnt µs"], rows,
                             texts=(3,), ours=lambda row: row[3] == OURS)
                parts.append(f"<h3>Per iteration, {name}, {kind}</h3>{text}" if experiment ==
                             "tables" else folded(f"Per iteration, {name}, {kind}", text))
    return "\n".join(parts)


def _kernel_rows(results, spot):
    rival = compare.best_blocking_rival(results, spot)
    locks = dict.fromkeys([OURS, PTHREAD] + ([rival.lock] if rival else []))
    rows = []
    for lock in locks:
        cell = results.cell(spot, lock)
        if cell is None:
            continue
        figures = [stats.mean(cell.values(metric)) for _, metric in KERNEL_METRICS]
        work = [run["cpu_ns"] / adaptive.MICRO if run.get("cpu_ns") else
                run["cpu_seconds"] / run["iterations"] * 1e6 for run in cell.runs
                if run.get("cpu_seconds") and run.get("iterations")]
        burnt = [ns / adaptive.MICRO for ns in cell.values("burnt_ns")]
        rows.append([spot.tasks, compare.configuration(spot), spot.locks, lock]
                    + [_plus_minus(e) for e in figures + [stats.mean(work), stats.mean(burnt)]])
    return rows


def _plus_minus(estimate):
    if estimate is None:
        return "-"
    if estimate.low is None:
        return f"{estimate.value:.3f}"
    return f"{estimate.value:.3f} ±{(estimate.high - estimate.low) / 2:.3f}"


def experiment(results, name):
    """What each lock takes at each point of condperf, pingpong, latency or lifo, and over all."""
    found = results.experiments.get(name)
    if not found:
        return ""
    words = tuple(range(waketables.lock_column(found) + 1))
    parts = []
    if name != "latency":
        parts.append(f"<h3>{html.escape(name)}: {waketables.TITLES[name]}, all points together</h3>"
                     + table(waketables.MEAN_HEADS, waketables.mean_rows(found),
                             ours=lambda row: row[0] == OURS))
    every = table(waketables.heads(found), waketables.rows(found), texts=words,
                  ours=waketables.is_ours(found))
    parts.append(every if name == "latency" else folded(f"All points of {name} in figures", every))
    return "\n".join(parts)


def between_processes(results):
    """Each cell of the grid between processes, and Table 3."""
    heads, rows = between.grid_rows(results)
    parts = [folded(f"All cells: throughput over that of {between.ROBUST}",
                    table(heads, rows))] if rows else []
    rows = between.database_rows(results)
    if rows:
        parts.append("<h3>tdbtorture: completion times, as in Table 3</h3>"
                     + table(between.DATABASE_HEADS, rows, texts=(0, 1),
                             ours=lambda row: row[1].startswith("furwock")))
    return "\n".join(parts)


def stack(results):
    """lifo: the two figures in numbers, then every point."""
    one = lifo.found(results)
    if not one:
        return ""
    parts = [folded(title[0].upper() + title[1:], table(heads, rows))
             for title, heads, rows in lifotables.figures(one)]
    return "\n".join(parts) + experiment(results, "lifo")


def operations(results):
    """atomicmix: both libraries at every point."""
    one = mix.found(results)
    if not one:
        return ""
    return "\n".join(
        folded("Generic atomics, " + title, table(heads, rows, texts=tuple(
            at for at, head in enumerate(heads) if head in mixtables.WORDS)))
        for title, heads, rows in mixtables.figures(one))


def duties(results):
    """futexlock: a table for each duty cycle and what was measured, then every point."""
    one = futexlock.found(results)
    if not one:
        return ""
    parts = [folded(title[0].upper() + title[1:], table(heads, rows, texts=(0,),
                                                        ours=lambda row: row[0] == OURS))
             for title, heads, rows in futexlock.figures(one)]
    return "\n".join(parts) + experiment(results, futexlock.NAME)


def machine(results):
    rows = "".join(f"<dt>{html.escape(str(key))}</dt><dd>{html.escape(str(value))}</dd>"
                   for key, value in [*results.machine.items(),
                                      *made.facts([one for _, one in results.made]).items()])
    return f"<h3>The machine</h3><dl>{rows}</dl>" if rows else ""


def missing(results):
    if not results.missing:
        return ""
    rows = "".join(f"<li><b>{html.escape(', '.join(locks))}</b>: {html.escape(why)}</li>"
                   for locks, why in results.absent())
    return f"<h3>Locks that could have been here and were not</h3><ul>{rows}</ul>"


WAKES = {
    "condperf": "condperf, after Molnar's cond-perf (2003): all threads wait on one condition "
                "variable; the main thread wakes them; each takes the mutex, works, and waits "
                "again. Timed is each round from before the wake until the last of them has had "
                "the mutex and is about to wait. Before the next, all are given the time to fall "
                "asleep. Switches are those of all threads but the main one.",
    "pingpong": "pingpong, after pp (2003): pairs of threads pass a ball, each pair with a mutex "
                "and a condition variable; all pairs at once, from their common start until the "
                "last is done.",
    "latency": "latency: a loop alone, with a second thread asleep; two threads that hand a turn "
               "to and fro by two semaphores or events; parties that meet at a barrier.",
    "lifo": lifotables.METHOD,
    "atomicmix": mixtables.METHOD,
    "tdbtorture": between.METHOD,
    "lockmix": lockmixtables.METHOD,
    "futexlock": futexlock.METHOD,
    "rtlatency": rttables.METHOD,
    "dropin": "dropin: one program through the POSIX names, by turns with the drop-in preloaded "
              "and without. A call is a call, a pair of calls, or a whole round (broadcast).",
}


def method(results):
    runs = [len(cell.runs) for cell in results.cells.values()]
    wide = sum(not cell.narrow for cell in results.cells.values())
    lines = []
    if runs:
        many = f"{min(runs)} to {max(runs)}" if min(runs) < max(runs) else f"{runs[0]}"
        lines.append(f"{len(runs)} cells, {many} runs each; in {wide} of them the time was up "
                     "before the 95 % confidence interval was narrow.")
    lines += [adaptive.METHOD] if adaptive.spots(results) else []
    for plan, settings in results.settings.items():
        if "seconds" in settings and "rounds" in settings:
            lines.append(f"Plan {html.escape(plan)}: runs of {settings['seconds']:g} s, at least "
                         f"{settings['rounds']} of each lock in each cell. Wait times, contention "
                         "and system calls come from a further run each, because counting them "
                         "disturbs.")
    lines += [html.escape(note) + "." for note in results.notes]
    lines += [WAKES[name] for name in results.experiments]
    lines += [
        "Every task repeats: draw two random times, take its lock, work for the lock-hold time "
        "(lht), release, work for the non-lock-hold time (nlht). Both are uniform between half "
        "and one and a half of their mean. A configuration is written (nlht,lht) in µs.",
        "The locks take turns within each round, and all of a round have the same seed. A ratio "
        "compares two locks within the same rounds. Brackets and whiskers are 95 % confidence "
        "intervals: of throughputs, those of means and, by their logarithms, of ratios (Student's "
        "t); of all else those of medians, by the ranks of the samples. Of fewer than six samples "
        "there is none.",
        "The best blocking rival of a cell is the one with the highest mean throughput among "
        "the rivals whose waiters sleep in the kernel. Taking the best of several noisy figures "
        "favours the rivals slightly.",
        "Coefficient: standard deviation over mean of the tasks' iterations within a run. "
        "Ideal: a lock that costs nothing, in arrival order, simulated on as many CPUs with random "
        "times of the same distribution"
        + (", at the speed of a loop without a lock in the same rounds."
           if results.spots(ideal.REFERENCE) else ", at the speed of the calibration."),
    ]
    return "<h3>The method</h3><ul>" + "".join(f"<li>{line}</li>" for line in lines) + "</ul>"


def failures(results):
    if not results.failures:
        return ""
    rows = "".join(f"<li>{html.escape(lock)} at {html.escape(compare.describe(spot))}: "
                   f"{html.escape(what)}</li>" for spot, lock, what in results.failures)
    return f"<h3>Runs that failed</h3><ul>{rows}</ul>"


def reproduce(results, command):
    """`command`: what was typed; after it, what that amounts to."""
    lines = [command] if command.startswith("make") else results.commands + [command]
    text = f"<pre>{html.escape(chr(10).join(lines))}</pre>"
    if command.startswith("make"):
        text += ("<p>It runs:</p><pre>"
                 + html.escape("\n".join(results.commands)) + "</pre>")
    return f"<h3>To reproduce it</h3>{text}"
