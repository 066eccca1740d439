/* SPDX-License-Identifier: MIT */
/*
 * Mutexes with ceilings and the priorities of those who hold them: what the kernel has, and what
 * pthread_getschedparam says.  The same with the C library's calls, and with ours.
 */
#include "boost.h"

#include <errno.h>
#include <sched.h>
#include <semaphore.h>

#include "library.h"

enum { OWN = 5, LOW_CEILING = 10, HIGH_CEILING = 20 };

static const struct library *l;

#define EXPECT(what, value)                                                              \
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
    EXPECT(l->init(m, &a), 0);
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

    EXPECT(l->getschedparam(thread, &policy, &param), 0);
    EXPECT(policy, SCHED_FIFO);
    return param.sched_priority;
}

static void set_own(int priority)
{
    const struct sched_param param = {.sched_priority = priority};

    EXPECT(l->setschedparam(pthread_self(), SCHED_FIFO, &param), 0);
}

static void nested_ceilings_go_up_and_down(void)
{
    pthread_mutex_t low, high, low_too;

    make(&low, PTHREAD_MUTEX_NORMAL, LOW_CEILING);
    make(&low_too, PTHREAD_MUTEX_NORMAL, LOW_CEILING);
    make(&high, PTHREAD_MUTEX_NORMAL, HIGH_CEILING);
    EXPECT(l->lock(&low), 0);
    EXPECT(kernels(), LOW_CEILING);
    EXPECT(l->trylock(&high), 0);
    EXPECT(kernels(), HIGH_CEILING);
    EXPECT(l->lock(&low_too), 0);
    EXPECT(l->unlock(&low), 0);
    EXPECT(kernels(), HIGH_CEILING);
    EXPECT(l->unlock(&high), 0);
    EXPECT(kernels(), LOW_CEILING);
    EXPECT(own(pthread_self()), OWN);
    EXPECT(l->unlock(&low_too), 0);
    EXPECT(kernels(), OWN);
}

static void who_is_above_the_ceiling_is_refused(void)
{
    pthread_mutex_t low;

    make(&low, PTHREAD_MUTEX_ERRORCHECK, LOW_CEILING);
    set_own(LOW_CEILING + 1);
    EXPECT(l->lock(&low), EINVAL);
    EXPECT(l->trylock(&low), EINVAL);
    EXPECT(kernels(), LOW_CEILING + 1);
    set_own(OWN);
    EXPECT(l->lock(&low), 0);
    EXPECT(l->lock(&low), EDEADLK);
    EXPECT(l->unlock(&low), 0);
    EXPECT(l->unlock(&low), EPERM);
    EXPECT(kernels(), OWN);
}

static void own_priority_may_change_meanwhile(void)
{
    pthread_mutex_t low, high;

    make(&low, PTHREAD_MUTEX_NORMAL, LOW_CEILING);
    make(&high, PTHREAD_MUTEX_NORMAL, HIGH_CEILING);
    EXPECT(l->lock(&low), 0);
    set_own(OWN + 1);
    EXPECT(kernels(), LOW_CEILING);
    EXPECT(own(pthread_self()), OWN + 1);
    EXPECT(l->setschedprio(pthread_self(), LOW_CEILING + 2), 0);
    EXPECT(kernels(), LOW_CEILING + 2);
    EXPECT(l->lock(&high), 0);
    EXPECT(kernels(), HIGH_CEILING);
    EXPECT(l->setschedprio(pthread_self(), OWN + 2), 0);
    EXPECT(kernels(), HIGH_CEILING);
    EXPECT(l->unlock(&high), 0);
    EXPECT(kernels(), LOW_CEILING);
    EXPECT(l->unlock(&low), 0);
    EXPECT(kernels(), OWN + 2);
    EXPECT(own(pthread_self()), OWN + 2);
    set_own(OWN);
}

static pthread_mutex_t others;
static sem_t has_it, asked, look;
static volatile int seen;

static void *holder(void *arg)
{
    EXPECT(l->lock(&others), 0);
    sem_post(&has_it);
    for (int i = 0; i < 2; i++) {
        sem_wait(&look);
        seen = kernels();
        sem_post(&asked);
        if (i == 0)
            EXPECT(l->unlock(&others), 0);
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
    EXPECT(own(t), OWN);
    EXPECT(l->setschedprio(t, OWN + 3), 0);
    EXPECT(own(t), OWN + 3);
    EXPECT(own(pthread_self()), OWN);
    EXPECT(ask(), HIGH_CEILING);
    EXPECT(ask(), OWN + 3);
    pthread_join(t, NULL);
}

static void ceilings_change(void)
{
    pthread_mutex_t m, plain;
    int ceiling = 0;

    make(&m, PTHREAD_MUTEX_RECURSIVE, LOW_CEILING);
    EXPECT(l->getprioceiling(&m, &ceiling), 0);
    EXPECT(ceiling, LOW_CEILING);
    EXPECT(l->setprioceiling(&m, HIGH_CEILING, &ceiling), 0);
    EXPECT(ceiling, LOW_CEILING);
    EXPECT(l->setprioceiling(&m, 0, NULL), EINVAL);
    EXPECT(l->setprioceiling(&m, 100, NULL), EINVAL);
    EXPECT(l->lock(&m), 0);
    EXPECT(kernels(), HIGH_CEILING);
    EXPECT(l->setprioceiling(&m, LOW_CEILING, &ceiling), 0);
    EXPECT(ceiling, HIGH_CEILING);
    EXPECT(kernels(), LOW_CEILING);
    EXPECT(l->lock(&m), 0);
    EXPECT(l->destroy(&m), EBUSY);
    EXPECT(l->unlock(&m), 0);
    EXPECT(kernels(), LOW_CEILING);
    EXPECT(l->unlock(&m), 0);
    EXPECT(kernels(), OWN);
    EXPECT(l->destroy(&m), 0);
    make(&m, PTHREAD_MUTEX_ERRORCHECK, LOW_CEILING);
    EXPECT(l->lock(&m), 0);
    EXPECT(l->setprioceiling(&m, HIGH_CEILING, NULL), EDEADLK);
    EXPECT(l->unlock(&m), 0);
    EXPECT(l->init(&plain, NULL), 0);
    EXPECT(l->setprioceiling(&plain, HIGH_CEILING, NULL), EINVAL);
    EXPECT(l->getprioceiling(&plain, &ceiling), EINVAL);
}

/* Without a priority there is nothing to raise. */
static void ordinary_threads_are_refused(void)
{
    const struct sched_param none = {.sched_priority = 0};
    pthread_mutex_t low;

    make(&low, PTHREAD_MUTEX_NORMAL, LOW_CEILING);
    EXPECT(l->setschedparam(pthread_self(), SCHED_OTHER, &none), 0);
    EXPECT(l->lock(&low), EINVAL);
    EXPECT(kernels(), 0);
}

/* In a process of its own: the C library remembers what was done to a thread. */
static void run_all(void *library)
{
    l = library;
    set_own(OWN);
    nested_ceilings_go_up_and_down();
    who_is_above_the_ceiling_is_refused();
    own_priority_may_change_meanwhile();
    another_thread_sets_it();
    ceilings_change();
    ordinary_threads_are_refused();
}

int main(void)
{
    const struct sched_param own_param = {.sched_priority = OWN};
    struct library both[] = {libcs, ours};

    if (pthread_setschedparam(pthread_self(), SCHED_FIFO, &own_param) != 0)
        skip("no permission for SCHED_FIFO");
    for (int i = 0; i < 2; i++)
        finish(start(run_all, &both[i]));
    return 0;
}
