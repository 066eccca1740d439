# SPDX-License-Identifier: MIT
"""How a fault edits the statement that a tag marks, without quoting it.

In the text of an edit `$` is what stood there; of several statements `$2` is the second.
"""
import re
from dataclasses import dataclass, replace
from typing import Union

from clex import CLOSE, OPEN, Source, Token

LEVELS = [{"?", ":"}, {"||"}, {"&&"}, {"|"}, {"^"}, {"&"}, {"==", "!="}, {"<", ">", "<=", ">="},
          {"<<", ">>"}, {"+", "-"}, {"*", "/", "%"}]
ASSIGNMENTS = {"=", "+=", "-=", "|=", "&=", "^=", "<<=", ">>="}
WORD = re.compile(r"[\w\"']")
KEYWORDS = {"if", "for", "while", "switch", "return", "sizeof", "case"}
Range = tuple[int, int]


class EditError(Exception):
    """The marked statement has no such part."""


@dataclass(frozen=True)
class Edit:
    """One part of the marked statement, and what comes in its place."""

    part: str
    n: int
    to: Union[str, "Edit"]
    tag: str = ""


def at(tag: str, edit: Edit) -> Edit:
    """An edit at another tag than the one with the fault's name."""
    return replace(edit, tag=tag)


def instead(text: str, n: int = 1) -> Edit:
    """Replace the statement, with its body, or n statements that follow each other."""
    return Edit("statements", n, text)


def drop(n: int = 1) -> Edit:
    return instead("", n)


def before(text: str) -> Edit:
    """Statements in front of the marked one."""
    return Edit("before", 1, text)


def after(text: str) -> Edit:
    """Statements behind the marked one and its body."""
    return Edit("after", 1, text)


def swap() -> Edit:
    """The statement and the next one change places."""
    return instead("$2 $1", 2)


def head(to: str | Edit) -> Edit:
    """The statement without its body."""
    return Edit("head", 0, to)


def condition(to: str | Edit) -> Edit:
    """What `if`, `while` or `switch` has in brackets; of `for` what is in the middle."""
    return Edit("condition", 0, to)


def step(to: str | Edit) -> Edit:
    """What `for` does after each turn."""
    return Edit("step", 0, to)


def value(to: str | Edit) -> Edit:
    """What is returned, or assigned."""
    return Edit("value", 0, to)


def operand(n: int, to: str | Edit) -> Edit:
    """One of what the loosest operators join: of `a && b && c` the second is b.

    Without a text the operator before it goes as well, or that behind the first."""
    return Edit("operand", n, to)


def argument(n: int, to: str | Edit) -> Edit:
    """An argument of the first call; without a text it stays empty."""
    return Edit("argument", n, to)


def call(n: int, to: str | Edit) -> Edit:
    """The nth call, from left to right."""
    return Edit("call", n, to)


def order(to: str) -> Edit:
    """The memory order in which the name of the first atomic operation ends."""
    return Edit("order", 0, to)


def word(n: int, to: str) -> Edit:
    """The nth word, number or operator: for what has no other name."""
    return Edit("word", n, to)


# --- Parts: from a range of tokens to a part of it ---------------------------------------------

def is_wrapped(s: Source, r: Range) -> bool:
    return s.tokens[r[0]].text == "(" and s.closing(r[0]) == r[1] - 1


def unwrapped(s: Source, r: Range) -> Range:
    """Without the brackets and the unary operators around it."""
    while r[0] < r[1] and (is_wrapped(s, r) or (
            s.tokens[r[0]].text in ("!", "~") and r[1] - r[0] > 2 and
            is_wrapped(s, (r[0] + 1, r[1])))):
        r = (r[0] + 1, r[1] - 1) if is_wrapped(s, r) else (r[0] + 1, r[1])
    return r


def flat(s: Source, r: Range):
    """The tokens of a range that are not in brackets, with their numbers."""
    i = r[0]
    while i < r[1]:
        yield i, s.tokens[i].text
        i = s.closing(i) if s.tokens[i].text in OPEN else i + 1


