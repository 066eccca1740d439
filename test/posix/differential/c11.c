// SPDX-License-Identifier: MIT
// C11's mutexes and condition variables.  Contract: differ.h.
//
//   I1  at most one sleeps for the mutex and at most one waits, and there is no signal while
//       somebody sleeps for the mutex
//   I2  a waiter that was signalled, and sleeps until the mutex is free, is not cancelled: POSIX
//       (XSH 2.9.5) leaves open whether that ends it or its wait returns
#include <string.h>
#include <threads.h>

#include "differ.h"

#define DEPTH 3

static mtx_t m;
static cnd_t c;

static struct {
    int type;
    int owner, depth;
    int locker, waiter;
    int signalled; // the locker, where it has waited before
} model;

CALL(call_lock, mtx_lock(o->object))
CALL(call_trylock, mtx_trylock(o->object))
CALL(call_timedlock, mtx_timedlock(o->object, &o->at))
CALL(call_unlock, mtx_unlock(o->object))
CALL(call_wait, cnd_wait(o->other, o->object))
CALL(call_timedwait, cnd_timedwait(o->other, o->object, &o->at))
CALL(call_signal, o->value != 0 ? cnd_broadcast(o->other) : cnd_signal(o->other))

static void c11_ended(int who, const struct order *o, long result)
{
    bool waited = o->call == call_wait || o->call == call_timedwait;

    if (model.locker == who)
        model.locker = model.signalled = NO_ACTOR;
    if (model.waiter == who)
        model.waiter = NO_ACTOR;
    if (o->call == call_signal)
        return;
    if (o->call == call_unlock) {
        if (result == thrd_success && --model.depth == 0)
            model.owner = NO_ACTOR;
    } else if (result == thrd_success || waited) { // a failed wait holds it again
        model.depth = model.owner == who ? model.depth + 1 : 1;
        model.owner = who;
    }
}

static void c11_cancelled(const struct order *o)
{
    say("in clean-up: unlock = %d\n", mtx_unlock(o->object));
    model.waiter = NO_ACTOR;
}

static void c11_begin(void)
{
    static const int types[] = {mtx_plain, mtx_recursive, mtx_timed, mtx_timed | mtx_recursive, 7};
    int e;

    model.type = types[draw(5)];
    model.owner = model.locker = model.waiter = model.signalled = NO_ACTOR;
    model.depth = 0;
    memset(&m, 0x5a, sizeof(m));
    memset(&c, 0x5a, sizeof(c));
    e = mtx_init(&m, model.type);
    say("type %d = %d\n", model.type, e);
    if (e != thrd_success)
        mtx_init(&m, model.type = mtx_plain);
    say("cnd = %d\n", cnd_init(&c));
}

static void step_lock(int who, struct order o)
{
    bool mine = model.owner == who;
    bool timed = draw(2) == 0;
    enum moment which = timed ? (enum moment)draw(MOMENTS) : FAR;

    if (mine && (model.depth >= DEPTH || (model.type & mtx_recursive) == 0))
        return;
    if (model.locker != NO_ACTOR && which >= SOON)
        return;
    o.clock = CLOCK_REALTIME;
    if (timed)
        set_moment(&o, which);
    o.name = timed ? "timedlock" : "lock";
    o.call = timed ? call_timedlock : call_lock;
    if (which == FAR && model.owner != NO_ACTOR && !mine)
        model.locker = who;
    act(who, o);
}

static void step_wait(int who, struct order o)
{
    bool timed = draw(2) == 0;

    if (model.owner != who || model.depth != 1 || model.waiter != NO_ACTOR)
        return;
    if (actor_is_doomed(who) && model.locker != NO_ACTOR)
        return;
    if (model.locker != NO_ACTOR && timed)
        return;
    o.clock = CLOCK_REALTIME;
    if (timed)
        set_moment(&o, draw(2) == 0 ? LONG_AGO : FAR);
    o.name = timed ? "timedwait" : "wait";
    o.call = timed ? call_timedwait : call_wait;
    model.owner = NO_ACTOR;
    model.depth = 0;
    model.waiter = who;
    act(who, o);
}

static void step_signal(int who, struct order o)
{
    if (model.locker != NO_ACTOR)
        return;
    o.name = "signal";
    o.call = call_signal;
    o.value = (int)draw(2);
    if (model.waiter != NO_ACTOR && model.owner != NO_ACTOR) {
        model.locker = model.signalled = model.waiter;
        model.waiter = NO_ACTOR;
    }
    act(who, o);
}

static void c11_step(void)
{
    int who = (int)draw(ACTORS);
    unsigned what = draw(16);
    struct order o = {.object = &m, .other = &c};
    bool free = model.owner == NO_ACTOR && model.locker == NO_ACTOR;

    if (actor_sleeps(who)) {
        if (what < 2)
            actor_interrupt(who, what == 0);
        else if (what == 2 && who != model.signalled && (model.waiter != who || free))
            actor_cancel(who);
        return;
    }
    if (what < 5) {
        step_lock(who, o);
    } else if (what < 7) {
        o.name = "trylock";
        o.call = call_trylock;
        if (model.owner != who || ((model.type & mtx_recursive) != 0 && model.depth < DEPTH))
            act(who, o);
    } else if (what < 10) {
        o.name = "unlock";
        o.call = call_unlock;
        if (model.owner == who || (model.type & mtx_recursive) != 0) // a stranger is told
            act(who, o);
    } else if (what < 12) {
        step_wait(who, o);
    } else if (what < 15) {
        step_signal(who, o);
    } else if (free && model.waiter == NO_ACTOR) {
        mtx_destroy(&m);
        cnd_destroy(&c);
        c11_begin();
    }
}

const struct family c11_family = {"c11", c11_begin, c11_step, c11_ended, c11_cancelled, NULL};
