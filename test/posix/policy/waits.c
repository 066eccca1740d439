/* SPDX-License-Identifier: MIT */
/*
 * What a policy does, seen from a program that knows nothing of it: on standard output, of
 *
 *     handed | snatched   a mutex that somebody waits for: is the releaser never the next owner,
 *                         however often it tries at once; or is it?
 *     sleeps | spins      who waits for a mutex, while its owner holds on: does it sleep at once,
 *                         or use up processor time?  (Of a mutex whose waiters spin, nothing more
 *                         is said: a spinner may or may not be the quicker one.)
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "test/support/asleep.h"

enum { ROUNDS = 200, ENOUGH = 50 /* once it is known */, SPIN_MS = 20, NAP_US = 100 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pid_t waiter;
static bool has_had_it; /* under the mutex */

static long cpu_ms(pthread_t thread)
{
    clockid_t clock;
    struct timespec t;

    if (pthread_getcpuclockid(thread, &clock) != 0 || clock_gettime(clock, &t) != 0)
        abort();
    return t.tv_sec * 1000L + t.tv_nsec / 1000000;
}

static void *wait_once(void *arg)
{
    __atomic_store_n(&waiter, (pid_t)syscall(SYS_gettid), __ATOMIC_RELEASE);
    pthread_mutex_lock(&mutex);
    has_had_it = true;
    pthread_mutex_unlock(&mutex);
    return arg;
}

/* The waiter has used that much processor time, or else it sleeps; which? */
static bool spins(pthread_t thread)
{
    pid_t tid;

    while ((tid = __atomic_load_n(&waiter, __ATOMIC_ACQUIRE)) == 0)
        usleep(NAP_US);
    for (unsigned asleep = 0; asleep < 3;) {
        if (cpu_ms(thread) >= SPIN_MS)
            return true;
        asleep = is_asleep(tid) ? asleep + 1 : 0;
        usleep(NAP_US);
    }
    return false;
}

static bool how_it_waits(bool *is_snatched)
{
    pthread_t thread;
    bool it_spins;

    waiter = 0;
    has_had_it = false;
    pthread_mutex_lock(&mutex);
    if (pthread_create(&thread, NULL, wait_once, NULL) != 0)
        abort();
    it_spins = spins(thread);
    pthread_mutex_unlock(&mutex);
    if (pthread_mutex_trylock(&mutex) == 0) {
        *is_snatched = *is_snatched || !has_had_it;
        pthread_mutex_unlock(&mutex);
    }
    pthread_join(thread, NULL);
    return it_spins;
}

int main(int argc, char **argv)
{
    bool is_snatched = false, it_spins = false;
    int rounds = argc > 1 ? atoi(argv[1]) : ROUNDS;

    for (int i = 0; i < rounds && !it_spins && !(is_snatched && i >= ENOUGH); i++)
        it_spins = how_it_waits(&is_snatched);
    if (it_spins)
        puts("spins");
    else
        printf("%s sleeps\n", is_snatched ? "snatched" : "handed");
    return EXIT_SUCCESS;
}
