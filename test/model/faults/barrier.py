# SPDX-License-Identifier: MIT
"""Faults in the barrier."""
from edits import after, argument, at, condition, drop, instead, operand, value

from .kinds import Family, Fault

BARRIER, WORD = "src/thread/barrier.c", "src/thread/barrier_word.h"

ARRIVAL = "    w = fw_add64_acq_rel(&b->state_, (stay ? BARRIER_INSIDE_ONE : 0) - n);\n"

FAULTS = [
    Fault("barrier-torn-arrival", "arrives by a load and a store", "barrier-three", BARRIER,
          instead("w = fw_load64_relaxed(&b->state_); fw_store64_relaxed(&b->state_, w + (stay ? "
              "BARRIER_INSIDE_ONE : 0) - n);")),
    Fault("barrier-sleeps-unannounced", "sleeps without SLEEPERS", "barrier", BARRIER,
          condition("false")),
    Fault("barrier-stale-round", "announces itself in the next round, and sleeps", "barrier",
          BARRIER, drop()),
    Fault("barrier-no-wake", "ends a round and wakes nobody", "barrier", BARRIER,
          condition("false")),
    Fault("barrier-wakes-one", "ends a round and wakes one", "barrier-three", BARRIER,
          argument(2, "1")),
    Fault("barrier-wrong-half", "wakes on the wrong half", "barrier", BARRIER,
          at("barrier-wakes-one", argument(1, "lower_half_of (b)"))),
    Fault("barrier-looks-first", "looks for sleepers, then ends the round", "barrier", BARRIER,
          at("barrier-no-wake", argument(1, "fw_load64_relaxed(&b->state_)"))),
    Fault("barrier-keeps-count", "the next round awaits as many as the first", "barrier-drop",
          BARRIER, argument(2, "0")),
    Fault("barrier-drops-late", "drops out after it has arrived", "barrier-drop", BARRIER,
          argument(4, "false"), after("fw_add32_relaxed(&b->parties_, UINT32_MAX);")),
    Fault("barrier-forgets-inside", "the last to arrive stays inside", "barrier", BARRIER,
          argument(3, operand(2, operand(2, "UINT64_C(0)")))),
    Fault("barrier-loses-inside", "a new round forgets who has not left the last one",
          "barrier-destroy", WORD, value("(w & BARRIER_GOES) | BARRIER_INSIDE_ONE")),
    Fault("barrier-hasty-destroy", "destroy does not wait", "barrier-destroy", BARRIER,
          condition("false")),
    Fault("barrier-quiet-leaver", "the last who leaves does not wake who destroys",
          "barrier-destroy", BARRIER, condition(operand(2, "false"))),
    Fault("barrier-destroy-upper", "destroy sleeps on the half that does not change",
          "barrier-destroy", BARRIER, argument(2, "upper_half_of (b)"),
          argument(3, "barrier_upper_half (w)")),
    Fault("barrier-touches-after", "looks at the barrier after it has left", "barrier-destroy",
          BARRIER, at("barrier-quiet-leaver", argument(1, "fw_load64_relaxed(&b->state_)"))),
    Fault("barrier-serial-all", "all are told that they are the serial one", "barrier", BARRIER,
          value("FW_BARRIER_SERIAL")),
]

FAMILY = Family("barrier", ["thread/barrier.c"],
                ["include/furwock/barrier.h", "src/thread/barrier_word.h"],
                {}, FAULTS)
