/* SPDX-License-Identifier: MIT */
/*
 * The programs for the barrier between processes.  What must hold: ipc_barrier_check.h.
 *
 *   join     becomes a party
 *   wait     arrives, and waits
 *   timed    the same, and gives up when it times out
 *   again    the same as wait; resets the barrier where it fails, and comes again
 *   timely   as again, and gives up when it times out
 *   arrive   arrives
 *   await    waits for the end of that round
 *   leave    leaves
 *   spoil    the barrier fails, as if a party had died
 *   reset    resets it
 *
 * A thread that is told of an error ends.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>

#include <furwock/futex.h>

#include "../engine/report.h"
#include "../kernel.h"
#include "ipc/announce.h"
#include "ipc/barrier_word.h"
#include "ipc_barrier_check.h"
#include "ipc_sync.h"
#include "script.h"

SCRIPT_WORDS(JOIN, WAIT, TIMED, AGAIN, TIMELY, ARRIVE, AWAIT, LEAVE, SPOIL, RESET);

/* How a barrier begins: its mode, how many parties it has, and how many threads are some already.
 */
#define BEGINS(mode, parties, joined) ((mode) | (parties) << 8 | (joined) << 16)
#define MODE_OF(begins) ((fw_ipc_barrier_mode)((begins)&0xff))
#define PARTIES_OF(begins) ((uint32_t)((begins) >> 8 & 0xff))
#define JOINED_OF(begins) ((uint32_t)((begins) >> 16))

static fw_ipc_barrier *b;

static void setup(const void *arg)
{
    const struct script *script = arg;
    static const struct model_part parts[] = {
        {"round", 0, 8},   {"round", 0, 4}, {"place0", 64, 8}, {"place1", 72, 8},
        {"place2", 80, 8}, {"past", 16, 8}, {"serial", 32, 8}, {NULL, 0, 0}};
    uint32_t parties = PARTIES_OF(script->initial);

    region_make(model_thread_count, true);
    b = model_object("b", (unsigned)(sizeof *b + parties * 8), parts, NULL);
    b->made_ = made_of(parties, MODE_OF(script->initial));
    b->spin_ = UINT16_MAX; /* to await is not told how to wait: does not poll */
    for (unsigned i = 0; i < JOINED_OF(script->initial); i++)
        barrier_slots(b)[i] = slot_word(region_id_of(i), 0, (uint32_t)-1);
    barrier_check_begin(b, parties, MODE_OF(script->initial) == FW_IPC_BARRIER_FAIL);
    script_read(script->threads, word_names);
}

static enum model_access access(const void *p)
{
    return p == (const void *)&b->made_ ? ACCESS_DIRECT : region_access(p);
}

static int told(unsigned self, int error, enum barrier_call call)
{
    report_remark(self, error <= 0 ? "goes on" : "is told of an error");
    barrier_check_told(self, error, call);
    return error;
}

static int wait(unsigned self, bool is_timed)
{
    int error;

    barrier_check_comes(self);
    error = ipc_sync_in_use->wait(b, IPC_SYNC_BLOCKS, is_timed ? &script_soon : NULL);
    if (error == ETIMEDOUT && !is_timed)
        model_thread_fail("answer", "thread %llu is answered %llu", self, (uint64_t)error);
    return told(self, error, CALL_WAITS);
}

static int arrive(unsigned self, uint64_t *token)
{
    int error;

    barrier_check_comes(self);
    error = ipc_sync_in_use->arrive(b, token);
    return told(self, error, CALL_ARRIVES);
}

static int reset(void)
{
    return ipc_sync_in_use->reset(b);
}

static int again(unsigned self, bool is_timed)
{
    int error;

    while ((error = wait(self, is_timed)) == EOWNERDEAD)
        if ((error = reset()) != 0)
            break;
    return error;
}

static int spoil(void)
{
    uint64_t w = fw_load64_acquire(&b->round_);

    barrier_check_spoil();
    while (!fw_cas64_acq_rel(&b->round_, &w, w | BARRIER_FAILED))
        ;
    if (has_sleepers(w))
        fw_futex_wake(fw_ipc_half_(&b->round_), INT_MAX, FW_FUTEX_SHARED);
    return 0;
}

