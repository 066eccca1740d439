/* SPDX-License-Identifier: MIT */
/*
 * What a loop has in the kernel for the objects of regions that its operations wait for, and what
 * it does when something of it comes back.  All by the loop's thread.  Contract, and AWI1 to AWI6:
 * region.h.
 */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <time.h>

#include <furwock/bits/atomic.h>
#include <furwock/futex.h>

#include "await/watch.h"
#include "core/recheck.h"
#include "ipc/wait.h"
#include "sys/clock.h"

/*
 * What changes while it is armed is armed again at most this often before the loop's caller goes
 * on.
 */
enum { FLUSHES = 8 };

/* --- Looking ---------------------------------------------------------------------------------- */

static bool was_moved(const struct fw_watch_ *w)
{
    const struct fw_target_ *target = fw_targets_[w->number];

    return target->was_moved != NULL && target->was_moved(w);
}

/* AWI2 */
static void pass_wake_on(struct fw_watch_ *w)
{
    const struct fw_target_ *target = fw_targets_[w->number];

    if (w->was_told && w->word.word != NULL) /* else it is the first look for others: AWC2 */
        fw_ipc_wake_(w->word.word, 1);       /* F:ipc-await-keeps-wake */
    if (w->was_told && was_moved(w))
        target->pass_on(w);
    w->was_told = false;
}

void fw_watch_look_(struct fw_watch_ *w, bool asks)
{
    struct fw_ipc_me_ agent;
    fw_await *op;

    if (!fw_ipc_agent_find_(w->mapping, &agent)) /* it lives while they wait: AGT1 */
        return;
    while ((op = fw_watch_first_(w)) != NULL) {
        const struct fw_target_ *target = fw_target_of_(op);
        struct fw_look_ look = {
            .agent = &agent, .asks = asks, .was_told = w->was_told, .round = w->intervals};
        int result = target->attempt(op, &look);
        bool has_it = fw_target_has_it_(target, result);
        if (result == EBUSY) {
            if (look.word != w->word.word) /* a wake there is another's */
                pass_wake_on(w);
            w->was_told = false; /* whoever has it now has been told that one waits */
            fw_watch_arm_(w, &look);
            return;
        }
        if (result == FW_LOOK_AGAIN_) {
            if (target->is_held)
                pass_wake_on(w);
            continue;
        }
        if (!fw_watch_deliver_(w, op, result) && has_it) {
            /* The use of one that has lost is over.  F:ipc-await-unuses-twice */
            if (target->is_held)
                fw_ipc_agent_use_(w->mapping);
            target->give_back(op);
        }
        if (has_it && target->is_held)
            pass_wake_on(w);
    }
    pass_wake_on(w); /* F:ipc-await-leaves-quietly */
    fw_watch_idle_(w);
}

/* --- Watches ---------------------------------------------------------------------------------- */

static void free_watch(struct fw_watch_ *w)
{
    struct fw_watch_ **at = &fw_regions_of_(w->loop)->watches;

    while (*at != w)
        at = &(*at)->next;
    *at = w->next;
    fw_watch_forget_(w);
    if (--fw_alarm_of_(w)->watches == 0)
        fw_engine_disarm_(fw_engine_of_(w), &fw_alarm_of_(w)->wait);
    fw_ipc_agent_unuse_(w->mapping);
    free(w);
}

/* Nobody waits: what is in the kernel is taken out, and then it is freed. */
static void retire(struct fw_watch_ *w)
{
    fw_watch_disarm_(w);
    if (fw_watch_is_unused_(w))
        free_watch(w);
}

void fw_watch_unpin_(struct fw_watch_ *w)
{
    if (--w->pins == 0)
        fw_watch_begin_anew_(w); /* at the end of which it is retired */
}

/* --- What fw_loop_run does -------------------------------------------------------------------- */

static void add_todo(struct fw_watch_ *w)
{
    struct fw_region_loop_ *r = fw_regions_of_(w->loop);

    if (w->is_todo)
        return;
    w->is_todo = true;
    w->next_todo = r->todo;
    r->todo = w;
}

