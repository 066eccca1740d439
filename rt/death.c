/* SPDX-License-Identifier: MIT */
/*
 * Tasks that have died.
 *
 * Nobody is told of a death.  It is found out by those who wait for the dead: the kernel has marked
 * the record's words (liveness.c), or the futex that the dead one leaves behind (FUTEX_OWNER_DIED),
 * or it knows no such thread (ESRCH).
 *
 * DEATH1  A record's bits are cleared by others only if its thread is dead, under the record's
 *     lock.
 * DEATH2  A lock is marked (`died`) before the bit of its dead holder is cleared: a task that gets
 *     it afterwards sees the mark.
 * DEATH3  A word that bears a dead thread's id, also with WAITERS (which the kernel sets before it
 *     finds the thread gone), may be written over by a CAS of exactly that: the kernel keeps
 *     nothing for it.  Where the id was given out anew, the kernel does: those who sleep there wake
 *     from their bounded waits, and until then others are answered EINVAL, and back off.
 * DEATH4  Each step may be done twice, and the next one who looks goes on where somebody was
 *     killed.
 * DEATH5  No two records that are LIVE, or DEAD and not reaped to the end, bear the same id: before
 *     a record becomes LIVE, its thread gives back all that bears its id and is not its own.  So
 *     what a reaping frees is not a living task's.
 */
#include <linux/futex.h>

#include "rt/internal.h"
#include "sys/futex_pi.h"

/* PIP: the word is the lock itself, and a task that takes it over sees that by itself. */
static void reap_lock(struct fw_rt_state *w, struct fw_rt_lock_record *l)
{
    fw_rt_set_died_(w, l); /* F:rt-reaps-quietly */
}

static void reap_proxies(struct fw_rt_state *w, uint32_t tid)
{
    uint32_t g;

    for (g = 0; g < FW_RT_PROXIES; g++)
        fw_rt_free_word_(&w->proxy[g], tid);
}

/* A record that says of itself that it is the calling thread, and is not the thread's. */
static bool is_former(const struct fw_rt_task *t, const struct fw_rt_task_record *c)
{
    return c != t->record && fw_load32_relaxed(&c->tid) == t->tid;
}

/* Under the record's lock. */
static void reap(struct fw_rt_task *t, struct fw_rt_task_record *c, uint32_t slot)
{
    struct fw_rt_state *w = t->state;
    uint32_t d, tid = fw_load32_acquire(&c->reaped) == 0 ? c->tid : 0; /* DEATH5 */
    uint64_t left;

    fw_store32_relaxed(&c->state, FW_RT_DEAD); /* LIVE, DEAD -> DEAD */
    fw_rt_boost_reap_(t, slot);
    left = fw_rt_locks_of(c);
    for (d = 0; d < FW_RT_LOCKS; d++) {
        if (left & fw_rt_bit(d)) {
            reap_lock(w, &w->lock[d]); /* DEATH2 */
            fw_and64_seq_cst(&c->held, ~fw_rt_bit(d));
        }
    }
    reap_proxies(w, tid);
    fw_store32_relaxed(&c->unlock_call, 0);
    fw_store32_relaxed(&c->proxy, 0);
    fw_store32_relaxed(&c->ready, 0);
    fw_store32_release(&c->reaped, 1); /* DEATH5 */
}

void fw_rt_reap_(struct fw_rt_task *t, uint32_t slot)
{
    struct fw_rt_state *w = t->state;
    struct fw_rt_task_record *c = &w->task[slot % FW_RT_TASKS];
    uint32_t state;

    fw_rt_pi_lock_(w, &c->record_lock, t->tid, t->shared);
    state = fw_load32_relaxed(&c->state);
    if (state == FW_RT_DEAD || (state == FW_RT_LIVE && (is_former(t, c) || !fw_rt_is_alive_(c))))
        reap(t, c, slot);
    fw_rt_pi_unlock_(&c->record_lock, t->tid, t->shared);
}

/*
 * The word bears the calling thread's id, which another one had: on to a task that sleeps there.
 * If that fails, one is on its way that the kernel has made the owner.
 */
static void leave_former(struct fw_rt_task *t, uint32_t *word)
{
    uint32_t seen = t->tid;

    if ((fw_load32_relaxed(word) & FUTEX_TID_MASK) == t->tid &&
        !fw_cas32_release(word, &seen, 0)) /* former -> 0 */
        fw_futex_unlock_pi_(word, t->shared);
}

void fw_rt_reap_former_(struct fw_rt_task *t)
{
    struct fw_rt_state *w = t->state;
    uint32_t i;

    for (i = 0; i < FW_RT_TASKS; i++)
        if (is_former(t, &w->task[i]))
            fw_rt_reap_(t, i);
    for (i = 0; i < FW_RT_TASKS; i++)
        leave_former(t, &w->task[i].record_lock);
    for (i = 0; i < FW_RT_LOCKS; i++) {
        struct fw_rt_lock_record *l = &w->lock[i];
        leave_former(t, &l->queue_lock);
        if (l->kind == FW_RT_KIND_PIP &&
            (fw_load32_relaxed(&l->pi_word) & FUTEX_TID_MASK) == t->tid)
            fw_rt_set_died_(w, l);
        leave_former(t, &l->pi_word);
    }
    for (i = 0; i < FW_RT_PROXIES; i++)
        leave_former(t, &w->proxy[i]);
}
