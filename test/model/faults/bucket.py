# SPDX-License-Identifier: MIT
"""Faults in the lock of a wait-queue bucket."""
from edits import at, before, call, condition, head, instead, operand, value, word

from .kinds import Family, Fault

LOCK, HEADER = "src/core/bucket_lock.c", "src/core/bucket_lock.h"

FAULTS = [
    Fault("bucket-lends-nothing", "a real-time thread sleeps as any other", "bucket-inversion",
          LOCK, value("false")),
    Fault("bucket-sleeps-blind", "sets calls, and sleeps without another look", "bucket", LOCK,
          head("")),
    Fault("bucket-looks-first", "looks whether it is held, then sets calls", "bucket", LOCK,
          at("bucket-plain-calls", before("if (fw_load32_seq_cst(&l->owner) == 0) return;")),
          at("bucket-sleeps-blind", head(""))),
    Fault("bucket-plain-calls", "sets calls by a plain store", "bucket", LOCK,
          call(1, word(1, "fw_store32_relaxed"))),
    Fault("bucket-forgets-others", "was woken, and does not say that others may sleep",
          "bucket-three", LOCK, condition("false")),
    Fault("bucket-no-wake", "releases, and wakes nobody", "bucket", LOCK, instead("return;")),
    Fault("bucket-keeps-word", "releases without asking the kernel who waits", "bucket-urgent",
          LOCK, instead("error = 0; fw_store32_relaxed(&l->owner, 0);")),
    Fault("bucket-wakes-early", "looks at calls, then releases", "bucket", HEADER,
          before("uint32_t calls = fw_load32_seq_cst(&l->calls);"),
          at("bucket-wakes-early-2", condition("calls != 0"))),
    Fault("bucket-takes-anyway", "takes the lock whoever has it", "bucket", LOCK,
          value(operand(1, ""))),
]

FAMILY = Family("bucket", ["core/bucket_lock.c"], [HEADER], {}, FAULTS)
