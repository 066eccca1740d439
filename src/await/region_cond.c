/* SPDX-License-Identifier: MIT */
/*
 * fw_await_ipc_cond.  Contract: furwock/ipc/await.h; the condition variable, and ICV1 to ICV7:
 * ipc/cond.c.
 *
 * In two phases, as between threads (cond.c): in the queue of the variable, and in that of the
 * mutex.  Its loop takes it from one to the other.
 *
 * want_    object_       kept_                      aux_          meaning
 * -------  ------------  -------------------------  ------------  ---------------------------------
 * COND     the variable  the watch for the mutex,   its watch     waits to be signalled
 *                        which stays for that
 * RELOCK   the mutex     the variable               the mutex's   has a signal, or has timed out
 *                                                   watch         (is_designated_): waits for it
 *
 *   AWC1  The loop has one sleeper for all operations of a queue.  `seen` is the word at its last
 *         look, and `urgency_` (low half), `starves_`, `yields_` (turns) of an operation what it
 *         was when that began to wait.  At a look as many go on as there were changes since the
 *         last one, of those that began before (ICV3: each change is for a waiter that was there);
 *         and all that began before a turn (ICV7).  More than need be is legal, fewer are not.
 *   AWC2  What sleeps for the variable may be moved to its mutex, and has taken a wake there then:
 *         another is woken in its place (pass_on), and whoever goes on takes the mutex as one that
 *         has slept (ICV4).  It is armed anew at the next look.
 *   AWC3  A sleeper is one for whichever operations wait at the time, and stays in the kernel when
 *         they leave.  So a wake may come that is for none of them, or a move: if nobody goes on at
 *         the look that follows, another sleeper is woken.
 */
#include <furwock/ipc/await.h>

#include <errno.h>
#include <stddef.h>

#include <furwock/bits/atomic.h>

#include "await/loop.h"
#include "await/operation.h"
#include "await/region.h"
#include "ipc/mutex.h"
#include "ipc/task.h"
#include "ipc/wait.h"

enum { TURN_SHIFT = 48, HALF_SHIFT = 32 };

static fw_ipc_cond *cond_of(const void *object)
{
    return (fw_ipc_cond *)(uintptr_t)object;
}

static const uint32_t *half(const fw_ipc_cond *c)
{
    return (const uint32_t *)(const void *)&c->word_;
}

/* The word when it began, as far as that matters. */
static void keep(fw_await *op, uint64_t word)
{
    op->urgency_ = (int32_t)(uint32_t)word;
    op->starves_ = (uint8_t)(word >> TURN_SHIFT);
    op->yields_ = (uint8_t)(word >> (TURN_SHIFT + 8));
}

static uint64_t kept(const fw_await *op)
{
    return (uint64_t)op->yields_ << (TURN_SHIFT + 8) | (uint64_t)op->starves_ << TURN_SHIFT |
           (uint32_t)op->urgency_;
}

static bool were_moves(uint32_t before, uint64_t now)
{
    return fw_ipc_cond_were_moves_((uint64_t)before << HALF_SHIFT, now);
}

/* What sleeps, or has slept, may have been moved since it was armed (AWC2). */
static bool was_moved_by(const struct fw_watch_ *w, uint64_t now)
{
    return w->word.word != NULL && were_moves(w->beside_then, now); /* F:ipc-await-old-moves */
}

static bool was_moved(const struct fw_watch_ *w)
{
    return was_moved_by(w, fw_load64_relaxed(&cond_of(w->object)->word_));
}

/* AWC2 */
static void pass_on(const struct fw_watch_ *w)
{
    const fw_ipc_cond *c = w->object;
    const fw_ipc_mutex *m = fw_ipc_cond_mutex_(c, w->mapping);

    if (m != NULL)
        fw_ipc_wake_(fw_ipc_mutex_half_(m), 1);
}