/* What has no answer but 0. */
static int must(unsigned self, int error)
{
    if (error != 0)
        model_thread_fail("answer", "thread %llu is answered %llu", self, (uint64_t)error);
    return 0;
}

static int step(unsigned self, enum word w, uint64_t *token)
{
    switch (w) {
    case JOIN:
        return told(self, ipc_sync_in_use->join(b), CALL_ARRIVES);
    case ARRIVE:
        return arrive(self, token);
    case AWAIT:
        return told(self, ipc_sync_in_use->await(b, *token), CALL_AWAITS);
    case AGAIN:
    case TIMELY:
        return again(self, w == TIMELY);
    case SPOIL:
        return spoil();
    case RESET:
        return must(self, reset());
    case LEAVE:
        return must(self, ipc_sync_in_use->leave(b));
    default:
        return wait(self, w == TIMED);
    }
}

static void thread(unsigned self, const void *arg)
{
    const unsigned *w = script_words[self];
    uint64_t token = 0;

    (void)arg;
    region_begin(self, &ipc_sync_in_use->region);
    while (*w != END && step(self, (enum word) * w, &token) <= 0)
        w++;
}

#define PROGRAM(called, what, n, deaths, ...) \
    WITH_RECHECKS(true, called, what, n, deaths, __VA_ARGS__)

/* No re-check comes: what is not told to a sleeper it never learns. */
#define TOLD(called, what, n, deaths, ...) \
    WITH_RECHECKS(false, called, what, n, deaths, __VA_ARGS__)

#define WITH_RECHECKS(has, called, what, n, deaths, ...)                                 \
    {                                                                                    \
        .name = called, .about = what, .threads = n, .generic = true, .rechecks = (has), \
        .budget = {.kills = (deaths)}, .setup = setup, .thread = thread,                 \
        .changed = barrier_check_changed, .killed = barrier_check_killed,                \
        .finished = barrier_check_finished, .own = ipc_sync_own, .access = access,       \
        .arg = __VA_ARGS__                                                               \
    }
/* The deep ones are explored with any number. */
#define AT_MOST(n) .preemptions = (n)
/* So many parties, and so many threads that are parties from the start. */
#define FAIL(parties, joined, ...) \
    SCRIPT_FROM(BEGINS(FW_IPC_BARRIER_FAIL, parties, joined), __VA_ARGS__)
#define GO_ON(parties, joined, ...) \
    SCRIPT_FROM(BEGINS(FW_IPC_BARRIER_GO_ON, parties, joined), __VA_ARGS__)

