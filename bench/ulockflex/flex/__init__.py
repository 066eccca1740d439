# SPDX-License-Identifier: MIT
"""What the program `ulockflex` is made of.

plan     which locks are run in which configurations, and how long that takes
paper    the published numbers
worker   one run, in a process of its own (ulockflex-run)
engine   the rounds: interleaving, deadlines, interruptions
store    the result file
stats    means and confidence intervals
prefer   which read-write locks are compared
adaptive   more tasks than CPUs, the assist off and on: the plan, and what is shown of it
processes  locks between processes: their plan, and what is shown of it
show, showpaper, showshare, progress    what people see
cli      the command line
"""

from front import Trouble  # noqa: F401
