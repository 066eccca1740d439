/* SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <furwock/ipc/region.h>
#include <furwock/mutex.h>
#include <furwock/rwlock.h>

#include "forger.h"
#include "processes.h"
#include "test/support/sleeper.h"

/*
 * A lie costs a bounded time.  The holder of a lock does not go on before the kernel shows that the
 * contender sleeps; the page has it all the while that the holder runs.  And the other way round:
 * the page has it that the holder sleeps, and the contender is woken all the same.  Nothing here
 * looks at a clock: a thread that spun forever would hang the test, and that is said.
 */
enum { ROUNDS = 300, CONSTRAINED_ROUNDS = 30, HANG_S = 100 };

static fw_mutex mutex;
static fw_rwlock rwlock;
static fw_ipc_mutex *ipc_mutex;

static void lock_mutex(void)
{
    fw_mutex_lock(&mutex);
}

static void unlock_mutex(void)
{
    fw_mutex_unlock(&mutex);
}

static void write_lock(void)
{
    fw_rwlock_wrlock(&rwlock);
}

static void read_lock(void)
{
    fw_rwlock_rdlock(&rwlock);
}

static void unlock_rwlock(void)
{
    fw_rwlock_unlock(&rwlock);
}

static void lock_ipc(void)
{
    CHECK(fw_ipc_mutex_lock(ipc_mutex) == 0);
}

static void unlock_ipc(void)
{
    CHECK(fw_ipc_mutex_unlock(ipc_mutex) == 0);
}

static const struct way {
    const char *name;
    void (*hold)(void), (*contend)(void), (*release)(void);
} ways[] = {{"mutex", lock_mutex, lock_mutex, unlock_mutex},
            {"writer behind a writer", write_lock, write_lock, unlock_rwlock},
            {"reader behind a writer", write_lock, read_lock, unlock_rwlock},
            {"writer behind a reader", read_lock, write_lock, unlock_rwlock},
            {"ipc mutex", lock_ipc, lock_ipc, unlock_ipc}};

static struct contender {
    const struct way *way;
    pid_t tid;
    bool done;
    uint32_t entered;
} contender;

static void *contend(void *arg)
{
    struct contender *c = arg;

    __atomic_store_n(&c->tid, gettid(), __ATOMIC_RELEASE);
    c->way->contend();
    c->entered++;
    c->way->release();
    __atomic_store_n(&c->done, true, __ATOMIC_RELEASE);
    return NULL;
}

/* What the page says of the holder, and of the CPUs. */
static const struct lie {
    uint64_t holder;
    uint32_t runnable;
} lies[] = {{FW_ASSIST_RUNS, 0},     {FW_ASSIST_RUNS, 1},      {FW_ASSIST_RUNS, 1000},
            {FW_ASSIST_SLEEPS, 1},   {FW_ASSIST_SLEEPS, 1000}, {FW_ASSIST_PREEMPTED, 1},
            {FW_ASSIST_PREEMPTED, 5}};

enum { N_WAYS = sizeof ways / sizeof *ways, N_LIES = sizeof lies / sizeof *lies };

static void one_round(const struct way *way, const struct lie *lie, const struct forged *f)
{
    pthread_t thread;

    contender = (struct contender){.way = way};
    if (!forge_use(f))
        fail("%s: the page is not read", way->name);
    forge_thread(f, (uint32_t)gettid(), lie->holder, 7);
    forge_runnable(f, lie->runnable);
    way->hold();
    CHECK(pthread_create(&thread, NULL, contend, &contender) == 0);
    await_asleep(getpid(), &contender.tid, &contender.done);
    CHECK(!__atomic_load_n(&contender.done, __ATOMIC_ACQUIRE));
    way->release();
    CHECK(pthread_join(thread, NULL) == 0);
    CHECK(contender.entered == 1);
}

int main(void)
{
    int rounds = is_constrained ? CONSTRAINED_ROUNDS : ROUNDS;
    struct forged page = forge_page();
    fw_region *region;
    char what[80];

    CHECK(fw_region_open_fd(memfd_create("patience", MFD_CLOEXEC), FW_REGION_MIN_SIZE,
                            FW_REGION_CREATE, &region) == 0);
    CHECK(fw_region_mutex(region, "one", FW_REGION_CREATE, &ipc_mutex) == 0);
    for (int i = 0; i < rounds; i++)
        for (unsigned w = 0; w < N_WAYS; w++) {
            const struct lie *lie = &lies[(unsigned)i % N_LIES];

            snprintf(what, sizeof what, "%s, whose holder is said to be in state %u", ways[w].name,
                     (unsigned)lie->holder);
            limit(HANG_S, what);
            one_round(&ways[w], lie, &page);
        }
    return 0;
}
