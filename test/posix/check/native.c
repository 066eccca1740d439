/* SPDX-License-Identifier: MIT */
/*
 * A program that uses furwock's own locks, for furwock run --check: each of its faults is in a
 * function of the fault's name, and so is what looks much like it.
 *
 *     native NAME...     those whose names begin with good are none
 *
 * Compiled with FURWOCK_CALLED all are seen; without, what the library's calls show.
 */
#include "native.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <furwock.h>
#include <furwock/await.h>

#include "test/support/asleep.h"

static fw_mutex first, second, third;
static fw_cond cond;

void die(const char *what)
{
    perror(what);
    exit(EXIT_FAILURE);
}

/* One after the other: none of them ever waits for another. */
static void *call(void *function)
{
    union {
        void *address;
        void (*function)(void);
    } to = {function};

    to.function();
    return NULL;
}

void in_thread(void (*function)(void))
{
    union {
        void (*function)(void);
        void *address;
    } to = {function};
    pthread_t thread;

    if (pthread_create(&thread, NULL, call, to.address) != 0 || pthread_join(thread, NULL) != 0)
        die("pthread_create");
}

/* --- Mutexes ---------------------------------------------------------------------------------- */

NOINLINE static void first_second(void)
{
    fw_mutex_lock(&first);
    fw_mutex_lock(&second);
    fw_mutex_unlock(&second);
    fw_mutex_unlock(&first);
}

NOINLINE static void second_first(void)
{
    fw_mutex_lock(&second);
    fw_mutex_lock(&first);
    fw_mutex_unlock(&first);
    fw_mutex_unlock_fair(&second);
}

static void order(void)
{
    in_thread(first_second);
    in_thread(second_first);
}

static void good_order(void)
{
    in_thread(first_second);
    in_thread(first_second);
}

static void guarded_first_second(void)
{
    fw_mutex_lock(&third);
    first_second();
    fw_mutex_unlock(&third);
}

static void guarded_second_first(void)
{
    fw_mutex_lock(&third);
    second_first();
    fw_mutex_unlock(&third);
}

static void good_guard(void)
{
    in_thread(guarded_first_second);
    in_thread(guarded_second_first);
}

NOINLINE static void try_second_first(void)
{
    fw_mutex_lock(&second);
    if (fw_mutex_trylock(&first) == 0)
        fw_mutex_unlock(&first);
    fw_mutex_unlock(&second);
}

static void good_try(void)
{
    in_thread(first_second);
    in_thread(try_second_first);
}

/* What was tried and got counts as held. */
NOINLINE static void got_second_first(void)
{
    if (fw_mutex_trylock(&second) != 0)
        die("second");
    fw_mutex_lock(&first);
    fw_mutex_unlock(&first);
    fw_mutex_unlock(&second);
}

static void tried_order(void)
{
    in_thread(first_second);
    in_thread(got_second_first);
}

/* Whoever has to wait comes to the library, however it was compiled. */
static pid_t waiter;

static void *contended(void *locks)
{
    fw_mutex **m = locks;

    __atomic_store_n(&waiter, gettid(), __ATOMIC_RELEASE);
    fw_mutex_lock(m[0]);
    __atomic_store_n(&waiter, 0, __ATOMIC_RELEASE);
    fw_mutex_lock(m[1]);
    fw_mutex_unlock(m[1]);
    fw_mutex_unlock(m[0]);
    return NULL;
}

/* The second one is free once the first is had; so the order is that of the waits. */
static void contend(fw_mutex *a, fw_mutex *b)
{
    fw_mutex *locks[] = {a, b};
    pthread_t thread;
    pid_t id;

    fw_mutex_lock(a);
    fw_mutex_lock(b);
    if (pthread_create(&thread, NULL, contended, locks) != 0)
        die("pthread_create");
    while ((id = __atomic_load_n(&waiter, __ATOMIC_ACQUIRE)) == 0 || !is_asleep(id))
        usleep(100);
    fw_mutex_unlock(a);
    while (__atomic_load_n(&waiter, __ATOMIC_ACQUIRE) != 0 || !is_asleep(id))
        usleep(100);
    fw_mutex_unlock(b);
    pthread_join(thread, NULL);
}

/* Of this thread only one order is seen, if any. */
static void contended_order(void)
{
    contend(&first, &second);
    contend(&second, &first);
}

/* Half of the order is of POSIX's locks. */
static pthread_mutex_t posix = PTHREAD_MUTEX_INITIALIZER;

NOINLINE static void posix_first(void)
{
    pthread_mutex_lock(&posix);
    fw_mutex_lock(&first);
    fw_mutex_unlock(&first);
    pthread_mutex_unlock(&posix);
}

