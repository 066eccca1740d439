/* SPDX-License-Identifier: MIT */
/* A try never waits: it takes a free lock, and leaves a held one alone. */
#include <signal.h>
#include <sys/time.h>

#include "contract.h"

TEST(test_a_free_lock_is_taken)
{
    void *lock = lock_make(false);

    for (int i = 0; i < 3; i++) {
        assert_int_equal(subject->trylock(lock), 0);
        subject->unlock(lock);
    }
    subject->lock(lock);
    subject->unlock(lock);
    lock_unmake(lock);
}

TEST(test_ones_own_lock_is_busy)
{
    void *lock = lock_make(false);

    subject->lock(lock);
    for (int i = 0; i < 3; i++)
        assert_int_equal(subject->trylock(lock), EBUSY);
    subject->unlock(lock);
    assert_int_equal(subject->trylock(lock), 0);
    assert_int_equal(subject->trylock(lock), EBUSY);
    subject->unlock(lock);
    lock_unmake(lock);
}

TEST(test_anothers_lock_is_busy)
{
    void *lock = lock_make(false);

    subject->lock(lock);
    assert_int_equal(answer_to(lock, as_lock()), EBUSY);
    subject->unlock(lock);
    assert_int_equal(answer_to(lock, as_lock()), 0);
    lock_unmake(lock);
}

TEST(test_tries_exclude_too)
{
    load_run("threads try and lock", &(struct load){.tasks = kind_tasks(4),
                                                    .rounds = kind_rounds(8000),
                                                    .writing = as_lock(),
                                                    .how = LOAD_TRIES});
}

enum { FEW_ALARMS = 10 };

static void *handler_lock;
static uint64_t handler_count, handler_took; /* under the lock */
static unsigned handler_busy, alarms;

static void on_alarm(int signal_number)
{
    (void)signal_number;
    __atomic_fetch_add(&alarms, 1, __ATOMIC_RELAXED);
    if (subject->trylock(handler_lock) == 0) {
        handler_count++;
        handler_took++;
        subject->unlock(handler_lock);
    } else {
        __atomic_fetch_add(&handler_busy, 1, __ATOMIC_RELAXED);
    }
}

/* The alarms are for time that was spent working: there may be little of it in 100 ms. */
static void lock_under_signals(unsigned index, void *arg)
{
    uint64_t end = clock_ns() + 100 * MS;
    uint64_t *count = arg;

    (void)index;
    while (clock_ns() < end || __atomic_load_n(&alarms, __ATOMIC_RELAXED) < FEW_ALARMS) {
        for (int i = 0; i < 50; i++) {
            subject->lock(handler_lock);
            handler_count++;
            subject->unlock(handler_lock);
        }
        __atomic_fetch_add(count, 50, __ATOMIC_RELAXED);
    }
}

TEST(test_signal_handlers_may_try)
{
    struct sigaction act = {.sa_handler = on_alarm, .sa_flags = SA_RESTART}, old;
    struct itimerval often = {.it_interval.tv_usec = 200, .it_value.tv_usec = 200}, never = {0};
    uint64_t count = 0;

    if (!subject_is(ADAPTER_SIGNAL))
        skip();
    handler_lock = lock_make(false);
    handler_count = handler_took = handler_busy = alarms = 0;
    sigaction(SIGPROF, &act, &old);
    setitimer(ITIMER_PROF, &often, NULL);
    tasks_run(2, WORKER_THREADS, "threads lock under signals", handler_lock, lock_under_signals,
              &count);
    setitimer(ITIMER_PROF, &never, NULL);
    sigaction(SIGPROF, &old, NULL);
    assert_true(handler_took + handler_busy >= FEW_ALARMS);
    assert_int_equal(handler_count, count + handler_took);
    lock_unmake(handler_lock);
}

static bool applies(void)
{
    return subject->trylock != NULL;
}

const struct contract_group group_trylock = {
    "trylock", &family_locks, applies,
    TESTS(cmocka_unit_test(test_a_free_lock_is_taken), cmocka_unit_test(test_ones_own_lock_is_busy),
          cmocka_unit_test(test_anothers_lock_is_busy), cmocka_unit_test(test_tries_exclude_too),
          cmocka_unit_test(test_signal_handlers_may_try))};
