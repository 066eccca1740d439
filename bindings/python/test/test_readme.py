# SPDX-License-Identifier: MIT
"""The programs of README.md run."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import List

import pytest

README = Path(__file__).resolve().parent.parent / "README.md"


def programs() -> List[str]:
    return re.findall(r"^```python\n(.*?)^```$", README.read_text(), re.M | re.S)


@pytest.mark.parametrize("program", programs())
def test_program(program: str, tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(program)
    done = subprocess.run([sys.executable, "-W", "error", "program.py"], cwd=tmp_path, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300,
                          check=False)
    assert done.returncode == 0, done.stdout
