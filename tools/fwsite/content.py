# SPDX-License-Identifier: MIT
"""The documents of the tree as pages: their links lead to pages, or to copies of files."""

import os
import pathlib
import re
import shutil
import subprocess

LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)")
# What the front page lists, and in which order; patterns of pages.
PARTS = [
    ("Tutorials", ["doc/guide/tutorial/threads", "doc/guide/tutorial/processes",
                   "doc/guide/tutorial/contention", "doc/guide/tutorial/real-time",
                   "doc/guide/tutorial/python-rust"]),
    ("Guide", ["doc/guide/install", "doc/guide/choosing", "doc/guide/*", "doc/guide/*/*"]),
    ("Examples", ["examples/README", "examples/*", "bindings/examples/*/README"]),
    ("Reference", ["reference/index", "reference/*", "reference/*/*"]),
    ("Manual pages", ["doc/man/furwock", "doc/man/*"]),
    ("Results", ["doc/results", "doc/results/*", "doc/results/*/*", "bench/README"]),
    ("Design", ["doc/start-here", "doc/design/*", "test/model/README"]),
    ("Project", ["CONTRIBUTING", "CHANGELOG", "SECURITY", "*", "*/README", "*/*/README",
                 "*/*/*/README", "*/*", "*/*/*"]),
]
LEXERS = {".c": "c", ".h": "c", ".hpp": "cpp", ".cc": "cpp", ".py": "python", ".sh": "sh",
          ".rs": "rust"}


def version(top):
    found = re.search(r"VERSION (\d+\.\d+(?:\.\d+)?)",
                      (top / "CMakeLists.txt").read_text(encoding="utf-8").partition("project(")[2])
    return found.group(1) if found else ""


def tracked(top):
    done = subprocess.run(["git", "-C", top, "ls-files", "-co", "--exclude-standard"],
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
    if done.returncode == 0 and done.stdout:
        return [pathlib.PurePath(line) for line in done.stdout.splitlines()]
    return [path.relative_to(top) for path in top.rglob("*")
            if path.is_file() and "build" not in path.relative_to(top).parts[:1]]


class Pages:
    """The pages so far; a page is named after its file, without the ending."""

    def __init__(self, top, source):
        self.top, self.source = top, source
        self.files = tracked(top)
        self.documents = [path for path in self.files if path.suffix == ".md"
                          and path.name != "AGENTS.md" and ".github" not in path.parts]
        self.names = []

    def write(self, name, text):
        path = self.source / f"{name}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        self.names.append(name)

    def place_of(self, target):
        """The page or file that stands for a file of the tree; None: nothing does."""
        if target == pathlib.PurePath("README.md"):
            return "index.md"
        if target in self.documents:
            return str(target)
        if target.parts[:2] == ("include", "furwock") and target.suffix in (".h", ".hpp"):
            name = target.relative_to("include/furwock")
            return f"reference/{name.with_suffix('') if name.suffix == '.h' else name}.md" \
                if "bits" not in name.parts else None
        if target.parts[0] == "examples" and len(target.parts) == 2:
            return f"{target}.md"
        indices = {"include/furwock": "reference/index.md", "examples": "examples/README.md",
                   "include/furwock/ipc": "reference/index.md", "doc/man": "doc/man/furwock.md",
                   "include/furwock.hpp": "doc/guide/cpp.md", "include/furwock.h":
                   "reference/index.md", "doc/guide": "doc/guide/choosing.md",
                   "doc/design": "doc/start-here.md", "doc/results": "doc/results.md"}
        if str(target) in indices:
            return indices[str(target)]
        if target / "README.md" in self.documents:
            return str(target / "README.md")
        if (self.top / target).is_file():
            copy = self.source / "_static" / "tree" / target
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(self.top / target, copy.with_name(copy.name + ".txt")
                        if target.suffix not in (".png", ".svg") else copy)
            return None if target.suffix not in (".png", ".svg") else f"_static/tree/{target}"
        return None

    def title(self, path):
        """A document's first heading."""
        first = (self.top / path).read_text(encoding="utf-8").partition("\n")[0]
        return first.lstrip("# ").removeprefix("Tutorial: ")

    def listed(self, name):
        """The line of a table of contents."""
        path = pathlib.PurePath(f"{name}.md")
        title = self.title(path) if "tutorial" in path.parts else ""
        return f"{title[:1].upper()}{title[1:]} <{name}>" if title else name

    def rewritten(self, text, path):
        """A document with its links as the site has them; what has no page is shown as text."""
        def link(match):
            mark, words, where = match.groups()
            name, _, anchor = where.partition("#")
            if re.match(r"[a-z]+:", where) or not name:
                return match.group()
            target = pathlib.PurePath(os.path.normpath(path.parent / name))
            place = self.place_of(target)
            if place is None:
                return words
            if words.endswith(".md") and target in self.documents:
                words = self.title(target)
            here = "index.md" if str(path) == "README.md" else str(path)
            there = os.path.relpath(place, pathlib.PurePath(here).parent)
            return f"{mark}[{words}]({there}{'#' + anchor if anchor else ''})"
        parts = re.split(r"(^```.*?^```$)", text, flags=re.M | re.S)
        return "".join(part if part.startswith("```") else LINK.sub(link, part) for part in parts)

    def add_documents(self):
        for path in self.documents:
            if str(path) == "README.md":
                continue
            text = (self.top / path).read_text(encoding="utf-8")
            self.write(path.with_suffix(""), self.rewritten(text, path))

    def add_examples(self):
        for path in self.files:
            if path.parts[0] == "examples" and path.suffix != ".md":
                text = (self.top / path).read_text(encoding="utf-8")
                self.write(path, f"# {path.name}\n\n```{LEXERS[path.suffix]}\n{text}```\n")

    def add_manual(self):
        """The pages of section 1; those of section 3 say what the reference says."""
        for path in sorted((self.top / "doc" / "man").glob("*.1")):
            done = subprocess.run(["mandoc", "-T", "html", "-O", "fragment,man=%N.html", path],
                                  stdout=subprocess.PIPE, text=True, check=True)
            body = re.sub(r'<table class="(?:head|foot)">.*?</table>', "", done.stdout,
                          flags=re.S)
            body = re.sub(r"<b>(furwock(?:-[a-z]+)*)</b>\(1\)", r'<a href="\1.html">\1</a>', body)
            title = path.stem.replace("-", " ")
            self.write(f"doc/man/{path.stem}", f"# {title}\n\n```{{raw}} html\n{body}\n```\n")

    def add_index(self):
        """The README, and what the site has."""
        path = pathlib.PurePath("README.md")
        text = self.rewritten((self.top / path).read_text(encoding="utf-8"), path)
        left = [str(name) for name in self.names]
        for caption, patterns in PARTS:
            chosen = []
            for pattern in patterns:
                found = [name for name in sorted(left)
                         if pathlib.PurePath(name).match(pattern)
                         and len(pathlib.PurePath(name).parts) == pattern.count("/") + 1]
                chosen += found
                left = [name for name in left if name not in found]
            lines = "\n".join(map(self.listed, chosen))
            text += "\n```{toctree}\n:hidden:\n:maxdepth: 1\n" \
                    f":caption: {caption}\n\n{lines}\n```\n"
        self.write("index", text)
