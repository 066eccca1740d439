/* SPDX-License-Identifier: MIT */
#include <stdbool.h>

#include <furwock/bits/atomic.h>
#include <furwock/futex.h>
#include <furwock/sem.h>

#include "locks.h"

/* --- fw_sem --------------------------------------------------------------------------------- */

/* What fw_sem_init does, before there are threads. */
static void make(void *lock)
{
    *(fw_sem *)lock = (fw_sem){.state_ = 1, .guess_ = 1};
}

static void take(void *lock, unsigned self)
{
    (void)self;
    fw_sem_wait(lock);
}

static void give(void *lock, unsigned self)
{
    (void)self;
    (void)!fw_sem_post(lock);
}

const struct cores_lock cores_sem = {"sem-furwock", "fw_sem", make, take, give, NULL, NULL};

/* --- As in glibc since 2.21: value and waiters in one word ---------------------------------- */

#define ONE_WAITS (UINT64_C(1) << 32)

static void make_word(void *lock)
{
    *(uint64_t *)lock = 1;
}

static bool take_unit(uint64_t *word, uint64_t waits)
{
    uint64_t seen = fw_load64_relaxed(word);

    while ((uint32_t)seen != 0)
        if (fw_cas64_acquire(word, &seen, seen - 1 - waits))
            return true;
    return false;
}

static void take_word(void *lock, unsigned self)
{
    uint64_t *word = lock;

    (void)self;
    if (take_unit(word, 0))
        return;
    fw_add64_acquire(word, ONE_WAITS);
    while (!take_unit(word, ONE_WAITS))
        fw_futex_wait((uint32_t *)word, 0, FW_FUTEX_PRIVATE, NULL);
}

static void give_word(void *lock, unsigned self)
{
    (void)self;
    if (fw_add64_release(lock, 1) >= ONE_WAITS)
        fw_futex_wake(lock, 1, FW_FUTEX_PRIVATE);
}

const struct cores_lock cores_sem_word = {
    "sem-word", "a semaphore as in glibc since 2.21", make_word, take_word, give_word, NULL, NULL};
