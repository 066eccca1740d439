# SPDX-License-Identifier: MIT
"""Of what a result was made: the sources, the rivals, the state of the machine, the command.

The same as bench/common/made.c, for programs in Python.
"""

import json
import os
import sys

HERE = os.path.dirname(os.path.realpath(__file__))
BUILT = os.path.join(os.path.dirname(HERE), "made.json")   # by made.cmake, with each build
CPU = "/sys/devices/system/cpu/"


def _line(path):
    try:
        with open(path, encoding="ascii") as file:
            return file.readline().strip() or None
    except (OSError, ValueError):
        return None


def built(path=BUILT):
    try:
        with open(path, encoding="utf-8") as file:
            return json.load(file)
    except (OSError, ValueError):
        return {}


def describe():
    """The `made` object of a result file; to be called before anything is measured."""
    smt = _line(CPU + "smt/active")
    return {**built(),
            "governor": _line(CPU + "cpu0/cpufreq/scaling_governor"),
            "smt": None if smt is None else smt == "1",
            "load": round(os.getloadavg()[0], 2),
            "command": [os.path.basename(sys.argv[0]), *sys.argv[1:]]}


def of(made):
    """Which sources, in a word or two."""
    return (made.get("commit") or "of no commit") + (" with changes" if not made.get("clean", True)
                                                     else "")
