# SPDX-License-Identifier: MIT
"""Faults in the once."""
from .kinds import Family, Fault

ONCE = "src/thread/once.c"

FAULTS = [
    Fault("once-torn", "becomes the runner by a load and a store", "once", ONCE,
          "            if (fw_cas32_acquire(&o->state_, &w, mine))\n                return true;\n"
          "            continue;\n",
          "            fw_store32_relaxed(&o->state_, mine);\n            return true;\n"),
    Fault("once-sleeps-unannounced", "sleeps without SLEEPERS", "once", ONCE,
          "    if (fw_wait_blocks_(wait) && !has_sleepers(w)) {\n", "    if (false) {\n"),
    Fault("once-torn-end", "looks at the flag, then ends", "once", ONCE,
          "    uint32_t w = fw_xchg32_release(&o->state_, done ? FW_ONCE_DONE_ : 0);\n",
          "    uint32_t w = fw_load32_relaxed(&o->state_);\n\n"
          "    fw_xchg32_release(&o->state_, done ? FW_ONCE_DONE_ : 0);\n"),
    Fault("once-wakes-one", "wakes one", "once-three", ONCE,
          "fw_futex_wake(&o->state_, FW_FUTEX_ALL,", "fw_futex_wake(&o->state_, 1,"),
    Fault("once-quiet-failure", "an attempt that failed wakes nobody", "once-fails", ONCE,
          "    if (has_sleepers(w))\n", "    if (has_sleepers(w) && done)\n"),
    Fault("once-done-anyway", "a failure counts as done", "once-fails", ONCE,
          "    attempt.done = error == 0;\n", "    attempt.done = true;\n"),
    Fault("once-waits-for-ghosts", "waits for a runner that a fork has left behind", "once-fork",
          ONCE, "    return !is_running(w) || !fw_is_here_(runner_of(w), generation_of(w));\n",
          "    return !is_running(w) || generation_of(w) > 31u;\n"),
    Fault("once-forgets-generation", "the runner does not say in which process", "once-fork", ONCE,
          "    uint32_t mine = me | fw_fork_generation_() << ONCE_GENERATION_SHIFT;\n",
          "    uint32_t mine = me;\n"),
    Fault("once-touches-after", "looks at the once after the end", "once-free", ONCE,
          "    if (has_sleepers(w))\n",
          "    if (has_sleepers(w) || fw_load32_relaxed(&o->state_) == 0)\n"),
]

FAMILY = Family("once", ["thread/once.c"], ["include/furwock/once.h"],
                {"thread/once.c": ["fw_once_call"]}, FAULTS)