/* It waits for the mutex from now on. */
static void go_to_mutex(fw_await *op, struct fw_watch_ *mutex, const void *c)
{
    struct fw_region_bucket_ *b;

    op->want_ = FW_TARGET_RELOCK_;
    op->kept_ = (void *)(uintptr_t)c;
    op->object_ = mutex->object;
    fw_region_keep_dead_(op, 0);
    b = fw_region_bucket_lock_(mutex->object);
    fw_watch_append_(mutex, op);
    fw_region_bucket_unlock_(b);
}

/* The first of the queue has its signal.  False: its group has ended without it. */
static bool go_on(struct fw_watch_ *w, fw_await *op, bool has_slept)
{
    struct fw_watch_ *mutex = op->kept_;
    struct fw_region_bucket_ *b = fw_region_bucket_lock_(w->object);
    bool has_lost = fw_watch_has_lost_(w, op);

    if (!has_lost)
        fw_watch_take_out_(w, op);
    fw_region_bucket_unlock_(b);
    if (!has_lost) {
        fw_loop_stop_timer_(w->loop, op);
        op->is_designated_ = 0;
        go_to_mutex(op, mutex, w->object);
        mutex->was_told |= has_slept;
        fw_watch_look_(mutex, false);
    }
    fw_watch_unpin_(mutex);
    return !has_lost;
}

/* Has a thread died with the mutex, or was it given up (ICV5)? */
static bool is_orphaned(const fw_ipc_mutex *m, const struct fw_look_ *look)
{
    uint64_t word = fw_load64_relaxed(&m->word_);

    if (word == 0)
        return false;
    if (look->asks && word != FW_IPC_ABANDONED && (word & FW_IPC_HOLDER) != look->agent->id &&
        fw_ipc_participant_of_(look->agent->mapping, word) != NULL)
        fw_ipc_life_slow_(look->agent->mapping, word);
    /* A thread that has released it since, and then ended, is dead, too: the second look. */
    return fw_ipc_life_(look->agent->mapping, word) != FW_IPC_ALIVE &&
           ((fw_load64_relaxed(&m->word_) ^ word) & FW_IPC_HOLDER) == 0;
}

/* Those that began before the word was this: AWC1.  False: there were none. */
static bool signal_some(struct fw_watch_ *w, uint64_t now, bool has_slept)
{
    bool has_any = false;
    uint32_t signals = fw_ipc_cond_signals_(w->seen, now);
    fw_await *op;

    w->seen = now;
    while ((op = fw_watch_first_(w)) != NULL) {
        bool is_for_all = fw_ipc_cond_was_turn_(kept(op), now);
        if (fw_ipc_cond_signals_(kept(op), now) == 0 || (!is_for_all && signals == 0))
            break;
        has_any = true;
        if (go_on(w, op, has_slept) && signals != 0)
            signals--;
    }
    return has_any;
}

static int attempt(fw_await *first, struct fw_look_ *look)
{
    struct fw_watch_ *w = first->aux_;
    fw_ipc_cond *c = cond_of(w->object);
    uint64_t now = fw_load64_acquire(&c->word_);
    const fw_ipc_mutex *m;
    bool is_moved = was_moved_by(w, now), has_wake = look->was_told;

    if (look->was_told && is_moved)
        pass_on(w);
    do {
        has_wake = !signal_some(w, now, look->was_told && is_moved) && has_wake;
        first = fw_watch_first_(w);
        if (first == NULL)
            return FW_LOOK_AGAIN_;
    } while (!fw_ipc_cond_announce_sleep_(c, &now));
    if (has_wake)
        fw_ipc_wake_(half(c), 1); /* AWC3 */
    m = ((struct fw_watch_ *)first->kept_)->object;
    if (is_orphaned(m, look)) {
        go_on(w, first, false);
        return FW_LOOK_AGAIN_;
    }
    look->n = 1;
    look->holders[0] = fw_load64_relaxed(&m->word_) & FW_IPC_HOLDER;
    look->was_moved = is_moved || were_moves(w->beside.expected, now);
    look->word = half(c);
    look->expected = (uint32_t)now;
    look->beside = half(c) + 1;
    look->beside_expected = (uint32_t)(now >> HALF_SHIFT);
    return EBUSY;
}

