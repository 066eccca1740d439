/* SPDX-License-Identifier: MIT */
/* Readers are inside together; and a try finds out who is inside. */
#include <sched.h>

#include "measure/watchdog.h"
#include "rw.h"

struct fixture {
    void *lock;
    pthread_barrier_t meet;
    unsigned rounds;
};

static struct fixture *fixture_make(unsigned parties, bool shared)
{
    struct fixture *r = shared_make(sizeof *r);

    meeting_make(&r->meet, parties);
    r->lock = object_make(shared);
    r->rounds = kind_rounds(400);
    return r;
}

static void fixture_unmake(struct fixture *r)
{
    pthread_barrier_destroy(&r->meet);
    object_unmake(r->lock);
    shared_unmake(r, sizeof *r);
}

/* They wait for each other inside: hangs where one keeps another out. */
static void meet_inside(unsigned index, void *arg)
{
    struct fixture *r = arg;

    (void)index;
    for (unsigned i = 0; i < r->rounds; i++) {
        rw_subject->rdlock(r->lock);
        pthread_barrier_wait(&r->meet);
        rw_subject->rdunlock(r->lock);
    }
}

static void check_meeting(unsigned readers, unsigned kind)
{
    struct fixture *r = fixture_make(readers, (kind & WORKER_PROCESSES) != 0);

    tasks_run(readers, kind, "readers meet inside", r->lock, meet_inside, r);
    fixture_unmake(r);
}

TEST(test_readers_are_inside_together)
{
    check_meeting(2, WORKER_THREADS);
    check_meeting(kind_tasks(40), WORKER_THREADS);
    if (subject_is(ADAPTER_SHARED))
        check_meeting(kind_tasks(4), WORKER_PROCESSES);
}

/* The same after a writer has kept all of them out. */
static void meet_after_a_writer(unsigned index, void *arg)
{
    struct fixture *r = arg;

    for (unsigned i = 0; i < r->rounds; i++) {
        if (index == 0)
            rw_subject->wrlock(r->lock);
        pthread_barrier_wait(&r->meet);
        if (index == 0) {
            if (i % 4 == 0)
                sched_yield();
            rw_subject->wrunlock(r->lock);
        }
        rw_subject->rdlock(r->lock);
        pthread_barrier_wait(&r->meet);
        rw_subject->rdunlock(r->lock);
    }
}

TEST(test_a_writer_lets_all_readers_in)
{
    unsigned tasks = kind_tasks(5);
    struct fixture *r = fixture_make(tasks, false);

    tasks_run(tasks, WORKER_THREADS, "readers meet after a writer", r->lock, meet_after_a_writer,
              r);
    fixture_unmake(r);
}

static void meet_and_stay(void *arg)
{
    struct fixture *r = arg;

    pthread_barrier_wait(&r->meet);
}

/* All of them wait in line first. */
TEST(test_waiting_readers_come_in_together)
{
    unsigned readers = kind_tasks(4) - 1;
    struct fixture *r = fixture_make(readers, false);
    struct helper h[3];

    watchdog_start(patience, "waiting readers come in", r->lock, rw_subject->size, NULL, NULL);
    rw_subject->wrlock(r->lock);
    for (unsigned i = 0; i < readers; i++) {
        h[i] = rw_helper(r->lock, rw_reading());
        h[i].got = meet_and_stay;
        h[i].arg = r;
        helper_start(&h[i]);
        assert_false(helper_has(&h[i]));
    }
    rw_subject->wrunlock(r->lock);
    for (unsigned i = 0; i < readers; i++)
        helper_join(&h[i]);
    watchdog_stop();
    fixture_unmake(r);
}

const struct contract_group group_rw_sharing = {
    "rw-sharing", &family_rw, always,
    TESTS(cmocka_unit_test(test_readers_are_inside_together),
          cmocka_unit_test(test_a_writer_lets_all_readers_in),
          cmocka_unit_test(test_waiting_readers_come_in_together))};

/* --- Tries ------------------------------------------------------------------------------------ */

TEST(test_tries_tell_who_is_inside)
{
    void *lock = object_make(false);

    for (int i = 0; i < 3; i++) {
        assert_int_equal(answer_to(lock, rw_reading()), 0);
        assert_int_equal(answer_to(lock, rw_writing()), 0);

        rw_subject->rdlock(lock);
        assert_int_equal(answer_to(lock, rw_reading()), 0);
        assert_int_equal(answer_to(lock, rw_writing()), EBUSY);
        rw_subject->rdunlock(lock);

        rw_subject->wrlock(lock);
        assert_int_equal(answer_to(lock, rw_reading()), EBUSY);
        assert_int_equal(answer_to(lock, rw_writing()), EBUSY);
        rw_subject->wrunlock(lock);

        assert_int_equal(rw_subject->tryrdlock(lock), 0);
        assert_int_equal(answer_to(lock, rw_writing()), EBUSY);
        rw_subject->rdunlock(lock);
        assert_int_equal(rw_subject->trywrlock(lock), 0);
        assert_int_equal(answer_to(lock, rw_reading()), EBUSY);
        rw_subject->wrunlock(lock);
    }
    object_unmake(lock);
}

TEST(test_tries_exclude_too)
{
    struct load l = rw_load(4, WORKER_THREADS, 8000, 12);

    l.how = LOAD_TRIES;
    load_run("threads try and lock", &l);
}

static bool tries(void)
{
    return rw_subject->tryrdlock != NULL && rw_subject->trywrlock != NULL;
}

const struct contract_group group_rw_try = {"rw-try", &family_rw, tries,
                                            TESTS(cmocka_unit_test(test_tries_tell_who_is_inside),
                                                  cmocka_unit_test(test_tries_exclude_too)),
                                            ALSO(&group_trylock)};
