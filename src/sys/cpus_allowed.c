/* SPDX-License-Identifier: MIT */
#include <sched.h>
#include <unistd.h>

#include "sys/cpu_count.h"

uint32_t fw_cpus_allowed_(void)
{
    static uint32_t known; /* every thread that finds out stores the same */
    uint32_t n = __atomic_load_n(&known, __ATOMIC_RELAXED);
    cpu_set_t set;

    if (n == 0) {
        n = sched_getaffinity(getpid(), sizeof set, &set) == 0 ? (uint32_t)CPU_COUNT(&set)
                                                               : fw_cpu_count_(); /* too many */
        __atomic_store_n(&known, n, __ATOMIC_RELAXED);
    }
    return n;
}
