/* SPDX-License-Identifier: MIT */
#ifndef FW_ATOMIC_ROBUST_LOCK_H
#define FW_ATOMIC_ROBUST_LOCK_H

#include <stdbool.h>
#include <stdint.h>

#include <furwock/bits/atomic.h>

#include "sys/robust.h"

/*
 * A lock between processes in one word, for sections as short as the copy of a small object, which
 * outlives its owner: the next thread that takes it is told.  States and invariants: robust_lock.c.
 *
 * Not recursive.  `r` is on the caller's stack until the lock is given back, by the same thread.
 */
enum fw_robust_how_ {
    FW_ROBUST_TAKEN_ = 0,
    FW_ROBUST_LEFT_ = 1, /* taken, and the owner before died with it: repair what it did */
    FW_ROBUST_LATE_ = 2  /* not taken: timed out */
};

enum fw_robust_how_ fw_robust_lock_slow_(uint32_t *word, struct fw_robust_ *r, unsigned rechecks);
void fw_robust_unlock_slow_(uint32_t *word, const struct fw_robust_ *r, uint32_t was);

/* Takes the lock.  `rechecks`: about how many intervals it waits at most, 0: any number. */
static inline enum fw_robust_how_ fw_robust_lock_(uint32_t *word, struct fw_robust_ *r,
                                                  unsigned rechecks)
{
    uint32_t nobody = 0;

    /* F:ipc-atomic-unannounced */
    fw_robust_announce_(r, word);
    if (__builtin_expect(fw_cas32_acquire(word, &nobody, r->id), 1)) /* 0 -> id */
        return FW_ROBUST_TAKEN_;
    return fw_robust_lock_slow_(word, r, rechecks);
}

static inline void fw_robust_unlock_(uint32_t *word, const struct fw_robust_ *r)
{
    uint32_t was = fw_add32_release(word, -r->id); /* id -> 0, id|WAITERS -> WAITERS */

    if (__builtin_expect(was != r->id, 0)) /* F:ipc-atomic-withdrawn-early */
        fw_robust_unlock_slow_(word, r, was);
    fw_robust_withdraw_(r);
}

#endif
