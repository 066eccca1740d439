/* SPDX-License-Identifier: MIT */
/*
 * The programs for the semaphore between processes.
 *
 *   init     makes it, as the others do who say so
 *   wait     takes a unit
 *   timed    the same, and gives up when it times out
 *   try      takes a unit if there is one
 *   post     gives a unit; two: gives two
 *   any      gives a unit, if there is room for it
 *
 * A call changes the number of units once, by as much as it says, or not at all; what was changed
 * is what the answer tells (ISEM1).  One that dies has done all of that or nothing.  There are
 * never more units than the maximum; the first ones come once; and nobody waits where there is one.
 */
#include <errno.h>
#include <stdio.h>

#include "../engine/report.h"
#include "../kernel.h"
#include "ipc/announce.h"
#include "ipc_sync.h"
#include "script.h"

SCRIPT_WORDS(INIT, WAIT, TIMED, TRY, POST, TWO, ANY);

/* How a semaphore begins: its units, the most that it can have, and whether somebody makes it. */
#define BEGINS(value, most, is_to_make) ((value) | (most) << 8 | (uint64_t)(is_to_make) << 16)
#define VALUE_OF(begins) ((uint32_t)((begins)&0xff))
#define MOST_OF(begins) ((uint32_t)((begins) >> 8 & 0xff))
#define IS_TO_MAKE(begins) ((begins) >> 16 != 0)

#define MADE (UINT64_C(1) << 63)
#define VALUE UINT64_C(0x7fffffff)

/*
 * UNITS: those that there are.  MADES: how often the first ones came.  CHANGE, by thread: what its
 * call has done to the units, and CHANGES how often; modulo 2^64.
 */
enum shadow { UNITS, MADES, CHANGE, CHANGES = CHANGE + MODEL_MAX_THREADS };

static fw_ipc_sem *s;
static uint64_t begins;

static void setup(void)
{
    static const struct model_part parts[] = {
        {"word", 0, 8}, {"word", 0, 4}, {"made", 8, 4}, {NULL, 0, 0}};

    begins = model_program->initial;
    region_make(model_thread_count, true);
    s = model_object("s", 64, parts, NULL); /* what an object takes at least */
    if (!IS_TO_MAKE(begins)) {
        s->word_ = MADE | VALUE_OF(begins);
        s->made_ = UINT32_C(0x80000000) | MOST_OF(begins);
        *shadow(UNITS) = VALUE_OF(begins);
        *shadow(MADES) = 1;
    }
}

/* Whether polling pays does not matter here. */
static enum model_access access(const void *p)
{
    if (p == (const void *)&s->spin_)
        return ACCESS_NONE;
    return p == (const void *)&s->made_ && !IS_TO_MAKE(begins) ? ACCESS_DIRECT : region_access(p);
}

static int call(enum word w)
{
    const struct ipc_sync_calls *calls = ipc_sync_in_use();

    switch (w) {
    case INIT:
        return calls->sem_init(s, VALUE_OF(begins), MOST_OF(begins));
    case TRY:
        return calls->sem_trywait(s);
    case POST:
    case TWO:
    case ANY:
        return calls->sem_post_n(s, w == TWO ? 2 : 1);
    default:
        return calls->sem_wait(s, IPC_SYNC_BLOCKS, w == TIMED ? &script_soon : NULL);
    }
}

/* By how much a call that succeeds changes the units. */
static uint64_t change_by(enum word w)
{
    return w == INIT ? 0 : w == POST || w == ANY ? 1 : w == TWO ? 2 : UINT64_MAX;
}

static bool may_fail(enum word w, int error)
{
    return (w == TIMED && error == ETIMEDOUT) || (w == TRY && error == EAGAIN) ||
           (w == ANY && error == EOVERFLOW);
}

