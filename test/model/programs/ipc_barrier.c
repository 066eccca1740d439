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

static void setup(void)
{
    static const struct model_part parts[] = {
        {"round", 0, 8},   {"round", 0, 4}, {"place0", 64, 8}, {"place1", 72, 8},
        {"place2", 80, 8}, {"past", 16, 8}, {"serial", 32, 8}, {NULL, 0, 0}};
    uint32_t parties = PARTIES_OF(model_program->initial);

    region_make(model_thread_count, true);
    b = model_object("b", (unsigned)(sizeof *b + parties * 8), parts, NULL);
    b->made_ = made_of(parties, MODE_OF(model_program->initial));
    b->spin_ = UINT16_MAX; /* to await is not told how to wait: does not poll */
    for (unsigned i = 0; i < JOINED_OF(model_program->initial); i++)
        barrier_slots(b)[i] = slot_word(region_id_of(i), 0, (uint32_t)-1);
    barrier_check_begin(b, parties, MODE_OF(model_program->initial) == FW_IPC_BARRIER_FAIL);
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
    error = ipc_sync_in_use()->wait(b, IPC_SYNC_BLOCKS, is_timed ? &script_soon : NULL);
    if (error == ETIMEDOUT && !is_timed)
        model_thread_fail("answer", "thread %llu is answered %llu", self, (uint64_t)error);
    return told(self, error, CALL_WAITS);
}

static int arrive(unsigned self, uint64_t *token)
{
    int error;

    barrier_check_comes(self);
    error = ipc_sync_in_use()->arrive(b, token);
    return told(self, error, CALL_ARRIVES);
}

static int reset(void)
{
    return ipc_sync_in_use()->reset(b);
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
        return told(self, ipc_sync_in_use()->join(b), CALL_ARRIVES);
    case ARRIVE:
        return arrive(self, token);
    case AWAIT:
        return told(self, ipc_sync_in_use()->await(b, *token), CALL_AWAITS);
    case AGAIN:
    case TIMELY:
        return again(self, w == TIMELY);
    case SPOIL:
        return spoil();
    case RESET:
        return must(self, reset());
    case LEAVE:
        return must(self, ipc_sync_in_use()->leave(b));
    default:
        return wait(self, w == TIMED);
    }
}

static void thread(unsigned self)
{
    const unsigned *w = script_words[self];
    uint64_t token = 0;

    region_begin(self);
    while (*w != END && step(self, (enum word) * w, &token) <= 0)
        w++;
}

static HOOKS(hooks, .words = word_names, REGION_HOOKS(FAMILY_IPC_SYNC), .setup = setup,
             .thread = thread, .access = access, .killed = barrier_check_killed,
             .changed = barrier_check_changed, .finished = barrier_check_finished);

#define PROGRAM(...) SCRIPTED(hooks, __VA_ARGS__, .generic = true, .rechecks = true)
/* No re-check comes: what is not told to a sleeper it never learns. */
#define TOLD(...) SCRIPTED(hooks, __VA_ARGS__, .generic = true)
/* The number of parties, and of threads that are parties from the start. */
#define FAIL(parties, joined) .initial = BEGINS(FW_IPC_BARRIER_FAIL, parties, joined)
#define GO_ON(parties, joined) .initial = BEGINS(FW_IPC_BARRIER_GO_ON, parties, joined)