static const struct model_program programs[] = {
    PROGRAM("ipc-barrier", "two parties, two rounds; nobody dies", 2, 0,
            FAIL(2, 2, "wait wait", "wait wait")),
    PROGRAM("ipc-barrier-three", "three parties; nobody dies", 3, 0,
            FAIL(3, 3, "wait", "wait", "wait")),
    PROGRAM("ipc-barrier-fails", "two parties, two rounds; it fails when one dies", 2, 1,
            FAIL(2, 2, "wait wait", "wait wait")),
    PROGRAM("ipc-barrier-goes-on", "the same, and it goes on", 2, 1,
            GO_ON(2, 2, "wait wait", "wait wait")),
    PROGRAM("ipc-barrier-fails-three", "three parties; one may die", 3, 1,
            FAIL(3, 3, "wait", "wait", "wait")),
    PROGRAM("ipc-barrier-goes-on-three", "three parties; two may die", 3, 2,
            GO_ON(3, 3, "wait", "wait", "wait")),
    PROGRAM("ipc-barrier-leaves", "one leaves, one may die", 2, 1,
            GO_ON(2, 2, "wait leave", "wait wait")),
    PROGRAM("ipc-barrier-leaves-three", "the same, with two others", 3, 1,
            GO_ON(3, 3, "leave", "wait wait", "wait wait"), AT_MOST(2)),
    TOLD("ipc-barrier-told", "nobody re-checks; two parties, two rounds; it fails when one dies", 2,
         1, FAIL(2, 2, "wait wait", "wait wait")),
    TOLD("ipc-barrier-told-three", "nobody re-checks; three parties; one may die", 3, 1,
         FAIL(3, 3, "wait", "wait", "wait")),
    TOLD("ipc-barrier-told-goes-on", "nobody re-checks; three parties; two may die", 3, 2,
         GO_ON(3, 3, "wait", "wait", "wait")),
    TOLD("ipc-barrier-told-joins", "nobody re-checks; one of two comes, and one may die", 3, 1,
         FAIL(2, 1, "wait", "join wait", "wait")),
    PROGRAM("ipc-barrier-timed", "one waits for a while only; one may die", 2, 1,
            FAIL(2, 2, "timed", "timed")),
    PROGRAM("ipc-barrier-resets", "the other one resets it twice before the first looks", 2, 0,
            FAIL(2, 2, "wait", "wait spoil reset spoil reset")),
    PROGRAM("ipc-barrier-resets-two", "two reset at once", 2, 0,
            FAIL(2, 2, "spoil reset spoil reset", "reset spoil reset")),
    PROGRAM("ipc-barrier-resets-three", "two reset at once; one may die over it", 3, 1,
            FAIL(3, 3, "wait", "wait spoil reset spoil reset", "wait reset spoil reset"),
            AT_MOST(2)),
    PROGRAM("ipc-barrier-joins", "two come, and become parties", 2, 0,
            FAIL(2, 0, "wait wait", "join wait wait")),
    PROGRAM("ipc-barrier-joins-three", "three come; one may die", 3, 1,
            GO_ON(3, 0, "timed", "timed", "timed"), AT_MOST(2)),
    PROGRAM("ipc-barrier-joins-late", "one comes for the only slot while the other resets", 2, 0,
            FAIL(1, 0, "again", "spoil again leave")),
    PROGRAM("ipc-barrier-takes-left", "a third one takes the slot of one that left", 3, 0,
            GO_ON(2, 2, "wait leave", "wait timed", "join timed"), AT_MOST(3)),
    PROGRAM("ipc-barrier-takes-dead", "the same, of one that died", 3, 1,
            GO_ON(2, 2, "wait", "wait timed", "timed"), AT_MOST(2)),
    PROGRAM("ipc-barrier-token", "one arrives, and waits later", 2, 0,
            FAIL(2, 2, "arrive await wait", "wait arrive await")),
    PROGRAM("ipc-barrier-token-fails", "the same; one may die", 2, 1,
            FAIL(2, 2, "arrive await wait", "wait arrive await")),
    PROGRAM("ipc-barrier-token-resets", "it is reset before the first one waits", 2, 0,
            FAIL(2, 2, "arrive await again", "wait spoil reset again")),
    PROGRAM("ipc-barrier-ends-by-arrival", "who only arrives ends the round", 3, 0,
            FAIL(3, 3, "wait", "wait", "arrive"), AT_MOST(3)),
    PROGRAM("ipc-barrier-ends-by-leave", "who leaves ends the round", 3, 0,
            GO_ON(3, 3, "wait", "wait", "leave"), AT_MOST(3)),
    PROGRAM("ipc-barrier-ends-by-stranger", "one that finds no slot ends the round", 3, 0,
            FAIL(2, 2, "wait", "wait", "wait"), AT_MOST(3)),
    PROGRAM("ipc-barrier-retakes", "one takes the other's slot after a reset", 2, 0,
            FAIL(2, 2, "timed", "spoil reset timed")),
    PROGRAM("ipc-barrier-retakes-both", "both take slots anew, until they meet", 2, 0,
            FAIL(2, 2, "again again", "spoil again again")),
    PROGRAM("ipc-barrier-retakes-dead", "two go on after a third one died", 3, 1,
            FAIL(2, 2, "timely", "timed", "timely"), AT_MOST(2)),
};

const struct program_group ipc_barrier_programs = {"ipc-barrier", programs,
                                                   sizeof programs / sizeof *programs};
