/* SPDX-License-Identifier: MIT */
/*
 * The programs for the mutex between processes.  The words: ipc_mutex_script.h.
 */
#include "../cpus.h"
#include "ipc_mutex_script.h"
#include "programs.h"

#define PROGRAM(...) SCRIPTED(ipc_mutex_hooks, __VA_ARGS__, .generic = true, .rechecks = true)
/* No re-check comes: what is not told to a sleeper it never learns. */
#define TOLD(...) SCRIPTED(ipc_mutex_hooks, __VA_ARGS__, .generic = true)
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
    PROGRAM("ipc-join", "lock | lock", KILLS(1), WITH(.lines = 2), ABOUT("they become members")),
    PROGRAM("ipc-join-try", "lock | try try", KILLS(1), WITH(.lines = 2),
            ABOUT("the same beside one that only tries")),
    PROGRAM("ipc-line", "lock | lock", WITH(.lines = 1),
            ABOUT("one line for two, while the first one lives")),
    PROGRAM("ipc-line-again", "lock | lock lock", KILLS(1), WITH(.lines = 1),
            ABOUT("one line for two: the second may get that of the dead")),
    PROGRAM("ipc-leave", "lock leave lock | lock leave", KILLS(1), WITH(.lines = 1),
            ABOUT("one line for two: the first one leaves")),
    PROGRAM("ipc-lines", "lock | lock | lock", KILLS(1), WITH(.lines = 2)),
    PROGRAM("ipc-lines-unmarked", "lock | lock | lock", KILLS(1), .unmarked = true,
            WITH(.lines = 2), ABOUT("the same without robust lists")),
};

GROUP(ipc_mutex, "ipc-mutex");
