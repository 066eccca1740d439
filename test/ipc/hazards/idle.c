/* SPDX-License-Identifier: MIT */
/*
 * Threads that wait while nothing happens sleep: they do not look again and again.  And one signal
 * makes one wait return.
 *
 * What is counted is how often a thread has gone to sleep (voluntary_ctxt_switches).  It may do so
 * once for each bounded wait, of which there are as many as fit into the time that went by.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include <furwock/bits/atomic.h>
#include <furwock/ipc/barrier.h>
#include <furwock/ipc/cond.h>
#include <furwock/ipc/named.h>
#include <furwock/ipc/permits.h>
#include <furwock/ipc/sem.h>

#include "core/recheck.h"
#include "fixture.h"
#include "ipc/wait.h"
#include "sys/wait_any.h"
#include "test/support/asleep.h"

enum { EACH = 3, KINDS = 7, WAITERS = EACH * KINDS, QUIET_MS = 1000, SIGNALS = 5 };

/* Each holds a permit, and does not arrive at the barrier. */
enum { HOLDERS = 100 };

static fw_ipc_cond *cond;
static fw_ipc_sem *sem;
static fw_ipc_permits *units;
static fw_ipc_barrier *barrier;
static uint32_t tids[WAITERS], asleep_in, returned, holders;

static unsigned long sleeps_of(uint32_t tid)
{
    return thread_sleeps(getpid(), (pid_t)tid);
}

static void pass_time(long ms)
{
    struct timespec t = {ms / 1000, ms % 1000 * 1000000};

    while (nanosleep(&t, &t) != 0)
        CHECK(errno == EINTR);
}

/* As many bounded waits as may have ended in that time. */
static unsigned long rechecks_in(uint64_t ns)
{
    uint64_t interval = FW_RECHECK_IPC_NS, end = 0;
    unsigned long n = 0;

    while ((end += interval) <= ns) {
        n++;
        interval = fw_recheck_longer_(interval, FW_RECHECK_MAX_NS);
    }
    return n;
}

static void *wait_for_ever(void *arg)
{
    uint32_t *tid = arg;

    fw_store32_release(tid, (uint32_t)gettid());
    switch ((tid - tids) % KINDS) {
    case 0:
        CHECK(fw_ipc_mutex_lock(fixture.m[0]) == 0);
        break;
    case 1:
        CHECK(fw_ipc_rwlock_rdlock(fixture.rw) == 0);
        break;
    case 2:
        CHECK(fw_ipc_rwlock_wrlock(fixture.rw) == 0);
        break;
    case 3:
        CHECK(fw_ipc_sem_wait(sem) == 0);
        break;
    case 4:
        CHECK(fw_ipc_permits_wait(units) == 0);
        break;
    case 5:
        CHECK(fw_ipc_barrier_wait(barrier) == 0);
        break;
    default:
        CHECK(fw_ipc_mutex_lock(fixture.m[1]) == 0);
        CHECK(fw_ipc_cond_wait(cond, fixture.m[1]) == 0);
    }
    return NULL;
}

static void *hold_for_ever(void *arg)
{
    CHECK(fw_ipc_permits_wait(units) == 0 && fw_ipc_barrier_join(barrier) == 0);
    fw_add32_acq_rel(&holders, 1);
    for (;;)
        pause();
    return arg;
}

/*
 * It was in the same sleep for a while: it waits.  (One that has slept before, and has no CPU now,
 * is not in its first bounded wait yet.)
 */
static bool stays_asleep(uint32_t tid)
{
    bool was_asleep = is_asleep((pid_t)tid);
    unsigned long before = sleeps_of(tid);

    pass_time(20);
    return was_asleep && is_asleep((pid_t)tid) && sleeps_of(tid) == before;
}

static void make_objects(void)
{
    fixture_make(1 << 20);
    CHECK(fw_region_cond(fixture.region, "cond", FW_REGION_CREATE, &cond) == 0);
    CHECK(fw_region_sem(fixture.region, "sem", 0, 1, FW_REGION_CREATE, &sem) == 0);
    CHECK(fw_region_permits(fixture.region, "units", HOLDERS, FW_REGION_CREATE, &units) == 0);
    CHECK(fw_region_barrier(fixture.region, "barrier", HOLDERS + EACH, FW_IPC_BARRIER_FAIL,
                            FW_REGION_CREATE, &barrier) == 0);
}

