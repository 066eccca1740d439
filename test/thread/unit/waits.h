/* SPDX-License-Identifier: MIT */
#ifndef FW_TEST_WAITS_H
#define FW_TEST_WAITS_H

#include <stdlib.h>

#include <furwock/any.h>
#include <furwock/barrier.h>
#include <furwock/brlock.h>
#include <furwock/cond.h>
#include <furwock/event.h>
#include <furwock/latch.h>
#include <furwock/once.h>
#include <furwock/rwlock.h>
#include <furwock/sem.h>
#include <furwock/wait.h>

#include "fake_percpu.h"
#include "mutex_words.h"
#include "thread/brlock_lines.h"

/* The calls that wait, each with what it takes to let it wait, and to end that. */

static struct {
    fw_mutex mutex;
    fw_cond cond;
    fw_rwlock rwlock;
    fw_brlock brlock;
    fw_sem sem;
    fw_event event;
    fw_latch latch;
    fw_barrier barrier;
    fw_once once;
} o;

enum {
    NO_DEADLINE = 1,
    NO_POLICY = 2,      /* the process has one for all calls */
    NEVER_FREE = 4,     /* waits for what comes after it has begun to */
    IS_WOKEN_AWAKE = 8, /* whoever lets go last does not know whether it sleeps */
    IS_CALLED = 16,     /* is woken to take what others may take: may time out beside it */
    WAKES_ALL = 32,     /* one release is for all that wait */
    RECHECKS = 64       /* sleeps for a bounded time: its deadlines are not the caller's */
};

struct call {
    const char *name;
    int variant;
    unsigned flags;
    void (*make_busy)(int variant); /* from zeroes; whatever there is to have, OTHER has it */
    void (*release)(void);          /* as OTHER: one wait ends */
    int (*wait)(const fw_wait_policy *policy, const fw_deadline *deadline);
    void (*leave)(void); /* after a wait that has returned 0 */
    void (*check_at_rest)(void);
};

static const struct call *call; /* of this test */

/* A function that does that; and a wait, by the call with a deadline where there is no policy. */
#define DOES(name, ...)    \
    static void name(void) \
    {                      \
        __VA_ARGS__;       \
    }
#define WAITS(name, timed, by_policy, object)                                  \
    static int name(const fw_wait_policy *policy, const fw_deadline *deadline) \
    {                                                                          \
        if (policy == NULL && deadline != NULL)                                \
            return timed(object, deadline);                                    \
        return by_policy(object, policy, deadline);                            \
    }

static void nothing(void) {}

/* --- the calls ------------------------------------------------------------------------------ */

static void mutex_busy(int variant)
{
    (void)variant;
    AS(OTHER, fw_mutex_lock(&o.mutex));
}

DOES(mutex_release, AS(OTHER, fw_mutex_unlock(&o.mutex)))

WAITS(mutex_wait, fw_mutex_timedlock, fw_mutex_lock_policy, &o.mutex)

static void mutex_leave(void)
{
    assert_int_equal(fw_mutex_owner(&o.mutex), FAKE_SELF);
    fw_mutex_unlock(&o.mutex);
}

DOES(mutex_at_rest, assert_int_equal(o.mutex.state_ & ~FENCED, 0))

static void cond_busy(int waiters)
{
    o.cond.waiters_ = (uint32_t)waiters;
}

static void cond_release(void)
{
    AS(OTHER, fw_mutex_lock(&o.mutex); fw_cond_signal(&o.cond); fw_mutex_unlock(&o.mutex));
}

static int cond_wait(const fw_wait_policy *policy, const fw_deadline *deadline)
{
    int error;

    fw_mutex_lock(&o.mutex);
    error = fw_cond_wait_policy(&o.cond, &o.mutex, policy, deadline);
    mutex_leave();
    return error;
}

static void cond_at_rest(void)
{
    assert_int_equal(o.cond.waiters_ & 1u, 0);
    mutex_at_rest();
}

enum { READ, WRITE, UPGRADABLE }; /* what OTHER has; times ten, the kind */

static void rwlock_busy(int variant)
{
    fw_rwlock_init(&o.rwlock, (fw_rwlock_kind)(variant / 10));
    if (variant % 10 == READ)
        AS(OTHER, fw_rwlock_rdlock(&o.rwlock));
    else if (variant % 10 == WRITE)
        AS(OTHER, fw_rwlock_wrlock(&o.rwlock));
    else
        AS(OTHER, fw_rwlock_upgradable_lock(&o.rwlock));
}