static const struct model_program programs[] = {
    PROGRAM("ipc-barrier", "wait wait | wait wait", FAIL(2, 2)),
    PROGRAM("ipc-barrier-three", "wait | wait | wait", FAIL(3, 3)),
    PROGRAM("ipc-barrier-fails", "wait wait | wait wait", KILLS(1), FAIL(2, 2),
            ABOUT("two parties, two rounds; it fails when one dies")),
    PROGRAM("ipc-barrier-goes-on", "wait wait | wait wait", KILLS(1), GO_ON(2, 2),
            ABOUT("the same, and it goes on")),
    PROGRAM("ipc-barrier-fails-three", "wait | wait | wait", KILLS(1), FAIL(3, 3)),
    PROGRAM("ipc-barrier-goes-on-three", "wait | wait | wait", KILLS(2), GO_ON(3, 3)),
    PROGRAM("ipc-barrier-leaves", "wait leave | wait wait", KILLS(1), GO_ON(2, 2)),
    PROGRAM("ipc-barrier-leaves-three", "leave | wait wait | wait wait", KILLS(1), GO_ON(3, 3),
            BOUND(2, 0), ABOUT("the same, with two others")),
    TOLD("ipc-barrier-told", "wait wait | wait wait", KILLS(1), FAIL(2, 2),
         ABOUT("nobody re-checks; two parties, two rounds; it fails when one dies")),
    TOLD("ipc-barrier-told-three", "wait | wait | wait", KILLS(1), FAIL(3, 3)),
    TOLD("ipc-barrier-told-goes-on", "wait | wait | wait", KILLS(2), GO_ON(3, 3)),
    TOLD("ipc-barrier-told-joins", "wait | join wait | wait", KILLS(1), FAIL(2, 1),
         ABOUT("nobody re-checks; one of two comes")),
    TOLD("ipc-barrier-told-split", "wait | join wait | wait", KILLS(1), FAIL(2, 1), .splits = true,
         BOUND(2, 3), ABOUT("the same, and a sleep takes several steps")),
    PROGRAM("ipc-barrier-timed", "timed | timed", KILLS(1), FAIL(2, 2)),
    PROGRAM("ipc-barrier-resets", "wait | wait spoil reset spoil reset", FAIL(2, 2),
            ABOUT("the other one resets it twice before the first looks")),
    PROGRAM("ipc-barrier-resets-two", "spoil reset spoil reset | reset spoil reset", FAIL(2, 2),
            ABOUT("two reset at once")),
    PROGRAM("ipc-barrier-resets-three",
            "wait | wait spoil reset spoil reset | wait reset spoil reset", KILLS(1), FAIL(3, 3),
            BOUND(2, 0), ABOUT("two reset at once; one may die over it")),
    PROGRAM("ipc-barrier-joins", "wait wait | join wait wait", FAIL(2, 0),
            ABOUT("two come, and become parties")),
    PROGRAM("ipc-barrier-joins-three", "timed | timed | timed", KILLS(1), GO_ON(3, 0), BOUND(2, 0)),
    PROGRAM("ipc-barrier-joins-late", "again | spoil again leave", FAIL(1, 0),
            ABOUT("one comes for the only slot while the other resets")),
    PROGRAM("ipc-barrier-takes-left", "wait leave | wait timed | join timed", GO_ON(2, 2),
            BOUND(3, 0), ABOUT("a third one takes the slot of one that left")),
    PROGRAM("ipc-barrier-takes-dead", "wait | wait timed | timed", KILLS(1), GO_ON(2, 2),
            BOUND(2, 0), ABOUT("the same, of one that died")),
    PROGRAM("ipc-barrier-token-fails", "arrive await wait | wait arrive await", KILLS(1),
            FAIL(2, 2), ABOUT("one arrives, and waits later")),
    PROGRAM("ipc-barrier-token-resets", "arrive await again | wait spoil reset again", FAIL(2, 2),
            ABOUT("it is reset before the first one waits")),
    PROGRAM("ipc-barrier-ends-by-arrival", "wait | wait | arrive", FAIL(3, 3), BOUND(3, 0),
            ABOUT("who only arrives ends the round")),
    PROGRAM("ipc-barrier-ends-by-leave", "wait | wait | leave", GO_ON(3, 3), BOUND(3, 0),
            ABOUT("who leaves ends the round")),
    PROGRAM("ipc-barrier-ends-by-stranger", "wait | wait | wait", FAIL(2, 2), BOUND(3, 0),
            ABOUT("one that finds no slot ends the round")),
    PROGRAM("ipc-barrier-retakes", "timed | spoil reset timed", FAIL(2, 2),
            ABOUT("one takes the other's slot after a reset")),
    PROGRAM("ipc-barrier-retakes-both", "again again | spoil again again", FAIL(2, 2),
            ABOUT("both take slots anew, until they meet")),
    PROGRAM("ipc-barrier-retakes-dead", "timely | timed | timely", KILLS(1), FAIL(2, 2),
            BOUND(2, 0), ABOUT("two go on after a third one died")),
};

GROUP(ipc_barrier, "ipc-barrier");
