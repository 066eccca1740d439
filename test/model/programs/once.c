/* SPDX-License-Identifier: MIT */
/*
 * The programs for the once.
 *
 *   call        calls with an initialiser that succeeds
 *   fail        calls with one that fails
 *   recur       calls with one that calls again
 *   finish, quit  the thread was initialising from the start, and is done, or has failed
 *   free        frees the once
 *
 * One initialiser at a time; it succeeds once; who comes through finds that it has; a failure is
 * its caller's.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "../engine/report.h"
#include "../subject/subject.h"
#include "programs.h"
#include "script.h"
#include "thread_calls.h"

SCRIPT_WORDS(CALL, FAIL, RECUR, FINISH, QUIT, FREE);

enum shadow { INSIDE, SUCCESSES, FAILURES };

/* Words that a fork, or a thread that is at it, has left. */
#define RUNS(thread) ((SUBJECT_FIRST_TID + (thread)) << FW_ID_SHIFT | FW_ID_HELD)
#define SLEEPERS 0x80u

static fw_once *o;

static void setup(void)
{

    o = model_object("o", sizeof *o, NULL, NULL);
    o->state_ = (uint32_t)model_program->initial;
}

static void begin(void)
{
    if (*shadow(INSIDE) != 0)
        model_thread_fail("exclusion", "two initialisers run", 0, 0);
    if (*shadow(SUCCESSES) != 0)
        model_thread_fail("again", "the initialiser has succeeded before", 0, 0);
    *shadow(INSIDE) = 1;
    model_op(OP_NOTE, NULL, 0, 0, 0, 0, 0);
    *shadow(INSIDE) = 0;
}

static int succeed(void *arg)
{
    (void)arg;
    begin();
    ++*shadow(SUCCESSES);
    return 0;
}

static int fail(void *arg)
{
    (void)arg;
    begin();
    ++*shadow(FAILURES);
    return EAGAIN;
}

static int recur(void *arg)
{
    return once_in_use()->call(o, recur, arg);
}

static void call(unsigned self, int (*init)(void *))
{
    uint64_t failures = *shadow(FAILURES);
    int error = once_in_use()->call(o, init, NULL);

    report_remark(self, error == 0 ? "comes through" : "has failed");
    if (error == 0 && *shadow(SUCCESSES) != 1)
        model_thread_fail("too early", "thread %llu comes through, and nothing is initialised",
                          self, 0);
    if (error != 0 && (init != fail || *shadow(FAILURES) == failures))
        model_thread_fail("answer", "thread %llu is told of a failure that is not its own", self,
                          0);
}

static void act(unsigned self, unsigned w)
{
    switch (w) {
    case FINISH:
        ++*shadow(SUCCESSES);
        once_in_use()->end(o, true);
        break;
    case QUIT:
        once_in_use()->end(o, false);
        break;
    case FREE:
        model_op(OP_FREE, o, sizeof *o, 0, 0, 0, 0);
        break;
    default:
        call(self, w == CALL ? succeed : w == FAIL ? fail : recur);
    }
}

static void finished(void)
{
    uint32_t wanted = *shadow(SUCCESSES) != 0 ? FW_ONCE_DONE_ : 0;

    if (model_shared.dead == 0 && o->state_ != wanted)
        model_fail("word", "nobody is there any more, and the word is 0x%llx", o->state_, 0);
}

static HOOKS(hooks, .words = word_names, .setup = setup, .act = act, .finished = finished);

#define PROGRAM(...) SCRIPTED(hooks, __VA_ARGS__)

static const struct model_program programs[] = {
    PROGRAM("once", "call call | call call", TICKS(3)),
    PROGRAM("once-three", "call | call | call", TICKS(3)),
    PROGRAM("once-fails", "fail | call | call", TICKS(3),
            ABOUT("the first may fail, and another one tries")),
    PROGRAM("once-fails-twice", "fail | fail call | call", TICKS(3)),
    PROGRAM("once-spurious", "fail | call | call",
            .budget = {.ticks = 3, .spurious = 1, .eintr = 1}),
    PROGRAM("once-free", "finish | call free", TICKS(3), FROM(RUNS(0)),
            ABOUT("who was let through frees it")),
    PROGRAM("once-free-asleep", "finish | call free", TICKS(3), FROM(RUNS(0) | SLEEPERS),
            ABOUT("the same, with somebody who may have slept before")),
    PROGRAM("once-quit", "quit call | call | call", TICKS(3), FROM(RUNS(0)),
            ABOUT("somebody who was at it gives up")),
    PROGRAM("once-fork", "call | call | call", TICKS(3), .generation = 1, FROM(RUNS(5) | SLEEPERS),
            ABOUT("the runner and its sleepers were left behind by a fork")),
    PROGRAM("once-recur", "recur", TICKS(3), .expects = "panic",
            ABOUT("the initialiser calls again")),
};

GROUP(once, "once");
