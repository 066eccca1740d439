# SPDX-License-Identifier: MIT
"""The page: one HTML file that needs nothing else."""

import html
import re

from . import (compare, goals, lockmixtables, look, rttables, sharepage, stats, summary, tables,
               waited)
from .figures import (adaptive, between, by_tasks, cells, futexlock, improvement, latency, lifo,
                      lockmix, mix, reacquire, rtlatency, share, uncontended, waits, wakes)
from .figures import waited as waited_figures

TITLE = "furwock beside the locks people know"
STYLE = """
*{box-sizing:border-box}
body{margin:0 auto;padding:1.5rem 1.2rem 4rem;max-width:68rem;background:var(--ground);
 color:var(--ink);font:16px/1.55 system-ui,"Segoe UI","DejaVu Sans",sans-serif}
h1{font-size:1.9rem;line-height:1.2;margin:1rem 0 .3rem}
h2{font-size:1.35rem;margin:3rem 0 .6rem;padding-top:.6rem;border-top:2px solid var(--rule)}
h3{font-size:1.02rem;margin:1.8rem 0 .4rem}
p,li{max-width:46rem}.lead{font-size:1.08rem}.soft,figcaption{color:var(--soft)}
nav{font-size:.92rem;margin:1rem 0}nav a{margin-right:1.1rem;white-space:nowrap}
a{color:var(--pthread)}
code,pre{font:.87em/1.5 ui-monospace,"DejaVu Sans Mono",monospace}
pre{padding:.7rem .9rem;border:1px solid var(--rule);border-radius:4px;overflow-x:auto}
figure{margin:1.2rem 0 2rem;overflow-x:auto}figcaption{font-size:.88rem}
figure svg{display:block;width:100%;min-width:40rem;height:auto}
.scroll{overflow-x:auto}
table{border-collapse:collapse;font-size:.86rem;font-variant-numeric:tabular-nums;margin:.4rem 0}
th,td{padding:.22rem .6rem;text-align:right;border-bottom:1px solid var(--rule);
 white-space:nowrap}
th{white-space:normal;font-weight:600;color:var(--soft);vertical-align:bottom}
td:first-child,th:first-child,td.text,th.text{text-align:left}
td.wrap{white-space:normal;min-width:14rem}
tr.ours td{color:var(--furwock);font-weight:600}
.then{color:var(--soft)}.low{color:var(--bad);font-weight:600}
.reached{color:var(--good);font-weight:600}.missed{color:var(--bad);font-weight:600}
.open,.unknown{color:var(--soft);font-weight:600}
details{margin:.5rem 0}summary{cursor:pointer;color:var(--pthread)}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.15rem 1.2rem;margin:.6rem 0}
dt{color:var(--soft)}dd{margin:0}
.warning{border-left:4px solid var(--bad);padding:.3rem .9rem}
@media print{body{max-width:none;padding:0;font-size:10.5pt}nav{display:none}
 figure,tr{break-inside:avoid}h2,h3{break-after:avoid}figure svg{min-width:0}
 .scroll,figure{overflow:visible}table{font-size:6.6pt}
 th,td{padding:.1rem .25rem}a{color:inherit}details>*{display:block}}
"""


class Page:
    """Collects sections; pictures go to the directory as PNG and into the page as SVG."""

    def __init__(self, directory, drawn=lambda name: None):
        self.directory = directory
        self.drawn = drawn        # is called after each picture
        self.sections = []        # (id, title, html)
        self.pictures = []
        self.glyphs = set()

    def once(self, match):
        """A letter that an earlier picture drew already is not defined again."""
        if match[1] in self.glyphs:
            return ""
        self.glyphs.add(match[1])
        return match[0]

    def figure(self, picture):
        svg = look.save(picture.figure, picture.name, self.directory)
        self.pictures.append(f"{picture.name}.png")
        self.drawn(picture.name)
        svg = re.sub(r'<path id="(DejaVu[^"]*)"[^>]*/>\n?', self.once, svg)
        svg = svg.replace('role="img">', f'role="img" aria-label="{html.escape(picture.alt)}">', 1)
        return (f'<figure id="{picture.name}"><h3>{html.escape(picture.title)}</h3>{svg}'
                f'<figcaption class="soft">{picture.name}.png</figcaption></figure>')

    def section(self, key, title, *parts):
        text = "\n".join(part for part in parts if part)
        if text:
            self.sections.append((key, title, text))

    def figures(self, pictures):
        return "\n".join(map(self.figure, pictures))

    def write(self, lead):
        links = "\n".join(f'<a href="#{key}">{html.escape(title)}</a>'
                        for key, title, _ in self.sections)
        body = "\n".join(f'<section id="{key}"><h2>{html.escape(title)}</h2>\n{text}</section>'
                         for key, title, text in self.sections)
        path = self.directory / "index.html"
        path.write_text(
            f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">\n'
            f'<meta name="viewport" content="width=device-width,initial-scale=1">\n'
            f"<title>{TITLE}</title>\n<style>{look.css()}{STYLE}</style></head>\n"
            f"<body>\n<h1>{TITLE}</h1>\n{lead}\n<nav>{links}</nav>\n{body}\n</body></html>\n",
            encoding="utf-8")
        return path