static void await(const uint32_t *count, uint32_t n)
{
    while (fw_load32_acquire(count) < n)
        pass_time(1);
}

static void waiters_sleep(void *arg)
{
    unsigned long before[WAITERS];
    uint64_t began = now_ns();
    pthread_t thread;

    (void)arg;
    make_objects();
    CHECK(fw_ipc_mutex_lock(fixture.m[0]) == 0 && fw_ipc_rwlock_wrlock(fixture.rw) == 0);
    for (unsigned i = 0; i < HOLDERS; i++)
        CHECK(pthread_create(&thread, NULL, hold_for_ever, NULL) == 0);
    await(&holders, HOLDERS);
    for (unsigned i = 0; i < WAITERS; i++)
        CHECK(pthread_create(&thread, NULL, wait_for_ever, &tids[i]) == 0);
    for (unsigned i = 0; i < WAITERS; i++) {
        while (fw_load32_acquire(&tids[i]) == 0)
            pass_time(1);
        while (!stays_asleep(tids[i]))
            ;
        before[i] = sleeps_of(tids[i]);
    }
    pass_time(QUIET_MS);
    for (unsigned i = 0; i < WAITERS; i++) {
        unsigned long now = sleeps_of(tids[i]), most = rechecks_in(now_ns() - began);
        if (now - before[i] > most)
            fail("a thread that waits (%u) has slept %lu times, not %lu at most", i % KINDS,
                 now - before[i], most);
    }
}

static void *wait_again_and_again(void *arg)
{
    fw_store32_release((uint32_t *)arg, (uint32_t)gettid());
    CHECK(fw_ipc_mutex_lock(fixture.m[1]) == 0);
    for (;;) {
        fw_add32_acq_rel(&asleep_in, 1); /* before the mutex is free again, a signal meets it */
        CHECK(fw_ipc_cond_wait(cond, fixture.m[1]) == 0);
        fw_add32_acq_rel(&returned, 1);
    }
    return NULL;
}

/* Who is still on its way to its sleep sees each signal. */
static void await_that_all_sleep(void)
{
    for (unsigned i = 0; i < WAITERS; i++)
        while (!stays_asleep(fw_load32_acquire(&tids[i])))
            ;
}

static void a_signal_ends_one_wait(void *arg)
{
    uint64_t began = now_ns();
    pthread_t thread;

    (void)arg;
    make_objects();
    for (unsigned i = 0; i < WAITERS; i++)
        CHECK(pthread_create(&thread, NULL, wait_again_and_again, &tids[i]) == 0);
    for (unsigned i = 0; i < SIGNALS; i++) {
        await(&asleep_in, WAITERS + i);
        await_that_all_sleep();
        CHECK(fw_ipc_mutex_lock(fixture.m[1]) == 0);
        CHECK(fw_ipc_cond_signal(cond) == 0);
        CHECK(fw_ipc_mutex_unlock(fixture.m[1]) == 0);
        await(&returned, i + 1);
    }
    pass_time(QUIET_MS);
    if (now_ns() - began < FW_RECHECK_MAX_NS && fw_load32_acquire(&returned) != SIGNALS)
        fail("%u signals, and %u waits returned", SIGNALS, fw_load32_acquire(&returned));
}

int main(void)
{
    pid_t waiting, signalled;

    if (!fw_can_wait_any_())
        skip("this kernel has no futex_waitv, or a filter refuses it: waits are bounded");
    /* In children, with which their threads end, at the same time: neither needs much of a CPU. */
    limit(3 * LONG_MS / 1000, "threads that wait while nothing happens");
    waiting = start(waiters_sleep, NULL);
    signalled = start(a_signal_ends_one_wait, NULL);
    finish(waiting);
    finish(signalled);
    return 0;
}