static void add_all_todo(struct fw_region_loop_ *r, const struct fw_ipc_mapping_ *mapping)
{
    for (struct fw_watch_ *w = r->watches; w != NULL; w = w->next)
        if (w->mapping == mapping)
            add_todo(w);
}

/*
 * A participant of the region has died that owed others a wake: all look, and begin anew (IWAIT6).
 */
static void hear_alarm(struct fw_region_loop_ *r, struct fw_region_alarm_ *a)
{
    if (a->wait.told == FW_TOLD_LOOK_) {
        fw_ipc_wake_(a->wait.word, FW_FUTEX_ALL); /* F:ipc-await-keeps-alarm */
        add_all_todo(r, a->mapping);              /* F:ipc-await-idle-alarm */
    }
    fw_ipc_agent_unuse_(a->mapping);
}

static void hear(struct fw_region_loop_ *r, const struct fw_kernel_wait_ *back)
{
    struct fw_watch_ *w = back->owner;

    if (back->role == FW_ROLE_ALARM_) {
        hear_alarm(r, back->owner);
        return;
    }
    /* AWC2: to have been moved is to have been woken  F:ipc-await-untold */
    if (back->role == FW_ROLE_WORD_ && (back->told == FW_TOLD_LOOK_ || was_moved(w)))
        w->was_told = true;
    if (back->told == FW_TOLD_LOOK_ && back->role == FW_ROLE_LIFE_)
        fw_ipc_wake_(back->word, FW_FUTEX_ALL); /* IWAIT2  F:ipc-await-keeps-death */
    if (back->told == FW_TOLD_LOOK_ && back->role == FW_ROLE_BESIDE_)
        fw_ipc_wake_(&w->mapping->head->alarm, FW_FUTEX_ALL); /* ICV6: whose life is not known */
    add_todo(w);
}

static void do_todo(struct fw_region_loop_ *r)
{
    struct fw_watch_ *w;

    while ((w = r->todo) != NULL) {
        r->todo = w->next_todo;
        w->is_todo = false;
        if (w->was_told)
            fw_watch_begin_anew_(w);
        fw_watch_look_(w, false);
        if (fw_watch_first_(w) == NULL && fw_watch_is_unused_(w))
            free_watch(w);
    }
}

static void end_interval(struct fw_watch_ *w)
{
    bool is_short = w->is_blind || fw_regions_of_(w->loop)->is_partial;

    if (fw_watch_first_(w) == NULL) {
        if (w->pins != 0)
            w->recheck_at = FW_NEVER_;
        else
            fw_watch_begin_interval_(w, FW_RECHECK_IPC_NS);
        retire(w);
        return;
    }
    w->intervals++;
    fw_watch_begin_interval_(
        w, is_short ? FW_RECHECK_IPC_NS
                    : fw_recheck_longer_(w->recheck_ns, w->is_partial ? FW_RECHECK_REALTIME_NS
                                                                      : FW_RECHECK_MAX_NS));
    fw_watch_look_(w, true);
}

/* Intervals that have ended. */
static void recheck(fw_loop *loop)
{
    uint64_t now;

    if (loop->regions_at == 0 || (now = fw_clock_ns_()) < loop->regions_at)
        return;
    loop->regions_at = 0;
    for (struct fw_watch_ *w = fw_regions_of_(loop)->watches, *next; w != NULL; w = next) {
        next = w->next;
        if (w->recheck_at <= now)
            end_interval(w);
        else
            fw_watch_note_recheck_(w);
    }
}

/* What has come back: true if anything did. */
static bool hear_all(struct fw_region_loop_ *r)
{
    const struct fw_kernel_wait_ *back = fw_engine_reap_(r->engine);

    for (const struct fw_kernel_wait_ *w = back; w != NULL; w = w->next)
        hear(r, w);
    do_todo(r);
    return back != NULL;
}

/* AWI6: true if there were alarms. */
static bool look_past_alarms(struct fw_region_loop_ *r)
{
    bool has_alarm = r->has_new_alarm;

    for (unsigned i = 0; i < FW_RANGES && has_alarm; i++)
        if (r->alarms[i].is_new) {
            r->alarms[i].is_new = false;
            add_all_todo(r, r->alarms[i].mapping); /* F:ipc-await-late-alarm */
        }
    r->has_new_alarm = false;
    return has_alarm;
}

