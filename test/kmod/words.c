/* SPDX-License-Identifier: MIT */
/* DOWN and UP, LOCK and UNLOCK, SEM_DOWN and SEM_UP: who has what, fair, greedy, at random. */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "device.h"
#include "tap.h"
#include "test/support/asleep.h"

enum { MANY = 40, THREADS = 4, ROUNDS = 3000 };

static uint32_t word;

static uint32_t value(void)
{
    return __atomic_load_n(&word, __ATOMIC_ACQUIRE);
}

static pid_t self(void)
{
    return (pid_t)syscall(SYS_gettid);
}

CASE(down_takes_what_is_there)
{
    word = 3;
    CHECK_IS(wait_for(FW_KERNEL_DOWN, &word, 0, 0), 0);
    CHECK_IS(word, 2);
    word = 0;
    CHECK_IS(wake(FW_KERNEL_UP, &word, 1, 0), 0);
    CHECK_IS(word, 1);
    word = 0x7fffffff;
    CHECK_IS(wake(FW_KERNEL_UP, &word, 1, 0), -EOVERFLOW);
    word = 0x80000000; /* whatever stands there */
    CHECK_IS(wake(FW_KERNEL_UP, &word, 1, 0), 0);
    CHECK_IS(word, 1);
}

CASE(up_fair_hands_over_in_order)
{
    static struct waiter w[3];
    struct fw_kernel_wait wait = waits(&word, 0, 0);

    word = 0;
    waiters_start(w, 3, FW_KERNEL_DOWN, &wait);
    CHECK_IS((int32_t)value(), -1);
    for (unsigned i = 0; i < 3; i++) {
        CHECK_IS(wake(FW_KERNEL_UP, &word, 1, FW_KERNEL_FAIR), 1);
        CHECK((int32_t)value() <= 0); /* nobody can come before it */
        CHECK_IS(waiter_join(&w[i]), 0);
        CHECK_IS((int32_t)value(), i < 2 ? -1 : 0);
    }
    CHECK_IS(wake(FW_KERNEL_UP, &word, 1, FW_KERNEL_FAIR), 0);
    CHECK_IS(word, 1);
}

CASE(up_greedy_wakes_one_to_compete)
{
    static struct waiter w[2];
    struct fw_kernel_wait wait = waits(&word, 0, 0);

    word = 0;
    waiters_start(w, 2, FW_KERNEL_DOWN, &wait);
    CHECK_IS(wake(FW_KERNEL_UP, &word, 1, 0), 1);
    CHECK_IS(waiter_join(&w[0]), 0);
    CHECK_IS((int32_t)value(), -1);
    CHECK_IS(wake(FW_KERNEL_UP, &word, 1, 0), 1);
    CHECK_IS(waiter_join(&w[1]), 0);
    CHECK_IS(value(), 0);
}

CASE(up_at_random_wakes_all)
{
    static struct waiter w[MANY];
    struct fw_kernel_wait wait = waits(&word, 0, 0);

    word = 0;
    waiters_start(w, MANY, FW_KERNEL_DOWN, &wait);
    CHECK_IS(wake(FW_KERNEL_UP, &word, 1, FW_KERNEL_RANDOM), MANY);
    for (unsigned i = 1; i < MANY; i++) {
        AWAIT((int32_t)value() <= 0);
        CHECK(wake(FW_KERNEL_UP, &word, 1, FW_KERNEL_FAIR) >= 0);
    }
    for (unsigned i = 0; i < MANY; i++)
        CHECK_IS(waiter_join(&w[i]), 0);
}

CASE(units_of_a_semaphore_reach_all)
{
    static struct waiter w[3];
    struct fw_kernel_wait wait = waits(&word, 0, 0);

    word = 0;
    waiters_start(w, 3, FW_KERNEL_DOWN, &wait);
    for (unsigned i = 0; i < 3; i++)
        CHECK(wake(FW_KERNEL_UP, &word, 1, 0) >= 0);
    for (unsigned i = 0; i < 3; i++)
        CHECK_IS(waiter_join(&w[i]), 0);
    CHECK((int32_t)value() <= 0);
}

CASE(down_gives_up)
{
    struct waiter w[2] = {{.number = 0}};
    struct fw_kernel_wait wait = waits(&word, 0, 0);

    word = 0;
    wait.deadline = now_ns(CLOCK_MONOTONIC) + 50 * MS;
    CHECK_IS(call(device, FW_KERNEL_DOWN, &wait), -ETIMEDOUT);
    wait.deadline = FW_KERNEL_NEVER;
    waiters_start(w, 2, FW_KERNEL_DOWN, &wait);
    CHECK_IS(wake(FW_KERNEL_UP, &word, 1, FW_KERNEL_FAIR), 1);
    CHECK_IS(waiter_join(&w[0]), 0);
    CHECK_IS(wake(FW_KERNEL_UP, &word, 1, 0), 1);
    CHECK_IS(waiter_join(&w[1]), 0);
}

/* --- Contention: sections that exclude each other --- */

