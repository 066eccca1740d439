/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "barrier.h"
#include "test/support/sleeper.h"
#include "test/support/testing.h"

/* posix/barrier.c, with threads and with processes. */

struct ground {
    pthread_barrier_t b;
    unsigned arrived;
    unsigned serial;
    volatile pid_t tid;
    volatile bool done;
};

static struct ground *g;

enum { MANY = 5, ROUNDS = 500 };

static void make(unsigned count, int shared)
{
    pthread_barrierattr_t a;

    memset((void *)g, 0xff, sizeof *g);
    assert_int_equal(fw_posix_barrierattr_init_(&a), 0);
    assert_int_equal(fw_posix_barrierattr_setpshared_(&a, shared), 0);
    assert_int_equal(fw_posix_barrier_init_(&g->b, &a, count), 0);
    assert_int_equal(fw_posix_barrierattr_destroy_(&a), 0);
    g->arrived = g->serial = 0;
    __atomic_store_n(&g->tid, 0, __ATOMIC_RELEASE);
    __atomic_store_n(&g->done, false, __ATOMIC_RELEASE);
}

static void attributes_are_kept(void **state)
{
    pthread_barrierattr_t a;
    int is = -1;

    (void)state;
    memset(&a, 0xff, sizeof a);
    assert_int_equal(fw_posix_barrierattr_init_(&a), 0);
    for (int shared = -1; shared <= 2; shared++) {
        bool good = shared == 0 || shared == 1;

        assert_int_equal(fw_posix_barrierattr_setpshared_(&a, shared), good ? 0 : EINVAL);
        assert_int_equal(fw_posix_barrierattr_getpshared_(&a, &is), 0);
        assert_int_equal(is, shared < 0 ? 0 : good ? shared : 1);
    }
}

static void counts_have_the_c_librarys_limits(void **state)
{
    (void)state;
    assert_int_equal(fw_posix_barrier_init_(&g->b, NULL, 0), EINVAL);
    assert_int_equal(fw_posix_barrier_init_(&g->b, NULL, INT_MAX), EINVAL);
    assert_int_equal(fw_posix_barrier_init_(&g->b, NULL, UINT_MAX), EINVAL);
    assert_int_equal(fw_posix_barrier_init_(&g->b, NULL, INT_MAX - 1), 0);
    assert_int_equal(fw_posix_barrier_destroy_(&g->b), 0);
}

static void one_party_waits_for_nobody(void **state)
{
    (void)state;
    for (int shared = 0; shared < 2; shared++) {
        make(1, shared);
        for (unsigned i = 0; i < 3; i++)
            assert_int_equal(fw_posix_barrier_wait_(&g->b), PTHREAD_BARRIER_SERIAL_THREAD);
        assert_int_equal(fw_posix_barrier_destroy_(&g->b), 0);
    }
}

static void *go_round(void *arg)
{
    unsigned per_round = (unsigned)(uintptr_t)arg;

    for (unsigned i = 1; i <= ROUNDS; i++) {
        int result;

        __atomic_add_fetch(&g->arrived, 1, __ATOMIC_RELAXED);
        result = fw_posix_barrier_wait_(&g->b);
        if (__atomic_load_n(&g->arrived, __ATOMIC_RELAXED) < i * per_round)
            return (void *)1;
        if (result == PTHREAD_BARRIER_SERIAL_THREAD)
            __atomic_add_fetch(&g->serial, 1, __ATOMIC_RELAXED);
        else if (result != 0)
            return (void *)2;
    }
    return NULL;
}

static void nobody_leaves_before_all_have_come(void **state)
{
    (void)state;
    for (int shared = 0; shared < 2; shared++) {
        pthread_t threads[MANY];
        void *wrong;

        make(MANY, shared);
        for (unsigned i = 0; i < MANY; i++)
            pthread_create(&threads[i], NULL, go_round, (void *)MANY);
        for (unsigned i = 0; i < MANY; i++) {
            pthread_join(threads[i], &wrong);
            assert_null(wrong);
        }
        assert_int_equal(g->serial, ROUNDS);
        assert_int_equal(fw_posix_barrier_destroy_(&g->b), 0);
    }
}

static void processes_meet(void **state)
{
    pid_t children[2];

    (void)state;
    make(3, 1);
    for (unsigned i = 0; i < 2; i++) {
        children[i] = fork();
        if (children[i] == 0)
            _exit(go_round((void *)3) != NULL);
    }
    assert_null(go_round((void *)3));
    for (unsigned i = 0; i < 2; i++) {
        int status;

        assert_int_equal(waitpid(children[i], &status, 0), children[i]);
        assert_int_equal(status, 0);
    }
    assert_int_equal(g->serial, ROUNDS);
    assert_int_equal(fw_posix_barrier_destroy_(&g->b), 0);
}

