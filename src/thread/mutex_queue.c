/* SPDX-License-Identifier: MIT */
/*
 * The operations that wait for an fw_mutex: tasks that want it, and no thread that sleeps.  They
 * are queued in the bucket of the mutex (core/waitqueue.h), and are not counted in its word.
 * Reasons, proofs and figures: doc/design/await.md.  The other bits: mutex.c.
 *
 * And the threads in fw_mutex_await (mutex_condition.h), which are woken when what they wait for
 * has come true: the first of them is queued in the bucket as well.  A release evaluates their
 * predicates before it does anything else, outside of the bucket: they are the user's code.
 *
 * Origin: direct hand-off to the first of a queue, as in the binary semaphores of Mesa's monitors
 * (Lampson and Redell, CACM 1980); the turns between two classes of waiters are those of
 * Brandenburg and Anderson's phase-fair locks (ECRTS 2009).
 *
 * owner       waiters half             meaning                     left by
 * ----------  -----------------------  --------------------------  -------------------------------
 * id or task  QUEUED, no waiters       held, operations wait       owner: -> task, the first one's
 * id or task  QUEUED, waiters          held, threads wait as well  owner: in turns (MU10)
 * 0           QUEUED, waiters, WAKING  free, a thread is awake     anybody: take; waiter: CAS
 * HANDOFF     QUEUED, waiters, WAKING  being handed to a thread    a waiter that had joined before
 * 0           QUEUED                   free, all conditions false  any thread: take
 *
 * Legal:   all that mutex.c has; to take the lock where it is free, whoever is queued.
 * Illegal: to free the lock while an operation is queued and no thread is counted; to set or clear
 *          QUEUED outside of the bucket; to evaluate a predicate inside of it; to give an operation
 *          WAKING, that is, to free the lock and let a loop try: what the loop runs first may wait
 *          for the thread that sleeps.
 *
 * MU7  While nobody is inside the bucket, QUEUED is set if and only if an operation or a condition
 *      is queued there.
 * MU8  And QUEUED implies FENCED: all later releases are a CAS, and see QUEUED.
 * MU9  An operation is granted the lock by whoever releases it: id -> task in one CAS.  So where
 *      the lock is free with QUEUED set, a thread will take it, or clear WAKING (MU2); or nobody
 *      but conditions is queued.
 * MU10  Order.  Operations: first come, first served.  Where threads wait, too, they are served as
 *      if there were no operations, until the first of these has waited for FW_STARVATION_NS, or
 *      the release is fair.  Then in turns: a grant marks the next operation (yields_), and the
 *      next release takes the mark off and serves a thread.  One that finds nobody queued and a
 *      task's lock is marked as well: that task may have been granted the lock before a thread.
 *      Real-time threads (URGENT) go first.
 * MU11  The owner, who may have changed the data, grants the mutex, held -> held in one CAS, to the
 *       first condition whose predicate is true: nobody can make it false in between.  It frees the
 *      mutex with no thread counted only if all are false, until the next owner changes something.
 * MU12  Order.  Conditions go before operations and threads (except URGENT), by every second
 *      release at most where any of these wait: a grant marks the first that is left (yields), and
 *      the next release takes the mark off and serves the others.
 */
#include "thread/mutex_queue.h"

#include <stddef.h>

#include <furwock/await.h>
#include <furwock/futex.h>

#include "core/attributes.h"
#include "core/operation.h"
#include "core/recheck.h"
#include "core/sleep.h"
#include "core/thread_state.h"
#include "sys/clock.h"
#include "sys/fork.h"
#include "sys/release.h"
#include "sys/slice.h"
#include "thread/mutex_condition.h"
#include "thread/mutex_release.h"
#include "thread/mutex_word.h"

static bool is_overdue(const fw_await *op)
{
    return fw_clock_ns_() - op->since_ >= FW_STARVATION_NS;
}

/* With the word w, is it the turn of a thread that waits, or of this operation, the first? */
static bool is_threads_turn(fw_mutex_word_ w, fw_await *op, bool fair)
{
    if (!has_waiters(w))
        return false;
    if (is_urgent(w))
        return true;
    if (op->yields_ == 0)                /* F:queued-no-turns */
        return !fair && !is_overdue(op); /* F:queued-at-once */
    op->yields_ = 0;                     /* F:queued-yields-on */
    return true;
}

