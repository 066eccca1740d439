/* SPDX-License-Identifier: MIT */
/*
 * Tier B: lock and unlock, beside the scheduler that runs.  page.h has the rules.
 */
#include "rt/scx/user.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "core/sleep.h"
#include "sys/schedule.h"

static struct fw_rt_scx *scx_of(const struct fw_rt_task *t)
{
    return t->group->scx;
}

static uint32_t desc_of(const struct fw_rt_task *t, uint32_t d)
{
    return scx_of(t)->desc[d];
}

static uint64_t *queue_of(const struct fw_rt_task *t, uint32_t desc)
{
    return &scx_of(t)->shared->queue[desc];
}

/* --- Asking ----------------------------------------------------------------------------------- */

static int ask(struct fw_rt_task *t, uint32_t op)
{
    struct fw_rt_scx_page *page = t->page;

    if (!fw_rt_scx_is_alive_(scx_of(t)))
        return FW_RT_SCX_ENDED;
    page->jobs = t->record->jobs;
    page->misses = t->record->misses;
    fw_store32_release(&page->op, op);
    for (;;) {
        bool was_alive = fw_rt_scx_is_alive_(scx_of(t));
        if (fw_load32_acquire(&page->op) == FW_RT_SCX_NOTHING)
            return (int)fw_load32_relaxed(&page->result);
        if (!was_alive) { /* then nobody answers any more  F:scx-waits-forever */
            fw_store32_relaxed(&page->op, FW_RT_SCX_NOTHING);
            return FW_RT_SCX_ENDED;
        }
        if (fw_load32_relaxed(&page->away) != FW_RT_SCX_HERE)
            fw_sleep_for_(FW_RECHECK_RT_AWAY_NS);
        sched_yield();
    }
}

/* LEAVE needs the thread under the scheduler: until then it gives up a policy of its own. */
static int leave(struct fw_rt_task *t)
{
    static const struct sched_param usual = {.sched_priority = 0};
    int policy = sched_getscheduler(0), answer;
    struct sched_param own;

    if (policy < 0 || (policy & ~SCHED_RESET_ON_FORK) == SCHED_OTHER ||
        sched_getparam(0, &own) != 0 ||
        sched_setscheduler(0, SCHED_OTHER | (policy & SCHED_RESET_ON_FORK), &usual) != 0)
        return ask(t, FW_RT_SCX_LEAVE);
    answer = ask(t, FW_RT_SCX_LEAVE);
    sched_setscheduler(0, policy, &own);
    return answer;
}

int fw_rt_scx_ask_(struct fw_rt_task *t, uint32_t op)
{
    bool is_away = fw_load32_relaxed(&t->page->away) != FW_RT_SCX_HERE;

    return op == FW_RT_SCX_LEAVE && is_away ? leave(t) : ask(t, op);
}

static int ask_for(struct fw_rt_task *t, uint32_t op, uint32_t desc)
{
    fw_store32_relaxed(&t->page->desc, desc);
    return fw_rt_scx_ask_(t, op);
}

static int refuse_away(const struct fw_rt_task *t)
{
    return fw_rt_fail_(EXDEV, "the task \"%s\" has been taken off CPU %u, or to another scheduler",
                       t->record->name, t->record->cpu);
}

static int check_away(const struct fw_rt_task *t)
{
    if (fw_load32_relaxed(&t->page->away) != FW_RT_SCX_AWAY || !fw_rt_scx_is_alive_(scx_of(t)))
        return 0;
    return refuse_away(t);
}

static void tell(const struct fw_rt_task *t, uint32_t kind, uint32_t d)
{
    if (t->trace != NULL)
        fw_rt_trace_add_(t->trace, kind, d, FW_RT_NONE, 0);
}

/* Asks for the lock, and waits for it. */
static int wait_for(struct fw_rt_task *t, uint32_t d)
{
    bool is_new = fw_rt_wait_begins_(t);
    int error;

    tell(t, FW_RT_EVENT_BLOCK, d);
    fw_store32_relaxed(&t->record->request, d + 1);
    error = ask_for(t, FW_RT_SCX_LOCK, desc_of(t, d));
    if (error == FW_RT_SCX_ENDED)
        error = fw_rt_is_boosting(t->state->lock[d].kind) ? fw_rt_scx_late_queue_(t, d)
                                                          : fw_rt_scx_late_ceiling_(t, d, false);
    fw_store32_relaxed(&t->record->request, 0);
    fw_rt_wait_ends_(t, is_new);
    tell(t, FW_RT_EVENT_RESUME, d);
    return error == EXDEV ? refuse_away(t) : error; /* it has been taken away just now */
}

/* --- Ceilings --------------------------------------------------------------------------------- */

/* bits with CAN_LOCK -> the same and the lock's */
static bool take_by_itself(struct fw_rt_scx_page *page, uint32_t desc)
{
    uint64_t seen = fw_load64_relaxed(&page->locked);

    while (seen & FW_RT_CAN_LOCK) /* F:scx-locks-anyway */
        /* F:scx-sees-old-leave */
        if (fw_cas64_acquire(&page->locked, &seen, seen | fw_rt_bit(desc)))
            return true;
    return false;
}

