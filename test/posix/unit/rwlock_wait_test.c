/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "rwlock.h"
#include "test/support/sleeper.h"
#include "test/support/testing.h"

/* posix/rwlock.c and rwlock_shared.c: those who wait, in threads and in processes. */

static const struct timespec past = {1, 0};

/* In memory that forked children see. */
struct ground {
    pthread_rwlock_t l;
    volatile pid_t tid; /* of who waits */
    volatile bool done;
    volatile long n[2];
};

static struct ground *g;

enum { KINDS = 3, WAYS = 2 * KINDS, PREFER_WRITERS = 2 };

static void make(int way)
{
    pthread_rwlockattr_t a;

    fw_posix_rwlockattr_init_(&a);
    fw_posix_rwlockattr_setkind_(&a, way % KINDS);
    fw_posix_rwlockattr_setpshared_(&a, way / KINDS);
    memset((void *)g, 0, sizeof *g);
    assert_int_equal(fw_posix_rwlock_init_(&g->l, &a), 0);
}

/* --- One who waits ---------------------------------------------------------------------------- */

static void *write_once(void *arg)
{
    (void)arg;
    __atomic_store_n(&g->tid, gettid(), __ATOMIC_RELEASE);
    if (fw_posix_rwlock_wrlock_(&g->l) == 0) {
        g->n[0]++;
        fw_posix_rwlock_unlock_(&g->l);
    }
    __atomic_store_n(&g->done, true, __ATOMIC_RELEASE);
    return NULL;
}

static void *read_once(void *arg)
{
    (void)arg;
    __atomic_store_n(&g->tid, gettid(), __ATOMIC_RELEASE);
    if (fw_posix_rwlock_rdlock_(&g->l) == 0) {
        g->n[1]++;
        fw_posix_rwlock_unlock_(&g->l);
    }
    __atomic_store_n(&g->done, true, __ATOMIC_RELEASE);
    return NULL;
}

static void *write_for_a_while(void *arg)
{
    fw_deadline d = deadline_in(CLOCK_MONOTONIC, 30000000);
    intptr_t result;

    (void)arg;
    __atomic_store_n(&g->tid, gettid(), __ATOMIC_RELEASE);
    result = fw_posix_rwlock_clockwrlock_(&g->l, CLOCK_MONOTONIC, &d.at);
    __atomic_store_n(&g->done, true, __ATOMIC_RELEASE);
    return (void *)result;
}

/* Returns when the thread sleeps, or has returned already. */
static pthread_t start(void *(*wait)(void *))
{
    pthread_t thread;

    __atomic_store_n(&g->tid, 0, __ATOMIC_RELEASE);
    __atomic_store_n(&g->done, false, __ATOMIC_RELEASE);
    assert_int_equal(pthread_create(&thread, NULL, wait, NULL), 0);
    await_asleep(getpid(), (const pid_t *)&g->tid, (const bool *)&g->done);
    return thread;
}

static pthread_t begin(void *(*wait)(void *))
{
    pthread_t thread = start(wait);

    assert_false(__atomic_load_n(&g->done, __ATOMIC_ACQUIRE));
    return thread;
}

static pid_t begin_in_child(void *(*wait)(void *))
{
    pid_t child;

    __atomic_store_n(&g->tid, 0, __ATOMIC_RELEASE);
    __atomic_store_n(&g->done, false, __ATOMIC_RELEASE);
    child = fork();
    if (child == 0) {
        wait(NULL);
        _exit(0);
    }
    await_asleep(child, (const pid_t *)&g->tid, (const bool *)&g->done);
    assert_false(__atomic_load_n(&g->done, __ATOMIC_ACQUIRE));
    return child;
}

static void end_child(pid_t child, int expected)
{
    int status;

    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, expected);
}

