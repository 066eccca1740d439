/* SPDX-License-Identifier: MIT */
#ifndef FURWOCK_LATCH_H
#define FURWOCK_LATCH_H

#include <stdint.h>

#include <furwock/bits/annotate.h>
#include <furwock/bits/api.h>
#include <furwock/bits/deadline.h>
#include <furwock/wait.h>

FW_BEGIN_DECLS

/*
 * fw_latch: threads wait until a number of things has happened.  The number is counted down to
 * zero, once; from then on the latch is open for good.  Four bytes.
 *
 * Rules
 *  - FW_LATCH_INIT(n) or fw_latch_init makes a latch that opens after n things.  A latch whose
 *    bytes are zero is open.  It needs no destructor and allocates nothing.
 *  - Anybody may count down, by 1 or more, whether or not they wait.  Counting below zero is an
 *    error in the program: it stops it (abort) with a line on standard error.
 *  - A wait that returns 0 synchronises with every count-down: whatever the counting threads did
 *    before, the waiter sees.
 *  - A count-down does not touch the latch once it has opened it: a waiter that was let through may
 *    free the latch although the thread that opened it is still in its call.  Where several threads
 *    wait, the latch stays until each has returned.
 *  - A latch may be initialised again when nobody uses it.
 *  - After fork(3) the child has a latch that counts on from where it stood.  Things that the
 *    parent's other threads were to count do not happen in the child.
 *  - Not for memory shared between processes.
 *
 * No call is a cancellation point or fails by EINTR.  fw_latch_count_down and fw_latch_trywait are
 * safe in signal handlers.  Where the calls wait, the thread waits as the waiting policy says
 * (furwock/wait.h).  Waiting and waking are those of Franke, Russell and Kirkwood (OLS 2002),
 * section 3.1.3, and the latch is that of C++20 (std::latch) with deadlines.
 *
 * Example: the last of several workers lets the main thread go on
 *
 *     enum { WORKERS = 4 };
 *
 *     static fw_latch done = FW_LATCH_INIT(WORKERS);
 *     static int results[WORKERS];
 *
 *     void *work(void *slot)
 *     {
 *         *(int *)slot = 42;
 *         fw_latch_count_down(&done, 1);
 *         return NULL;
 *     }
 *
 *     int sum_of_results(void)
 *     {
 *         int sum = 0;
 *
 *         fw_latch_wait(&done);
 *         for (int i = 0; i < WORKERS; i++)
 *             sum += results[i];
 *         return sum;
 *     }
 */
typedef struct fw_latch {
    uint32_t state_; /* internal; its layout is described in doc/design/latch.md and may change */
} fw_latch;

/* The most that a latch can count. */
#define FW_LATCH_MAX 0x7fffffffu

/* A constant n, FW_LATCH_MAX at most. */
/* clang-format off */
#define FW_LATCH_INIT(n) {(n)}
/* clang-format on */

/* Makes *l a latch that opens after n.  Returns 0, or EINVAL where n is above FW_LATCH_MAX. */
FW_API int fw_latch_init(fw_latch *l, uint32_t n);

/* Counts n down, and lets all waiters through when that makes zero.  n may be 0. */
FW_API void fw_latch_count_down(fw_latch *l, uint32_t n);

/* Returns 0 where the latch is open, else EAGAIN.  Never waits. */
FW_API int fw_latch_trywait(const fw_latch *l);

/* Waits until the latch is open. */
FW_API void fw_latch_wait(fw_latch *l);

/*
 * Waits until the latch is open, until the deadline at most.  Returns 0; ETIMEDOUT where the
 * deadline has passed; EINVAL where the latch is not open and the deadline is malformed
 * (furwock/bits/deadline.h).
 */
FW_API int fw_latch_timedwait(fw_latch *l, const fw_deadline *deadline);

/*
 * The same with a waiting policy for this call (NULL: the process default) and a deadline (NULL:
 * none).  EINVAL also for a malformed policy.
 */
FW_API int fw_latch_wait_policy(fw_latch *l, const fw_wait_policy *policy,
                                const fw_deadline *deadline);

/* Counts n down, and waits until the latch is open. */
FW_API void fw_latch_arrive_and_wait(fw_latch *l, uint32_t n);

#ifdef FW_ANNOTATED_
#include <furwock/bits/annotated/latch.h>
#endif

FW_END_DECLS

#endif
