/* SPDX-License-Identifier: MIT */
/* A program that waits for furwock's own locks, in its shared library, for furwock run --stat. */
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include <furwock/mutex.h>
#include <furwock/name.h>
#include <furwock/rwlock.h>

#include "test/support/asleep.h"

static fw_mutex own_mutex = FW_MUTEX_INIT;
static fw_rwlock *table;
static pid_t waiter;
static int step; /* locks that the waiter has had */

static void *wait_for_both(void *arg)
{
    __atomic_store_n(&waiter, gettid(), __ATOMIC_RELEASE);
    fw_mutex_lock(&own_mutex);
    fw_mutex_unlock(&own_mutex);
    __atomic_store_n(&step, 1, __ATOMIC_RELEASE);
    fw_rwlock_rdlock(table);
    fw_rwlock_rdunlock(table);
    return arg;
}

/* Until it waits for the next one. */
static void await_waiter(int had)
{
    pid_t id;

    while ((id = __atomic_load_n(&waiter, __ATOMIC_ACQUIRE)) == 0 ||
           __atomic_load_n(&step, __ATOMIC_ACQUIRE) != had || !is_asleep(id))
        usleep(1000);
}

int main(void)
{
    pthread_t thread;

    table = calloc(1, sizeof *table);
    if (table == NULL || fw_name(table, "the table") != 0)
        return EXIT_FAILURE;
    fw_rwlock_init(table, FW_RWLOCK_PREFER_READERS);
    fw_rwlock_wrlock(table);
    fw_mutex_lock(&own_mutex);
    if (pthread_create(&thread, NULL, wait_for_both, NULL) != 0)
        return EXIT_FAILURE;
    await_waiter(0);
    fw_mutex_unlock(&own_mutex);
    await_waiter(1);
    fw_rwlock_wrunlock(table);
    pthread_join(thread, NULL);
    return EXIT_SUCCESS;
}
