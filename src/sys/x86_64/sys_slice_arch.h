/* SPDX-License-Identifier: MIT */
#ifndef FW_SYS_SLICE_ARCH_H
#define FW_SYS_SLICE_ARCH_H

#include <stddef.h>

/* From the thread pointer to the thread's struct rseq: release.c. */
extern ptrdiff_t fw_rseq_offset_ __attribute__((visibility("hidden")));

/* The calling thread's struct rseq; NULL: it has none. */
static inline char *fw_slice_area_(void)
{
    ptrdiff_t offset = __atomic_load_n(&fw_rseq_offset_, __ATOMIC_RELAXED);
    char *thread;

    __asm__("movq %%fs:0, %0" : "=r"(thread));
    return offset == 0 ? NULL : thread + offset;
}

#endif