def is_binary(s: Source, r: Range, i: int) -> bool:
    if i == r[0]:
        return False
    last = s.tokens[i - 1].text
    return bool(WORD.match(last)) and last not in KEYWORDS or last in ")]"


def operators(s: Source, r: Range) -> list[int]:
    """Where the loosest operators of a range are."""
    top = [(i, text) for i, text in flat(s, r) if is_binary(s, r, i)]
    for level in LEVELS:
        found = [i for i, text in top if text in level]
        if found:
            return found
    return []


def operand_range(s: Source, r: Range, n: int, whole: bool) -> Range:
    """The nth operand; with its operator if it is to go."""
    r = unwrapped(s, r)
    ops = operators(s, r)
    ends = [r[0] - 1] + ops + [r[1]]
    if not ops or not 1 <= n <= len(ops) + 1:
        raise EditError(f"no operand {n}")
    first, end = ends[n - 1] + 1, ends[n]
    if whole:
        return (first, end + 1) if n == 1 else (first - 1, end)
    return first, end


def calls(s: Source, r: Range) -> list[Range]:
    """The calls in a range, each with its name and its brackets."""
    return [(i, s.closing(i + 1) + 1) for i in range(r[0], r[1] - 1)
            if s.tokens[i + 1].text == "(" and re.match(r"[A-Za-z_]", s.tokens[i].text) and
            s.tokens[i].text not in KEYWORDS]


def nth(found: list[Range], n: int, what: str) -> Range:
    if not 1 <= n <= len(found):
        raise EditError(f"no {what} {n}")
    return found[n - 1]


def arguments(s: Source, r: Range) -> list[Range]:
    name, end = nth(calls(s, r), 1, "call")
    cuts = [name + 1] + [i for i, text in flat(s, (name + 2, end - 1)) if text == ","] + [end - 1]
    return [(a + 1, b) for a, b in zip(cuts, cuts[1:])]


def value_range(s: Source, r: Range) -> Range:
    end = r[1] - (s.tokens[r[1] - 1].text == ";")
    if s.tokens[r[0]].text == "return":
        return r[0] + 1, end
    found = [i for i, text in flat(s, r) if text in ASSIGNMENTS]
    if not found:
        raise EditError("nothing is assigned or returned")
    return found[0] + 1, end


def ordered(s: Source, r: Range) -> Range:
    found = [i for i in range(*r) if re.search(r"_(relaxed|acquire|release|acq_rel|seq_cst)_?$",
                                               s.tokens[i].text)]
    if not found:
        raise EditError("no memory order")
    return found[0], found[0] + 1


def part_of(s: Source, r: Range, e: Edit) -> Range:
    if e.part == "condition" and s.tokens[r[0]].text in ("if", "while", "switch"):
        return r[0] + 2, r[1] - 1
    if e.part in ("condition", "step") and s.tokens[r[0]].text == "for":
        cuts = [i for i, text in flat(s, (r[0] + 2, r[1] - 1)) if text == ";"]
        return (cuts[0] + 1, cuts[1]) if e.part == "condition" else (cuts[1] + 1, r[1] - 1)
    if e.part == "value":
        return value_range(s, r)
    if e.part == "operand":
        return operand_range(s, r, e.n, e.to == "")
    if e.part == "argument":
        return nth(arguments(s, r), e.n, "argument")
    if e.part == "call":
        return nth(calls(s, r), e.n, "call")
    if e.part == "order":
        return ordered(s, r)
    if e.part == "word":
        return nth([(i, i + 1) for i in range(*r)], e.n, "word")
    if e.part == "head":
        return r
    raise EditError(f"no {e.part}")


def span(s: Source, r: Range) -> tuple[int, int]:
    """A range as characters; an empty one is where it would begin."""
    if r[0] == r[1]:
        return s.tokens[r[0]].start, s.tokens[r[0]].start
    return s.tokens[r[0]].start, s.tokens[r[1] - 1].end


