/* SPDX-License-Identifier: MIT */
/*
 * Locks with priority ceilings (tier A): PCP-DU, the baseline PCP, and IPCP.
 *
 * After Sha, Rajkumar and Lehoczky, "Priority Inheritance Protocols" (1990), with what Splet et al.
 * (RTSS 2014, section III) defer to the scheduler deferred to a task that wants to know: a task
 * tells of a lock by a bit in its own record, and those that preempt it look there.
 *
 * bit of d in `held`     meaning                             who may change it, and how
 * ---------------------  ----------------------------------  --------------------------------------
 * clear                  the task has not got d              the task: claims it (CEIL1), or
 *                                                            announces it (CEIL3)
 * set, still asking      announced, and no instruction of a  the task: finds no obstacle and has d;
 *                        section has been run                or an obstacle: clears it, and waits
 * set, in the section    the task has d                      the task: clears it by a store, then
 *                                                            reads unlock_call.  death.c, if dead
 *
 * CEIL1  Claim: the task looks at the records of its CPU, decides that nothing is in its way
 *     (fw_rt_obstacle), and sets its bit, and between the first look and the store no other thread
 *     has run on that CPU, or at least what they say of locks is the same still.  fw_claim_ sees to
 *     that, and that the task is on its CPU.
 * CEIL2  Exclusion.  All users of d belong on one CPU, and claims are made there one after the
 *     other.  So of two who claim d, the second sees the bit of the first.
 * CEIL3  Announcement, where claims cannot be made (no restartable sequences), or have failed so
 *     often that a debugger is to be suspected: the bit is set first, by an operation of one total
 *     order, and then the task looks.  Of two who announce d, one sees the other.  A task that
 *     announces beside claimers is on its CPU before and after, and if it was there meanwhile, it
 *     and they see each other, too.  (All processes of a group have the same build of the library.)
 * CEIL4  A task that others have moved from its CPU claims nothing and withdraws what it announces:
 *     it is answered EXDEV.
 * CEIL5  What is in the way is a section; it is waited for at the proxy of its lock (proxy.c), so
 *     that a task that is in it has the waiter's priority.
 * CEIL6  Blocked once.  A task that has announced may have been preempted while a section was in
 *     its way, and the one who preempted it waits for both.  So it gives way to a task that waits
 *     for its bit before it begins its section.  Claims have no such moment.
 *
 * CEIL7  `last` of the CPU says s: when s had stored that, it looked at the others and found none
 *     with a lock, or is about to look; and nobody else has taken one meanwhile.  So s takes its
 *     next lock after a look at `last` alone, however many tasks there are.  A task that sets its
 *     bit after any other look puts 0 there: claimers before they look, and they claim only if it
 *     is 0 still; who announces, when its bit is set, before it looks.  0 does no harm at any time,
 *     and neither does the name of a dead task: its record's next one begins with 0.
 *
 * Legal: the bit set by a task that is about to give up: others wait for a few instructions more.
 * Illegal: an instruction of a section run before CEIL1 or CEIL3, or after the bit is clear.
 */
#include "rt/quick.h"

#include <errno.h>
#include <stddef.h>

#include "sys/schedule.h"

_Static_assert(offsetof(struct fw_rt_state, begun) % sizeof(uint64_t) == 0 &&
                   offsetof(struct fw_rt_state, left) ==
                       offsetof(struct fw_rt_state, begun) + sizeof(uint32_t),
               "looked at as one word: `left` is 0 in tier A");

/* A claim fails when the task is interrupted in it, which happens to one in millions. */
enum { TRIES = 8 };

/*
 * Writes down who the CPU's other tasks are, for claims; and what they say.  `begun` before them
 * and behind them: a task may begin, and take a lock, when its record has been passed over; and who
 * reaps a task makes the lock orphaned before it clears the bit.
 */
static bool look_around(struct fw_rt_task *t, uint64_t *seen)
{
    struct fw_rt_state *w = t->state;
    uint64_t before = fw_load32_acquire(&w->begun) & (FW_RT_ORPHANED - 1);
    bool is_quiet = true;
    uint32_t i, n = 0;

    for (i = 0; i < FW_RT_TASKS; i++) {
        const struct fw_rt_task_record *c = &w->task[i];
        if (i == t->slot || c->cpu != t->record->cpu || fw_load32_relaxed(&c->state) == FW_RT_FREE)
            continue;
        t->peer[n] = &c->held;
        t->quiet[n] = 0;
        seen[n] = fw_load64_acquire(&c->held);
        is_quiet = is_quiet && seen[n] == 0;
        n++;
    }
    t->peer[n] = (const uint64_t *)(const void *)&w->begun;
    /* F:rt-claims-last */
    seen[n] = fw_load64_acquire(t->peer[n]);
    /* F:rt-claims-unseen */
    seen[n] = (seen[n] & ~(uint64_t)(FW_RT_ORPHANED - 1)) | before;
    t->quiet[n] = before; /* while a lock is orphaned, it is never quiet */
    t->peer[++n] = fw_rt_last_(t);
    t->quiet[n] = t->slot + 1;
    seen[n] = 0;
    t->peers = n + 1;
    return is_quiet;
}

