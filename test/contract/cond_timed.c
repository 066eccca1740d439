/* SPDX-License-Identifier: MIT */
/* A timed wait ends in time, with the mutex held, and does not take along a signal for others. */
#include <sched.h>

#include "contract.h"
#include "measure/watchdog.h"

struct appointment {
    void *object;
    pthread_barrier_t meet;
    unsigned rounds;
    unsigned waiting, units;
    unsigned inside, intruders;
    uint64_t timeouts, signals;
};

static void enter(struct appointment *a)
{
    a->intruders += a->inside != 0;
    a->inside = 1;
}

/* Gives up at its time; what it took is counted. */
static void wait_until(struct appointment *a, int64_t ns)
{
    struct timespec at = clock_in_ns(ns);
    int answer = 0;

    cond_subject->lock(a->object);
    enter(a);
    a->waiting++;
    while (a->units == 0 && answer == 0) {
        a->inside = 0;
        answer = cond_subject->timedwait(a->object, &at);
        enter(a);
    }
    a->waiting--;
    if (answer == 0)
        a->units--;
    else
        a->timeouts++; /* and leaves the unit, if there is one, to the other */
    a->inside = 0;
    cond_subject->unlock(a->object);
}

static void wait_for_a_unit(struct appointment *a)
{
    cond_subject->lock(a->object);
    enter(a);
    a->waiting++;
    while (a->units == 0) {
        a->inside = 0;
        cond_subject->wait(a->object);
        enter(a);
    }
    a->waiting--;
    a->units--;
    a->inside = 0;
    cond_subject->unlock(a->object);
}

/* Signals once, about when one of two waiters gives up; then again if nobody is left with that. */
static void signal_about_then(struct appointment *a, struct rng *random)
{
    for (bool both = false; !both; sched_yield()) {
        cond_subject->lock(a->object);
        both = a->waiting == 2 || a->timeouts > a->signals;
        cond_subject->unlock(a->object);
    }
    work_ns(rng_below(random, 60000));
    cond_subject->lock(a->object);
    a->units++;
    cond_subject->signal(a->object);
    cond_subject->unlock(a->object);

    /* One of the two is gone, whatever came first; the other, if it is the patient one, too. */
    for (bool served = false; !served; sched_yield()) {
        cond_subject->lock(a->object);
        served = a->waiting == 0;
        if (a->waiting == 1 && a->units == 0) {
            a->units++;
            cond_subject->signal(a->object);
        }
        cond_subject->unlock(a->object);
    }
}

static void keep_appointment(unsigned index, void *arg)
{
    struct appointment *a = arg;
    struct rng random;

    rng_seed(&random, index);
    for (unsigned i = 0; i < a->rounds; i++) {
        if (index == 0) {
            a->units = 0;
            a->signals = a->timeouts;
        }
        pthread_barrier_wait(&a->meet);
        if (index == 0)
            signal_about_then(a, &random);
        else if (index == 1)
            wait_until(a, 20000 + rng_below(&random, 60000));
        else
            wait_for_a_unit(a);
        pthread_barrier_wait(&a->meet);
    }
}

/*
 * Both wait, and one signal comes.  If the timed waiter says that it timed out, the signal was
 * for the other one: it takes the unit, or hangs.
 */
TEST(test_a_timeout_takes_no_signal)
{
    struct appointment a = {.object = object_make(false), .rounds = kind_rounds(2000)};

    if (!subject_is(ADAPTER_EXACT)) {
        object_unmake(a.object);
        skip();
    }
    work_calibrate();
    meeting_make(&a.meet, 3);
    tasks_run(3, WORKER_THREADS, "signals meet deadlines", a.object, keep_appointment, &a);
    assert_int_equal(a.intruders, 0);
    pthread_barrier_destroy(&a.meet);
    object_unmake(a.object);
}

static int wait_in_time(void *object, const struct timespec *at)
{
    int answer = 0;

    cond_subject->lock(object);
    for (int i = 0; i < 1000 && answer == 0; i++)
        answer = cond_subject->timedwait(object, at);
    if (answer != 0)
        cond_subject->unlock(object);
    return answer;
}

TEST(test_a_wait_ends_in_time)
{
    const struct mode waiting = {.unlock = cond_subject->unlock, .timedlock = wait_in_time};
    void *object = object_make(false);

    watchdog_start(patience, "a wait ends in time", object, subject_head->size, NULL, NULL);
    for (int i = 0; i < DEADLINES; i++) {
        assert_int_equal(answer_in_time(object, waiting, deadlines_ns[i]), ETIMEDOUT);
        cond_subject->lock(object); /* the mutex was held, and is free again */
        cond_subject->unlock(object);
    }
    watchdog_stop();
    object_unmake(object);
}

static bool applies(void)
{
    return cond_subject->timedwait != NULL;
}

const struct contract_group group_cond_timed = {
    "cond-timed", &family_cond, applies,
    TESTS(cmocka_unit_test(test_a_wait_ends_in_time),
          cmocka_unit_test(test_a_timeout_takes_no_signal)),
    ALSO(&group_timed)};
