/* SPDX-License-Identifier: MIT */
#ifndef FW_SYS_FORK_H
#define FW_SYS_FORK_H

#include <stdbool.h>
#include <stdint.h>

#include <furwock/bits/atomic.h>
#include <furwock/bits/participant.h>

/*
 * A forked child is another process with the same memory.  Two numbers tell it from its parent:
 *
 *   generation  4 bits, to be kept in lock words: how many calls of fork(3) lie between this
 *               process and the one that loaded the library, modulo 16.  Forks that run no
 *               handlers (_Fork, clone) are not counted.
 *   life        64 bits, never 0, for what a thread or a process remembers of itself: new after any
 *               fork, and no ancestor had it.  (Before Linux 4.14, and under emulators that cannot
 *               wipe a page on fork: after fork(3) only.)
 *
 * Reading either is one or two loads.  Safe in signal handlers.
 */

/*
 * Runs before the constructors of a program, also where that is linked with the archive: so the
 * library's fork handlers in the child come before all that a program registers, which may use
 * locks.  (Priorities up to 100 are the C library's.)
 */
#define FW_CONSTRUCTOR __attribute__((constructor(101)))

/* pthread_atfork(3): 0, or ENOMEM.  Any of them may be NULL. */
int fw_fork_handlers_(void (*before)(void), void (*in_parent)(void), void (*in_child)(void));

/* From now on fork(3) calls in_child in the child, before anything else runs there. */
void fw_at_fork_(void (*in_child)(void));

uint32_t fw_fork_generation_(void);

/* The number of the present life. */
uint64_t fw_life_(void);

/* No life: for threads that have not looked yet. */
#define FW_LIFE_NONE_ UINT64_MAX

/*
 * Has the process not been forked since fw_life_ returned `life`?  Not so for FW_LIFE_NONE_, with
 * which those begin who have not asked yet (and not with 0).  fw_life_now_, in
 * furwock/bits/participant.h, leads to the number; there it is 0 from the fork to the next
 * fw_life_.  Behind it lies a word that is 0 after every fork, for others who remember something of
 * the process: not 0 for as long as nothing of it has changed.
 */
static inline bool fw_life_is_(uint64_t life)
{
    return life == fw_load64_relaxed(fw_life_now_);
}

#endif