static void act(unsigned self, unsigned w)
{
    uint64_t *change = shadow(CHANGE + self);
    uint64_t *changes = shadow(CHANGES + self);
    int error;

    *change = *changes = 0;
    error = call(w);
    if (error != 0 && !may_fail(w, error))
        model_thread_fail("answer", "thread %llu is answered %llu", self, (uint64_t)error);
    if (w == INIT) {
        if (*shadow(MADES) == 0)
            model_thread_fail("too early", "thread %llu goes on, and nobody has made it", self, 0);
        if (*changes != 0)
            model_thread_fail("answer", "thread %llu adds %llu units to those that there are", self,
                              *change);
        return;
    }
    report_remark(self, error == 0 ? "is answered 0" : "is answered an error");
    if (*changes > 1 || *change != (error == 0 ? change_by(w) : 0))
        model_thread_fail("answer", "thread %llu has changed the units by %llu", self, *change);
}

static void changed(unsigned thread, uint64_t addr, uint64_t before)
{
    uint64_t now = s->word_;
    uint64_t by = (now & VALUE) - (before & VALUE);

    region_changed(thread, addr, before);
    if (addr != (uint64_t)(uintptr_t)&s->word_)
        return;
    if ((now & VALUE) > MOST_OF(begins))
        model_fail("word", "%llu units, and there is room for %llu", now & VALUE, MOST_OF(begins));
    if (((before ^ now) & MADE) != 0 || (now & MADE) == 0) {
        ++*shadow(MADES);
        if (*shadow(MADES) > 1 || by != VALUE_OF(begins))
            model_fail("word", "thread %llu makes it, and adds %llu units", thread, by);
    } else if (by != 0) {
        *shadow(CHANGE + thread) += by;
        ++*shadow(CHANGES + thread);
    }
    *shadow(UNITS) = now & VALUE;
}

static HOOKS(hooks, .words = word_names, REGION_HOOKS(FAMILY_IPC_SYNC), .setup = setup, .act = act,
             .access = access, .changed = changed);

#define PROGRAM(...)                                                                    \
    SCRIPTED(hooks, __VA_ARGS__, .generic = true, .rechecks = true, .is_patient = true, \
             .budget.rechecks = 4)
/* A number of units, and the largest number. */
#define UNITS_FROM(value, most) .initial = BEGINS(value, most, false)
#define MADE_FROM(value, most) .initial = BEGINS(value, most, true)

static const struct model_program programs[] = {
    PROGRAM("ipc-sem", "wait wait | post post", UNITS_FROM(0, 9)),
    PROGRAM("ipc-sem-back", "wait post wait post | wait post wait post", UNITS_FROM(1, 1)),
    PROGRAM("ipc-sem-waiters", "wait | wait | post post", UNITS_FROM(0, 9)),
    PROGRAM("ipc-sem-posters", "wait wait | post | post", UNITS_FROM(0, 9)),
    PROGRAM("ipc-sem-post-two", "wait | wait | two", UNITS_FROM(0, 9)),
    PROGRAM("ipc-sem-try", "wait post | wait post | try any", UNITS_FROM(1, 2), BOUND(3, 0),
            ABOUT("one only tries, and gives a unit")),
    PROGRAM("ipc-sem-full", "any any | any wait", UNITS_FROM(0, 1)),
    PROGRAM("ipc-sem-timed", "timed | wait | post post", UNITS_FROM(0, 9), BOUND(3, 0)),
    PROGRAM("ipc-sem-timed-last", "timed | post", UNITS_FROM(0, 1),
            ABOUT("a unit comes at its deadline")),
    PROGRAM("ipc-sem-kill", "wait | wait | post post", KILLS(1), UNITS_FROM(0, 9), .immortal = 4),
    PROGRAM("ipc-sem-kill-poster", "wait | post | post", KILLS(1), UNITS_FROM(0, 9), .immortal = 1),
    PROGRAM("ipc-sem-init", "init wait post | init wait post", MADE_FROM(1, 2)),
    PROGRAM("ipc-sem-init-kill", "init | init wait", KILLS(1), MADE_FROM(1, 2), .immortal = 2,
            ABOUT("two make it; one may die before it is made")),
};

GROUP(ipc_sem, "ipc-sem");