/* The operation that is to be granted the lock; NULL: there is none, or a thread has its turn. */
static fw_await *choose(struct fw_waitqueue_ *bucket, fw_mutex *m, fw_mutex_word_ w, bool fair)
{
    struct fw_waiter_node_ *first;

    while ((first = fw_mutex_first_operation_(bucket, m)) != NULL) {
        fw_await *op = fw_operation_of_(first);

        if (is_threads_turn(w, op, fair))
            return NULL;
        if (fw_operation_claim_(bucket, op)) /* F:queued-unclaimed */
            return op;
    }
    return NULL;
}

/* held -> held by the operation's task, !QUEUED if it was the last.  The word that was released. */
static fw_mutex_word_ grant(struct fw_waitqueue_ *bucket, fw_mutex *m, fw_await *op,
                            struct fw_wakeup_ *wakeup)
{
    struct fw_waiter_node_ *next = fw_operation_from_(fw_waitqueue_next_(fw_operation_node_(op)));
    fw_mutex_word_ w = fw_load64_relaxed(&m->state_);
    bool is_last =
        next == NULL && fw_condition_first_(bucket, m) == NULL; /* F:queued-cleared-early */
    fw_mutex_word_ queued = is_last ? MUTEX_QUEUED : 0;

    /* F:queued-free-and-invite */
    while (!fw_cas64_release(&m->state_, &w, with_owner(w, op->task_) & ~queued))
        ; /* threads joined or left */
    if (next != NULL && has_waiters(w))
        fw_operation_of_(next)->yields_ = 1;      /* F:queued-no-mark */
    *wakeup = fw_operation_grant_(bucket, op, 0); /* F:queued-delivers-late */
    return w;
}

/* held -> free, QUEUED: only conditions are queued. */
static fw_mutex_word_ left_to_conditions(fw_mutex_word_ w)
{
    return with_owner(w, 0) &
           (MUTEX_QUEUED | MUTEX_FENCED | MUTEX_GENERATION); /* F:condition-queued-lost */
}

/*
 * held, waiters -> free or HANDOFF, as in unlock_slow; QUEUED goes if all operations have lost
 * their interest.  held -> free, QUEUED, where only conditions are queued, and all were evaluated.
 * False: no thread waits any more, and others are to be asked.
 */
static bool serve_thread(struct fw_waitqueue_ *bucket, fw_mutex *m, fw_mutex_word_ *w,
                         fw_mutex_word_ *left, bool fair, bool evaluated)
{
    fw_mutex_word_ queued = fw_mutex_queued_to_clear_(bucket, m);
    bool has_others = fw_mutex_first_operation_(bucket, m) != NULL || !evaluated;

    do {
        if (!has_waiters(*w) && has_others) /* F:condition-freed-unseen */
            return false;
        *left = has_waiters(*w) || queued != 0 ? fw_mutex_left_(m, *w & ~queued, fair)
                                               : left_to_conditions(*w);
    } while (!fw_cas64_release(&m->state_, w, *left));
    return true;
}

/* The release, where QUEUED is set; `except` is one whose predicate is known to be false. */
COLD static void release(struct fw_waitqueue_ *bucket, fw_mutex *m, bool fair,
                         const struct fw_condition_ *except)
{
    struct fw_wakeup_ wakeup = {NULL, NULL};
    struct fw_conditions_ all = {0};
    fw_mutex_word_ w, left = 0;
    fw_await *op;

    do {
        bucket = fw_conditions_evaluate_(bucket, m, &all, except);
        if (all.chosen != NULL) {
            w = fw_conditions_grant_(bucket, m, &all);
            if (has_waiters(w))
                fw_wake_now_(m);
            fw_slice_done_(m);
            return;
        }
        w = fw_load64_relaxed(&m->state_);
        op = choose(bucket, m, w, fair);
    } while (op == NULL && !serve_thread(bucket, m, &w, &left, fair, all.is_done));
    if (op != NULL)
        w = grant(bucket, m, op, &wakeup);
    fw_waitqueue_unlock_(bucket);
    fw_wakeup_(wakeup);
    if (op == NULL && (!wakes_nobody(w) || is_being_handed_off(left)))
        fw_futex_wake_bitset(waiters_of(m), 1, class_to_wake(w), FW_FUTEX_PRIVATE);
    if (has_waiters(w))
        fw_wake_now_(m);
    fw_slice_done_(m);
}