DOES(rwlock_release, AS(OTHER, fw_rwlock_unlock(&o.rwlock)))

WAITS(rwlock_read, fw_rwlock_timedrdlock, fw_rwlock_rdlock_policy, &o.rwlock)
WAITS(rwlock_write, fw_rwlock_timedwrlock, fw_rwlock_wrlock_policy, &o.rwlock)
WAITS(rwlock_upgradable, fw_rwlock_upgradable_timedlock, fw_rwlock_upgradable_lock_policy,
      &o.rwlock)

static int rwlock_upgrade(const fw_wait_policy *policy, const fw_deadline *deadline)
{
    int error;

    (void)policy;
    assert_int_equal(fw_rwlock_upgradable_trylock(&o.rwlock), 0);
    error = fw_rwlock_timedupgrade(&o.rwlock, deadline);
    if (error != 0)
        fw_rwlock_upgradable_unlock(&o.rwlock);
    return error;
}

DOES(rwlock_leave, fw_rwlock_unlock(&o.rwlock))

static void rwlock_at_rest(void)
{
    assert_int_equal(o.rwlock.state_, 0);
    assert_int_equal(o.rwlock.queue_, call->variant / 10);
}

/* From ten on: without counters of CPUs, as where the kernel does not help. */
static void brlock_busy(int variant)
{
    fake_percpu = (struct fake_percpu){.cpus = 4, .counters = variant < 10 ? 4 : 0};
    assert_int_equal(fw_brlock_init(&o.brlock), 0);
    if (variant % 10 == READ)
        AS(OTHER, fw_brlock_rdlock(&o.brlock));
    else
        AS(OTHER, fw_brlock_wrlock(&o.brlock));
}

DOES(brlock_release_reader, AS(OTHER, fw_brlock_rdunlock(&o.brlock)))

DOES(brlock_release_writer, AS(OTHER, fw_brlock_wrunlock(&o.brlock)))

WAITS(brlock_read, fw_brlock_timedrdlock, fw_brlock_rdlock_policy, &o.brlock)
WAITS(brlock_write, fw_brlock_timedwrlock, fw_brlock_wrlock_policy, &o.brlock)

DOES(brlock_leave_reader, fw_brlock_rdunlock(&o.brlock))

DOES(brlock_leave_writer, fw_brlock_wrunlock(&o.brlock))

static void brlock_at_rest(void)
{
    assert_false(brlock_is_closed(o.brlock.owner_));
    assert_int_equal(o.brlock.lines_->kept, 0);
    assert_int_equal(fw_brlock_trywrlock(&o.brlock), 0); /* nobody is counted */
    fw_brlock_wrunlock(&o.brlock);
}

static void sem_busy(int variant)
{
    (void)variant;
    assert_int_equal(fw_sem_init(&o.sem, 0, 1), 0);
}

DOES(sem_release, AS(OTHER, assert_int_equal(fw_sem_post(&o.sem), 0)))

WAITS(sem_wait_, fw_sem_timedwait, fw_sem_wait_policy, &o.sem)

DOES(sem_at_rest, assert_int_equal(o.sem.state_, 0))

/* Where the kernel has no call for several words. */
static int any_wait(const fw_wait_policy *policy, const fw_deadline *deadline)
{
    static const fw_any one[] = {{FW_ANY_SEM, &o.sem}};

    (void)policy;
    return fw_wait_any(one, 1, deadline, NULL);
}

static void event_busy(int kind)
{
    assert_int_equal(fw_event_init(&o.event, (fw_event_kind)kind, false), 0);
}

DOES(event_release, AS(OTHER, fw_event_set(&o.event)))

WAITS(event_wait, fw_event_timedwait, fw_event_wait_policy, &o.event)

static void event_leave(void)
{
    assert_int_equal(fw_event_is_set(&o.event), call->variant == FW_EVENT_MANUAL);
    fw_event_reset(&o.event);
}

static void event_at_rest(void)
{
    assert_false(fw_event_is_set(&o.event));
    assert_int_equal(o.event.state_ >> 32, 0);
}

static void latch_busy(int count)
{
    assert_int_equal(fw_latch_init(&o.latch, (uint32_t)count), 0);
}

DOES(latch_release, AS(OTHER, fw_latch_count_down(&o.latch, 1)))

WAITS(latch_wait, fw_latch_timedwait, fw_latch_wait_policy, &o.latch)

