/* SPDX-License-Identifier: MIT */
/* A timed lock ends in time, and the races around its end lose nothing. */
#include <pthread.h>
#include <sys/prctl.h>

#include "contract.h"
#include "measure/watchdog.h"

TEST(test_a_free_lock_is_taken_whatever_the_time)
{
    void *lock = lock_make(false);
    struct timespec past = clock_in_ns(-1000 * MS), future = clock_in_ns(1000 * MS);

    assert_int_equal(subject->timedlock(lock, &past), 0);
    subject->unlock(lock);
    assert_int_equal(subject->timedlock(lock, &future), 0);
    subject->unlock(lock);
    lock_unmake(lock);
}

/* It leaves no trace: the lock works as before. */
TEST(test_a_held_lock_is_given_up)
{
    void *lock = lock_make(false);

    watchdog_start(patience, "a wait ends in time", lock, subject_head->size, NULL, NULL);
    for (int i = 0; i < DEADLINES; i++) {
        subject->lock(lock);
        assert_int_equal(answer_in_time(lock, as_lock(), deadlines_ns[i]), ETIMEDOUT);
        subject->unlock(lock);
        subject->lock(lock);
        subject->unlock(lock);
    }
    watchdog_stop();
    lock_unmake(lock);
}

TEST(test_a_release_in_time_is_seen)
{
    struct attempt a = {.object = lock_make(false),
                        .mode = as_lock(),
                        .wait_ns = 20000 * (int64_t)MS,
                        .answer = -1};

    subject->lock(a.object);
    struct worker_group *c = workers_start(1, WORKER_THREADS, attempt_once, &a);
    assert_non_null(c);
    workers_go(c);
    clock_sleep_ns(5 * MS);
    subject->unlock(a.object);
    workers_join(c);
    assert_int_equal(a.answer, 0);
    assert_true(a.took_ns < (uint64_t)a.wait_ns);
    lock_unmake(a.object);
}

/* Time-outs race with releases: the deadlines are spread around the time that it is held. */
TEST(test_timeouts_race_with_releases)
{
    load_run("time-outs race with releases", &(struct load){.tasks = kind_tasks(4),
                                                            .rounds = kind_rounds(4000),
                                                            .writing = as_lock(),
                                                            .how = LOAD_TIMES,
                                                            .hold_ns = 30000});
}

/* A waiter with a deadline and one without: the wake must not die with the one that gives up. */
struct race {
    void *lock;
    unsigned rounds;
    uint64_t count;
};

static void wait_with_or_without(unsigned index, void *arg)
{
    struct race *r = arg;
    struct rng random;

    rng_seed(&random, index + 100);
    for (unsigned i = 0; i < r->rounds; i++) {
        if (index == 0) {
            subject->lock(r->lock);
            hold(&random, 60000);
            subject->unlock(r->lock);
            clock_sleep_ns(1000);
        } else if (index == 1) {
            subject->lock(r->lock);
            r->count++;
            subject->unlock(r->lock);
            work_ns(rng_below(&random, 20000));
        } else {
            struct timespec at = clock_in_ns(30000 + rng_below(&random, 40000));
            if (subject->timedlock(r->lock, &at) == 0) {
                r->count++;
                subject->unlock(r->lock);
            }
        }
    }
}

TEST(test_a_wake_outlives_a_timeout)
{
    struct race r = {.lock = lock_make(false), .rounds = kind_rounds(1500)};

    work_calibrate();
    tasks_run(kind_tasks(4), WORKER_THREADS, "wakes meet waiters that give up", r.lock,
              wait_with_or_without, &r);
    assert_true(r.count >= r.rounds);
    lock_unmake(r.lock);
}

/*
 * The release comes just when the waiter gives up: each must see what the other did.  The kernel
 * tells a waiter that it has timed out some time after it has; how long after, the rounds find out:
 * in every eighth the release comes too late for the waiter.
 */
struct appointment {
    void *lock;
    pthread_barrier_t meet;
    unsigned rounds;
    uint64_t deadline_ns;
    uint64_t late_ns; /* how late the waiter was told */
};

enum { AHEAD_NS = 40000, TOO_LATE_NS = 400000, AROUND_NS = 10000 };

static void release_about_then(struct appointment *a, unsigned round, struct rng *random)
{
    uint64_t late_ns = __atomic_load_n(&a->late_ns, __ATOMIC_RELAXED);
    uint64_t at = a->deadline_ns + TOO_LATE_NS;

    if (round % 8 != 0 && late_ns < TOO_LATE_NS)
        at = a->deadline_ns + late_ns + rng_below(random, AROUND_NS) - AROUND_NS / 2;
    while (clock_ns() < at)
        ;
    subject->unlock(a->lock);
}

static void give_up_about_then(struct appointment *a)
{
    struct timespec at = {.tv_sec = (time_t)(a->deadline_ns / 1000000000),
                          .tv_nsec = (long)(a->deadline_ns % 1000000000)};

    if (subject->timedlock(a->lock, &at) == 0)
        subject->unlock(a->lock);
    else
        __atomic_store_n(&a->late_ns, clock_ns() - a->deadline_ns, __ATOMIC_RELAXED);
}

static void keep_appointment(unsigned index, void *arg)
{
    struct appointment *a = arg;
    struct rng random;

    rng_seed(&random, 7);
    prctl(PR_SET_TIMERSLACK, 1);
    for (unsigned i = 0; i < a->rounds; i++) {
        if (index == 0) {
            subject->lock(a->lock);
            a->deadline_ns = clock_ns() + AHEAD_NS;
        }
        pthread_barrier_wait(&a->meet);
        if (index == 0)
            release_about_then(a, i, &random);
        else
            give_up_about_then(a);
        pthread_barrier_wait(&a->meet);
    }
}

TEST(test_a_release_meets_the_deadline)
{
    struct appointment a = {
        .lock = lock_make(false), .rounds = kind_rounds(3000), .late_ns = TOO_LATE_NS};

    if (subject_is(ADAPTER_FAIR)) /* no more than others: the kernel's timer sets the pace */
        a.rounds *= 8;
    pthread_barrier_init(&a.meet, NULL, 2);
    tasks_run(2, WORKER_THREADS, "releases meet deadlines", a.lock, keep_appointment, &a);
    pthread_barrier_destroy(&a.meet);
    lock_unmake(a.lock);
}

static bool applies(void)
{
    return subject->timedlock != NULL;
}

const struct contract_group group_timed = {
    "timed", &family_locks, applies,
    TESTS(cmocka_unit_test(test_a_free_lock_is_taken_whatever_the_time),
          cmocka_unit_test(test_a_held_lock_is_given_up),
          cmocka_unit_test(test_a_release_in_time_is_seen),
          cmocka_unit_test(test_timeouts_race_with_releases),
          cmocka_unit_test(test_a_wake_outlives_a_timeout),
          cmocka_unit_test(test_a_release_meets_the_deadline))};
