# SPDX-License-Identifier: MIT
"""Reads the JSON that the benchmarks write; compares, draws and prints it."""
