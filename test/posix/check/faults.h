/* SPDX-License-Identifier: MIT */
/* What the kinds of faults do, for planted.c: inlined into the functions of their variants. */
#ifndef FW_TEST_FAULTS_H
#define FW_TEST_FAULTS_H

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "planted.h"

INLINE void take_two(struct lock *a, struct lock *b)
{
    take(a);
    take(b);
    release(b);
    release(a);
}

/* The last lock is a common guard. */
INLINE void good_order(struct fault *f, int role, int length)
{
    struct lock *a = &f->lock[role % length], *b = &f->lock[(role + 1) % length];
    struct lock *first = a < b ? a : b, *second = a < b ? b : a;

    switch (f->number % 4) {
    case 0: /* always the same order */
        take_two(first, second);
        break;
    case 1: /* guarded */
        take(&f->lock[LOCKS - 1]);
        take_two(a, b);
        release(&f->lock[LOCKS - 1]);
        break;
    case 2: /* does not wait */
        take(a);
        if (try_to_take(b) == 0)
            release(b);
        release(a);
        break;
    default: /* all in one thread */
        for (int i = 0; i < length && role == 0; i++)
            take_two(&f->lock[i], &f->lock[(i + 1) % length]);
    }
}

/* A cycle of 2 to 4 locks: each thread takes one, and then the next one. */
INLINE void order(struct fault *f, int role)
{
    int length = 2 + f->number / LOCK_KINDS % 3;

    if (role >= length)
        return;
    if (f->is_bad)
        take_two(&f->lock[role], &f->lock[(role + 1) % length]);
    else
        good_order(f, role, length);
}

/* A recursive or error-checking lock may be asked for again; a reader may read again. */
INLINE void relock(struct fault *f, int role)
{
    struct lock *l = &f->lock[0];
    bool may = l->kind == RECURSIVE || l->kind == ERRORCHECK;
    bool reads = l->kind == RWLOCK;

    (void)role;
    if (reads)
        take_to_read(l);
    else
        take(l);
    if (f->is_bad)
        take(l);
    else if (reads ? take_to_read(l) == 0 : may ? take(l) == 0 : try_to_take(l) == 0)
        release(l);
    release(l);
}

INLINE void destroyed(struct fault *f, int role)
{
    struct lock *l = &f->lock[0];

    (void)role;
    take(l);
    if (f->is_bad)
        destroy(l);
    release(l);
    if (!f->is_bad)
        destroy(l);
}

extern struct lock *taken_for_child; /* by handlers of pthread_atfork, and made anew there */

INLINE void reused(struct fault *f, int role)
{
    struct lock *l = &f->lock[0];
    pid_t child;

    (void)role;
    take(l);
    if (f->is_bad) {
        make(l);
        return;
    }
    release(l);
    taken_for_child = l;
    child = fork();
    if (child == 0)
        _exit(0);
    waitpid(child, NULL, 0);
    taken_for_child = NULL;
    destroy(l);
    make(l);
    take(l);
    release(l);
}

INLINE void stranger(struct fault *f, int role)
{
    struct lock *l = &f->lock[0];

    if (role == 0) {
        take(l);
        if (!f->is_bad)
            release(l);
        give_turn(f, 1);
        wait_turn(f, 2);
    } else {
        wait_turn(f, 1);
        if (!f->is_bad)
            take(l);
        release(l);
        give_turn(f, 2);
    }
}

INLINE void not_held(struct fault *f, int role)
{
    struct lock *l = &f->lock[0];

    (void)role;
    if (!f->is_bad)
        take(l);
    release(l);
}

/* Two wait until the third says so. */
INLINE void two_mutexes(struct fault *f, int role)
{
    struct lock *l = &f->lock[role == 1 && f->is_bad];

    if (role < 2) {
        pthread_mutex_lock(&l->mutex);
        give_turn(f, role);
        while (!__atomic_load_n(&f->is_over, __ATOMIC_ACQUIRE))
            pthread_cond_wait(&f->cond, &l->mutex);
        pthread_mutex_unlock(&l->mutex);
        give_turn(f, 2);
        return;
    }
    wait_turn(f, 0);
    wait_turn(f, 1);
    for (int i = 0; i < 2; i++) { /* whoever has given the turn waits, once the mutex is free */
        pthread_mutex_lock(&f->lock[i].mutex);
        pthread_mutex_unlock(&f->lock[i].mutex);
    }
    __atomic_store_n(&f->is_over, true, __ATOMIC_RELEASE);
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&f->lock[i].mutex);
        pthread_cond_broadcast(&f->cond);
        pthread_mutex_unlock(&f->lock[i].mutex);
    }
    wait_turn(f, 2);
    wait_turn(f, 2);
}

