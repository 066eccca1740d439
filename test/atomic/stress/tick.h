/* SPDX-License-Identifier: MIT */
#ifndef FW_ATOMIC_TICK_H
#define FW_ATOMIC_TICK_H

#include <stdint.h>

/*
 * Moments on which all threads agree: what one did before tick_end has taken effect at that moment,
 * and what follows tick_begin has not yet.  The CPU's counter where the system itself uses it
 * as its clock, for it disturbs least; else a number that all threads count up.
 */
void tick_choose(void);
const char *tick_name(void);

uint64_t tick_begin(void);
uint64_t tick_end(void);

#endif
