/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "spin.h"
#include "test/support/testing.h"

/* posix/spin.c */

enum { THREADS = 4, ROUNDS = 20000 };

struct ground {
    pthread_spinlock_t l;
    volatile long n;
};

static struct ground *g;

static void every_beginning_is_a_free_lock(void **state)
{
    pthread_spinlock_t l = 77;

    (void)state;
    assert_int_equal(fw_posix_spin_init_(&l, PTHREAD_PROCESS_PRIVATE), 0);
    assert_int_equal(fw_posix_spin_trylock_(&l), 0);
    assert_int_equal(fw_posix_spin_init_(&l, PTHREAD_PROCESS_SHARED), 0); /* though it was held */
    assert_int_equal(fw_posix_spin_trylock_(&l), 0);
    pthread_spin_init(&l, 0); /* the C library's */
    assert_int_equal(fw_posix_spin_lock_(&l), 0);
    assert_int_equal(fw_posix_spin_trylock_(&l), EBUSY);
    l = 0;
    assert_int_equal(fw_posix_spin_lock_(&l), 0);
    assert_int_equal(fw_posix_spin_destroy_(&l), 0);
}

static void one_has_it(void **state)
{
    pthread_spinlock_t l;

    (void)state;
    fw_posix_spin_init_(&l, 0);
    assert_int_equal(fw_posix_spin_lock_(&l), 0);
    assert_int_equal(fw_posix_spin_trylock_(&l), EBUSY);
    assert_int_equal(fw_posix_spin_unlock_(&l), 0);
    assert_int_equal(fw_posix_spin_trylock_(&l), 0);
    assert_int_equal(fw_posix_spin_unlock_(&l), 0);
    assert_int_equal(fw_posix_spin_unlock_(&l), 0); /* of a free one: nothing */
    assert_int_equal(fw_posix_spin_trylock_(&l), 0);
}

static void *count(void *arg)
{
    (void)arg;
    for (int i = 0; i < ROUNDS; i++) {
        fw_posix_spin_lock_(&g->l);
        g->n++;
        if (i % 4096 == 0)
            sched_yield();
        fw_posix_spin_unlock_(&g->l);
    }
    return NULL;
}

static void threads_and_processes_count(void **state)
{
    pthread_t threads[THREADS];
    int status;
    pid_t child;

    (void)state;
    fw_posix_spin_init_(&g->l, PTHREAD_PROCESS_SHARED);
    g->n = 0;
    child = fork();
    if (child == 0) {
        count(NULL);
        _exit(0);
    }
    for (unsigned i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, count, NULL);
    for (unsigned i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(g->n, (THREADS + 1) * ROUNDS);
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
        cmocka_unit_test(every_beginning_is_a_free_lock),
        cmocka_unit_test(one_has_it),
        cmocka_unit_test(threads_and_processes_count),
    };
    return cmocka_run_group_tests(tests, map, NULL);
}
