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
 * fw_latch: a single-use count-down latch.  Threads wait until a count has reached zero; from then
 * on the latch stays open.  Four bytes.
 *
 * Rules
 *  - FW_LATCH_INIT(n) or fw_latch_init makes a latch with a count of n.  A latch whose bytes are
 *    zero is open.  It needs no destructor and allocates nothing.
 *  - Any thread may count down, by 1 or more, whether or not it waits.  Counting below zero is an
 *    error in the program: the library aborts it with a diagnostic on standard error.
 *  - A wait that returns 0 synchronises with every count-down: the waiter sees whatever the
 *    counting threads did before.
 *  - A count-down does not touch the latch once it has opened it: a released waiter may free the
 *    latch although the thread that opened it is still in its call.  If several threads wait, the
 *    latch must stay until each has returned.
 *  - A latch may be initialised again when no thread uses it.
 *  - After fork(3) the child's latch has the count of the moment of the fork.  The parent's other
 *    threads will not count down in the child.
 *  - Tasks may wait for it without a thread, beside threads: furwock/await.h.
 *  - Not for memory shared between processes.
 *
 * No call is a cancellation point or fails with EINTR. fw_latch_count_down and fw_latch_trywait are
 * safe in signal handlers.  Calls that may block wait as the wait policy says (furwock/wait.h).
 * Waiting and waking are those of Franke, Russell and Kirkwood (OLS 2002), section 3.1.3, and the
 * latch is that of C++20 (std::latch) with deadlines.
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
#define FW_LATCH_MAX 0x3fffffffu

/* A constant n, FW_LATCH_MAX at most. */
/* clang-format off */
#define FW_LATCH_INIT(n) {(n)}
/* clang-format on */

/* Makes *l a latch with a count of n.  Returns 0, or EINVAL if n is above FW_LATCH_MAX. */
FW_API int fw_latch_init(fw_latch *l, uint32_t n);

/* Counts n down, and releases all waiters when the count becomes zero. n may be 0. */
FW_API void fw_latch_count_down(fw_latch *l, uint32_t n) FW_ABI_NAME_(fw_latch_count_down);

/* Returns 0 if the latch is open, else EAGAIN. Never waits. */
FW_NODISCARD FW_API int fw_latch_trywait(const fw_latch *l);

/* Waits until the latch is open. */
FW_API void fw_latch_wait(fw_latch *l);

/*
 * Waits until the latch is open, until the deadline at most.  Returns 0; ETIMEDOUT if the deadline
 * has passed; EINVAL if the latch is not open and the deadline is malformed
 * (furwock/bits/deadline.h).
 */
FW_API int fw_latch_timedwait(fw_latch *l, const fw_deadline *deadline);

/*
 * Waits until the latch is open with a wait policy (NULL: the process default) and a deadline
 * (NULL: none).  Results as for fw_latch_timedwait; EINVAL also for a malformed policy.
 */
FW_API int fw_latch_wait_policy(fw_latch *l, const fw_wait_policy *policy,
                                const fw_deadline *deadline);

/* Counts n down, and waits until the latch is open. */
FW_API void fw_latch_arrive_and_wait(fw_latch *l, uint32_t n)
    FW_ABI_NAME_(fw_latch_arrive_and_wait);

#ifdef FW_ANNOTATED_
#include <furwock/bits/annotated/latch.h>
#endif

FW_END_DECLS

#endif
