/* SPDX-License-Identifier: MIT */
/*
 * Waits that their own process ends, again and again, while others lock, post and signal: no wake
 * is lost with them, nobody is inside with another, and what was not had is not counted.
 *
 * A token goes round by each object.  In every other process a thread ends the waits of the workers
 * at any moment; the workers of the rest wait without end, and would wait forever for a wake that
 * went to a thread that gave up.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <furwock/ipc/cond.h>
#include <furwock/ipc/interrupt.h>
#include <furwock/ipc/named.h>

#include "fixture.h"

enum { PROCESSES = 4, WORKERS = 2, ROUNDS = 400, SIZE = 1 << 20 };

static struct counts {
    uint64_t by_mutex, by_writers, also_by_writers, by_sem, by_cond;
    uint64_t tokens; /* of the condition: m[1] has it */
    uint64_t ended;
} * counts;
static fw_ipc_sem *sem;
static fw_ipc_cond *cond;

/*
 * A race detector sees what threads of one process tell each other, and not what they tell each
 * other through a writer of another process: it is given one thread each.
 */
static unsigned workers_each(void)
{
    return is_constrained ? 1 : WORKERS;
}

static uint32_t word; /* of each process */
static bool is_over;

static int ended(int error)
{
    if (error == ECANCELED)
        __atomic_fetch_add(&counts->ended, 1, __ATOMIC_RELAXED);
    return error;
}

/* Until the call succeeds: each time it waits until the word changes. */
#define UNTIL_HAD(call)                                                             \
    for (;;) {                                                                      \
        const fw_ipc_interrupt stop =                                               \
            FW_IPC_INTERRUPT_INIT(&word, __atomic_load_n(&word, __ATOMIC_RELAXED)); \
        const fw_wait_policy *policy = &stop.policy;                                \
        int error = ended(call);                                                    \
        if (error == 0)                                                             \
            break;                                                                  \
        if (error != ECANCELED)                                                     \
            fail("%s: %s", #call, strerror(error));                                 \
    }

static void use_locks(unsigned round)
{
    UNTIL_HAD(fw_ipc_mutex_lock_policy(fixture.m[0], policy, NULL))
    counts->by_mutex++;
    CHECK(fw_ipc_mutex_unlock(fixture.m[0]) == 0);
    if (round % 3 == 0) {
        UNTIL_HAD(fw_ipc_rwlock_wrlock_policy(fixture.rw, policy, NULL))
        counts->by_writers++;
        sched_yield();
        counts->also_by_writers++;
        CHECK(fw_ipc_rwlock_wrunlock(fixture.rw) == 0);
    } else {
        UNTIL_HAD(fw_ipc_rwlock_rdlock_policy(fixture.rw, policy, NULL))
        CHECK(counts->by_writers == counts->also_by_writers);
        CHECK(fw_ipc_rwlock_rdunlock(fixture.rw) == 0);
    }
    UNTIL_HAD(fw_ipc_sem_wait_policy(sem, policy, NULL))
    counts->by_sem++; /* there is one unit */
    CHECK(fw_ipc_sem_post(sem) == 0);
}

static void pass_token(void)
{
    CHECK(fw_ipc_mutex_lock(fixture.m[1]) == 0);
    while (counts->tokens == 0) {
        const fw_ipc_interrupt stop =
            FW_IPC_INTERRUPT_INIT(&word, __atomic_load_n(&word, __ATOMIC_RELAXED));
        int error = ended(fw_ipc_cond_wait_policy(cond, fixture.m[1], &stop.policy, NULL));
        CHECK(error == 0 || error == ECANCELED);
    }
    counts->tokens--;
    CHECK(fw_ipc_mutex_unlock(fixture.m[1]) == 0);
    sched_yield();
    CHECK(fw_ipc_mutex_lock(fixture.m[1]) == 0);
    counts->tokens++;
    counts->by_cond++;
    CHECK(fw_ipc_cond_signal(cond) == 0);
    CHECK(fw_ipc_mutex_unlock(fixture.m[1]) == 0);
}

static void *work(void *arg)
{
    for (unsigned round = 0; round < ROUNDS; round++) {
        use_locks(round);
        pass_token();
    }
    return arg;
}

static void *interrupt(void *arg)
{
    while (!__atomic_load_n(&is_over, __ATOMIC_RELAXED)) {
        __atomic_fetch_add(&word, 1, __ATOMIC_RELEASE);
        fw_futex_wake(&word, FW_FUTEX_ALL, FW_FUTEX_PRIVATE);
        sched_yield();
    }
    return arg;
}

static void run(void *is_interrupted)
{
    pthread_t workers[WORKERS], other;

    if (*(bool *)is_interrupted)
        CHECK(pthread_create(&other, NULL, interrupt, NULL) == 0);
    for (unsigned i = 0; i < workers_each(); i++)
        CHECK(pthread_create(&workers[i], NULL, work, NULL) == 0);
    for (unsigned i = 0; i < workers_each(); i++)
        CHECK(pthread_join(workers[i], NULL) == 0);
    __atomic_store_n(&is_over, true, __ATOMIC_RELAXED);
    if (*(bool *)is_interrupted)
        CHECK(pthread_join(other, NULL) == 0);
    _exit(EXIT_SUCCESS);
}

static void interrupted_at_any_moment(void)
{
    const uint64_t all = (uint64_t)PROCESSES * workers_each() * ROUNDS;
    pid_t children[PROCESSES];

    for (unsigned i = 0; i < PROCESSES; i++) {
        bool is_interrupted = i % 2 == 0;
        children[i] = start(run, &is_interrupted);
    }
    for (unsigned i = 0; i < PROCESSES; i++)
        finish(children[i]);
    CHECK(counts->by_mutex == all && counts->by_sem == all && counts->by_cond == all);
    CHECK(counts->by_writers == counts->also_by_writers && counts->tokens == 1);
    CHECK(fw_ipc_sem_value(sem) == 1);
    CHECK(counts->ended != 0);
    expect_free(fixture.m[0]);
    expect_free(fixture.m[1]);
}

int main(void)
{
    void *object;

    fixture_make(SIZE);
    CHECK(fw_region_object(fixture.region, "counts", FW_REGION_DATA, sizeof *counts,
                           FW_REGION_CREATE, &object) == 0);
    counts = object;
    counts->tokens = 1;
    CHECK(fw_region_sem(fixture.region, "sem", 1, 1, FW_REGION_CREATE, &sem) == 0);
    CHECK(fw_region_cond(fixture.region, "cond", FW_REGION_CREATE, &cond) == 0);
    CASE(interrupted_at_any_moment);
    return EXIT_SUCCESS;
}
