/* SPDX-License-Identifier: MIT */
/* A timed read or write lock ends in time, and who gives up leaves nothing behind. */
#include "measure/watchdog.h"
#include "rw.h"

TEST(test_a_held_lock_is_given_up)
{
    void *lock = object_make(false);

    watchdog_start(patience, "a wait ends in time", lock, subject_head->size, NULL, NULL);
    for (unsigned i = 0; i < DEADLINES; i++) {
        rw_subject->wrlock(lock);
        assert_int_equal(answer_in_time(lock, rw_reading(), deadlines_ns[i]), ETIMEDOUT);
        assert_int_equal(answer_in_time(lock, rw_writing(), deadlines_ns[i]), ETIMEDOUT);
        rw_subject->wrunlock(lock);
        rw_subject->rdlock(lock);
        assert_int_equal(answer_in_time(lock, rw_reading(), deadlines_ns[i]), 0);
        assert_int_equal(answer_in_time(lock, rw_writing(), deadlines_ns[i]), ETIMEDOUT);
        rw_subject->rdunlock(lock);
        assert_int_equal(answer_in_time(lock, rw_writing(), deadlines_ns[i]), 0);
        assert_int_equal(answer_in_time(lock, rw_reading(), deadlines_ns[i]), 0);
    }
    watchdog_stop();
    object_unmake(lock);
}

/* A reader that waits because a writer waits comes in when that writer gives up. */
TEST(test_a_writer_that_gives_up_lets_readers_in)
{
    void *lock = object_make(false);
    struct attempt writer = {
        .object = lock, .mode = rw_writing(), .wait_ns = 50 * MS, .answer = -1};
    struct helper reader = rw_helper(lock, rw_reading());

    watchdog_start(patience, "a writer gives up", lock, rw_subject->size, NULL, NULL);
    rw_subject->rdlock(lock);
    struct worker_group *c = workers_start(1, WORKER_THREADS, attempt_once, &writer);
    assert_non_null(c);
    workers_go(c);
    clock_sleep_ns(5 * MS);
    helper_start(&reader);
    workers_join(c);
    helper_join(&reader); /* while we read */
    assert_int_equal(writer.answer, ETIMEDOUT);
    rw_subject->rdunlock(lock);
    watchdog_stop();
    assert_int_equal(answer_in_time(lock, rw_writing(), 0), 0);
    object_unmake(lock);
}

/*
 * Time-outs race with releases, in both modes: each success counts, nobody sees half of a write,
 * and in the end the lock is free.
 */
struct race {
    void *lock;
    unsigned rounds;
    uint64_t a, b;      /* equal when no writer is inside */
    uint64_t successes; /* of writers */
    unsigned torn;
};

static void race_timeouts(unsigned index, void *arg)
{
    struct race *r = arg;
    struct rng random;
    uint64_t successes = 0;
    unsigned torn = 0;

    rng_seed(&random, index);
    for (unsigned i = 0; i < r->rounds; i++) {
        bool writes = rng_below(&random, 3) == 0;
        struct mode mode = writes ? rw_writing() : rw_reading();
        struct timespec at = clock_in_ns(rng_below(&random, 80000));
        if (index == 0)
            mode.lock(r->lock);
        else if (mode.timedlock(r->lock, &at) != 0)
            continue;
        torn += r->a != r->b;
        if (writes) {
            r->a++;
            successes++;
        }
        hold(&random, 20000);
        if (writes)
            r->b++;
        mode.unlock(r->lock);
    }
    __atomic_fetch_add(&r->successes, successes, __ATOMIC_RELAXED);
    __atomic_fetch_add(&r->torn, torn, __ATOMIC_RELAXED);
}

TEST(test_timeouts_race_with_releases)
{
    struct race r = {.lock = object_make(false), .rounds = kind_rounds(4000)};

    work_calibrate();
    tasks_run(kind_tasks(4), WORKER_THREADS, "time-outs race with releases", r.lock, race_timeouts,
              &r);
    assert_int_equal(r.torn, 0);
    assert_int_equal(r.a, r.successes);
    assert_int_equal(answer_in_time(r.lock, rw_writing(), 0), 0);
    assert_int_equal(answer_in_time(r.lock, rw_reading(), 0), 0);
    object_unmake(r.lock);
}

static bool applies(void)
{
    return rw_subject->timedrdlock != NULL && rw_subject->timedwrlock != NULL;
}

const struct contract_group group_rw_timed = {
    "rw-timed", &family_rw, applies,
    TESTS(cmocka_unit_test(test_a_held_lock_is_given_up),
          cmocka_unit_test(test_a_writer_that_gives_up_lets_readers_in),
          cmocka_unit_test(test_timeouts_race_with_releases)),
    ALSO(&group_timed)};
