/* SPDX-License-Identifier: MIT */
/*
 * Tasks that have died.
 *
 * Nobody is told of a death.  It is found out by those who wait for the dead: the kernel knows no
 * such thread (ESRCH), marks the word that it leaves behind (FUTEX_OWNER_DIED), or, where the
 * thread's id has been given out anew, a nap ends and /proc says that the thread is another one.
 *
 * L1  A cell's bits are cleared by others only if its thread is dead, under the cell's watch.
 * L2  A lock is marked (`died`) before the bit of its dead holder is cleared: who gets it
 *     afterwards sees the mark.
 * L3  A word that bears a dead thread's id, also with WAITERS (which the kernel sets before it
 *     finds the thread gone), may be written over by a CAS of exactly that: the kernel keeps
 *     nothing for it.  Where the id was given out anew, the kernel does: those who sleep there wake
 *     from their naps, and until then others are answered EINVAL, and take a breath.
 * L4  Each step may be done twice, and the next one who looks goes on where somebody was killed.
 */
#include "rt/internal.h"

#include <errno.h>
#include <linux/futex.h>

#include "sys/futex_pi.h"
#include "sys/origin.h"

uint64_t fw_rt_started_(uint32_t tid)
{
    struct fw_thread_about_ about;

    return fw_thread_about_(tid, &about) ? about.started : 0;
}

/* Asks for a futex that is said to be that thread's: zombies are none, unlike for kill(2). */
bool fw_rt_no_thread_(uint32_t tid)
{
    uint32_t word = tid;

    return tid == 0 || fw_futex_trylock_pi_(&word, FW_FUTEX_PRIVATE) == -ESRCH;
}

bool fw_rt_is_gone_(const struct fw_rt_task_cell *c)
{
    return fw_rt_no_thread_(fw_load32_relaxed(&c->tid));
}

bool fw_rt_is_alive_(const struct fw_rt_task_cell *c)
{
    uint32_t tid = fw_load32_relaxed(&c->tid);

    if (fw_rt_no_thread_(tid))
        return false;
    return c->started == 0 || !fw_is_another_start_(c->started, fw_rt_started_(tid));
}

void fw_rt_free_gate_(uint32_t *gate, uint32_t tid)
{
    uint32_t seen = fw_load32_relaxed(gate);

    while ((seen & FUTEX_TID_MASK) == tid && tid != 0)
        if (fw_cas32_relaxed(gate, &seen, 0)) /* the dead thread's -> 0 */
            return;
}

/* Counted first: a count too many costs time, one that is missing the news. */
void fw_rt_set_died_(struct fw_rt_world *w, struct fw_rt_lock_cell *l)
{
    fw_add32_acq_rel(&w->begun, FW_RT_BEREFT);
    if (fw_xchg32_acquire(&l->died, 1) != 0)
        fw_add32_acq_rel(&w->begun, -FW_RT_BEREFT);
}

bool fw_rt_is_told_(struct fw_rt_world *w, struct fw_rt_lock_cell *l)
{
    if (fw_load32_relaxed(&l->died) == 0 || fw_xchg32_acquire(&l->died, 0) == 0)
        return false;
    fw_add32_acq_rel(&w->begun, -FW_RT_BEREFT);
    return true;
}

/* PIP: the word is the lock itself, and who takes it over sees that by itself. */
static void bury_lock(struct fw_rt_world *w, struct fw_rt_lock_cell *l, uint32_t tid)
{
    fw_rt_set_died_(w, l);
    if (l->kind == FW_RT_KIND_PCP)
        fw_rt_free_gate_(&l->gate, tid);
}

static void bury_gates(struct fw_rt_world *w, uint32_t tid)
{
    uint32_t g;

    for (g = 0; g < FW_RT_GATES; g++)
        fw_rt_free_gate_(&w->gate[g], tid);
}

void fw_rt_bury_(struct fw_rt_task *t, uint32_t slot)
{
    struct fw_rt_world *w = t->world;
    struct fw_rt_task_cell *c = &w->task[slot % FW_RT_TASKS];
    uint64_t left;
    uint32_t d, state;

    fw_rt_guard_lock_(&c->watch, t->tid, t->shared);
    state = fw_load32_relaxed(&c->state);
    if (state == FW_RT_DEAD || (state == FW_RT_LIVE && !fw_rt_is_alive_(c))) {
        fw_store32_relaxed(&c->state, FW_RT_DEAD);
        fw_rt_boost_bury_(t, slot);
        left = fw_rt_locks_of(c);
        for (d = 0; d < FW_RT_LOCKS; d++) {
            if (left & fw_rt_bit(d)) {
                bury_lock(w, &w->lock[d], c->tid); /* L2 */
                fw_and64_seq_cst(&c->held, ~fw_rt_bit(d));
            }
        }
        bury_gates(w, c->tid);
        fw_store32_relaxed(&c->unlock_call, 0);
        fw_store32_relaxed(&c->gate, 0);
        fw_store32_relaxed(&c->ready, 0);
    }
    fw_rt_guard_unlock_(&c->watch, t->tid, t->shared);
}
