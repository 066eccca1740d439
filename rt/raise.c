/* SPDX-License-Identifier: MIT */
/*
 * MPCP-DU and FMLP+-DU in tier A: the kernel is told of a section when somebody waits for it.
 *
 * The paper defers the boost until the scheduler runs next, which reads the task's page then
 * (section IV).  SCHED_FIFO reads no pages: a thread of the owner's CPU that wakes up in a system
 * call of its own (a read, a page fault), or that is no task, preempts the owner in its section.
 * That concerns nobody until somebody waits for the lock.  That one is on its way into the kernel
 * anyway, to sleep: before it sleeps, it raises the owner.  So the fast paths tell nobody, and a
 * section that is waited for has the priority of the protocol, whatever wakes up where.
 *
 * boost       the kernel has the task at       who may change it, and how
 * ----------  -------------------------------  --------------------------------------------------
 * 0           its base priority                under the task's record lock (baselines: without):
 *                                              the task, about to wait in a queue: to its level.
 *                                              A waiter, if the task is the owner: to its level
 *                                              (RAISE1)
 * level       that, or it is about to be; or   the task: lowers itself, then 0 (RAISE2).  A task
 *             the task that was about to       that was about to raise it and comes too late
 *             raise it has died, or was        (RAISE1), and its reaping: 0
 *             refused
 *
 * RAISE1  A waiter raises the owner under its record lock: sees that the word names it, with
 *     WAITERS; writes `boost`; where there are plain releases (boost.c, BOOST8), makes sure by the
 *     fence that none is under way that has looked at the word before; looks at the word again; and
 *     only if that still names the task, with WAITERS, asks the kernel.  So the unlock that ends
 *     the section comes upon WAITERS, or, if it began after the fence, upon `boost`.  A task that
 *     dies over it leaves a needless call, and not a task that stays raised.
 * RAISE2  An owner lowers itself while it is the owner only under its own record lock, where the
 *     word has no WAITERS.  So a task that raises it comes before, and is undone; or after, and
 *     raises it anew.  Where the word does not name it any more, it has its record lock once, and
 *     lowers itself after that: a raise that was under way is over then, and none begins.
 *     Under its record lock it would be held up without a bound: the kernel does not tell who takes
 *     over a futex from another one that it has woken already, or while others sleep there, what
 *     these lend (seen on Linux 6.18).  The task has it as long as it is raised itself, and if it
 *     lowers itself it has nothing.  A more urgent task of its CPU that sleeps for the record lock
 *     would wait for all that are in between.
 * RAISE3  A task that sleeps in a queue has seen to it that the owner is raised, and does again
 *     after each bounded wait.  A task that becomes the owner while others sleep in the queue has
 *     stood there as well, and is raised already (boost.c, BOOST6).
 * RAISE4  The thread that is raised is the task's: it lives (death.c), and the kernel has it where
 *     the library has put it, under SCHED_FIFO at its base priority.  A thread that is not there is
 *     raised already, or was changed by others, or is another one with the same id: it is left
 *     alone.
 *
 * Legal:   a task raised though nobody waits any more, until its unlock.  `boost` set while the
 *          kernel has the task at its base priority.
 * Illegal: `boost` 0 and the kernel's priority raised; either of them left when the task has no
 *          lock and waits for none.
 *
 * Refused (EPERM: a waiter of another user, without CAP_SYS_NICE; or the kernel has come to refuse
 * the fence): the owner stays as it was, and its lock's `refused` says that it happened.  Then such
 * sections are bounded only as long as all threads of the owner's CPU sleep in the library.
 */
#include <furwock/futex.h>

#include "rt/boost_level.h"
#include "rt/boost_word.h"
#include "sys/release.h"

