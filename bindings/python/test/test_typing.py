# SPDX-License-Identifier: MIT
"""Type checkers accept the package, its stubs, and a program that uses it."""

from __future__ import annotations

import importlib.util
import os
import pathlib
import subprocess
import sys

import pytest

import furwock

SAMPLE = pathlib.Path(__file__).with_name("typed_sample.py")
SITE = pathlib.Path(furwock.__file__).parent.parent


def check(*command: str, **environment: str) -> None:
    """Runs a checker; its output is the failure."""
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=400,
                          env={**os.environ, **environment}, cwd=SITE)
    assert done.returncode == 0, done.stdout + done.stderr


def need(module: str) -> None:
    """Skips without this module."""
    if importlib.util.find_spec(module) is None:
        pytest.skip(f"{module} is not installed")


def test_mypy_accepts_the_package_and_a_program(tmp_path: pathlib.Path) -> None:
    need("mypy")
    cache = f"--cache-dir={tmp_path}"
    check(sys.executable, "-m", "mypy", "--strict", cache, "-p", "furwock")
    check(sys.executable, "-m", "mypy", "--strict", cache, str(SAMPLE))


def test_the_stubs_are_those_of_the_extension(tmp_path: pathlib.Path) -> None:
    need("mypy")
    check(sys.executable, "-m", "mypy.stubtest", "furwock._furwock", PYTHONPATH=str(SITE),
          MYPY_CACHE_DIR=str(tmp_path))


def test_pyright_accepts_a_program() -> None:
    name = next((m for m in ("pyright", "basedpyright") if importlib.util.find_spec(m)), None)
    if name is None:
        pytest.skip("neither pyright nor basedpyright is installed")
    try:
        subprocess.run([sys.executable, "-m", name, "--version"], check=True, capture_output=True,
                       timeout=300)
    except (subprocess.SubprocessError, OSError):
        pytest.skip(f"{name} does not start (it needs node)")
    check(sys.executable, "-m", name, "--pythonpath", sys.executable, str(SAMPLE))
