/* SPDX-License-Identifier: MIT */
#ifndef FW_CORE_THREAD_STATE_H
#define FW_CORE_THREAD_STATE_H

#include <stdbool.h>
#include <stdint.h>

/* What a thread remembers from one wait or release to the next, and numbers for all threads. */

/*
 * A number that differs from call to call, across all threads, until 2^23 were given out, here or
 * by fw_stamp_; each thread is given 64 at once.
 */
uint32_t fw_serial_(void);

/* The same, other than 0, until 2^32 were given out. */
uint32_t fw_stamp_(void);

/*
 * Called at each release that finds waiters.  True if for half a millisecond the calling thread has
 * found, whenever it released this lock, a wake under way: somebody was woken and does not get to
 * run.  Then begins anew, as it does when is_waking is false: nobody is on the way, or the caller
 * has been queued itself.  A guess, and safe to be wrong about.
 */
bool fw_is_overdue_(const void *lock, bool is_waking);

/*
 * True at every n-th call of the calling thread, n being a power of 2, up to 2^16 (whoever asks,
 * and for what).
 */
bool fw_one_in_(uint32_t n);

/* What a thread spins for before it goes to sleep; each has a memory of its own. */
enum fw_spin_ {
    FW_SPIN_WAKE_,  /* to be woken: one failure tells */
    FW_SPIN_AHEAD_, /* to be handed a lock, after a wake ahead of that: several tell */
    FW_SPINS_
};

/*
 * Has it paid lately, for the calling thread?  A guess from what fw_spinning_ended_ was told; now
 * and then true in any case, to find out anew.
 */
bool fw_spinning_pays_(enum fw_spin_ what);

/* The calling thread has spun, and got it meanwhile, or not. */
void fw_spinning_ended_(enum fw_spin_ what, bool has_paid);

/*
 * The calling thread, which holds a lock, will wake one who sleeps on `word`, when it has released
 * the lock.  False where it has such a wake before it already.
 */
bool fw_wake_later_(const void *lock, const uint32_t *word);

/* It has released the lock: does what it has put off for it.  The word may be gone by now. */
void fw_wake_now_(const void *lock);

#endif