static void a_release_lets_in_who_waits(void **state)
{
    (void)state;
    for (int way = 0; way < WAYS; way++) {
        pthread_t thread;

        make(way);
        fw_posix_rwlock_wrlock_(&g->l);
        thread = begin(read_once);
        fw_posix_rwlock_unlock_(&g->l);
        pthread_join(thread, NULL);
        fw_posix_rwlock_rdlock_(&g->l);
        thread = begin(write_once);
        fw_posix_rwlock_unlock_(&g->l);
        pthread_join(thread, NULL);
        assert_int_equal(g->n[0] + g->n[1], 2);
    }
}

static void reading_again_while_a_writer_waits(void **state)
{
    (void)state;
    for (int way = 0; way < WAYS; way++) {
        bool waits = way % KINDS == PREFER_WRITERS;
        pthread_t thread;

        make(way);
        fw_posix_rwlock_rdlock_(&g->l);
        thread = begin(write_once);
        assert_int_equal(fw_posix_rwlock_tryrdlock_(&g->l), waits ? EBUSY : 0);
        assert_int_equal(fw_posix_rwlock_timedrdlock_(&g->l, &past), waits ? ETIMEDOUT : 0);
        if (!waits) {
            assert_int_equal(fw_posix_rwlock_rdlock_(&g->l), 0);
            for (int i = 0; i < 3; i++)
                assert_int_equal(fw_posix_rwlock_unlock_(&g->l), 0);
        }
        assert_false(__atomic_load_n(&g->done, __ATOMIC_ACQUIRE));
        assert_int_equal(fw_posix_rwlock_unlock_(&g->l), 0);
        pthread_join(thread, NULL);
    }
}

static void a_writer_that_has_given_up_keeps_nobody_out(void **state)
{
    (void)state;
    for (int way = 0; way < WAYS; way++) {
        pthread_t thread;
        void *result;

        make(way);
        fw_posix_rwlock_rdlock_(&g->l);
        thread = start(write_for_a_while); /* on a busy machine its time may be over */
        pthread_join(thread, &result);
        assert_int_equal((intptr_t)result, ETIMEDOUT);
        assert_int_equal(fw_posix_rwlock_rdlock_(&g->l), 0);
        fw_posix_rwlock_unlock_(&g->l);
        fw_posix_rwlock_unlock_(&g->l);
        assert_int_equal(fw_posix_rwlock_trywrlock_(&g->l), 0);
        fw_posix_rwlock_unlock_(&g->l);
    }
}

/* --- Between processes ------------------------------------------------------------------------ */

static void processes_wait_for_each_other(void **state)
{
    (void)state;
    for (int way = KINDS; way < WAYS; way++) {
        pid_t child;

        make(way);
        fw_posix_rwlock_wrlock_(&g->l); /* by a thread whose number the child once had */
        child = begin_in_child(write_once);
        fw_posix_rwlock_unlock_(&g->l);
        end_child(child, 0);
        fw_posix_rwlock_wrlock_(&g->l);
        child = begin_in_child(read_once);
        fw_posix_rwlock_unlock_(&g->l);
        end_child(child, 0);
        assert_int_equal(g->n[0] + g->n[1], 2);
    }
}

static void a_waiter_that_is_killed_costs_no_wake(void **state)
{
    (void)state;
    for (int way = KINDS; way < WAYS; way++) {
        pid_t child;
        pthread_t thread;

        make(way);
        fw_posix_rwlock_rdlock_(&g->l);
        child = begin_in_child(write_once);
        thread = begin(write_once);
        kill(child, SIGKILL);
        end_child(child, SIGKILL);
        fw_posix_rwlock_unlock_(&g->l);
        pthread_join(thread, NULL);
        assert_int_equal(fw_posix_rwlock_tryrdlock_(&g->l), 0);
        fw_posix_rwlock_unlock_(&g->l);
    }
}

