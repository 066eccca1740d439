/* SPDX-License-Identifier: MIT */
#ifndef FURWOCK_EVENT_H
#define FURWOCK_EVENT_H

#include <stdbool.h>
#include <stdint.h>

#include <furwock/bits/annotate.h>
#include <furwock/bits/api.h>
#include <furwock/bits/deadline.h>
#include <furwock/wait.h>

FW_BEGIN_DECLS

/*
 * fw_event: a manual-reset or auto-reset event for the threads of one process. 24 bytes; all
 * zeroes: a manual event that is not set.
 *
 * A *manual* event stays set until it is reset: all waits return.  An *automatic* event releases
 * exactly one thread for each time it is set: the wait that returns resets it.
 *
 * Rules
 *  - An event is ready when its bytes are zero, after FW_EVENT_INIT or FW_EVENT_INIT_AUTO, or after
 *    fw_event_init.  It needs no destructor and allocates nothing.
 *  - Setting a manual event releases all threads that are waiting at that moment, even if the event
 *    is reset before they run.
 *  - Setting an event that is set already changes nothing: an automatic event still releases one
 *    thread.
 *  - No set is lost: a wait that gives up leaves an automatic event set, and another waiter is
 *    woken.
 *  - Setting, waiting and resetting synchronise (acquire and release, as in C11), also if the event
 *    was set already: what was written before fw_event_set is visible to the threads that it
 *    releases, and to a thread that resets the event afterwards.
 *  - After its atomic operation fw_event_set does not touch the event: a released thread may free
 *    the event if no other thread will use it.
 *  - Automatic events are greedy, and no waiter starves, as with fw_sem (furwock/sem.h).
 *  - After fork(3) the child's event is set, or not, as it was at the fork, and has no waiters.
 *  - At most 1 048 575 threads may wait at a time; one more aborts the program.
 *  - Tasks may wait for it without a thread, beside threads: furwock/await.h.
 *  - Not for memory shared between processes; all code that shares it uses one copy of the library.
 *
 * No call is a cancellation point or fails with EINTR. Calls that may block wait as the wait policy
 * says (furwock/wait.h).  Calls that never block are safe in signal handlers.
 *
 * Franke, Russell and Kirkwood (OLS 2002), section 2, name events among what fast user-level
 * locking must support; sleeping on a word is from their section 3.1.3.
 *
 * Example: a worker that is told, any number of times, that there is work
 *
 *     static fw_event work = FW_EVENT_INIT_AUTO;
 *     static int done;
 *     static int wanted;
 *
 *     void ask_for_one_more(void)
 *     {
 *         __atomic_fetch_add(&wanted, 1, __ATOMIC_RELAXED);
 *         fw_event_set(&work);
 *     }
 *
 *     void work_until(int n)
 *     {
 *         while (done < n) {
 *             fw_event_wait(&work);
 *             done = __atomic_load_n(&wanted, __ATOMIC_RELAXED);
 *         }
 *     }
 */
typedef enum fw_event_kind {
    FW_EVENT_MANUAL = 0, /* stays set */
    FW_EVENT_AUTO = 1    /* releases one thread */
} fw_event_kind;

typedef struct fw_event {
    uint64_t state_; /* internal, as is all of it: doc/design/event.md */
    uint32_t kind_;
    uint32_t guess_;
    uint32_t spin_;
    uint32_t unused_;
} fw_event;

/* A manual, and an automatic, event that is not set. */
/* clang-format off */
#define FW_EVENT_INIT {0, FW_EVENT_MANUAL, 0, 0, 0}
#define FW_EVENT_INIT_AUTO {0, FW_EVENT_AUTO, 0, 0, 0}
/* clang-format on */

/* Makes *e an event, set or not.  Returns 0, or EINVAL for an unknown kind. */
FW_API int fw_event_init(fw_event *e, fw_event_kind kind, bool set);

/* Sets the event, and wakes the waiters that it releases. */
FW_API void fw_event_set(fw_event *e) FW_ABI_NAME_(fw_event_set);

/* Resets the event. */
FW_API void fw_event_reset(fw_event *e);

/* Is it set?  A snapshot; acquire if it returns true. */
FW_NODISCARD FW_API bool fw_event_is_set(const fw_event *e);

/* Returns 0 if the event is set (and resets an automatic one), else EAGAIN. Never waits. */
FW_NODISCARD FW_API int fw_event_trywait(fw_event *e);

/* Waits until the event is set; resets an automatic one. */
FW_API void fw_event_wait(fw_event *e);

/*
 * Waits until the event is set (and resets an automatic one), or until the deadline.  Returns 0;
 * ETIMEDOUT if the deadline has passed; EINVAL if the event is not set and the deadline is
 * malformed (furwock/bits/deadline.h).
 */
FW_API int fw_event_timedwait(fw_event *e, const fw_deadline *deadline);

/*
 * Waits for the event with a wait policy (NULL: the process default) and a deadline (NULL: none).
 * Results as for fw_event_timedwait; EINVAL also for a malformed policy.
 */
FW_API int fw_event_wait_policy(fw_event *e, const fw_wait_policy *policy,
                                const fw_deadline *deadline);

#ifdef FW_ANNOTATED_
#include <furwock/bits/annotated/event.h>
#endif

FW_END_DECLS

#endif
