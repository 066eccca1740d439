/* SPDX-License-Identifier: MIT */
/*
 * A real-time thread waited on a condition variable, for as long as others liked: an ordinary
 * thread had lost its CPU inside the wait-queue bucket of another variable, which was the same.
 *
 * Three SCHED_FIFO threads on one CPU.  The low one is inside the bucket and leaves when it has
 * seen the high one come; the middle one runs until the high one has come through.  So without
 * inheritance nobody gets any further, until the middle one has had enough of it.
 */
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <furwock/cond.h>
#include <furwock/rwlock.h>

#include "core/waitqueue.h"
#include "thread/cond_queue.h"
#include "thread/rwlock_word.h"

enum { LOW = 1, MIDDLE = 2, HIGH = 3 };

/* Nobody needs this long, unless forever. */
enum { PATIENCE_S = 30 };

/* More of them than there are buckets, so some share one. */
enum { OBJECTS = 1024 };

static union object {
    fw_cond cond;
    fw_rwlock lock;
} objects[OBJECTS] __attribute__((aligned(64)));

static const void *strange; /* whose bucket is that of the object that is used */
static union object *used;
static void (*use)(void);
static bool is_inside, middle_runs, high_comes, high_is_through;
static unsigned cpu;

static bool get(const bool *flag)
{
    return __atomic_load_n(flag, __ATOMIC_ACQUIRE);
}

static void set(bool *flag)
{
    __atomic_store_n(flag, true, __ATOMIC_RELEASE);
}

static void wait_for(const bool *flag)
{
    while (!get(flag))
        nanosleep(&(struct timespec){0, 100000}, NULL);
}

/* Waits on the variable until its deadline, which has passed. */
static void wait_on_cond(void)
{
    static const fw_deadline past = {{0, 0}, CLOCK_MONOTONIC};
    static fw_mutex m;

    fw_mutex_lock(&m);
    fw_cond_timedwait(&used->cond, &m, &past);
    fw_mutex_unlock(&m);
}

/* Signals a variable on which somebody may wait. */
static void signal_cond(void)
{
    used->cond.waiters_ = COND_WAITERS;
    fw_cond_signal(&used->cond);
}

/* Releases a lock for which somebody may wait. */
static void release_rwlock(void)
{
    fw_rwlock_wrlock(&used->lock);
    used->lock.state_ |= RW_WAITERS;
    fw_rwlock_wrunlock(&used->lock);
}

static void *low(void *arg)
{
    struct fw_waitqueue_ *bucket = fw_waitqueue_lock_(strange);

    set(&is_inside);
    while (!get(&high_comes))
        ;
    fw_waitqueue_unlock_(bucket);
    return arg;
}

static void *middle(void *arg)
{
    time_t end = time(NULL) + PATIENCE_S;

    set(&middle_runs);
    while (!get(&high_is_through) && time(NULL) < end)
        ;
    if (!get(&high_is_through)) {
        fprintf(stderr, "the high one waits for the low one, which waits for the middle one\n");
        exit(1);
    }
    return arg;
}

static void *high(void *arg)
{
    set(&high_comes);
    use();
    set(&high_is_through);
    return arg;
}

static pthread_t start(void *(*body)(void *), int priority)
{
    const struct sched_param param = {.sched_priority = priority};
    cpu_set_t here;
    pthread_attr_t a;
    pthread_t t;
    int error;

    CPU_ZERO(&here);
    CPU_SET(cpu, &here);
    pthread_attr_init(&a);
    pthread_attr_setaffinity_np(&a, sizeof here, &here);
    pthread_attr_setinheritsched(&a, PTHREAD_EXPLICIT_SCHED);
    pthread_attr_setschedpolicy(&a, SCHED_FIFO);
    pthread_attr_setschedparam(&a, &param);
    error = pthread_create(&t, &a, body, NULL);
    pthread_attr_destroy(&a);
    if (error != 0) {
        printf("skipped: no thread of SCHED_FIFO: %s\n", strerror(error));
        exit(77);
    }
    return t;
}

static struct fw_waitqueue_ *bucket_of(const void *object)
{
    struct fw_waitqueue_ *bucket = fw_waitqueue_lock_(object);

    fw_waitqueue_unlock_(bucket);
    return bucket;
}

/* Two objects that have nothing to do with each other, but share a bucket. */
static void find_strangers(void)
{
    for (unsigned i = 0; i < OBJECTS; i++) {
        for (unsigned j = 0; j < i; j++) {
            if (bucket_of(&objects[i]) == bucket_of(&objects[j])) {
                strange = &objects[i];
                used = &objects[j];
                return;
            }
        }
    }
    fprintf(stderr, "each object has a bucket of its own\n");
    exit(1);
}

static void play(void (*how)(void))
{
    pthread_t threads[3];

    use = how;
    is_inside = middle_runs = high_comes = high_is_through = false;
    memset(used, 0, sizeof *used);
    threads[0] = start(low, LOW);
    wait_for(&is_inside);
    threads[1] = start(middle, MIDDLE);
    wait_for(&middle_runs);
    threads[2] = start(high, HIGH);
    for (unsigned i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
}

int main(void)
{
    const struct sched_param first = {.sched_priority = HIGH + 1};

    cpu = (unsigned)sched_getcpu();
    find_strangers();
    if (pthread_setschedparam(pthread_self(), SCHED_FIFO, &first) != 0) {
        printf("skipped: no permission for SCHED_FIFO\n");
        return 77;
    }
    play(wait_on_cond);
    play(signal_cond);
    play(release_rwlock);
    return 0;
}
