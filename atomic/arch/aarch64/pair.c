/* SPDX-License-Identifier: MIT */
#include "atomic_pair.h"

#include <sys/auxv.h>

/* 0 until asked: operations may come before any constructor. */
unsigned fw_pair_features_;

__attribute__((cold)) unsigned fw_pair_ask_(void)
{
    unsigned long features = getauxval(AT_HWCAP);
    unsigned found = FW_PAIR_ASKED_;

    if ((features & HWCAP_ATOMICS) != 0) /* FEAT_LSE */
        found |= FW_PAIR_CASP_;
    if ((features & HWCAP_USCAT) != 0) /* FEAT_LSE2 */
        found |= FW_PAIR_PLAIN_;
    __atomic_store_n(&fw_pair_features_, found, __ATOMIC_RELAXED);
    return found;
}
