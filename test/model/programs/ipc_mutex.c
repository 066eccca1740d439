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
    PROGRAM("ipc-two", "two threads, twice each; nobody dies", "lock lock | lock lock"),
    PROGRAM("ipc-three", "three threads; nobody dies", "lock | lock | lock"),
    PROGRAM("ipc-kill", "two threads, twice each; one may die", "lock lock | lock lock", KILLS(1)),
    PROGRAM("ipc-kill-three", "three threads; one may die", "lock | lock | lock", KILLS(1)),
    PROGRAM("ipc-kill-two", "three threads; two may die", "lock | lock | lock", KILLS(2)),
    PROGRAM("ipc-kill-again", "three threads, one of them twice; two may die",
            "lock lock | lock | lock", KILLS(2)),
    PROGRAM("ipc-idle", "two may die, and four re-checks (of all together) are enough",
            "lock lock | lock | lock", .budget = {.kills = 2, .rechecks = 4}, .is_patient = true),
    TOLD("ipc-told", "nobody re-checks; two threads, twice each; one may die",
         "lock lock | lock lock", KILLS(1)),
    TOLD("ipc-told-three", "nobody re-checks; three threads; one may die", "lock | lock | lock",
         KILLS(1)),
    TOLD("ipc-told-two", "nobody re-checks; three threads; two may die", "lock | lock | lock",
         KILLS(2)),
    PROGRAM("ipc-timed", "one waits for a while only; one may die", "timed | lock | lock",
            KILLS(1)),
    PROGRAM("ipc-timed-alive", "one waits for a while only; nobody dies", "timed | lock | lock"),
    PROGRAM("ipc-try", "one only tries; two may die", "try try | lock | lock", KILLS(2)),
    PROGRAM("ipc-poll", "one never sleeps; one may die", "poll | lock | lock", KILLS(1)),
    PROGRAM("ipc-spurious", "spurious wakes and an EINTR; one may die", "lock | lock | lock",
            .budget = {.kills = 1, .spurious = 1, .eintr = 1}),
    PROGRAM("ipc-give-up", "who finds a dead holder gives up; one may die", "lock | lax | lock",
            KILLS(1)),
    PROGRAM("ipc-give-up-two", "the same; two may die", "lax | lax | lax", KILLS(2)),
    PROGRAM("ipc-exit", "one ends without unlock; one may die", "exit | lock | lock", KILLS(1)),
    PROGRAM("ipc-repairs", "a registered function repairs; two may die", "lock | lock | lock",
            KILLS(2), WITH(.repairs = true)),
    PROGRAM("ipc-unmarked", "the kernel has no robust lists; one may die", "lock lock | lock lock",
            KILLS(1), .unmarked = true),
    PROGRAM("ipc-unmarked-three", "the same with three threads", "lock | lock | lock", KILLS(1),
            .unmarked = true),
    PROGRAM("ipc-lies", "two threads, twice each, ask who runs; one may die",
            "adapt adapt | adapt adapt", KILLS(1), .assist = ASSIST_LIES),
    PROGRAM("ipc-lies-alive", "three threads; nobody dies", "adapt | adapt | adapt",
            .assist = ASSIST_LIES, BOUND(2, 3)),
    PROGRAM("ipc-lies-three", "three threads; one may die", "adapt | adapt | adapt", KILLS(1),
            .assist = ASSIST_LIES, BOUND(1, 2)),
    PROGRAM("ipc-all-run", "a dead page says that all run; one may die",
            "adapt adapt | adapt adapt", KILLS(1), .assist = ASSIST_YES),
    PROGRAM("ipc-none-runs", "a dead page says that none does; two may die",
            "adapt | adapt | adapt", KILLS(2), .assist = ASSIST_NO),
    PROGRAM("ipc-truth", "the truth, on one CPU; one may die", "adapt adapt | adapt adapt",
            KILLS(1), .assist = ASSIST_TRUE, .cpus = 1, .time_passes = true),
    PROGRAM("ipc-join", "they become members; one may die", "lock | lock", KILLS(1),
            WITH(.lines = 2)),
    PROGRAM("ipc-join-try", "the same beside one that only tries", "lock | try try", KILLS(1),
            WITH(.lines = 2)),
    PROGRAM("ipc-line", "one line for two, while the first one lives", "lock | lock",
            WITH(.lines = 1)),
    PROGRAM("ipc-line-again", "one line for two: the second may get that of the dead",
            "lock | lock lock", KILLS(1), WITH(.lines = 1)),
    PROGRAM("ipc-leave", "one line for two: the first one leaves", "lock leave lock | lock leave",
            KILLS(1), WITH(.lines = 1)),
    PROGRAM("ipc-lines", "two lines for three; one may die", "lock | lock | lock", KILLS(1),
            WITH(.lines = 2)),
    PROGRAM("ipc-lines-unmarked", "the same without robust lists", "lock | lock | lock", KILLS(1),
            .unmarked = true, WITH(.lines = 2)),
};

GROUP(ipc_mutex, "ipc-mutex");