/* Nobody has to be asked? */
static bool pass(struct fw_rt_task *t, uint32_t d, uint32_t desc)
{
    if (fw_rt_scx_has_permit_(t, d))
        return fw_rt_scx_read_permit_(t, desc);
    return !fw_rt_asks_kernel_((fw_rt_protocol)t->state->lock[d].protocol) &&
           take_by_itself(t->page, desc);
}

static int ask_for_ceiling(struct fw_rt_task *t, uint32_t d, bool try)
{
    int error = check_away(t);

    if (error != 0)
        return error;
    if (!try)
        return wait_for(t, d);
    error = ask_for(t, FW_RT_SCX_TRY, desc_of(t, d));
    return error == FW_RT_SCX_ENDED ? fw_rt_scx_late_ceiling_(t, d, true) : error;
}

static int lock_ceiling(struct fw_rt_task *t, uint32_t d, bool try)
{
    uint32_t desc = desc_of(t, d);
    int error;

    if (pass(t, d, desc))
        return 0;
    error = ask_for_ceiling(t, d, try);
    if (error != 0 && error != EOWNERDEAD && fw_rt_scx_has_permit_(t, d))
        fw_rt_scx_unmark_(t, desc);
    return error;
}

static void unlock_ceiling(struct fw_rt_task *t, uint32_t d)
{
    uint32_t desc = desc_of(t, d);

    if (fw_rt_scx_has_permit_(t, d))
        fw_rt_scx_unmark_(t, desc);
    else
        fw_and64_seq_cst(&t->page->locked, ~fw_rt_bit(desc));
    if (!fw_rt_scx_is_alive_(scx_of(t)))
        fw_rt_scx_late_wake_(t);
    else if (fw_load32_relaxed(&t->page->away) == 0 &&
             (fw_load32_relaxed(&t->page->unlock_call) ||
              fw_rt_asks_kernel_((fw_rt_protocol)t->state->lock[d].protocol)) &&
             ask_for(t, FW_RT_SCX_UNLOCK, desc) == FW_RT_SCX_ENDED)
        fw_rt_scx_late_wake_(t);
}

/* --- Queues ----------------------------------------------------------------------------------- */

/*
 * MPCP and FMLP+, the baselines, enter the kernel once for each lock and once for each unlock, as
 * the paper's do.  The scheduler reads the page when it runs next, so the call asks for nothing.
 */
static void enter_as_baseline(const struct fw_rt_task *t, uint32_t d)
{
    if (fw_rt_asks_kernel_((fw_rt_protocol)t->state->lock[d].protocol))
        fw_enter_kernel_();
}

static int try_queue(struct fw_rt_task *t, uint32_t d)
{
    uint32_t desc = desc_of(t, d);
    uint64_t empty = 0;
    int error;

    fw_or64_seq_cst(&t->page->locked, fw_rt_bit(desc));
    if (fw_cas64_seq_cst(queue_of(t, desc), &empty, fw_rt_bit(fw_rt_scx_slot_(t)))) { /* 0 -> own */
        enter_as_baseline(t, d);
        return 0;
    }
    fw_and64_seq_cst(&t->page->locked, ~fw_rt_bit(desc));
    error = check_away(t);
    if (error == 0)
        error = ask_for(t, FW_RT_SCX_TRY, desc);
    return error == FW_RT_SCX_ENDED ? fw_rt_scx_late_try_queue_(t, d) : error;
}

static int lock_queue(struct fw_rt_task *t, uint32_t d)
{
    uint32_t desc = desc_of(t, d);
    uint64_t own = fw_rt_bit(fw_rt_scx_slot_(t));

    /* F:scx-late-record */
    fw_or64_seq_cst(&t->page->locked, fw_rt_bit(desc));
    if (fw_or64_seq_cst(queue_of(t, desc), own) != 0) /* 0 -> own */
        return wait_for(t, d);
    enter_as_baseline(t, d);
    return 0;
}

static void unlock_queue(struct fw_rt_task *t, uint32_t d)
{
    uint32_t desc = desc_of(t, d);
    uint64_t own = fw_rt_bit(fw_rt_scx_slot_(t)), left;

    left = fw_and64_seq_cst(queue_of(t, desc), ~own) & ~own;
    if (left != 0) {
        if (ask_for(t, FW_RT_SCX_UNLOCK, desc) == FW_RT_SCX_ENDED)
            fw_rt_scx_late_pass_on_(t, d);
        return;
    }
    fw_and64_seq_cst(&t->page->locked, ~fw_rt_bit(desc));
    if (t->state->lock[d].kind == FW_RT_KIND_FMLP)
        fw_store32_relaxed(&t->page->unlocked, 1);
    if (fw_load32_relaxed(&t->page->unlock_call) && fw_load32_relaxed(&t->page->away) == 0)
        ask_for(t, FW_RT_SCX_UNLOCK, desc);
    else
        enter_as_baseline(t, d);
}

/* --- What lock.c calls ------------------------------------------------------------------------ */

int fw_rt_scx_lock_(struct fw_rt_task *t, uint32_t d, bool try)
{
    if (!fw_rt_is_boosting(t->state->lock[d].kind))
        return lock_ceiling(t, d, try);
    return try ? try_queue(t, d) : lock_queue(t, d);
}

int fw_rt_scx_unlock_(struct fw_rt_task *t, uint32_t d)
{
    if (fw_rt_is_boosting(t->state->lock[d].kind))
        unlock_queue(t, d);
    else
        unlock_ceiling(t, d);
    return 0;
}
