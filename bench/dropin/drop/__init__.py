# SPDX-License-Identifier: MIT
"""What the program `dropin` is made of.

engine   the runs of the worker (dropin-run), by turns with and without the drop-in
table    medians, ratios with their intervals, goals
cli      the command line
"""
