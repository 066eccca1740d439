# SPDX-License-Identifier: MIT
"""The reference: a page for each public header, of what it declares and its comments say."""

import re

from fwstyle import headers

INDEX = """# Reference

Each header is the manual of its lock: its rules, an example that the tests run, its types and
calls.

| header | |
|---|---|
{rows}
## C++

Thin classes over them; [C++](../doc/guide/cpp.md) has the table.

{more}
"""
MARKS = re.compile(r"\bFW_(?:API|INLINE|NODISCARD)\b\s*")
ATTRIBUTE = re.compile(r"\s*\bFW_[A-Z_]+(?:\((?:[^()]|\([^()]*\))*\)|(?=;|\s*$))")
HEADER = re.compile(r"\b(furwock/((?:ipc/)?[a-z_]+)\.h)\b")
NAME = re.compile(r"(?<![`\w])(fw_[a-z0-9_]*[a-z0-9])(?:\(\))?(?![\w`.]*\.h)(?!\w)")


def prose(text, calls):
    """A paragraph of a comment: marks of Markdown that it does not mean are escaped."""
    text = re.sub(r"(?<=[.:;?)]) {2,}", " ", " ".join(text.split()))
    parts = re.split(r"(`[^`]+`)", text)
    for number, part in enumerate(parts):
        if part.startswith("`"):
            continue
        part = re.sub(r"([<>\[\]_\\])", r"\\\1", part)
        part = re.sub(r"(?<!\w)\*(?=\w+(?:[^\w*]|$))|\*(?=[-+>)])", r"\\*", part)
        part = part.replace(r"\_", "_") if "fw_" not in part and "FW_" not in part else part
        part = NAME.sub(lambda m: f"{{c:func}}`{m.group(1)}`" if m.group(1) in calls
                        else f"`{m.group(1)}`", part.replace(r"\_", "_"))
        part = HEADER.sub(r"[\1](/reference/\2.md)", part)
        parts[number] = re.sub(r"(?<![`\w])(FW_[A-Z0-9_]+)", r"`\1`", part)
    return "".join(parts)


def set_blocks(parts, calls):
    out, last = "", ""
    for kind, term, text in parts:
        if kind == "para":
            out += "\n" + (f"**{text}**" if text == "Rules" else prose(text, calls)) + "\n"
        elif kind == "item":
            out += ("" if last == "item" else "\n") + f"- {prose(text, calls)}\n"
        elif kind == "term":
            out += ("" if last == "term" else "\n") + f"- `{term}`" + (
                f": {prose(text, calls)}\n" if text else "\n")
        elif kind == "heading":
            out += f"\n**{text}**\n"
        else:
            lexer = "c" if kind == "example" else "none"
            out += f"\n```{lexer}\n{text}\n```\n"
        last = kind
    return out.lstrip("\n")


def prototype(one):
    text = ATTRIBUTE.sub("", MARKS.sub("", one.text))
    return " ".join(text.split()).rstrip(";").replace("( ", "(")


def declaration(one, calls):
    body = set_blocks(headers.blocks(one.comment), calls) if one.comment else ""
    if one.kind == "call":
        return f"::::{{c:function}} {prototype(one)}\n\n{body}::::\n\n"
    if one.kind == "macro":
        return (f"::::{{c:macro}} {one.name}\n\n```c\n{one.text}\n```\n\n{body}::::\n\n")
    return f"::::{{c:type}} {one.name}\n\n```c\n{one.text}\n```\n\n{body}::::\n\n"


def page(header, calls):
    out = f"# {header.path}\n\n```c\n#include <{header.path}>\n```\n\n"
    out += set_blocks(headers.blocks(header.about), calls) + "\n## Declarations\n\n"
    seen = set()
    for one in header.declared:
        if one.kind == "section" and one.name:
            out += f"### {one.name}\n\n" + set_blocks(headers.blocks(one.comment), calls) + "\n"
        if not one.name or one.name.endswith("_") or one.name in seen or one.kind == "section":
            continue
        if one.kind == "macro" and (one.name.endswith("_H") or one.text.count("\n") > 8):
            continue
        if one.kind in ("call", "macro", "type"):
            seen.add(one.name)
            out += declaration(one, calls)
    return out


def add(pages):
    """Every header in C, and those in C++ as they are."""
    include = pages.top / "include"
    found = {}
    for path in sorted((include / "furwock").rglob("*.h")):
        if "bits" not in path.parts:
            header = headers.read(path, path.relative_to(include))
            found[path.relative_to(include / "furwock").with_suffix("")] = header
    calls = {call.name for header in found.values() for call in header.calls()}
    rows = ""
    for name, header in found.items():
        pages.write(f"reference/{name}", page(header, calls))
        what = header.title()[1] or "all of them"
        rows += f"| [{header.path}]({name}.md) | {what[:1].upper()}{what[1:]} |\n"
    more = ""
    for path in sorted((include / "furwock").rglob("*.hpp")):
        if "bits" in path.parts:
            continue
        name = path.relative_to(include / "furwock")
        text = path.read_text(encoding="utf-8")
        pages.write(f"reference/{name}", f"# furwock/{name}\n\n```cpp\n{text}```\n")
        more += f"- [furwock/{name}]({name}.md)\n"
    pages.write("reference/index", INDEX.format(rows=rows, more=more))
