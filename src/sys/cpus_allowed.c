/* SPDX-License-Identifier: MIT */
#include <stdint.h>
#include <sys/syscall.h>
#include <sys_call_arch.h>

#include "sys/cpu_count.h"

/* As many as the kernel can have, and that is few bytes. */
#define CPUS_MOST 8192u

static uint32_t look(void)
{
    unsigned long mask[CPUS_MOST / 8 / sizeof(unsigned long)];
    long first = fw_system_call_(SYS_getpid, 0, 0, 0, 0, 0, 0);
    long size = fw_system_call_(SYS_sched_getaffinity, first, (long)sizeof mask,
                                (long)(intptr_t)mask, 0, 0, 0);
    uint32_t n = 0;

    for (long i = 0; i < size / (long)sizeof *mask; i++) /* not at all, if that has failed */
        n += (uint32_t)__builtin_popcountl(mask[i]);
    return n > 0 ? n : 1;
}

uint32_t fw_cpus_allowed_(void)
{
    static uint32_t known; /* every thread that finds out stores the same */
    uint32_t n = __atomic_load_n(&known, __ATOMIC_RELAXED);

    if (n == 0) {
        n = look();
        __atomic_store_n(&known, n, __ATOMIC_RELAXED);
    }
    return n;
}
