/* SPDX-License-Identifier: MIT */
/*
 * A program that uses POSIX locks, for tools to look at.
 *
 *     run_worker          threads that contend for each kind; prints what they counted
 *     run_worker race     the same, and then two threads that change a word without a lock
 *     run_worker order    the same, and then two mutexes that are taken in both orders
 *     run_worker free     the same, and then a write to memory that was freed
 *     run_worker wait     threads that wait forever, one for each kind
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { THREADS = 4, TURNS = 2000 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t barrier;
static sem_t sem;
static int counted, written, passed, is_open, word;

static void *contend(void *arg)
{
    pthread_barrier_wait(&barrier);
    for (int i = 0; i < TURNS; i++) {
        pthread_mutex_lock(&mutex);
        counted++;
        pthread_mutex_unlock(&mutex);
        pthread_rwlock_wrlock(&rwlock);
        written++;
        pthread_rwlock_unlock(&rwlock);
    }
    pthread_mutex_lock(&mutex);
    while (!is_open)
        pthread_cond_wait(&cond, &mutex);
    pthread_mutex_unlock(&mutex);
    sem_wait(&sem);
    passed++;
    sem_post(&sem);
    return arg;
}

static void *change(void *arg)
{
    for (int i = 0; i < TURNS; i++)
        word++;
    return arg;
}

static void in_both_orders(void)
{
    pthread_mutex_lock(&mutex);
    pthread_mutex_lock(&other);
    pthread_mutex_unlock(&other);
    pthread_mutex_unlock(&mutex);
    pthread_mutex_lock(&other);
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    pthread_mutex_unlock(&other);
}

static void write_to_freed_memory(void)
{
    volatile char *volatile memory = malloc(sizeof word);

    free((void *)memory);
    memory[1] = 1;
}

/* --- Waiting forever -------------------------------------------------------------------- */

static __attribute__((noinline)) void *waits_for_mutex(void *arg)
{
    pthread_mutex_lock(&mutex);
    return arg;
}

static __attribute__((noinline)) void *waits_for_cond(void *arg)
{
    pthread_mutex_lock(&other);
    pthread_cond_wait(&cond, &other);
    return arg;
}

static __attribute__((noinline)) void *waits_to_read(void *arg)
{
    pthread_rwlock_rdlock(&rwlock);
    return arg;
}

static __attribute__((noinline)) void *waits_to_write(void *arg)
{
    pthread_rwlock_wrlock(&rwlock);
    return arg;
}

static __attribute__((noinline)) void *waits_for_sem(void *arg)
{
    sem_wait(&sem);
    sem_wait(&sem);
    return arg;
}

static __attribute__((noinline)) void *waits_at_barrier(void *arg)
{
    pthread_barrier_wait(&barrier);
    return arg;
}

static void wait_for_ever(void)
{
    static void *(*const waits[])(void *) = {waits_for_mutex, waits_for_cond, waits_to_read,
                                             waits_to_write,  waits_for_sem,  waits_at_barrier};
    pthread_t thread;

    pthread_mutex_lock(&mutex);
    pthread_rwlock_wrlock(&rwlock);
    for (size_t i = 0; i < sizeof waits / sizeof *waits; i++)
        pthread_create(&thread, NULL, waits[i], NULL);
    puts("ready");
    fflush(stdout);
    pause();
}

static void all_contend(void)
{
    pthread_t threads[THREADS];

    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, contend, NULL);
    pthread_mutex_lock(&mutex);
    is_open = 1;
    pthread_cond_broadcast(&cond);
    pthread_mutex_unlock(&mutex);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    printf("%d %d %d\n", counted, written, passed);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    pthread_t thread;

    pthread_barrier_init(&barrier, NULL, THREADS);
    sem_init(&sem, 0, 1);
    if (strcmp(what, "wait") == 0)
        wait_for_ever();
    all_contend();
    if (strcmp(what, "race") == 0) {
        pthread_create(&thread, NULL, change, NULL);
        change(NULL);
        pthread_join(thread, NULL);
    } else if (strcmp(what, "order") == 0) {
        in_both_orders();
    } else if (strcmp(what, "free") == 0) {
        write_to_freed_memory();
    }
    return EXIT_SUCCESS;
}