/* Cancelled, or timed out; the watch of the mutex stays until the loop runs. */
static void left(struct fw_watch_ *w, fw_await *op)
{
    (void)w;
    fw_watch_unpin_(op->kept_);
}

static int expired(fw_await *op)
{
    struct fw_watch_ *mutex = op->kept_;
    const void *c = op->object_;

    op->is_designated_ = 1;
    fw_ipc_agent_use_(mutex->mapping);
    go_to_mutex(op, mutex, c);
    fw_watch_look_(mutex, false);
    return EINPROGRESS;
}

static void give_back(fw_await *op)
{
    (void)op; /* it never has anything */
}

const struct fw_target_ fw_target_cond_ = {.attempt = attempt,
                                           .give_back = give_back,
                                           .left = left,
                                           .was_moved = was_moved,
                                           .pass_on = pass_on,
                                           .expired = expired,
                                           .queue = FW_TARGET_COND_};

/* The watch of a loop for it, made if need be. */
static int find_watch(fw_loop *loop, const void *object, uint8_t number,
                      const struct fw_ipc_mapping_ *mapping, struct fw_watch_ **w)
{
    bool has_queue;

    *w = loop->regions != NULL ? fw_watch_of_(loop, object, number, &has_queue) : NULL;
    return *w != NULL ? 0 : fw_watch_make_(loop, object, number, mapping, w);
}

static int check(const fw_await *op, const fw_ipc_cond *c, const fw_ipc_mutex *m)
{
    const struct fw_ipc_mapping_ *mapping = fw_ipc_mapping_of_(m);

    if (fw_operation_is_busy_(op))
        return EBUSY;
    if (mapping == NULL || fw_ipc_mapping_of_(c) != mapping ||
        (uintptr_t)c % sizeof c->word_ != 0 || op->loop_ == NULL || !fw_loop_is_here_(op->loop_))
        return EINVAL;
    return fw_ipc_mutex_check_holder_(m, op->task_);
}

/* Queues it; then its task gives the mutex up. */
static int wait_for(fw_await *op, fw_ipc_cond *c, fw_ipc_mutex *m, struct fw_watch_ *w,
                    struct fw_watch_ *mutex, const fw_deadline *deadline)
{
    uint64_t word = fw_ipc_cond_announce_(c, w->mapping, m);
    struct fw_region_bucket_ *b;
    int error;

    op->want_ = FW_TARGET_COND_;
    op->kept_ = mutex;
    mutex->pins++;
    keep(op, word);
    fw_ipc_agent_use_(w->mapping);
    b = fw_region_bucket_lock_(c);
    if (w->queue.first == NULL)
        w->seen = word;
    fw_watch_append_(w, op);
    fw_region_bucket_unlock_(b);
    fw_operation_queued_(op->loop_, op, deadline);
    error = fw_ipc_mutex_unlock_as_(m, op->task_);
    if (error != 0) {
        (void)!fw_await_cancel(op); /* it waits: nobody has been let in */
        return error;
    }
    fw_watch_look_(w, false);
    fw_watch_begin_(op->loop_);
    return EINPROGRESS;
}

int fw_await_ipc_cond(fw_await *op, fw_ipc_cond *c, fw_ipc_mutex *m, const fw_deadline *deadline)
{
    const struct fw_ipc_mapping_ *mapping = fw_ipc_mapping_of_(m);
    struct fw_watch_ *w, *mutex;
    int error = check(op, c, m);

    if (error == 0)
        error = fw_operation_begin_(op, FW_OPERATION_REGION, c, deadline);
    if (error == 0)
        error = find_watch(op->loop_, m, FW_TARGET_MUTEX_, mapping, &mutex);
    if (error != 0)
        return error;
    mutex->pins++; /* until the other is there */
    error = find_watch(op->loop_, c, FW_TARGET_COND_, mapping, &w);
    if (error == 0)
        error = wait_for(op, c, m, w, mutex, deadline);
    fw_watch_unpin_(mutex);
    return error;
}
