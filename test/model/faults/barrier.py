# SPDX-License-Identifier: MIT
"""Faults in the barrier."""
from .kinds import Family, Fault

BARRIER, WORD = "src/thread/barrier.c", "src/thread/barrier_word.h"

ARRIVAL = "    w = fw_add64_acq_rel(&b->state_, (stay ? BARRIER_INSIDE_ONE : 0) - n);\n"

FAULTS = [
    Fault("barrier-torn-arrival", "arrives by a load and a store", "barrier-three", BARRIER,
          ARRIVAL, "    w = fw_load64_relaxed(&b->state_);\n"
          "    fw_store64_relaxed(&b->state_, w + (stay ? BARRIER_INSIDE_ONE : 0) - n);\n"),
    Fault("barrier-sleeps-unannounced", "sleeps without SLEEPERS", "barrier", BARRIER,
          "        if (fw_wait_blocks_(wait) && !barrier_has_sleepers(w)) {\n",
          "        if (false) {\n"),
    Fault("barrier-stale-round", "announces itself in the next round, and sleeps", "barrier",
          BARRIER, "            if (barrier_round(w) != phase)\n                continue;\n", ""),
    Fault("barrier-no-wake", "ends a round and wakes nobody", "barrier", BARRIER,
          "    if (barrier_has_sleepers(w)) /* I2, I3 */\n", "    if (false)\n"),
    Fault("barrier-wakes-one", "ends a round and wakes one", "barrier-three", BARRIER,
          "        fw_futex_wake(upper_half_of(b), FW_FUTEX_ALL,",
          "        fw_futex_wake(upper_half_of(b), 1,"),
    Fault("barrier-wrong-half", "wakes on the wrong half", "barrier", BARRIER,
          "        fw_futex_wake(upper_half_of(b), FW_FUTEX_ALL,",
          "        fw_futex_wake(lower_half_of(b), FW_FUTEX_ALL,"),
    Fault("barrier-looks-first", "looks for sleepers, then ends the round", "barrier", BARRIER,
          "    if (barrier_has_sleepers(w)) /* I2, I3 */\n",
          "    if (barrier_has_sleepers(fw_load64_relaxed(&b->state_)))\n"),
    Fault("barrier-keeps-count", "the next round awaits as many as the first", "barrier-drop",
          BARRIER, "        fw_add32_relaxed(&b->parties_, 0u - n);\n",
          "        fw_add32_relaxed(&b->parties_, 0);\n"),
    Fault("barrier-drops-late", "drops out after it has arrived", "barrier-drop", BARRIER,
          "    if (fw_barrier_arrive_(b, 1, false, true, &phase))\n"
          "        fw_barrier_open_(b, false);\n}\n",
          "    if (fw_barrier_arrive_(b, 1, false, false, &phase))\n"
          "        fw_barrier_open_(b, false);\n"
          "    fw_add32_relaxed(&b->parties_, UINT32_MAX);\n}\n"),
    Fault("barrier-forgets-inside", "the last to arrive stays inside", "barrier", BARRIER,
          "barrier_next_round(w, parties) - (stay ? BARRIER_INSIDE_ONE : 0)))",
          "barrier_next_round(w, parties) - (stay ? UINT64_C(0) : 0)))"),
    Fault("barrier-loses-inside", "a new round forgets who has not left the last one",
          "barrier-destroy", WORD,
          "    fw_barrier_word_ kept = w & (BARRIER_INSIDE | BARRIER_GOES);\n",
          "    fw_barrier_word_ kept = (w & BARRIER_GOES) | BARRIER_INSIDE_ONE;\n"),
    Fault("barrier-hasty-destroy", "destroy does not wait", "barrier-destroy", BARRIER,
          "    for (; barrier_inside(w) != 0; w = fw_load64_acquire(&b->state_))\n",
          "    for (; false; w = fw_load64_acquire(&b->state_))\n"),
    Fault("barrier-quiet-leaver", "the last who leaves does not wake who destroys",
          "barrier-destroy", BARRIER,
          "    if (barrier_goes(w) && barrier_inside(w) == 1) /* I3 */\n",
          "    if (barrier_goes(w) && false)\n"),
    Fault("barrier-destroy-upper", "destroy sleeps on the half that does not change",
          "barrier-destroy", BARRIER,
          "            fw_wait_sleep_(&wait, lower_half_of(b), barrier_lower_half(w),",
          "            fw_wait_sleep_(&wait, upper_half_of(b), barrier_upper_half(w),"),
    Fault("barrier-touches-after", "looks at the barrier after it has left", "barrier-destroy",
          BARRIER, "    if (barrier_goes(w) && barrier_inside(w) == 1) /* I3 */\n",
          "    if (barrier_goes(fw_load64_relaxed(&b->state_)) && barrier_inside(w) == 1)\n"),
    Fault("barrier-serial-all", "all are told that they are the serial one", "barrier", BARRIER,
          "    leave(b);\n    return 0;\n", "    leave(b);\n    return FW_BARRIER_SERIAL;\n"),
]

FAMILY = Family("barrier", ["thread/barrier.c"],
                ["include/furwock/barrier.h", "src/thread/barrier_word.h"],
                {}, FAULTS)
