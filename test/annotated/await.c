/* SPDX-License-Identifier: MIT */
/*
 * A user's program, built for a race detector against the library as it is installed: operations
 * that wait without a thread, beside threads that block, with data that only the locks protect.
 * Nothing here is a race, unless asked for:
 *
 *     RACE     one access is outside of its lock
 */
#include <furwock/await.h>

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { TIMES = 200 };

static void check(bool holds)
{
    if (!holds)
        abort();
}

/* --- What is shared, and by what it is protected */
static fw_mutex mutex = FW_MUTEX_INIT;
static fw_rwlock rwlock = FW_RWLOCK_INIT;
static fw_cond filled = FW_COND_INIT;
static fw_sem units = FW_SEM_INIT(0);
static fw_event opened = FW_EVENT_INIT;
static fw_latch latch = FW_LATCH_INIT(1);
static long counted, written, full, handed, given, arrived;

/* --- Tasks of a loop: each takes the locks one after the other, again and again */
struct task {
    fw_await wait;
    fw_task number;
    int step, round;
};

static fw_loop *loop;
static int n_over;

static void look(void)
{
    check(written >= 0);
}

/* The lock of this step is held. */
static void work(struct task *t)
{
    switch (t->step) {
    case 0:
        counted++;
        fw_task_mutex_unlock(&mutex, t->number);
        break;
    case 1:
        written++;
        fw_task_rwlock_wrunlock(&rwlock, t->number);
        break;
    case 2:
        look();
        fw_task_rwlock_rdunlock(&rwlock, t->number);
        break;
    case 3:
        check(handed == 1);
        break;
    case 4:
        check(given == 1);
        break;
    default:
        check(arrived == 1);
    }
}

static int submit(struct task *t)
{
    switch (t->step) {
    case 0:
        return fw_await_mutex(&t->wait, &mutex, NULL);
    case 1:
        return fw_await_wrlock(&t->wait, &rwlock, NULL);
    case 2:
        return fw_await_rdlock(&t->wait, &rwlock, NULL);
    case 3:
        return fw_await_sem(&t->wait, &units, NULL);
    case 4:
        return fw_await_event(&t->wait, &opened, NULL);
    default:
        return fw_await_latch(&t->wait, &latch, NULL);
    }
}

static void advance(struct task *t)
{
    work(t);
    t->step = (t->step + 1) % 6;
    if (t->step == 0)
        t->round++;
}

static void finish(fw_await *wait, int error)
{
    struct task *t = (struct task *)wait;

    check(error == 0);
    advance(t);
    while (t->round < TIMES && (error = submit(t)) != EINPROGRESS) {
        check(error == 0);
        advance(t);
    }
    n_over += t->round == TIMES;
}

static void *loops(void *arg)
{
    static struct task tasks[2];

    for (int i = 0; i < 2; i++) {
        check(fw_task_begin(&tasks[i].number) == 0);
        fw_await_init(&tasks[i].wait, loop, tasks[i].number, finish);
        if (submit(&tasks[i]) == 0)
            finish(&tasks[i].wait, 0);
    }
    while (n_over < 2) {
        check(fw_loop_wait(loop, NULL) == 0);
        fw_loop_run(loop, 0);
    }
    for (int i = 0; i < 2; i++)
        fw_task_end(tasks[i].number);
    return arg;
}

/* Beside them: a thread that lets the tasks through, and one that blocks for the same locks. */
static void *opens(void *arg)
{
    given = 1;
    fw_event_set(&opened);
    arrived = 1;
    fw_latch_count_down(&latch, 1);
    handed = 1;
    for (int i = 0; i < 2 * TIMES; i++) {
        check(fw_sem_post(&units) == 0);
#ifdef RACE
        counted++;
#endif
    }
    return arg;
}

static void *blocks(void *arg)
{
    for (int i = 0; i < 2 * TIMES; i++) {
        fw_mutex_lock(&mutex);
        counted++;
        fw_mutex_unlock(&mutex);
        fw_rwlock_wrlock(&rwlock);
        written++;
        fw_rwlock_wrunlock(&rwlock);
        fw_rwlock_rdlock(&rwlock);
        look();
        fw_rwlock_unlock(&rwlock);
    }
    return arg;
}

