// SPDX-License-Identifier: MIT
// An unnamed semaphore.  Contract: differ.h.
//
//   DSEM1  at most one sleeps
#include <errno.h>
#include <limits.h>
#include <semaphore.h>
#include <string.h>

#include "differ.h"

static sem_t s;
static int sleeper;

CALL(call_wait, sem_wait(o->object))
CALL(call_trywait, sem_trywait(o->object))
CALL(call_timedwait, sem_timedwait(o->object, &o->at))
CALL(call_clockwait, sem_clockwait(o->object, o->clock, &o->at))
CALL(call_post, sem_post(o->object))

static long call_getvalue(struct order *o)
{
    int value = -7;
    int e = sem_getvalue(o->object, &value);

    return e == 0 ? value : -1;
}

static void sem_ended(int who, const struct order *o, long result)
{
    (void)o;
    (void)result;
    if (sleeper == who)
        sleeper = NO_ACTOR;
}

static void sem_cancelled(const struct order *o)
{
    (void)o;
    sleeper = NO_ACTOR;
}

static void begin(void)
{
    static const unsigned values[] = {
        0, 0, 1, 2, SEM_VALUE_MAX, SEM_VALUE_MAX - 1, (unsigned)SEM_VALUE_MAX + 1, UINT_MAX};
    unsigned value = values[draw(8)];
    int shared = (int)draw(3);
    int e;

    sleeper = NO_ACTOR;
    memset(&s, 0, sizeof(s));
    if (draw(5) == 0) { // all zero bytes: none to be had
        say("zero\n");
        return;
    }
    errno = 0;
    e = sem_init(&s, shared, value);
    say("value %u, shared %d = %d, %d\n", value, shared, e, errno);
    if (e != 0)
        sem_init(&s, 0, 0);
}

static void step_wait(int who)
{
    struct order o = {.object = &s};
    unsigned kind = draw(3);
    enum moment which = draw(MOMENTS);
    int value = 0;

    sem_getvalue(&s, &value);
    if (sleeper != NO_ACTOR && (kind == 0 || which >= SOON))
        return;
    o.clock = kind == 2 ? any_clock() : CLOCK_REALTIME;
    if (kind != 0)
        set_moment(&o, which);
    o.name = kind == 0 ? "wait" : kind == 1 ? "timedwait" : "clockwait";
    o.call = kind == 0 ? call_wait : kind == 1 ? call_timedwait : call_clockwait;
    if (kind == 0 || which == FAR)
        sleeper = who; // unless it ends at once
    act(who, o);
}

static void sem_step(void)
{
    int who = (int)draw(ACTORS);
    unsigned what = draw(16);
    struct order o = {.object = &s};

    if (actor_sleeps(who)) {
        if (what < 4)
            actor_interrupt(who, what < 2);
        else if (what < 6)
            actor_cancel(who);
        return;
    }
    if (what < 7) {
        step_wait(who);
    } else if (what < 11) {
        o.name = "post";
        o.call = call_post;
        act(who, o);
    } else if (what < 13) {
        o.name = "trywait";
        o.call = call_trywait;
        act(who, o);
    } else if (what < 15) {
        o.name = "getvalue";
        o.call = call_getvalue;
        act(who, o);
    } else if (sleeper == NO_ACTOR) {
        say("destroy = %d\n", sem_destroy(&s));
        begin();
    }
}

const struct family sem_family = {"sem", begin, sem_step, sem_ended, sem_cancelled, NULL};
