/* SPDX-License-Identifier: MIT */
#ifndef FURWOCK_ANY_H
#define FURWOCK_ANY_H

#include <furwock/bits/annotate.h>
#include <furwock/bits/api.h>
#include <furwock/bits/deadline.h>
#include <furwock/futex.h>

FW_BEGIN_DECLS

/*
 * wait-any: waits for several semaphores, events and latches at once, until one of them is ready.
 *
 * Rules
 *  - The call takes from one object what that object's own wait would take (a unit of a semaphore,
 *    the signal of an automatic event; nothing from a manual event or a latch), and nothing from
 *    the others: a wake that reached this thread for another object is passed on.
 *  - If several are ready, the one with the lowest index is taken, as by a chain of trywaits.  For
 *    another priority, pass the objects in another order; rotate it from call to call to serve all.
 *  - An object may be listed more than once.  All objects must live until the call returns.
 *  - While it waits the thread is counted as a waiter in each object.  It competes like other
 *    waiters, but no unit is ever reserved for it (furwock/sem.h): if others take units as fast as
 *    they are posted, it may wait for long.
 *  - Sleeping on several words needs futex_waitv(2), Linux 5.16.  If the kernel does not have it,
 *    or a system call filter refuses it, the thread sleeps on the first object, for at most a
 *    millisecond at a time, and checks the others in between.
 *
 * Not a cancellation point; does not fail with EINTR; waits with the process's default policy
 * (furwock/wait.h).  Not for signal handlers.
 *
 * Example: wait for an item or the request to stop, whichever comes first
 *
 *     static fw_sem items = FW_SEM_INIT(0);
 *     static fw_event stop = FW_EVENT_INIT;
 *
 *     int next_item(void)
 *     {
 *         const fw_any either[] = {{FW_ANY_EVENT, &stop}, {FW_ANY_SEM, &items}};
 *         unsigned which;
 *
 *         return fw_wait_any(either, 2, NULL, &which) == 0 && which == 1;
 *     }
 */
typedef enum fw_any_kind {
    FW_ANY_SEM = 1,   /* object is an fw_sem * */
    FW_ANY_EVENT = 2, /* an fw_event * */
    FW_ANY_LATCH = 3  /* an fw_latch * */
} fw_any_kind;

typedef struct fw_any {
    fw_any_kind kind;
    void *object;
} fw_any;

/* The largest number of objects in one call. */
#define FW_ANY_MAX FW_FUTEX_WAIT_ANY_MAX

/*
 * Waits until one of n objects is ready, or until the deadline (NULL: none).  Stores the index of
 * that object in *which, if which is not NULL, and returns 0.
 *   ETIMEDOUT  the deadline passed; nothing was taken
 *   EINVAL     n is 0 or above FW_ANY_MAX, objects or one of them is NULL, or a kind is unknown;
 *              or no object is ready, and the deadline is malformed (furwock/bits/deadline.h)
 */
FW_NODISCARD FW_API int fw_wait_any(const fw_any *objects, unsigned n, const fw_deadline *deadline,
                                    unsigned *which);

#ifdef FW_ANNOTATED_
#include <furwock/bits/annotated/any.h>
#endif

FW_END_DECLS

#endif
