/* SPDX-License-Identifier: MIT */
/* Plain POSIX mutexes (posix/mutex.c): what one thread, and another that helps, sees of them. */
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <time.h>

#include "mutex.h"
#include "object.h"
#include "test/support/testing.h"

static const struct timespec long_ago = {-5, 0};
static const struct timespec just_past = {1, 0};
static const struct timespec malformed = {1, 1000000000};

/* What another thread gets. */
struct call {
    int (*function)(pthread_mutex_t *m);
    pthread_mutex_t *m;
    int result;
};

static void *make_call(void *arg)
{
    struct call *c = arg;

    c->result = c->function(c->m);
    return NULL;
}

static int elsewhere(int (*function)(pthread_mutex_t *m), pthread_mutex_t *m)
{
    struct call c = {function, m, -1};
    pthread_t thread;

    assert_int_equal(pthread_create(&thread, NULL, make_call, &c), 0);
    pthread_join(thread, NULL);
    return c.result;
}

static void static_initialisers_of_all_types_work(void **state)
{
    pthread_mutex_t mutexes[] = {
        PTHREAD_MUTEX_INITIALIZER,
        PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP,
        PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP,
        PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP,
    };

    (void)state;
    for (size_t i = 0; i < sizeof mutexes / sizeof *mutexes; i++) {
        assert_int_equal(fw_posix_mutex_lock_(&mutexes[i]), 0);
        assert_int_equal(elsewhere(fw_posix_mutex_trylock_, &mutexes[i]), EBUSY);
        assert_int_equal(fw_posix_mutex_unlock_(&mutexes[i]), 0);
        assert_int_equal(elsewhere(fw_posix_mutex_trylock_, &mutexes[i]), 0);
    }
}

static void a_zeroed_mutex_is_a_normal_one(void **state)
{
    pthread_mutex_t m;

    (void)state;
    memset(&m, 0, sizeof m);
    assert_int_equal(fw_posix_mutex_trylock_(&m), 0);
    assert_int_equal(fw_posix_mutex_trylock_(&m), EBUSY);
    assert_int_equal(fw_posix_mutex_unlock_(&m), 0);
}

static void an_owner_that_locks_a_normal_one_again_waits(void **state)
{
    pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

    (void)state;
    assert_int_equal(fw_posix_mutex_lock_(&m), 0);
    assert_int_equal(fw_posix_mutex_timedlock_(&m, &just_past), ETIMEDOUT);
    assert_int_equal(fw_posix_mutex_clocklock_(&m, CLOCK_MONOTONIC, &long_ago), ETIMEDOUT);
    assert_int_equal(fw_posix_mutex_timedlock_(&m, &malformed), EINVAL);
    assert_int_equal(fw_posix_mutex_unlock_(&m), 0);
}

static void a_free_one_is_taken_without_a_look_at_the_deadline(void **state)
{
    pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

    (void)state;
    assert_int_equal(fw_posix_mutex_timedlock_(&m, &malformed), 0);
    assert_int_equal(fw_posix_mutex_unlock_(&m), 0);
    assert_int_equal(fw_posix_mutex_timedlock_(&m, &long_ago), 0);
    assert_int_equal(fw_posix_mutex_unlock_(&m), 0);
    assert_int_equal(fw_posix_mutex_clocklock_(&m, CLOCK_PROCESS_CPUTIME_ID, &long_ago), EINVAL);
}

static void anybody_may_release_a_normal_one(void **state)
{
    pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

    (void)state;
    assert_int_equal(fw_posix_mutex_unlock_(&m), 0);
    assert_int_equal(elsewhere(fw_posix_mutex_lock_, &m), 0);
    assert_int_equal(fw_posix_mutex_unlock_(&m), 0);
    assert_int_equal(fw_posix_mutex_lock_(&m), 0);
    assert_int_equal(elsewhere(fw_posix_mutex_unlock_, &m), 0);
    assert_int_equal(fw_posix_mutex_trylock_(&m), 0);
}

static void a_recursive_one_counts(void **state)
{
    pthread_mutex_t m = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

    (void)state;
    assert_int_equal(fw_posix_mutex_lock_(&m), 0);
    assert_int_equal(fw_posix_mutex_trylock_(&m), 0);
    assert_int_equal(fw_posix_mutex_timedlock_(&m, &long_ago), 0);
    assert_int_equal(elsewhere(fw_posix_mutex_unlock_, &m), EPERM);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(elsewhere(fw_posix_mutex_trylock_, &m), EBUSY);
        assert_int_equal(fw_posix_mutex_unlock_(&m), 0);
    }
    assert_int_equal(fw_posix_mutex_unlock_(&m), EPERM);
    assert_int_equal(elsewhere(fw_posix_mutex_trylock_, &m), 0);
}

static void a_recursive_one_does_not_count_too_far(void **state)
{
    pthread_mutex_t m = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

    (void)state;
    assert_int_equal(fw_posix_mutex_lock_(&m), 0);
    fw_posix_mutex_(&m)->count = UINT32_MAX;
    assert_int_equal(fw_posix_mutex_lock_(&m), EAGAIN);
    assert_int_equal(fw_posix_mutex_trylock_(&m), EAGAIN);
    assert_int_equal(fw_posix_mutex_unlock_(&m), 0);
}

static void an_errorchecking_one_tells(void **state)
{
    pthread_mutex_t m = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;

    (void)state;
    assert_int_equal(fw_posix_mutex_unlock_(&m), EPERM);
    assert_int_equal(fw_posix_mutex_lock_(&m), 0);
    assert_int_equal(fw_posix_mutex_lock_(&m), EDEADLK);
    assert_int_equal(fw_posix_mutex_timedlock_(&m, &malformed), EDEADLK);
    assert_int_equal(fw_posix_mutex_trylock_(&m), EBUSY);
    assert_int_equal(elsewhere(fw_posix_mutex_unlock_, &m), EPERM);
    assert_int_equal(fw_posix_mutex_unlock_(&m), 0);
    assert_int_equal(fw_posix_mutex_unlock_(&m), EPERM);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(static_initialisers_of_all_types_work),
        cmocka_unit_test(a_zeroed_mutex_is_a_normal_one),
        cmocka_unit_test(an_owner_that_locks_a_normal_one_again_waits),
        cmocka_unit_test(a_free_one_is_taken_without_a_look_at_the_deadline),
        cmocka_unit_test(anybody_may_release_a_normal_one),
        cmocka_unit_test(a_recursive_one_counts),
        cmocka_unit_test(a_recursive_one_does_not_count_too_far),
        cmocka_unit_test(an_errorchecking_one_tells),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
