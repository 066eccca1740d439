/* SPDX-License-Identifier: MIT */
/*
 * The programs for the barrier of the POSIX drop-in.
 *
 *   wait, poll, default   arrives and waits: blocking, never sleeping, as the barrier decides
 *   destroy               destroys the barrier and frees it
 *
 * Each round is of as many as the script says, whoever they are.  Who leaves finds that as many
 * have arrived as its round needs; one of each round is told that it is the serial one.
 */
#include <inttypes.h>
#include <stdio.h>

#include "../engine/report.h"
#include "posix_calls.h"
#include "programs.h"
#include "script.h"

SCRIPT_WORDS(WAIT, POLL, DEFAULT, DESTROY);

enum shadow { ARRIVED, SERIAL, LEFT };

static struct fw_posix_barrier_ *b;
static uint64_t parties, first_round;

/* The bits of `done`, as barrier.c has them. */
enum { SLEEPERS = 1, SLEPT = 2, ROUND_SHIFT = 2 };

static void decode(uint64_t w, unsigned offset, unsigned size, char *text, size_t text_size)
{
    if (offset == 16 && size == 4)
        snprintf(text, text_size, "%u rounds%s%s", (unsigned)(w >> ROUND_SHIFT),
                 (w & SLEEPERS) != 0 ? " SLEEPERS" : "", (w & SLEPT) != 0 ? " SLEPT" : "");
    else
        snprintf(text, text_size, "%" PRIx64, w);
}

/* The script's number: parties; the number of the first round, from bit 8 on. */
static void setup(void)
{
    static const struct model_part parts[] = {
        {"in", 0, 8}, {"out", 8, 8}, {"done", 16, 4}, {NULL, 0, 0}};

    parties = model_program->initial & 0xff;
    first_round = model_program->initial >> 8;
    b = model_object("b", sizeof *b, parts, decode);
    if (posix_barrier_in_use()->init((pthread_barrier_t *)b, NULL, (unsigned)parties) != 0)
        model_fail("setup", "no barrier for %llu", parties, 0);
    b->in = b->out = first_round * parties;
    b->done = (uint32_t)(first_round << ROUND_SHIFT);
}

/* How many rounds may have ended. */
static uint64_t rounds(void)
{
    return *shadow(ARRIVED) / parties;
}

static void changed(unsigned thread, uint64_t addr, uint64_t was)
{
    uint32_t is = b->done >> ROUND_SHIFT, limit = (uint32_t)(first_round + rounds());

    (void)thread;
    if (model_shared.dead != 0)
        return;
    if (addr == (uint64_t)(uintptr_t)&b->in)
        *shadow(ARRIVED) = b->in - first_round * parties;
    if (addr != (uint64_t)(uintptr_t)&b->done)
        return;
    if ((int32_t)((is << ROUND_SHIFT) - ((uint32_t)was & ~3u)) < 0)
        model_fail("word", "rounds go back: 0x%llx -> 0x%llx", was, b->done);
    if ((int32_t)((is - limit) << ROUND_SHIFT) > 0)
        model_fail("too early", "%llu rounds have ended, and %llu have come", is, *shadow(ARRIVED));
}

static void wait_by(unsigned self, enum word w)
{
    const fw_wait_policy *policy = w == DEFAULT ? NULL
                                   : w == POLL  ? &script_spinning
                                                : &script_blocking;

    if (posix_barrier_in_use()->wait_by(b, policy, NULL) == PTHREAD_BARRIER_SERIAL_THREAD)
        ++*shadow(SERIAL);
    report_remark(self, "leaves the round");
    if (++*shadow(LEFT) > rounds() * parties)
        model_thread_fail("too early", "%llu have left when %llu have come", *shadow(LEFT),
                          *shadow(ARRIVED));
}

static void destroy(void)
{
    int error = posix_barrier_in_use()->destroy((pthread_barrier_t *)b);

    if (error != 0)
        model_thread_fail("answer", "destroy answers %llu", (uint64_t)error, 0);
    model_op(OP_FREE, b, sizeof *b, 0, 0, 0, 0);
}

static void thread(unsigned self)
{
    for (const unsigned *w = script_words[self]; *w != END; w++)
        if (*w == DESTROY)
            destroy();
        else
            wait_by(self, (enum word) * w);
}

static void finished(void)
{
    if (*shadow(SERIAL) != rounds())
        model_fail("serial", "%llu serial threads in %llu rounds", *shadow(SERIAL), rounds());
    if (model_shared.asleep != *shadow(ARRIVED) % parties)
        model_fail("lost wake-up", "%llu sleep, and %llu have come", model_shared.asleep,
                   *shadow(ARRIVED));
    if (model_shared.dead == 0 && model_shared.asleep == 0 && b->out != b->in)
        model_fail("word", "%llu have come, and %llu have left", b->in, b->out);
}

static HOOKS(hooks, .words = word_names, .setup = setup, .thread = thread, .changed = changed,
             .finished = finished);

#define PROGRAM(...) SCRIPTED(hooks, __VA_ARGS__)
#define OF(n) .initial = (n)

static const struct model_program programs[] = {
    PROGRAM("pbar", "wait wait wait | wait wait wait", OF(2)),
    PROGRAM("pbar-three", "wait wait | wait wait | wait wait", OF(3)),
    PROGRAM("pbar-four", "wait | wait | wait | wait", BOUND(3, 5), OF(4)),
    PROGRAM("pbar-surplus", "wait | wait | wait | wait", BOUND(3, 4), OF(2)),
    PROGRAM("pbar-surplus-three", "wait wait | wait wait | wait wait", MAY_SLEEP, OF(2)),
    PROGRAM("pbar-one", "wait wait | wait wait", OF(1)),
    PROGRAM("pbar-default", "default default default | default default default", TICKS(2), OF(2)),
    PROGRAM("pbar-poll", "poll wait | wait poll | wait wait", OF(3)),
    PROGRAM("pbar-spurious", "wait wait | wait wait | wait wait",
            .budget = {.spurious = 2, .eintr = 1}, BOUND(3, 4), OF(3)),
    PROGRAM("pbar-wraps", "wait wait | wait wait", OF(2 | UINT64_C(0x3fffffff) << 8),
            ABOUT("the number of the round wraps around")),
    PROGRAM("pbar-destroy", "wait wait destroy | wait wait", TICKS(1), OF(2)),
    PROGRAM("pbar-destroy-three", "wait destroy | wait | wait", TICKS(1), OF(3),
            ABOUT("the same while two others leave")),
};

GROUP(posix_barrier, "posix-barrier");
