/* SPDX-License-Identifier: MIT */
/* A timed lock ends in time, and the races around its end lose nothing. */
#include "contract.h"

enum { LATE_NS = 2000 * MS /* a loaded machine is no failure, a hang is */ };

static void test_a_free_lock_is_taken_whatever_the_time(void **state)
{
    void *lock = lock_make(false);
    struct timespec past = clock_in_ns(-1000 * MS), future = clock_in_ns(1000 * MS);

    (void)state;
    assert_int_equal(subject->timedlock(lock, &past), 0);
    subject->unlock(lock);
    assert_int_equal(subject->timedlock(lock, &future), 0);
    subject->unlock(lock);
    lock_unmake(lock);
}

struct attempt {
    void *lock;
    int64_t wait_ns;
    int answer;
    uint64_t took_ns;
};

static void attempt_timed(unsigned index, void *arg)
{
    struct attempt *a = arg;
    uint64_t began = clock_ns();
    struct timespec at = clock_in_ns(a->wait_ns);

    (void)index;
    a->answer = subject->timedlock(a->lock, &at);
    a->took_ns = clock_ns() - began;
    if (a->answer == 0)
        subject->unlock(a->lock);
}

static void check_expiry(int64_t wait_ns)
{
    struct attempt a = {.lock = lock_make(false), .wait_ns = wait_ns, .answer = -1};

    subject->lock(a.lock);
    tasks_run(1, CREW_THREADS, "a timed lock expires", a.lock, attempt_timed, &a);
    assert_int_equal(a.answer, ETIMEDOUT);
    assert_true((int64_t)a.took_ns >= wait_ns);
    assert_true(a.took_ns < LATE_NS);

    /* It left no trace: the lock works as before. */
    subject->unlock(a.lock);
    subject->lock(a.lock);
    subject->unlock(a.lock);
    lock_unmake(a.lock);
}

static void test_a_held_lock_is_given_up(void **state)
{
    (void)state;
    check_expiry(-1000 * MS);
    check_expiry(0);
    check_expiry(MS / 50);
    check_expiry(5 * MS);
}

static void test_a_release_in_time_is_seen(void **state)
{
    struct attempt a = {.lock = lock_make(false), .wait_ns = 20000 * (int64_t)MS, .answer = -1};

    (void)state;
    subject->lock(a.lock);
    struct crew *c = crew_start(1, CREW_THREADS, attempt_timed, &a);
    assert_non_null(c);
    crew_go(c);
    clock_sleep_ns(5 * MS);
    subject->unlock(a.lock);
    crew_join(c);
    assert_int_equal(a.answer, 0);
    assert_true(a.took_ns < LATE_NS);
    lock_unmake(a.lock);
}

/*
 * Time-outs race with releases: the deadlines are spread around the time that the lock is held.
 * Whatever wins, each success counts once, and in the end the lock is free.
 */
struct race {
    void *lock;
    unsigned rounds;
    unsigned inside;
    unsigned intruders;
    uint64_t count;
    uint64_t successes;
    uint64_t timeouts;
};

static void hold_and_count(struct race *r, struct rng *random)
{
    r->intruders += r->inside != 0;
    r->inside = 1;
    hold(random, 30000);
    r->count++;
    r->inside = 0;
    subject->unlock(r->lock);
}

static void race_timeouts(unsigned index, void *arg)
{
    struct race *r = arg;
    struct rng random;
    uint64_t successes = 0, timeouts = 0;

    rng_seed(&random, index);
    for (unsigned i = 0; i < r->rounds; i++) {
        if (index == 0) {
            subject->lock(r->lock);
        } else {
            struct timespec at = clock_in_ns(rng_below(&random, 80000));
            if (subject->timedlock(r->lock, &at) != 0) {
                timeouts++;
                continue;
            }
        }
        successes++;
        hold_and_count(r, &random);
    }
    __atomic_fetch_add(&r->successes, successes, __ATOMIC_RELAXED);
    __atomic_fetch_add(&r->timeouts, timeouts, __ATOMIC_RELAXED);
}

static void test_timeouts_race_with_releases(void **state)
{
    struct race r = {.lock = lock_make(false), .rounds = kind_rounds(4000)};

    (void)state;
    work_calibrate();
    tasks_run(kind_tasks(4), CREW_THREADS, "time-outs race with releases", r.lock, race_timeouts,
              &r);
    assert_int_equal(r.intruders, 0);
    assert_int_equal(r.count, r.successes);
    struct timespec now = clock_in_ns(0);
    assert_int_equal(subject->timedlock(r.lock, &now), 0);
    subject->unlock(r.lock);
    lock_unmake(r.lock);
}

/* A waiter with a deadline and one without: the wake must not die with the one that gives up. */
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

static void test_a_wake_outlives_a_timeout(void **state)
{
    struct race r = {.lock = lock_make(false), .rounds = kind_rounds(1500)};

    (void)state;
    work_calibrate();
    tasks_run(kind_tasks(4), CREW_THREADS, "wakes meet waiters that give up", r.lock,
              wait_with_or_without, &r);
    assert_true(r.count >= r.rounds);
    lock_unmake(r.lock);
}

static bool applies(const struct adapter *a)
{
    return a->timedlock != NULL;
}

static int run(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_free_lock_is_taken_whatever_the_time),
        cmocka_unit_test(test_a_held_lock_is_given_up),
        cmocka_unit_test(test_a_release_in_time_is_seen),
        cmocka_unit_test(test_timeouts_race_with_releases),
        cmocka_unit_test(test_a_wake_outlives_a_timeout),
    };
    return cmocka_run_group_tests_name("timed", tests, NULL, NULL);
}

const struct contract_group group_timed = {"timed", applies, run};
