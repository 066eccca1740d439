/* SPDX-License-Identifier: MIT */
/*
 * Condition variables, by their POSIX names, whose memory is unmapped as soon as all waiters were
 * woken and pthread_cond_destroy has returned, while they are on their way out.
 *
 *     test_cond_leave private|shared [SECONDS]
 */
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { WAITERS = 4, PATIENCE_S = 600 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t *cond; /* NULL: there is none at present */
static unsigned waiting, round_number;
static bool closing;
static pthread_condattr_t attr;

static void check(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "%s\n", what);
    abort();
}

static void *wait_again_and_again(void *arg)
{
    unsigned last = 0;

    pthread_mutex_lock(&mutex);
    while (!closing) {
        if (cond != NULL && round_number != last) {
            last = round_number;
            waiting++;
            while (cond != NULL && round_number == last) /* the woken thread does not look there */
                pthread_cond_wait(cond, &mutex);
            continue;
        }
        pthread_mutex_unlock(&mutex);
        sched_yield();
        pthread_mutex_lock(&mutex);
    }
    pthread_mutex_unlock(&mutex);
    return arg;
}

static void do_a_round(size_t page)
{
    pthread_cond_t *c = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    bool all = false;

    check(c != MAP_FAILED, "no memory");
    pthread_cond_init(c, &attr);
    pthread_mutex_lock(&mutex);
    waiting = 0;
    round_number++;
    cond = c;
    while (!all) {
        pthread_mutex_unlock(&mutex);
        sched_yield();
        pthread_mutex_lock(&mutex);
        all = waiting == WAITERS;
    }
    cond = NULL;
    pthread_cond_broadcast(c);
    if (round_number % 2 == 0)
        pthread_mutex_unlock(&mutex);
    check(pthread_cond_destroy(c) == 0, "destroy");
    munmap(c, page);
    if (round_number % 2 != 0)
        pthread_mutex_unlock(&mutex);
}

int main(int argc, char **argv)
{
    pthread_t threads[WAITERS];
    time_t end = time(NULL) + (argc > 2 ? atoi(argv[2]) : 2);

    pthread_condattr_init(&attr);
    if (argc > 1 && strcmp(argv[1], "shared") == 0)
        pthread_condattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
    alarm(PATIENCE_S);
    for (unsigned i = 0; i < WAITERS; i++)
        check(pthread_create(&threads[i], NULL, wait_again_and_again, NULL) == 0, "no thread");
    do
        do_a_round((size_t)sysconf(_SC_PAGESIZE));
    while (time(NULL) < end);
    pthread_mutex_lock(&mutex);
    closing = true;
    pthread_mutex_unlock(&mutex);
    for (unsigned i = 0; i < WAITERS; i++)
        pthread_join(threads[i], NULL);
    printf("%u rounds\n", round_number);
    return 0;
}
