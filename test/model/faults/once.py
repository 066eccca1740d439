# SPDX-License-Identifier: MIT
"""Faults in the once."""
from edits import argument, at, condition, instead, operand, value

from .kinds import Family, Fault

ONCE = "src/thread/once.c"

FAULTS = [
    Fault("once-torn", "becomes the runner by a load and a store", "once", ONCE,
          instead("fw_store32_relaxed(&o->state_, mine); return true;", 2)),
    Fault("once-sleeps-unannounced", "sleeps without SLEEPERS", "once", ONCE, condition("false")),
    Fault("once-torn-end", "looks at the flag, then ends", "once", ONCE,
          instead("uint32_t w = fw_load32_relaxed(&o->state_); fw_xchg32_release(&o->state_, done "
              "? FW_ONCE_DONE_ : 0);")),
    Fault("once-wakes-one", "wakes one", "once-three", ONCE, argument(2, "1")),
    Fault("once-quiet-failure", "an attempt that failed wakes nobody", "once-fails", ONCE,
          condition("$ && done")),
    Fault("once-done-anyway", "a failure counts as done", "once-fails", ONCE, value("true")),
    Fault("once-waits-for-stale", "waits for a runner that a fork has left behind", "once-fork",
          ONCE, value(operand(2, "generation_of(w) > 31u"))),
    Fault("once-forgets-generation", "the runner does not say in which process", "once-fork", ONCE,
          value("me")),
    Fault("once-touches-after", "looks at the once after the end", "once-free", ONCE,
          at("once-quiet-failure", condition("$ || fw_load32_relaxed(&o->state_) == 0"))),
]

FAMILY = Family("once", ["thread/once.c"], ["include/furwock/once.h"],
                {"thread/once.c": ["fw_once_call", "fw_once_is_done"]}, FAULTS)
