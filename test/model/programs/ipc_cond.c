/* SPDX-License-Identifier: MIT */
/*
 * The programs for the condition variable between processes.
 *
 *   get         waits for a token, and takes it
 *   timed       the same, and gives up when it times out
 *   put         adds a token and signals, with the mutex held
 *   put-after   the same, and signals after the release
 *   put-all     adds a token for each of the others, and broadcasts, with the mutex held
 *
 * Who puts cannot be killed: nobody could take what was never put.  All others may, wherever they
 * are; who is left gets its token.  One that is cancelled has the mutex, and a wake that was its
 * own goes to the next.
 */
#include <errno.h>
#include <stdio.h>

#include "../engine/report.h"
#include "../kernel.h"
#include "ipc_calls.h"
#include "ipc_region.h"
#include "programs.h"
#include "script.h"

SCRIPT_WORDS(GET, TIMED, PUT, PUT_AFTER, PUT_ALL);

/* INSIDE: thread + 1. */
enum shadow { INSIDE, TOKENS };

static fw_ipc_mutex *m;
static fw_ipc_cond *c;

static void setup(void)
{
    static const struct model_part parts[] = {{"word", 0, 8}, {"word", 0, 4}, {NULL, 0, 0}};

    region_make(model_thread_count, true);
    m = model_object("m", sizeof *m, parts, NULL);
    c = model_object("c", 64, parts, NULL); /* what an object takes at least */
}

static enum model_access access(const void *p)
{
    return p == (const void *)&m->history_.journal_ ||
                   p == (const void *)&m->history_.generation_ || p == (const void *)&c->mutex_
               ? ACCESS_DIRECT
               : region_access(p);
}

static void enter(unsigned self, int error)
{
    report_remark(self, "has the mutex");
    if (*shadow(INSIDE) != 0)
        model_thread_fail("exclusion", "thread %llu is inside beside another", self, 0);
    *shadow(INSIDE) = self + 1;
    if (error == EOWNERDEAD) { /* the count of tokens changes in one step */
        if (!region_has_deaths() || ipc_cond_in_use()->consistent(m) != 0)
            model_thread_fail("answer", "thread %llu hears of a death, and nobody died", self, 0);
    } else if (error != 0) {
        model_thread_fail("answer", "thread %llu is answered %llu", self, (uint64_t)error);
    }
}

static void unlock(unsigned self)
{
    *shadow(INSIDE) = 0;
    if (ipc_cond_in_use()->unlock(m) != 0)
        model_thread_fail("answer", "thread %llu may not unlock what it has", self, 0);
}

static void get(unsigned self, enum word w)
{
    int error = 0;

    while (*shadow(TOKENS) == 0 && error != ETIMEDOUT) {
        *shadow(INSIDE) = 0;
        error = ipc_cond_in_use()->wait(c, m, &script_blocking, w == TIMED ? &script_soon : NULL);
        enter(self, w == TIMED && error == ETIMEDOUT ? 0 : error);
    }
    if (*shadow(TOKENS) > 0)
        (*shadow(TOKENS))--;
}

static void act(unsigned self, unsigned w)
{
    enter(self, ipc_cond_in_use()->lock(m, &script_blocking, NULL));
    switch (w) {
    case PUT_ALL:
        *shadow(TOKENS) += model_thread_count - 1;
        ipc_cond_in_use()->broadcast(c);
        break;
    case PUT:
        ++*shadow(TOKENS);
        ipc_cond_in_use()->signal(c);
        break;
    case PUT_AFTER:
        ++*shadow(TOKENS);
        break;
    default:
        get(self, w);
    }
    unlock(self);
    if (w == PUT_AFTER)
        ipc_cond_in_use()->signal(c);
}

static void killed(unsigned thread)
{
    if (*shadow(INSIDE) == thread + 1)
        *shadow(INSIDE) = 0;
}

/* It has the mutex again, and gives it back. */
static void cancelled(unsigned self)
{
    enter(self, 0);
    unlock(self);
}

static void finished(void)
{
    if (model_shared.asleep != 0 && *shadow(TOKENS) != 0)
        model_fail("lost wake-up", "somebody waits for a token, and there are %llu",
                   *shadow(TOKENS), 0);
}

static HOOKS(hooks, .words = word_names, REGION_HOOKS(FAMILY_IPC_COND), .setup = setup, .act = act,
             .access = access, .cancelled = cancelled, .killed = killed, .changed = region_changed,
             .finished = finished);

/* The last thread puts. */
#define PROGRAM(...) \
    SCRIPTED(hooks, __VA_ARGS__, .generic = true, .rechecks = true, .spares_last = true)

static const struct model_program programs[] = {
    PROGRAM("ipc-cond", "get get | put put"),
    PROGRAM("ipc-cond-after", "get get | put-after put-after"),
    PROGRAM("ipc-cond-two", "get | get | put put", BOUND(2, 0)),
    PROGRAM("ipc-cond-two-after", "get | get | put-after put-after", BOUND(3, 0)),
    PROGRAM("ipc-cond-kill", "get | get | put-after put", KILLS(1), BOUND(2, 0)),
    PROGRAM("ipc-cond-all", "get | get | put-all", BOUND(3, 0)),
    PROGRAM("ipc-cond-kill-all", "get | get | put-all", KILLS(1), BOUND(2, 0)),
    PROGRAM("ipc-cond-kill-one", "get get | put put", KILLS(1)),
    PROGRAM("ipc-cond-timed", "timed | put"),
    PROGRAM("ipc-cond-cancel", "get | get | put put", CANCELS(1), BOUND(2, 0)),
    PROGRAM("ipc-cond-cancel-after", "get | get | put-after put-after", CANCELS(1), BOUND(2, 0)),
    PROGRAM("ipc-cond-cancel-all", "get | get | put-all", CANCELS(1), BOUND(2, 0),
            ABOUT("one of two is cancelled while a broadcast moves both")),
    PROGRAM("ipc-cond-cancel-one", "get | get | put-after", MAY_SLEEP, CANCELS(1), BOUND(2, 0),
            ABOUT("one is cancelled, perhaps with the only wake")),
    PROGRAM("ipc-cond-cancel-held", "get | get | put", MAY_SLEEP, CANCELS(1), BOUND(2, 0),
            ABOUT("the same, and the signal comes with the mutex held")),
};

GROUP(ipc_cond, "ipc-cond");
