/* SPDX-License-Identifier: MIT */
/*
 * The word lock: a waiter that has been woken is the successor, and until it has had the lock,
 * releases wake nobody.  A signal handler of the successor that waited for the same lock then slept
 * forever, and with it all others who slept, though the lock was free.
 */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <time.h>

#include "stripe.h"

enum { TRIES = 100, SECONDS = 30 };

static fw_word_lock *lock = &fw_stripes_[0].lock;
static atomic_bool successor_is_done;
static atomic_bool other_is_done;

static void visit(void)
{
    fw_word_lock_lock_(lock);
    fw_word_lock_unlock_(lock);
}

static void on_signal(int number)
{
    (void)number;
    visit();
}

static void *wait_for_lock(void *is_done)
{
    visit();
    atomic_store((atomic_bool *)is_done, true);
    return NULL;
}

static void rest(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 3000000}, NULL);
}

/* Waits until that many are registered. */
static void await_registered(unsigned n)
{
    while ((fw_load32_relaxed(&lock->word) & 0xffff) != n)
        rest();
    rest();
}

/* With the lock held: makes a thread that was woken, and found the lock held.  False: it got it. */
static bool make_successor(pthread_t *successor)
{
    atomic_store(&successor_is_done, false);
    if (pthread_create(successor, NULL, wait_for_lock, &successor_is_done) != 0)
        return false;
    await_registered(1);
    fw_word_lock_unlock_(lock);
    fw_word_lock_lock_(lock);
    rest();
    return (fw_load32_relaxed(&lock->word) & 0xffff) == 1;
}

int main(void)
{
    struct sigaction action = {.sa_handler = on_signal};
    pthread_t successor, other;
    int tries = 0;

    sigaction(SIGUSR1, &action, NULL);
    fw_word_lock_lock_(lock);
    while (!make_successor(&successor)) {
        pthread_join(successor, NULL);
        if (++tries == TRIES) {
            puts("skipped: the woken thread is always quicker");
            return 77;
        }
    }
    if (pthread_create(&other, NULL, wait_for_lock, &other_is_done) != 0)
        return 1;
    await_registered(2);
    pthread_kill(successor, SIGUSR1);
    await_registered(3);
    fw_word_lock_unlock_(lock);

    for (int i = 0; i < SECONDS * 300 && !(successor_is_done && other_is_done); i++)
        rest();
    if (!successor_is_done || !other_is_done) {
        fputs("the lock is free, and its waiters sleep\n", stderr);
        return 1;
    }
    pthread_join(successor, NULL);
    pthread_join(other, NULL);
    return 0;
}
