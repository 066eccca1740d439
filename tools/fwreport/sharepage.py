# SPDX-License-Identifier: MIT
"""The page's text on read-write locks, and on what other objects cost when nobody waits."""

import html

from . import paper, sharetables, sharing
from .tables import Safe, folded, table


def intro(results):
    if not results.kinds(sharing.EXPERIMENT):
        return ""
    return ("<p>Figure 6 of <cite>Fuss, Futexes and Furwocks</cite> (2002): tasks compete for one "
            "lock, and ask for it for reading as often as the share says, else for writing. The "
            "paper's is a picture without numbers, and does not give the times inside and "
            f"outside; of its two locks it says: {html.escape(paper.SHARE_SAID)}. Locks are "
            "compared with those that prefer what they prefer: one that lets readers pass waiting "
            "writers does more, at the writers' expense.</p>")


def every_cell(results):
    parts = []
    for kind in results.kinds(sharing.EXPERIMENT):
        for lock, prefers in sharetables.locks(results, kind):
            rows = sharetables.cells(results, lock, kind)
            for row in rows:
                if row[5].endswith("<"):
                    row[5] = Safe(f'<span class="low">▼ {html.escape(row[5][:-2])}</span>')
            parts.append(folded(f"All cells of {lock} ({prefers}) in figures, {kind}",
                                table(sharetables.CELL_HEADINGS, rows, texts=(4,))))
    return "\n".join(parts)


def objects(results):
    """Of everything but mutexes: nanoseconds and the ratio to the C library's."""
    return "\n".join(
        f"<h3>{html.escape(title)}</h3>"
        + table(heads, rows, ours=lambda row: row[0].startswith("furwock"))
        for title, heads, rows in sharetables.objects(results))
