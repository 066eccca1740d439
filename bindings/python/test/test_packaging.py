# SPDX-License-Identifier: MIT
"""sdist -> wheel -> an environment with nothing else: as a user gets the package."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path
from typing import Any, Dict

import pytest

PACKAGE = Path(__file__).resolve().parent.parent

USE = """if True:
    import furwock, os, signal
    lock = furwock.Mutex()
    pid = os.fork()
    if pid == 0:
        lock.acquire()
        os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(pid, 0)
    with lock as grant:
        assert grant.owner_died and grant.process == pid
    print(furwock.__file__)
    """


def run(*command: Any, **more: Any) -> str:
    """Its output; it must succeed."""
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, text=True,
                          stderr=subprocess.STDOUT, timeout=550, check=False, **more)
    assert done.returncode == 0, f"{command}\n{done.stdout[-4000:]}"
    return done.stdout


def make_environment(path: Path) -> Path:
    """A virtual environment: its Python."""
    venv.create(path, with_pip=True)
    return path / "bin" / "python"


@pytest.fixture(scope="module", name="built")
def build(tmp_path_factory: pytest.TempPathFactory,
          request: pytest.FixtureRequest) -> Dict[str, Path]:
    """The sdist, and the wheel that pip makes of it, without the repository around it."""
    if not request.config.getoption("--packaging"):
        pytest.skip("only with --packaging: it takes a while")
    if not (PACKAGE / "pyproject.toml").exists():
        pytest.skip("the package's source is not here")
    work = tmp_path_factory.mktemp("packaging")
    python = make_environment(work / "build")
    wanted = re.findall(r'"(scikit-build-core[^"]*)"', (PACKAGE / "pyproject.toml").read_text())
    done = subprocess.run([python, "-m", "pip", "install", "-q", *wanted, "ninja"], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    if done.returncode != 0:
        pytest.skip(f"no build tools from PyPI: {done.stdout[-300:]}")
    run(python, "-c", "import sys; from scikit_build_core import build; "
                      "print(build.build_sdist(sys.argv[1]))", work, cwd=PACKAGE)
    sdist, = work.glob("*.tar.gz")
    run(python, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation", "-w", work, sdist,
        cwd=work)
    wheel, = work.glob("*.whl")
    return {"sdist": sdist, "wheel": wheel, "work": work}


def test_the_sdist_is_complete(built: Dict[str, Path]) -> None:
    with tarfile.open(built["sdist"]) as archive:
        members = archive.getmembers()
    assert all(member.isfile() for member in members), "a link would lead out of it"
    names = {member.name.partition("/")[2] for member in members}
    assert {"csrc/src/sources.txt", "csrc/include/furwock/ipc.h", "src/fwpy.h", "README.md",
            "furwock/py.typed", "furwock/_furwock.pyi", "test/test_mutex.py"} <= names


def test_the_wheel(built: Dict[str, Path]) -> None:
    with zipfile.ZipFile(built["wheel"]) as archive:
        names = archive.namelist()
        extension, = (name for name in names if name.endswith(".so"))
        binary = archive.extract(extension, built["work"])
    assert "furwock/py.typed" in names and "furwock/_furwock.pyi" in names
    assert all(name.split("/")[0].startswith("furwock") for name in names), names
    has_gil = getattr(sys, "_is_gil_enabled", lambda: True)()
    tag = "-cp310-abi3-" if sys.version_info >= (3, 10) and has_gil else \
        "-cp%d%d" % sys.version_info[:2]
    assert tag in built["wheel"].name
    if shutil.which("nm") is None:
        pytest.skip("no nm: exported symbols were not looked at")
    symbols = run("nm", "-D", "--defined-only", binary).split()[2::3]
    assert [name for name in symbols if not name.startswith("_")] == ["PyInit__furwock"]


def test_in_a_clean_environment(built: Dict[str, Path]) -> None:
    python = make_environment(built["work"] / "clean")
    environment = {key: value for key, value in os.environ.items()
                   if not key.startswith(("PYTHON", "FURWOCK"))}
    run(python, "-m", "pip", "install", "-q", "--no-index", built["wheel"])
    where = run(python, "-c", USE, cwd=built["work"], env=environment)
    assert str(built["work"]) in where
