/* SPDX-License-Identifier: MIT */
#include "locks.h"

#include <furwock/mutex.h>

/* furwock's own, as they are shipped, and those of papers. */

static void mutex_lock(void *lock, unsigned self)
{
    (void)self;
    fw_mutex_lock(lock);
}

static void mutex_unlock(void *lock, unsigned self)
{
    (void)self;
    fw_mutex_unlock(lock);
}

static void mutex_unlock_fair(void *lock, unsigned self)
{
    (void)self;
    fw_mutex_unlock_fair(lock);
}

/* Other budgets than the built-in one. */
static void mutex_lock_1us(void *lock, unsigned self)
{
    static const fw_wait_policy policy = {FW_WAIT_SPIN_THEN_BLOCK, 1000};

    (void)self;
    (void)!fw_mutex_lock_policy(lock, &policy, NULL);
}

static void mutex_lock_block(void *lock, unsigned self)
{
    static const fw_wait_policy policy = {FW_WAIT_BLOCK, 0};

    (void)self;
    (void)!fw_mutex_lock_policy(lock, &policy, NULL);
}

static void nothing(void *lock, unsigned self)
{
    (void)lock;
    (void)self;
}

const struct cores_lock *const cores_locks[] = {
    &(const struct cores_lock){"furwock", "fw_mutex", NULL, mutex_lock, mutex_unlock, NULL, NULL},
    &(const struct cores_lock){"furwock-fair", "fw_mutex, released by fw_mutex_unlock_fair", NULL,
                               mutex_lock, mutex_unlock_fair, NULL, NULL},
    &(const struct cores_lock){"furwock-1us", "fw_mutex, polled for no longer than 1 us", NULL,
                               mutex_lock_1us, mutex_unlock, NULL, NULL},
    &(const struct cores_lock){"furwock-block", "fw_mutex, never polled", NULL, mutex_lock_block,
                               mutex_unlock, NULL, NULL},
    &(const struct cores_lock){"none", "no lock, as if all could have it at once; only by name",
                               NULL, nothing, nothing, nothing, nothing},
    &cores_drepper,
    &cores_ttas,
    &cores_ticket,
    &cores_mcs,
    &cores_clh,
    &cores_cohort,
    &cores_cna,
    &cores_sem,
    &cores_sem_word,
    &cores_rwlock,
    &cores_rwlock_greedy,
    &cores_rwlock_readers,
    &cores_phase_fair,
    &cores_each,
    &cores_counted,
};
const size_t cores_lock_count = sizeof cores_locks / sizeof *cores_locks;
