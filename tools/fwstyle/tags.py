# SPDX-License-Identifier: MIT
"""The tags by which the model's faults find what they edit (test/model/README.md)."""

import ast
import re

TAG = re.compile(r"\bF:([a-z0-9][a-z0-9-]*)")
FAULTS = "test/model/faults"


def calls(node, name):
    return [n for n in ast.walk(node) if isinstance(n, ast.Call)
            and isinstance(n.func, ast.Name) and n.func.id == name]


def used_tags(tree):
    """The tags that faults name: that of `at`, or else the fault's own name."""
    used = set()
    for path in tree.under(FAULTS, {".py"}):
        for fault in calls(ast.parse(tree.text(path)), "Fault"):
            elsewhere = calls(fault, "at")
            used |= {at.args[0].value for at in elsewhere}
            if any(edit not in elsewhere for edit in fault.args[4:]):
                used.add(fault.args[0].value)
    return used


def check_fault_tags(tree):
    """each tag F:NAME in a source stands there once, and a fault of the model uses it"""
    used, seen = used_tags(tree), {}
    for path in tree.files:
        if path.suffix not in (".c", ".h") or path.parts[0] == "test":
            continue
        for number, line in enumerate(tree.lines(path), 1):
            for tag in TAG.findall(line):
                if tag not in used:
                    tree.find(path, number, f"F:{tag}: no fault in {FAULTS} uses this tag")
                elif tag in seen:
                    tree.find(path, number, f"F:{tag}: this tag also stands in {seen[tag]}")
                seen[tag] = f"{path}:{number}"


CHECKS = [check_fault_tags]
