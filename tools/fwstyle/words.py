# SPDX-License-Identifier: MIT
"""Words and phrases that the tree does not use, each with what to write instead (words.txt)."""

import re
from pathlib import Path

from fwstyle.layers import is_under

LIST = Path("tools/fwstyle/words.txt")
# Text of others, data, and pictures.
NOT_OURS = {".abi", ".json", ".svg", ".png", ".supp"}
NOT_OUR_FILES = {LIST, Path("LICENSE"), Path("LICENSES/GPL-2.0-only.txt"),
                 Path("tools/fwstyle/layers.txt")}
# Two words may stand on two lines, the second of them behind the mark of a comment.
GAP = r"\\s+(?:(?:[*#]|//)\\s+)?"


class Entry:
    """One line of the list: PATTERN -> INSTEAD [@ PATH ...]; it does not yet hold in the paths."""

    def __init__(self, number, line):
        pattern, arrow, rest = line.partition(" -> ")
        instead, _, paths = rest.partition(" @ ")
        self.number = number
        self.text = pattern.strip()
        self.instead = instead.strip()
        self.exempt = [Path(path) for path in paths.split()]
        self.left = {path: 0 for path in self.exempt}
        if not arrow or not self.instead:
            raise ValueError("not PATTERN -> INSTEAD [@ PATH ...]")
        self.pattern = re.compile(re.sub(" ", GAP, self.text))
        # A stretch of letters that every match has: what lacks it is not searched.
        plain = re.sub(r"\(.*?\)[?*]?|\[.*?\][?*]?|\\.|\w[?*]", " ", pattern)
        runs = [] if "|" in plain else re.findall(r"[A-Za-z_]+", plain)
        self.stretch = max(runs, key=len, default="")

    def exemption(self, path):
        return next((at for at in self.exempt if is_under(path, [at])), None)


def entries(tree):
    """The list; a line that is none is a finding."""
    found = []
    for number, line in enumerate(tree.lines(LIST), 1):
        if not line or line.startswith("#"):
            continue
        try:
            found.append(Entry(number, line))
        except (ValueError, re.error) as error:
            tree.find(LIST, number, str(error))
    return found


def search(tree, found):
    """Every use outside of the exempted paths is a finding; the others are counted.

    So is an exempted path that is not there any more.
    """
    for path in tree.files:
        if path.suffix in NOT_OURS or path in NOT_OUR_FILES:
            continue
        text = tree.text(path)
        for entry in found:
            if entry.stretch not in text:
                continue
            exempt = entry.exemption(path)
            for match in entry.pattern.finditer(text):
                if exempt is not None:
                    entry.left[exempt] += 1
                    continue
                said = " ".join(match.group().split())
                tree.find(path, text.count("\n", 0, match.start()) + 1,
                          f"\"{said}\": write \"{entry.instead}\" ({LIST}:{entry.number})")
    for entry in found:
        for path in [path for path in entry.exempt if entry.left[path] == 0]:
            if any(is_under(file, [path]) for file in tree.files):
                tree.notes.append(f"{LIST}:{entry.number}: none is left in {path}: "
                                  "drop that exception")
            else:
                tree.find(LIST, entry.number, f"there is no {path}: drop that exception")


def check_words(tree):
    """none of the words in tools/fwstyle/words.txt (--words counts those still permitted)"""
    if LIST not in tree.files:
        tree.find(LIST, 1, "the list of words is missing")
        return
    search(tree, entries(tree))


def report(tree):
    """What is still permitted, by entry and path."""
    found = entries(tree)
    search(tree, found)
    left = [(entry.left[path], path, entry) for entry in found for path in entry.exempt]
    for uses, path, entry in left:
        print(f"{uses:6} {entry.text} in {path}")
    print(f"{sum(uses for uses, *_ in left):6} uses are still permitted by {len(left)} exceptions; "
          f"{len(found)} words are on the list")