/* Is the thread as the library has left it, at that priority (RAISE4)?  Its policy, or -1. */
static int policy_at(const struct fw_rt_task_record *c, uint32_t priority)
{
    int policy, now;

    if (fw_load32_acquire(&c->state) != FW_RT_LIVE || fw_rt_liveness_(c) == FW_RT_IS_DEAD ||
        fw_rt_liveness_(c) == FW_RT_IS_CORRUPT ||
        fw_scheduled_as_(fw_load32_relaxed(&c->tid), &policy, &now) != 0)
        return -1;
    return (policy & ~SCHED_RESET_ON_FORK) == SCHED_FIFO && (uint32_t)now == priority ? policy : -1;
}

static bool is_awaited_owner(const struct fw_rt_lock_record *l, uint32_t slot)
{
    uint32_t word = fw_load32_acquire(&l->counter);

    return fw_rt_word_owner(word) == slot && fw_rt_word_has_waiters(word);
}

/* Under the owner's record lock. */
static void raise(struct fw_rt_task *t, struct fw_rt_lock_record *l, uint32_t owner)
{
    struct fw_rt_task_record *c = &t->state->task[owner];
    uint32_t before = fw_load32_relaxed(&c->boost);
    uint32_t level = before != 0 ? before : fw_rt_boost_level_(t->state, l, owner);
    int error, policy;

    fw_store32_relaxed(&c->boost, level); /* RAISE1  F:rt-raise-unnoted */
    /* F:rt-boost-unsure */
    error = t->shared == FW_FUTEX_PRIVATE ? fw_release_fence_() : 0;
    if (error == 0 && is_awaited_owner(l, owner) &&
        (policy = policy_at(c, fw_load32_relaxed(&c->base))) != -1) { /* F:rt-raise-blindly */
        error = fw_schedule_(fw_load32_relaxed(&c->tid), policy, (int)level); /* F:rt-raise-self */
        if (error == 0)
            return;
    }
    fw_store32_relaxed(&c->boost, before);
    if (error != 0)
        fw_add32_relaxed(&l->refused, 1);
}

bool fw_rt_raise_owner_(struct fw_rt_task *t, uint32_t d)
{
    struct fw_rt_state *w = t->state;
    struct fw_rt_lock_record *l = &w->lock[d];
    uint32_t owner = fw_rt_word_owner(fw_load32_relaxed(&l->counter));
    struct fw_rt_task_record *c;
    bool is_it;

    if (owner == FW_RT_NONE || owner == t->slot)
        return false;
    c = &w->task[owner];
    fw_rt_pi_lock_(w, &c->record_lock, t->tid, t->shared); /* F:rt-raise-unwatched */
    is_it = is_awaited_owner(l, owner);
    if (is_it)
        raise(t, l, owner);
    fw_rt_pi_unlock_(&c->record_lock, t->tid, t->shared);
    return is_it;
}

void fw_rt_raise_self_(struct fw_rt_task *t, const struct fw_rt_lock_record *l)
{
    struct fw_rt_task_record *own = t->record;
    uint32_t level = fw_rt_boost_level_(t->state, l, t->slot);

    fw_rt_pi_lock_(t->state, &own->record_lock, t->tid, t->shared);
    fw_store32_relaxed(&own->boost, level);
    fw_schedule_(0, fw_rt_policy_(t), (int)level);
    fw_rt_pi_unlock_(&own->record_lock, t->tid, t->shared);
}

void fw_rt_lower_owner_(struct fw_rt_task *t, uint32_t d)
{
    struct fw_rt_task_record *own = t->record;
    uint32_t word;
    bool is_owner;

    fw_rt_pi_lock_(t->state, &own->record_lock, t->tid, t->shared); /* F:rt-lower-unwatched */
    word = fw_load32_acquire(&t->state->lock[d].counter);
    is_owner = fw_rt_word_owner(word) == t->slot;
    /* F:rt-lower-under-watch */
    if (is_owner && fw_load32_relaxed(&own->boost) != 0 && !fw_rt_word_has_waiters(word))
        fw_rt_lower_slow_(t); /* RAISE2 */
    fw_rt_pi_unlock_(&own->record_lock, t->tid, t->shared);
    if (!is_owner && fw_load32_relaxed(&own->boost) != 0)
        fw_rt_lower_slow_(t); /* RAISE2 */
}
