# SPDX-License-Identifier: MIT
"""A source with all of its faults at once: a function that faults edit has a variant for each.

The function itself begins with a switch on the fault in use, by its number, that goes on in that
fault's variant.
"""
from typing import Iterator, NamedTuple

from clex import OPEN, Source
from edits import EditError, changed, changes
from faults.kinds import Fault

IN_USE = "model_fault_in_use"
LINKAGE = {"static", "inline", "extern", "FW_API", "FW_INLINE", "FW_RT_DECISION"}


class Function(NamedTuple):
    """A definition: tokens first to end - 1, the body's opening brace at `body`."""

    name: str
    name_at: int
    first: int
    body: int
    end: int


def name_of(s: Source, first: int, body: int) -> int:
    """Which token of a function's head is its name: the one before its parameters."""
    i = first
    while i < body:
        text = s.tokens[i].text
        if text == "(" and s.tokens[i - 1].text not in ("__attribute__", "__asm__"):
            return i - 1
        i = s.closing(i) + 1 if text in OPEN else i + 1
    raise EditError("a function without a name")


def functions(s: Source) -> Iterator[Function]:
    n = 0
    while n < len(s.units):
        unit = s.units[n]
        if unit.kind != "function":
            n += 1
            continue
        last = s.statement_end(n)
        name = name_of(s, unit.first, unit.end)
        yield Function(s.tokens[name].text, name, unit.first, unit.end, s.units[last].end)
        n = last + 1


def parameters(s: Source, f: Function) -> list[str]:
    """The names of a function's parameters."""
    names, i = [""], f.name_at + 2
    end = s.closing(f.name_at + 1)
    while i < end:
        text = s.tokens[i].text
        if text == "...":
            raise EditError(f"{f.name}: no variants of functions with more arguments (...)")
        if text == ",":
            names.append("")
        elif text == "(" and s.tokens[i + 1].text == "*": # a pointer to a function
            names[-1] = s.tokens[i + 2].text
            i = s.closing(s.closing(i) + 1)
        elif text.isidentifier():
            names[-1] = text
        i = s.closing(i) + 1 if text in "[{" else i + 1
    return [] if names in ([""], ["void"]) else names


def text_of(s: Source, first: int, end: int) -> str:
    return s.text[s.tokens[first].start:s.tokens[end - 1].end]


def result_of(s: Source, f: Function) -> list[str]:
    """The type that a function returns, with attributes and without linkage."""
    return [t.text for t in s.tokens[f.first:f.name_at] if t.text not in LINKAGE]


def head_of(s: Source, f: Function, name: str) -> str:
    """The head of a variant: static, and of another name.

    It has a frame of its own: with all variants in it, that of the function would grow."""
    words = ["static __attribute__((noinline))", *result_of(s, f), name]
    return " ".join(words) + text_of(s, f.name_at + 1, f.body)


def returns_nothing(s: Source, f: Function) -> bool:
    return result_of(s, f)[-1] == "void"


def variants(s: Source, f: Function, faulty: dict[int, list[tuple[int, int, str]]]) -> str:
    """A function with the variants that have these changes, by number of the fault."""
    arguments = ", ".join(parameters(s, f))
    before, cases, after = "", "", ""
    for number, found in faulty.items():
        name = f"{f.name}__{number}"
        head = head_of(s, f, name)
        call = f"{name}({arguments})"
        before += head + ";\n"
        cases += f"    case {number}:\n" + \
            (f"        {call};\n        return;\n" if returns_nothing(s, f) else
             f"        return {call};\n")
        body = changed(text_of(s, f.body, f.end), s.tokens[f.body].start, found)
        after += f"\n\n{head}\n{body}"
    opened = s.tokens[f.body]
    return (before + s.text[s.tokens[f.first].start:opened.end] +
            f"\n    switch ({IN_USE}) {{\n{cases}    default:\n        break;\n    }}\n" +
            s.text[opened.end:s.tokens[f.end - 1].end] + after)


def with_variants(s: Source, faults: dict[int, Fault]) -> str:
    """The text of a source with the faults that it has, by their numbers."""
    found = {}
    for number, fault in faults.items():
        try:
            found[number] = changes(s, fault.name, fault.edits)
        except EditError as error:
            raise EditError(f"fault {fault.name}: {fault.file}: {error}") from None
    result, done = "", 0
    for f in functions(s):
        start, end = s.tokens[f.first].start, s.tokens[f.end - 1].end
        faulty = {number: inside for number, edits in found.items()
                  if (inside := [e for e in edits if start <= e[0] and e[1] <= end])}
        if faulty:
            result += s.text[done:start] + variants(s, f, faulty)
            done = end
            for number, inside in faulty.items():
                found[number] = [e for e in found[number] if e not in inside]
    for number, left in found.items():
        if left:
            raise EditError(f"fault {faults[number].name}: {faults[number].file}: "
                            "an edit of what is in no function")
    return result + s.text[done:]
