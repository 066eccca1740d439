/* SPDX-License-Identifier: MIT */
#include "cond_kinds.h"

/* posix/cond.c with the real kernel: threads that are cancelled, and owners that die. */

/* --- Cancellation --------------------------------------------------------------------------- */

static void unlock_it(void *arg)
{
    (void)arg;
    waiting--;
    if (fw_posix_mutex_unlock_(&m) != 0)
        waiting = -100;
}

static void *wait_for_ever(void *arg)
{
    lock();
    waiting++;
    pthread_cleanup_push(unlock_it, NULL);
    for (;;)
        fw_posix_cond_wait_(&c, &m);
    pthread_cleanup_pop(0);
    return arg;
}

static void cancel_them(const struct kind *kind)
{
    pthread_t threads[WAITERS];

    (void)kind;
    start(threads, WAITERS, wait_for_ever);
    await(WAITERS);
    for (int i = 0; i < WAITERS; i++)
        assert_int_equal(pthread_cancel(threads[i]), 0);
    join(threads, WAITERS);
    assert_int_equal(waiting, 0);
    lock();
    unlock();
}

static void the_cancelled_hold_their_mutex(void **state)
{
    (void)state;
    on_every_kind(cancel_them);
}

static void *cancelled_at_once(void *arg)
{
    pthread_cancel(pthread_self());
    return wait_for_ever(arg);
}

static void cancel_at_once(const struct kind *kind)
{
    pthread_t thread;

    (void)kind;
    start(&thread, 1, cancelled_at_once);
    join(&thread, 1);
    assert_int_equal(waiting, 0);
}

static void waits_are_cancellation_points(void **state)
{
    (void)state;
    on_every_kind(cancel_at_once);
}

/* --- Owners that die -------------------------------------------------------------------------- */

static void *die_with_it(void *arg)
{
    (void)arg;
    lock();
    tokens = 1;
    fw_posix_cond_signal_(&c);
    return NULL;
}

static void *wait_for_the_dead(void *arg)
{
    int *result = arg;

    lock();
    waiting++;
    *result = fw_posix_cond_wait_(&c, &m);
    if (*result == EOWNERDEAD)
        fw_posix_mutex_consistent_(&m);
    unlock();
    return NULL;
}

static void inherit_from_the_dead(const struct kind *kind)
{
    pthread_t waiter, owner;
    int result = -1;

    if (!kind->robust)
        return;
    assert_int_equal(pthread_create(&waiter, NULL, wait_for_the_dead, &result), 0);
    await(1);
    assert_int_equal(pthread_create(&owner, NULL, die_with_it, NULL), 0);
    assert_int_equal(pthread_join(owner, NULL), 0);
    assert_int_equal(pthread_join(waiter, NULL), 0);
    assert_int_equal(result, EOWNERDEAD);
}

static void a_wait_returns_what_lock_does(void **state)
{
    (void)state;
    on_every_kind(inherit_from_the_dead);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_cancelled_hold_their_mutex),
        cmocka_unit_test(waits_are_cancellation_points),
        cmocka_unit_test(a_wait_returns_what_lock_does),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
