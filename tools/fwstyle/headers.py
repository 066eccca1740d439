# SPDX-License-Identifier: MIT
"""What the public C headers declare, and what the comment above each declaration says.

The check of the style, the manual pages (tools/manpages) and the reference (tools/site) read the
headers here.  A header is laid out as CONTRIBUTING.md says: a comment stands directly above what it
is about; names that end in `_` are nobody's business.
"""

import re
import textwrap
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
    """One header: what it declares, in order, and what the comment about all of it says."""
    path: str
    declared: list = field(default_factory=list)
    about: str = ""

    def title(self):
        """(name, what it is), of the first sentence."""
        first = " ".join(re.split(r"\.(?= |$)|\n\n", self.about, maxsplit=1)[0].split())
        found = re.match(r"([\w -]{1,20}(?:, between processes)?): (.*)", first)
        name = re.sub(r"^include/|\.h$", "", self.path)
        name = f"fw_{name.removeprefix('furwock/').replace('/', '_')}"
        what = found.group(2) if found else re.split(": ", first, maxsplit=1)[0]
        return name, re.split(r": its |, after ", what, maxsplit=1)[0].rstrip(".:")

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


def read(path, name=None):
    """The header of that path."""
    header = Header(str(name or path))
    comment, begun = "", False
    for number, lines in chunks(path.read_text(encoding="utf-8")):
        text = "\n".join(lines)
        begun |= lines != [""] and lines[0].startswith("#include")
        if text.startswith("/*") and text.rstrip().endswith("*/") and COMMENT.fullmatch(text):
            comment = text
            if begun and not header.about and text.startswith("/*\n") and "nternal" not in text:
                header.about, comment = without_margin(text), ""
            continue
        if text:
            header.declared.append(described(text, number, comment))
        elif comment:
            header.declared.append(Declared("", number, spoken(without_margin(comment)), comment,
                                            heading(without_margin(comment)), "section"))
        comment = ""
    return header


def heading(comment):
    """The words of a ruled heading (--- Reading ---)."""
    found = re.match(r"\s*--- (.*?) *-{2,}", comment)
    return found.group(1).rstrip(":") if found else ""


def kind_of(line, last, is_example):
    """What kind of block a line of a comment begins or goes on with, and its term."""
    depth = len(line) - len(line.lstrip())
    term = re.match(r" +(\S+(?: \S+)*?) {2,}\S", line)
    inside_list = last in ("item", "term")
    if is_example and (depth >= 4 or last == "example"):
        return "example", ""
    if line.startswith(" - "):
        return "item", ""
    if term and (depth == 2 or (depth == 5 and inside_list)):
        return "term", term.group(1)
    if depth == 2 and (last == "term" or re.match(r"  (0|E[A-Z]+),", line)):
        return "term", line.strip()
    if depth == 3 and last == "item" or depth > 3 and inside_list:
        return "more", ""
    if depth == 3 and last in ("term", "para"):
        return "para" if last == "term" else "more", ""
    if depth >= 2 or re.search(r"\S {3,}\S", line) or line.startswith("----"):
        return "code", ""
    return "more" if last == "para" else "para", ""


def blocks(comment):
    """A comment in parts: (kind, term, text), kind para, item, term, heading, example or code.  A
    list has " - "; a term (EINVAL) stands indented, before two blanks and its text."""
    found, is_example = [], False
    for line in comment.splitlines():
        last = found[-1][0] if found else ""
        if not line.strip():
            found.append(("", "", ""))
        elif line.startswith("Example"):
            is_example = True
            found.append(("heading", "", line))
        else:
            kind, term = kind_of(line, last, is_example)
            text = line if kind in ("code", "example") else line.strip()
            if kind == "more":
                kind, term, text = last, found[-1][1], f"{found.pop()[2]} {text}"
            text = text.removeprefix("- ") if kind == "item" else text
            found.append((kind, term, text.removeprefix(term).lstrip() if term else text))
    return joined(found)


def joined(found):
    """Lines of code that stand together are one block; empty lines between others are none."""
    whole = []
    for number, (kind, term, text) in enumerate(found):
        rest = [k for k, _, _ in found[number:] if k]
        if not kind:
            if whole and whole[-1][0] == "example" and rest[:1] == ["example"]:
                whole[-1] = ("example", "", whole[-1][2] + "\n")
            continue
        if kind in ("code", "example") and whole and whole[-1][0] == kind:
            whole[-1] = (kind, "", f"{whole[-1][2]}\n{text}")
        else:
            whole.append((kind, term, text))
    return [(kind, term, textwrap.dedent(text).rstrip() if kind in ("code", "example") else text)
            for kind, term, text in whole]


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