struct contention {
    bool is_lock;
    uint32_t lock_flags, unlock_flags;
};
static const struct contention *contention;
static uint32_t shared_lock, inside;
static uint64_t counted;
static bool has_failed;

static void take(void)
{
    uint32_t seen = contention->is_lock ? 0 : 1;
    uint32_t mine = contention->is_lock ? (uint32_t)self() : 0;

    if (__atomic_compare_exchange_n(&shared_lock, &seen, mine, false, __ATOMIC_ACQUIRE,
                                    __ATOMIC_RELAXED))
        return;
    while (wait_for(contention->is_lock ? FW_KERNEL_LOCK : FW_KERNEL_DOWN, &shared_lock, 0,
                    contention->lock_flags) != 0)
        has_failed = true;
}

static void give(void)
{
    uint32_t seen = contention->is_lock ? (uint32_t)self() : 0;
    uint32_t is_free = contention->is_lock ? 0 : 1;

    if (contention->unlock_flags == 0 &&
        __atomic_compare_exchange_n(&shared_lock, &seen, is_free, false, __ATOMIC_RELEASE,
                                    __ATOMIC_RELAXED))
        return;
    if (wake(contention->is_lock ? FW_KERNEL_UNLOCK : FW_KERNEL_UP, &shared_lock, 1,
             contention->unlock_flags) < 0)
        has_failed = true;
}

static void *compete(void *argument)
{
    for (unsigned i = 0; i < ROUNDS; i++) {
        take();
        if (__atomic_add_fetch(&inside, 1, __ATOMIC_RELAXED) != 1)
            has_failed = true;
        counted++;
        if (i % 64 == 0)
            usleep(1); /* somebody has to wait */
        __atomic_sub_fetch(&inside, 1, __ATOMIC_RELAXED);
        give();
    }
    return argument;
}

