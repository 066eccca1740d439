/* SPDX-License-Identifier: MIT */
/* No lock at all: what a benchmark's own loop costs.  Excludes nobody. */
#include "bench/adapters/adapter_define.h"

ADAPTER_ZERO_IS_FREE(none)
ADAPTER_CALLS(none, char,
              __asm__ volatile(""
                               :
                               : "r"(l)
                               : "memory"),
              __asm__ volatile(""
                               :
                               : "r"(l)
                               : "memory"))

const struct adapter adapter_none = {
    .name = "none",
    .about = "no lock at all: the cost of the loop itself",
    .family = FAMILY_RIVAL,
    .flags = ADAPTER_NOTHING | ADAPTER_SHARED,
    ADAPTER_TYPE(none, char),
};