/* A deadline that has passed: it waits for nothing. */
INLINE void unheld(struct fault *f, int role)
{
    struct timespec past = {1, 0};
    pthread_mutex_t *m = &f->lock[0].mutex;
    int error;

    (void)role;
    if (!f->is_bad)
        pthread_mutex_lock(m);
    error = pthread_cond_timedwait(&f->cond, m, &past);
    if (error != EPERM)
        pthread_mutex_unlock(m);
}

extern pthread_key_t releases_it; /* a destructor does */

INLINE void thread_exit(struct fault *f, int role)
{
    (void)role;
    take(&f->lock[0]);
    if (!f->is_bad)
        pthread_setspecific(releases_it, &f->lock[0]);
}

INLINE void forked(struct fault *f, int role)
{
    pid_t child;

    (void)role;
    take(&f->lock[0]);
    if (!f->is_bad)
        release(&f->lock[0]);
    child = fork();
    if (child == 0)
        _exit(0);
    waitpid(child, NULL, 0);
    if (f->is_bad)
        release(&f->lock[0]);
}

INLINE struct timespec soon(void)
{
    struct timespec t;

    clock_gettime(CLOCK_REALTIME, &t);
    t.tv_nsec += 20 * 1000 * 1000;
    t.tv_sec += t.tv_nsec / 1000000000;
    t.tv_nsec %= 1000000000;
    return t;
}

/* In the child, one that is not there holds it. */
INLINE void lost(struct fault *f, int role)
{
    struct lock *l = &f->lock[0];
    struct timespec until;
    pid_t child;

    if (role == 0) {
        take(l);
        give_turn(f, 0);
        wait_turn(f, 1);
        release(l);
        return;
    }
    wait_turn(f, 0);
    child = fork();
    if (child == 0) {
        if (!f->is_bad)
            make(l); /* as a handler of pthread_atfork would */
        until = soon();
        if (l->kind == RWLOCK ? pthread_rwlock_timedwrlock(&l->rwlock, &until) == 0
                              : pthread_mutex_timedlock(&l->mutex, &until) == 0)
            release(l);
        _exit(0);
    }
    waitpid(child, NULL, 0);
    give_turn(f, 1);
}

/* With --hold=10. */
INLINE void blocked(struct fault *f, int role)
{
    struct timespec longer = {0, 11 * 1000 * 1000};

    (void)role;
    take(&f->lock[0]);
    if (!f->is_bad)
        release(&f->lock[0]);
    if (f->number % 2 == 0)
        nanosleep(&longer, NULL);
    else
        usleep(11000);
    if (f->is_bad)
        release(&f->lock[0]);
}

/* Role 0 has the lock, and role 1, a real-time thread, waits for it. */
INLINE void inversion(struct fault *f, int role)
{
    struct sched_param param = {.sched_priority = 1 + f->number};
    struct lock *l = &f->lock[0];
    struct timespec until;

    if (role == 0) {
        take(l);
        give_turn(f, 0);
        wait_turn(f, 1);
        release(l);
        give_turn(f, 2);
        return;
    }
    if (pthread_setschedparam(pthread_self(), SCHED_FIFO, &param) != 0)
        give_up("no right to real-time priorities");
    wait_turn(f, 0);
    if (f->is_bad) {
        until = soon();
        if (l->kind == RWLOCK ? pthread_rwlock_timedwrlock(&l->rwlock, &until) == 0
                              : pthread_mutex_timedlock(&l->mutex, &until) == 0)
            release(l);
    }
    give_turn(f, 1);
    wait_turn(f, 2);
    if (!f->is_bad) {
        take(l);
        release(l);
    }
}

#endif
