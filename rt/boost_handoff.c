/* SPDX-License-Identifier: MIT */
/*
 * How a lock that boosts goes from its owner, or from one that has died, to the next in its queue.
 * The states of the word and the invariants are those of boost.c.
 */
#include <furwock/futex.h>

#include "rt/boost_word.h"
#include "rt/internal.h"

static void tell(const struct fw_rt_task *t, uint32_t kind, uint32_t d, uint32_t other)
{
    if (t->trace != NULL)
        fw_rt_trace_add_(t->trace, kind, d, other, 0);
}

static void wake(struct fw_rt_task *t, uint32_t d, uint32_t slot)
{
    uint32_t *grant = &t->state->task[slot % FW_RT_TASKS].grant;

    if (slot == FW_RT_NONE)
        return;
    tell(t, FW_RT_EVENT_GRANT, d, slot);
    fw_fence_seq_cst(); /* BOOST5 */
    fw_store32_release(grant, 1);
    fw_futex_wake(grant, 1, t->shared); /* F:rt-boost-no-wake */
    tell(t, FW_RT_EVENT_WAKE, d, slot);
}

/* The next in queue; for reaping, of those that live. */
static uint32_t next_in_queue(const struct fw_rt_task *t, uint32_t d, bool has_died)
{
    uint32_t next;

    while ((next = fw_rt_next_waiter(t->state, d)) != FW_RT_NONE && has_died &&
           !fw_rt_is_alive_(&t->state->task[next]))
        fw_and64_seq_cst(&t->state->lock[d].waiters, ~fw_rt_bit(next));
    return next;
}

/*
 * By whom the word names (BOOST1): `own`, with DIED in reaping.  Names the next one, or frees the
 * lock.  Returns who is to be woken, or FW_RT_NONE.
 */
static uint32_t pass_on(struct fw_rt_task *t, uint32_t d, uint32_t own)
{
    struct fw_rt_lock_record *l = &t->state->lock[d];
    uint32_t died = own & FW_RT_WORD_DIED;

    for (;;) {
        uint32_t word = own, next, named;
        /* BOOST9 */
        if ((fw_load32_relaxed(&l->counter) & ~FW_RT_WORD_WAITERS) != own)
            return FW_RT_NONE;
        fw_and32_relaxed(&l->counter, ~FW_RT_WORD_WAITERS); /* s, WAITERS -> s */
        fw_fence_seq_cst();                                 /* BOOST4 */
        next = next_in_queue(t, d, died != 0);
        if (next == FW_RT_NONE) {
            if (fw_cas32_release(&l->counter, &word, died)) /* s -> free */
                return FW_RT_NONE;
            continue; /* somebody has come */
        }
        fw_store32_relaxed(&l->owner, next + 1);
        named = fw_rt_word_of(next) | died;
        if ((fw_load64_relaxed(&l->waiters) & ~fw_rt_bit(next)) != 0) /* F:rt-boost-forgets-rest */
            named |= FW_RT_WORD_WAITERS;
        if (fw_cas32_release(&l->counter, &word, named)) /* s -> next [W.]  F:rt-boost-overwrites */
            return next;
    }
}

void fw_rt_boost_hand_off_(struct fw_rt_task *t, uint32_t d)
{
    wake(t, d, pass_on(t, d, fw_rt_word_of(t->slot)));
}

/* --- The dead --------------------------------------------------------------------------------- */

void fw_rt_boost_reap_lock_(struct fw_rt_task *t, uint32_t d, uint32_t dead)
{
    struct fw_rt_lock_record *l = &t->state->lock[d];
    uint32_t own = FW_RT_WORD_REAPING | FW_RT_WORD_DIED, word, next = FW_RT_NONE;

    fw_rt_pi_lock_(t->state, &l->queue_lock, t->tid, t->shared);
    fw_fence_seq_cst(); /* BOOST2 */
    word = fw_load32_acquire(&l->counter);
    while (!fw_rt_word_is_free(word)) {
        /* F:rt-boost-robs */
        if ((word & FW_RT_WORD_OWNER) != dead && !fw_rt_word_is_being_reaped(word)) {
            if (fw_cas32_release(&l->counter, &word, word | FW_RT_WORD_WAITERS)) /* s -> s, W. */
                break;
        } else if (fw_cas32_acquire(&l->counter, &word, own)) { /* dead, REAPING -> REAPING, DIED */
            fw_store32_relaxed(&l->died, 1);
            next = pass_on(t, d, own);
            break;
        }
    }
    fw_rt_pi_unlock_(&l->queue_lock, t->tid, t->shared);
    wake(t, d, next);
}

void fw_rt_boost_reap_(struct fw_rt_task *t, uint32_t slot)
{
    struct fw_rt_task_record *dead = &t->state->task[slot % FW_RT_TASKS];
    uint32_t locks = fw_load32_acquire(&t->state->locks);

    for (uint32_t d = 0; d < locks && d < FW_RT_LOCKS; d++) {
        if (!fw_rt_is_boosting(t->state->lock[d].kind))
            continue;
        fw_and64_seq_cst(&t->state->lock[d].waiters, ~fw_rt_bit(slot));
        fw_rt_boost_reap_lock_(t, d, fw_rt_word_of(slot));
        fw_and64_release(&dead->held, ~fw_rt_bit(d));
    }
    fw_store32_relaxed(&dead->request, 0);
    fw_store32_relaxed(&dead->boost, 0);
}
