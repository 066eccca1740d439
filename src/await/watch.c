/* SPDX-License-Identifier: MIT */
/*
 * What a loop has in the kernel for the objects of regions that its operations wait for, and what
 * it does when something of it comes back.  All by the loop's thread.  Contract, and AWI1 to AWI5:
 * region.h.
 */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>

#include <furwock/bits/atomic.h>
#include <furwock/futex.h>

#include "await/region.h"
#include "core/recheck.h"
#include "ipc/wait.h"
#include "sys/clock.h"

/* Of a kernel wait. */
enum { ROLE_WORD, ROLE_LIFE, ROLE_ALARM };

/* Intervals end at multiples of this, so that a loop with many watches looks at many at once. */
#define TICK_NS UINT64_C(10000000)

/* What changes while it is armed is armed again so many times, before the loop's caller goes on. */
enum { FLUSHES = 8 };

static struct fw_region_loop_ *regions_of(const fw_loop *loop)
{
    return (struct fw_region_loop_ *)loop->regions;
}

static struct fw_engine_ *engine_of(const struct fw_watch_ *w)
{
    return regions_of(w->loop)->engine;
}

static struct fw_region_alarm_ *alarm_of(const struct fw_watch_ *w)
{
    return &regions_of(w->loop)->alarms[w->mapping->index];
}

/* --- Intervals: AWI3 -------------------------------------------------------------------------- */

static void note_recheck(const struct fw_watch_ *w)
{
    if (w->loop->regions_at == 0 || w->recheck_at < w->loop->regions_at)
        w->loop->regions_at = w->recheck_at;
}

static void begin_interval(struct fw_watch_ *w, uint64_t ns)
{
    w->recheck_ns = ns;
    w->recheck_at = (fw_clock_ns_() + ns + TICK_NS - 1) / TICK_NS * TICK_NS;
    note_recheck(w);
}

static void begin_anew(struct fw_watch_ *w)
{
    w->intervals = 0;
    begin_interval(w, FW_RECHECK_IPC_NS);
}

void fw_watch_idle_(struct fw_watch_ *w)
{
    if (w->recheck_ns > FW_RECHECK_IPC_NS)
        begin_anew(w);
}

/* --- Arming ----------------------------------------------------------------------------------- */

static void arm(struct fw_watch_ *w, struct fw_kernel_wait_ *wait, unsigned role,
                const uint32_t *word, uint32_t expected)
{
    wait->role = (uint8_t)role;
    wait->owner = w;
    fw_engine_arm_(engine_of(w), wait, word, expected);
}

/* The life of whoever holds it; that of the holder before is left alone until it has come back. */
static void arm_life(struct fw_watch_ *w, const struct fw_look_ *look)
{
    const struct fw_ipc_member_ *m = fw_ipc_member_of_(w->mapping, look->holder);
    uint64_t life;

    if (m == NULL || look->holder == look->keeper->id)
        return;
    if (w->life.is_armed) {
        if (w->life.word != fw_ipc_life_half_(m))
            fw_engine_disarm_(engine_of(w), &w->life);
        return;
    }
    life = fw_load64_acquire(&m->life);
    if (life >> 32 != look->holder >> 32 || (life & FW_ROBUST_OWNER) == 0) { /* it has died now */
        w->recheck_at = fw_clock_ns_();
        note_recheck(w);
    } else if ((life & FW_ROBUST_WAITERS) == 0) {
        w->is_blind = true;
    } else {
        arm(w, &w->life, ROLE_LIFE, fw_ipc_life_half_(m), (uint32_t)life);
    }
}

static void arm_alarm(struct fw_watch_ *w)
{
    struct fw_region_alarm_ *a = alarm_of(w);

    if (a->wait.is_armed)
        return;
    a->wait.role = ROLE_ALARM;
    a->wait.owner = a;
    a->mapping = w->mapping;
    fw_ipc_keeper_use_(w->mapping); /* the memory stays until it has come back */
    fw_engine_arm_(engine_of(w), &a->wait, &w->mapping->head->alarm, 0);
}

