/* SPDX-License-Identifier: MIT */
#ifndef FURWOCK_BITS_ANNOTATED_AWAIT_H
#define FURWOCK_BITS_ANNOTATED_AWAIT_H

#include <furwock/await.h>

#ifdef FW_ANNOTATED_

/*
 * The calls of furwock/await.h for race detectors; internal: bits/annotate.h.
 *
 * What comes before a submit call is before the waker's call, and before `done`: so the operation
 * itself is released there, and acquired here.  What was granted is taken by whoever learns of it:
 * the submit call, `done`, or a poll.
 */

/* The operation's owner is the thread itself, not a task. */
static inline bool fw_await_note_is_thread_(const fw_await *op)
{
    return fw_note_task_ == 0 && fw_await_is_mine_(op);
}

static inline void fw_await_note_has_(const fw_await *op, const void *object, int has)
{
    if (has == FW_AWAIT_UNIT_) {
        FW_DETECT_ACQUIRE_(object);
    } else if (has != FW_AWAIT_NOTHING_ && fw_await_note_is_thread_(op)) {
        FW_DETECT_TRYING_(object, has);
        FW_DETECT_TRIED_(object, has, 1);
    } else if (has != FW_AWAIT_NOTHING_) {
        FW_NOTE_PASSES_(object, has);
    }
}

/* The operation has ended so. */
static inline void fw_await_note_end_(const fw_await *op, int error)
{
    fw_await_note_has_(op, op->object_, (int)fw_await_has_(op, error));
}

static inline void fw_await_note_told_(const fw_await *op, int error)
{
    FW_DETECT_ACQUIRE_(op);
    if (error != EINPROGRESS)
        fw_await_note_end_(op, error);
}

