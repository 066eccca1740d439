/* SPDX-License-Identifier: MIT */
#ifndef FURWOCK_IPC_INTERRUPT_H
#define FURWOCK_IPC_INTERRUPT_H

#include <stdbool.h>
#include <stdint.h>

#include <furwock/futex.h>
#include <furwock/wait.h>

FW_BEGIN_DECLS

/*
 * Waits between processes that the waiting process itself can end: because a word has changed
 * (ECANCELED), or a signal handler has run (EINTR).  For programs that must be able to stop a
 * thread which waits for another process, and for languages whose signal handlers run later.
 *
 * An fw_ipc_interrupt extends a wait policy: pass the address of its `policy` to any call of
 * furwock/ipc/ that takes a policy.
 *
 * Rules
 *  - A wait that is interrupted behaves as one that has timed out, with another result: what is
 *    said of ETIMEDOUT holds for ECANCELED and EINTR.  Nothing was taken; a condition variable's
 *    mutex is locked again.  What is free, a lock or a unit, is taken at once, whatever the word
 *    says.
 *  - To end a wait, change the word, then wake: fw_futex_wake(word, FW_FUTEX_ALL, flags), which may
 *    be done in a signal handler.  A change that comes before the wait, or at any moment of it,
 *    ends it.
 *  - A handler that runs just before its thread falls asleep is not noticed by `on_signal`; the
 *    thread then looks again after a re-check interval, of up to a minute.  If that matters, let
 *    the handler change the word, or use a deadline.  Handlers that were installed with SA_RESTART
 *    may go unnoticed.
 *  - A thread that waits again afterwards is the last in the queue.
 *  - A policy that spins looks at the word when its budget is used up; one that never sleeps, at
 *    each check.  Without futex_waitv(2) the word is looked at every 40 ms.
 *
 * Example: a lock that a request to stop ends
 *
 *     static uint32_t stopping;
 *
 *     int lock_unless_stopped(fw_ipc_mutex *m)
 *     {
 *         const fw_ipc_interrupt stop = FW_IPC_INTERRUPT_INIT(&stopping, 0);
 *
 *         return fw_ipc_mutex_lock_policy(m, &stop.policy, NULL);
 *     }
 *
 *     void stop(void)
 *     {
 *         __atomic_store_n(&stopping, 1, __ATOMIC_RELEASE);
 *         fw_futex_wake(&stopping, FW_FUTEX_ALL, FW_FUTEX_PRIVATE);
 *     }
 */
typedef struct fw_ipc_interrupt {
    fw_wait_policy policy; /* how to wait otherwise; its kind | FW_WAIT_INTERRUPTIBLE */
    const uint32_t *word;  /* ends the wait once it is not `expected`; NULL: no word */
    uint32_t expected;
    uint32_t flags;     /* FW_FUTEX_PRIVATE or FW_FUTEX_SHARED, as in the wake */
    uint32_t on_signal; /* not 0: EINTR once a signal handler has run while the thread slept */
} fw_ipc_interrupt;

/* clang-format off */
/* With the default policy; the word is private to the process. */
#define FW_IPC_INTERRUPT_INIT(word, expected) \
    {{(fw_wait_kind)FW_WAIT_INTERRUPTIBLE, 0}, (word), (expected), FW_FUTEX_PRIVATE, 0}
/* clang-format on */

FW_END_DECLS

#endif
