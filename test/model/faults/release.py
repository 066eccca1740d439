# SPDX-License-Identifier: MIT
"""Faults in the fence of the plain release; the programs are the mutex's."""
from .kinds import Family, Fault

RELEASE, FENCES = "src/sys/x86_64/release.c", "src/sys/fences.h"

FAULTS = [
    Fault("fences-once", "one call where the kernel may miss a plain release", "missed", RELEASE,
          "i < fences && error == 0", "i < 1 && i < fences && error == 0"),
    Fault("fences-trusts-kernel", "takes a kernel that has not got the fix for one that has",
          "missed", FENCES, "part[2] >= 157)", "part[2] >= 57)"),
    Fault("fences-trusts-unnamed", "takes a kernel that does not tell its release for a mended one",
          "missed-unnamed", FENCES, "return part[0] > 6 ?", "return part[0] > 6 || !part[0] ?"),
    Fault("fences-counts-refusals", "goes on when a call was refused, and forgets that",
          "missed-refused", RELEASE, "i < fences && error == 0", "i < fences"),
    Fault("fences-hides-refusal", "the kernel refuses, and nobody is told", "refused", RELEASE,
          "        error = fence_once();\n    return error;\n",
          "        error = fence_once();\n    return 0;\n"),
    Fault("fences-sequences-anyway", "makes no call, and plain releases all the same",
          "missed-none", RELEASE, "    if (fences == 0 || &__rseq_offset == NULL",
          "    if (&__rseq_offset == NULL"),
]

FAMILY = Family("release", ["release.c"], [FENCES], {"release.c": ["fw_rseq_offset_"]}, FAULTS,
                "src/sys/x86_64")
