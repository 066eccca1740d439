# SPDX-License-Identifier: MIT
"""The labels of invariants (MU1, SLOT4): defined at the head of a source, cited everywhere else."""

import re

# A definition begins a line, and two spaces part it from its sentence; a range (MU1-3) is none.
DEFINED = re.compile(r"^(?: \*|//)? {1,8}([A-Z]{1,9})(\d{1,2})  +\S")
CITED = re.compile(r"\b([A-Z]{2,9})(\d{1,2})\b")
SOURCES = {".c", ".h", ".md"}
NOT_OURS = {"test/atomic/upstream"}


def lines(tree):
    """(path, number, line) of all that may define or cite a label."""
    for path in tree.files:
        if path.suffix in SOURCES and not any(path.is_relative_to(p) for p in NOT_OURS):
            for number, line in enumerate(tree.lines(path), 1):
                yield path, number, line


def definitions(tree):
    """Where each label is defined; finds those that are defined twice."""
    seen = {}
    for path, number, line in lines(tree):
        match = DEFINED.match(line)
        if match is None:
            continue
        label = match.group(1) + match.group(2)
        if label in seen:
            tree.find(path, number, f"{label} is defined in {seen[label]}, too: labels are "
                                    "unique in the tree")
        seen.setdefault(label, f"{path}:{number}")
    return seen


def check_labels(tree):
    """each label of an invariant is defined once, and what is cited is defined"""
    seen = definitions(tree)
    kinds = {re.match("[A-Z]+", label).group() for label in seen}
    for path, number, line in lines(tree):
        for kind, n in CITED.findall(line):
            if kind in kinds and kind + n not in seen:
                tree.find(path, number, f"{kind}{n}: no source defines this label")


CHECKS = [check_labels]
