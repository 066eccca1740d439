/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "mutex.h"
#include "object.h"
#include "rwlock.h"
#include "spin.h"
#include "test/support/child.h"
#include "test/support/unit.h"

/*
 * What differential/ cannot compare: counts at their limit, which no program reaches by calls; and
 * what POSIX leaves undefined, where the C library does harm and the drop-in does not.
 */

static const struct timespec past = {1, 0};

TEST(a_recursive_mutex_does_not_count_too_far)
{
    pthread_mutex_t m = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

    assert_int_equal(fw_posix_mutex_lock_(&m), 0);
    fw_posix_mutex_(&m)->count = UINT32_MAX;
    assert_int_equal(fw_posix_mutex_lock_(&m), EAGAIN);
    assert_int_equal(fw_posix_mutex_trylock_(&m), EAGAIN);
    assert_int_equal(fw_posix_mutex_unlock_(&m), 0);
}

TEST(a_free_mutex_may_be_unlocked)
{
    pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

    assert_int_equal(fw_posix_mutex_unlock_(&m), 0);
    assert_int_equal(fw_posix_mutex_trylock_(&m), 0);
    assert_int_equal(fw_posix_mutex_trylock_(&m), EBUSY);
    assert_int_equal(fw_posix_mutex_unlock_(&m), 0);
}

TEST(a_free_spin_lock_may_be_unlocked)
{
    pthread_spinlock_t l = 0;

    assert_int_equal(fw_posix_spin_unlock_(&l), 0);
    assert_int_equal(fw_posix_spin_trylock_(&l), 0);
    assert_int_equal(fw_posix_spin_init_(&l, PTHREAD_PROCESS_SHARED), 0); /* though it is held */
    assert_int_equal(fw_posix_spin_trylock_(&l), 0);
    pthread_spin_init(&l, 0); /* the C library's */
    assert_int_equal(fw_posix_spin_lock_(&l), 0);
    assert_int_equal(fw_posix_spin_trylock_(&l), EBUSY);
}

enum { THREADS = 4, ROUNDS = 20000 };

static struct spun {
    pthread_spinlock_t l;
    volatile long n;
} * spun;

static void *count(void *arg)
{
    for (int i = 0; i < ROUNDS; i++) {
        fw_posix_spin_lock_(&spun->l);
        spun->n++;
        if (i % 4096 == 0)
            sched_yield();
        fw_posix_spin_unlock_(&spun->l);
    }
    return arg;
}

static void count_and_end(void *arg)
{
    count(arg);
    _exit(0);
}

TEST(threads_and_processes_spin)
{
    pthread_t threads[THREADS];
    pid_t child;

    spun = share(sizeof *spun);
    child = start(count_and_end, NULL);
    for (unsigned i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, count, NULL), 0);
    for (unsigned i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    finish(child);
    assert_int_equal(spun->n, (THREADS + 1) * ROUNDS);
}

/* --- Read-write locks: three kinds, private and shared --------------------------------------- */

enum { KINDS = 3 };

static pthread_rwlock_t l;

static void on_every_kind(void (*test)(int kind, bool is_shared))
{
    for (int kind = 0; kind < KINDS; kind++)
        for (int shared = 0; shared < 2; shared++) {
            pthread_rwlockattr_t a;

            memset(&l, 0xff, sizeof l);
            assert_int_equal(fw_posix_rwlockattr_init_(&a), 0);
            assert_int_equal(fw_posix_rwlockattr_setkind_(&a, kind), 0);
            assert_int_equal(fw_posix_rwlockattr_setpshared_(&a, shared), 0);
            assert_int_equal(fw_posix_rwlock_init_(&l, &a), 0);
            test(kind, shared == 1);
            assert_int_equal(fw_posix_rwlock_destroy_(&l), 0); /* even if it is held */
        }
}

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

static void assert_free(void)
{
    assert_int_equal(elsewhere(fw_posix_rwlock_trywrlock_), 0);
    assert_int_equal(elsewhere(fw_posix_rwlock_unlock_), 0);
}

static void unlock_from_anywhere(int kind, bool is_shared)
{
    static call *const takes[] = {fw_posix_rwlock_wrlock_, fw_posix_rwlock_rdlock_};

    (void)kind;
    (void)is_shared;
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(elsewhere(takes[i]), 0);
        assert_int_equal(fw_posix_rwlock_unlock_(&l), 0);
        assert_free();
    }
    assert_int_equal(elsewhere(fw_posix_rwlock_rdlock_), 0);
    assert_int_equal(fw_posix_rwlock_rdlock_(&l), 0);
    assert_int_equal(fw_posix_rwlock_unlock_(&l), 0);
    assert_int_equal(elsewhere(fw_posix_rwlock_trywrlock_), EBUSY);
    assert_int_equal(elsewhere(fw_posix_rwlock_unlock_), 0);
    assert_free();
    assert_int_equal(fw_posix_rwlock_rdlock_(&l), 0);
    assert_int_equal(elsewhere(fw_posix_rwlock_unlock_), 0);
    assert_int_equal(fw_posix_rwlock_wrlock_(&l), 0); /* whoever is noted down as a reader */
    assert_int_equal(fw_posix_rwlock_unlock_(&l), 0);
    assert_int_equal(fw_posix_rwlock_unlock_(&l), 0); /* nobody's */
    assert_free();
    assert_int_equal(fw_posix_rwlock_wrlock_(&l), 0);
}

TEST(any_thread_may_unlock_an_rwlock)
{
    on_every_kind(unlock_from_anywhere);
}

static void read_once_too_often(int kind, bool is_shared)
{
    struct fw_posix_rwlock_ *p = (struct fw_posix_rwlock_ *)&l;

    (void)kind;
    if (is_shared)
        p->word = (UINT32_C(1) << 28) - 1;
    else
        p->lock.state_ = UINT64_C(0xffffff) * FW_RWLOCK_READ_;
    assert_int_equal(fw_posix_rwlock_rdlock_(&l), EAGAIN);
    assert_int_equal(fw_posix_rwlock_tryrdlock_(&l), EAGAIN);
    assert_int_equal(fw_posix_rwlock_timedrdlock_(&l, &past), EAGAIN);
    assert_int_equal(fw_posix_rwlock_unlock_(&l), 0);
    assert_int_equal(fw_posix_rwlock_rdlock_(&l), 0);
}

TEST(too_many_readers_are_refused)
{
    on_every_kind(read_once_too_often);
}

/* The C library's own reads ours, and the other way round. */
TEST(attributes_are_the_c_librarys)
{
    pthread_rwlockattr_t a;
    int is = -1;

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

UNIT_MAIN(NULL, NULL)
