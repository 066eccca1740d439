/* SPDX-License-Identifier: MIT */
#include <unistd.h>

#include "sys/cpu_count.h"

uint32_t fw_cpu_count_(void)
{
    static uint32_t known; /* every thread that finds out stores the same */
    uint32_t n = __atomic_load_n(&known, __ATOMIC_RELAXED);
    long configured;

    if (n == 0) {
        configured = sysconf(_SC_NPROCESSORS_CONF);
        n = configured < 1 ? 1 : (uint32_t)configured;
        __atomic_store_n(&known, n, __ATOMIC_RELAXED);
    }
    return n;
}
