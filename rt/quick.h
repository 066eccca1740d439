/* SPDX-License-Identifier: MIT */
#ifndef FW_RT_QUICK_H
#define FW_RT_QUICK_H

/*
 * What it takes to lock and unlock under IPCP and PCP-DU when nobody is in the way: the states and
 * invariants are those of ceiling.c.  No system call; and no LOCKed instruction where there are
 * restartable sequences (sys/claim.h), else one.
 */
#include "rt/internal.h"

#include "sys/claim.h"

static inline bool fw_rt_is_quick_(const struct fw_rt_task *t, unsigned lock)
{
    return __builtin_expect(lock < FW_RT_LOCKS && (t->quick & fw_rt_bit(lock)), 1);
}

/*
 * The task has these locks left: nobody else writes a live task's `held`.  True: somebody waits for
 * what was left (fw_rt_gate_leave_slow_).  Who looks on this CPU sees the store before the load, if
 * the compiler leaves them so (gate.c, G2).
 */
static inline bool fw_rt_leave_(struct fw_rt_task_cell *own, uint64_t held)
{
    fw_store64_release(&own->held, held);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    return fw_load32_relaxed(&own->unlock_call) != 0;
}

/* The bit is clear again.  If somebody waits for that, he goes on. */
static inline void fw_rt_withdraw_(struct fw_rt_task *t, uint32_t d)
{
    uint64_t held = fw_load64_relaxed(&t->cell->held);

    if (fw_rt_leave_(t->cell, held & ~fw_rt_bit(d)))
        fw_rt_gate_leave_slow_(t, d);
}

/* C3 and C6: gives way also if the task is waited for because of another lock. */
static inline bool fw_rt_announce_quickly_(struct fw_rt_task *t, uint32_t d)
{
    bool is_quiet = true;
    unsigned i, n = t->peers;

    fw_or64_seq_cst(&t->cell->held, fw_rt_bit(d));
    for (i = 0; i < n; i++)
        is_quiet = is_quiet && fw_load64_seq_cst(t->peer[i]) == t->quiet[i];
    if (__builtin_expect(is_quiet && fw_load32_relaxed(&t->cell->unlock_call) == 0, 1))
        return true;
    fw_rt_withdraw_(t, d);
    return false;
}

/* Sets the bit if no other task of the CPU has a lock, and it is still the same tasks. */
static inline bool fw_rt_take_quickly_(struct fw_rt_task *t, uint32_t d)
{
    if (!FW_CLAIMS)
        return fw_rt_announce_quickly_(t, d);
    return fw_claim_(t->cell->cpu, &t->cell->held, fw_rt_bit(d), t->peer, t->quiet, t->peers);
}

#endif