void fw_watch_arm_(struct fw_watch_ *w, const struct fw_look_ *look)
{
    w->is_blind = false;
    if (!w->word.is_armed) /* AWI1 */
        arm(w, &w->word, ROLE_WORD, look->word, look->expected);
    if (w->intervals != 0) {
        arm_life(w, look);
        arm_alarm(w);
    }
    if (w->recheck_at == 0)
        begin_anew(w);
}

/* --- Looking ---------------------------------------------------------------------------------- */

/* AWI2 */
static void pass_wake_on(struct fw_watch_ *w)
{
    if (w->was_told)
        fw_ipc_wake_(w->word.word, 1);
    w->was_told = false;
}

void fw_watch_look_(struct fw_watch_ *w, bool asks)
{
    struct fw_ipc_me_ keeper;
    fw_await *op;

    if (!fw_ipc_keeper_find_(w->mapping, &keeper)) /* it lives while they wait: KPR1 */
        return;
    while ((op = fw_watch_first_(w)) != NULL) {
        const struct fw_target_ *target = fw_target_of_(op);
        struct fw_look_ look = {.keeper = &keeper, .asks = asks, .was_told = w->was_told};
        int result = target->attempt(op, &look);
        bool has_it = result == 0 || result == EOWNERDEAD;
        if (result == EBUSY) {
            w->was_told = false; /* whoever has it now has been told that one waits */
            fw_watch_arm_(w, &look);
            return;
        }
        if (!fw_watch_deliver_(w, op, result) && has_it)
            target->give_back(op);
        if (has_it && target->is_held)
            pass_wake_on(w);
    }
    pass_wake_on(w);
    fw_watch_idle_(w);
}

/* --- Watches ---------------------------------------------------------------------------------- */

static void free_watch(struct fw_watch_ *w)
{
    struct fw_watch_ **at = &regions_of(w->loop)->watches;

    while (*at != w)
        at = &(*at)->next;
    *at = w->next;
    fw_watch_forget_(w);
    if (--alarm_of(w)->watches == 0)
        fw_engine_disarm_(engine_of(w), &alarm_of(w)->wait);
    fw_ipc_keeper_unuse_(w->mapping);
    free(w);
}

/* Nobody waits: what is in the kernel is taken out, and then it is freed. */
static void retire(struct fw_watch_ *w)
{
    fw_engine_disarm_(engine_of(w), &w->word);
    fw_engine_disarm_(engine_of(w), &w->life);
    if (!w->word.is_armed && !w->life.is_armed)
        free_watch(w);
}

/* --- What fw_loop_run does -------------------------------------------------------------------- */

static void add_todo(struct fw_watch_ *w)
{
    struct fw_region_loop_ *r = regions_of(w->loop);

    if (w->is_todo)
        return;
    w->is_todo = true;
    w->next_todo = r->todo;
    r->todo = w;
}

/* A member of the region has died that owed others a wake: all look, and begin anew (IWAIT6). */
static void hear_alarm(struct fw_region_loop_ *r, struct fw_region_alarm_ *a)
{
    if (a->wait.told == FW_TOLD_LOOK_) {
        fw_ipc_wake_(a->wait.word, FW_FUTEX_ALL);
        for (struct fw_watch_ *w = r->watches; w != NULL; w = w->next)
            if (w->mapping == a->mapping)
                add_todo(w);
    }
    fw_ipc_keeper_unuse_(a->mapping);
}

static void hear(struct fw_region_loop_ *r, const struct fw_kernel_wait_ *back)
{
    struct fw_watch_ *w = back->owner;

    if (back->role == ROLE_ALARM) {
        hear_alarm(r, back->owner);
        return;
    }
    if (back->told == FW_TOLD_LOOK_ && back->role == ROLE_WORD)
        w->was_told = true;
    if (back->told == FW_TOLD_LOOK_ && back->role == ROLE_LIFE)
        fw_ipc_wake_(back->word, FW_FUTEX_ALL); /* IWAIT2 */
    add_todo(w);
}

