# SPDX-License-Identifier: MIT
"""Runs the programs of doc/guide/python.md and of examples/, and compares what they print.

A block of Python is a file, whose name its first line says.  A block "console" has commands, each
followed by what it prints on standard output; one that
ends in "die" is killed.
"""
from __future__ import annotations

import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path
from typing import Iterator, List, Tuple

import pytest

TREE = Path(__file__).resolve().parents[3]
GUIDE = TREE / "doc" / "guide" / "python.md"


def blocks(language: str) -> List[str]:
    if not GUIDE.exists():
        return []
    return re.findall(rf"^```{language}\n(.*?)^```$", GUIDE.read_text(), re.M | re.S)


def commands(block: str) -> Iterator[Tuple[str, str]]:
    for part in re.split(r"^\$ ", block, flags=re.M)[1:]:
        command, _, output = part.partition("\n")
        yield command, output


@pytest.mark.parametrize("console", blocks("console"))
def test_programs_of_the_guide(console: str, tmp_path: Path) -> None:
    for block in blocks("python"):
        name = re.match(r"# (\w+\.py)", block)
        assert name is not None, block
        (tmp_path / name.group(1)).write_text(block)
    for command, output in commands(console):
        run_and_compare(command, output, tmp_path)


def run_and_compare(command: str, output: str, directory: Path) -> None:
    words = shlex.split(command)
    assert words[0] in ("python", "python3")
    done = subprocess.run([sys.executable, *words[1:]], cwd=directory, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, timeout=300, check=False)
    status = -signal.SIGKILL if words[-1] == "die" else 0
    assert (done.returncode, done.stdout) == (status, output), done.stderr


@pytest.mark.parametrize("name", ["pool.py"])
def test_programs_of_examples(name: str) -> None:
    path = TREE / "examples" / name
    if not path.exists():
        pytest.skip("examples/ is not here: this is no clone")
    text = path.read_text().partition('"""')[2].partition('"""')[0]
    found = list(commands("".join(line.strip() + "\n" for line in re.findall(
        r"^    .*$", text, re.M))))
    assert found
    for command, output in found:
        run_and_compare(command, output, path.parent)


def test_every_program_is_run() -> None:
    if not GUIDE.exists():
        pytest.skip("doc/guide is not here: this is no clone")
    run = " ".join(command for block in blocks("console") for command, _ in commands(block))
    for block in blocks("python"):
        assert block.split()[1] in run
