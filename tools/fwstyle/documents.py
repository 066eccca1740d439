# SPDX-License-Identifier: MIT
"""Documents: links that lead somewhere, and tables that are tables."""

import os
import re
from pathlib import Path


def outside_code(tree, path):
    """The lines of a document with their numbers, except those of code between fences."""
    is_code = False
    for number, line in enumerate(tree.lines(path), 1):
        is_fence = line.startswith("```")
        is_code ^= is_fence
        if not is_code and not is_fence:
            yield number, line


def documents(tree):
    return [path for path in tree.files if path.suffix == ".md"]


def anchors(tree, path):
    """What the headings of a document are called in links to them."""
    found = set()
    for _, line in outside_code(tree, path):
        if re.match(r"#+ ", line):
            text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", line.lstrip("#").strip().lower())
            found.add(re.sub(r"[^\w\- ]", "", text).replace(" ", "-"))
    return found


def check_links(tree):
    """no link of a document to a file or a heading that is not there"""
    for path in documents(tree):
        for n, line in enumerate(tree.lines(path), 1):
            for link in re.findall(r"\]\(([^)\s]+)\)", line):
                name, _, heading = link.partition("#")
                if re.match(r"[a-z]+:", link):
                    continue
                there = Path(os.path.normpath(path.parent / name)) if name else path
                if not (tree.root / there).exists():
                    tree.find(path, n, f"{link}: there is no such file")
                elif heading and there.suffix == ".md" and heading not in anchors(tree, there):
                    tree.find(path, n, f"{link}: there is no such heading")


def columns(line):
    """How many cells a row has; 0: it is none.  Bars that are quoted part no cells."""
    line = re.sub(r"`[^`]*`|\\.", "", line.strip())
    return line.count("|") - 1 if re.fullmatch(r"\|.*\|", line) else 0


def check_tables(tree):
    """each row of a document's table on one line, with as many cells as its header"""
    for path in documents(tree):
        wanted, before = 0, ""
        for number, line in outside_code(tree, path):
            if re.fullmatch(r"\|(?=.*-)[-:| ]+\|", line):
                wanted = columns(line)
                if columns(before) != wanted:
                    tree.find(path, number - 1, f"no header of {wanted} cells")
            elif not line.startswith("|") and (not line.strip() or line.startswith("<!--")):
                wanted = 0
            elif wanted and columns(line) != wanted:
                tree.find(path, number, f"no row of {wanted} cells, as the table's header")
            before = line


CHECKS = [check_links, check_tables]