static void run_contention(const struct contention *c)
{
    pthread_t thread[THREADS];

    contention = c;
    shared_lock = c->is_lock ? 0 : 1;
    for (unsigned i = 0; i < THREADS; i++)
        CHECK(pthread_create(&thread[i], NULL, compete, NULL) == 0);
    for (unsigned i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    CHECK(!has_failed);
    CHECK_IS(counted, THREADS * ROUNDS);
    if (c->is_lock)
        CHECK_IS(shared_lock & FW_KERNEL_OWNER, 0);
}

CASE(down_excludes_greedy)
{
    run_contention(&(struct contention){false, 0, 0});
}

CASE(down_excludes_fair)
{
    run_contention(&(struct contention){false, 0, FW_KERNEL_FAIR});
}

CASE(down_excludes_at_random)
{
    run_contention(
        &(struct contention){false, FW_KERNEL_PRIVATE, FW_KERNEL_RANDOM | FW_KERNEL_PRIVATE});
}

CASE(lock_excludes)
{
    run_contention(&(struct contention){true, 0, 0});
}

CASE(lock_excludes_adaptive)
{
    run_contention(&(struct contention){true, FW_KERNEL_ADAPTIVE, 0});
}

CASE(lock_excludes_fair)
{
    run_contention(&(struct contention){true, FW_KERNEL_ADAPTIVE, FW_KERNEL_FAIR});
}

/* --- LOCK: owners ----------------------------------------------------------------------------- */

CASE(lock_knows_its_owner)
{
    word = 0;
    CHECK_IS(wait_for(FW_KERNEL_LOCK, &word, 0, 0), 0);
    CHECK_IS(word, self());
    CHECK_IS(wait_for(FW_KERNEL_LOCK, &word, 0, 0), -EDEADLK);
    CHECK_IS(wait_for(FW_KERNEL_LOCK, &word, 0, FW_KERNEL_ADAPTIVE), -EDEADLK);
    CHECK_IS(wake(FW_KERNEL_UNLOCK, &word, 1, 0), 0);
    CHECK_IS(word, 0);
    CHECK_IS(wake(FW_KERNEL_UNLOCK, &word, 1, 0), -EPERM);
    word = 1; /* of another thread */
    CHECK_IS(wake(FW_KERNEL_UNLOCK, &word, 1, 0), -EPERM);
}

CASE(unlock_fair_makes_the_first_the_owner)
{
    static struct waiter w[2];
    struct fw_kernel_wait wait = waits(&word, 0, 0);

    word = (uint32_t)self();
    waiters_start(w, 2, FW_KERNEL_LOCK, &wait);
    CHECK_IS(value(), (uint32_t)self() | FW_KERNEL_WAITERS);
    CHECK_IS(wake(FW_KERNEL_UNLOCK, &word, 1, FW_KERNEL_FAIR), 1);
    CHECK_IS(waiter_join(&w[0]), 0);
    CHECK_IS(value(), (uint32_t)w[0].tid | FW_KERNEL_WAITERS);
    /* It ended as the owner: so the other gets it, and is told. */
    CHECK_IS(waiter_join(&w[1]), -EOWNERDEAD);
    CHECK_IS(value() & FW_KERNEL_OWNER, (uint32_t)w[1].tid);
}

static void lock_as_child(void *at)
{
    CHECK_IS(wait_for(FW_KERNEL_LOCK, at, 0, 0), 0);
    for (;;)
        pause();
}

CASE(lock_of_a_killed_owner)
{
    uint32_t *shared = shared_word();
    pid_t child = child_start(lock_as_child, shared);
    struct waiter w = {.number = FW_KERNEL_LOCK, .wait = waits(shared, 0, 0)};

    AWAIT((__atomic_load_n(shared, __ATOMIC_ACQUIRE) & FW_KERNEL_OWNER) == (uint32_t)child);
    waiter_start(&w);
    CHECK(!waiter_is_done(&w));
    kill(child, SIGKILL);
    CHECK_IS(waiter_join(&w), -EOWNERDEAD);
    child_join(child);
    CHECK_IS(*shared & FW_KERNEL_OWNER, w.tid);
    CHECK_IS(wait_for(FW_KERNEL_LOCK, shared, 0, FW_KERNEL_ADAPTIVE), -EOWNERDEAD);
}

CASE(lock_gives_up)
{
    struct fw_kernel_wait wait = waits(&word, 0, FW_KERNEL_ADAPTIVE);

    word = (uint32_t)getppid();
    wait.deadline = now_ns(CLOCK_MONOTONIC) + 250 * MS;
    CHECK_IS(call(device, FW_KERNEL_LOCK, &wait), -ETIMEDOUT);
}

static void *scribble(void *argument)
{
    volatile bool *stop = argument;

    for (uint32_t i = 1; !*stop; i = i * 1664525 + 1013904223)
        __atomic_store_n(&word, i, __ATOMIC_RELAXED);
    return NULL;
}

/* Whatever user space writes meanwhile, each call ends. */
CASE(words_that_change_all_the_time)
{
    static volatile bool stop;
    pthread_t thread;

    CHECK(pthread_create(&thread, NULL, scribble, (void *)&stop) == 0);
    for (unsigned i = 0; i < 300; i++) {
        struct fw_kernel_wait wait = waits(&word, 0, i % 2 == 0 ? 0 : FW_KERNEL_ADAPTIVE);
        long result;

        wait.deadline = now_ns(CLOCK_MONOTONIC) + MS;
        result = call(device, FW_KERNEL_LOCK, &wait);
        CHECK(result == 0 || result == -ETIMEDOUT || result == -EDEADLK || result == -EOWNERDEAD);
        wait.flags = 0;
        result = call(device, FW_KERNEL_DOWN, &wait);
        CHECK(result == 0 || result == -ETIMEDOUT);
        wake(FW_KERNEL_UP, &word, 1, FW_KERNEL_FAIR);
        wake(FW_KERNEL_UNLOCK, &word, 1, 0);
    }
    stop = true;
    pthread_join(thread, NULL);
}

/* --- The queues of the ulocks --- */

static long sem_up(const uint32_t *at, uint32_t number, uint32_t units)
{
    struct fw_kernel_wake up = {
        .size = sizeof up, .word = (uintptr_t)at, .count = units, .number = number};

    return call(device, FW_KERNEL_SEM_UP, &up);
}

CASE(semaphore_keeps_early_units)
{
    struct fw_kernel_wait wait = waits(&word, 1, 0);

    CHECK_IS(sem_up(&word, 1, 2), 0);
    CHECK_IS(sem_up(&word, 1, 1), 0);
    wait.deadline = 0;
    wait.expected = 0; /* another semaphore */
    CHECK_IS(call(device, FW_KERNEL_SEM_DOWN, &wait), -ETIMEDOUT);
    wait.expected = 1;
    for (unsigned i = 0; i < 3; i++)
        CHECK_IS(call(device, FW_KERNEL_SEM_DOWN, &wait), 0);
    CHECK_IS(call(device, FW_KERNEL_SEM_DOWN, &wait), -ETIMEDOUT);
    wait.expected = 4;
    CHECK_IS(call(device, FW_KERNEL_SEM_DOWN, &wait), -EINVAL);
    CHECK_IS(sem_up(&word, 4, 1), -EINVAL);
    CHECK_IS(sem_up(&word, 0, 0), -EINVAL);
    CHECK_IS(sem_up(&word, 0, FW_KERNEL_ALL), 0);
    CHECK_IS(sem_up(&word, 0, 1), -EOVERFLOW);
}

CASE(semaphore_lets_go_in_order)
{
    static struct waiter w[MANY];
    struct fw_kernel_wait wait = waits(&word, 0, 0);

    waiters_start(w, MANY, FW_KERNEL_SEM_DOWN, &wait);
    CHECK_IS(sem_up(&word, 0, 1), 1);
    CHECK_IS(waiter_join(&w[0]), 0);
    CHECK_IS(sem_up(&word, 0, MANY), MANY - 1);
    for (unsigned i = 1; i < MANY; i++)
        CHECK_IS(waiter_join(&w[i]), 0);
    wait.deadline = 0;
    CHECK_IS(call(device, FW_KERNEL_SEM_DOWN, &wait), 0); /* the one that was left */
    CHECK_IS(call(device, FW_KERNEL_SEM_DOWN, &wait), -ETIMEDOUT);
}
