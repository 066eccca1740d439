/* SPDX-License-Identifier: MIT */
#ifndef FW_SYS_PERCPU_ARCH_H
#define FW_SYS_PERCPU_ARCH_H

#include <stddef.h>

/* From the thread pointer to the thread's struct rseq: release.c. */
extern ptrdiff_t fw_rseq_offset_ __attribute__((visibility("hidden")));

/*
 * From the thread pointer to the number by which this process tells CPUs apart, in struct
 * rseq.  Set before fw_percpu_count_ first returns anything but 0.
 */
extern ptrdiff_t fw_percpu_id_offset_ __attribute__((visibility("hidden")));

uint32_t fw_percpu_count_(void);
int fw_percpu_fence_(void);

/*
 * Load the flag and add, inside a restartable sequence: if the thread is preempted, migrated,
 * interrupted by a signal or hit by the fence between labels 1 and 2, the kernel sends it to label
 * 4 instead.  So between the two no other thread has run on this CPU, or has had this number;
 * and as every change of a counter is made like this, a plain addition to memory, which is one
 * instruction and the last before label 2, is enough.  A sequence either did nothing or is
 * complete.
 *
 * On abort the caller counts elsewhere, by an atomic instruction, and does not try again: a thread
 * that is single-stepped by a debugger aborts every time.
 *
 * The layout of the descriptor, and the signature: sys_release_arch.h.
 */
static inline bool fw_percpu_add_(const uint32_t *closed, void *counters, uint32_t n,
                                  uint32_t delta)
{
    _Static_assert(FW_PERCPU_STRIDE == 64, "the shift below");

    __asm__ goto(".pushsection __rseq_cs, \"aw\"\n"
                 ".balign 32\n"
                 "3: .long 0, 0\n"
                 ".quad 1f, 2f - 1f, 4f\n"
                 ".popsection\n"
                 "leaq 3b(%%rip), %%rax\n"
                 "movq %%rax, %%fs:8(%[area])\n"
                 "1:\n"
                 "movl %%fs:(%[number]), %%eax\n"
                 "cmpl %[n], %%eax\n"
                 "jae %l[other]\n"
                 "shlq $6, %%rax\n"
                 "cmpl $0, (%[closed])\n"
                 "jne %l[other]\n"
                 "addl %[delta], (%[counters], %%rax)\n"
                 "2:\n"
                 "jmp 5f\n"
                 ".byte 0x0f, 0xb9, 0x3d\n" /* ud1, which makes the signature an instruction */
                 ".long 0x53053053\n"
                 "4: jmp %l[other]\n"
                 "5:\n"
                 : /* asm goto with outputs is too young */
                 : [area] "r"(fw_rseq_offset_), [number] "r"(fw_percpu_id_offset_),
                   [closed] "r"(closed), [counters] "r"(counters), [n] "r"(n), [delta] "ri"(delta)
                 : "rax", "cc", "memory"
                 : other);
    return true;
other:
    return false;
}

#endif