def lead_of(results):
    parts = [f'<p class="lead">{html.escape(line)}</p>' for line in _headlines(results)]
    parts.append(f'<p class="soft">{html.escape("; ".join(summary.machine_lines(results)))}</p>')
    parts += [f'<p class="warning">{html.escape(line)}</p>' for line in summary.sources(results)]
    for spot, lock in results.broken():
        parts.append(f'<p class="warning">{html.escape(lock)} let two tasks in at once at '
                     f"{html.escape(compare.describe(spot))}: its figures mean nothing.</p>")
    return "\n".join(parts)


def _headlines(results):
    """What was found, in a sentence or two: the goals that speak of throughput and cost."""
    every = [goal for goal in goals.all_goals(results) if goal.state != goals.UNKNOWN]
    by_state = {state: sum(goal.state == state for goal in every)
                for state in (goals.REACHED, goals.OPEN, goals.MISSED)}
    if not every and results.waited:
        return [waited.headline(results)]
    if not every:
        return ["furwock's goals could not be evaluated from these results."]
    line = f"Of {len(every)} goals that these results cover, {by_state[goals.REACHED]} reached"
    if by_state[goals.OPEN]:
        line += f", {by_state[goals.OPEN]} open"
    return _figures(results) + [line + f", {by_state[goals.MISSED]} missed."]


def _figures(results):
    """The two figures that most readers come for."""
    parts = []
    alone = results.uncontended and results.uncontended.ratio(compare.OURS, compare.PTHREAD)
    if alone:
        parts.append(f"Where nobody else wants the lock, furwock's lock + unlock takes "
                     f"{goals.interval(alone)} of the time of pthread's mutex.")
    for every, name in ((goals.paper_versus(results), "the paper's grid"),
                        (goals.today_versus(results), "today's grid")):
        middle = stats.geometric([v.to_pthread for v in every])
        if middle:
            parts.append(f"On {name}, its throughput between threads is {goals.interval(middle)} "
                         f"of pthread's (geometric mean of {middle.n} cells).")
    return [" ".join(parts)] if parts else []


def build(results, directory, command, drawn=lambda name: None):
    """Draws everything there are results for; returns the path of the page and the pictures."""
    page = Page(directory, drawn)
    page.section("goals", "Goals", tables.goals_table(results))
    page.section("uncontended", "Uncontended", page.figures(uncontended.draw(results)),
                 sharepage.objects(results), tables.efficiency(results))
    page.section("cells", "Cell by cell", page.figures(cells.draw(results, "tables")),
                 page.figures(cells.draw(results, "grid")), tables.every_cell(results))
    page.section("throughput", "Throughput",
                 page.figures(by_tasks.draw(results, by_tasks.throughput, "throughput")))
    page.section("paper", "Against System V, as in 2002", tables.improvement_intro(results),
                 page.figures(improvement.draw(results)), tables.improvement(results))
    page.section("fairness", "Fairness",
                 page.figures(by_tasks.draw(results, by_tasks.coefficient, "coeff")),
                 page.figures(reacquire.draw(results)))
    page.section("waits", "Waiting", page.figures(waits.draw(results)))
    page.section("adaptive", "More tasks than CPUs", page.figures(adaptive.draw(results)),
                 tables.adaptive_cells(results))
    page.section("duty", "Part of the time in the lock", page.figures(futexlock.draw(results)),
                 tables.duties(results))
    page.section("crowded", "More threads than CPUs", page.figures(lockmix.draw(results)),
                 lockmixtables.page(results, tables))
    page.section("sharing", "Read-write locks", sharepage.intro(results),
                 page.figures(share.draw(results)), sharepage.every_cell(results))
    page.section("conditions", "Condition variables", page.figures(wakes.draw(results)),
                 tables.experiment(results, "condperf"), tables.experiment(results, "pingpong"))
    page.section("semaphores", "Semaphores, events, barriers", page.figures(latency.draw(results)),
                 tables.experiment(results, "latency"))
    page.section("atomics", "Generic atomics", page.figures(mix.draw(results)),
                 tables.operations(results), page.figures(lifo.draw(results)),
                 tables.stack(results))
    page.section("between", "Between processes", page.figures(between.draw(results)),
                 tables.between_processes(results))
    page.section("realtime", "Real-time tasks", page.figures(rtlatency.draw(results)),
                 rttables.page(results, tables))
    page.section("waited", "What programs waited for",
                 page.figures(waited_figures.draw(results)),
                 *(tables.folded(title, tables.table(heads, rows, texts=(0, 1, 7)))
                   for title, heads, rows in waited.tables(results)))
    page.section("kernel", "System calls and switches", tables.kernel(results))
    page.section("how", "How it was measured", tables.machine(results), tables.missing(results),
                 tables.failures(results), tables.method(results),
                 tables.reproduce(results, command))
    return page.write(lead_of(results)), page.pictures
