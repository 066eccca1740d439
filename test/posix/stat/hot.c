/* SPDX-License-Identifier: MIT */
/*
 * A program with locks that are known to be waited for, for furwock run --stat: which function
 * takes hot_lock and keeps it, and which one waits.
 *
 *     hot                 some rounds, and exit status 3
 *     hot fork            in a child, too
 *     hot first           a few processes, in each of which two threads wait first, and at once
 *     hot hang            until it is killed: one thread waits for what another has forever
 */
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "foreign.h"
#include "test/support/asleep.h"

enum { ROUNDS = 40, KEEP_US = 500 };

pthread_mutex_t hot_lock = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t cold_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t turn;

static void sleep_us(long us)
{
    struct timespec time = {0, us * 1000};

    nanosleep(&time, NULL);
}

static pid_t who_waits;

/* Until the other one sleeps, so that it is sure to have waited, and for whom. */
__attribute__((noinline)) static void keeps_it(void)
{
    pthread_mutex_lock(&hot_lock);
    pthread_barrier_wait(&turn);
    do
        sleep_us(KEEP_US);
    while (!is_asleep(__atomic_load_n(&who_waits, __ATOMIC_ACQUIRE)));
    pthread_mutex_unlock(&hot_lock);
}

__attribute__((noinline)) static void waits_for_it(void)
{
    pthread_barrier_wait(&turn);
    foreign_guard(&hot_lock);
    pthread_mutex_unlock(&hot_lock);
}

static void *waiter(void *unused)
{
    pthread_setname_np(pthread_self(), "the waiter");
    __atomic_store_n(&who_waits, gettid(), __ATOMIC_RELEASE);
    for (unsigned i = 0; i < ROUNDS; i++) {
        waits_for_it();
        pthread_mutex_lock(&cold_lock);
        pthread_mutex_unlock(&cold_lock);
        pthread_barrier_wait(&turn);
    }
    return unused;
}

static void play(void)
{
    pthread_t thread;

    if (pthread_barrier_init(&turn, NULL, 2) != 0 ||
        pthread_create(&thread, NULL, waiter, NULL) != 0)
        abort();
    for (unsigned i = 0; i < ROUNDS; i++) {
        keeps_it();
        pthread_barrier_wait(&turn);
    }
    pthread_join(thread, NULL);
}

static pid_t who_hangs;

static void *hangs(void *unused)
{
    __atomic_store_n(&who_hangs, gettid(), __ATOMIC_RELEASE);
    pthread_mutex_lock(&hot_lock);
    return unused;
}

static void hang(void)
{
    pthread_t thread;

    pthread_mutex_lock(&hot_lock);
    if (pthread_create(&thread, NULL, hangs, NULL) != 0)
        abort();
    while (!is_asleep(__atomic_load_n(&who_hangs, __ATOMIC_ACQUIRE)))
        sleep_us(1000);
    write(STDOUT_FILENO, "hangs\n", 6);
    for (;;)
        pause();
}

/* --- The first waits of a process ------------------------------------------------------------- */

enum { FIRSTS = 40 };

static pthread_mutex_t first[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static pid_t who_is_first[2];
static unsigned ready;

static void *waits_first(void *own)
{
    unsigned i = own == &first[1];

    __atomic_store_n(&who_is_first[i], gettid(), __ATOMIC_RELEASE);
    __atomic_add_fetch(&ready, 1, __ATOMIC_ACQ_REL);
    while (__atomic_load_n(&ready, __ATOMIC_ACQUIRE) < 2)
        sched_yield();
    pthread_mutex_lock(own);
    pthread_mutex_unlock(own);
    return NULL;
}

static void both_wait_first(void)
{
    pthread_t threads[2];

    for (unsigned i = 0; i < 2; i++) {
        pthread_mutex_lock(&first[i]);
        if (pthread_create(&threads[i], NULL, waits_first, &first[i]) != 0)
            abort();
    }
    for (unsigned i = 0; i < 2; i++) {
        pid_t *who = &who_is_first[i];

        while (__atomic_load_n(who, __ATOMIC_ACQUIRE) == 0 ||
               !is_asleep(__atomic_load_n(who, __ATOMIC_ACQUIRE)))
            sleep_us(100);
    }
    for (unsigned i = 0; i < 2; i++) {
        pthread_mutex_unlock(&first[i]);
        pthread_join(threads[i], NULL);
    }
}

/* Processes that were executed, and those that were only forked, make their files differently. */
static int play_first(char **argv)
{
    for (unsigned i = 0; i < FIRSTS; i++) {
        pid_t child = fork();

        if (child == 0) {
            if (i % 2 == 0)
                execl("/proc/self/exe", argv[0], "once", NULL);
            both_wait_first();
            _exit(0);
        }
        waitpid(child, NULL, 0);
    }
    return 3;
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "first") == 0)
        return play_first(argv);
    if (argc > 1 && strcmp(argv[1], "once") == 0) {
        both_wait_first();
        return 0;
    }
    bool forks = argc > 1 && strcmp(argv[1], "fork") == 0;
    pid_t child = -1;

    if (argc > 1 && strcmp(argv[1], "hang") == 0)
        hang();
    play();
    if (forks && (child = fork()) == 0)
        play();
    if (child > 0)
        waitpid(child, NULL, 0);
    return 3;
}
