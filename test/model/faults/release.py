# SPDX-License-Identifier: MIT
"""Faults in the fence of the plain release; the programs are the mutex's."""
from edits import at, condition, operand, value

from .kinds import Family, Fault

RELEASE, FENCES = "src/sys/x86_64/release.c", "src/sys/fences.h"

FAULTS = [
    Fault("fences-once", "one call where the kernel may miss a plain release", "missed", RELEASE,
          condition("i < 1 && $")),
    Fault("fences-trusts-kernel", "takes a kernel that has not got the fix for one that has",
          "missed", FENCES, operand(1, operand(2, operand(2, operand(2, "57"))))),
    Fault("fences-trusts-unnamed", "takes a kernel that does not tell its release for a mended one",
          "missed-unnamed", FENCES, operand(1, "$ || !part[0]")),
    Fault("fences-counts-refusals", "goes on when a call was refused, and forgets that",
          "missed-refused", RELEASE, at("fences-once", condition(operand(2, "")))),
    Fault("fences-hides-refusal", "the kernel refuses, and nobody is told", "refused", RELEASE,
          value("0")),
    Fault("fences-sequences-anyway", "makes no call, and plain releases all the same",
          "missed-none", RELEASE, condition(operand(1, ""))),
]

FAMILY = Family("release", ["release.c"], [FENCES], {"release.c": ["fw_rseq_offset_"]}, FAULTS,
                "src/sys/x86_64")
