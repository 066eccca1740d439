/* SPDX-License-Identifier: MIT */
#ifndef FURWOCK_BITS_ANNOTATED_MUTEX_H
#define FURWOCK_BITS_ANNOTATED_MUTEX_H

#include <furwock/mutex.h>

#ifdef FW_ANNOTATED_

/* The calls of furwock/mutex.h for race detectors; internal: bits/annotate.h. */

FW_NOTED_ANALYSED_(void, fw_mutex_lock, (fw_mutex * l), FW_ACQUIRE(l))
FW_NOTED_ANALYSED_(int, fw_mutex_trylock, (fw_mutex * l), FW_TRY_ACQUIRE(0, l))
FW_NOTED_ANALYSED_(int, fw_mutex_timedlock, (fw_mutex * l, const fw_deadline *deadline),
                   FW_TRY_ACQUIRE(0, l))
FW_NOTED_ANALYSED_(int, fw_mutex_lock_policy,
                   (fw_mutex * l, const fw_wait_policy *policy, const fw_deadline *deadline),
                   FW_TRY_ACQUIRE(0, l))
FW_NOTED_ANALYSED_(void, fw_mutex_unlock, (fw_mutex * l), FW_RELEASE(l))
FW_NOTED_ANALYSED_(void, fw_mutex_unlock_fair, (fw_mutex * l), FW_RELEASE(l))

FW_NOTED_LOCK_(fw_mutex_lock, FW_NOTE_WRITE_, (fw_mutex * l))
FW_NOTED_TRYLOCK_(fw_mutex_trylock, FW_NOTE_WRITE_, (fw_mutex * l))
FW_NOTED_LOCK_INT_(fw_mutex_timedlock, FW_NOTE_WRITE_, (fw_mutex * l, const fw_deadline *deadline),
                   (l, deadline))
FW_NOTED_LOCK_INT_(fw_mutex_lock_policy, FW_NOTE_WRITE_,
                   (fw_mutex * l, const fw_wait_policy *policy, const fw_deadline *deadline),
                   (l, policy, deadline))
FW_NOTED_UNLOCK_(fw_mutex_unlock, FW_NOTE_WRITE_, (fw_mutex * l))
FW_NOTED_UNLOCK_(fw_mutex_unlock_fair, FW_NOTE_WRITE_, (fw_mutex * l))

/*
 * A predicate is evaluated by whoever releases the mutex, still with it, but after it has said that
 * it is released: so the evaluation is a critical section of its own.
 */
struct fw_noted_condition_ {
    fw_mutex *m;
    bool (*predicate)(void *arg);
    void *arg;
};

static inline void fw_mutex_note_relocked_(fw_mutex **m)
{
    FW_NOTE_LOCKING_(*m, FW_NOTE_WRITE_);
    FW_NOTE_LOCKED_(*m, FW_NOTE_WRITE_, 1);
}

static inline void fw_mutex_note_unlocked_(fw_mutex *m)
{
    FW_NOTE_UNLOCK_(m, FW_NOTE_WRITE_);
}

static inline bool fw_noted_predicate_(void *condition)
{
    struct fw_noted_condition_ *c = (struct fw_noted_condition_ *)condition;
    bool result;

    fw_mutex_note_relocked_(&c->m);
    result = c->predicate(c->arg);
    fw_mutex_note_unlocked_(c->m);
    return result;
}

FW_NOTED_ANALYSED_(void, fw_mutex_await, (fw_mutex * l, bool (*predicate)(void *), void *arg),
                   FW_REQUIRES(l))
FW_NOTED_ANALYSED_(int, fw_mutex_timedawait,
                   (fw_mutex * l, bool (*predicate)(void *), void *arg,
                    const fw_deadline *deadline),
                   FW_REQUIRES(l))

static inline void fw_mutex_await_noted_(fw_mutex *l, bool (*predicate)(void *), void *arg)
{
    fw_mutex *relocked __attribute__((cleanup(fw_mutex_note_relocked_))) = l;
    struct fw_noted_condition_ c = {l, predicate, arg};

    fw_mutex_note_unlocked_(relocked);
    fw_mutex_await(l, fw_noted_predicate_, &c);
}

static inline int fw_mutex_timedawait_noted_(fw_mutex *l, bool (*predicate)(void *), void *arg,
                                             const fw_deadline *deadline)
{
    fw_mutex *relocked __attribute__((cleanup(fw_mutex_note_relocked_))) = l;
    struct fw_noted_condition_ c = {l, predicate, arg};

    fw_mutex_note_unlocked_(relocked);
    return fw_mutex_timedawait(l, fw_noted_predicate_, &c, deadline);
}

#define fw_mutex_lock fw_mutex_lock_noted_
#define fw_mutex_trylock fw_mutex_trylock_noted_
#define fw_mutex_timedlock fw_mutex_timedlock_noted_
#define fw_mutex_lock_policy fw_mutex_lock_policy_noted_
#define fw_mutex_unlock fw_mutex_unlock_noted_
#define fw_mutex_unlock_fair fw_mutex_unlock_fair_noted_
#define fw_mutex_await fw_mutex_await_noted_
#define fw_mutex_timedawait fw_mutex_timedawait_noted_

#endif

#endif
