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

TEST(test_timeouts_race_with_releases)
{
    struct load l = rw_load(4, WORKER_THREADS, 4000, 11);

    l.how = LOAD_TIMES;
    l.hold_ns = 20000;
    load_run("time-outs race with releases", &l);
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
