// SPDX-License-Identifier: MIT
// A mutex of any kind, and a condition variable with it; and C11's.  Contract: differ.h.
//
//   DMU1  at most one sleeps for the mutex and at most one waits on the condition variable, and
//         there is no signal while somebody sleeps for the mutex: which comes first would be up to
//         chance
//   DMU2  nobody unlocks a plain mutex that is free, nor another's with a ceiling: the C library
//         does itself harm
//   DMU3  a waiter that was signalled, and sleeps until the mutex is free, is not cancelled: POSIX
//         (XSH 2.9.5) leaves open whether that ends it or its wait returns
#include <errno.h>
#include <string.h>

#include "differ.h"
#include "mutex_calls.h"
#include "mutex_model.h"

// A cancelled waiter has the mutex again.
static void mutex_cancelled(const struct order *o)
{
    struct order unlock = *o;

    say("in clean-up: unlock = %ld\n", mutex_unlock(&unlock));
    model.waiter = NO_ACTOR;
    model.is_new = true;
}

// Beginnings.

static const pthread_mutex_t initialisers[] = {
    PTHREAD_MUTEX_INITIALIZER, PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP,
    PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP, PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP};
static const int types[] = {PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_ERRORCHECK, PTHREAD_MUTEX_RECURSIVE,
                            PTHREAD_MUTEX_ADAPTIVE_NP};

static void forget(int type)
{
    model.type = type;
    model.owner = NO_ACTOR;
    model.depth = 0;
    model.locker = model.waiter = model.signalled = NO_ACTOR;
    model.inconsistent = model.lost = model.shared = model.robust = false;
    model.protocol = PTHREAD_PRIO_NONE;
    model.is_new = true;
}

static void make_mutex(void)
{
    unsigned type = draw(4);
    pthread_mutexattr_t a;
    int e;

    forget(types[type]);
    if (draw(4) == 0) {
        memcpy(&m.posix, &initialisers[type], sizeof(m.posix));
        say("static, type %d\n", model.type);
        return;
    }
    model.shared = draw(3) == 0;
    model.robust = draw(3) == 0;
    model.protocol = draw(2) == 0 ? PTHREAD_PRIO_NONE : (int)draw(3);
    if (model.protocol == PTHREAD_PRIO_PROTECT && !mutex_may_be_real_time())
        model.protocol = PTHREAD_PRIO_INHERIT;
    memset(&m, 0x5a, sizeof(m));
    pthread_mutexattr_init(&a);
    pthread_mutexattr_settype(&a, model.type);
    pthread_mutexattr_setpshared(&a, model.shared);
    pthread_mutexattr_setrobust(&a, model.robust);
    pthread_mutexattr_setprotocol(&a, model.protocol);
    if (model.protocol == PTHREAD_PRIO_PROTECT && draw(2) == 0)
        pthread_mutexattr_setprioceiling(&a, 1 + (int)draw(99));
    e = pthread_mutex_init(&m.posix, &a);
    say("type %d, shared %d, robust %d, protocol %d = %d\n", model.type, model.shared, model.robust,
        model.protocol, e);
    pthread_mutexattr_destroy(&a);
    if (e != 0) { // a protected one cannot be robust
        model.shared = model.robust = false;
        model.protocol = PTHREAD_PRIO_NONE;
        model.type = PTHREAD_MUTEX_NORMAL;
        pthread_mutex_init(&m.posix, NULL);
    }
}

static void make_cond(void)
{
    pthread_condattr_t a;
    int clock = draw(2) == 0 ? CLOCK_REALTIME : CLOCK_MONOTONIC;

    if (draw(3) == 0) {
        memset(&c, 0, sizeof(c));
        return;
    }
    pthread_condattr_init(&a);
    pthread_condattr_setclock(&a, clock);
    pthread_condattr_setpshared(&a, (int)draw(2));
    memset(&c, 0x5a, sizeof(c));
    say("cond = %d\n", pthread_cond_init(&c.posix, &a));
    pthread_condattr_destroy(&a);
}

static void make_real_time(void)
{
    for (int who = 0; who < ACTORS; who++)
        if (!actor_sleeps(who))
            act(who, (struct order){.name = "schedule", .call = mutex_schedule, .value = 1});
    model.is_new = false;
}

