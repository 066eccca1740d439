# SPDX-License-Identifier: MIT
"""Faults in the latch."""
from edits import argument, at, condition, instead

from .kinds import Family, Fault

LATCH = "src/thread/latch.c"

FAULTS = [
    Fault("latch-sleeps-unannounced", "sleeps without SLEEPERS", "latch", LATCH,
          condition("false")),
    Fault("latch-stale-sleep", "announces itself, and sleeps with what comes next", "latch", LATCH,
          instead("announce(l); w = fw_load32_relaxed(&l->state_);", 2)),
    Fault("latch-no-wake", "opens and wakes nobody", "latch", LATCH, condition("false")),
    Fault("latch-wakes-one", "opens and wakes one", "latch-waiters", LATCH, argument(2, "1")),
    Fault("latch-wakes-first", "looks at the flag, then counts", "latch", LATCH,
          instead("uint32_t w = fw_load32_relaxed(&l->state_); fw_add32_acq_rel(&l->state_, 0u - "
              "n);")),
    Fault("latch-touches-after", "looks at the latch after it has opened it", "latch-free", LATCH,
          at("latch-no-wake", condition("latch_has_sleepers(fw_load32_relaxed(&l->state_))"))),
    Fault("latch-torn-count", "counts by a load and a store", "latch-waiters", LATCH,
          at("latch-wakes-first", instead("uint32_t w = fw_load32_relaxed(&l->state_); "
              "fw_store32_relaxed(&l->state_, w - n);"))),
]

FAMILY = Family("latch", ["thread/latch.c"], ["include/furwock/latch.h", "src/thread/latch_word.h"],
                {"thread/latch.c": ["fw_latch_source_"]}, FAULTS)
