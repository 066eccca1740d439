/* SPDX-License-Identifier: MIT */
/* Apart from saturation.c, so that a simulator of caches can have it in memory of its own. */
#include "core/saturation.h"

void *fw_saturation_table_(void)
{
    static uint64_t table[FW_SATURATION_BYTES_ / sizeof(uint64_t)] __attribute__((aligned(64)));

    return table;
}
