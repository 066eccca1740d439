# SPDX-License-Identifier: MIT
"""A throw-away virtual environment in which CPython's own tests find furwock's classes."""
from __future__ import annotations

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent

CASES = """\
from test._test_multiprocessing import install_tests_in_module_dict
install_tests_in_module_dict(globals(), {method!r})
"""

PROBE = """\
import json, sys, sysconfig
answer = {"version": "%d.%d.%d" % sys.version_info[:3], "test": True, "furwock": None}
if not sysconfig.get_config_var("Py_GIL_DISABLED") in (None, 0):
    answer["version"] += "t"
try:
    import test._test_multiprocessing
except ImportError:
    answer["test"] = False
try:
    import furwock.multiprocessing, os
    answer["furwock"] = os.path.dirname(os.path.dirname(furwock.__file__))
except ImportError as error:
    answer["error"] = str(error)
print(json.dumps(answer))
"""


class Environment:
    """An environment of one interpreter, in which multiprocessing is changed if so asked."""

    def __init__(self, root: Path, python: str, furwock: Path | None) -> None:
        self.root = root
        subprocess.run([python, "-m", "venv", "--without-pip", str(root)], check=True)
        self.python = str(root / "bin" / "python")
        self.site = Path(subprocess.run(
            [self.python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"],
            check=True, stdout=subprocess.PIPE, text=True).stdout.strip())
        for method in ("fork", "spawn", "forkserver"):
            (self.site / f"furwock_cases_{method}.py").write_text(CASES.format(method=method))
        if furwock is not None:
            text = (HERE / "bootstrap.py").read_text()
            (self.site / "furwock_bootstrap.py").write_text(text)
            (self.site / "furwock.pth").write_text(f"{furwock}\nimport furwock_bootstrap\n")


def probe(python: str, furwock: str | None) -> dict[str, object]:
    """Version, whether the package `test` is there, and where furwock was found (or the error)."""
    import json
    import os

    env = dict(os.environ)
    if furwock:
        env["PYTHONPATH"] = furwock + os.pathsep + env.get("PYTHONPATH", "")
    done = subprocess.run([python, "-c", PROBE], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, env=env, check=False)
    if done.returncode != 0:
        sys.exit(f"{python}: {done.stderr.strip().splitlines()[-1:]}")
    return dict(json.loads(done.stdout))
