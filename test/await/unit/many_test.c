/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/resource.h>

#include <furwock/await.h>

#include "sys/clock.h"
#include "test/support/unit.h"

/* Many at once: deadlines in a loop, loops at a mutex, operations that outlive their thread. */

enum { DEADLINES = 100000, LOOPS = 1000, ROUNDS = 20 };

static fw_mutex mutex;
static uint64_t inside, n_done, n_timed_out;

static void count(fw_await *op, int error)
{
    (void)op;
    n_done++;
    n_timed_out += error == ETIMEDOUT;
}

TEST(a_hundred_thousand_deadlines)
{
    fw_await *ops = calloc(DEADLINES, sizeof *ops);
    fw_sem sem = FW_SEM_INIT(0);
    uint64_t n_waiting = 0;
    fw_loop *loop;
    int error;

    assert_non_null(ops);
    assert_int_equal(fw_loop_create(&loop, NULL), 0);
    srand(3);
    for (unsigned i = 0; i < DEADLINES; i++) {
        fw_deadline at = fw_deadline_in_(i % 2 == 0 ? CLOCK_MONOTONIC : CLOCK_REALTIME,
                                         1000000u + (uint64_t)rand() % 100000000u);

        fw_await_init(&ops[i], loop, 0, count);
        error = fw_await_sem(&ops[i], &sem, &at);
        assert_true(error == EINPROGRESS || error == ETIMEDOUT);
    }
    for (unsigned i = 0; i < DEADLINES; i += 3) { /* a third is cancelled, if it is not late */
        fw_loop_run(loop, 1);
        if (fw_await_poll(&ops[i]) == EINPROGRESS)
            assert_true(fw_await_cancel(&ops[i]));
    }
    assert_int_equal(fw_sem_post_n(&sem, 1000), 0);
    for (unsigned i = 0; i < DEADLINES; i++)
        n_waiting += fw_await_poll(&ops[i]) == EINPROGRESS; /* takes what was granted */
    while (fw_loop_destroy(loop) == EBUSY) {
        fw_loop_wait(loop, NULL);
        fw_loop_run(loop, 0);
    }
    assert_true(n_timed_out >= n_waiting);
    assert_true(n_timed_out == n_done);
    assert_true(sem.state_ <= 1000);
    free(ops);
}

struct member {
    fw_await op; /* first */
    fw_loop *loop;
    fw_task task;
    unsigned rounds;
};

static void submit(struct member *m);

static void has_mutex(fw_await *op, int error)
{
    struct member *m = (struct member *)op;

    assert_int_equal(error, 0);
    assert_true(++inside == 1);
    inside--;
    m->rounds++;
    fw_task_mutex_unlock(&mutex, m->task);
    if (m->rounds < ROUNDS)
        submit(m);
}

static void submit(struct member *m)
{
    int error = fw_await_mutex(&m->op, &mutex, NULL);

    if (error != EINPROGRESS)
        has_mutex(&m->op, error);
}

/* As many as there may be descriptors for. */
static unsigned make_loops(struct member *m)
{
    struct rlimit files;
    unsigned n = 0;

    if (getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur < files.rlim_max) {
        files.rlim_cur = files.rlim_max < 4096 ? files.rlim_max : 4096;
        setrlimit(RLIMIT_NOFILE, &files);
    }
    while (n < LOOPS && fw_loop_create(&m[n].loop, NULL) == 0)
        n++;
    return n;
}

TEST(a_thousand_loops_at_one_mutex)
{
    struct member *m = calloc(LOOPS, sizeof *m);
    unsigned n = make_loops(m), n_ready = 0;

    assert_true(n > 1);
    fw_mutex_lock(&mutex);
    for (unsigned i = 0; i < n; i++) {
        assert_int_equal(fw_task_begin(&m[i].task), 0);
        fw_await_init(&m[i].op, m[i].loop, m[i].task, has_mutex);
        submit(&m[i]);
    }
    fw_mutex_unlock(&mutex);
    while (n_ready < n) {
        n_ready = 0;
        for (unsigned i = 0; i < n; i++) {
            fw_loop_run(m[i].loop, 0);
            n_ready += m[i].rounds == ROUNDS;
        }
    }
    for (unsigned i = 0; i < n; i++) {
        fw_task_end(m[i].task);
        assert_int_equal(fw_loop_destroy(m[i].loop), 0);
    }
    assert_true((uint32_t)mutex.state_ == 0);
    free(m);
}

static struct member left;

static void *begin_and_end(void *unused)
{
    assert_int_equal(fw_loop_create(&left.loop, NULL), 0);
    assert_int_equal(fw_task_begin(&left.task), 0);
    fw_await_init(&left.op, left.loop, left.task, has_mutex);
    assert_int_equal(fw_await_mutex(&left.op, &mutex, NULL), EINPROGRESS);
    return unused;
}

TEST(operations_outlive_the_thread_that_has_submitted_them)
{
    pthread_t thread;

    fw_mutex_lock(&mutex);
    left.rounds = ROUNDS - 1;
    assert_int_equal(pthread_create(&thread, NULL, begin_and_end, NULL), 0);
    pthread_join(thread, NULL);
    fw_mutex_unlock(&mutex);
    assert_int_equal(fw_mutex_trylock(&mutex), EBUSY);
    assert_int_equal(fw_loop_run(left.loop, 0), 1);
    assert_int_equal(left.rounds, ROUNDS);
    assert_int_equal(fw_loop_destroy(left.loop), 0);
    fw_task_end(left.task);
}

UNIT_MAIN(NULL, NULL)