static void a_lock_of_others_stops_the_program(void **state)
{
    pid_t child;

    (void)state;
    make(KINDS);
    ((struct fw_posix_rwlock_ *)&g->l)->magic = 0;
    child = fork();
    if (child == 0) {
        close(STDERR_FILENO);
        fw_posix_rwlock_rdlock_(&g->l);
        _exit(0);
    }
    assert_int_equal(waitpid(child, (int *)&g->n[0], 0), child);
    assert_true(WIFSIGNALED((int)g->n[0]) && WTERMSIG((int)g->n[0]) == SIGABRT);
}

/* A child goes on with a copy of a private lock, which it holds. */
static void a_forked_child_has_what_it_held(void **state)
{
    (void)state;
    for (int way = 0; way < KINDS; way++) {
        pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
        pid_t child;

        ((struct fw_posix_rwlock_ *)&l)->kind = (uint32_t)way;
        fw_posix_rwlock_wrlock_(&l);
        child = fork();
        if (child == 0)
            _exit(fw_posix_rwlock_wrlock_(&l) != EDEADLK || fw_posix_rwlock_unlock_(&l) != 0 ||
                  fw_posix_rwlock_tryrdlock_(&l) != 0);
        end_child(child, 0);
        fw_posix_rwlock_unlock_(&l);
    }
}

/* --- Many */

enum { MANY = 4, ROUNDS = 4000 };

static void *mix(void *arg)
{
    unsigned seed = (unsigned)(uintptr_t)arg;
    uintptr_t wrong = 0;

    for (int i = 0; i < ROUNDS; i++) {
        bool writes = rand_r(&seed) % 4 == 0;
        fw_deadline d = deadline_in(CLOCK_REALTIME, rand_r(&seed) % 20000);
        int error;

        if (rand_r(&seed) % 2 == 0)
            error = writes ? fw_posix_rwlock_wrlock_(&g->l) : fw_posix_rwlock_rdlock_(&g->l);
        else
            error = writes ? fw_posix_rwlock_timedwrlock_(&g->l, &d.at)
                           : fw_posix_rwlock_timedrdlock_(&g->l, &d.at);
        wrong += error != 0 && error != ETIMEDOUT;
        if (error != 0)
            continue;
        wrong += g->n[0] != g->n[1];
        if (writes) {
            g->n[0]++;
            if (rand_r(&seed) % 8 == 0)
                sched_yield();
            g->n[1]++;
        }
        fw_posix_rwlock_unlock_(&g->l);
    }
    return (void *)wrong;
}

static void writers_are_alone_among_many(void **state)
{
    (void)state;
    for (int way = 0; way < WAYS; way++) {
        pthread_t threads[MANY];
        pid_t child = -1;
        void *wrong;

        make(way);
        if (way >= KINDS)
            child = fork();
        for (uintptr_t i = 0; i < MANY; i++)
            pthread_create(&threads[i], NULL, mix, (void *)(i + (child == 0 ? MANY : 0) + 1));
        for (unsigned i = 0; i < MANY; i++) {
            pthread_join(threads[i], &wrong);
            if (child == 0 && wrong != NULL)
                _exit(1);
            assert_null(wrong);
        }
        if (child == 0)
            _exit(0);
        if (child > 0)
            end_child(child, 0);
        assert_int_equal(fw_posix_rwlock_trywrlock_(&g->l), 0);
        assert_int_equal(g->n[0], g->n[1]);
    }
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
        cmocka_unit_test(a_release_lets_in_who_waits),
        cmocka_unit_test(reading_again_while_a_writer_waits),
        cmocka_unit_test(a_writer_that_has_given_up_keeps_nobody_out),
        cmocka_unit_test(processes_wait_for_each_other),
        cmocka_unit_test(a_waiter_that_is_killed_costs_no_wake),
        cmocka_unit_test(a_lock_of_others_stops_the_program),
        cmocka_unit_test(a_forked_child_has_what_it_held),
        cmocka_unit_test(writers_are_alone_among_many),
    };
    return cmocka_run_group_tests(tests, map, NULL);
}
