/* SPDX-License-Identifier: MIT */
/*
 * The programs for the barrier.
 *
 *   wait, poll, default   arrives and waits: blocking, never sleeping, as the barrier decides
 *   arrive                arrives; await waits for the round of the last arrive
 *   drop                  arrives for the last time
 *   destroy               destroys the barrier and frees it
 *
 * The n-th arrival of a thread is for round n.  Who leaves a round finds that all have arrived for
 * it; one at most is told that it is the serial one, and exactly one where all wait; the round
 * grows by one, from a word in which nobody is awaited; in the end nobody is inside.
 */
#include <inttypes.h>
#include <stdio.h>

#include "../engine/report.h"
#include "programs.h"
#include "script.h"
#include "thread/barrier_word.h"
#include "thread_calls.h"

#define MAX_ROUNDS 4u

SCRIPT_WORDS(WAIT, POLL, DEFAULT, ARRIVE, AWAIT, DROP, DESTROY);

/* By round: how many have arrived; how many were told that they are the serial one. */
enum shadow { ARRIVED, SERIAL = ARRIVED + MAX_ROUNDS };

static fw_barrier *b;
static unsigned parties[MAX_ROUNDS]; /* by round */
static bool all_wait[MAX_ROUNDS];

static const struct model_part parts[] = {{"state", 0, 8}, {"parties", 8, 4}, {NULL, 0, 0}};

static void decode(uint64_t w, unsigned offset, unsigned size, char *text, size_t text_size)
{
    if (offset != 0 || size != 8)
        snprintf(text, text_size, "%" PRIx64, w);
    else
        snprintf(text, text_size, "round %u, %u awaited, %u inside%s%s%s", barrier_round(w),
                 barrier_awaited(w), barrier_inside(w), barrier_has_sleepers(w) ? " SLEEPERS" : "",
                 barrier_slept(w) ? " SLEPT" : "", barrier_goes(w) ? " GOES" : "");
}

static bool waits(enum word w)
{
    return w == WAIT || w == POLL || w == DEFAULT;
}

static bool arrives(enum word w)
{
    return waits(w) || w == ARRIVE || w == DROP;
}

static void count_parties(void)
{
    for (unsigned r = 0; r < MAX_ROUNDS; r++) {
        parties[r] = 0;
        all_wait[r] = true;
    }
    for (unsigned i = 0; i < model_thread_count; i++) {
        unsigned r = 0;

        for (const unsigned *w = script_words[i]; *w != END; w++) {
            if (!arrives((enum word) * w))
                continue;
            parties[r]++;
            all_wait[r] &= waits((enum word) * w);
            r++;
        }
    }
}

static void setup(void)
{
    count_parties();
    b = model_object("b", sizeof *b, parts, decode);
    b->state_ = parties[0] | model_program->initial;
    b->parties_ = parties[0];
}

static void changed(unsigned thread, uint64_t addr, uint64_t was)
{
    uint64_t is;

    (void)thread;
    if (addr != (uint64_t)(uintptr_t)&b->state_ || model_program->expects != NULL)
        return; /* or it is to panic */
    is = b->state_;
    if (is == 0 && barrier_goes(was)) /* destroyed */
        return;
    if (barrier_inside(is) > model_thread_count)
        model_fail("word", "%llu threads are inside", barrier_inside(is), 0);
    if (barrier_round(is) == barrier_round(was)) {
        if (barrier_awaited(is) > barrier_awaited(was))
            model_fail("word", "awaited grows within a round: 0x%llx -> 0x%llx", was, is);
        if (barrier_has_sleepers(was) && !barrier_has_sleepers(is))
            model_fail("word", "SLEEPERS is cleared within a round: 0x%llx -> 0x%llx", was, is);
    } else if (barrier_awaited(was) != 0 || barrier_awaited(is) != b->parties_ ||
               barrier_round(is) != barrier_round(was) + 1) {
        model_fail("word", "a round ends wrongly: 0x%llx -> 0x%llx", was, is);
    }
}

