/* SPDX-License-Identifier: MIT */
#ifndef FW_CORE_WAIT_H
#define FW_CORE_WAIT_H

#include <stdbool.h>
#include <stdint.h>

#include <furwock/bits/deadline.h>
#include <furwock/wait.h>

#include "sys/running.h"

/*
 * How to wait, for all locks.  A slow path makes one fw_wait_ on its stack:
 *
 *     struct fw_wait_ w;
 *     if ((error = fw_wait_begin_(&w, policy, deadline)) != 0) return error;
 *     while (fw_wait_spin_(&w)) { look; try }          (spin, as long as the policy has budget)
 *     ... announce oneself in the word ...
 *     error = fw_wait_sleep_(&w, word, expected, bits) (sleep, or spin if the policy never sleeps)
 *     fw_wait_again_(&w)                               (a new spinning budget after a wake)
 */
struct fw_wait_ {
    fw_wait_kind kind;
    uint32_t budget_ns;
    bool spinning;     /* began_ns is set */
    bool asks;         /* it has asked whether the owner runs */
    uint64_t began_ns; /* when the present spinning phase began */
    const fw_deadline *deadline;
};

/* Checks policy and deadline (EINVAL) and gives the first spinning budget.  Either may be NULL. */
int fw_wait_begin_(struct fw_wait_ *w, const fw_wait_policy *policy, const fw_deadline *deadline);

/* Pauses or yields once.  False when the budget is used up: time to sleep. */
bool fw_wait_spin_(struct fw_wait_ *w);

/*
 * The same for a lock with an owner of which the caller may know whether it runs.  Also false if
 * it does not run and the policy is adaptive.
 */
bool fw_wait_spin_knowing_(struct fw_wait_ *w, enum fw_running_ owner);

/* The same: the owner is the thread of this process with this kernel id; 0: not known. */
static inline bool fw_wait_spin_on_(struct fw_wait_ *w, uint32_t owner)
{
    return w->kind == FW_WAIT_ADAPTIVE ? fw_wait_spin_knowing_(w, fw_running_(owner))
                                       : fw_wait_spin_(w);
}

/* Gives a new spinning budget. */
void fw_wait_again_(struct fw_wait_ *w);

/* Does this policy ever sleep? */
bool fw_wait_blocks_(const struct fw_wait_ *w);

/* Has the deadline passed?  False where there is none. */
bool fw_wait_is_over_(const struct fw_wait_ *w);

/*
 * Sleeps while *word == expected as fw_futex_wait_bitset (private) does: 0, -EAGAIN, -EINTR,
 * -ETIMEDOUT.  If the policy never sleeps, spins once instead and returns 0 or -ETIMEDOUT.  With
 * slice_ns not 0, sleeps for that long at most and returns 0 when the time has passed.
 */
int fw_wait_sleep_(struct fw_wait_ *w, const uint32_t *word, uint32_t expected, uint32_t bits,
                   uint64_t slice_ns);

/*
 * The same without slices, as a cancellation point: if the thread is cancelled meanwhile, on_cancel
 * is called with the wait as its argument, and the call does not return.  Also returns -EFAULT: the
 * word is gone.
 */
int fw_wait_sleep_cancellable_(struct fw_wait_ *w, const uint32_t *word, uint32_t expected,
                               uint32_t bits, void (*on_cancel)(void *));

#endif
