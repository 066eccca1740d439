/* SPDX-License-Identifier: MIT */
#ifndef FW_ATOMIC_MEETING_H
#define FW_ATOMIC_MEETING_H

#include <stdint.h>

/*
 * A barrier that lets its members go at the same moment where they are on CPUs: who arrives waits a
 * little in a loop, and sleeps only then.
 *
 * It has a file of its own: gcc's -fipa-reference moves reads of static variables across calls that
 * it can look into, even those that acquire.
 */
struct meeting {
    unsigned n; /* members */
    uint32_t arrived;
    uint32_t phase;
};

void meet(struct meeting *m);

#endif
