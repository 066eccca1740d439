/* SPDX-License-Identifier: MIT */
/*
 * Four real-time threads on one CPU: the low one has the mutex that the high one wants, and
 * the middle one would run forever.  With inheritance or a ceiling the middle one does not run
 * before the high one is done; without, it does.
 */
#include <errno.h>
#include <sched.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "library.h"

enum { LOW = 10, MIDDLE = 20, HIGH = 30, MAIN = 40 };

/* Loops that take long enough for others to be woken meanwhile. */
enum { SECTION = 300000, PATIENCE = 30000000 };

static struct fixture {
    const struct library *library;
    pthread_mutex_t mutex;
    pthread_mutex_t outer; /* of the one who stands between, where `has_chain` */
    bool has_chain;
    sem_t low_has, chain_has, go_chain, go;
    volatile int high_is_done, seen_by_middle;
} fixture;

static void loop(int n)
{
    for (volatile int i = 0; i < n && !fixture.high_is_done; i++)
        ;
}

static void take(pthread_mutex_t *m)
{
    int error = fixture.library->lock(m);

    if (error != 0)
        fail("%s: lock: %s", fixture.library->name, strerrorname_np(error));
}

static void *low(void *arg)
{
    take(&fixture.mutex);
    sem_post(&fixture.low_has);
    loop(SECTION);
    fixture.library->unlock(&fixture.mutex);
    return arg;
}

static void *in_between(void *arg)
{
    take(&fixture.outer);
    sem_post(&fixture.chain_has);
    sem_wait(&fixture.go_chain);
    take(&fixture.mutex);
    fixture.library->unlock(&fixture.mutex);
    fixture.library->unlock(&fixture.outer);
    return arg;
}

static void *middle(void *arg)
{
    sem_wait(&fixture.go);
    fixture.seen_by_middle = fixture.high_is_done;
    loop(PATIENCE);
    return arg;
}

static void *high(void *arg)
{
    pthread_mutex_t *wanted = fixture.has_chain ? &fixture.outer : &fixture.mutex;

    sem_wait(&fixture.go);
    take(wanted);
    fixture.library->unlock(wanted);
    fixture.high_is_done = 1;
    return arg;
}

static pthread_t start_at(void *(*body)(void *), int priority)
{
    const struct sched_param param = {.sched_priority = priority};
    pthread_attr_t a;
    pthread_t t;

    pthread_attr_init(&a);
    pthread_attr_setinheritsched(&a, PTHREAD_EXPLICIT_SCHED);
    pthread_attr_setschedpolicy(&a, SCHED_FIFO);
    pthread_attr_setschedparam(&a, &param);
    if (pthread_create(&t, &a, body, NULL) != 0)
        fail("no thread");
    pthread_attr_destroy(&a);
    return t;
}

static void make(const struct library *l, const struct kind *k, pthread_mutex_t *m)
{
    pthread_mutexattr_t a;

    kind_attributes(k, &a);
    if (k->protocol == PTHREAD_PRIO_PROTECT)
        pthread_mutexattr_setprioceiling(&a, HIGH);
    if (l->init(m, &a) != 0)
        fail("init");
}

/* Did the middle one wait until the high one was done? */
static bool is_bounded(const struct library *l, const struct kind *k, bool has_chain)
{
    pthread_t threads[4];
    int n = 0;

    fixture = (struct fixture){.library = l, .has_chain = has_chain};
    make(l, k, &fixture.mutex);
    make(l, k, &fixture.outer);
    sem_init(&fixture.low_has, 0, 0);
    sem_init(&fixture.chain_has, 0, 0);
    sem_init(&fixture.go_chain, 0, 0);
    sem_init(&fixture.go, 0, 0);
    threads[n++] = start_at(high, HIGH);
    threads[n++] = start_at(middle, MIDDLE);
    if (has_chain) {
        threads[n++] = start_at(in_between, LOW + 1);
        sem_wait(&fixture.chain_has);
    }
    threads[n++] = start_at(low, LOW);
    sem_wait(&fixture.low_has);
    sem_post(&fixture.go_chain); /* the main thread goes before all of them */
    sem_post(&fixture.go);
    sem_post(&fixture.go);
    for (int i = 0; i < n; i++)
        pthread_join(threads[i], NULL);
    return fixture.seen_by_middle != 0;
}

static void check(const struct kind *k, bool has_chain)
{
    bool must_be = k->protocol != PTHREAD_PRIO_NONE;
    char name[KIND_NAME];

    if (is_bounded(&libcs, k, has_chain) != must_be)
        fail("%s: this test does not test what it should", kind_name(k, name));
    if (is_bounded(&ours, k, has_chain) != must_be)
        fail("%s%s: the middle thread %s", kind_name(k, name), has_chain ? ", a chain" : "",
             must_be ? "held up the high one" : "waited");
}

static void become_first_on_one_cpu(void)
{
    const struct sched_param first = {.sched_priority = MAIN};
    cpu_set_t here;

    CPU_ZERO(&here);
    CPU_SET((unsigned)sched_getcpu(), &here);
    if (sched_setaffinity(0, sizeof here, &here) != 0)
        skip("cannot stay on one CPU");
    if (pthread_setschedparam(pthread_self(), SCHED_FIFO, &first) != 0)
        skip("no permission for SCHED_FIFO");
    /* One that waits for a page runs no more, and gives way to those below it. */
    (void)!mlockall(MCL_CURRENT | MCL_FUTURE);
}

int main(void)
{
    struct kind k = {-1, 0, 0, 0};

    become_first_on_one_cpu();
    while (kind_next(&k)) {
        check(&k, false);
        if (k.protocol == PTHREAD_PRIO_INHERIT)
            check(&k, true);
    }
    return 0;
}