/* The CPU's ceiling; and a task that has this very lock, on any CPU. */
static struct fw_rt_obstacle obstacle(struct fw_rt_task *t, uint32_t d)
{
    struct fw_rt_obstacle o = fw_rt_obstacle(t->state, t->slot, d);

    if (o.lock == FW_RT_NONE) {
        o.task = fw_rt_holder(t->state, t->slot, d);
        if (o.task != FW_RT_NONE)
            o.lock = d;
    }
    return o;
}

/* CEIL3.  The bit stays set if nothing is in the way. */
static struct fw_rt_obstacle announce(struct fw_rt_task *t, uint32_t d)
{
    struct fw_rt_obstacle o;

    for (;;) {
        fw_or64_seq_cst(&t->record->held, fw_rt_bit(d));
        if (FW_CLAIMS)
            fw_store64_relaxed(fw_rt_last_(t), 0); /* CEIL7 */
        fw_fence_seq_cst();                        /* the decisions' loads are plain ones */
        o = obstacle(t, d);
        if (o.lock == FW_RT_NONE && !fw_rt_is_awaited_(t, d))
            return o;
        fw_rt_withdraw_(t, d); /* CEIL6, if nothing is in the way */
        if (o.lock != FW_RT_NONE)
            return o;
    }
}

/* Takes the lock if nothing is in the way. */
static struct fw_rt_obstacle take(struct fw_rt_task *t, uint32_t d)
{
    uint64_t seen[FW_RT_TASKS + 1], *held = &t->record->held;
    struct fw_rt_obstacle o = {FW_RT_NONE, FW_RT_NONE};
    int tries;

    for (tries = 0; tries < TRIES; tries++) {
        if (FW_CLAIMS)
            fw_store64_relaxed(fw_rt_last_(t), 0); /* CEIL7 */
        if (!look_around(t, seen)) {
            o = obstacle(t, d); /* F:rt-takes-anyway */
            if (o.lock != FW_RT_NONE)
                return o;
        }
        if (fw_claim_(t->record->cpu, held, fw_load64_relaxed(held) | fw_rt_bit(d), t->peer, seen,
                      t->peers)) /* F:rt-claims-blindly */
            return o;
    }
    return announce(t, d);
}

/* Something is in the way.  0: look again. */
static int wait_for(struct fw_rt_task *t, struct fw_rt_obstacle o, bool try)
{
    struct fw_rt_task_record *c = &t->state->task[o.task];
    int error;

    if (!try)
        return fw_rt_proxy_wait_(t, o);
    if (fw_rt_is_gone_(c))
        fw_rt_reap_(t, o.task);
    error = fw_rt_check_holder_(t, o.task, o.lock);
    if (error != 0)
        return error;
    return fw_load64_relaxed(&c->held) & fw_rt_bit(o.lock) ? EBUSY : 0;
}

static int take_or_wait(struct fw_rt_task *t, uint32_t d, bool try, bool *waited)
{
    bool is_new = false;
    int error;

    for (;;) {
        struct fw_rt_obstacle o;
        error = fw_rt_check_cpu_(t);
        if (error != 0)
            break;
        o = take(t, d);
        if (o.lock == FW_RT_NONE)
            break;
        fw_store32_relaxed(&t->record->request, d + 1);
        if (!try && !is_new)
            is_new = fw_rt_wait_begins_(t);
        error = wait_for(t, o, try);
        if (error != 0)
            break;
    }
    *waited = fw_load32_relaxed(&t->record->request) != 0;
    if (*waited) {
        fw_store32_relaxed(&t->record->request, 0);
        fw_rt_wait_ends_(t, is_new);
    }
    return error;
}

/*
 * PCP, the baseline, is PCP-DU that enters the kernel once for each lock and once for each unlock,
 * as the paper's does.  There the decision is made in the kernel, here in the library, with the
 * same result; so the call asks for nothing.  A lock that has waited and an unlock that others wait
 * for have been in the kernel anyway, and do not go there again.
 */
static void leave_by_call(struct fw_rt_task *t, uint32_t d)
{
    uint64_t held = fw_load64_relaxed(&t->record->held);

    if (fw_rt_leave_(t->record, held & ~fw_rt_bit(d)))
        fw_rt_proxy_leave_slow_(t);
    else
        fw_enter_kernel_();
}

int fw_rt_ceiling_lock_(struct fw_rt_task *t, uint32_t d, bool try)
{
    struct fw_rt_lock_record *l = &t->state->lock[d];
    bool waited;
    int error = take_or_wait(t, d, try, &waited);

    if (error != 0)
        return error;
    error = fw_rt_check_cpu_(t); /* CEIL4 */
    if (error != 0) {
        fw_rt_withdraw_(t, d);
        return error;
    }
    if (l->protocol == FW_RT_PCP && !waited)
        fw_enter_kernel_();
    return fw_rt_is_told_(t->state, l) ? EOWNERDEAD : 0;
}

int fw_rt_ceiling_unlock_(struct fw_rt_task *t, uint32_t d)
{
    if (t->state->lock[d].protocol == FW_RT_PCP)
        leave_by_call(t, d);
    else
        fw_rt_withdraw_(t, d);
    return 0;
}
