# SPDX-License-Identifier: MIT
"""Wheels, with --wheels: one for CPython 3.10 and later, built with the headers of 3.10, and one
for each interpreter without such an ABI. Each is installed in a clean environment, and tested."""

from __future__ import annotations

import os
import pathlib
import shutil
import subprocess
from typing import Optional

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent
SUBSET = ["test_references.py", "test_mutex.py", "test_event.py", "test_semaphore.py",
          "test_barrier.py", "test_condition.py", "test_permits.py", "test_aio.py", "test_main.py"]
STABLE = ["3.10", "3.11", "3.12", "3.13", "3.14"]
OWN = ["3.9", "3.13t", "3.14t"]


def interpreter(version: str) -> str:
    """Where it is; skips if it is not there."""
    places = [shutil.which(f"python{version}"), *map(str, pathlib.Path("/opt").glob(
        f"py{version.replace('.', '')}/bin/python{version}"))]
    for root in (os.environ.get("PYENV_ROOT"), os.path.expanduser("~/.pyenv")):
        if root:
            places += map(str, pathlib.Path(root).glob(f"versions/{version}.*/bin/python{version}"))
    for place in places:
        if place and run(place, "-c", "import venv, ensurepip", may_fail=True):
            return place
    pytest.skip(f"no CPython {version} with venv")


def run(*command: object, may_fail: bool = False, cwd: Optional[pathlib.Path] = None) -> str:
    """Runs it; its output, or "" if it failed and may."""
    environment = {name: value for name, value in os.environ.items()
                   if name not in ("PYTHONPATH", "PYTHONHOME")}
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, cwd=cwd,
                          stderr=subprocess.STDOUT, text=True, check=False, timeout=1200,
                          env=environment)
    if done.returncode != 0:
        assert may_fail, f"{command}:\n{done.stdout}"
        return ""
    return done.stdout or "(nothing)"


def environment_of(version: str, where: pathlib.Path) -> pathlib.Path:
    """A clean environment; its interpreter."""
    python = interpreter(version)
    run(python, "-m", "venv", where / f"venv{version}")
    return where / f"venv{version}" / "bin" / "python"


def build(python: pathlib.Path, where: pathlib.Path) -> pathlib.Path:
    """A wheel that this interpreter has built."""
    run(python, "-m", "pip", "wheel", "-q", "--no-deps", "-w", where, ROOT)
    (wheel,) = where.glob("*.whl")
    return wheel


def try_out(python: pathlib.Path, wheel: pathlib.Path) -> None:
    """Installs the wheel, and runs the tests."""
    run(python, "-m", "pip", "install", "-q", wheel, "pytest")
    run(python, "-m", "pytest", "-q", "-p", "no:cacheprovider", *SUBSET, cwd=ROOT / "test")


@pytest.fixture(scope="module", autouse=True)
def _only_if_asked(request: pytest.FixtureRequest) -> None:
    if not request.config.getoption("--wheels"):
        pytest.skip("needs --wheels: minutes, and a package index")


@pytest.fixture(scope="module", name="abi3_wheel")
def _abi3_wheel(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    where = tmp_path_factory.mktemp("abi3")
    wheel = build(environment_of("3.10", where), where / "dist")
    assert "-cp310-abi3-" in wheel.name
    return wheel


@pytest.mark.parametrize("version", STABLE)
def test_one_wheel_for_all(version: str, abi3_wheel: pathlib.Path, tmp_path: pathlib.Path) -> None:
    try_out(environment_of(version, tmp_path), abi3_wheel)


@pytest.mark.parametrize("version", OWN)
def test_a_wheel_of_its_own(version: str, tmp_path: pathlib.Path) -> None:
    python = environment_of(version, tmp_path)
    wheel = build(python, tmp_path / "dist")
    tag = version.replace(".", "")
    assert f"-cp{tag.rstrip('t')}-cp{tag}-" in wheel.name
    try_out(python, wheel)
