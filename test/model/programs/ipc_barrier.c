/* SPDX-License-Identifier: MIT */
/*
 * The programs for the barrier between processes.  Each thread is a party from the start.
 *
 *   wait     arrives, and waits
 *   timed    the same, and gives up when its time is over
 *   leave    leaves
 *
 * Who gets through a round finds that all others have come to it, or left, or (where the barrier
 * goes on) died.  Where it fails, that is because somebody died.  One at most is told that it is
 * the serial one.
 */
#include <errno.h>
#include <stdio.h>

#include "../engine/report.h"
#include "../kernel.h"
#include "gates_script.h"
#include "ipc/barrier_word.h"
#include "ipc_gates.h"

enum word { END, WAIT, TIMED, LEAVE, WORDS };

static const char *const names[WORDS] = {"", "wait", "timed", "leave"};

/* CALLS: by thread, the round to which it has come; LEFT: it has none.  SERIAL: by round. */
enum ghost { CALLS, SERIAL = 8 };
#define LEFT 100u

static fw_ipc_barrier *b;
static bool is_to_fail;

static void setup(const void *arg)
{
    const struct gates_script *script = arg;
    static const struct model_part parts[] = {{"round", 0, 8},   {"round", 0, 4},
                                              {"place0", 64, 8}, {"place1", 72, 8},
                                              {"place2", 80, 8}, {NULL, 0, 0}};

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
        if (error == EOWNERDEAD ? !is_to_fail || !ground_has_deaths()
                                : error != ETIMEDOUT || w != TIMED)
            model_thread_fail("answer", "thread %llu is answered %llu", self, (uint64_t)error);
        if (error == ETIMEDOUT)
            --model_shared.ghost[CALLS + self];
        return false;
    }
    check_others(self, round);
    if (error == FW_IPC_BARRIER_SERIAL && ++model_shared.ghost[SERIAL + round] > 1)
        model_thread_fail("serial", "two are the serial one of round %llu", round, 0);
    return true;
}

static void thread(unsigned self, const void *arg)
{
    (void)arg;
    ground_begin(self, &ipc_gates_in_use->ground);
    for (const unsigned *w = gates_words[self]; *w != END; w++) {
        if (*w != LEAVE) {
            if (!wait(self, (enum word) * w))
                return;
            continue;
        }
        model_shared.ghost[CALLS + self] = LEFT;
        if (ipc_gates_in_use->leave(b) != 0)
            model_thread_fail("answer", "thread %llu may not leave", self, 0);
    }
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
};

const struct program_group ipc_barrier_programs = {"ipc-barrier", programs,
                                                   sizeof programs / sizeof *programs};
