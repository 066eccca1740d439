/* SPDX-License-Identifier: MIT */
/*
 * The programs for the shared semaphore of the POSIX drop-in (posix/sem_shared.c).
 *
 *   wait, timed, try, post   as the calls; timed gives up when it times out
 *   lib-wait, lib-post       the C library's side of the same protocol, as a process without the
 *                            drop-in follows it: it does not know of the guess
 *   free                     ends the life of the semaphore
 *
 * No unit is lost or made up; nobody sleeps beside a unit; who is not there is not counted.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include <furwock/futex.h>

#include "../engine/report.h"
#include "../kernel.h"
#include "posix_calls.h"
#include "programs.h"
#include "script.h"

SCRIPT_WORDS(WAIT, TIMED, TRY, POST, LIB_WAIT, LIB_POST, FREE);

enum shadow { OFFERED, TAKEN };

/* Polling is left to the programs of the units: the next waits sleep at once. */
enum { NO_SPIN_STATE = 1000 };

static struct fw_posix_sem_ *s;

static void decode(uint64_t value, unsigned offset, unsigned size, char *text, size_t text_size)
{
    if (offset == 0)
        snprintf(text, text_size, "%u, %u waiting", shared_value(value), (unsigned)(value >> 32));
    else
        snprintf(text, text_size, "%" PRIu64, value);
    (void)size;
}

static void setup(void)
{
    static const struct model_part parts[] = {
        {"state", 0, 8}, {"value", 0, 4}, {"guess", 12, 4}, {"spin", 16, 4}, {NULL, 0, 0}};

    s = model_object("s", sizeof *s, parts, decode);
    s->shared = FW_SEM_SHARED_;
    s->spin = NO_SPIN_STATE;
    s->state = s->guess = model_program->initial;
    *shadow(OFFERED) = model_program->initial;
}

static const uint32_t *value_word(void)
{
    return (const fw_half_ *)&s->state;
}

static int lib_post(void)
{
    uint64_t w = fw_load64_relaxed(&s->state);

    while (!fw_cas64_release(&s->state, &w, w + 1))
        ;
    if (shared_has_waiters(w))
        fw_futex_wake(value_word(), 1, FW_FUTEX_SHARED);
    return 0;
}

static int lib_wait(void)
{
    uint64_t w = fw_load64_relaxed(&s->state);

    if (shared_value(w) > 0 && fw_cas64_acquire(&s->state, &w, w - 1))
        return 0;
    w = fw_add64_acquire(&s->state, SHARED_WAITER_);
    for (;;) {
        if (shared_value(w) == 0)
            fw_futex_wait(value_word(), 0, FW_FUTEX_SHARED, NULL);
        else if (fw_cas64_acquire(&s->state, &w, w - 1 - SHARED_WAITER_))
            return 0;
        w = fw_load64_relaxed(&s->state);
    }
}

static int answer_of(enum word w)
{
    switch (w) {
    case TRY:
        return posix_sem_in_use()->trywait(s);
    case POST:
        return posix_sem_in_use()->post(s);
    case LIB_WAIT:
        return lib_wait();
    case LIB_POST:
        return lib_post();
    default:
        return posix_sem_in_use()->wait(s, w == TIMED ? &script_soon : NULL);
    }
}

static bool may_answer(enum word w, int error)
{
    return error == 0 || (w == TRY && error == EAGAIN) || (w == TIMED && error == ETIMEDOUT) ||
           ((w == WAIT || w == TIMED) && error == EINTR && model_program->budget.eintr > 0);
}

static void act(unsigned self, unsigned w)
{
    bool adds = w == POST || w == LIB_POST;
    int error;

    if (w == FREE) {
        model_op(OP_FREE, s, sizeof *s, 0, 0, 0, 0);
        return;
    }
    if (adds)
        ++*shadow(OFFERED);
    error = answer_of(w);
    if (!may_answer(w, error))
        model_thread_fail("answer", "thread %llu is answered %llu", self, (uint64_t)error);
    if (adds || error != 0)
        return;
    report_remark(self, "has a unit");
    if (++*shadow(TAKEN) > *shadow(OFFERED))
        model_thread_fail("made up", "%llu were taken, and only %llu were there", *shadow(TAKEN),
                          *shadow(OFFERED));
}

static void finished(void)
{
    uint64_t left = *shadow(OFFERED) - *shadow(TAKEN);

    if (model_shared.dead != 0)
        return;
    if (shared_value(s->state) != left)
        model_fail("lost unit", "there should be %llu units, and there are %llu", left,
                   shared_value(s->state));
    if (left > 0 && model_shared.asleep > 0)
        model_fail("lost wake-up", "%llu sleep beside %llu units", model_shared.asleep, left);
    if (s->state >> 32 != model_shared.asleep)
        model_fail("word", "%llu are counted, and %llu sleep", s->state >> 32, model_shared.asleep);
}

static HOOKS(hooks, .words = word_names, .setup = setup, .act = act, .finished = finished);

#define PROGRAM(...) SCRIPTED(hooks, __VA_ARGS__, .generic = true)

static const struct model_program programs[] = {
    PROGRAM("psem-two", "wait wait | post post", FROM(0)),
    PROGRAM("psem-waiters", "wait | wait | post post", FROM(0)),
    PROGRAM("psem-posters", "wait wait | post | post", FROM(0)),
    PROGRAM("psem-barger", "wait | try | post post", MAY_SLEEP, FROM(0),
            ABOUT("somebody takes units from under the waiter")),
    PROGRAM("psem-mutex", "wait post | wait post | wait post", BOUND(3, 4), FROM(1)),
    PROGRAM("psem-spurious", "wait | wait | post post", BOUND(3, 4), INTERRUPTED, FROM(0),
            ABOUT("a spurious wake and a signal handler")),
    PROGRAM("psem-timed", "timed | wait | post", TICKS(1), MAY_SLEEP, FROM(0)),
    PROGRAM("psem-cancel", "wait | wait | post", CANCELS(1), MAY_SLEEP, FROM(0)),
    PROGRAM("psem-cancel-two", "wait | wait | post post", CANCELS(1), BOUND(3, 4), FROM(0)),
    PROGRAM("psem-free", "wait free | post", FROM(0)),
    PROGRAM("psem-free-two", "wait wait free | post | post", FROM(0)),
    PROGRAM("psem-lib-posts", "wait | wait | lib-post lib-post", FROM(0)),
    PROGRAM("psem-lib-waits", "lib-wait | wait | post post", FROM(0)),
    PROGRAM("psem-lib-mutex", "lib-wait lib-post | wait post | wait post", BOUND(3, 4), FROM(1)),
    PROGRAM("psem-lib-cancel", "wait | lib-wait | lib-post", CANCELS(1), MAY_SLEEP, FROM(0)),
};

GROUP(posix_sem, "posix-sem");
