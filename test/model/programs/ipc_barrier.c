/* SPDX-License-Identifier: MIT */
/*
 * The programs for the barrier between processes.  Each thread is a party from the start.
 *
 *   wait     arrives, and waits
 *   timed    the same, and gives up when its time is over
 *   leave    leaves
 *   spoil    the barrier fails, as if a party had died
 *   reset    resets it
 *
 * Who gets through a round finds that all others have come to it, or left, or (where the barrier
 * goes on) died.  Where it fails, that is because somebody died, or spoiled it.  One at most is
 * told that it is the serial one.  Of a round, nobody is told that it failed if another one is told
 * that it ended.
 */
#include <errno.h>
#include <stdio.h>

#include "../engine/report.h"
#include "../kernel.h"
#include "gates_script.h"
#include "ipc/barrier_word.h"
#include "ipc_gates.h"

enum word { END, WAIT, TIMED, LEAVE, SPOIL, RESET, WORDS };

static const char *const names[WORDS] = {"", "wait", "timed", "leave", "spoil", "reset"};

/*
 * CALLS: by thread, the round to which it has come; LEFT: it has none.  SERIAL: by round.  SPOILED:
 * how often.  TOLD: for each round two bits: that it ended, that it failed.
 */
enum ghost { CALLS, SERIAL = 8, SPOILED = 12, TOLD };
#define LEFT 100u

static fw_ipc_barrier *b;
static bool is_to_fail;

static void setup(const void *arg)
{
    const struct gates_script *script = arg;
    static const struct model_part parts[] = {
        {"round", 0, 8},   {"round", 0, 4}, {"place0", 64, 8}, {"place1", 72, 8},
        {"place2", 80, 8}, {"past", 16, 8}, {NULL, 0, 0}};

    is_to_fail = script->initial == FW_IPC_BARRIER_FAIL;
    ground_make(model_thread_count, true);
    b = model_object("b", (unsigned)(sizeof *b + model_thread_count * 8), parts, NULL);
    b->made_ = made_of(model_thread_count, (fw_ipc_barrier_mode)script->initial);
    for (unsigned i = 0; i < model_thread_count; i++)
        places_of(b)[i] = place_of(ground_id_of(i), 0, (uint32_t)-1);
    gates_script_read(script, names, WORDS);
}

static enum model_access access(const void *p)
{
    return p == (const void *)&b->made_ ? ACCESS_DIRECT : ground_access(p);
}

static void check_others(unsigned self, uint64_t round)
{
    for (unsigned i = 0; i < model_thread_count; i++)
        if (model_shared.ghost[CALLS + i] < round && (is_to_fail || !ground_is_killed(i)))
            model_thread_fail("too early", "thread %llu goes on, and thread %llu has not come",
                              self, i);
}

static void check_answer(unsigned self, uint64_t round, bool has_ended)
{
    uint64_t told = model_shared.ghost[TOLD] |= UINT64_C(1) << (2 * round + has_ended);

    if ((told >> (2 * round) & 3) == 3)
        model_thread_fail("answer", "thread %llu is told another end of round %llu", self, round);
}

/* True: the thread is to go on. */
static bool wait(unsigned self, enum word w)
{
    static const fw_deadline soon = {
        .clock = CLOCK_MONOTONIC,
        .at = {.tv_sec = KERNEL_BOOT_NS / 1000000000u, .tv_nsec = KERNEL_TICK_NS}};
    uint64_t round = ++model_shared.ghost[CALLS + self];
    int error = ipc_gates_in_use->wait(b, IPC_GATES_BLOCKS, w == TIMED ? &soon : NULL);

    report_remark(self, error <= 0 ? "goes on" : "is told of an error");
    if (error > 0) {
        bool may_fail = is_to_fail && (ground_has_deaths() || model_shared.ghost[SPOILED] != 0);
        if (error == EOWNERDEAD ? !may_fail : error != ETIMEDOUT || w != TIMED)
            model_thread_fail("answer", "thread %llu is answered %llu", self, (uint64_t)error);
        if (error == ETIMEDOUT)
            --model_shared.ghost[CALLS + self];
        else
            check_answer(self, round, false);
        return false;
    }
    check_answer(self, round, true);
    check_others(self, round);
    if (error == FW_IPC_BARRIER_SERIAL && ++model_shared.ghost[SERIAL + round] > 1)
        model_thread_fail("serial", "two are the serial one of round %llu", round, 0);
    return true;
}

