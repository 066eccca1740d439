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
 *     while (fw_wait_poll_(&w)) { look; try }          (poll, as long as the policy has budget)
 *     ... announce oneself in the word ...
 *     error = fw_wait_sleep_(&w, word, expected, bits) (sleep, or poll where the policy never
 *     sleeps) fw_wait_again_(&w)                               (a new polling budget after a wake)
 */
struct fw_wait_ {
    fw_wait_kind kind;
    uint32_t budget_ns;
    bool polling;      /* began_ns is set */
    bool asks;         /* it has asked whether the owner runs */
    uint64_t began_ns; /* when the present polling phase began */
    const fw_deadline *deadline;
};

/* Checks policy and deadline (EINVAL) and gives the first polling budget.  Either may be NULL. */
int fw_wait_begin_(struct fw_wait_ *w, const fw_wait_policy *policy, const fw_deadline *deadline);

/* Pauses or yields once.  False when the budget is used up: time to sleep. */
bool fw_wait_poll_(struct fw_wait_ *w);

/*
 * The same where the lock has an owner, of which the caller knows (or not) whether it runs.  Also
 * false when it does not run, and the policy cares.
 */
bool fw_wait_poll_knowing_(struct fw_wait_ *w, enum fw_running_ owner);

/* The same: the owner is the thread of this process that has this kernel id; 0: not known. */
static inline bool fw_wait_poll_on_(struct fw_wait_ *w, uint32_t owner)
{
    return w->kind == FW_WAIT_ADAPTIVE ? fw_wait_poll_knowing_(w, fw_running_(owner))
                                       : fw_wait_poll_(w);
}

/* Gives a new polling budget. */
void fw_wait_again_(struct fw_wait_ *w);

/* Does this policy ever sleep? */
bool fw_wait_blocks_(const struct fw_wait_ *w);

/* Has the deadline passed?  False where there is none. */
bool fw_wait_is_over_(const struct fw_wait_ *w);

/*
 * Sleeps while *word == expected as fw_futex_wait_bitset (private) does: 0, -EAGAIN, -EINTR,
 * -ETIMEDOUT.  Where the policy never sleeps, polls once instead and answers 0 or -ETIMEDOUT.
 * With slice_ns not 0, sleeps for that long at most and answers 0 when the slice is over.
 */
int fw_wait_sleep_(struct fw_wait_ *w, const uint32_t *word, uint32_t expected, uint32_t bits,
                   uint64_t slice_ns);

/*
 * The same without slices, as a cancellation point: if the thread is cancelled meanwhile, on_cancel
 * is called with the wait as its argument, and the call does not return.  Also answers -EFAULT: the
 * word is gone.
 */
int fw_wait_sleep_cancellable_(struct fw_wait_ *w, const uint32_t *word, uint32_t expected,
                               uint32_t bits, void (*on_cancel)(void *));

#endif
