/* SPDX-License-Identifier: MIT */
#ifndef FWPY_WAITING_H
#define FWPY_WAITING_H

#include <stdbool.h>
#include <stdint.h>

#include <furwock/bits/deadline.h>
#include <furwock/ipc/mutex.h>

#include "ipc/announce.h"
#include "ipc/region/participant.h"
#include "ipc/wait.h"

/*
 * What the synchronisation objects of Python that are made here (semaphore, event, barrier) share:
 * a word on which others sleep (ipc/announce.h), a short critical section under a robust mutex (the
 * guard) for those whose state is more than the word, and the loop that tries and sleeps.
 *
 *   PYW1  A change for which others are woken is one store to the word, between
 *          fw_ipc_debt_begin_ and fw_ipc_debt_end_: a thread that is killed in between owes the
 *          wake, which the kernel gives (ipc/wait.h).
 *   PYW2  No Python code runs while the guard is held, so it is held for less than a microsecond,
 *          unless its holder is stopped or killed.
 *   PYW3  A thread that has slept and leaves wakes another (fw_ipc_wait_pass_on_): that one
 *          re-checks what the first may have left for it, and whose life it has to watch now.
 */

/* What is set under the guard and in the word by more than one store is repaired by this. */
struct fwpy_guard {
    fw_ipc_mutex *mutex;
    void (*repair)(void *arg);
    void *arg;
};

/* One call that may wait. */
struct fwpy_call {
    struct fw_ipc_me_ me;
    struct fw_ipc_wait_ *wait;   /* NULL: first try, which must not wait, not even for the guard */
    const fw_deadline *deadline; /* NULL: none */
    const uint32_t *word;        /* to sleep on, after EAGAIN; NULL: try again at once */
    uint32_t expected;
    bool rechecks; /* it may have to be tried again without a wake, after FWPY_RECHECK_NS */
};

/* How long a thread sleeps if it waits for a process none of whose threads can be watched. */
#define FWPY_RECHECK_NS 100000000

/*
 * Takes the guard; repairs after a death.
 *   0
 *   EINPROGRESS   a first try, and the guard is held
 *   ETIMEDOUT     the call's deadline has passed, and the guard is held all the time (by a thread
 *                 that is stopped)
 *   else as fw_ipc_mutex_lock
 */
int fwpy_guard_lock(const struct fwpy_guard *guard, const struct fwpy_call *call);

/* The same for a call that must succeed and has nothing else to wait for. */
int fwpy_guard_lock_now(const struct fwpy_guard *guard);

/* Under the guard: before a sleep on this word (ANN1). */
void fwpy_announce(struct fwpy_call *call, uint64_t *word);

/* The low half becomes `low`, which has no WAITERS: that flag stays.  Returns the new word. */
uint64_t fwpy_change(uint64_t *word, uint32_t low);

/* Changes the word, releases the guard and wakes at most n sleepers, as PYW1 says. */
int fwpy_change_and_wake(const struct fwpy_guard *guard, const struct fw_ipc_mapping_ *mapping,
                         uint64_t *word, uint32_t low, unsigned n);

/*
 * Calls `step` until it returns something other than EAGAIN; before each return of EAGAIN it says
 * what to sleep on (fwpy_announce), and whose lives to watch (fw_ipc_wait_watch_).
 *   ETIMEDOUT   the deadline has passed
 *   EINTR       a signal handler has run meanwhile: call again
 *   EINVAL      the object lies in no region
 *   EAGAIN      the region has no participant slot left
 *   else what step returned
 */
typedef int fwpy_step(void *arg, struct fwpy_call *call);
int fwpy_wait_until(const void *object, fwpy_step *step, void *arg, const fw_deadline *deadline);

/* A first try.  EBUSY: it would have to wait; EINPROGRESS: the guard is held; or as above. */
int fwpy_try(const void *object, fwpy_step *step, void *arg);

#endif
