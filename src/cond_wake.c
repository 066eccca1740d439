/* SPDX-License-Identifier: MIT */
/*
 * fw_cond: those who wake.  The states and the invariants are in cond.c, those who wait as well.
 */
#include <stddef.h>

#include <furwock/cond.h>
#include <furwock/futex.h>

#include "cond_line.h"
#include "mutex_move.h"
#include "sys/panic.h"
#include "sys/thread.h"

static int wake_sleepers(const fw_cond *c, unsigned n)
{
    return fw_futex_wake(&c->seq_, n, FW_FUTEX_PRIVATE);
}

/* Marks all from w on who sleep on seq_, or are about to. */
static void mark_crowd(struct fw_room_ *room, struct waiter *w)
{
    while (w != NULL) {
        struct waiter *next = after(w);

        if (!w->is_single)
            mark(room, w, WOKEN);
        w = next;
    }
}

/*
 * The functions below that return a word leave a wake on it to be made by their caller, outside of
 * the room, to which the woken thread may soon want to come.  The thread may be gone by then.
 */

/*
 * Wakes one who is ASLEEP and about whom the kernel has no choice: it sleeps on a word of its own,
 * or is the only one.  Where the caller holds the mutex, it does not get up before that is free:
 * the first such one is woken by the caller's release, the others are moved to the mutex.
 */
static const uint32_t *wake_this(struct fw_room_ *room, const fw_cond *c, struct waiter *w)
{
    const uint32_t *word = w->is_single ? &w->state : &c->seq_;
    fw_mutex *m = w->m;

    if (fw_mutex_register_held_(m, word, w->is_single ? FW_FUTEX_ANY_BIT : bit_of(w))) {
        mark(room, w, MOVED);
    } else if (w->is_single && fw_mutex_owner(m) == fw_id_number_(fw_self_())) {
        fw_mutex_register_(m, 1);
        fw_futex_requeue(word, 0, fw_mutex_line_(m), 1, FW_FUTEX_PRIVATE);
        mark(room, w, MOVED);
    } else {
        bool is_single = w->is_single;

        mark(room, w, WOKEN);
        if (is_single)
            return word;
        wake_sleepers(c, 1); /* while nobody else can begin to sleep there */
    }
    return NULL;
}

/*
 * Wakes the only one in line.  Once waiters_ is clear, a broadcast returns at once, and its caller
 * may free the variable; so this is the last touch of one who is in no signal or broadcast of the
 * user's, but was cancelled.
 */
static const uint32_t *wake_last(struct fw_room_ *room, fw_cond *c, struct waiter *w)
{
    change_seq(c);
    clear_line(c, mode_of(c));
    return wake_this(room, c, w);
}

/* Wakes one at least of several, of whom w is the first (C3). */
static const uint32_t *wake_first(struct fw_room_ *room, fw_cond *c, struct waiter *w)
{
    fw_store32_relaxed(&c->waiters_, COND_LINE | COND_SIGNALS);
    if (mark_awake(room, w))
        return NULL;
    if (w->is_single)
        return wake_this(room, c, w);
    change_seq(c);
    if (wake_sleepers(c, 1) == 0)
        mark_crowd(room, w);
    return NULL;
}

/* Wakes one at least of a line that begins with w. */
static const uint32_t *wake_one(struct fw_room_ *room, fw_cond *c, struct waiter *w)
{
    if (after(w) != NULL)
        return wake_first(room, c, w);
    clear_line(c, mode_of(c));
    return mark_awake(room, w) ? NULL : wake_last(room, c, w);
}

/* Wakes those who are awake; returns the number of the others. */
static uint32_t wake_awake(struct fw_room_ *room, fw_cond *c)
{
    struct waiter *next;
    uint32_t asleep = 0;

    for (struct waiter *w = first_of(room, c); w != NULL; w = next) {
        next = after(w);
        if (!mark_awake(room, w))
            asleep++;
    }
    return asleep;
}

/* Moves the sleepers from w on to the mutex, where they are registered; or wakes them. */
static void move_sleepers(const fw_cond *c, uint32_t seq, const struct waiter *w, uint32_t wakes)
{
    const uint32_t *line = fw_mutex_line_(w->m);
    int moved = 0;

    if (wakes == FW_MUTEX_WAKE_ALL)
        wake_sleepers(c, FW_FUTEX_ALL);
    else
        moved = fw_futex_cmp_requeue(&c->seq_, seq, wakes, line, FW_FUTEX_ALL, FW_FUTEX_PRIVATE);
    if (moved < 0)
        fw_panic_errno_("futex requeue", -moved);
    for (; w != NULL; w = after(w)) {
        if (w->is_single && wakes == FW_MUTEX_WAKE_ALL)
            fw_futex_wake(&w->state, 1, FW_FUTEX_PRIVATE);
        else if (w->is_single)
            fw_futex_requeue(&w->state, 0, line, 1, FW_FUTEX_PRIVATE);
    }
}

/* Moves n sleepers to the mutex; all of them are ASLEEP and in line. */
static void move_all(struct fw_room_ *room, fw_cond *c, uint32_t n)
{
    struct waiter *first = first_of(room, c);
    fw_mutex *m = first->m;
    uint32_t wakes = fw_mutex_register_(m, n);
    uint32_t seq = fw_stamp_();
    struct waiter *next;

    fw_store32_relaxed(&c->seq_, seq);
    move_sleepers(c, seq, first, wakes);
    fw_mutex_look_again_(m); /* also wakes one, where that one was not among those on seq_ */
    for (struct waiter *w = first; w != NULL; w = next) { /* C5: the last thing */
        next = after(w);
        mark(room, w, MOVED);
    }
}

/* Leaves the room, and makes the wake that was left. */
static void leave(struct fw_room_ *room, const uint32_t *word)
{
    fw_room_leave_(room);
    if (word != NULL)
        fw_futex_wake(word, 1, FW_FUTEX_PRIVATE);
}

void fw_cond_pass_on_(struct fw_room_ *room, fw_cond *c, struct waiter *w)
{
    const uint32_t *word = NULL;

    if (w != NULL) /* then the variable is alive */
        word = after(w) == NULL ? wake_last(room, c, w) : wake_first(room, c, w);
    leave(room, word);
}

void fw_cond_signal(fw_cond *c)
{
    const uint32_t *word = NULL;
    struct fw_room_ *room;
    struct waiter *w;

    if ((fw_load32_acquire(&c->waiters_) & COND_LINE) == 0)
        return;
    room = fw_room_enter_(c);
    w = first_of(room, c);
    if (w != NULL)
        word = wake_one(room, c, w);
    else
        clear_line(c, mode_of(c));
    leave(room, word);
}

void fw_cond_broadcast(fw_cond *c)
{
    const uint32_t *word = NULL;
    struct fw_room_ *room;
    uint32_t asleep;

    if ((fw_load32_acquire(&c->waiters_) & COND_LINE) == 0)
        return;
    room = fw_room_enter_(c);
    clear_line(c, 0); /* those who come next may all sleep on seq_ */
    asleep = wake_awake(room, c);
    if (asleep == 1)
        word = wake_last(room, c, first_of(room, c));
    else if (asleep > 1)
        move_all(room, c, asleep);
    leave(room, word);
}