DOES(latch_at_rest, assert_int_equal(fw_latch_trywait(&o.latch), 0))

static void barrier_busy(int parties)
{
    assert_int_equal(fw_barrier_init(&o.barrier, (uint32_t)parties), 0);
}

DOES(barrier_release, AS(OTHER, fw_barrier_arrive(&o.barrier)))

static int barrier_wait(const fw_wait_policy *policy, const fw_deadline *deadline)
{
    (void)deadline;
    return fw_barrier_wait_policy(&o.barrier, policy);
}

DOES(barrier_at_rest, assert_int_equal(fw_barrier_trydestroy(&o.barrier), 0))

static void once_busy(int variant)
{
    (void)variant;
    o.once.state_ = FAKE_ID(OTHER);
}

DOES(once_release, AS(OTHER, fw_once_end_(&o.once, true)))

static int is_not_called(void *arg)
{
    (void)arg;
    return EDOM;
}

static int once_wait(const fw_wait_policy *policy, const fw_deadline *deadline)
{
    (void)policy;
    (void)deadline;
    return fw_once_call(&o.once, is_not_called, NULL);
}

DOES(once_at_rest, assert_int_equal(o.once.state_, FW_ONCE_DONE_))

#define RWLOCK(name, has, wait, fair, readers, writers)                                 \
    {name, has, fair, rwlock_busy, rwlock_release, wait, rwlock_leave, rwlock_at_rest}, \
        {name ", readers first", 10 + (has), readers,      rwlock_busy,                 \
         rwlock_release,         wait,       rwlock_leave, rwlock_at_rest},             \
    {                                                                                   \
        name ", writers first", 20 + (has), writers, rwlock_busy, rwlock_release, wait, \
            rwlock_leave, rwlock_at_rest                                                \
    }
#define BRLOCK(name, has, flags, ends, wait, leaves)                                         \
    {name, has, flags, brlock_busy, ends, wait, leaves, brlock_at_rest},                     \
    {                                                                                        \
        name ", stripes", 10 + (has), flags, brlock_busy, ends, wait, leaves, brlock_at_rest \
    }

static const struct call calls[] = {
    {"mutex", 0, 0, mutex_busy, mutex_release, mutex_wait, mutex_leave, mutex_at_rest},
    {"cond", 0, NEVER_FREE, cond_busy, cond_release, cond_wait, nothing, cond_at_rest},
    {"cond, single", 2, NEVER_FREE, cond_busy, cond_release, cond_wait, nothing, cond_at_rest},
    RWLOCK("read", WRITE, rwlock_read, 0, 0, 0),
    RWLOCK("write behind a reader", READ, rwlock_write, 0, IS_CALLED, 0),
    RWLOCK("write behind a writer", WRITE, rwlock_write, IS_CALLED, IS_CALLED, IS_CALLED),
    RWLOCK("upgradable", UPGRADABLE, rwlock_upgradable, 0, 0, 0),
    RWLOCK("upgrade", READ, rwlock_upgrade, NO_POLICY, NO_POLICY, NO_POLICY),
    BRLOCK("brlock, read", WRITE, WAKES_ALL, brlock_release_writer, brlock_read,
           brlock_leave_reader),
    BRLOCK("brlock, write behind a reader", READ, IS_WOKEN_AWAKE, brlock_release_reader,
           brlock_write, brlock_leave_writer),
    BRLOCK("brlock, write behind a writer", WRITE, 0, brlock_release_writer, brlock_write,
           brlock_leave_writer),
    {"sem", 0, 0, sem_busy, sem_release, sem_wait_, nothing, sem_at_rest},
    {"any", 0, NO_POLICY | RECHECKS, sem_busy, sem_release, any_wait, nothing, sem_at_rest},
    {"event, manual", FW_EVENT_MANUAL, WAKES_ALL, event_busy, event_release, event_wait,
     event_leave, event_at_rest},
    {"event, automatic", FW_EVENT_AUTO, 0, event_busy, event_release, event_wait, event_leave,
     event_at_rest},
    {"latch", 1, WAKES_ALL, latch_busy, latch_release, latch_wait, nothing, latch_at_rest},
    {"barrier", 2, NO_DEADLINE | NEVER_FREE | WAKES_ALL, barrier_busy, barrier_release,
     barrier_wait, nothing, barrier_at_rest},
    {"once", 0, NO_DEADLINE | NO_POLICY | WAKES_ALL, once_busy, once_release, once_wait, nothing,
     once_at_rest},
};

#endif
