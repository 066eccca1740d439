// SPDX-License-Identifier: MIT
// Attribute objects: what may be set, and what is then read.  Contract: differ.h.
#include <errno.h>

#include "differ.h"

static pthread_mutexattr_t m;
static pthread_condattr_t c;
static pthread_rwlockattr_t l;
static pthread_barrierattr_t b;

typedef int setter(void *, int);
typedef int getter(const void *, int *);

#define OF(object, kind, what)                                         \
    {                                                                  \
#kind " " #what, object, (setter *)pthread_##kind##_set##what, \
            (getter *)pthread_##kind##_get##what                       \
    }

// All take a pointer and an int, or a pointer to one.
static const struct attribute {
    const char *name;
    void *object;
    setter *set;
    getter *get;
} attributes[] = {
    OF(&m, mutexattr, type),      OF(&m, mutexattr, pshared),     OF(&m, mutexattr, robust),
    OF(&m, mutexattr, protocol),  OF(&m, mutexattr, prioceiling), OF(&c, condattr, pshared),
    OF(&c, condattr, clock),      OF(&l, rwlockattr, pshared),    OF(&l, rwlockattr, kind_np),
    OF(&b, barrierattr, pshared),
};

enum { COUNT = sizeof(attributes) / sizeof(attributes[0]) };

static void show(void)
{
    for (int i = 0; i < COUNT; i++) {
        int value = -7;
        int e = attributes[i].get(attributes[i].object, &value);

        say("  %s: %d, %d\n", attributes[i].name, e, value);
    }
}

static void attributes_begin(void)
{
    say("init %d %d %d %d\n", pthread_mutexattr_init(&m), pthread_condattr_init(&c),
        pthread_rwlockattr_init(&l), pthread_barrierattr_init(&b));
    show();
}

// An object with the attributes as they are: may there be one?
static void step_make(void)
{
    pthread_mutex_t mutex;
    pthread_cond_t cond;
    pthread_rwlock_t lock;
    pthread_barrier_t barrier;
    int e = pthread_mutex_init(&mutex, &m);

    say("mutex init = %d\n", e);
    if (e == 0) {
        int ceiling = -7;

        e = pthread_mutex_getprioceiling(&mutex, &ceiling);
        say("ceiling = %d, %d\n", e, ceiling);
        say("mutex destroy = %d\n", pthread_mutex_destroy(&mutex));
    }
    say("cond init = %d\n", pthread_cond_init(&cond, &c));
    say("cond destroy = %d\n", pthread_cond_destroy(&cond));
    say("rwlock init = %d\n", pthread_rwlock_init(&lock, &l));
    say("rwlock destroy = %d\n", pthread_rwlock_destroy(&lock));
    say("barrier init = %d\n", pthread_barrier_init(&barrier, &b, 2));
    say("barrier destroy = %d\n", pthread_barrier_destroy(&barrier));
}

static void attributes_step(void)
{
    static const int values[] = {-1, 0, 1, 2, 3, 4, 7, 16, 50, 98, 99, 100, 128, 1 << 20};
    const struct attribute *a = &attributes[draw(COUNT)];
    int value = values[draw(sizeof(values) / sizeof(values[0]))];

    if (draw(4) == 0) {
        step_make();
        return;
    }
    if (draw(2) == 0)
        value = (int)draw(3);
    say("%s := %d = %d\n", a->name, value, a->set(a->object, value));
    show();
}

const struct family attributes_family = {
    .name = "attributes", .begin = attributes_begin, .step = attributes_step};