COLD void fw_mutex_release_to_queue_(fw_mutex *m, bool fair)
{
    release(fw_waitqueue_lock_(m), m, fair, NULL);
}

void fw_mutex_release_and_wait_(fw_mutex *m, struct fw_condition_ *c)
{
    struct fw_waitqueue_ *bucket = fw_waitqueue_lock_(m);

    fw_condition_join_(bucket, m, c);
    release(bucket, m, false, c);
}

/* free -> held by the task; false: it is not free.  *w: the word. */
static bool take(fw_mutex *m, fw_mutex_word_ *w, uint32_t task, fw_mutex_word_ without)
{
    while (is_free(*w))
        if (fw_cas64_acquire(&m->state_, w, with_owner(*w, task) & ~without))
            return true;
    return false;
}

/*
 * Where the kernel refuses the fence: a release that looked before is four instructions from its
 * store, and starts anew if its thread loses the CPU meanwhile.  So it is over unless a hypervisor
 * stops its virtual CPU for longer than two of Linux's longest time slices.
 */
static void let_releases_end(void)
{
    fw_deadline end = fw_deadline_recheck_(NULL, FW_RECHECK_REFUSED_NS);

    fw_sleep_until_(&end);
}

/*
 * MU8.  Without the fence, a plain release that did not see QUEUED may be under way: so this looks
 * once more, and may take the lock (true).  It does so inside the bucket: once that is left, an
 * operation may be granted, run and freed, and the mutex with it.
 */
static bool fence_and_look(fw_mutex *m, uint32_t task)
{
    fw_mutex_word_ w;

    if (fw_release_fence_() != 0) /* F:queued-unfenced */
        let_releases_end();
    w = fw_load64_relaxed(&m->state_);
    while (!is_fenced(w) && !fw_cas64_relaxed(&m->state_, &w, w | MUTEX_FENCED))
        ;
    w = fw_load64_relaxed(&m->state_);
    return take(m, &w, task, MUTEX_QUEUED); /* F:queued-no-second-look */
}

bool fw_mutex_join_queue_(struct fw_waitqueue_ *bucket, fw_mutex *m, fw_await *op)
{
    fw_mutex_word_ seen = look_at(m), w;

    for (;; seen = look_at(m)) {
        w = without_stale(seen, fw_fork_generation_());
        if (is_free(seen)) {
            if (fw_cas64_acquire(&m->state_, &seen, with_owner(w, op->task_)))
                return true;
        } else if (has_queue(w) || fw_cas64_relaxed(&m->state_, &seen, w | MUTEX_QUEUED)) {
            break; /* held -> held, QUEUED */
        }
    }
    if (!is_fenced(w) && fence_and_look(m, op->task_))
        return true;
    op->yields_ = fw_mutex_first_operation_(bucket, m) == NULL &&
                  fw_id_is_task_(owner_half(w)); /* F:queued-first-unmarked */
    fw_operation_enqueue_(bucket, op);
    return false;
}

void fw_mutex_left_queue_(struct fw_waitqueue_ *bucket, fw_mutex *m, const fw_await *op)
{
    struct fw_waiter_node_ *first = fw_mutex_first_operation_(bucket, m);

    if (first != NULL && op->yields_ != 0) /* F:queued-mark-lost */
        fw_operation_of_(first)->yields_ = 1;
    if (fw_mutex_queued_to_clear_(bucket, m) != 0)
        fw_mutex_clear_queued_(m); /* F:queued-stays */
}

void fw_task_mutex_unlock(fw_mutex *m, fw_task task)
{
    if (!fw_release_plain_(&m->state_, task))
        fw_mutex_unlock_as_(m, task);
}
