/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <time.h>

#include "rwlock.h"
#include "test/support/testing.h"

/* posix/rwlock.c, rwlock_shared.c and rwlockattr.c: results and error numbers, one thread. */

static const struct timespec past = {1, 0}, before_the_epoch = {-5, 0}, bad = {0, 1000000000},
                             negative = {0, -1};

static pthread_rwlock_t l;

/* All ways in which a lock may begin: three kinds, private and shared. */
enum { KINDS = 3, WAYS = 2 * KINDS };

static void make(int way)
{
    pthread_rwlockattr_t a;

    memset(&l, 0xff, sizeof l);
    assert_int_equal(fw_posix_rwlockattr_init_(&a), 0);
    assert_int_equal(fw_posix_rwlockattr_setkind_(&a, way % KINDS), 0);
    assert_int_equal(fw_posix_rwlockattr_setpshared_(&a, way / KINDS), 0);
    assert_int_equal(fw_posix_rwlock_init_(&l, &a), 0);
    assert_int_equal(fw_posix_rwlockattr_destroy_(&a), 0);
}

/* Runs one call in another thread. */
typedef int call(pthread_rwlock_t *l);

static void *run(void *arg)
{
    call *const *c = arg;

    return (void *)(intptr_t)(*c)(&l);
}

static int elsewhere(call *c)
{
    pthread_t thread;
    void *result;

    assert_int_equal(pthread_create(&thread, NULL, run, &c), 0);
    assert_int_equal(pthread_join(thread, &result), 0);
    return (int)(intptr_t)result;
}

static int rdlock_until_past(pthread_rwlock_t *p)
{
    return fw_posix_rwlock_timedrdlock_(p, &past);
}

static int wrlock_until_past(pthread_rwlock_t *p)
{
    return fw_posix_rwlock_clockwrlock_(p, CLOCK_MONOTONIC, &past);
}

static void assert_free(void)
{
    assert_int_equal(elsewhere(fw_posix_rwlock_trywrlock_), 0);
    assert_int_equal(elsewhere(fw_posix_rwlock_unlock_), 0);
}

static void assert_readers_only(void)
{
    assert_int_equal(elsewhere(fw_posix_rwlock_trywrlock_), EBUSY);
    assert_int_equal(elsewhere(wrlock_until_past), ETIMEDOUT);
    assert_int_equal(elsewhere(fw_posix_rwlock_tryrdlock_), 0);
    assert_int_equal(elsewhere(fw_posix_rwlock_unlock_), 0);
}

static void assert_nobody_gets_in(void)
{
    assert_int_equal(elsewhere(fw_posix_rwlock_trywrlock_), EBUSY);
    assert_int_equal(elsewhere(fw_posix_rwlock_tryrdlock_), EBUSY);
    assert_int_equal(elsewhere(wrlock_until_past), ETIMEDOUT);
    assert_int_equal(elsewhere(rdlock_until_past), ETIMEDOUT);
}

static void attributes_are_kept(void **state)
{
    pthread_rwlockattr_t a;
    int is = -1;

    (void)state;
    memset(&a, 0xff, sizeof a);
    assert_int_equal(fw_posix_rwlockattr_init_(&a), 0);
    assert_int_equal(fw_posix_rwlockattr_getkind_(&a, &is), 0);
    assert_int_equal(is, PTHREAD_RWLOCK_DEFAULT_NP);
    assert_int_equal(fw_posix_rwlockattr_getpshared_(&a, &is), 0);
    assert_int_equal(is, PTHREAD_PROCESS_PRIVATE);
    for (int kind = -1; kind <= 4; kind++) {
        bool good = kind >= 0 && kind < KINDS;

        assert_int_equal(fw_posix_rwlockattr_setkind_(&a, kind), good ? 0 : EINVAL);
        assert_int_equal(fw_posix_rwlockattr_getkind_(&a, &is), 0);
        assert_int_equal(is, kind < 0 ? 0 : good ? kind : KINDS - 1);
    }
    for (int shared = -1; shared <= 2; shared++) {
        bool good = shared == 0 || shared == 1;

        assert_int_equal(fw_posix_rwlockattr_setpshared_(&a, shared), good ? 0 : EINVAL);
        assert_int_equal(fw_posix_rwlockattr_getpshared_(&a, &is), 0);
        assert_int_equal(is, shared < 0 ? 0 : good ? shared : 1);
    }
    assert_int_equal(fw_posix_rwlockattr_destroy_(&a), 0);
}

