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

static void mark_all(struct fw_room_ *room, struct waiter *w, uint32_t how)
{
    while (w != NULL) {
        struct waiter *next = after(w);

        mark(room, w, how);
        w = next;
    }
}

/*
 * Wakes the only one in line; not before the mutex is free, where the caller holds it.  Once
 * waiters_ is 0, a broadcast returns at once, and its caller may free the variable; so this is the
 * last touch of one who is in no signal or broadcast of the user's, but was cancelled.
 */
static void wake_last(struct fw_room_ *room, fw_cond *c, struct waiter *w)
{
    change_seq(c);
    fw_store32_release(&c->waiters_, 0);
    if (fw_mutex_register_held_(w->m, &c->seq_, bit_of(w))) {
        mark(room, w, MOVED);
    } else {
        mark(room, w, WOKEN);
        wake_sleepers(c, 1);
    }
}

/* Wakes one at least of several, of whom w is the first (C3). */
static void wake_first(struct fw_room_ *room, fw_cond *c, struct waiter *w)
{
    if (mark_awake(room, w))
        return;
    change_seq(c);
    if (wake_sleepers(c, 1) == 0) {
        fw_store32_release(&c->waiters_, 0);
        mark_all(room, w, WOKEN);
    }
}

/* Wakes one at least of a line that begins with w. */
static void wake_one(struct fw_room_ *room, fw_cond *c, struct waiter *w)
{
    if (after(w) != NULL) {
        wake_first(room, c, w);
        return;
    }
    fw_store32_relaxed(&c->waiters_, 0);
    if (!mark_awake(room, w))
        wake_last(room, c, w);
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

/* Moves n sleepers to the mutex; all of them are ASLEEP and in line. */
static void move_all(struct fw_room_ *room, fw_cond *c, uint32_t n)
{
    struct waiter *first = first_of(room, c);
    uint32_t wakes = fw_mutex_register_(first->m, n);
    uint32_t seq = fw_stamp_();
    int moved = 0;

    fw_store32_relaxed(&c->seq_, seq);
    if (wakes == FW_MUTEX_WAKE_ALL)
        wake_sleepers(c, FW_FUTEX_ALL);
    else
        moved = fw_futex_cmp_requeue(&c->seq_, seq, wakes, fw_mutex_line_(first->m), FW_FUTEX_ALL,
                                     FW_FUTEX_PRIVATE);
    if (moved < 0)
        fw_panic_errno_("futex requeue", -moved);
    fw_mutex_look_again_(first->m);
    mark_all(room, first, MOVED); /* C5: the last thing */
}

void fw_cond_pass_on_(struct fw_room_ *room, fw_cond *c, struct waiter *w)
{
    if (after(w) == NULL)
        wake_last(room, c, w);
    else
        wake_first(room, c, w);
}

void fw_cond_signal(fw_cond *c)
{
    struct fw_room_ *room;
    struct waiter *w;

    if (fw_load32_acquire(&c->waiters_) == 0)
        return;
    room = fw_room_enter_(c);
    w = first_of(room, c);
    if (w != NULL)
        wake_one(room, c, w);
    else
        fw_store32_relaxed(&c->waiters_, 0);
    fw_room_leave_(room);
}

void fw_cond_broadcast(fw_cond *c)
{
    struct fw_room_ *room;
    uint32_t asleep;

    if (fw_load32_acquire(&c->waiters_) == 0)
        return;
    room = fw_room_enter_(c);
    fw_store32_relaxed(&c->waiters_, 0);
    asleep = wake_awake(room, c);
    if (asleep == 1)
        wake_one(room, c, first_of(room, c));
    else if (asleep > 1)
        move_all(room, c, asleep);
    fw_room_leave_(room);
}
