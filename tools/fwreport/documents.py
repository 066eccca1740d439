# SPDX-License-Identifier: MIT
"""Writes what was measured into the documents.

A table of a document stands between two comments, the first of which names it:

    <!-- measured: NAME -->
    <!-- end -->

What lies between them is replaced where the results have something for it, and left where not.
"""

import re

from . import documents_paper, documents_today

TABLES = documents_paper.TABLES | documents_today.TABLES
BLOCK = re.compile(r"(?P<begin><!-- measured: (?P<name>\S+) -->\n)(?P<text>.*?)"
                   r"(?P<end><!-- end -->\n)", re.DOTALL)


class Trouble(Exception):
    """One line for the user."""


def fill(text, results):
    """(the text with its tables made anew, their names, the names of those left as they were)"""
    made, left = [], []

    def replace(block):
        name = block["name"]
        if name not in TABLES:
            raise Trouble(f"there is no table {name!r}; there are: {', '.join(sorted(TABLES))}")
        lines = TABLES[name](results)
        (made if lines else left).append(name)
        body = "\n" + "\n".join(lines) + "\n\n" if lines else block["text"]
        return block["begin"] + body + block["end"]

    text = BLOCK.sub(replace, text)
    rest = BLOCK.sub("", text)
    for lone in ("<!-- measured:", "<!-- end -->"):
        if lone in rest:
            raise Trouble(f"a line {lone!r} without its counterpart")
    return text, made, left


def write(paths, results):
    """Fills the documents: a line about each that has tables."""
    said = []
    for path in paths:
        old = path.read_text(encoding="utf-8")
        try:
            new, made, left = fill(old, results)
        except Trouble as trouble:
            raise Trouble(f"{path}: {trouble}") from None
        if new != old:
            path.write_text(new, encoding="utf-8")
        if made or left:
            said.append(f"{path}: {len(made)} tables written"
                        + (f"; not measured: {', '.join(left)}" if left else ""))
    return said
