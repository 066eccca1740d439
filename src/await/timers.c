/* SPDX-License-Identifier: MIT */
/*
 * Deadlines of operations.  Contract: timers.h.
 *
 * Origin: Fredman, Sedgewick, Sleator and Tarjan, "The pairing heap: a new form of self-adjusting
 * heap", Algorithmica 1 (1986); two passes.
 *
 * timer_child_  the first of those that are later, each the root of a heap
 * timer_next_   the next of its siblings
 * timer_prev_   the sibling before it; of the first its parent; NULL: the root
 */
#include "await/timers.h"

#include <stddef.h>

#include "sys/clock.h"
#include "sys/descriptors.h"

#define NS_PER_S UINT64_C(1000000000)

uint64_t fw_timers_ns_(const struct timespec *at)
{
    if (at->tv_sec < 0)
        return 0;
    if ((uint64_t)at->tv_sec >= FW_TIMERS_NEVER_ / NS_PER_S - 1)
        return FW_TIMERS_NEVER_ - 1;
    return (uint64_t)at->tv_sec * NS_PER_S + (uint64_t)at->tv_nsec;
}

uint64_t fw_timers_now_(const struct fw_timers_ *t)
{
    struct timespec now;

    fw_clock_get_(t->clock, &now);
    return fw_timers_ns_(&now);
}

/* Makes one of two heaps; neither root has siblings. */
static fw_await *meld(fw_await *a, fw_await *b)
{
    fw_await *first = a, *second = b;

    if (b->more_.deadline < a->more_.deadline) { /* equal ones stay in their order */
        first = b;
        second = a;
    }
    second->timer_prev_ = first;
    second->timer_next_ = first->timer_child_;
    if (first->timer_child_ != NULL)
        first->timer_child_->timer_prev_ = second;
    first->timer_child_ = second;
    return first;
}

/* Makes one heap of a row of siblings: pairs from the left, then all from the right. */
static fw_await *meld_row(fw_await *p)
{
    fw_await *pairs = NULL, *all = NULL;

    while (p != NULL) {
        fw_await *a = p, *b = p->timer_next_;

        p = b != NULL ? b->timer_next_ : NULL;
        a->timer_next_ = NULL;
        if (b != NULL) {
            b->timer_next_ = NULL;
            a = meld(a, b);
        }
        a->timer_next_ = pairs;
        pairs = a;
    }
    while (pairs != NULL) {
        fw_await *next = pairs->timer_next_;

        pairs->timer_next_ = NULL;
        all = all != NULL ? meld(pairs, all) : pairs;
        pairs = next;
    }
    if (all != NULL)
        all->timer_prev_ = NULL;
    return all;
}

void fw_timers_insert_(struct fw_timers_ *t, fw_await *op)
{
    op->timer_child_ = op->timer_next_ = op->timer_prev_ = NULL;
    t->first = t->first != NULL ? meld(t->first, op) : op;
    t->first->timer_prev_ = NULL;
}

/* Takes a heap out of the row in which it stands. */
static void unlink_heap(fw_await *op)
{
    if (op->timer_prev_->timer_child_ == op)
        op->timer_prev_->timer_child_ = op->timer_next_;
    else
        op->timer_prev_->timer_next_ = op->timer_next_;
    if (op->timer_next_ != NULL)
        op->timer_next_->timer_prev_ = op->timer_prev_;
}

void fw_timers_remove_(struct fw_timers_ *t, fw_await *op)
{
    fw_await *rest = meld_row(op->timer_child_);

    if (op == t->first) {
        t->first = rest;
    } else {
        unlink_heap(op);
        if (rest != NULL)
            t->first = meld(t->first, rest);
    }
    op->timer_child_ = op->timer_next_ = op->timer_prev_ = NULL;
}

static struct timespec time_of(uint64_t ns)
{
    return (struct timespec){(time_t)(ns / NS_PER_S), (long)(ns % NS_PER_S)};
}

/* May what is set stay so?  CLOCK_REALTIME may have been set back since it fired. */
static bool is_set_well(const struct fw_timers_ *t, uint64_t when)
{
    if (t->armed == 0)
        return when == FW_TIMERS_NEVER_;
    return t->clock != CLOCK_REALTIME && when >= t->armed && t->armed > fw_timers_now_(t);
}

void fw_timers_arm_(struct fw_timers_ *t, uint64_t when)
{
    struct timespec at = time_of(when);

    if (t->fd < 0 || is_set_well(t, when))
        return;
    t->armed = when == FW_TIMERS_NEVER_ ? 0 : when != 0 ? when : 1;
    fw_timer_set_(t->fd, when == FW_TIMERS_NEVER_ ? NULL : &at);
}
