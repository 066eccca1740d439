/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
#ifndef FW_BPF_SCHED_LOOP_H
#define FW_BPF_SCHED_LOOP_H

/* Loops that the kernel's verifier accepts, and the decisions of the locks, which use them. */
#include "bpf/sched/calls.h"
#include "bpf/sched/kernel.h"

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

/*
 * Loops: the verifier must see neither where a loop begins (else it walks through all rounds one by
 * one) nor that it never ends: "may goto" leaves it after millions of rounds, which do not occur.
 * What it had known of the index, it forgets there; so that is compared afterwards, as unsigned.
 */
extern volatile uint32_t fw_zero;

#define MAY_GO_ON()                                                                                \
    ({                                                                                             \
        __label__ leave, go_on;                                                                    \
        _Bool may = 1;                                                                             \
        /* Its offset is the lower half of a word of 32 bits: clang knows how to fill in those. */ \
        __asm__ volatile goto("1: .byte 0xe5, 0; .long ((%l[leave] - 1b - 8) / 8) & 0xffff; "      \
                              ".short 0" ::                                                        \
                                  :                                                                \
                              : leave);                                                            \
        goto go_on;                                                                                \
    leave:                                                                                         \
        may = 0;                                                                                   \
    go_on:;                                                                                        \
        may;                                                                                       \
    })
/*
 * clang is not to make pointers that move along out of indices; and after the leap the verifier
 * does not know any more that the upper half of the register is 0.
 */
#define IS_BELOW(i, n)                         \
    ({                                         \
        __asm__ volatile("%0 = %0" : "+w"(i)); \
        (uint32_t)(i) < (uint32_t)(n);         \
    })
#define FW_RT_EACH(i, n) for (i = (int)fw_zero; MAY_GO_ON() && IS_BELOW(i, n); i++)
#define FW_RT_HIDE(n) barrier_var(n)
#define FW_RT_DECISION static __always_inline __attribute__((unused))

#include "rt/decide.h"

#endif