static void spoil(void)
{
    uint64_t w = fw_load64_acquire(&b->round_);

    ++model_shared.ghost[SPOILED];
    while (!fw_cas64_acq_rel(&b->round_, &w, w | BARRIER_FAILED))
        ;
}

/* True: the thread is to go on. */
static bool step(unsigned self, enum word w)
{
    switch (w) {
    case SPOIL:
        spoil();
        return true;
    case RESET:
        if (ipc_gates_in_use->reset(b) != 0)
            model_thread_fail("answer", "thread %llu may not reset", self, 0);
        return true;
    case LEAVE:
        model_shared.ghost[CALLS + self] = LEFT;
        if (ipc_gates_in_use->leave(b) != 0)
            model_thread_fail("answer", "thread %llu may not leave", self, 0);
        return true;
    default:
        return wait(self, w);
    }
}

static void thread(unsigned self, const void *arg)
{
    const unsigned *w = gates_words[self];

    (void)arg;
    ground_begin(self, &ipc_gates_in_use->ground);
    while (*w != END && step(self, (enum word) * w))
        w++;
}

static void changed(unsigned thread, uint64_t addr, uint64_t before)
{
    uint64_t at = addr - (uint64_t)(uintptr_t)places_of(b);
    unsigned owner = ground_thread_of(before);

    ground_changed(thread, addr, before);
    if (at < model_thread_count * sizeof(uint64_t) && owner < MODEL_MAX_THREADS && owner != thread)
        model_fail("word", "thread %llu changes the place of thread %llu", thread, owner);
}

#define PROGRAM(called, what, n, deaths, ...)                                                \
    {                                                                                        \
        .name = called, .about = what, .threads = n, .generic = true, .naps = true,          \
        .budget = {.kills = (deaths)}, .setup = setup, .thread = thread, .changed = changed, \
        .own = ipc_gates_own, .access = access, .arg = __VA_ARGS__                           \
    }
/* The deep ones are explored with any number. */
#define AT_MOST(n) .preemptions = (n)
#define FAIL(...) GATES_SCRIPT_FROM(FW_IPC_BARRIER_FAIL, __VA_ARGS__)
#define GO_ON(...) GATES_SCRIPT_FROM(FW_IPC_BARRIER_GO_ON, __VA_ARGS__)

static const struct model_program programs[] = {
    PROGRAM("ipc-barrier", "two parties, two rounds; nobody dies", 2, 0,
            FAIL("wait wait", "wait wait")),
    PROGRAM("ipc-barrier-three", "three parties; nobody dies", 3, 0, FAIL("wait", "wait", "wait")),
    PROGRAM("ipc-barrier-fails", "two parties, two rounds; it fails when one dies", 2, 1,
            FAIL("wait wait", "wait wait")),
    PROGRAM("ipc-barrier-goes-on", "the same, and it goes on", 2, 1,
            GO_ON("wait wait", "wait wait")),
    PROGRAM("ipc-barrier-fails-three", "three parties; one may die", 3, 1,
            FAIL("wait", "wait", "wait")),
    PROGRAM("ipc-barrier-goes-on-three", "three parties; two may die", 3, 2,
            GO_ON("wait", "wait", "wait")),
    PROGRAM("ipc-barrier-leaves", "one leaves, one may die", 2, 1,
            GO_ON("wait leave", "wait wait")),
    PROGRAM("ipc-barrier-leaves-three", "the same, with two others", 3, 1,
            GO_ON("leave", "wait wait", "wait wait"), AT_MOST(2)),
    PROGRAM("ipc-barrier-timed", "one waits for a while only; one may die", 2, 1,
            FAIL("timed", "timed")),
    PROGRAM("ipc-barrier-resets", "the other one resets it twice before the first looks", 2, 0,
            FAIL("wait", "wait spoil reset spoil reset")),
    PROGRAM("ipc-barrier-resets-two", "two reset at once", 2, 0,
            FAIL("spoil reset spoil reset", "reset spoil reset")),
    PROGRAM("ipc-barrier-resets-three", "two reset at once; one may die over it", 3, 1,
            FAIL("wait", "wait spoil reset spoil reset", "wait reset spoil reset"), AT_MOST(2)),
};

const struct program_group ipc_barrier_programs = {"ipc-barrier", programs,
                                                   sizeof programs / sizeof *programs};