/* The C library's own reads ours, and the other way round. */
static void attributes_are_the_c_librarys(void **state)
{
    pthread_rwlockattr_t a;
    int is = -1;

    (void)state;
    pthread_rwlockattr_init(&a);
    pthread_rwlockattr_setkind_np(&a, 2);
    pthread_rwlockattr_setpshared(&a, 1);
    assert_int_equal(fw_posix_rwlockattr_getkind_(&a, &is), 0);
    assert_int_equal(is, 2);
    assert_int_equal(fw_posix_rwlockattr_getpshared_(&a, &is), 0);
    assert_int_equal(is, 1);
    assert_int_equal(fw_posix_rwlockattr_setkind_(&a, 1), 0);
    pthread_rwlockattr_getkind_np(&a, &is);
    assert_int_equal(is, 1);
}

static void every_beginning_is_a_free_lock(void **state)
{
    static const pthread_rwlock_t made[] = {PTHREAD_RWLOCK_INITIALIZER,
                                            PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP};

    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        memcpy(&l, &made[i], sizeof l);
        assert_free();
    }
    memset(&l, 0, sizeof l);
    assert_free();
    memset(&l, 0xff, sizeof l);
    assert_int_equal(fw_posix_rwlock_init_(&l, NULL), 0);
    assert_free();
    for (int way = 0; way < WAYS; way++) {
        make(way);
        assert_free();
        assert_int_equal(fw_posix_rwlock_destroy_(&l), 0);
    }
}

static void readers_share(void **state)
{
    (void)state;
    for (int way = 0; way < WAYS; way++) {
        make(way);
        assert_int_equal(fw_posix_rwlock_rdlock_(&l), 0);
        assert_readers_only();
        assert_int_equal(fw_posix_rwlock_timedrdlock_(&l, &past), 0);
        assert_int_equal(fw_posix_rwlock_unlock_(&l), 0);
        assert_readers_only();
        assert_int_equal(fw_posix_rwlock_unlock_(&l), 0);
        assert_free();
    }
}

static void a_writer_is_alone(void **state)
{
    (void)state;
    for (int way = 0; way < WAYS; way++) {
        make(way);
        assert_int_equal(fw_posix_rwlock_wrlock_(&l), 0);
        assert_nobody_gets_in();
        assert_int_equal(fw_posix_rwlock_unlock_(&l), 0);
        assert_free();
        assert_int_equal(fw_posix_rwlock_timedwrlock_(&l, &past), 0);
        assert_nobody_gets_in();
        assert_int_equal(fw_posix_rwlock_unlock_(&l), 0);
        assert_free();
    }
}

static void the_writer_that_asks_again_is_told(void **state)
{
    (void)state;
    for (int way = 0; way < WAYS; way++) {
        make(way);
        assert_int_equal(fw_posix_rwlock_wrlock_(&l), 0);
        assert_int_equal(fw_posix_rwlock_wrlock_(&l), EDEADLK);
        assert_int_equal(fw_posix_rwlock_rdlock_(&l), EDEADLK);
        assert_int_equal(fw_posix_rwlock_timedrdlock_(&l, &past), EDEADLK);
        assert_int_equal(fw_posix_rwlock_timedwrlock_(&l, &past), EDEADLK);
        assert_int_equal(fw_posix_rwlock_timedrdlock_(&l, &bad), EINVAL);
        assert_int_equal(fw_posix_rwlock_tryrdlock_(&l), EBUSY);
        assert_int_equal(fw_posix_rwlock_trywrlock_(&l), EBUSY);
        assert_int_equal(fw_posix_rwlock_unlock_(&l), 0);
        assert_free();
    }
}

/* It waits for itself: until the deadline, here. */
static void a_reader_that_writes_waits(void **state)
{
    (void)state;
    for (int way = 0; way < WAYS; way++) {
        make(way);
        assert_int_equal(fw_posix_rwlock_rdlock_(&l), 0);
        assert_int_equal(fw_posix_rwlock_trywrlock_(&l), EBUSY);
        assert_int_equal(fw_posix_rwlock_timedwrlock_(&l, &past), ETIMEDOUT);
        assert_int_equal(fw_posix_rwlock_timedwrlock_(&l, &before_the_epoch), ETIMEDOUT);
        assert_int_equal(fw_posix_rwlock_unlock_(&l), 0);
        assert_free();
    }
}