static void passes(unsigned self, unsigned r)
{
    report_remark(self, "leaves the round");
    if (*shadow(ARRIVED + r) != parties[r])
        model_thread_fail("too early", "round %llu ends when %llu have arrived", r,
                          *shadow(ARRIVED + r));
}

static void wait_by(unsigned self, enum word w, unsigned r)
{
    const fw_wait_policy *policy = w == DEFAULT ? NULL
                                   : w == POLL  ? &script_spinning
                                                : &script_blocking;

    if (barrier_in_use()->wait_policy(b, policy) == FW_BARRIER_SERIAL && ++*shadow(SERIAL + r) > 1)
        model_thread_fail("serial", "two serial threads in round %llu", r, 0);
    passes(self, r);
}

static void thread(unsigned self)
{
    uint32_t token = 0;
    unsigned r = 0;

    for (const unsigned *w = script_words[self]; *w != END; w++) {
        if (arrives((enum word) * w))
            ++*shadow(ARRIVED + r++);
        switch (*w) {
        case ARRIVE:
            token = barrier_in_use()->arrive(b);
            break;
        case AWAIT:
            barrier_in_use()->await(b, token);
            passes(self, r - 1);
            break;
        case DROP:
            barrier_in_use()->drop(b);
            break;
        case DESTROY:
            barrier_in_use()->destroy(b);
            model_op(OP_FREE, b, sizeof *b, 0, 0, 0, 0);
            break;
        default:
            wait_by(self, (enum word) * w, r - 1);
        }
    }
}

static void finished(void)
{
    uint64_t w = b->state_;

    for (unsigned r = 0; r < MAX_ROUNDS; r++)
        if (parties[r] != 0 && all_wait[r] && *shadow(SERIAL + r) != 1)
            model_fail("serial", "no serial thread in round %llu", r, 0);
    if (model_shared.dead == 0 && (barrier_inside(w) != 0 || barrier_awaited(w) != b->parties_))
        model_fail("word", "nobody is there any more, and the word is 0x%llx", w, 0);
}

static HOOKS(hooks, .words = word_names, .setup = setup, .thread = thread, .changed = changed,
             .finished = finished);

#define PROGRAM(...) SCRIPTED(hooks, __VA_ARGS__)

static const struct model_program programs[] = {
    PROGRAM("barrier", "wait wait wait | wait wait wait"),
    PROGRAM("barrier-three", "wait wait | wait wait | wait wait"),
    PROGRAM("barrier-four", "wait | wait | wait | wait", BOUND(3, 5)),
    PROGRAM("barrier-default", "default default default | default default default", TICKS(2)),
    PROGRAM("barrier-poll", "poll wait | wait poll | wait wait"),
    PROGRAM("barrier-spurious", "wait wait | wait wait | wait wait",
            .budget = {.spurious = 2, .eintr = 1}, BOUND(3, 4)),
    PROGRAM("barrier-token", "arrive await wait | wait arrive await | wait wait", TICKS(2),
            BOUND(4, 6), ABOUT("arrives now, waits later")),
    PROGRAM("barrier-early", "arrive await wait | wait arrive", TICKS(2),
            ABOUT("arrives for the next round, and waits for the last")),
    PROGRAM("barrier-drop", "drop | wait drop | wait wait wait"),
    PROGRAM("barrier-wraps", "wait | wait", FROM(UINT64_C(0x1fffe) << BARRIER_ROUND_SHIFT),
            ABOUT("the round wraps around")),
    PROGRAM("barrier-destroy", "wait wait destroy | wait wait", TICKS(1)),
    PROGRAM("barrier-destroy-three", "wait destroy | wait | wait", TICKS(1),
            ABOUT("the same while two others leave")),
    PROGRAM("barrier-destroy-drop", "wait destroy | drop | wait", TICKS(1),
            ABOUT("the same while one has dropped out")),
    PROGRAM("barrier-surplus", "drop | drop wait", .expects = "panic",
            ABOUT("one arrives that no round awaits")),
};

GROUP(barrier, "barrier");
