# SPDX-License-Identifier: MIT
"""Reads the JSON that the benchmarks write; compares, draws and prints it."""

import importlib.util
import os
import sys

# Where PATH has a Python without these modules, the system's may have them.
SYSTEM = "/usr/bin/python3"
MODULES = ("numpy", "matplotlib", "tabulate")
if (any(importlib.util.find_spec(name) is None for name in MODULES)
        and os.path.realpath(sys.executable) != os.path.realpath(SYSTEM)
        and os.path.exists(SYSTEM) and sys.argv[0] not in ("", "-c", "-m")):
    sys.stdout.flush()
    os.execv(SYSTEM, [SYSTEM, "-B", *sys.argv])

# What the reports share with the front ends of benchmarks: `front`.
sys.path.append(os.path.normpath(os.path.join(os.path.dirname(os.path.realpath(__file__)),
                                              "..", "..", "bench", "common")))

# There is no large matrix here, and OpenBLAS's threads spin.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
