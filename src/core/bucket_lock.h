/* SPDX-License-Identifier: MIT */
#ifndef FW_BUCKET_LOCK_H
#define FW_BUCKET_LOCK_H

#include <stdint.h>

#include <furwock/bits/atomic.h>

#include "sys/robust.h"

/*
 * The lock of a wait-queue bucket (waitqueue.h): objects share it that have nothing to do with each
 * other.  So a thread that waits for it may have to wait for any other, and lends it its priority:
 * a real-time thread waits for the one that is inside, and for nobody else.
 *
 * Table of states and invariants: bucket_lock.c.  All zero bytes: free.  Held for a few dozen
 * instructions and a futex call, by a thread that waits for nothing else meanwhile; not in a signal
 * handler that may have interrupted its thread inside (that is a panic); its memory is never freed.
 */
struct fw_bucket_lock_ {
    uint32_t owner; /* kernel thread id, FUTEX_WAITERS: as the kernel has it (sys/futex_pi.h) */
    uint32_t calls; /* 1: somebody may sleep on this word, and a release is to wake one */
};

void fw_bucket_lock_slow_(struct fw_bucket_lock_ *l);
void fw_bucket_hand_over_(struct fw_bucket_lock_ *l);
void fw_bucket_wake_(struct fw_bucket_lock_ *l);

/* free -> id */
static inline void fw_bucket_lock_(struct fw_bucket_lock_ *l)
{
    uint32_t none = 0;

    if (__builtin_expect(!fw_cas32_acquire(&l->owner, &none, fw_robust_self_()), 0))
        fw_bucket_lock_slow_(l);
}

/* id -> free; or what the kernel makes of it */
static inline void fw_bucket_unlock_(struct fw_bucket_lock_ *l)
{
    uint32_t owner = fw_robust_self_();

    if (__builtin_expect(!fw_cas32_seq_cst(&l->owner, &owner, 0), 0)) /* F:bucket-wakes-early */
        fw_bucket_hand_over_(l);
    if (__builtin_expect(fw_load32_seq_cst(&l->calls) != 0, 0)) /* BKT2  F:bucket-wakes-early-2 */
        fw_bucket_wake_(l);
}

#endif
