/* SPDX-License-Identifier: MIT */
/*
 * Mutexes with ceilings and the priorities of those who hold them: what the kernel has, and what
 * pthread_getschedparam says.  The same with the C library's calls, and with ours.
 */
#include "boost.h"

#include <errno.h>
#include <sched.h>
#include <semaphore.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "library.h"

enum { OWN = 5, LOW_CEILING = 10, HIGH_CEILING = 20 };

static const struct library *l;

#define CHECK(what, value)                                                               \
    do {                                                                                 \
        int is_ = (what);                                                                \
        if (is_ != (value))                                                              \
            fail("%s, line %d: %s is %d, not %d", l->name, __LINE__, #what, is_, value); \
    } while (0)

static void make(pthread_mutex_t *m, int type, int ceiling)
{
    pthread_mutexattr_t a;

    pthread_mutexattr_init(&a);
    pthread_mutexattr_settype(&a, type);
    pthread_mutexattr_setprotocol(&a, PTHREAD_PRIO_PROTECT);
    pthread_mutexattr_setprioceiling(&a, ceiling);
    CHECK(l->init(m, &a), 0);
}

static int kernels(void)
{
    struct sched_param param;

    sched_getparam(0, &param);
    return param.sched_priority;
}

static int own(pthread_t thread)
{
    struct sched_param param;
    int policy;

    CHECK(l->getschedparam(thread, &policy, &param), 0);
    CHECK(policy, SCHED_FIFO);
    return param.sched_priority;
}

static void set_own(int priority)
{
    const struct sched_param param = {.sched_priority = priority};

    CHECK(l->setschedparam(pthread_self(), SCHED_FIFO, &param), 0);
}

static void nested_ceilings_go_up_and_down(void)
{
    pthread_mutex_t low, high, low_too;

    make(&low, PTHREAD_MUTEX_NORMAL, LOW_CEILING);
    make(&low_too, PTHREAD_MUTEX_NORMAL, LOW_CEILING);
    make(&high, PTHREAD_MUTEX_NORMAL, HIGH_CEILING);
    CHECK(l->lock(&low), 0);
    CHECK(kernels(), LOW_CEILING);
    CHECK(l->trylock(&high), 0);
    CHECK(kernels(), HIGH_CEILING);
    CHECK(l->lock(&low_too), 0);
    CHECK(l->unlock(&low), 0);
    CHECK(kernels(), HIGH_CEILING);
    CHECK(l->unlock(&high), 0);
    CHECK(kernels(), LOW_CEILING);
    CHECK(own(pthread_self()), OWN);
    CHECK(l->unlock(&low_too), 0);
    CHECK(kernels(), OWN);
}

static void who_is_above_the_ceiling_is_refused(void)
{
    pthread_mutex_t low;

    make(&low, PTHREAD_MUTEX_ERRORCHECK, LOW_CEILING);
    set_own(LOW_CEILING + 1);
    CHECK(l->lock(&low), EINVAL);
    CHECK(l->trylock(&low), EINVAL);
    CHECK(kernels(), LOW_CEILING + 1);
    set_own(OWN);
    CHECK(l->lock(&low), 0);
    CHECK(l->lock(&low), EDEADLK);
    CHECK(l->unlock(&low), 0);
    CHECK(l->unlock(&low), EPERM);
    CHECK(kernels(), OWN);
}

static void own_priority_may_change_meanwhile(void)
{
    pthread_mutex_t low, high;

    make(&low, PTHREAD_MUTEX_NORMAL, LOW_CEILING);
    make(&high, PTHREAD_MUTEX_NORMAL, HIGH_CEILING);
    CHECK(l->lock(&low), 0);
    set_own(OWN + 1);
    CHECK(kernels(), LOW_CEILING);
    CHECK(own(pthread_self()), OWN + 1);
    CHECK(l->setschedprio(pthread_self(), LOW_CEILING + 2), 0);
    CHECK(kernels(), LOW_CEILING + 2);
    CHECK(l->lock(&high), 0);
    CHECK(kernels(), HIGH_CEILING);
    CHECK(l->setschedprio(pthread_self(), OWN + 2), 0);
    CHECK(kernels(), HIGH_CEILING);
    CHECK(l->unlock(&high), 0);
    CHECK(kernels(), LOW_CEILING);
    CHECK(l->unlock(&low), 0);
    CHECK(kernels(), OWN + 2);
    CHECK(own(pthread_self()), OWN + 2);
    set_own(OWN);
}

static pthread_mutex_t others;
static sem_t has_it, asked, look;
static volatile int seen;

static void *holder(void *arg)
{
    CHECK(l->lock(&others), 0);
    sem_post(&has_it);
    for (int i = 0; i < 2; i++) {
        sem_wait(&look);
        seen = kernels();
        sem_post(&asked);
        if (i == 0)
            CHECK(l->unlock(&others), 0);
    }
    return arg;
}

static int ask(void)
{
    sem_post(&look);
    sem_wait(&asked);
    return seen;
}

static void another_thread_sets_it(void)
{
    pthread_t t;

    make(&others, PTHREAD_MUTEX_NORMAL, HIGH_CEILING);
    sem_init(&has_it, 0, 0);
    sem_init(&asked, 0, 0);
    sem_init(&look, 0, 0);
    pthread_create(&t, NULL, holder, NULL);
    sem_wait(&has_it);
    CHECK(own(t), OWN);
    CHECK(l->setschedprio(t, OWN + 3), 0);
    CHECK(own(t), OWN + 3);
    CHECK(own(pthread_self()), OWN);
    CHECK(ask(), HIGH_CEILING);
    CHECK(ask(), OWN + 3);
    pthread_join(t, NULL);
}

static void ceilings_change(void)
{
    pthread_mutex_t m, plain;
    int ceiling = 0;

    make(&m, PTHREAD_MUTEX_RECURSIVE, LOW_CEILING);
    CHECK(l->getprioceiling(&m, &ceiling), 0);
    CHECK(ceiling, LOW_CEILING);
    CHECK(l->setprioceiling(&m, HIGH_CEILING, &ceiling), 0);
    CHECK(ceiling, LOW_CEILING);
    CHECK(l->setprioceiling(&m, 0, NULL), EINVAL);
    CHECK(l->setprioceiling(&m, 100, NULL), EINVAL);
    CHECK(l->lock(&m), 0);
    CHECK(kernels(), HIGH_CEILING);
    CHECK(l->setprioceiling(&m, LOW_CEILING, &ceiling), 0);
    CHECK(ceiling, HIGH_CEILING);
    CHECK(kernels(), LOW_CEILING);
    CHECK(l->lock(&m), 0);
    CHECK(l->destroy(&m), EBUSY);
    CHECK(l->unlock(&m), 0);
    CHECK(kernels(), LOW_CEILING);
    CHECK(l->unlock(&m), 0);
    CHECK(kernels(), OWN);
    CHECK(l->destroy(&m), 0);
    make(&m, PTHREAD_MUTEX_ERRORCHECK, LOW_CEILING);
    CHECK(l->lock(&m), 0);
    CHECK(l->setprioceiling(&m, HIGH_CEILING, NULL), EDEADLK);
    CHECK(l->unlock(&m), 0);
    CHECK(l->init(&plain, NULL), 0);
    CHECK(l->setprioceiling(&plain, HIGH_CEILING, NULL), EINVAL);
    CHECK(l->getprioceiling(&plain, &ceiling), EINVAL);
}

/* Without a priority there is nothing to raise. */
static void ordinary_threads_are_refused(void)
{
    const struct sched_param none = {.sched_priority = 0};
    pthread_mutex_t low;

    make(&low, PTHREAD_MUTEX_NORMAL, LOW_CEILING);
    CHECK(l->setschedparam(pthread_self(), SCHED_OTHER, &none), 0);
    CHECK(l->lock(&low), EINVAL);
    CHECK(kernels(), 0);
}

/* In a process of its own: the C library remembers what was done to a thread. */
static void run_all(const struct library *library)
{
    int status;
    pid_t child = fork();

    if (child == 0) {
        l = library;
        set_own(OWN);
        nested_ceilings_go_up_and_down();
        who_is_above_the_ceiling_is_refused();
        own_priority_may_change_meanwhile();
        another_thread_sets_it();
        ceilings_change();
        ordinary_threads_are_refused();
        exit(0);
    }
    if (waitpid(child, &status, 0) != child || status != 0)
        fail("%s: status %x", library->name, (unsigned)status);
}

int main(void)
{
    const struct sched_param own_param = {.sched_priority = OWN};

    if (pthread_setschedparam(pthread_self(), SCHED_FIFO, &own_param) != 0)
        skip_test("no permission for SCHED_FIFO");
    run_all(&libcs);
    run_all(&ours);
    return 0;
}
