# SPDX-License-Identifier: MIT
"""C source as tokens and statements: enough to find the statement that a tag marks."""
import functools
import re
from typing import NamedTuple

TAG = re.compile(r"\bF:([a-z0-9][a-z0-9-]*)")
LEXEMES = re.compile(r"""
    (?P<comment>/\*.*?\*/|//[^\n]*)
  | (?P<directive>(?:(?<=\n)|\A)[ \t]*\#(?:\\\n|/\*.*?\*/|[^\n])*)
  | (?P<token>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|[A-Za-z_]\w*|\.?\d(?:[eEpP][+-]|[\w.])*
    |->|\+\+|--|<<=|>>=|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|\.\.\.|[^\s])
""", re.VERBOSE | re.DOTALL)
OPEN, CLOSE = "([{", ")]}"


class Token(NamedTuple):
    text: str
    start: int
    end: int


class Unit(NamedTuple):
    """A simple statement, the head of a compound one, a brace, a label: tokens first to end - 1."""

    kind: str  # "simple", "head", "function", "{", "}", "else", "do", "label", "directive"
    first: int
    end: int


def lex(text: str) -> tuple[list[Token], list[Token]]:
    """The tokens, and the comments."""
    tokens, comments = [], []
    for m in LEXEMES.finditer(text):
        (comments if m.lastgroup == "comment" else tokens).append(Token(m[0], m.start(), m.end()))
    return tokens, comments


class Source:
    """A C file: its tokens, its statements, and where its tags are."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens, self.comments = lex(text)
        self.units = list(self.split())
        self.unit_at = {i: n for n, u in enumerate(self.units) for i in range(u.first, u.end)}

    def closing(self, i: int) -> int:
        """The token that closes the bracket at token i."""
        depth = 0
        for j in range(i, len(self.tokens)):
            text = self.tokens[j].text
            depth += (text in OPEN) - (text in CLOSE)
            if depth == 0:
                return j
        raise ValueError(f"{self.text[self.tokens[i].start:][:40]}: a bracket is not closed")

    def split(self):
        """Cut the tokens into units."""
        i, n, depth = 0, len(self.tokens), 0
        while i < n:
            text = self.tokens[i].text
            if text.lstrip().startswith("#"):
                kind, end = "directive", i + 1
            elif text in "{}":
                kind, end = text, i + 1
                depth += 1 if text == "{" else -1
            elif text in ("else", "do"):
                kind, end = text, i + 1
            elif text in ("if", "for", "while", "switch") and self.tokens[i + 1].text == "(":
                kind, end = "head", self.closing(i + 1) + 1
            else:
                kind, end = self.simple(i, depth)
            yield Unit(kind, i, end)
            i = end

    def simple(self, i: int, depth: int) -> tuple[str, int]:
        """The end of what begins at token i, and is no compound statement."""
        j, has_value = i, False
        is_case = self.tokens[i].text in ("case", "default")
        while j < len(self.tokens):
            text = self.tokens[j].text
            if text == ";":
                return "simple", j + 1
            if text == ":" and (is_case or j == i + 1):
                return "label", j + 1
            if text == "}" or (j > i and text.lstrip().startswith("#")):
                return "simple", j
            if text == "{" and not has_value and (depth == 0 or not self.is_literal(i, j)):
                return "function" if self.tokens[j - 1].text == ")" else "simple", j
            has_value |= text in ("=", "return")
            j = self.closing(j) + 1 if text in OPEN else j + 1
        return "simple", j

    def is_literal(self, i: int, j: int) -> bool:
        """Whether the brace at token j begins a compound literal, not a block."""
        return j > i and self.tokens[j - 1].text == ")"

    def statement_end(self, n: int) -> int:
        """The last unit of the statement that begins with unit n."""
        unit = self.units[n]
        first = self.tokens[unit.first].text
        if unit.kind == "{":
            return self.unit_at[self.closing(unit.first)]
        if unit.kind == "function" or first in ("for", "while", "switch"):
            return self.statement_end(n + 1)
        if unit.kind == "do":
            return self.statement_end(n + 1) + 2
        if first == "if":
            end = self.statement_end(n + 1)
            is_else = end + 1 < len(self.units) and self.units[end + 1].kind == "else"
            return self.statement_end(end + 2) if is_else else end
        return n

    @functools.cached_property
    def tags(self) -> dict[str, list[int]]:
        """Of each tag the units that it marks."""
        found: dict[str, list[int]] = {}
        for comment in self.comments:
            for tag in TAG.findall(comment.text):
                found.setdefault(tag, []).append(self.marked(comment))
        return found

    def marked(self, comment: Token) -> int:
        """The unit that ends last before a comment in its line, or that begins behind a line."""
        line = self.text[self.text.rfind("\n", 0, comment.start) + 1:comment.start]
        plain = [n for n, u in enumerate(self.units) if u.kind not in ("{", "}", "else", "do")]
        if not line.strip():
            return next(n for n in plain if self.tokens[self.units[n].first].start > comment.end)
        before = [n for n in plain if self.tokens[self.units[n].first].start < comment.start]
        return before[-1]
