/* SPDX-License-Identifier: MIT */
/*
 * The programs for the latch.
 *
 *   wait, timed, poll, default   waits: blocking, until it times out, never sleeping, with the
 *                                default policy
 *   down, down2, down0           counts 1, 2 or 0 down
 *   arrive                       counts 1 down and waits
 *   try                          looks whether it is open
 *   free                         frees the latch
 *
 * Who passes finds that all has been counted; the word goes down only; in the end it is 0.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "../engine/report.h"
#include "../kernel.h"
#include "programs.h"
#include "script.h"
#include "thread/latch_word.h"
#include "thread_calls.h"

SCRIPT_WORDS(WAIT, TIMED, POLL, DEFAULT, DOWN, DOWN2, DOWN0, ARRIVE, TRY, FREE);

enum shadow { COUNTED, LET_THROUGH };

static fw_latch *l;
static uint32_t wanted;

static void decode(uint64_t value, unsigned offset, unsigned size, char *text, size_t text_size)
{
    (void)offset;
    (void)size;
    snprintf(text, text_size, "%u left%s", latch_left((uint32_t)value),
             latch_has_sleepers((uint32_t)value) ? " SLEEPERS" : "");
}

static void setup(void)
{

    l = model_object("l", sizeof *l, NULL, decode);
    l->state_ = wanted = (uint32_t)model_program->initial;
}

static void changed(unsigned thread, uint64_t addr, uint64_t before)
{
    uint32_t was = (uint32_t)before, is;

    (void)thread;
    if (addr != (uint64_t)(uintptr_t)l || model_program->expects != NULL) /* it is to panic */
        return;
    is = l->state_;
    if (latch_left(is) > latch_left(was) || (latch_has_sleepers(was) && !latch_has_sleepers(is)))
        model_fail("word", "0x%llx -> 0x%llx", was, is);
}

static void pass(unsigned self)
{
    report_remark(self, "passes");
    if (*shadow(COUNTED) != wanted)
        model_thread_fail("too early", "thread %llu passes when %llu were counted", self,
                          *shadow(COUNTED));
    ++*shadow(LET_THROUGH);
}

static void wait_by(unsigned self, enum word w)
{
    const fw_wait_policy *policy = w == DEFAULT ? NULL
                                   : w == POLL  ? &script_spinning
                                                : &script_blocking;
    int error = latch_in_use()->wait_policy(l, policy, w == TIMED ? &script_deadline : NULL);

    if (error == 0)
        pass(self);
    else if (error != ETIMEDOUT || w != TIMED)
        model_thread_fail("answer", "thread %llu got error %llu", self, (uint64_t)error);
}

static void down(uint32_t n)
{
    *shadow(COUNTED) += n;
    latch_in_use()->count_down(l, n);
}

static void act(unsigned self, unsigned w)
{
    switch (w) {
    case DOWN:
    case DOWN2:
    case DOWN0:
        down(w == DOWN0 ? 0 : w == DOWN ? 1 : 2);
        break;
    case ARRIVE:
        ++*shadow(COUNTED);
        latch_in_use()->arrive_and_wait(l, 1);
        pass(self);
        break;
    case TRY:
        if (latch_in_use()->trywait(l) == 0)
            pass(self);
        break;
    case FREE:
        model_op(OP_FREE, l, sizeof *l, 0, 0, 0, 0);
        break;
    default:
        wait_by(self, w);
    }
}

static void finished(void)
{
    if (model_shared.dead == 0 && !latch_is_open(l->state_))
        model_fail("word", "all was counted, and 0x%llx is left", l->state_, 0);
}

static HOOKS(hooks, .words = word_names, .setup = setup, .act = act, .changed = changed,
             .finished = finished);

#define PROGRAM(...) SCRIPTED(hooks, __VA_ARGS__)

static const struct model_program programs[] = {
    PROGRAM("latch", "wait | down", FROM(1)),
    PROGRAM("latch-steps", "wait | down2 down0 | down down", FROM(4)),
    PROGRAM("latch-waiters", "wait | wait try | down | down", FROM(2)),
    PROGRAM("latch-arrive", "arrive | arrive | arrive", TICKS(2), FROM(3)),
    PROGRAM("latch-default", "default | down | down", TICKS(2), FROM(2),
            ABOUT("polls a little, then sleeps")),
    PROGRAM("latch-poll", "poll | wait | down down", FROM(2)),
    PROGRAM("latch-timed", "timed | wait | down down", FROM(2)),
    PROGRAM("latch-spurious", "wait | wait | down down", .budget = {.spurious = 2, .eintr = 1},
            FROM(2)),
    PROGRAM("latch-free", "wait free | down | down", FROM(2)),
    PROGRAM("latch-free-default", "default free | down", TICKS(2), FROM(1)),
    PROGRAM("latch-below", "down | down", .expects = "panic", FROM(1), ABOUT("counted below zero")),
};

GROUP(latch, "latch");
