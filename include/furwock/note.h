/* SPDX-License-Identifier: MIT */
#ifndef FURWOCK_NOTE_H
#define FURWOCK_NOTE_H

#include <stdbool.h>
#include <stdint.h>

#include <furwock/any.h>
#include <furwock/bits/annotate.h>
#include <furwock/bits/api.h>
#include <furwock/bits/deadline.h>
#include <furwock/cond.h>
#include <furwock/event.h>
#include <furwock/latch.h>
#include <furwock/mutex.h>
#include <furwock/sem.h>
#include <furwock/thread_safety.h>

FW_BEGIN_DECLS

/*
 * fw_note: a request to stop, which ends the waits that were given it: cancellable waits.
 *
 * A note is notified once, by fw_note_notify, by its deadline, or because its parent is: from then
 * on every wait with it ends with ECANCELED, and new ones do not wait.
 *
 * Rules
 *  - A note is made by fw_note_init, and needs no destructor.  It must outlive its children and the
 *    waits with it.  Notes of a program form trees, FW_NOTE_DEPTH_MAX deep: one for a server, one
 *    for each connection, one for each request with a deadline of its own.
 *  - A wait whose note is NULL has none: it ends as without.
 *  - The deadlines of a wait and of its note may be on different clocks; if one of these is set
 *    while the wait lasts, it notices within a second.
 *  - What a wait asks for comes first: where the lock is free, or the unit there, it is taken, and
 *    the note is not looked at.  If both come while it waits, it returns one of the two, and has
 *    taken nothing if that is ECANCELED.
 *  - Notifying synchronises with the waits that it ends (release and acquire, as in C11).
 *  - A wait costs what fw_wait_any costs for an event for each note up to the root (semaphores,
 *    events, latches), or an operation of furwock/await.h for each of them and for the lock (mutex,
 *    condition variable), which waits in turn with others as that header says; a lock or condition
 *    variable must not be waited for so in a signal handler.
 *  - No call is a cancellation point of pthread_cancel, or fails with EINTR.
 *  - Not for memory shared between processes: there a policy of furwock/ipc/interrupt.h ends waits.
 *
 * The idea is nsync's (nsync_note), whose waits take a note beside a deadline.
 *
 * Example: an item, unless the request to stop comes first
 *
 *     static fw_sem items = FW_SEM_INIT(0);
 *
 *     bool next_item(fw_note *stop)
 *     {
 *         return fw_note_sem_wait(&items, stop, NULL) == 0;
 *     }
 */
typedef struct fw_note {
    fw_event event_; /* internal, as is all of it */
    const struct fw_note *parent_;
    fw_deadline deadline_; /* its own or an ancestor's, the first of them */
    uint32_t has_deadline_;
    uint32_t depth_;
} fw_note;

/* How deep a tree of notes may be: the root is the first. */
#define FW_NOTE_DEPTH_MAX 8

/*
 * Makes *n a note that is not notified, with a parent (NULL: none) and a deadline (NULL: none).
 * Returns 0, or EINVAL: the deadline is malformed, or on another clock than an ancestor's, or the
 * tree would be too deep.
 */
FW_API int fw_note_init(fw_note *n, const fw_note *parent, const fw_deadline *deadline);

/* Notifies it: ends all waits with it and its descendants.  Not for signal handlers. */
FW_API void fw_note_notify(fw_note *n);

/*
 * Is it notified, or an ancestor, or has its deadline passed?  Acquire if it returns true.  NULL is
 * never notified.
 */
FW_NODISCARD FW_API bool fw_note_is_notified(const fw_note *n);

/*
 * Waits until it is notified (0), or until the deadline (ETIMEDOUT; NULL: none).  EINVAL: the
 * deadline is malformed, or n is NULL.
 */
FW_API int fw_note_wait(const fw_note *n, const fw_deadline *deadline);

/*
 * Waits as fw_wait_any does for one of n objects, or until the note is notified: ECANCELED.  n is
 * FW_ANY_MAX - FW_NOTE_DEPTH_MAX at most.  Other results: as of fw_wait_any.
 */
FW_NODISCARD FW_API int fw_note_wait_any(const fw_any *objects, unsigned n, const fw_note *note,
                                         const fw_deadline *deadline, unsigned *which);

/* Takes a unit: 0; ECANCELED; ETIMEDOUT; EINVAL: the deadline is malformed. */
FW_NODISCARD FW_API int fw_note_sem_wait(fw_sem *s, const fw_note *note,
                                         const fw_deadline *deadline);

/* Waits until the event is set, and resets an automatic one.  Results as fw_note_sem_wait. */
FW_NODISCARD FW_API int fw_note_event_wait(fw_event *e, const fw_note *note,
                                           const fw_deadline *deadline);

/* Waits until the latch is open.  Results as fw_note_sem_wait. */
FW_NODISCARD FW_API int fw_note_latch_wait(fw_latch *l, const fw_note *note,
                                           const fw_deadline *deadline);

/* Takes the mutex: 0; or it does not hold it: ECANCELED; ETIMEDOUT; EINVAL. */
FW_NODISCARD FW_API int fw_note_mutex_lock(fw_mutex *m, const fw_note *note,
                                           const fw_deadline *deadline) FW_TRY_ACQUIRE(0, m);

/*
 * Waits for a signal, as fw_cond_timedwait: 0; ECANCELED; ETIMEDOUT; EINVAL.  The mutex is held
 * again in each case; a wait that returns an error has consumed no signal.
 */
FW_NODISCARD FW_API int fw_note_cond_wait(fw_cond *c, fw_mutex *m, const fw_note *note,
                                          const fw_deadline *deadline) FW_REQUIRES(m);

#ifdef FW_ANNOTATED_
#include <furwock/bits/annotated/note.h>
#endif

FW_END_DECLS

#endif
