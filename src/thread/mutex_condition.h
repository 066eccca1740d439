/* SPDX-License-Identifier: MIT */
#ifndef FW_THREAD_MUTEX_CONDITION_H
#define FW_THREAD_MUTEX_CONDITION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <furwock/mutex.h>

#include "core/wait.h"
#include "core/waitqueue.h"
#include "thread/mutex_word.h"

/*
 * A thread in fw_mutex_await; it lives on that thread's stack.  Those that wait with one mutex are
 * a list that the mutex guards, in order of arrival; the first of them is found in the bucket.
 *
 * state     meaning                                        left by
 * --------  ---------------------------------------------  ---------------------------------------
 * WAITING   in the list; its predicate was false           a releaser: CHOSEN; itself: LEFT
 * CHOSEN    out of the list; about to be given the mutex   that releaser: GRANTED
 * GRANTED   has the mutex                                  itself: returns
 * LEFT      in the list; timed out or cancelled, and on    itself: locks the mutex, leaves the list
 *           its way to the mutex
 *
 * CS1  WAITING is left by a compare-and-swap: so exactly one of CHOSEN and LEFT happens.
 * CS2  The list, and all of a record but its state, are read and changed by the mutex' owner only;
 *      so a record that the owner finds in the list is alive, and so is what its predicate reads.
 * CS3  After GRANTED was stored the releaser touches nothing of the record; the wake that follows
 *      uses the address only.
 * CS4  While the bucket is left, QUEUED is set if the list is not empty (MU7).
 */
enum { CONDITION_WAITING, CONDITION_CHOSEN, CONDITION_GRANTED, CONDITION_LEFT };

struct fw_condition_ {
    struct fw_wait_ wait;        /* first: the clean-up of a cancelled wait gets this */
    struct fw_waiter_node_ node; /* of the first in the list: in the bucket of the mutex */
    struct fw_condition_ *next;
    struct fw_condition_ *last; /* of the first: the last of the list, perhaps itself */
    bool yields;                /* of the first: the next release is not for a condition (MU12) */
    uint32_t state;
    uint32_t id; /* who will own the mutex */
    fw_mutex *m;
    bool (*predicate)(void *arg);
    void *arg;
};

/* The first operation from p on: a condition may be queued among them, one at most. */
static inline struct fw_waiter_node_ *fw_operation_from_(struct fw_waiter_node_ *p)
{
    return p != NULL && !p->is_operation ? fw_waitqueue_next_(p) : p;
}

static inline struct fw_waiter_node_ *fw_mutex_first_operation_(const struct fw_waitqueue_ *bucket,
                                                                const fw_mutex *m)
{
    return fw_operation_from_(fw_waitqueue_first_(bucket, m));
}

/* The first condition, or NULL. */
static inline struct fw_condition_ *fw_condition_first_(const struct fw_waitqueue_ *bucket,
                                                        const fw_mutex *m)
{
    struct fw_waiter_node_ *p = fw_waitqueue_first_(bucket, m);

    while (p != NULL && p->is_operation)
        p = fw_waitqueue_next_(p);
    return p == NULL ? NULL
                     : (struct fw_condition_ *)((char *)p - offsetof(struct fw_condition_, node));
}

/* QUEUED, if nobody is queued. */
static inline fw_mutex_word_ fw_mutex_queued_to_clear_(const struct fw_waitqueue_ *bucket,
                                                       const fw_mutex *m)
{
    return fw_waitqueue_first_(bucket, m) == NULL ? MUTEX_QUEUED : 0;
}

static inline void fw_mutex_clear_queued_(fw_mutex *m)
{
    fw_mutex_word_ w = fw_load64_relaxed(&m->state_);

    while (has_queue(w) && !fw_cas64_relaxed(&m->state_, &w, w & ~MUTEX_QUEUED))
        ;
}

/*
 * --- mutex_condition.c: the list --------------------------------------------------------------
 *
 * What a release finds in it: the first, and the one that it has chosen with its predecessor.  It
 * is done once all were evaluated, or one was chosen.
 */
struct fw_conditions_ {
    bool is_done;
    struct fw_condition_ *first, *before, *chosen;
};

/*
 * Inside the bucket, by the owner: finds the condition that is granted the mutex, if there is one
 * and it is not the turn of others (MU12); `except` is one whose predicate is known to be false, or
 * NULL.  Leaves the bucket meanwhile, and returns it.
 */
struct fw_waitqueue_ *fw_conditions_evaluate_(struct fw_waitqueue_ *bucket, fw_mutex *m,
                                              struct fw_conditions_ *all,
                                              const struct fw_condition_ *except);

/*
 * held -> held by the one that was chosen.  Leaves the bucket, and returns the word that was
 * released.
 */
uint64_t fw_conditions_grant_(struct fw_waitqueue_ *bucket, fw_mutex *m,
                              const struct fw_conditions_ *all);

/* Inside the bucket, by the owner: enters *c, WAITING, into the list, and sets QUEUED. */
void fw_condition_join_(struct fw_waitqueue_ *bucket, fw_mutex *m, struct fw_condition_ *c);

/* Takes *c, LEFT, out of the list; the caller owns the mutex again. */
void fw_condition_leave_(fw_mutex *m, struct fw_condition_ *c);

/* --- mutex_queue.c: fw_condition_join_, and the release of the mutex. ------------------------- */
void fw_mutex_release_and_wait_(fw_mutex *m, struct fw_condition_ *c);

#endif