static void do_todo(struct fw_region_loop_ *r)
{
    struct fw_watch_ *w;

    while ((w = r->todo) != NULL) {
        r->todo = w->next_todo;
        w->is_todo = false;
        if (w->was_told)
            begin_anew(w);
        fw_watch_look_(w, false);
        if (fw_watch_first_(w) == NULL && !w->word.is_armed && !w->life.is_armed)
            free_watch(w);
    }
}

static void end_interval(struct fw_watch_ *w)
{
    bool is_short = w->is_blind || regions_of(w->loop)->is_partial;

    if (fw_watch_first_(w) == NULL) {
        begin_interval(w, FW_RECHECK_IPC_NS);
        retire(w);
        return;
    }
    w->intervals++;
    begin_interval(w, is_short ? FW_RECHECK_IPC_NS
                               : fw_recheck_longer_(w->recheck_ns, FW_RECHECK_MAX_NS));
    fw_watch_look_(w, true);
}

/* Intervals that have ended. */
static void recheck(fw_loop *loop)
{
    uint64_t now;

    if (loop->regions_at == 0 || (now = fw_clock_ns_()) < loop->regions_at)
        return;
    loop->regions_at = 0;
    for (struct fw_watch_ *w = regions_of(loop)->watches, *next; w != NULL; w = next) {
        next = w->next;
        if (w->recheck_at <= now)
            end_interval(w);
        else
            note_recheck(w);
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

/*
 * Begins what was armed.  Some of it may come back at once, and of that the descriptor does not
 * tell.
 */
static void flush(fw_loop *loop)
{
    struct fw_region_loop_ *r = regions_of(loop);
    bool has_more = true;

    for (unsigned i = 0; i < FLUSHES && has_more; i++) {
        r->is_partial = !fw_engine_flush_(r->engine);
        has_more = hear_all(r);
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

    hear_all(regions_of(loop));
    for (struct fw_watch_ *w = regions_of(loop)->watches; is_due && w != NULL; w = w->next)
        if (fw_watch_first_(w) == NULL)
            fw_watch_idle_(w);
    recheck(loop);
}

/* --- The end ---------------------------------------------------------------------------------- */

/* In a forked child nothing of this is in the kernel, in a bucket, or counted. */
static void close_regions(fw_loop *loop)
{
    struct fw_region_loop_ *r = regions_of(loop);
    bool is_here = fw_loop_is_here_(loop);

    if (is_here)
        fw_engine_close_(r->engine);
    else
        fw_engine_forget_(r->engine);
    for (unsigned i = 0; is_here && i < FW_RANGES; i++)
        if (r->alarms[i].wait.is_armed)
            fw_ipc_keeper_unuse_(r->alarms[i].mapping);
    for (struct fw_watch_ *w = r->watches, *next; w != NULL; w = next) {
        next = w->next;
        if (is_here) {
            fw_watch_forget_(w);
            fw_ipc_keeper_unuse_(w->mapping);
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
    if (error != 0)
        close_regions(loop);
    return error;
}

int fw_watch_make_(fw_loop *loop, const void *object, const struct fw_ipc_mapping_ *mapping,
                   struct fw_watch_ **w)
{
    int error = loop->regions == NULL ? make_regions(loop) : 0;
    struct fw_watch_ *made = error == 0 ? calloc(1, sizeof *made) : NULL;

    if (made == NULL)
        return error != 0 ? error : ENOMEM;
    made->loop = loop;
    made->object = object;
    made->mapping = mapping;
    made->next = regions_of(loop)->watches;
    regions_of(loop)->watches = made;
    alarm_of(made)->watches++;
    fw_ipc_keeper_use_(mapping);
    fw_watch_enter_(made);
    *w = made;
    return 0;
}