static void *come(void *arg)
{
    (void)arg;
    __atomic_store_n(&g->tid, gettid(), __ATOMIC_RELEASE);
    if (fw_posix_barrier_wait_(&g->b) == PTHREAD_BARRIER_SERIAL_THREAD)
        __atomic_add_fetch(&g->serial, 1, __ATOMIC_RELAXED);
    __atomic_store_n(&g->done, true, __ATOMIC_RELEASE);
    return NULL;
}

/* The C library's barrier is one for whoever comes. */
static void more_may_come_than_are_awaited(void **state)
{
    enum { CROWD = 6 };
    pthread_t threads[CROWD];

    (void)state;
    for (int round = 0; round < 100; round++) {
        make(2, round % 2);
        for (unsigned i = 0; i < CROWD; i++)
            pthread_create(&threads[i], NULL, come, NULL);
        for (unsigned i = 0; i < CROWD; i++)
            pthread_join(threads[i], NULL);
        assert_int_equal(g->serial, CROWD / 2);
        assert_int_equal(fw_posix_barrier_destroy_(&g->b), 0);
    }
}

static void a_barrier_in_use_is_not_destroyed(void **state)
{
    pthread_t thread;

    (void)state;
    for (int shared = 0; shared < 2; shared++) {
        make(2, shared);
        pthread_create(&thread, NULL, come, NULL);
        await_asleep(getpid(), (const pid_t *)&g->tid, (const bool *)&g->done);
        assert_false(__atomic_load_n(&g->done, __ATOMIC_ACQUIRE));
        assert_int_equal(fw_posix_barrier_destroy_(&g->b), EBUSY);
        assert_int_equal(fw_posix_barrier_wait_(&g->b), PTHREAD_BARRIER_SERIAL_THREAD);
        pthread_join(thread, NULL);
        assert_int_equal(fw_posix_barrier_destroy_(&g->b), 0);
    }
}

static void *meet(void *arg)
{
    return fw_posix_barrier_wait_(arg) == PTHREAD_BARRIER_SERIAL_THREAD ? arg : NULL;
}

/* Whoever has returned may destroy it, and free it: the others may still be on their way out. */
static void it_may_be_freed_after_destroy(void **state)
{
    (void)state;
    for (int i = 0; i < 1000; i++) {
        pthread_barrier_t *b = malloc(sizeof *b);
        pthread_t threads[2];

        fw_posix_barrier_init_(b, NULL, 3);
        for (unsigned k = 0; k < 2; k++)
            pthread_create(&threads[k], NULL, meet, b);
        fw_posix_barrier_wait_(b);
        assert_int_equal(fw_posix_barrier_destroy_(b), 0);
        memset(b, 0xaa, sizeof *b);
        free(b);
        for (unsigned k = 0; k < 2; k++)
            pthread_join(threads[k], NULL);
    }
}

static void numbers_of_rounds_go_round(void **state)
{
    struct fw_posix_barrier_ *b = (struct fw_posix_barrier_ *)&g->b;
    pthread_t threads[2];
    void *wrong;

    (void)state;
    make(2, 0);
    b->in = b->out = (UINT64_C(1) << 31) - 20; /* the 30 bits of a round overflow after 10 */
    b->done = (uint32_t)((b->in / 2) << 2);
    for (unsigned i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, go_round, (void *)2);
    for (unsigned i = 0; i < 2; i++) {
        pthread_join(threads[i], &wrong);
        assert_null(wrong);
    }
    assert_int_equal(g->serial, ROUNDS);
}

static int map(void **state)
{
    (void)state;
    g = mmap(NULL, sizeof *g, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return g == MAP_FAILED ? -1 : 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(attributes_are_kept),
        cmocka_unit_test(counts_have_the_c_librarys_limits),
        cmocka_unit_test(one_party_waits_for_nobody),
        cmocka_unit_test(nobody_leaves_before_all_have_come),
        cmocka_unit_test(processes_meet),
        cmocka_unit_test(more_may_come_than_are_awaited),
        cmocka_unit_test(a_barrier_in_use_is_not_destroyed),
        cmocka_unit_test(it_may_be_freed_after_destroy),
        cmocka_unit_test(numbers_of_rounds_go_round),
    };
    return cmocka_run_group_tests(tests, map, NULL);
}
