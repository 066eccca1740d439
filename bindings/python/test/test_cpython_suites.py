# SPDX-License-Identifier: MIT
"""A part of CPython's own tests against furwock.multiprocessing; cpython_suites.py has all."""
from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import List

import pytest

HERE = Path(__file__).resolve().parent
BY_FORK = ["WithProcessesTestLock", "WithProcessesTestSemaphore", "WithProcessesTestCondition",
           "WithProcessesTestEvent", "WithProcessesTestBarrier", "WithProcessesTestValue",
           "WithProcessesTestArray", "WithProcessesTestQueue", "WithProcessesTestPool",
           "TestSimpleQueue", "TestStartMethod", "TestCloseFds"]
BY_SPAWN = ["WithProcessesTestLock", "WithProcessesTestSemaphore", "WithProcessesTestArray"]


@pytest.mark.parametrize("method, classes", [
    ("fork", BY_FORK), ("spawn", BY_SPAWN), ("forkserver", BY_SPAWN)])
def test_cpython_suite(method: str, classes: List[str], tmp_path: Path) -> None:
    result = tmp_path / "result.json"
    done = subprocess.run(
        [sys.executable, str(HERE / "cpython_suites.py"), "--method", method, "--only", *classes,
         "--limit", "300", "--verbose", "--json", str(result)],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode == 77:
        pytest.skip("this interpreter has no package `test` with test_multiprocessing")
    assert done.returncode == 0, done.stdout
    (outcomes,) = json.loads(result.read_text()).values()
    for name in classes:
        assert any(test.startswith(name + ".") and record["outcome"] == "pass"
                   for test, record in outcomes.items()), f"no test of {name} has run"