/*
 * Begins what was armed.  Some of it may come back at once, and of that the descriptor does not
 * tell.
 */
static void flush(fw_loop *loop)
{
    struct fw_region_loop_ *r = fw_regions_of_(loop);
    bool has_more = true, has_alarm;

    for (unsigned i = 0; i < FLUSHES && has_more; i++) {
        r->is_partial = !fw_engine_flush_(r->engine);
        has_alarm = look_past_alarms(r);
        has_more = hear_all(r) || has_alarm;
    }
    if (has_more) { /* a word that changes all the time */
        fw_store32_release(&loop->regions_due, 1);
        fw_loop_kick_(loop);
    }
}

void fw_watch_begin_(fw_loop *loop)
{
    if (loop->is_running)
        return; /* at its end */
    flush(loop);
    if (loop->has_poller)
        fw_loop_arm_(loop);
}

static void run(fw_loop *loop)
{
    bool is_due = fw_xchg32_acquire(&loop->regions_due, 0) != 0;

    hear_all(fw_regions_of_(loop));
    for (struct fw_watch_ *w = fw_regions_of_(loop)->watches; is_due && w != NULL; w = w->next)
        if (fw_watch_first_(w) == NULL)
            fw_watch_idle_(w);
    recheck(loop);
}

/* --- The end ---------------------------------------------------------------------------------- */

/* It is out of the kernel: if it was moved there, that is another's wake (AWC2). */
static void pass_move_on(struct fw_watch_ *w)
{
    w->was_told = w->word.is_armed && was_moved(w);
    pass_wake_on(w);
}

/* In a forked child nothing of this is in the kernel, in a bucket, or counted. */
static void close_regions(fw_loop *loop)
{
    struct fw_region_loop_ *r = fw_regions_of_(loop);
    bool is_here = fw_loop_is_here_(loop);

    if (is_here)
        fw_engine_close_(r->engine);
    else
        fw_engine_forget_(r->engine);
    for (unsigned i = 0; is_here && i < FW_RANGES; i++)
        if (r->alarms[i].wait.is_armed)
            fw_ipc_agent_unuse_(r->alarms[i].mapping);
    for (struct fw_watch_ *w = r->watches, *next; w != NULL; w = next) {
        next = w->next;
        if (is_here) {
            pass_move_on(w); /* F:ipc-await-closes-quietly */
            fw_watch_forget_(w);
            fw_ipc_agent_unuse_(w->mapping);
        }
        free(w);
    }
    loop->regions = NULL;
    free(r);
}

static int make_regions(fw_loop *loop)
{
    struct fw_region_loop_ *r = calloc(1, sizeof *r);
    int error = r != NULL ? fw_engine_open_(&r->engine, (uint32_t)loop->engine) : ENOMEM;

    if (error != 0) {
        free(r);
        return error;
    }
    r->base = (struct fw_regions_){.run = run, .flush = flush, .end = close_regions};
    loop->regions = &r->base;
    error = fw_loop_watch_fd_(loop, fw_engine_fd_(r->engine));
    if (error == 0)
        error = fw_loop_prepare_timer_(loop, CLOCK_MONOTONIC); /* for regions_at */
    if (error != 0)
        close_regions(loop);
    return error;
}

int fw_watch_make_(fw_loop *loop, const void *object, uint8_t number,
                   const struct fw_ipc_mapping_ *mapping, struct fw_watch_ **w)
{
    int error = loop->regions == NULL ? make_regions(loop) : 0;
    struct fw_watch_ *made = error == 0 ? calloc(1, sizeof *made) : NULL;

    if (made == NULL)
        return error != 0 ? error : ENOMEM;
    made->loop = loop;
    made->object = object;
    made->number = number;
    made->mapping = mapping;
    made->next = fw_regions_of_(loop)->watches;
    fw_regions_of_(loop)->watches = made;
    fw_alarm_of_(made)->watches++;
    fw_ipc_agent_use_(mapping);
    fw_watch_enter_(made);
    *w = made;
    return 0;
}
