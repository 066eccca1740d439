/* SPDX-License-Identifier: MIT */
#ifndef FW_RT_QUICK_H
#define FW_RT_QUICK_H

/*
 * What it takes to lock and unlock when nobody is in the way, under the protocols that tell the
 * kernel nothing then.  The states and invariants are those of ceiling.c, boost.c and pip.c.  No
 * system call.  IPCP and PCP-DU: no LOCKed instruction where there are restartable sequences
 * (sys/claim.h), else one.  MPCP-DU and FMLP+-DU: one; two where they are missing, or between
 * processes.  PIP: two.
 */
#include <furwock/futex.h>

#include "rt/boost_word.h"
#include "rt/internal.h"
#include "rt/tick.h"
#include "sys/claim.h"
#include "sys/release.h"

/* --- IPCP, PCP-DU ---------------------------------------------------------------------------- */

static inline bool fw_rt_is_quick_(const struct fw_rt_task *t, unsigned lock)
{
    return __builtin_expect(lock < FW_RT_LOCKS && (t->quick & fw_rt_bit(lock)), 1);
}

/*
 * The task has these locks left: nobody else writes a live task's `held`.  True: somebody waits for
 * what was left (fw_rt_proxy_leave_slow_).  A task that looks on this CPU sees the store before the
 * load, if the compiler leaves them so (proxy.c, PROXY2).
 */
static inline bool fw_rt_leave_(struct fw_rt_task_record *own, uint64_t held)
{
    fw_store64_release(&own->held, held); /* F:rt-looks-first */
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    return fw_load32_relaxed(&own->unlock_call) != 0;
}

/* The bit is clear again.  If somebody waits for that, it goes on. */
static inline void fw_rt_withdraw_(struct fw_rt_task *t, uint32_t d)
{
    uint64_t held = fw_load64_relaxed(&t->record->held);

    if (fw_rt_leave_(t->record, held & ~fw_rt_bit(d)))
        fw_rt_proxy_leave_slow_(t);
}

/* CEIL3 and CEIL6: gives way also if the task is waited for because of another lock. */
static inline bool fw_rt_announce_quickly_(struct fw_rt_task *t, uint32_t d)
{
    unsigned i, n = t->peers;
    bool is_quiet = n > 1; /* the last one, `last`, is for claims */

    fw_or64_seq_cst(&t->record->held, fw_rt_bit(d));
    for (i = 0; i + 1 < n; i++)
        is_quiet = is_quiet && fw_load64_seq_cst(t->peer[i]) == t->quiet[i];
    /* F:rt-gives-no-way */
    if (__builtin_expect(is_quiet && fw_load32_relaxed(&t->record->unlock_call) == 0, 1))
        return true;
    fw_rt_withdraw_(t, d);
    return false;
}

static inline uint64_t *fw_rt_last_(const struct fw_rt_task *t)
{
    return &t->state->cpu[t->record->cpu % FW_RT_CPUS].last;
}

/* CEIL7: sets the bit if the task was the last to take a lock on its CPU. */
static inline bool fw_rt_take_again_(struct fw_rt_task *t, uint32_t d)
{
    return FW_CLAIMS && fw_claim_one_(t->record->cpu, &t->record->held, fw_rt_bit(d),
                                      fw_rt_last_(t), t->slot + 1);
}

/* Sets the bit if no other task of the CPU has a lock, and it is still the same tasks. */
static inline bool fw_rt_take_quickly_(struct fw_rt_task *t, uint32_t d)
{
    if (!FW_CLAIMS)
        return fw_rt_announce_quickly_(t, d);
    fw_store64_relaxed(fw_rt_last_(t), t->slot + 1); /* CEIL7 */
    /* F:rt-claims-stale */
    if (fw_claim_(t->record->cpu, &t->record->held, fw_rt_bit(d), t->peer, t->quiet, t->peers))
        return true;
    fw_store64_relaxed(fw_rt_last_(t), 0);
    return false;
}

/* --- MPCP-DU, FMLP+-DU ----------------------------------------------------------------------- */

/* FMLP+: the age of a request that is made now. */
static inline void fw_rt_stamp_(struct fw_rt_task *t)
{
    uint64_t *clock = &t->state->cpu[t->record->cpu % FW_RT_CPUS].clock;

    fw_store64_relaxed(&t->record->stamp, fw_rt_tick_(clock));
}

/* By a task without any lock.  False: its bit is set, and the lock is another one's (boost.c). */
static inline bool fw_rt_boost_quickly_(struct fw_rt_task *t, struct fw_rt_lock_record *l,
                                        uint32_t d)
{
    uint32_t word = 0;

    if (l->kind == FW_RT_KIND_FMLP)
        fw_rt_stamp_(t);
    fw_store64_relaxed(&t->record->held, fw_rt_bit(d));                  /* BOOST2 */
    return fw_cas32_acquire(&l->counter, &word, fw_rt_word_of(t->slot)); /* 0 -> s */
}

/* False: the word says more than that it is the task's. */
static inline bool fw_rt_free_quickly_(const struct fw_rt_task *t, struct fw_rt_lock_record *l)
{
    uint32_t own = fw_rt_word_of(t->slot);

    /* s -> 0, twice: BOOST8 */
    if (__builtin_expect(t->shared == FW_FUTEX_PRIVATE, 1) &&
        __builtin_expect(fw_release_plain_((uint64_t *)(void *)&l->counter, own), 1))
        return true;
    return fw_cas32_release(&l->counter, &own, 0);
}

/* The section is over.  True: somebody waits for that, or the task has been raised for it. */
static inline bool fw_rt_leave_boosted_(struct fw_rt_task_record *own, uint64_t held)
{
    bool is_awaited = fw_rt_leave_(own, held);

    return is_awaited | (fw_load32_relaxed(&own->boost) != 0);
}

/* --- PIP (pip.c) ----------------------------------------------------------------------------- */

/* By a task without any lock.  False: it is another one's. */
static inline bool fw_rt_inherit_quickly_(struct fw_rt_task *t, uint32_t d)
{
    uint32_t word = 0;

    if (!fw_cas32_acquire(&t->state->lock[d].pi_word, &word, t->tid)) /* 0 -> id */
        return false;
    fw_store64_relaxed(&t->record->held, fw_rt_bit(d)); /* PIP2 */
    return true;
}

/* By a task without any other.  False: the bit is clear, and the kernel is to be asked. */
static inline bool fw_rt_leave_inheriting_(struct fw_rt_task *t, uint32_t d)
{
    uint32_t own = t->tid;

    fw_store64_relaxed(&t->record->held, 0);
    return fw_cas32_release(&t->state->lock[d].pi_word, &own, 0); /* id -> 0 */
}

#endif
