# SPDX-License-Identifier: MIT
"""How long functions are, in C, C++ and Python."""

import ast
import re

from fwstyle.layers import C_LIKE

MAX_FUNCTION_LINES = 60


def c_functions(code):
    """(first line, last line) of each function body: a brace that opens outside of any other and
    follows a closing parenthesis.  Blocks of namespaces and extern "C" count as outside."""
    code = re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", lambda m: "\n" * m.group().count("\n"), code,
                  flags=re.MULTILINE)
    outside = re.compile(r"(?:\bnamespace\b[\w:\s]*|\bextern\s*\"[^\"]*\"\s*)$")
    body = re.compile(r"\)\s*(?:(?:const|noexcept|override|final)\s*)*$")
    line, depth, stack, begins, last = 1, 0, [], None, 0
    for match in re.finditer(r"[\n{};]", code):
        place, char = match.start(), match.group()
        if char == "\n":
            line += 1
        elif char == "{":
            before = code[last:place]
            transparent = depth == 0 and outside.search(before)
            stack.append(not transparent)
            if depth == 0 and body.search(before):
                begins = line
            depth += not transparent
        elif char == "}" and stack:
            depth -= stack.pop()
            if depth == 0 and begins is not None:
                yield begins, line
                begins = None
        if char in "{};":
            last = place + 1


def check_function_length(tree):
    """functions of at most 60 lines"""
    python = set(tree.python())
    for path in tree.files:
        if path.suffix in C_LIKE:
            spans = list(c_functions(tree.code(path)))
        elif path in python:
            try:
                nodes = ast.walk(ast.parse(tree.text(path)))
            except SyntaxError as error:
                tree.find(path, error.lineno or 1, "Python cannot parse this")
                continue
            spans = [(node.lineno, node.end_lineno) for node in nodes
                     if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]
        else:
            continue
        for first, last in spans:
            if last - first + 1 > MAX_FUNCTION_LINES:
                tree.find(path, first, f"a function of {last - first + 1} lines, "
                          f"at most {MAX_FUNCTION_LINES}")


CHECKS = [check_function_length]