static void deadlines_are_looked_at_in_any_case(void **state)
{
    (void)state;
    for (int way = 0; way < WAYS; way++) {
        make(way);
        assert_int_equal(fw_posix_rwlock_timedrdlock_(&l, &bad), EINVAL);
        assert_int_equal(fw_posix_rwlock_timedwrlock_(&l, &negative), EINVAL);
        assert_int_equal(fw_posix_rwlock_clockrdlock_(&l, CLOCK_MONOTONIC, &bad), EINVAL);
        assert_int_equal(fw_posix_rwlock_clockrdlock_(&l, CLOCK_PROCESS_CPUTIME_ID, &past), EINVAL);
        assert_int_equal(fw_posix_rwlock_clockwrlock_(&l, CLOCK_MONOTONIC_RAW, &past), EINVAL);
        assert_free();
        assert_int_equal(fw_posix_rwlock_timedwrlock_(&l, &before_the_epoch), 0);
        assert_int_equal(fw_posix_rwlock_unlock_(&l), 0);
        assert_int_equal(fw_posix_rwlock_clockrdlock_(&l, CLOCK_REALTIME, &past), 0);
        assert_int_equal(fw_posix_rwlock_unlock_(&l), 0);
        assert_free();
    }
}

static void any_thread_may_unlock(void **state)
{
    (void)state;
    for (int way = 0; way < WAYS; way++) {
        make(way);
        assert_int_equal(elsewhere(fw_posix_rwlock_wrlock_), 0);
        assert_int_equal(fw_posix_rwlock_unlock_(&l), 0);
        assert_free();
        assert_int_equal(elsewhere(fw_posix_rwlock_rdlock_), 0);
        assert_int_equal(fw_posix_rwlock_rdlock_(&l), 0);
        assert_int_equal(fw_posix_rwlock_unlock_(&l), 0);
        assert_readers_only();
        assert_int_equal(elsewhere(fw_posix_rwlock_unlock_), 0);
        assert_free();
        assert_int_equal(fw_posix_rwlock_rdlock_(&l), 0);
        assert_int_equal(elsewhere(fw_posix_rwlock_unlock_), 0);
        assert_int_equal(fw_posix_rwlock_wrlock_(&l), 0); /* whoever is noted down as a reader */
        assert_int_equal(fw_posix_rwlock_unlock_(&l), 0);
        assert_free();
    }
}

static void a_free_lock_may_be_unlocked(void **state)
{
    (void)state;
    for (int way = 0; way < WAYS; way++) {
        make(way);
        assert_int_equal(fw_posix_rwlock_unlock_(&l), 0);
        assert_free();
        assert_int_equal(fw_posix_rwlock_rdlock_(&l), 0);
        assert_readers_only();
        assert_int_equal(fw_posix_rwlock_unlock_(&l), 0);
    }
}

static void a_held_lock_may_be_destroyed(void **state)
{
    (void)state;
    for (int way = 0; way < WAYS; way++) {
        make(way);
        assert_int_equal(fw_posix_rwlock_wrlock_(&l), 0);
        assert_int_equal(fw_posix_rwlock_destroy_(&l), 0);
    }
}

static void too_many_readers_are_refused(void **state)
{
    struct fw_posix_rwlock_ *p = (struct fw_posix_rwlock_ *)&l;

    (void)state;
    for (int way = 0; way < WAYS; way++) {
        make(way);
        if (way < KINDS)
            p->lock.state_ = UINT64_C(0xffffff) * FW_RWLOCK_READ_;
        else
            p->word = (UINT32_C(1) << 28) - 1;
        assert_int_equal(fw_posix_rwlock_rdlock_(&l), EAGAIN);
        assert_int_equal(fw_posix_rwlock_tryrdlock_(&l), EAGAIN);
        assert_int_equal(fw_posix_rwlock_timedrdlock_(&l, &past), EAGAIN);
        assert_int_equal(fw_posix_rwlock_unlock_(&l), 0);
        assert_int_equal(fw_posix_rwlock_rdlock_(&l), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(attributes_are_kept),
        cmocka_unit_test(attributes_are_the_c_librarys),
        cmocka_unit_test(every_beginning_is_a_free_lock),
        cmocka_unit_test(readers_share),
        cmocka_unit_test(a_writer_is_alone),
        cmocka_unit_test(the_writer_that_asks_again_is_told),
        cmocka_unit_test(a_reader_that_writes_waits),
        cmocka_unit_test(deadlines_are_looked_at_in_any_case),
        cmocka_unit_test(any_thread_may_unlock),
        cmocka_unit_test(a_free_lock_may_be_unlocked),
        cmocka_unit_test(a_held_lock_may_be_destroyed),
        cmocka_unit_test(too_many_readers_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
