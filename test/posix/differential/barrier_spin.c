// SPDX-License-Identifier: MIT
// Barriers and spin locks.  Contract: differ.h.
#include <errno.h>
#include <limits.h>
#include <string.h>

#include "differ.h"

static pthread_barrier_t b;
static pthread_spinlock_t s;

static struct {
    unsigned count, inside;
    int spinner;
    unsigned serial; // how many of a round were told that they are the one
} model;

// Which of them is the one is up to chance: so only how many there were is said.
static long call_wait(struct order *o)
{
    int e = pthread_barrier_wait(o->object);

    if (e == PTHREAD_BARRIER_SERIAL_THREAD)
        __atomic_add_fetch(&model.serial, 1, __ATOMIC_RELAXED);
    return e == PTHREAD_BARRIER_SERIAL_THREAD ? 0 : e;
}

CALL(call_spin_lock, pthread_spin_lock(o->object))
CALL(call_spin_trylock, pthread_spin_trylock(o->object))
CALL(call_spin_unlock, pthread_spin_unlock(o->object))

static void barrier_spin_ended(int who, const struct order *o, long result)
{
    if ((o->call == call_spin_lock || o->call == call_spin_trylock) && result == 0)
        model.spinner = who;
    else if (o->call == call_spin_unlock && result == 0)
        model.spinner = NO_ACTOR;
}

static void make_barrier(void)
{
    static const unsigned counts[] = {
        0, 1, 2, 3, 2, 3, UINT_MAX, (unsigned)INT_MAX + 1, INT_MAX, INT_MAX - 1};
    unsigned count = counts[draw(10)];
    int shared = (int)draw(2);
    pthread_barrierattr_t a;
    int e;

    pthread_barrierattr_init(&a);
    pthread_barrierattr_setpshared(&a, shared);
    memset(&b, 0x5a, sizeof(b));
    e = pthread_barrier_init(&b, draw(3) == 0 ? NULL : &a, count);
    say("barrier of %u, shared %d = %d\n", count, shared, e);
    pthread_barrierattr_destroy(&a);
    if (e != 0)
        pthread_barrier_init(&b, NULL, count = 1);
    model.count = count;
    model.inside = 0;
}

static void barrier_spin_begin(void)
{
    make_barrier();
    say("spin = %d\n", pthread_spin_init(&s, (int)draw(2)));
    model.spinner = NO_ACTOR;
}

static void step_wait(int who)
{
    model.inside++;
    act(who, (struct order){.name = "wait", .call = call_wait, .object = &b});
    if (model.inside < model.count)
        return;
    say("the one: %u times\n", model.serial);
    model.inside = model.serial = 0;
}

static void step_spin(int who)
{
    struct order o = {.object = (void *)&s};

    if (model.spinner == who) {
        o.name = "spin unlock";
        o.call = call_spin_unlock;
    } else if (model.spinner == NO_ACTOR && draw(2) == 0) {
        o.name = "spin lock";
        o.call = call_spin_lock;
    } else {
        o.name = "spin trylock";
        o.call = call_spin_trylock;
    }
    act(who, o);
}

static void barrier_spin_step(void)
{
    int who = (int)draw(ACTORS);
    unsigned what = draw(10);

    if (actor_sleeps(who)) {
        if (what < 2)
            actor_interrupt(who, what == 0);
        else if (what == 2)
            actor_cancel(who); // not a cancellation point
        return;
    }
    if (what < 5) {
        step_wait(who);
    } else if (what < 8) {
        step_spin(who);
    } else if (model.inside == 0) {
        say("destroy = %d\n", pthread_barrier_destroy(&b));
        make_barrier();
    } else if (model.spinner == NO_ACTOR) {
        say("spin destroy = %d\n", pthread_spin_destroy(&s));
        say("spin = %d\n", pthread_spin_init(&s, (int)draw(2)));
    }
}

const struct family barrier_spin_family = {.name = "barrier_spin",
                                           .begin = barrier_spin_begin,
                                           .step = barrier_spin_step,
                                           .ended = barrier_spin_ended};
