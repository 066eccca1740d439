/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "cond_kinds.h"

/* posix/cond.c with the real kernel: every kind of mutex, results. */

static const struct timespec past = {1, 0}, before_the_epoch = {-5, 0}, bad = {0, 1000000000},
                             negative = {0, -1};

static void wake_everybody(const struct kind *kind)
{
    pthread_t threads[WAITERS];

    (void)kind;
    start(threads, WAITERS, take_token);
    await(WAITERS);
    for (int held = 0; held < 2; held++) {
        lock();
        tokens++;
        if (!held)
            unlock();
        assert_int_equal(fw_posix_cond_signal_(&c), 0);
        if (held)
            unlock();
        await(WAITERS - 1 - held);
    }
    lock();
    assert_int_equal(tokens, 0);
    tokens = WAITERS - 2;
    assert_int_equal(fw_posix_cond_broadcast_(&c), 0);
    unlock();
    join(threads, WAITERS);
    assert_int_equal(tokens, 0);
}

static void signals_and_broadcasts_wake(void **state)
{
    (void)state;
    on_every_kind(wake_everybody);
}

/* --- Results -------------------------------------------------------------------------------- */

static void give_up(const struct kind *kind)
{
    lock();
    assert_int_equal(fw_posix_cond_timedwait_(&c, &m, &past), ETIMEDOUT);
    assert_int_equal(fw_posix_cond_timedwait_(&c, &m, &before_the_epoch), ETIMEDOUT);
    assert_int_equal(fw_posix_cond_clockwait_(&c, &m, CLOCK_MONOTONIC, &past), ETIMEDOUT);
    assert_int_equal(fw_posix_cond_timedwait_(&c, &m, &bad), EINVAL);
    assert_int_equal(fw_posix_cond_timedwait_(&c, &m, &negative), EINVAL);
    assert_int_equal(fw_posix_cond_clockwait_(&c, &m, CLOCK_BOOTTIME, &past), EINVAL);
    if (kind->type == PTHREAD_MUTEX_NORMAL)
        assert_int_equal(fw_posix_mutex_trylock_(&m), EBUSY);
    unlock();
}

static void deadlines_pass(void **state)
{
    (void)state;
    on_every_kind(give_up);
}

static void ask_without_holding(const struct kind *kind)
{
    if (kind->type != PTHREAD_MUTEX_NORMAL && kind->type != PTHREAD_MUTEX_ADAPTIVE_NP) {
        assert_int_equal(fw_posix_cond_wait_(&c, &m), EPERM);
        assert_int_equal(fw_posix_cond_timedwait_(&c, &m, &bad), EINVAL); /* looked at first */
    }
    assert_int_equal(fw_posix_cond_signal_(&c), 0);
    assert_int_equal(fw_posix_cond_broadcast_(&c), 0);
}

static void who_holds_no_checked_mutex_is_told(void **state)
{
    (void)state;
    on_every_kind(ask_without_holding);
}

static void *try_from_outside(void *arg)
{
    *(int *)arg = fw_posix_mutex_trylock_(&m);
    return NULL;
}

static int tried_from_outside(void)
{
    pthread_t thread;
    int result;

    assert_int_equal(pthread_create(&thread, NULL, try_from_outside, &result), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    return result;
}

/* A wait releases one level; who holds more keeps the rest. */
static void hold_twice(const struct kind *kind)
{
    if (kind->type != PTHREAD_MUTEX_RECURSIVE)
        return;
    lock();
    lock();
    assert_int_equal(fw_posix_cond_timedwait_(&c, &m, &past), ETIMEDOUT);
    unlock();
    assert_int_equal(tried_from_outside(), EBUSY);
    unlock();
    assert_int_equal(fw_posix_mutex_unlock_(&m), EPERM);
}

static void a_recursive_mutex_keeps_its_count(void **state)
{
    (void)state;
    on_every_kind(hold_twice);
}

static void use_while_waited(const struct kind *kind)
{
    pthread_t thread;

    start(&thread, 1, take_token);
    await(1);
    if (!kind->robust) /* the C library does not look there, either */
        assert_int_equal(fw_posix_mutex_destroy_(&m), EBUSY);
    lock();
    tokens = 1;
    assert_int_equal(fw_posix_cond_signal_(&c), 0);
    unlock();
    join(&thread, 1);
}

static void a_mutex_is_in_use_while_one_waits(void **state)
{
    (void)state;
    on_every_kind(use_while_waited);
}

/* --- Several mutexes ------------------------------------------------------------------------ */

static pthread_mutex_t others[WAITERS];

static void *wait_with_own(void *arg)
{
    pthread_mutex_t *mine = arg;

    fw_posix_mutex_lock_(mine);
    lock();
    waiting++;
    unlock();
    while (__atomic_load_n(&tokens, __ATOMIC_SEQ_CST) == 0)
        if (fw_posix_cond_wait_(&c, mine) != 0)
            return arg;
    return fw_posix_mutex_unlock_(mine) == 0 ? NULL : arg;
}

static void one_variable_serves_several_mutexes(void **state)
{
    pthread_t threads[WAITERS];

    (void)state;
    make(&kinds[0], 0);
    for (int i = 0; i < WAITERS; i++) {
        memset(&others[i], 0, sizeof others[i]);
        assert_int_equal(pthread_create(&threads[i], NULL, wait_with_own, &others[i]), 0);
    }
    await(WAITERS);
    for (int i = 0; i < WAITERS; i++) /* each one waits, then */
        assert_int_equal(fw_posix_mutex_lock_(&others[i]), 0);
    __atomic_store_n(&tokens, 1, __ATOMIC_SEQ_CST);
    assert_int_equal(fw_posix_cond_broadcast_(&c), 0);
    for (int i = 0; i < WAITERS; i++)
        assert_int_equal(fw_posix_mutex_unlock_(&others[i]), 0);
    join(threads, WAITERS);
    assert_int_equal(fw_posix_cond_destroy_(&c), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(signals_and_broadcasts_wake),
        cmocka_unit_test(deadlines_pass),
        cmocka_unit_test(who_holds_no_checked_mutex_is_told),
        cmocka_unit_test(a_recursive_mutex_keeps_its_count),
        cmocka_unit_test(a_mutex_is_in_use_while_one_waits),
        cmocka_unit_test(one_variable_serves_several_mutexes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
