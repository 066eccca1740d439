/* SPDX-License-Identifier: MIT */
/*
 * Tier B after the scheduler's end: it was stopped, thrown out by the kernel, or replaced.  Those
 * who are tasks go on under the kernel's usual scheduling: exclusion and the absence of deadlocks
 * are kept, priorities are not.
 *
 * All of it happens under the group's lock, except for leaving.  `locked` of a page has bit d from
 * before its task can have lock d until after it has left it, also for tasks on the way; a task
 * that waits here for a queue (it is late) has it cleared.
 *
 *   ENDED1  A lock with a ceiling is given only where the base priority lies above the ceilings of
 *       all that other tasks of the CPU and group have: the original protocol's rule, which rules
 *       out circles under any scheduling.
 *   ENDED2  A lock with a queue is given by its token, or where no living task has its bit: its
 *       owner has died, perhaps while it left.
 *   ENDED3  A dead task's bits are cleared by a task that takes what it had.
 *
 * A task that leaves counts it in `left` and wakes the others, which look again, also after a
 * bounded wait: the dead wake nobody.
 */
#include "rt/scx/user.h"

#include <errno.h>

#include <furwock/futex.h>

#include "core/sleep.h"

static struct fw_rt_scx *scx_of(const struct fw_rt_task *t)
{
    return t->group->scx;
}

static uint32_t desc_of(const struct fw_rt_task *t, uint32_t d)
{
    return scx_of(t)->desc[d];
}

static void lock_state(struct fw_rt_task *t)
{
    fw_rt_state_lock_(t->state, t->tid, t->shared, &t->announced);
}

static void unlock_state(struct fw_rt_task *t)
{
    fw_rt_state_unlock_(t->state, t->tid, t->shared, &t->announced);
}

void fw_rt_scx_late_wake_(struct fw_rt_task *t)
{
    fw_add32_acq_rel(&t->state->left, 1);
    fw_futex_wake(&t->state->left, FW_FUTEX_ALL, t->shared); /* F:scx-late-no-wake */
}

static void sleep_bounded(const struct fw_rt_task *t, uint32_t seen)
{
    fw_deadline until = fw_deadline_in_(CLOCK_MONOTONIC, FW_RECHECK_RT_ENDED_NS);

    fw_sleep_(&t->state->left, seen, t->shared, &until);
}

/* Is that slot another task of the group? */
static bool is_other(const struct fw_rt_task *t, uint32_t slot)
{
    const struct fw_rt_scx *scx = scx_of(t);
    const struct fw_rt_task_record *c = &scx->state->state.task[slot];

    return slot != fw_rt_scx_slot_(t) && fw_load32_relaxed(&c->state) == FW_RT_LIVE &&
           scx->state->uid[slot] == scx->user && c->more[0] == scx->group;
}

static bool is_dead(const struct fw_rt_scx *scx, uint32_t slot)
{
    struct fw_rt_task_record record = {.tid = scx->pages[slot].tid,
                                       .started = scx->pages[slot].spare[FW_RT_SCX_STARTED]};

    return !fw_rt_is_alive_(&record);
}

/* Must who gets it be told of a death?  The scheduler's own mark cannot be taken back: once. */
static int tell_died(const struct fw_rt_scx *scx, uint32_t desc)
{
    uint32_t *left = &scx->shared->left[desc], was = fw_load32_relaxed(left);
    bool had_died = scx->state->state.lock[desc].died != 0 && !(was & FW_RT_SCX_TOLD);

    fw_store32_relaxed(left, FW_RT_SCX_TOLD);
    return had_died || (was & FW_RT_SCX_DIED) ? EOWNERDEAD : 0;
}

static void mark_died(const struct fw_rt_scx *scx, uint32_t desc)
{
    fw_or32_relaxed(&scx->shared->left[desc], FW_RT_SCX_DIED);
}

/* --- Ceilings (ENDED1) ------------------------------------------------------------------------ */

static uint64_t locks_of(const struct fw_rt_scx_page *page)
{
    return fw_load64_seq_cst(&page->locked) | fw_load64_seq_cst(&page->marked);
}

/* The locks of a dead task that have ceilings. */
static void reap(const struct fw_rt_scx *scx, uint32_t slot)
{
    uint64_t held = locks_of(&scx->pages[slot]);
    uint32_t i;

    for (i = 0; i < FW_RT_LOCKS; i++) {
        if (!(held & fw_rt_bit(i)) || !fw_rt_has_ceiling(scx->state->state.lock[i].kind))
            continue;
        mark_died(scx, i); /* before the bit is cleared: a task that gets it sees the mark */
        fw_and64_seq_cst(&scx->pages[slot].locked, ~fw_rt_bit(i));
        fw_and64_seq_cst(&scx->pages[slot].marked, ~fw_rt_bit(i));
    }
}

static uint32_t ceiling_of(const struct fw_rt_scx *scx, uint32_t slot)
{
    uint64_t held = locks_of(&scx->pages[slot]);
    uint32_t i, ceiling = 0;

    for (i = 0; i < FW_RT_LOCKS; i++) {
        const struct fw_rt_lock_record *l = &scx->state->state.lock[i];
        if ((held & fw_rt_bit(i)) && fw_rt_has_ceiling(l->kind) && l->ceiling > ceiling)
            ceiling = l->ceiling;
    }
    return ceiling;
}