/* --- A condition variable, and a thread whose operation acts for itself */
static void has_signal(fw_await *wait, int error)
{
    (void)wait;
    check(error == 0);
    while (full == 0)
        fw_cond_wait(&filled, &mutex);
    full = 2;
    fw_mutex_unlock(&mutex);
}

static void *drinks(void *arg)
{
    fw_await wait;

    fw_await_init(&wait, loop, 0, has_signal);
    if (fw_await_mutex(&wait, &mutex, NULL) != 0) {
        while (fw_await_poll(&wait) == EINPROGRESS)
            check(fw_loop_wait(loop, NULL) == 0);
        check(fw_await_poll(&wait) == 0);
    }
    if (full == 0) {
        check(fw_await_cond(&wait, &filled, &mutex, NULL) == EINPROGRESS);
        while (fw_loop_run(loop, 0) == 0)
            check(fw_loop_wait(loop, NULL) == 0);
    } else {
        has_signal(&wait, 0);
    }
    return arg;
}

static void *pours(void *arg)
{
    fw_mutex_lock(&mutex);
    full = 1;
    fw_cond_signal(&filled);
    fw_mutex_unlock(&mutex);
    return arg;
}

/* --- Wakers: what is granted is polled by another thread, and unlocked by a third */
struct future {
    fw_await wait;
    fw_task task;
    long woken; /* written by the one that grants */
    fw_sem *polls;
};

static void wake(void *arg)
{
    struct future *f = arg;

    f->woken++;
    check(fw_sem_post(f->polls) == 0);
}

static fw_sem to_poll = FW_SEM_INIT(0), to_leave = FW_SEM_INIT(0);
static struct future future;

static void *polls(void *arg)
{
    fw_sem_wait(&to_poll);
    check(future.woken == 1 && fw_await_poll(&future.wait) == 0);
    counted++;
    check(fw_sem_post(&to_leave) == 0);
    return arg;
}

static void *leaves(void *arg)
{
    fw_sem_wait(&to_leave);
    counted++;
    fw_task_mutex_unlock(&mutex, future.task);
    return arg;
}

/* --- A task that blocks, and goes on in another thread with the lock */
static fw_task wanderer;

static void *begins(void *arg)
{
    fw_task_switch(wanderer);
    fw_mutex_lock(&mutex);
    fw_rwlock_wrlock(&rwlock);
    counted++;
    fw_task_switch(0);
    return arg;
}

static void *ends(void *arg)
{
    fw_task_switch(wanderer);
    counted++;
    written++;
    fw_rwlock_unlock(&rwlock);
    fw_mutex_unlock(&mutex);
    fw_task_switch(0);
    return arg;
}

static void run(unsigned n, void *(*const bodies[])(void *))
{
    pthread_t threads[3];

    for (unsigned i = 0; i < n; i++)
        check(pthread_create(&threads[i], NULL, bodies[i], NULL) == 0);
    for (unsigned i = 0; i < n; i++)
        pthread_join(threads[i], NULL);
}

int main(void)
{
    check(fw_loop_create(&loop, NULL) == 0);
    run(3, (void *(*const[])(void *)){loops, blocks, opens});
    for (int i = 0; i < 20; i++) {
        full = 0;
        run(2, (void *(*const[])(void *)){drinks, pours});
        check(full == 2);
    }

    future.polls = &to_poll;
    check(fw_task_begin(&future.task) == 0 && fw_task_begin(&wanderer) == 0);
    fw_mutex_lock(&mutex);
    fw_await_init_waker(&future.wait, future.task, wake, &future);
    check(fw_await_mutex(&future.wait, &mutex, NULL) == EINPROGRESS);
    fw_mutex_unlock(&mutex);
    run(2, (void *(*const[])(void *)){polls, leaves});

    run(1, (void *(*const[])(void *)){begins});
    run(1, (void *(*const[])(void *)){ends});
    fw_task_end(wanderer);
    fw_task_end(future.task);
    check(fw_loop_destroy(loop) == 0);
    printf("%ld %ld\n", counted, written);
    return EXIT_SUCCESS;
}