NOINLINE static void first_posix(void)
{
    fw_mutex_lock(&first);
    pthread_mutex_lock(&posix);
    pthread_mutex_unlock(&posix);
    fw_mutex_unlock(&first);
}

static void mixed_order(void)
{
    in_thread(posix_first);
    in_thread(first_posix);
}

NOINLINE static void lock_first(void)
{
    fw_mutex_lock(&first);
}

static void thread_exit(void)
{
    in_thread(lock_first);
}

static void forked(void)
{
    pid_t child;

    fw_mutex_lock(&first);
    child = fork();
    if (child == 0)
        _exit(EXIT_SUCCESS);
    waitpid(child, NULL, 0);
    fw_mutex_unlock(&first);
}

static void in_child(void)
{
    pid_t child = fork();
    int status;

    if (child == 0) {
        fw_mutex_lock(&second);
        fw_mutex_unlock(&second);
        _exit(EXIT_SUCCESS);
    }
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0)
        die("child");
}

static void good_fork(void)
{
    fw_mutex_lock(&first);
    fw_mutex_unlock(&first);
    in_child();
}

/* The library ends the program for these, after they were reported. */
static void stranger(void)
{
    in_thread(lock_first);
    fw_mutex_unlock(&first);
}

static void not_held(void)
{
    fw_mutex_unlock(&first);
}

static void relock(void)
{
    fw_mutex_lock(&first);
    fw_mutex_lock(&first);
}

static void unheld(void)
{
    fw_cond_wait(&cond, &first);
}

static void reused(void)
{
    fw_mutex_lock(&first);
    fw_mutex_init(&first);
}

static void blocked(void)
{
    fw_mutex_lock(&first);
    usleep(20000);
    fw_mutex_unlock(&first);
}

/* While it waits, it does not hold the mutex; it asks for it with another one held. */
static void *wait_long(void *unused)
{
    fw_mutex_lock(&second);
    fw_mutex_lock(&first);
    fw_cond_wait(&cond, &first);
    fw_mutex_unlock(&first);
    fw_mutex_unlock(&second);
    return unused;
}

static void good_wait(void)
{
    pthread_t thread;
    bool is_woken = false;

    if (pthread_create(&thread, NULL, wait_long, NULL) != 0)
        die("pthread_create");
    while (!is_woken) {
        fw_mutex_lock(&first);
        is_woken = fw_cond_signal(&cond) != 0;
        fw_mutex_unlock(&first);
        sched_yield();
    }
    pthread_join(thread, NULL);
}

static void waited_order(void)
{
    good_wait();
    in_thread(first_second);
}

/* A task's locks are the task's, in whatever thread. */
static fw_task task;

static void lock_as_task(void)
{
    fw_task_switch(task);
    fw_mutex_lock(&first);
    fw_task_switch(0);
}

static void unlock_as_task(void)
{
    fw_task_switch(task);
    fw_mutex_unlock(&first);
    fw_task_switch(0);
}

static void good_task(void)
{
    if (fw_task_begin(&task) != 0)
        die("fw_task_begin");
    in_thread(lock_as_task);
    in_thread(unlock_as_task);
    fw_task_end(task);
}

/* --- The table -------------------------------------------------------------------------------- */

#define MUTEX_FAULTS(X) \
    X(order)            \
    X(tried_order)      \
    X(mixed_order)      \
    X(waited_order)     \
    X(contended_order)  \
    X(thread_exit)      \
    X(forked)           \
    X(stranger)         \
    X(not_held)         \
    X(relock)           \
    X(unheld)           \
    X(reused)           \
    X(blocked)          \
    X(good_order)       \
    X(good_guard)       \
    X(good_try)         \
    X(good_fork)        \
    X(good_wait)        \
    X(good_task)

static const struct {
    const char *name;
    void (*function)(void);
} faults[] = {
#define ENTRY(name) {#name, name},
    MUTEX_FAULTS(ENTRY) OTHER_FAULTS(ENTRY)};

static void run(const char *name)
{
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        if (strcmp(faults[i].name, name) == 0) {
            faults[i].function();
            exit(EXIT_SUCCESS);
        }
    fprintf(stderr, "native: there is no %s\n", name);
    exit(EXIT_FAILURE);
}

/* Each in a child: a line with its name, its process, and how that has ended. */
int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        pid_t child = fork();
        int status;

        if (child == 0)
            run(argv[i]);
        if (child < 0 || waitpid(child, &status, 0) != child)
            die("fork");
        printf("%s %d %d\n", argv[i], child, WIFSIGNALED(status) ? -WTERMSIG(status) : status);
        fflush(stdout);
    }
    return EXIT_SUCCESS;
}