static void mutex_begin(void)
{
    make_mutex();
    make_cond();
}

static void c11_begin(void)
{
    static const int c11_types[] = {mtx_plain, mtx_recursive, mtx_timed, mtx_timed | mtx_recursive,
                                    7};
    int type = c11_types[draw(5)];
    int e;

    is_c11 = true;
    memset(&m, 0x5a, sizeof(m));
    memset(&c, 0x5a, sizeof(c));
    e = mtx_init(&m.c11, type);
    say("type %d = %d\n", type, e);
    if (e != thrd_success)
        mtx_init(&m.c11, type = mtx_plain);
    say("cnd = %d\n", cnd_init(&c.c11));
    // Any that there is not counts as plain.
    forget((type & ~mtx_timed) == mtx_recursive ? PTHREAD_MUTEX_RECURSIVE : PTHREAD_MUTEX_NORMAL);
}

// Orders.

static void step_lock(int who, struct order o)
{
    bool mine = model.owner == who;

    if (model.locker != NO_ACTOR || (mine && model.depth >= DEPTH))
        return;
    // A robust or inheriting one of the normal type might find out, or might not.
    if (mine && !is_checked())
        return;
    if (model.owner != NO_ACTOR && !mine)
        model.locker = who;
    o.name = "lock";
    o.call = mutex_lock;
    act(who, o);
}

static void step_timed(int who, struct order o)
{
    bool mine = model.owner == who;
    enum moment which = draw(MOMENTS);
    bool clocked = !is_c11 && draw(2) == 0;

    if (mine && model.depth >= DEPTH)
        return;
    if (model.locker != NO_ACTOR && which >= SOON)
        return; // would queue with it
    if (mine && !is_checked() && which == FAR)
        return;
    o.clock = clocked ? any_clock() : CLOCK_REALTIME;
    set_moment(&o, which);
    o.name = clocked ? "clocklock" : "timedlock";
    o.call = clocked ? mutex_clocklock : mutex_timedlock;
    if (which == FAR && model.owner != NO_ACTOR && !mine)
        model.locker = who;
    act(who, o);
}

static void step_unlock(int who, struct order o)
{
    bool plain = !model.robust && model.protocol == PTHREAD_PRIO_NONE && !is_checked();

    if (plain && model.owner == NO_ACTOR)
        return; // DMU2
    if (model.protocol == PTHREAD_PRIO_PROTECT && model.owner != who && !is_checked())
        return;
    o.name = "unlock";
    o.call = mutex_unlock;
    act(who, o);
}

static void step_wait(int who, struct order o)
{
    unsigned kind = draw(is_c11 ? 2 : 3);
    enum moment which = draw(MOMENTS);

    if (model.waiter != NO_ACTOR || model.lost || model.inconsistent)
        return;
    if (model.owner != who && !is_checked())
        return;
    if (model.owner == who && model.depth > 1)
        return;
    // Whether it is told of an error or is cancelled; and when it lets go of the mutex.
    if (actor_is_doomed(who) &&
        (model.owner != who || model.locker != NO_ACTOR || which == BEFORE_1970))
        return;
    if (model.locker != NO_ACTOR && kind != 0 && which != FAR)
        return; // both would come for the mutex
    o.clock = kind == 2 ? any_clock() : CLOCK_REALTIME;
    // What the condition variable's own clock is does not matter to these.
    if (kind == 1 && which == SOON)
        which = LONG_AGO;
    if (kind != 0)
        set_moment(&o, which);
    o.name = kind == 0 ? "wait" : kind == 1 ? "timedwait" : "clockwait";
    o.call = kind == 0 ? mutex_wait : kind == 1 ? mutex_timedwait : mutex_clockwait;
    model.before = model.owner;
    model.before_depth = model.depth;
    if (model.owner == who) {
        model.owner = NO_ACTOR;
        model.depth = 0;
        model.waiter = who;
    }
    act(who, o);
}