static bool is_blocked(const struct fw_rt_task *t)
{
    const struct fw_rt_scx *scx = scx_of(t);
    bool blocked = false;
    uint32_t i;

    for (i = 0; i < FW_RT_TASKS; i++) { /* F:scx-late-one-page */
        if (!is_other(t, i) || scx->state->state.task[i].cpu != t->record->cpu ||
            ceiling_of(scx, i) < t->record->base)
            continue;
        if (is_dead(scx, i))
            reap(scx, i);
        else
            blocked = true;
    }
    return blocked;
}

int fw_rt_scx_late_ceiling_(struct fw_rt_task *t, uint32_t d, bool try)
{
    uint32_t desc = desc_of(t, d);
    bool uses_permit = fw_rt_scx_has_permit_(t, d);
    int error = EBUSY;

    if (uses_permit)
        fw_rt_scx_unmark_(t, desc); /* it waits, and does not have it */
    for (;;) {
        uint32_t seen = fw_load32_acquire(&t->state->left);
        lock_state(t);
        if (!is_blocked(t)) { /* F:scx-late-looks-not */
            fw_or64_seq_cst(uses_permit ? &t->page->marked : &t->page->locked, fw_rt_bit(desc));
            error = tell_died(scx_of(t), desc);
        }
        unlock_state(t);
        if (error != EBUSY || try)
            return error;
        sleep_bounded(t, seen);
    }
}

/* --- Queues (ENDED2) -------------------------------------------------------------------------- */

/* Those of the group that have the lock's bit and live; *dead: that have it and do not. */
static uint64_t takers(const struct fw_rt_task *t, uint32_t desc, uint64_t *dead)
{
    const struct fw_rt_scx *scx = scx_of(t);
    uint64_t alive = 0;
    uint32_t i;

    *dead = 0;
    for (i = 0; i < FW_RT_TASKS; i++) {
        if (!is_other(t, i) || !(fw_load64_seq_cst(&scx->pages[i].locked) & fw_rt_bit(desc)))
            continue;
        if (is_dead(scx, i))
            *dead |= fw_rt_bit(i);
        else
            alive |= fw_rt_bit(i);
    }
    return alive;
}

/* Under the internal lock, of a task that is in the queue: EBUSY, or it has the lock. */
static int take_queue(struct fw_rt_task *t, uint32_t desc)
{
    struct fw_rt_scx *scx = scx_of(t);
    uint64_t dead = 0;
    uint32_t i;

    if (fw_load32_relaxed(&scx->shared->token[desc]) == 0) {
        if (takers(t, desc, &dead) != 0)
            return EBUSY; /* F:scx-late-takes-anyway */
        mark_died(scx, desc);
    }
    for (i = 0; i < FW_RT_TASKS; i++)
        if (dead & fw_rt_bit(i)) /* ENDED3 */
            fw_and64_seq_cst(&scx->pages[i].locked, ~fw_rt_bit(desc));
    fw_and64_seq_cst(&scx->shared->queue[desc], ~dead);
    fw_or64_seq_cst(&t->page->locked, fw_rt_bit(desc));
    fw_store32_relaxed(&scx->shared->token[desc], 0); /* F:scx-late-keeps-token */
    return tell_died(scx, desc);
}

int fw_rt_scx_late_queue_(struct fw_rt_task *t, uint32_t d)
{
    uint32_t desc = desc_of(t, d);
    int error;

    fw_and64_seq_cst(&t->page->locked, ~fw_rt_bit(desc)); /* it is late */
    for (;;) {
        uint32_t seen = fw_load32_acquire(&t->state->left);
        lock_state(t);
        error = take_queue(t, desc);
        unlock_state(t);
        if (error != EBUSY)
            return error;
        sleep_bounded(t, seen);
    }
}

/*
 * A task that is not in the queue may join it only where it gets the lock at once: nobody may leave
 * it without it.  That is so where the queue is empty, and where there is a token: then others are
 * in the queue, who stay there until they have it, or forever.  (A dead owner's lock is for those
 * who wait.)
 */
int fw_rt_scx_late_try_queue_(struct fw_rt_task *t, uint32_t d)
{
    struct fw_rt_scx *scx = scx_of(t);
    uint32_t desc = desc_of(t, d), *token = &scx->shared->token[desc];
    uint64_t *queue = &scx->shared->queue[desc], own = fw_rt_bit(fw_rt_scx_slot_(t)), empty = 0;
    int error = EBUSY;

    fw_or64_seq_cst(&t->page->locked, fw_rt_bit(desc));
    if (fw_cas64_seq_cst(queue, &empty, own)) /* 0 -> own */
        return tell_died(scx, desc);
    lock_state(t);
    if (fw_load32_relaxed(token) != 0) {
        fw_or64_seq_cst(queue, own);
        fw_store32_relaxed(token, 0);
        error = tell_died(scx, desc);
    } else {
        fw_and64_seq_cst(&t->page->locked, ~fw_rt_bit(desc));
    }
    unlock_state(t);
    return error;
}

void fw_rt_scx_late_pass_on_(struct fw_rt_task *t, uint32_t d)
{
    uint32_t desc = desc_of(t, d);

    lock_state(t);
    fw_store32_relaxed(&scx_of(t)->shared->token[desc], 1); /* F:scx-late-no-token */
    fw_and64_seq_cst(&t->page->locked, ~fw_rt_bit(desc));
    unlock_state(t);
    fw_rt_scx_late_wake_(t);
}
