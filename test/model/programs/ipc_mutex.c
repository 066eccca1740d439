/* SPDX-License-Identifier: MIT */
/*
 * The programs for the mutex between processes.
 *
 *   lock    a section: waits for the mutex; after EOWNERDEAD repairs, and says so
 *   poll    the same, and never sleeps
 *   adapt   the same, asking who runs
 *   timed   the same, and gives up when it times out
 *   try     the same, where nobody holds the mutex
 *   lax     the same, and after EOWNERDEAD unlocks without a word: gives the mutex up
 *   exit    locks, and ends without unlock
 *   leave   leaves the region
 *
 * Checked besides what ipc_mutex_check.h checks: ENOTRECOVERABLE: somebody gave it up, and then
 * nobody gets it any more; EBUSY: somebody alive was there.
 */
#include <errno.h>

#include "../cpus.h"
#include "../engine/report.h"
#include "../kernel.h"
#include "ipc_calls.h"
#include "ipc_mutex_check.h"
#include "ipc_region.h"
#include "script.h"

struct ipc_mutex_script {
    unsigned slots; /* participants' slots; 0: each thread has joined from the start */
    bool repairs;   /* by a function that is registered */
};

SCRIPT_WORDS(LOCK, POLL, ADAPT, TIMED, TRY, LAX, EXIT, LEAVE);

static fw_ipc_mutex *m;
static const struct ipc_mutex_script *script, none;

static void setup(void)
{
    script = script_options(&none);
    region_make(script->slots != 0 ? script->slots : model_thread_count, script->slots == 0);
    m = ipc_mutex_make(script->repairs, script->slots == 0);
}

/* --- What the threads do -------------------------------------------------------------------- */

static void mend(enum word w)
{
    ipc_mutex_mends();
    if (w == LAX)
        return;
    if (ipc_mutex_in_use()->consistent(m) != 0)
        model_thread_fail("answer", "the holder may not say that the data are sound", 0, 0);
    ipc_mutex_is_sound();
}

static void section(unsigned self, enum word w, int error)
{
    bool gives_up = error == EOWNERDEAD && w == LAX;

    report_remark(self, error == 0 ? "is inside" : "is inside, after a death");
    ipc_mutex_enters(self, error);
    if (error == EOWNERDEAD && w != EXIT)
        mend(w);
    ipc_mutex_count();
    if (w == EXIT)
        model_thread_exit();
    ipc_mutex_leaves();
    if (gives_up)
        *shadow(GIVEN_UP) = 1;
    if (ipc_mutex_in_use()->unlock(m) != 0)
        model_thread_fail("answer", "thread %llu may not unlock what it has", self, 0);
    if (gives_up)
        *shadow(GIVEN_UP) = 2;
    report_remark(self, "has unlocked");
}

static int lock(enum word w)
{
    static const fw_wait_policy asks = {FW_WAIT_ADAPTIVE, 3000};

    if (w == TRY)
        return ipc_mutex_in_use()->trylock(m);
    return ipc_mutex_in_use()->lock(m,
                                    w == POLL    ? &script_spinning
                                    : w == ADAPT ? &asks
                                                 : &script_blocking,
                                    w == TIMED ? &script_soon : NULL);
}

/* All others have come to their end, and their deaths are marked. */
static bool is_alone(void)
{
    unsigned busy = 0;

    for (unsigned i = 0; i < model_thread_count; i++)
        busy += i != model_current && model_threads[i].status != THREAD_DONE;
    return busy == 0 && !model_program->unmarked;
}

static void act(unsigned self, unsigned w)
{
    bool was_alone = is_alone();
    bool were_dead = was_alone && (model_shared.killed | model_bit(self)) + 1 ==
                                      UINT64_C(1) << model_thread_count;
    int error;

    if (w == LEAVE) {
        ipc_mutex_in_use()->region.leave(region_mapping);
        return;
    }
    error = lock(w);
    if (error == 0 || error == EOWNERDEAD)
        section(self, w, error);
    else if (error == ENOTRECOVERABLE ? *shadow(GIVEN_UP) == 0
             : error == ETIMEDOUT     ? w != TIMED
             : error == EBUSY         ? w != TRY || was_alone
                                      : error != EAGAIN || script->slots == 0 || were_dead)
        model_thread_fail("answer", "thread %llu is answered %llu", self, (uint64_t)error);
}

static HOOKS(hooks, .words = word_names, REGION_HOOKS(FAMILY_IPC_MUTEX), .setup = setup, .act = act,
             .access = ipc_mutex_access, .killed = ipc_mutex_killed, .changed = ipc_mutex_changed,
             .finished = ipc_mutex_finished);