static void step_signal(int who, struct order o)
{
    if (model.locker != NO_ACTOR)
        return; // DMU1
    o.name = "signal";
    o.call = mutex_signal;
    o.value = (int)draw(2);
    if (model.waiter != NO_ACTOR && model.owner != NO_ACTOR) {
        model.locker = model.signalled = model.waiter; // on its way to it
        model.waiter = NO_ACTOR;
    }
    act(who, o);
}

static void step_remake(int who, struct order o)
{
    bool idle = model.owner == NO_ACTOR && model.locker == NO_ACTOR && model.waiter == NO_ACTOR;

    // A robust one that is held is destroyed without a word, and remembered by its owner.
    if (model.waiter != NO_ACTOR ? model.robust : !idle && (model.robust || draw(2) == 0))
        return;
    if (is_c11 && !idle)
        return; // its destroy tells nothing
    o.name = "destroy";
    o.call = mutex_destroy;
    act(who, o);
    if (!idle)
        return;
    if (!is_c11) // its destroy leaves nothing to ask
        say("destroyed: trylock = %ld\n", mutex_trylock(&o));
    say("cond destroy = %d\n", destroy_cond(&c));
    is_c11 ? c11_begin() : mutex_begin();
}

static void step_end_of_thread(int who)
{
    if (model.owner == who && (!model.robust || model.waiter != NO_ACTOR))
        return;
    if (model.owner == who) {
        model.owner = NO_ACTOR;
        model.depth = 0;
        model.inconsistent = false; // the next is told anew
    }
    actor_dies(who);
    model.is_new = true;
}

static void step_sleeper(int who)
{
    bool free = model.owner == NO_ACTOR && model.locker == NO_ACTOR;

    if (draw(2) == 0)
        actor_interrupt(who, draw(2) == 0);
    else if (model.signalled != who && (model.waiter != who || free))
        actor_cancel(who);
}

static void step_rest(int who, struct order o)
{
    bool free = model.owner == NO_ACTOR && model.locker == NO_ACTOR && model.waiter == NO_ACTOR;

    switch (is_c11 ? 5 : draw(6)) {
    case 0:
        o.name = "consistent";
        o.call = mutex_consistent;
        if (model.inconsistent && model.owner != who)
            return;
        break;
    case 1:
        o.name = "getprioceiling";
        o.call = mutex_getceiling;
        break;
    case 2:
        o.name = "setprioceiling";
        o.call = mutex_setceiling;
        o.value = (int)draw(110) - 5;
        if (model.protocol == PTHREAD_PRIO_PROTECT && !free)
            return;
        break;
    case 3:
        if (model.protocol != PTHREAD_PRIO_PROTECT)
            return;
        o.name = "schedule";
        o.call = mutex_schedule;
        o.value = 1 + (int)draw(60);
        break;
    case 4:
        o.name = "schedule of";
        o.call = mutex_schedule_of;
        break;
    default:
        step_end_of_thread(who);
        return;
    }
    act(who, o);
}

static void mutex_step(void)
{
    int who = (int)draw(ACTORS);
    unsigned what = draw(20);
    struct order o = {.object = &m, .other = &c};

    if (model.is_new && model.protocol == PTHREAD_PRIO_PROTECT)
        make_real_time();
    if (actor_sleeps(who)) {
        if (what < 4)
            step_sleeper(who);
        return;
    }
    if (what < 3) {
        step_lock(who, o);
    } else if (what < 5) {
        o.name = "trylock";
        o.call = mutex_trylock;
        // The C library's holds what is not recoverable, after that.
        if (!model.lost && (model.owner != who || model.depth < DEPTH))
            act(who, o);
    } else if (what < 8) {
        step_timed(who, o);
    } else if (what < 12) {
        step_unlock(who, o);
    } else if (what < 14) {
        step_wait(who, o);
    } else if (what < 16) {
        step_signal(who, o);
    } else if (what == 16) {
        step_remake(who, o);
    } else {
        step_rest(who, o);
    }
}

const struct family c11_family = {"c11", c11_begin, mutex_step, mutex_ended, mutex_cancelled, NULL};
const struct family mutex_family = {"mutex",     mutex_begin,     mutex_step,
                                    mutex_ended, mutex_cancelled, NULL};
