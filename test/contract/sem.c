/* SPDX-License-Identifier: MIT */
/* A semaphore: units are neither lost nor made up, and a thread that waits for one gets it. */
#include <sched.h>

#include "contract.h"

TEST(test_units_are_counted)
{
    void *sem = object_make(false);

    assert_int_equal(sem_subject->trywait(sem), EAGAIN);
    assert_int_equal(sem_subject->value(sem), 0);
    for (unsigned n = 1; n <= 3; n++) {
        assert_int_equal(sem_subject->post(sem), 0);
        assert_int_equal(sem_subject->value(sem), n);
    }
    sem_subject->wait(sem);
    assert_int_equal(sem_subject->trywait(sem), 0);
    assert_int_equal(sem_subject->value(sem), 1);
    assert_int_equal(sem_subject->trywait(sem), 0);
    assert_int_equal(sem_subject->trywait(sem), EAGAIN);
    if (sem_subject->post_n != NULL) {
        assert_int_equal(sem_subject->post_n(sem, 0), 0);
        assert_int_equal(sem_subject->value(sem), 0);
        assert_int_equal(sem_subject->post_n(sem, 5), 0);
        assert_int_equal(sem_subject->value(sem), 5);
    }
    object_unmake(sem);
}

/* In memory of its own: init_full goes in the place of init. */
TEST(test_a_full_semaphore_takes_no_more)
{
    _Alignas(64) unsigned char sem[256] = {0};

    assert_true(sem_subject->size <= sizeof sem);
    assert_int_equal(sem_subject->init_full(sem, false), 0);
    uint32_t most = sem_subject->value(sem);
    assert_true(most > 0);
    assert_int_equal(sem_subject->post(sem), EOVERFLOW);
    assert_int_equal(sem_subject->value(sem), most);
    if (sem_subject->post_n != NULL) {
        assert_int_equal(sem_subject->trywait(sem), 0);
        assert_int_equal(sem_subject->post_n(sem, 2), EOVERFLOW); /* all of them, or none */
        assert_int_equal(sem_subject->value(sem), most - 1);
        assert_int_equal(sem_subject->post_n(sem, 1), 0);
    }
    assert_int_equal(sem_subject->trywait(sem), 0);
    assert_int_equal(sem_subject->post(sem), 0);
    assert_int_equal(sem_subject->value(sem), most);
    if (sem_subject->destroy != NULL)
        sem_subject->destroy(sem);
}

const struct contract_group group_sem_units = {
    "sem-units", &family_sem, always,
    TESTS(cmocka_unit_test(test_units_are_counted),
          cmocka_unit_test(test_a_full_semaphore_takes_no_more))};

/* --- Wakes -------------------------------------------------------------------------------------
 *
 * Task 0 posts exactly what the others take in a round, at once or one by one, and no more before
 * they have taken it: a wake too few hangs.
 */
struct shop {
    void *sem;
    unsigned tasks;
    unsigned rounds;
    unsigned taken;
    bool at_once;
    bool tries;
};

static void take(struct shop *s, struct rng *random)
{
    unsigned how = s->tries ? rng_below(random, 3) : 0;
    int answer = EAGAIN;

    if (how == 1)
        answer = sem_subject->trywait(s->sem);
    if (how == 2 && sem_subject->timedwait != NULL) {
        struct timespec at = clock_in_ns(rng_below(random, 50000));
        answer = sem_subject->timedwait(s->sem, &at);
    }
    if (answer != 0)
        sem_subject->wait(s->sem);
    __atomic_fetch_add(&s->taken, 1, __ATOMIC_RELAXED);
}

static void trade(unsigned index, void *arg)
{
    struct shop *s = arg;
    unsigned customers = s->tasks - 1;
    struct rng random;

    rng_seed(&random, index);
    for (unsigned i = 0; i < s->rounds; i++) {
        if (index != 0) {
            take(s, &random);
            continue;
        }
        work_ns(rng_below(&random, 20000));
        if (s->at_once)
            sem_subject->post_n(s->sem, customers);
        else
            for (unsigned k = 0; k < customers; k++)
                sem_subject->post(s->sem);
        while (__atomic_load_n(&s->taken, __ATOMIC_RELAXED) != customers * (i + 1))
            sched_yield();
    }
}

static void check_trade(unsigned tasks, bool at_once, bool tries, unsigned kind)
{
    struct shop *s = shared_make(sizeof *s);

    *s = (struct shop){.sem = object_make((kind & WORKER_PROCESSES) != 0),
                       .tasks = tasks,
                       .rounds = kind_rounds(tasks > 10 ? 60 : 600),
                       .at_once = at_once,
                       .tries = tries};
    work_calibrate();
    tasks_run(tasks, kind, "all that is posted is taken", s->sem, trade, s);
    assert_int_equal(sem_subject->value(s->sem), 0);
    object_unmake(s->sem);
    shared_unmake(s, sizeof *s);
}

TEST(test_every_post_lets_one_through)
{
    for (int tries = 0; tries < 2; tries++) {
        check_trade(2, false, tries, WORKER_THREADS);
        check_trade(5, false, tries, WORKER_THREADS);
        check_trade(40, false, tries, WORKER_THREADS);
        if (subject_is(ADAPTER_SHARED))
            check_trade(4, false, tries, WORKER_PROCESSES);
    }
}

TEST(test_many_units_at_once)
{
    if (sem_subject->post_n == NULL)
        skip();
    for (int tries = 0; tries < 2; tries++) {
        check_trade(5, true, tries, WORKER_THREADS);
        check_trade(40, true, tries, WORKER_THREADS);
    }
}

const struct contract_group group_sem_wakeup = {
    "sem-wakeup", &family_sem, always,
    TESTS(cmocka_unit_test(test_every_post_lets_one_through),
          cmocka_unit_test(test_many_units_at_once)),
    ALSO(&group_exclusion, &group_trylock, &group_wakeup)};

/* --- The rest: a semaphore of one unit is a lock ---------------------------------------------- */

static bool is_timed(void)
{
    return sem_subject->timedwait != NULL;
}

const struct contract_group group_sem_timed = {"sem-timed", &family_sem, is_timed,
                                               ALSO(&group_timed)};

const struct contract_group group_sem_lifetime = {"sem-lifetime", &family_sem, is_freeable,
                                                  ALSO(&group_lifetime)};

const struct contract_group group_sem_memory = {"sem-memory", &family_sem, always,
                                                ALSO(&group_memory)};

const struct contract_group group_sem_idle = {"sem-idle", &family_sem, blocks, ALSO(&group_idle)};