#define PROGRAM(...) SCRIPTED(hooks, __VA_ARGS__, .generic = true, .rechecks = true)
/* No re-check comes: what is not told to a sleeper it never learns. */
#define TOLD(...) SCRIPTED(hooks, __VA_ARGS__, .generic = true)
#define WITH(...) WITH_OPTIONS(ipc_mutex_script, __VA_ARGS__)

static const struct model_program programs[] = {
    PROGRAM("ipc-two", "lock lock | lock lock"),
    PROGRAM("ipc-three", "lock | lock | lock"),
    PROGRAM("ipc-kill", "lock lock | lock lock", KILLS(1)),
    PROGRAM("ipc-kill-three", "lock | lock | lock", KILLS(1)),
    PROGRAM("ipc-kill-two", "lock | lock | lock", KILLS(2)),
    PROGRAM("ipc-kill-again", "lock lock | lock | lock", KILLS(2)),
    PROGRAM("ipc-idle", "lock lock | lock | lock", .budget = {.kills = 2, .rechecks = 4},
            .is_patient = true,
            ABOUT("two may die, and four re-checks (of all together) are enough")),
    TOLD("ipc-told", "lock lock | lock lock", KILLS(1)),
    TOLD("ipc-told-three", "lock | lock | lock", KILLS(1)),
    TOLD("ipc-told-two", "lock | lock | lock", KILLS(2)),
    TOLD("ipc-told-split", "lock | lock | lock", KILLS(1), .splits = true, BOUND(3, 0),
         ABOUT("the same, and a sleep takes several steps")),
    TOLD("ipc-told-split-two", "lock | lock | lock", KILLS(2), .splits = true,
         ABOUT("the same, and two may die")),
    PROGRAM("ipc-timed", "timed | lock | lock", KILLS(1)),
    PROGRAM("ipc-timed-alive", "timed | lock | lock"),
    PROGRAM("ipc-try", "try try | lock | lock", KILLS(2)),
    PROGRAM("ipc-poll", "poll | lock | lock", KILLS(1), ABOUT("one never sleeps")),
    PROGRAM("ipc-spurious", "lock | lock | lock",
            .budget = {.kills = 1, .spurious = 1, .eintr = 1}),
    PROGRAM("ipc-give-up", "lock | lax | lock", KILLS(1)),
    PROGRAM("ipc-give-up-two", "lax | lax | lax", KILLS(2)),
    PROGRAM("ipc-exit", "exit | lock | lock", KILLS(1)),
    PROGRAM("ipc-repairs", "lock | lock | lock", KILLS(2), WITH(.repairs = true)),
    PROGRAM("ipc-unmarked", "lock lock | lock lock", KILLS(1), .unmarked = true),
    PROGRAM("ipc-unmarked-three", "lock | lock | lock", KILLS(1), .unmarked = true),
    PROGRAM("ipc-lies", "adapt adapt | adapt adapt", KILLS(1), .assist = ASSIST_LIES,
            ABOUT("two threads, twice each, ask who runs")),
    PROGRAM("ipc-lies-alive", "adapt | adapt | adapt", .assist = ASSIST_LIES, BOUND(2, 3)),
    PROGRAM("ipc-lies-three", "adapt | adapt | adapt", KILLS(1), .assist = ASSIST_LIES,
            BOUND(1, 2)),
    PROGRAM("ipc-all-run", "adapt adapt | adapt adapt", KILLS(1), .assist = ASSIST_YES,
            ABOUT("a dead page says that all run")),
    PROGRAM("ipc-none-runs", "adapt | adapt | adapt", KILLS(2), .assist = ASSIST_NO,
            ABOUT("a dead page says that none does")),
    PROGRAM("ipc-truth", "adapt adapt | adapt adapt", KILLS(1), .assist = ASSIST_TRUE, .cpus = 1,
            .time_passes = true, ABOUT("the truth, on one CPU")),
    PROGRAM("ipc-join", "lock | lock", KILLS(1), WITH(.slots = 2), ABOUT("they join")),
    PROGRAM("ipc-join-try", "lock | try try", KILLS(1), WITH(.slots = 2),
            ABOUT("the same beside one that only tries")),
    PROGRAM("ipc-line", "lock | lock", WITH(.slots = 1),
            ABOUT("one slot for two, while the first one lives")),
    PROGRAM("ipc-line-again", "lock | lock lock", KILLS(1), WITH(.slots = 1),
            ABOUT("one slot for two: the second may get that of the dead")),
    PROGRAM("ipc-leave", "lock leave lock | lock leave", KILLS(1), WITH(.slots = 1),
            ABOUT("one slot for two: the first one leaves")),
    PROGRAM("ipc-lines", "lock | lock | lock", KILLS(1), WITH(.slots = 2)),
    PROGRAM("ipc-lines-unmarked", "lock | lock | lock", KILLS(1), .unmarked = true,
            WITH(.slots = 2), ABOUT("the same without robust lists")),
};

GROUP(ipc_mutex, "ipc-mutex");
