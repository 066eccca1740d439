# SPDX-License-Identifier: MIT
"""Reads the JSON that the benchmarks write; compares, draws and prints it."""

import os

# There is no large matrix here, and OpenBLAS's threads spin.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
