/* SPDX-License-Identifier: MIT */
#ifndef FW_ATOMIC_PAIR_H
#define FW_ATOMIC_PAIR_H

#include <stdbool.h>

/* No instruction for 16 bytes is known here: they are guarded by a lock. */
__extension__ typedef unsigned __int128 fw_pair_;

static inline bool fw_pair_is_here_(void)
{
    return false;
}

static inline bool fw_pair_is_quick_(void)
{
    return false;
}

static inline fw_pair_ fw_pair_load_(const void *pair)
{
    (void)pair;
    __builtin_unreachable();
}

static inline void fw_pair_store_(void *pair, fw_pair_ value, int order)
{
    (void)pair, (void)value, (void)order;
    __builtin_unreachable();
}

static inline bool fw_pair_cas_(void *pair, fw_pair_ *expected, fw_pair_ value)
{
    (void)pair, (void)expected, (void)value;
    __builtin_unreachable();
}

#define fw_pair_quick_load_ fw_pair_load_
#define fw_pair_quick_store_ fw_pair_store_
#define fw_pair_quick_cas_ fw_pair_cas_

#endif
