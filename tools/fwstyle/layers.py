# SPDX-License-Identifier: MIT
"""The layers of the tree (layers.txt): what includes what, who calls the kernel, who sleeps."""

import functools
import re
from collections import Counter
from pathlib import Path

TABLE = Path("tools/fwstyle/layers.txt")
SYS = Path("src/sys")
C_LIKE = {".c", ".h", ".cc", ".cpp", ".hpp"}
FUTEX = re.compile(r"\b(?:SYS|__NR)_futex\w*")
SYSTEM_CALL = re.compile(r"\b(?:syscall|fw_system_call_)\s*\(|\b(?:SYS|__NR)_\w+")
# Of the C library's functions that are a system call, those that a lock could have use for.
WRAPPER = re.compile(
    r"(?<![\w.>])(?:m(?:un|re)?map|mprotect|madvise|mlock|prctl|sched_[sg]et\w+|sched_yield"
    r"|sigaction|pthread_sigmask|open|openat|close|read|write|pread|pwrite|ftruncate|fstat|fcntl"
    r"|ioctl|kill|tgkill|getpid|gettid|eventfd|epoll_\w+|timerfd_\w+|memfd_create|shm_open"
    r"|[sg]etrlimit|flock|clock_gettime)\s*\(")
SLEEP = re.compile(r"\b(?:fw_futex_wait\w*|fw_futex_lock_pi_|fw_sleep_for_|fw_clock_sleep_\w+"
                   r"|fw_yield_|sched_yield|clock_nanosleep|nanosleep|usleep)\s*\(")
INCLUDE = re.compile(r"^[ \t]*#[ \t]*include[ \t]*([<\"])([^>\"\n]+)[>\"]", re.MULTILINE)


class Table:
    """layers.txt: sections of lines of words."""

    def __init__(self, tree):
        self.sections = {}
        section = None
        for number, line in enumerate(tree.lines(TABLE), 1):
            words = line.partition("#")[0].split()
            if line.startswith("["):
                section = self.sections.setdefault(line.strip("[] \n"), [])
            elif words and section is not None:
                section.append((number, words))
        self.layers = {Path(name): (level, name) for level, (_, names)
                       in enumerate(self.section("layers")) for name in names}

    def section(self, name):
        return self.sections.get(name, [])

    def paths(self, name):
        return [Path(word) for _, words in self.section(name) for word in words]

    def layer(self, path):
        """(level, directory) by the deepest directory of the table above the file, or None."""
        return next((self.layers[at] for at in path.parents if at in self.layers), None)

    def permits(self, user, used):
        """Whether a file may include another: downwards, or in its own directory."""
        above, below = self.layer(user), self.layer(used)
        return above is None or below is None or above == below or below[0] < above[0]


@functools.cache
def directories_of(path):
    """All that it lies in; asked for tens of thousands of times."""
    return frozenset(path.parents)


def is_under(path, tops):
    return any(path == top or top in directories_of(path) for top in tops)


def c_files(tree, tops):
    return [path for path in tree.files if path.suffix in C_LIKE and is_under(path, tops)]


def check_futex(tree):
    """no futex system call outside src/sys/"""
    for path in tree.files:
        if path.suffix not in C_LIKE | {".rs", ".S"} or is_under(path, [SYS]):
            continue
        if not FUTEX.search(tree.code(path)):
            continue
        for number, line in enumerate(tree.code(path).splitlines(), 1):
            if FUTEX.search(line):
                tree.find(path, number, "futex system call outside src/sys/")


def headers(tree):
    """Every header of the tree, by each ending of its path that an include may name."""
    found = {}
    for path in tree.files:
        if path.suffix in C_LIKE:
            for first in range(len(path.parts)):
                found.setdefault("/".join(path.parts[first:]), []).append(path)
    return found


def check_includes(tree):
    """includes run downwards through the layers (layers.txt), except those that it lists"""
    if TABLE not in tree.files:
        tree.find(TABLE, 1, "the table of layers is missing")
        return
    table, by_name = Table(tree), headers(tree)
    listed = {tuple(words): number for number, words in table.section("includes upwards")}
    seen = set()
    for path in tree.files:
        if path.suffix not in C_LIKE or table.layer(path) is None:
            continue
        text = tree.text(path)
        for match in INCLUDE.finditer(text):
            name = match.group(2)
            beside = path.parent / name
            there = [beside] if beside in tree.known else by_name.get(name, [])
            if not there or any(table.permits(path, used) for used in there):
                continue
            key = (str(path), name)
            seen.add(key)
            if key not in listed:
                layer = table.layer(there[0])[1]
                tree.find(path, text.count("\n", 0, match.start()) + 1,
                          f"includes {name} of {layer}/, which is no lower layer ({TABLE})")
    for key, number in listed.items():
        if key not in seen:
            tree.find(TABLE, number, f"{' '.join(key)}: is no more: drop that line")


def check_inspect(tree):
    """a tool includes of a product only inspect.h (layers.txt)"""
    if TABLE not in tree.files:
        return
    table, by_name = Table(tree), headers(tree)
    for _, (tool, *products) in table.section("inspect"):
        products = [Path(product) for product in products]
        for path in c_files(tree, [Path(tool.rstrip(":"))]):
            text = tree.text(path)
            for match in INCLUDE.finditer(text):
                beside = path.parent / match.group(2)
                there = [beside] if beside in tree.known else by_name.get(match.group(2), [])
                if (there and all(is_under(used, products) for used in there)
                        and not match.group(2).endswith("inspect.h")):
                    tree.find(path, text.count("\n", 0, match.start()) + 1,
                              f"includes {match.group(2)}, not inspect.h beside it ({TABLE})")


def check_limited(tree, pattern, names, message):
    """No more uses of the pattern than the table permits; names: its sections of files with
    permitted uses, of the directories that are searched, of those where it belongs."""
    if TABLE not in tree.files:
        return
    table, (section, searched, home) = Table(tree), names
    listed = {Path(words[0]): (number, int(words[1])) for number, words in table.section(section)}
    uses = Counter()
    for path in c_files(tree, table.paths(searched)):
        if is_under(path, table.paths(home)) or not pattern.search(tree.code(path)):
            continue
        for number, line in enumerate(tree.code(path).splitlines(), 1):
            if pattern.search(line):
                uses[path] += 1
                if uses[path] > listed.get(path, (0, 0))[1]:
                    tree.find(path, number, message)
    for path, (number, most) in listed.items():
        if uses[path] < most:
            tree.find(TABLE, number, f"{path} has {uses[path]} left of {most}: "
                      + ("lower the number" if uses[path] else "drop that line"))


def check_calls(tree):
    """system calls only in src/sys/ and as layers.txt lists; that list only shrinks"""
    check_limited(tree, SYSTEM_CALL, ("system calls", "may not call", "kernel boundary"),
                  f"a system call outside src/sys/ ({TABLE})")


def check_wrappers(tree):
    """locks ask the kernel through src/sys/, not the C library; layers.txt's list only shrinks"""
    check_limited(tree, WRAPPER, ("wrappers", "may not call the C library's", "kernel boundary"),
                  f"the C library's system call outside src/sys/ ({TABLE})")


def check_sleeps(tree):
    """only the wait engine sleeps, and what layers.txt lists; that list only shrinks"""
    check_limited(tree, SLEEP, ("sleeps", "may not sleep", "wait engine"),
                  f"sleeps by itself: use the wait engine (src/core/, {TABLE})")


CHECKS = [check_futex, check_includes, check_inspect, check_calls, check_wrappers,
          check_sleeps]
