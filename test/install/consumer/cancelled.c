/* SPDX-License-Identifier: MIT */
/* Threads are cancelled in a wait and in an initialiser: what they had is cleaned up. */
#include <furwock.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { ROUNDS = 300, HANG_SECONDS = 300 };

static fw_mutex m = FW_MUTEX_INIT;
static fw_cond c = FW_COND_INIT;
static fw_once once = FW_ONCE_INIT;
static bool waits, initialises;

static void let_go(void *arg)
{
    (void)arg;
    waits = false;
    fw_mutex_unlock(&m); /* ends the program where it is not held */
}

static void *wait_for_ever(void *arg)
{
    fw_mutex_lock(&m);
    pthread_cleanup_push(let_go, NULL);
    waits = true;
    for (;;)
        fw_cond_wait(&c, &m);
    pthread_cleanup_pop(1);
    return arg;
}

static int initialise(void *arg)
{
    bool *is_first = arg;

    if (*is_first) {
        *is_first = false;
        __atomic_store_n(&initialises, true, __ATOMIC_RELEASE);
        for (;;)
            pause();
    }
    return 0;
}

static void *call_once(void *arg)
{
    fw_once_call(&once, initialise, arg);
    return NULL;
}

static void cancel(pthread_t thread)
{
    void *result = NULL;

    if (pthread_cancel(thread) != 0 || pthread_join(thread, &result) != 0 ||
        result != PTHREAD_CANCELED)
        abort();
}

static void cancel_a_waiter(void)
{
    pthread_t thread;
    bool it_waits = false;

    if (pthread_create(&thread, NULL, wait_for_ever, NULL) != 0)
        abort();
    while (!it_waits) { /* it waits when the mutex is had, and it has been there */
        fw_mutex_lock(&m);
        it_waits = waits;
        fw_mutex_unlock(&m);
    }
    cancel(thread);
    fw_mutex_lock(&m); /* nobody has it, and nobody is left in the line */
    fw_cond_broadcast(&c);
    fw_mutex_unlock(&m);
}

int main(void)
{
    pthread_t thread;
    bool is_first = true;

    alarm(HANG_SECONDS);
    for (int i = 0; i < ROUNDS; i++)
        cancel_a_waiter();
    if (pthread_create(&thread, NULL, call_once, &is_first) != 0)
        abort();
    while (!__atomic_load_n(&initialises, __ATOMIC_ACQUIRE))
        usleep(1000);
    cancel(thread);
    if (fw_once_call(&once, initialise, &is_first) != 0)
        abort();
    puts("cleaned up");
    return 0;
}
