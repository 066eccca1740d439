/* SPDX-License-Identifier: MIT */
#ifndef FW_POSIX_MUTEX_CONTENDED_H
#define FW_POSIX_MUTEX_CONTENDED_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <furwock/bits/atomic.h>

#include "core/owner_word.h"
#include "core/sleep.h"
#include "core/wait.h"
#include "mutex_type.h"

/*
 * Mutex 2 of Drepper, "Futexes are tricky", as the C library has it; processes that run without
 * this library take part.
 *
 *   word  meaning                     left by
 *   0     free                        lock: -> 1; one that has slept: -> 2
 *   1     held, nobody sleeps         unlock: -> 0; a waiter: -> 2
 *   2     held, somebody may sleep    unlock: -> 0, then wakes one
 *
 * Other bits of the word may say something else: `fixed` are those that must not change while a
 * thread waits, and `free` is the word when it is free.
 */
enum { FW_FREE_ = 0, FW_HELD_ = 1, FW_CONTENDED_ = 2 };

/* Of fw_contended_lock_: the fixed bits have changed. */
#define FW_CONTENDED_CHANGED_ (-2)

struct fw_contended_waiter_ {
    struct fw_posix_mutex_ *m;
    uint32_t free, fixed;
    unsigned flags;
    bool has_slept;
    struct fw_wait_ *spin; /* NULL: does not spin */
    const fw_deadline *deadline;
};

static inline int fw_contended_attempt_(void *waiter, uint64_t *word, uint64_t extra)
{
    const struct fw_contended_waiter_ *me = (const struct fw_contended_waiter_ *)waiter;
    uint32_t now = (uint32_t)*word;
    uint32_t held = me->free | (extra != 0 ? (uint32_t)extra : FW_HELD_); /* F:pshared-forgets */

    while (now == me->free)
        if (fw_cas32_acquire(&me->m->word, &now, held)) /* 0 -> 1, 0 -> 2 */
            return 0;
    *word = now;
    return (now & me->fixed) == (me->free & me->fixed) ? EBUSY : FW_CONTENDED_CHANGED_;
}

/* Before the first sleep only. */
static inline bool fw_contended_spin_(void *waiter, uint64_t now)
{
    const struct fw_contended_waiter_ *me = (const struct fw_contended_waiter_ *)waiter;

    (void)now;
    return me->spin != NULL && !me->has_slept &&
           fw_wait_spin_knowing_(me->spin, fw_running_in_(fw_load32_relaxed(&me->m->owner), 0));
}

static inline int fw_contended_sleep_(void *waiter, uint64_t now)
{
    struct fw_contended_waiter_ *me = (struct fw_contended_waiter_ *)waiter;
    /* F:pshared-stale-sleep */
    int error = fw_sleep_(&me->m->word, (uint32_t)now, me->flags, me->deadline);

    me->has_slept = true;
    if (error == 0 && me->spin != NULL)
        fw_running_slept_();
    return error == -ETIMEDOUT ? ETIMEDOUT : 0;
}

/* Waits for the word: 0, ETIMEDOUT, FW_CONTENDED_CHANGED_. */
static inline int fw_contended_lock_(struct fw_contended_waiter_ *me)
{
    static const struct fw_owner_word_ policy = {
        .waiters = FW_CONTENDED_,
        .no_waiters = FW_HELD_,
        .attempt = fw_contended_attempt_,
        .spin = fw_contended_spin_,
        .sleep = fw_contended_sleep_,
    };
    uint64_t now = fw_load32_relaxed(&me->m->word);

    return fw_owner_word_wait_(&policy, &me->m->word, &now, me);
}

#endif
