/* SPDX-License-Identifier: MIT */
#ifndef FW_CLASSICS_SMPL_H
#define FW_CLASSICS_SMPL_H

#include "word.h"

/*
 * smpl: the smallest lock that a futex allows.
 *
 * From: Gustedt, "Futex based locks for C11's generic atomics" (INRIA 2016), section 2.3.
 *
 *   word  meaning                        left by
 *   0     free                           lock, trylock: -> 1
 *   1     held, nobody knows who waits   unlock: -> 0, and a wake in any case
 *
 * Faithful: every line, in its place; sequential consistency.
 * Adapted: the word is unsigned, which changes nothing.
 *
 * Weaknesses, as the paper says: a lock that finds the word taken goes to the kernel at once, and
 * each unlock makes a system call, needed or not.  Greedy: nothing keeps the unlocker from
 * locking again.
 *
 * No wake is lost, because none is ever saved: a sleeper saw 1 when it lay down, so an unlock was
 * still to come, and each unlock wakes one.  A woken task that is overtaken sleeps again, and
 * whoever overtook it will unlock.
 */
typedef struct classic_smpl {
    uint32_t word;
    uint32_t scope; /* enum classic_scope */
} classic_smpl;

#define CLASSIC_SMPL_INIT \
    {                     \
        0, CLASSIC_SHARED \
    }

enum { SMPL_FREE = 0, SMPL_HELD = 1 };

/* Takes the lock if it is free: 0 or EBUSY. */
static inline int classic_smpl_trylock(classic_smpl *l)
{
    return sc_exchange(&l->word, SMPL_HELD) == SMPL_FREE ? 0 : EBUSY; /* any -> HELD */
}

void classic_smpl_lock(classic_smpl *l);
void classic_smpl_unlock(classic_smpl *l);

#endif
