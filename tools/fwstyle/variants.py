# SPDX-License-Identifier: MIT
"""The table of variants (cmake/variants.cmake): headers that the include path chooses."""

import re
from collections import defaultdict
from pathlib import Path

TABLE = Path("cmake/variants.cmake")
AXIS = re.compile(r"^fw_axis\((\w+)\s+HEADERS\s+([^()]*?)\s+KINDS\s+([^()]*?)\)", re.MULTILINE)
INCLUDE = re.compile(r"^[ \t]*#[ \t]*include[ \t]*<([^>\n]+)>", re.MULTILINE)
C_LIKE = {".c", ".h", ".cc", ".hpp"}


def axes(tree):
    """(line, axis, headers, directories) of each row."""
    text = tree.text(TABLE)
    for row in AXIS.finditer(text):
        line = text.count("\n", 0, row.start()) + 1
        yield (line, row[1], row[2].split(),
               [Path(kind.partition("=")[2]) for kind in row[3].split()])


def check_table(tree, rows):
    for line, axis, headers, directories in rows:
        for directory in directories:
            if not any(directory / header in tree.known for header in headers):
                tree.find(TABLE, line, f"{axis}: {directory} has none of its headers")
        for header in headers:
            if sum(directory / header in tree.known for directory in directories) < 2:
                tree.find(TABLE, line, f"{axis}: there is only one {header}")


def check_variants(tree):
    """headers that the include path chooses are in cmake/variants.cmake, with all their kinds"""
    if TABLE not in tree.known:
        tree.find(TABLE, 1, "the table of variants is missing")
        return
    rows = list(axes(tree))
    check_table(tree, rows)
    listed = {directory / header for _, _, headers, directories in rows
              for header in headers for directory in directories}
    named = defaultdict(list)
    for path in tree.files:
        if path.suffix == ".h" and path.parts[0] != "include":
            named[path.name].append(path)
    included = {name for path in tree.files if path.suffix in C_LIKE
                for name in INCLUDE.findall(tree.text(path)) if "/" not in name}
    for name in sorted(included & set(named)):
        if len(named[name]) > 1:
            for path in named[name]:
                if path not in listed:
                    tree.find(path, 1, f"<{name}> can be this one: cmake/variants.cmake says not "
                              "for whom")
