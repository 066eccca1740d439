/* SPDX-License-Identifier: MIT */
#ifndef FW_SYS_CLAIM_ARCH_H
#define FW_SYS_CLAIM_ARCH_H

#include <stddef.h>

enum { FW_CLAIMS = 1 };

extern ptrdiff_t fw_rseq_offset_ __attribute__((visibility("hidden")));

/*
 * As in sys_release_arch.h: a thread that loses its CPU, or gets a signal, between labels 1 and 2
 * goes on at label 4, and the store is the last instruction before label 2.  struct rseq: cpu_id is
 * at offset 4, rseq_cs at 8.
 */
#define FW_CLAIM_BEGIN_                \
    ".pushsection __rseq_cs, \"aw\"\n" \
    ".balign 32\n"                     \
    "3: .long 0, 0\n"                  \
    ".quad 1f, 2f - 1f, 4f\n"          \
    ".popsection\n"                    \
    "leaq 3b(%%rip), %%rax\n"          \
    "movq %%rax, %%fs:8(%[area])\n"    \
    "1:\n"                             \
    "cmpl %[cpu], %%fs:4(%[area])\n"   \
    "jne %l[other_]\n"
#define FW_CLAIM_END_                                                              \
    "movq %[value], (%[word])\n"                                                   \
    "2:\n"                                                                         \
    ".pushsection .text.fw_aborts, \"ax\"\n"                                       \
    ".byte 0x0f, 0xb9, 0x3d\n" /* ud1, which makes the signature an instruction */ \
    ".long 0x53053053\n"                                                           \
    "4: jmp %l[other_]\n"                                                          \
    ".popsection\n"

static inline bool fw_claim_(uint32_t cpu, uint64_t *word, uint64_t value,
                             const uint64_t *const *other, const uint64_t *seen, unsigned n)
{
    ptrdiff_t area = fw_rseq_offset_;

    if (__builtin_expect(area == 0, 0))
        return false;
    __asm__ goto(FW_CLAIM_BEGIN_ "xorl %%ecx, %%ecx\n"
                                 "jmp 7f\n"
                                 "6: movq (%[other],%%rcx,8), %%rax\n"
                                 "movq (%%rax), %%rax\n"
                                 "cmpq (%[seen],%%rcx,8), %%rax\n"
                                 "jne %l[other_]\n"
                                 "incq %%rcx\n"
                                 "7: cmpq %[n], %%rcx\n"
                                 "jne 6b\n" FW_CLAIM_END_
                 : /* asm goto with outputs is too young */
                 : [area] "r"(area), [cpu] "r"(cpu), [word] "r"(word), [value] "r"(value),
                   [other] "r"(other), [seen] "r"(seen), [n] "r"((uint64_t)n)
                 : "rax", "rcx", "cc", "memory"
                 : other_);
    return true;
other_:
    return false;
}

static inline bool fw_claim_one_(uint32_t cpu, uint64_t *word, uint64_t value,
                                 const uint64_t *other, uint64_t seen)
{
    ptrdiff_t area = fw_rseq_offset_;

    if (__builtin_expect(area == 0, 0))
        return false;
    __asm__ goto(FW_CLAIM_BEGIN_ "cmpq %[seen], (%[other])\n"
                                 "jne %l[other_]\n" FW_CLAIM_END_
                 :
                 : [area] "r"(area), [cpu] "r"(cpu), [word] "r"(word), [value] "r"(value),
                   [other] "r"(other), [seen] "r"(seen)
                 : "rax", "cc", "memory"
                 : other_);
    return true;
other_:
    return false;
}

#undef FW_CLAIM_BEGIN_
#undef FW_CLAIM_END_

#endif
