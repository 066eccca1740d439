/* SPDX-License-Identifier: MIT */
/*
 * A storm over one semaphore, by its POSIX names: waits of every sort, time-outs, signal handlers
 * that post, and threads that are cancelled in the middle.  No unit is lost or made up, and in the
 * end nobody is counted as a waiter.
 *
 *     test_sem_storm private|shared [SECONDS]
 */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { WAITERS = 6, PATIENCE_S = 600, DEADLINE_NS = 200000, S = 1000000000 };

static sem_t sem;
static uint64_t posted, taken, cancelled, timed_out, interrupted;
static bool over;

static uint64_t get(const uint64_t *n)
{
    return __atomic_load_n(n, __ATOMIC_SEQ_CST);
}

static void count(uint64_t *n)
{
    __atomic_fetch_add(n, 1, __ATOMIC_SEQ_CST);
}

static bool is_over(void)
{
    return __atomic_load_n(&over, __ATOMIC_SEQ_CST);
}

static void check(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "%s: %s\n", what, strerror(errno));
    abort();
}

static void post(void)
{
    count(&posted);
    check(sem_post(&sem) == 0, "sem_post");
}

/*
 * In a handler: posting is safe there.  Not to be cancelled between the count and the post: the
 * handler may have interrupted a sleep in which its thread can be cancelled at any instruction.
 * To disable cancellation is not enough: glibc 2.36 acts on a request that was sent before.
 */
static void on_signal(int number)
{
    int error = errno, type;

    (void)number;
    pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &type);
    post();
    pthread_setcanceltype(type, NULL);
    errno = error;
}

static uint32_t draw(uint32_t *random)
{
    return *random = *random * 1664525u + 1013904223u; /* Knuth's linear congruence */
}

static int wait_until(clockid_t clock, uint32_t random)
{
    struct timespec at;

    clock_gettime(clock, &at);
    at.tv_nsec += random % DEADLINE_NS;
    if (at.tv_nsec >= S) {
        at.tv_nsec -= S;
        at.tv_sec++;
    }
    return clock == CLOCK_REALTIME ? sem_timedwait(&sem, &at) : sem_clockwait(&sem, clock, &at);
}

static int wait_somehow(uint32_t random)
{
    switch (random >> 28 & 3) {
    case 0:
        return wait_until(CLOCK_REALTIME, random);
    case 1:
        return wait_until(CLOCK_MONOTONIC, random);
    case 2:
        return sem_trywait(&sem);
    default:
        return sem_wait(&sem);
    }
}

static void note_cancelled(void *unused)
{
    (void)unused;
    count(&cancelled);
}

static void wait_until_over(uint32_t random)
{
    while (!is_over()) {
        if (wait_somehow(draw(&random)) == 0)
            count(&taken);
        else if (errno == ETIMEDOUT)
            count(&timed_out);
        else if (errno == EINTR)
            count(&interrupted);
        else
            check(errno == EAGAIN, "wait");
    }
}

static void *waits(void *seed)
{
    pthread_cleanup_push(note_cancelled, NULL);
    wait_until_over((uint32_t)(uintptr_t)seed);
    pthread_cleanup_pop(0);
    return NULL;
}

static void *posts(void *unused)
{
    while (!is_over()) {
        if (get(&posted) - get(&taken) < WAITERS)
            post();
        else
            sched_yield();
    }
    return unused;
}

/* Signals and cancels one waiter after the other; each is followed by a new one. */
static void *pesters(void *arg)
{
    pthread_t *waiters = arg;
    uint32_t random = 7;

    for (uintptr_t n = 0; !is_over(); n++) {
        pthread_t *victim = &waiters[draw(&random) >> 16 & 3];

        usleep(random >> 20 & 127);
        pthread_kill(*victim, SIGUSR1);
        if (n % 4 != 0)
            continue;
        check(pthread_cancel(*victim) == 0, "pthread_cancel");
        check(pthread_join(*victim, NULL) == 0, "pthread_join");
        check(pthread_create(victim, NULL, waits, (void *)(n + WAITERS)) == 0, "pthread_create");
    }
    return NULL;
}

int main(int argc, char **argv)
{
    struct sigaction act = {.sa_handler = on_signal};
    pthread_t waiters[WAITERS], poster, pest;
    double seconds = argc > 2 ? atof(argv[2]) : getenv("TESTS_IN_FULL") ? 2 : 1;
    uint64_t word;
    int value;

    check(argc >= 2, "private or shared?");
    check(sem_init(&sem, strcmp(argv[1], "shared") == 0, 0) == 0, "sem_init");
    sigaction(SIGUSR1, &act, NULL);
    alarm(PATIENCE_S); /* whoever sleeps forever is noticed */
    for (uintptr_t i = 0; i < WAITERS; i++)
        check(pthread_create(&waiters[i], NULL, waits, (void *)(i + 1)) == 0, "pthread_create");
    check(pthread_create(&poster, NULL, posts, NULL) == 0, "pthread_create");
    check(pthread_create(&pest, NULL, pesters, waiters) == 0, "pthread_create");
    usleep((useconds_t)(1e6 * seconds));
    while (get(&taken) == 0 || get(&cancelled) == 0 || get(&interrupted) == 0)
        usleep(1000); /* nobody may have had a processor in that time */
    __atomic_store_n(&over, true, __ATOMIC_SEQ_CST);
    pthread_join(pest, NULL);
    pthread_join(poster, NULL);
    for (int i = 0; i < WAITERS; i++)
        post(); /* one for each that sleeps */
    for (int i = 0; i < WAITERS; i++)
        pthread_join(waiters[i], NULL);
    sem_getvalue(&sem, &value);
    memcpy(&word, &sem, sizeof word);
    setvbuf(stdout, NULL, _IONBF, 0);
    printf("%llu posted, %llu taken, %d left; %llu timed out, %llu interrupted, %llu cancelled\n",
           (unsigned long long)posted, (unsigned long long)taken, value,
           (unsigned long long)timed_out, (unsigned long long)interrupted,
           (unsigned long long)cancelled);
    errno = 0;
    check(posted == taken + (uint64_t)value, "units lost or made up");
    check(word == (uint64_t)value, "somebody is still counted as a waiter");
    check(taken > 0 && cancelled > 0 && interrupted > 0, "there was no storm");
    return 0;
}