def statements(s: Source, unit: int, n: int) -> list[Range]:
    """The statement of a unit and those behind it, n in all."""
    found = []
    first = begin(s, unit)
    for _ in range(n):
        if first >= len(s.units) or s.units[first].kind == "}":
            raise EditError(f"no {n} statements")
        last = s.statement_end(first)
        found.append((s.units[first].first, s.units[last].end))
        first = last + 1
    return found


def begin(s: Source, unit: int) -> int:
    """The first unit of the statement that a unit is of: `do` for the `while` at its end."""
    if s.tokens[s.units[unit].first].text == "while" and unit + 1 < len(s.units) and \
            s.tokens[s.units[unit + 1].first].text == ";":
        do = next((n for n in range(unit) if s.units[n].kind == "do" and
                   s.statement_end(n) == unit + 1), None)
        return unit if do is None else do
    return unit


def filled(template: str, originals: list[str]) -> str:
    return re.sub(r"\$(\d?)", lambda m: originals[int(m[1] or 1) - 1], template)


def laid_out(template: str, indent: str) -> str:
    """Each statement of a text in a line of its own, as compilers want it."""
    result, depth = "", 0
    for piece in re.findall(r"\$\d? ?|[;{}] ?|.", template):
        depth += (piece == "(") - (piece == ")")
        ends = depth == 0 and piece[0] in ";{}$"
        result += f"{piece.rstrip()}\n{indent}" if ends else piece
    return result.rstrip()


def indentation(s: Source, start: int) -> str:
    return " " * (start - s.text.rfind("\n", 0, start) - 1)


def replacement(s: Source, unit: int, e: Edit) -> tuple[int, int, str]:
    """From where to where the edit replaces characters, and by what."""
    if e.part in ("before", "after"):
        start, end = span(s, statements(s, unit, 1)[0])
        indent = indentation(s, start)
        text = laid_out(e.to, indent)
        return (start, start, f"{text}\n{indent}") if e.part == "before" else \
            (end, end, f"\n{indent}{text}")
    if e.part == "statements":
        found = statements(s, unit, e.n)
        texts = [s.text[slice(*span(s, r))] for r in found]
        assert isinstance(e.to, str)
        start, end = span(s, found[0])[0], span(s, found[-1])[1]
        return start, end, filled(laid_out(e.to, indentation(s, start)), texts)
    r = (s.units[unit].first, s.units[unit].end)
    while True:
        r = part_of(s, r, e)
        if isinstance(e.to, str):
            break
        e = e.to
    start, end = span(s, r)
    if e.part == "order":
        old = re.sub(r"(relaxed|acquire|release|acq_rel|seq_cst)(_?)$", rf"{e.to}\2",
                     s.text[start:end])
        return start, end, old
    return start, end, filled(e.to, [s.text[start:end]])


def changes(s: Source, default: str, edits: tuple[Edit, ...]) -> list[tuple[int, int, str]]:
    """What the edits of a fault replace in a source, in order: from where, to where, by what."""
    tags = s.tags
    found = []
    for e in edits:
        tag = e.tag or default
        marked = tags.get(tag, [])
        if len(marked) != 1:
            raise EditError(f"tag F:{tag} stands there {len(marked)} times, not once")
        try:
            start, end, text = replacement(s, marked[0], e)
        except EditError as error:
            raise EditError(f"tag F:{tag}: {error}") from None
        if s.text[start:end] == text:
            raise EditError(f"tag F:{tag}: the edit changes nothing")
        found.append((start, end, text))
    found.sort()
    if any(a[1] > b[0] for a, b in zip(found, found[1:])):
        raise EditError("two edits overlap")
    return found


def changed(text: str, start: int, found: list[tuple[int, int, str]]) -> str:
    """The text of a part of a source, which begins at character start, with these changes."""
    for first, end, new in reversed(found):
        text = text[:first - start] + new + text[end - start:]
    return text
