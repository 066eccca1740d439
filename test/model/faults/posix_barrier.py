# SPDX-License-Identifier: MIT
"""Faults in the barrier of the POSIX drop-in."""
from .kinds import Family, Fault

BARRIER = "posix/barrier.c"

SLEEP = """        if (sleeps &&
            ((done & SLEEPERS) != 0 || fw_cas32_relaxed(&b->done, &done, done | SLEEPERS)))
            fw_futex_wait(&b->done, done | SLEEPERS, futex_flags(b), NULL);
"""
LEAVE = "    if ((fw_add64_release(&b->out, 1) & GOES) != 0)\n"

FAULTS = [
    Fault("pbar-torn-arrival", "arrives by a load and a store", "pbar-three", BARRIER,
          "    uint64_t t = fw_add64_acq_rel(&b->in, 1);\n",
          "    uint64_t t = fw_load64_relaxed(&b->in);\n    fw_store64_relaxed(&b->in, t + 1);\n"),
    Fault("pbar-ends-early", "the first of a round ends it", "pbar", BARRIER,
          "    bool is_last = t % count == count - 1;\n", "    bool is_last = t % count == 0;\n"),
    Fault("pbar-goes-back", "ends a round when a later one has ended", "pbar-crowd", BARRIER,
          "        if (has_ended(done, r))\n            return;\n", ""),
    Fault("pbar-no-wrap", "a round with a small number has not ended after one with a large one",
          "pbar-wraps", BARRIER,
          "    return (int32_t)((done & ~(SLEEPERS | SLEPT)) - (r << ROUND_SHIFT)) > 0;\n",
          "    return (done & ~(SLEEPERS | SLEPT)) > (r << ROUND_SHIFT);\n"),
    Fault("pbar-unannounced", "sleeps without SLEEPERS", "pbar", BARRIER, SLEEP,
          "        if (sleeps)\n"
          "            fw_futex_wait(&b->done, done, futex_flags(b), NULL);\n"),
    Fault("pbar-no-wake", "ends a round and wakes nobody", "pbar", BARRIER,
          "    if ((done & SLEEPERS) != 0) /* I2 */\n", "    if (false)\n"),
    Fault("pbar-wakes-one", "ends a round and wakes one", "pbar-three", BARRIER,
          "        fw_futex_wake(&b->done, FW_FUTEX_ALL, flags);",
          "        fw_futex_wake(&b->done, 1, flags);"),
    Fault("pbar-looks-late", "ends the round, then looks for sleepers", "pbar", BARRIER,
          "    if ((done & SLEEPERS) != 0) /* I2 */\n",
          "    if ((fw_load32_relaxed(&b->done) & SLEEPERS) != 0)\n"),
    Fault("pbar-stays", "the last of a round does not leave", "pbar", BARRIER,
          "    leave(b);\n", "    if (!is_last)\n        leave(b);\n"),
    Fault("pbar-hasty-destroy", "destroy does not wait", "pbar-destroy", BARRIER,
          "    while ((out = fw_load64_acquire(&b->out)) != (in | GOES))\n",
          "    while (out = fw_load64_acquire(&b->out), false)\n"),
    Fault("pbar-quiet-leaver", "who leaves does not wake who destroys", "pbar-destroy", BARRIER,
          LEAVE, "    if ((fw_add64_release(&b->out, 1) & GOES) != 0 && false)\n"),
    Fault("pbar-touches-after", "looks at the barrier after it has left", "pbar-destroy", BARRIER,
          LEAVE, "    fw_add64_release(&b->out, 1);\n"
          "    if ((fw_load64_relaxed(&b->out) & GOES) != 0)\n"),
    Fault("pbar-serial-all", "all are told that they are the serial one", "pbar", BARRIER,
          "    return is_last ? PTHREAD_BARRIER_SERIAL_THREAD : 0;\n",
          "    return PTHREAD_BARRIER_SERIAL_THREAD;\n"),
]

FAMILY = Family("posix_barrier", ["barrier.c"], [], {}, FAULTS, "posix")
