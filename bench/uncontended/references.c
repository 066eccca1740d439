/* SPDX-License-Identifier: MIT */
/*
 * What a lock that is two atomic instructions costs, when there is nothing else to it: the floor
 * for locks that take and release by an atomic instruction each.
 */
#include <stdint.h>

#include "bench/adapters/adapter_define.h"
#include "uncontended.h"

#define CAS_ACQUIRE(l)                                                                      \
    for (uint32_t free_ = 0;                                                                \
         !__atomic_compare_exchange_n(l, &free_, 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED); \
         free_ = 0)

#define EXCHANGE_RELEASE(l) (void)__atomic_exchange_n(l, 0, __ATOMIC_RELEASE)

ADAPTER_ZERO_IS_FREE(cas)
ADAPTER_CALLS(cas, uint32_t, CAS_ACQUIRE(l), EXCHANGE_RELEASE(l))

const struct adapter reference_cas_exchange = {
    .name = "(cas+exchange)",
    .about = "inline compare-and-exchange, then exchange: no lock, the two instructions alone",
    .family = FAMILY_RIVAL,
    .flags = ADAPTER_NOTHING,
    ADAPTER_TYPE(cas, uint32_t),
};

ADAPTER_ZERO_IS_FREE(empty)
ADAPTER_CALLS(empty, uint32_t, __asm__ volatile("" : : "r"(l) : "memory"), (void)l)

const struct adapter reference_empty = {
    .name = "(empty loop)",
    .about = "nothing at all",
    .family = FAMILY_RIVAL,
    .flags = ADAPTER_NOTHING,
    ADAPTER_TYPE(empty, uint32_t),
};
