// SPDX-License-Identifier: MIT
// A read-write lock of any kind.  Contract: differ.h.
//
//   DRW1  at most one sleeps for the lock: which comes first would be up to chance
#include <errno.h>
#include <string.h>

#include "differ.h"

#define DEPTH 3

static pthread_rwlock_t l;

static struct {
    int kind;
    int writer;
    int readers[ACTORS]; // how often each reads
    int sleeper;
    bool sleeper_writes;
} model;

CALL(call_rdlock, pthread_rwlock_rdlock(o->object))
CALL(call_tryrdlock, pthread_rwlock_tryrdlock(o->object))
CALL(call_timedrdlock, pthread_rwlock_timedrdlock(o->object, &o->at))
CALL(call_clockrdlock, pthread_rwlock_clockrdlock(o->object, o->clock, &o->at))
CALL(call_wrlock, pthread_rwlock_wrlock(o->object))
CALL(call_trywrlock, pthread_rwlock_trywrlock(o->object))
CALL(call_timedwrlock, pthread_rwlock_timedwrlock(o->object, &o->at))
CALL(call_clockwrlock, pthread_rwlock_clockwrlock(o->object, o->clock, &o->at))
CALL(call_unlock, pthread_rwlock_unlock(o->object))

static bool writes(const struct order *o)
{
    return o->call == call_wrlock || o->call == call_trywrlock || o->call == call_timedwrlock ||
           o->call == call_clockwrlock;
}

static bool is_free(void)
{
    for (int who = 0; who < ACTORS; who++)
        if (model.readers[who] != 0)
            return false;
    return model.writer == NO_ACTOR;
}

static void rwlock_ended(int who, const struct order *o, long result)
{
    if (model.sleeper == who)
        model.sleeper = NO_ACTOR;
    if (result != 0)
        return;
    if (o->call == call_unlock && model.writer == who)
        model.writer = NO_ACTOR;
    else if (o->call == call_unlock)
        model.readers[who]--;
    else if (writes(o))
        model.writer = who;
    else
        model.readers[who]++;
}

static const pthread_rwlock_t initialisers[] = {PTHREAD_RWLOCK_INITIALIZER,
                                                PTHREAD_RWLOCK_INITIALIZER,
                                                PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP};

static void rwlock_begin(void)
{
    pthread_rwlockattr_t a;
    int shared = (int)draw(2);

    model.kind = (int)draw(3);
    model.writer = model.sleeper = NO_ACTOR;
    memset(model.readers, 0, sizeof(model.readers));
    if (draw(3) == 0) {
        memcpy(&l, &initialisers[model.kind], sizeof(l));
        say("static, kind %d\n", model.kind);
        return;
    }
    memset(&l, 0x5a, sizeof(l));
    pthread_rwlockattr_init(&a);
    pthread_rwlockattr_setkind_np(&a, model.kind);
    pthread_rwlockattr_setpshared(&a, shared);
    say("kind %d, shared %d = %d\n", model.kind, shared, pthread_rwlock_init(&l, &a));
    pthread_rwlockattr_destroy(&a);
}

static void plain(struct order *o, bool write)
{
    o->name = write ? "wrlock" : "rdlock";
    o->call = write ? call_wrlock : call_rdlock;
}

static void timed(struct order *o, bool write, enum moment which)
{
    if (draw(2) == 0) {
        o->clock = CLOCK_REALTIME;
        o->name = write ? "timedwrlock" : "timedrdlock";
        o->call = write ? call_timedwrlock : call_timedrdlock;
    } else {
        o->clock = any_clock();
        o->name = write ? "clockwrlock" : "clockrdlock";
        o->call = write ? call_clockwrlock : call_clockrdlock;
    }
    set_moment(o, which);
}

static void step_lock(int who, bool write)
{
    struct order o = {.object = &l};
    bool mine = model.writer == who;
    enum moment which = draw(MOMENTS);
    bool may_sleep;

    if (model.readers[who] >= DEPTH)
        return;
    if (model.sleeper != NO_ACTOR && model.sleeper_writes && which == SOON)
        which = LONG_AGO; // another hand in the line, for a while
    if (draw(2) == 0) {
        which = FAR;
        plain(&o, write);
    } else {
        timed(&o, write, which);
    }
    may_sleep = which == FAR && !mine && (write ? !is_free() : model.writer != NO_ACTOR);
    if (which == FAR && model.sleeper != NO_ACTOR)
        return; // DRW1
    // Reads, and now wants to write: would wait for himself.
    if (which == FAR && write && model.readers[who] != 0)
        return;
    if (may_sleep) {
        model.sleeper = who;
        model.sleeper_writes = write;
    }
    act(who, o);
}

static void step_try(int who, bool write)
{
    struct order o = {.object = &l};

    if (model.readers[who] >= DEPTH)
        return;
    o.name = write ? "trywrlock" : "tryrdlock";
    o.call = write ? call_trywrlock : call_tryrdlock;
    act(who, o);
}

static void step_remake(void)
{
    if (!is_free() || model.sleeper != NO_ACTOR)
        return;
    say("destroy = %d\n", pthread_rwlock_destroy(&l));
    rwlock_begin();
}

static void rwlock_step(void)
{
    int who = (int)draw(ACTORS);
    unsigned what = draw(16);
    bool write = draw(2) == 0;

    if (actor_sleeps(who)) {
        if (what < 2)
            actor_interrupt(who, what == 0);
        else if (what == 2)
            actor_cancel(who); // none of these is a cancellation point
        return;
    }
    if (what < 6)
        step_lock(who, write);
    else if (what < 9)
        step_try(who, write);
    else if (what < 14 && (model.writer == who || model.readers[who] != 0))
        act(who, (struct order){.name = "unlock", .call = call_unlock, .object = &l});
    else if (what == 14)
        step_remake();
}

const struct family rwlock_family = {"rwlock", rwlock_begin, rwlock_step, rwlock_ended, NULL, NULL};
