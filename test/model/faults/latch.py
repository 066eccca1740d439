# SPDX-License-Identifier: MIT
"""Faults in the latch."""
from .kinds import Family, Fault

LATCH = "src/thread/latch.c"

FAULTS = [
    Fault("latch-sleeps-unannounced", "sleeps without SLEEPERS", "latch", LATCH,
          "        if (!latch_has_sleepers(w) && fw_wait_blocks_(&wait))\n",
          "        if (false)\n"),
    Fault("latch-stale-sleep", "announces itself, and sleeps with what comes next", "latch", LATCH,
          "            w = announce(l);\n        if (latch_is_open(w))\n            continue;\n",
          "            announce(l);\n        w = fw_load32_relaxed(&l->state_);\n"),
    Fault("latch-no-wake", "opens and wakes nobody", "latch", LATCH,
          "    if (latch_has_sleepers(w) && n != 0) /* I1, I2 */\n", "    if (false)\n"),
    Fault("latch-wakes-one", "opens and wakes one", "latch-waiters", LATCH,
          "fw_futex_wake(&l->state_, FW_FUTEX_ALL,", "fw_futex_wake(&l->state_, 1,"),
    Fault("latch-wakes-first", "looks at the flag, then counts", "latch", LATCH,
          "    uint32_t w = fw_add32_acq_rel(&l->state_, 0u - n);\n",
          "    uint32_t w = fw_load32_relaxed(&l->state_);\n\n"
          "    fw_add32_acq_rel(&l->state_, 0u - n);\n"),
    Fault("latch-touches-after", "looks at the latch after it has opened it", "latch-free", LATCH,
          "    if (latch_has_sleepers(w) && n != 0) /* I1, I2 */\n",
          "    if (latch_has_sleepers(fw_load32_relaxed(&l->state_)))\n"),
    Fault("latch-torn-count", "counts by a load and a store", "latch-waiters", LATCH,
          "    uint32_t w = fw_add32_acq_rel(&l->state_, 0u - n);\n",
          "    uint32_t w = fw_load32_relaxed(&l->state_);\n\n"
          "    fw_store32_relaxed(&l->state_, w - n);\n"),
]

FAMILY = Family("latch", ["thread/latch.c"], ["include/furwock/latch.h", "src/thread/latch_word.h"],
                {"thread/latch.c": ["fw_latch_source_"]}, FAULTS)
