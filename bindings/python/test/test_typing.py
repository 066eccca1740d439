# SPDX-License-Identifier: MIT
"""Type checkers accept the package, its stubs, and a program that uses it."""

from __future__ import annotations

import importlib.util
import os
import pathlib
import subprocess
import sys

import pytest

SAMPLE = pathlib.Path(__file__).with_name("typed_sample.py")


def check(directory: pathlib.Path, *command: str) -> None:
    """Runs a checker, not where modules are installed: they would seem to be the user's own."""
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=400,
                          env={**os.environ, "MYPY_CACHE_DIR": str(directory)}, cwd=directory)
    assert done.returncode == 0, done.stdout + done.stderr


def need(module: str) -> None:
    """Skips without this module."""
    if importlib.util.find_spec(module) is None:
        pytest.skip(f"{module} is not installed")


def test_mypy_accepts_the_package_and_a_program(tmp_path: pathlib.Path) -> None:
    need("mypy")
    cache = f"--cache-dir={tmp_path}"
    check(tmp_path, sys.executable, "-m", "mypy", "--strict", cache, "-p", "furwock")
    check(tmp_path, sys.executable, "-m", "mypy", "--strict", cache, str(SAMPLE))


def test_the_stubs_are_those_of_the_extension(tmp_path: pathlib.Path) -> None:
    need("mypy")
    check(tmp_path, sys.executable, "-m", "mypy.stubtest", "furwock._furwock")


def test_pyright_accepts_a_program(tmp_path: pathlib.Path) -> None:
    name = next((m for m in ("pyright", "basedpyright") if importlib.util.find_spec(m)), None)
    if name is None:
        pytest.skip("neither pyright nor basedpyright is installed")
    try:
        subprocess.run([sys.executable, "-m", name, "--version"], check=True, capture_output=True,
                       timeout=300)
    except (subprocess.SubprocessError, OSError):
        pytest.skip(f"{name} does not start (it needs node)")
    check(tmp_path, sys.executable, "-m", name, "--pythonpath", sys.executable, str(SAMPLE))
