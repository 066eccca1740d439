# SPDX-License-Identifier: MIT
"""Faults in the lock of a wait-queue bucket."""
from .kinds import Family, Fault

LOCK, HEADER = "src/core/bucket_lock.c", "src/core/bucket_lock.h"

FAULTS = [
    Fault("bucket-lends-nothing", "a real-time thread sleeps as any other", "bucket-inversion",
          LOCK, "    return fw_inheriting_ != 0 || fw_urgency_() != 0;\n", "    return false;\n"),
    Fault("bucket-sleeps-blind", "sets calls, and sleeps without another look", "bucket", LOCK,
          "    if (fw_load32_seq_cst(&l->owner) != 0)\n        fw_wait_sleep_",
          "    fw_wait_sleep_"),
    Fault("bucket-looks-first", "looks whether it is held, then sets calls", "bucket", LOCK,
          "    fw_xchg32_seq_cst(&l->calls, 1);\n    if (fw_load32_seq_cst(&l->owner) != 0)\n",
          "    if (fw_load32_seq_cst(&l->owner) == 0)\n        return;\n"
          "    fw_xchg32_seq_cst(&l->calls, 1);\n"),
    Fault("bucket-plain-calls", "sets calls by a plain store", "bucket", LOCK,
          "    fw_xchg32_seq_cst(&l->calls, 1);\n", "    fw_store32_relaxed(&l->calls, 1);\n"),
    Fault("bucket-forgets-others", "was woken, and does not say that others may sleep",
          "bucket-three", LOCK, "    if (lost != 0) /* B3 */\n", "    if (false)\n"),
    Fault("bucket-no-wake", "releases, and wakes nobody", "bucket", LOCK,
          "        fw_futex_wake(&l->calls, 1, FW_FUTEX_PRIVATE);\n", "        return;\n"),
    Fault("bucket-keeps-word", "releases without asking the kernel who waits", "bucket-urgent",
          LOCK, "    error = fw_futex_unlock_pi_(&l->owner, FW_FUTEX_PRIVATE);\n",
          "    error = 0;\n    fw_store32_relaxed(&l->owner, 0);\n"),
    Fault("bucket-wakes-early", "looks at calls, then releases", "bucket", HEADER,
          "    if (__builtin_expect(!fw_cas32_seq_cst(&l->owner, &owner, 0), 0))\n"
          "        fw_bucket_hand_over_(l);\n"
          "    if (__builtin_expect(fw_load32_seq_cst(&l->calls) != 0, 0)) /* B2 */\n"
          "        fw_bucket_wake_(l);\n",
          "    uint32_t calls = fw_load32_seq_cst(&l->calls);\n\n"
          "    if (__builtin_expect(!fw_cas32_seq_cst(&l->owner, &owner, 0), 0))\n"
          "        fw_bucket_hand_over_(l);\n"
          "    if (calls != 0)\n        fw_bucket_wake_(l);\n"),
    Fault("bucket-takes-anyway", "takes the lock whoever has it", "bucket", LOCK,
          "    return seen == 0 && fw_cas32_acquire(", "    return fw_cas32_acquire("),
]

FAMILY = Family("bucket", ["core/bucket_lock.c"], [HEADER], {}, FAULTS)
