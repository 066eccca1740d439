# SPDX-License-Identifier: MIT
"""What the public C headers declare, and what the comment above each declaration says.

The check of the style, the manual pages (tools/manpages) and the reference (tools/site) read the
headers here.  A header is laid out as CONTRIBUTING.md says: a comment stands directly above what it
is about; names that end in `_` are nobody's business.
"""

import re
from dataclasses import dataclass, field

COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
RULED = re.compile(r"\A\s*---.*?(?:-{4,}\s*$|\Z)", re.MULTILINE | re.DOTALL)
CALL = re.compile(r"\b(fw_\w+)\s*\((?!\*)")
# A comment that only makes sense below another one.
LEANS = re.compile(r"\A(The same\b|As (above|before)\b|\W*as above\b)", re.IGNORECASE)


@dataclass
class Declared:
    """A call, a type or a constant: its text without the body, and the comment above it."""
    text: str
    line: int
    comment: str = ""
    raw: str = ""        # the comment with its margin, as the header has it
    name: str = ""       # of a call, or of a type
    kind: str = "other"  # call, type, macro, other


@dataclass
class Header:
    """One header: what it declares, in order."""
    path: str
    declared: list = field(default_factory=list)

    def calls(self):
        """The public calls, each once."""
        seen = {}
        for one in self.declared:
            if one.kind == "call" and not one.name.endswith("_"):
                seen.setdefault(one.name, one)
        return list(seen.values())


def without_margin(comment):
    """The words of a comment, line by line."""
    lines = comment[2:-2].splitlines()
    lines = [re.sub(r"^ \* ?|^ \*$", "", line) if number else line.removeprefix(" ")
             for number, line in enumerate(lines)]
    return "\n".join(line.rstrip() for line in lines).strip("\n").rstrip()


def spoken(comment):
    """The same without a ruled heading (--- Reading ---)."""
    return RULED.sub("", comment).strip("\n")


def chunks(text):
    """(first line, lines) of what stands together, without preprocessor lines and empty ones."""
    number, lines = 1, text.splitlines()
    while number <= len(lines):
        line = lines[number - 1]
        if not line.strip() or line.startswith("FW_BEGIN_DECLS") or line.startswith("FW_END"):
            yield number, [""]
            number += 1
            continue
        end, depth, inside = number, 0, False
        text_is_macro = line.startswith("#")
        while True:
            line = lines[end - 1]
            bare = COMMENT.sub("", line)
            inside = bare.count("/*") > 0 or (inside and "*/" not in bare)
            if text_is_macro:
                if not line.endswith("\\"):
                    break
            elif not inside:
                depth += bare.count("{") - bare.count("}") + bare.count("(") - bare.count(")")
                if line.rstrip().endswith("*/") and end == number or re.match(r" \*/", line):
                    break
                if depth == 0 and bare.rstrip().endswith((";", "}")):
                    break
            if end == len(lines):
                break
            end += 1
        yield number, lines[number - 1:end]
        number = end + 1


def described(text, line, comment):
    """What that text declares."""
    raw, comment = comment, spoken(without_margin(comment)) if comment else ""
    bare = COMMENT.sub("", text)
    one = Declared(text, line, comment, raw)
    if text.startswith("#define"):
        one.kind, one.name = "macro", re.match(r"#define\s+(\w+)", text).group(1)
    elif re.match(r"(typedef|struct|enum|union)\b", bare) and not re.match(
            r"(struct|enum|union) \w+ \*?fw_\w+\(", bare):
        names = re.findall(r"\b(fw_\w+)\b", bare)
        one.kind, one.name = "type", names[-1] if bare.startswith("typedef") and names else (
            names[0] if names else "")
    elif not text.startswith("#"):
        found = CALL.search(bare)
        if found:
            one.kind, one.name = "call", found.group(1)
            one.text = bare.partition("{")[0].rstrip().rstrip(";") + ";" if "{" in bare else bare
    return one


def read(path):
    """The header of that path."""
    header = Header(str(path))
    comment = ""
    for number, lines in chunks(path.read_text(encoding="utf-8")):
        text = "\n".join(lines)
        if text.startswith("/*") and text.rstrip().endswith("*/") and COMMENT.fullmatch(text):
            comment = text
            continue
        if text:
            header.declared.append(described(text, number, comment))
        comment = ""
    return header


def lean(call):
    """What is wrong with the comment of a call; empty when nothing is."""
    if not call.comment:
        return "no comment of its own"
    if LEANS.match(call.comment):
        return "its comment cannot be read alone"
    return ""


def check_comments_of_calls(tree):
    """each public call of the C headers with a comment of its own, which can be read alone"""
    for path in tree.under("include/furwock", {".h"}):
        if "bits" not in path.parts:
            for call in read(tree.root / path).calls():
                if wrong := lean(call):
                    tree.find(path, call.line, f"{call.name}: {wrong}")


CHECKS = [check_comments_of_calls]