/* A plug-in may be unloaded while its operations are over and others' are not. */
__attribute__((destructor)) static void fw_await_note_forget_(void)
{
    fw_await_told_function_ *mine = fw_await_note_told_;

    (void)__atomic_compare_exchange_n(&fw_await_told_, &mine, (fw_await_told_function_ *)0, false,
                                      __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

static inline void fw_await_note_begin_(const fw_await *op)
{
    if (__atomic_load_n(&fw_await_told_, __ATOMIC_RELAXED) == 0)
        __atomic_store_n(&fw_await_told_, &fw_await_note_told_, __ATOMIC_RELAXED);
    FW_DETECT_RELEASE_(op);
}

static inline fw_task fw_task_switch_noted_(fw_task task)
{
    fw_task before = fw_task_switch(task);

    fw_note_task_ = task;
    return before;
}

static inline void fw_task_note_leaves_(const void *lock, int mode, fw_task task)
{
    if (task != 0)
        FW_NOTE_PASSES_(lock, mode);
    else
        FW_NOTE_UNLOCK_(lock, mode);
}

#define FW_NOTED_TASK_UNLOCK_(name, lock, mode)             \
    static inline void name##_noted_(lock *l, fw_task task) \
    {                                                       \
        fw_task_note_leaves_(l, mode, task);                \
        name(l, task);                                      \
    }

#define FW_NOTED_TASK_UNLOCK_INT_(name, lock, mode)        \
    static inline int name##_noted_(lock *l, fw_task task) \
    {                                                      \
        fw_task_note_leaves_(l, mode, task);               \
        return name(l, task);                              \
    }

FW_NOTED_TASK_UNLOCK_(fw_task_mutex_unlock, fw_mutex, FW_NOTE_WRITE_)
FW_NOTED_TASK_UNLOCK_(fw_task_rwlock_rdunlock, fw_rwlock, FW_NOTE_READ_)
FW_NOTED_TASK_UNLOCK_(fw_task_rwlock_wrunlock, fw_rwlock, FW_NOTE_WRITE_)

/* A submit call.  `has`: what it has if it returns 0, and what after EOWNERDEAD. */
#define FW_NOTED_AWAIT_(name, type, has, has_dead)                                      \
    static inline int name##_noted_(fw_await *op, type *l, const fw_deadline *deadline) \
    {                                                                                   \
        int error_;                                                                     \
        FW_NOTE_WORDS_(l);                                                              \
        fw_await_note_begin_(op);                                                       \
        error_ = name(op, l, deadline);                                                 \
        if (error_ == 0 || error_ == EOWNERDEAD)                                        \
            fw_await_note_has_(op, l, (int)(error_ == 0 ? (has) : (has_dead)));         \
        return error_;                                                                  \
    }

FW_NOTED_AWAIT_(fw_await_mutex, fw_mutex, FW_AWAIT_WRITES_, FW_AWAIT_NOTHING_)
FW_NOTED_AWAIT_(fw_await_rdlock, fw_rwlock, FW_AWAIT_READS_, FW_AWAIT_NOTHING_)
FW_NOTED_AWAIT_(fw_await_wrlock, fw_rwlock, FW_AWAIT_WRITES_, FW_AWAIT_NOTHING_)
FW_NOTED_AWAIT_(fw_await_sem, fw_sem, FW_AWAIT_UNIT_, FW_AWAIT_NOTHING_)
FW_NOTED_AWAIT_(fw_await_event, fw_event, FW_AWAIT_UNIT_, FW_AWAIT_NOTHING_)
FW_NOTED_AWAIT_(fw_await_latch, fw_latch, FW_AWAIT_UNIT_, FW_AWAIT_NOTHING_)

/* The mutex is left with the submit call, if that succeeds. */
#define FW_NOTED_AWAIT_COND_(name, cond, mutex)                                                   \
    static inline int name##_noted_(fw_await *op, cond *c, mutex *m, const fw_deadline *deadline) \
    {                                                                                             \
        bool is_thread = fw_await_note_is_thread_(op);                                            \
        int error_;                                                                               \
        FW_NOTE_WORDS_(c);                                                                        \
        fw_await_note_begin_(op);                                                                 \
        if (is_thread)                                                                            \
            FW_NOTE_UNLOCK_(m, FW_NOTE_WRITE_);                                                   \
        else                                                                                      \
            FW_NOTE_PASSES_(m, FW_NOTE_WRITE_);                                                   \
        error_ = name(op, c, m, deadline);                                                        \
        if (error_ != EINPROGRESS)                                                                \
            fw_await_note_has_(op, m, FW_AWAIT_WRITES_);                                          \
        return error_;                                                                            \
    }

FW_NOTED_AWAIT_COND_(fw_await_cond, fw_cond, fw_mutex)

static inline int fw_await_timer_noted_(fw_await *op, const fw_deadline *deadline)
{
    fw_await_note_begin_(op);
    return fw_await_timer(op, deadline);
}

static inline int fw_loop_post_noted_(fw_await *op)
{
    fw_await_note_begin_(op);
    return fw_loop_post(op);
}

/* Of an operation that has not been told yet. */
static inline int fw_await_note_result_(const fw_await *op, bool waited, int error)
{
    if (waited && error != EINPROGRESS)
        fw_await_note_end_(op, error);
    return error;
}

static inline int fw_await_poll_noted_(fw_await *op)
{
    bool waited = fw_await_waits_(op);
    int error;

    fw_await_note_begin_(op); /* one on a condition may be queued for the mutex now */
    error = fw_await_poll(op);
    return fw_await_note_result_(op, waited, error);
}

static inline int fw_await_set_waker_noted_(fw_await *op, void (*wake)(void *arg), void *arg,
                                            void **old)
{
    bool waited = fw_await_waits_(op);
    int error;

    fw_await_note_begin_(op);
    error = fw_await_set_waker(op, wake, arg, old);
    return fw_await_note_result_(op, waited, error);
}

static inline bool fw_await_cancel_noted_(fw_await *op)
{
    bool waited = fw_await_waits_(op), is_cancelled = fw_await_cancel(op);

    if (waited && !is_cancelled)
        fw_await_note_end_(op, fw_await_poll(op));
    return is_cancelled;
}

/* What was granted is given back, to another. */
static inline bool fw_await_drop_noted_(fw_await *op)
{
    if (fw_await_waits_(op) && op->object_ != 0)
        FW_DETECT_RELEASE_(op->object_);
    return fw_await_drop(op);
}

#define fw_task_switch fw_task_switch_noted_
#define fw_task_mutex_unlock fw_task_mutex_unlock_noted_
#define fw_task_rwlock_rdunlock fw_task_rwlock_rdunlock_noted_
#define fw_task_rwlock_wrunlock fw_task_rwlock_wrunlock_noted_
#define fw_await_mutex fw_await_mutex_noted_
#define fw_await_rdlock fw_await_rdlock_noted_
#define fw_await_wrlock fw_await_wrlock_noted_
#define fw_await_sem fw_await_sem_noted_
#define fw_await_event fw_await_event_noted_
#define fw_await_latch fw_await_latch_noted_
#define fw_await_cond fw_await_cond_noted_
#define fw_await_timer fw_await_timer_noted_
#define fw_loop_post fw_loop_post_noted_
#define fw_await_poll fw_await_poll_noted_
#define fw_await_set_waker fw_await_set_waker_noted_
#define fw_await_cancel fw_await_cancel_noted_
#define fw_await_drop fw_await_drop_noted_

#endif

#endif
