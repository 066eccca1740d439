/* SPDX-License-Identifier: MIT */
/*
 * Programs with known contention: planted CASE.  Some threads contend for a hot lock, which is held
 * for most of the time, and now and then for a cold one.  Prints the address of the hot one when
 * all threads run, and ends when standard input does.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "planted.h"

enum { THREADS = 4, HELD_US = 2000, COLD_US = 50, ROUNDS = 20 };

pthread_mutex_t cold = PTHREAD_MUTEX_INITIALIZER;

static void pause_us(long us)
{
    struct timespec t = {.tv_sec = us / 1000000, .tv_nsec = us % 1000000 * 1000};

    nanosleep(&t, NULL);
}

/* Where the hot lock is taken, by the name of this function. */
__attribute__((noinline)) static void hot_place(const struct planted *p)
{
    p->lock(p->object);
    pause_us(HELD_US);
    p->unlock(p->object);
    __asm__ volatile("" ::: "memory"); /* no tail call */
}

/* The same with much on the stack between the lock and the place. */
__attribute__((noinline)) static void deep_place(const struct planted *p, unsigned depth)
{
    volatile char much[64];

    memset((char *)much, (int)depth, sizeof much);
    if (depth > 0)
        deep_place(p, depth - 1);
    else
        hot_place(p);
    __asm__ volatile("" ::"r"(much) : "memory");
}

__attribute__((noinline)) static void cold_place(void)
{
    pthread_mutex_lock(&cold);
    pause_us(COLD_US);
    pthread_mutex_unlock(&cold);
    __asm__ volatile("" ::: "memory");
}

static void *worker(void *argument)
{
    const struct planted *p = argument;

    for (unsigned i = 1;; i++) {
        if (p->is_deep)
            deep_place(p, 10);
        else
            hot_place(p);
        if (i % ROUNDS == 0)
            cold_place();
    }
    return NULL;
}

static void *sleeper(void *argument)
{
    const struct planted *p = argument;

    p->lock(p->object);
    p->unlock(p->object);
    return NULL;
}

static void start(unsigned count, void *(*run)(void *), struct planted *p)
{
    pthread_attr_t attributes;
    pthread_t thread;

    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 128 * 1024);
    for (unsigned i = 0; i < count; i++)
        if (pthread_create(&thread, &attributes, run, p) != 0) {
            fprintf(stderr, "cannot start thread %u\n", i);
            exit(77);
        }
}

int main(int argc, char **argv)
{
    struct planted *p = argc > 1 ? planted_find(argv[1]) : NULL;
    char byte;

    if (p == NULL) {
        planted_list();
        return argc > 1;
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    p->prepare(p);
    if (p->sleepers > 0) { /* they wait as long as the program runs, and nobody wakes them */
        p->lock(p->object);
        start(p->sleepers, sleeper, p);
    } else {
        start(THREADS, worker, p);
    }
    printf("%p\n", p->shown != NULL ? p->shown : p->object);
    fflush(stdout);
    while (read(STDIN_FILENO, &byte, 1) < 0 && errno == EINTR)
        ;
    _exit(0);
}
