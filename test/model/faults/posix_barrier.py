# SPDX-License-Identifier: MIT
"""Faults in the barrier of the POSIX drop-in."""
from edits import argument, at, before, call, condition, drop, instead, operand, value

from .kinds import Family, Fault

BARRIER = "posix/barrier.c"

SLEEP = """        if (sleeps &&
            ((done & SLEEPERS) != 0 || fw_cas32_relaxed(&b->done, &done, done | SLEEPERS)))
            fw_futex_wait(&b->done, done | SLEEPERS, futex_flags(b), NULL);
"""
LEAVE = "    if ((fw_add64_release(&b->out, 1) & GOES) != 0)\n"

FAULTS = [
    Fault("pbar-torn-arrival", "arrives by a load and a store", "pbar-three", BARRIER,
          instead("uint64_t t = fw_load64_relaxed(&b->in); fw_store64_relaxed(&b->in, t + 1);")),
    Fault("pbar-ends-early", "the first of a round ends it", "pbar", BARRIER,
          value(operand(2, "0"))),
    Fault("pbar-goes-back", "ends a round when a later one has ended", "pbar-surplus", BARRIER,
          drop()),
    Fault("pbar-no-wrap", "a round with a small number has not ended after one with a large one",
          "pbar-wraps", BARRIER, value("(done & ~(SLEEPERS | SLEPT)) > (r << ROUND_SHIFT)")),
    Fault("pbar-unannounced", "sleeps without SLEEPERS", "pbar", BARRIER, condition("sleeps"),
          at("pbar-unannounced-2", argument(2, "done"))),
    Fault("pbar-no-wake", "ends a round and wakes nobody", "pbar", BARRIER, condition("false")),
    Fault("pbar-wakes-one", "ends a round and wakes one", "pbar-three", BARRIER, argument(2, "1")),
    Fault("pbar-looks-late", "ends the round, then looks for sleepers", "pbar", BARRIER,
          at("pbar-no-wake", condition(operand(1, operand(1, "fw_load32_relaxed(&b->done)"))))),
    Fault("pbar-stays", "the last of a round does not leave", "pbar", BARRIER,
          before("if (!is_last)")),
    Fault("pbar-hasty-destroy", "destroy does not wait", "pbar-destroy", BARRIER,
          condition("out = fw_load64_acquire(&b->out), false")),
    Fault("pbar-quiet-leaver", "who leaves does not wake who destroys", "pbar-destroy", BARRIER,
          condition("$ && false")),
    Fault("pbar-touches-after", "looks at the barrier after it has left", "pbar-destroy", BARRIER,
          at("pbar-quiet-leaver", before("fw_add64_release(&b->out, 1);")),
          at("pbar-quiet-leaver", call(1, "fw_load64_relaxed(&b->out)"))),
    Fault("pbar-serial-all", "all are told that they are the serial one", "pbar", BARRIER,
          value("PTHREAD_BARRIER_SERIAL_THREAD")),
]

FAMILY = Family("posix_barrier", ["barrier.c"], [], {}, FAULTS, "posix")
