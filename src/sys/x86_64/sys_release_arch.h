/* SPDX-License-Identifier: MIT */
#ifndef FW_SYS_RELEASE_ARCH_H
#define FW_SYS_RELEASE_ARCH_H

#include <stddef.h>

/* From the thread pointer to the thread's struct rseq; 0 where the kernel does not help. */
extern ptrdiff_t fw_rseq_offset_ __attribute__((visibility("hidden")));

int fw_release_fence_(void);

void fw_release_begin_(char *const *environment);

/*
 * Look and store inside a restartable sequence: if the thread is preempted, migrated, interrupted
 * by a signal or hit by the fence between labels 1 and 2, the kernel sends it to label 4 instead.
 * The store is the last instruction before label 2, so a sequence either did nothing or is
 * complete.
 *
 * On abort the caller falls back to an atomic release and does not try again: a thread that is
 * single-stepped by a debugger aborts every time.
 *
 * struct rseq: rseq_cs is at offset 8.  struct rseq_cs: version, flags, start, length, abort
 * address. 0x53053053 is the signature that glibc registers; the kernel wants it in front of the
 * abort address.  The abort lies in a section that no compiler puts code into: after the sequence,
 * in whatever section that is, comes the code that follows it.
 *
 * The two halves are compared one by one because the lower one was just written by a 32-bit store:
 * a 64-bit load would wait until that store has reached the cache (measured: doc/design/mutex.md).
 */
#define FW_RELEASE_SEQUENCE_(compare_owner, owner)                                              \
    __asm__ goto(".pushsection __rseq_cs, \"aw\"\n"                                             \
                 ".balign 32\n"                                                                 \
                 "3: .long 0, 0\n"                                                              \
                 ".quad 1f, 2f - 1f, 4f\n"                                                      \
                 ".popsection\n"                                                                \
                 "leaq 3b(%%rip), %%rax\n"                                                      \
                 "movq %%rax, %%fs:8(%[area])\n"                                                \
                 "1:\n" compare_owner "cmpl $0, 4(%[state])\n"                                  \
                 "jne %l[other]\n"                                                              \
                 "movl $0, (%[state])\n"                                                        \
                 "2:\n"                                                                         \
                 ".pushsection .text.fw_aborts, \"ax\"\n"                                       \
                 ".byte 0x0f, 0xb9, 0x3d\n" /* ud1, which makes the signature an instruction */ \
                 ".long 0x53053053\n"                                                           \
                 "4: jmp %l[other]\n"                                                           \
                 ".popsection\n"                                                                \
                 : /* asm goto with outputs is too young */                                     \
                 : [area] "r"(area), [state] "r"(state), [id] "r"(owner)                        \
                 : "rax", "cc", "memory"                                                        \
                 : other)

static inline bool fw_release_plain_(uint64_t *state, uint32_t id)
{
    ptrdiff_t area = fw_rseq_offset_;

    if (__builtin_expect(area == 0, 0))
        return false;
    FW_RELEASE_SEQUENCE_("cmpl %[id], (%[state])\njne %l[other]\n", id);
    return true;
other:
    return false;
}

static inline bool fw_release_quiet_(uint64_t *state)
{
    ptrdiff_t area = fw_rseq_offset_;

    if (__builtin_expect(area == 0, 0))
        return false;
    FW_RELEASE_SEQUENCE_("", 0);
    return true;
other:
    return false;
}

#endif
