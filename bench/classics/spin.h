/* SPDX-License-Identifier: MIT */
#ifndef FW_CLASSICS_SPIN_H
#define FW_CLASSICS_SPIN_H

#include <stdbool.h>
#include <stdint.h>

#include "sys/clock.h"

/*
 * Spinning before blocking: "the task tries to acquire the lock for 3 usecs before giving up and
 * blocking in the kernel" (Franke, Russell and Kirkwood, OLS 2002, section 4.1: the forms that the
 * paper calls futex(spin,3), futex_fair(spin,3), ulocks(spin,3) and ulocks_fair(spin,3)).
 *
 *     struct spin s = {.ns = SPIN_PAPER_NS};
 *     do {
 *         look, and try if it is free
 *     } while (spin_more(&s));
 *     block
 *
 * Adapted: the paper does not say how it measured 3 us; here it is the monotonic clock, read
 * between any two tries, and a processor hint that did not exist then (fw_pause_).
 */
#define SPIN_PAPER_NS 3000u

struct spin {
    uint32_t ns;     /* the budget */
    uint64_t end_ns; /* when it is used up; 0: not yet begun */
};

static inline bool spin_more(struct spin *s)
{
    uint64_t now = fw_clock_ns_();
    if (s->end_ns == 0)
        s->end_ns = now + s->ns;
    fw_pause_();
    return now < s->end_ns;
}

#endif
