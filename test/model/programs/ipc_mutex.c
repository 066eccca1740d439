/* SPDX-License-Identifier: MIT */
/*
 * The programs for the mutex between processes.  The words: ipc_mutex_script.h.
 */
#include "../cpus.h"
#include "ipc_mutex_script.h"
#include "programs.h"

#define PROGRAM(called, what, n, ...) WITH_RECHECKS(true, called, what, n, __VA_ARGS__)

/* No re-check comes: what is not told to a sleeper it never learns. */
#define TOLD(called, what, n, ...) WITH_RECHECKS(false, called, what, n, __VA_ARGS__)

#define WITH_RECHECKS(has, called, what, n, ...)                                         \
    {                                                                                    \
        .name = called, .about = what, .threads = n, .generic = true, .rechecks = (has), \
        .setup = ipc_mutex_script_setup, .thread = ipc_mutex_script_thread,              \
        .killed = ipc_mutex_script_killed, .changed = ipc_mutex_script_changed,          \
        .finished = ipc_mutex_script_finished, .describe = ipc_mutex_script_describe,    \
        .own = ipc_mutex_script_own, .access = ipc_mutex_script_access, __VA_ARGS__      \
    }

#define SCRIPT(...) SCRIPT_WITH((__VA_ARGS__), .lines = 0)
#define WORDS(...) __VA_ARGS__
#define SCRIPT_WITH(words, ...)                            \
    .arg = &(const struct ipc_mutex_script)                \
    {                                                      \
        .threads = {.threads = {WORDS words}}, __VA_ARGS__ \
    }
#define KILLS(n) .budget = {.kills = (n)}

static const struct model_program programs[] = {
    PROGRAM("ipc-two", "two threads, twice each; nobody dies", 2, SCRIPT("lock lock", "lock lock")),
    PROGRAM("ipc-three", "three threads; nobody dies", 3, SCRIPT("lock", "lock", "lock")),
    PROGRAM("ipc-kill", "two threads, twice each; one may die", 2, KILLS(1),
            SCRIPT("lock lock", "lock lock")),
    PROGRAM("ipc-kill-three", "three threads; one may die", 3, KILLS(1),
            SCRIPT("lock", "lock", "lock")),
    PROGRAM("ipc-kill-two", "three threads; two may die", 3, KILLS(2),
            SCRIPT("lock", "lock", "lock")),
    PROGRAM("ipc-kill-again", "three threads, one of them twice; two may die", 3, KILLS(2),
            SCRIPT("lock lock", "lock", "lock")),
    PROGRAM("ipc-idle", "two may die, and four re-checks (of all together) are enough", 3,
            .budget = {.kills = 2, .rechecks = 4}, .is_patient = true,
            SCRIPT("lock lock", "lock", "lock")),
    TOLD("ipc-told", "nobody re-checks; two threads, twice each; one may die", 2, KILLS(1),
         SCRIPT("lock lock", "lock lock")),
    TOLD("ipc-told-three", "nobody re-checks; three threads; one may die", 3, KILLS(1),
         SCRIPT("lock", "lock", "lock")),
    TOLD("ipc-told-two", "nobody re-checks; three threads; two may die", 3, KILLS(2),
         SCRIPT("lock", "lock", "lock")),
    PROGRAM("ipc-timed", "one waits for a while only; one may die", 3, KILLS(1),
            SCRIPT("timed", "lock", "lock")),
    PROGRAM("ipc-timed-alive", "one waits for a while only; nobody dies", 3,
            SCRIPT("timed", "lock", "lock")),
    PROGRAM("ipc-try", "one only tries; two may die", 3, KILLS(2),
            SCRIPT("try try", "lock", "lock")),
    PROGRAM("ipc-poll", "one never sleeps; one may die", 3, KILLS(1),
            SCRIPT("poll", "lock", "lock")),
    PROGRAM("ipc-spurious", "spurious wakes and an EINTR; one may die", 3,
            .budget = {.kills = 1, .spurious = 1, .eintr = 1}, SCRIPT("lock", "lock", "lock")),
    PROGRAM("ipc-give-up", "who finds a dead holder gives up; one may die", 3, KILLS(1),
            SCRIPT("lock", "lax", "lock")),
    PROGRAM("ipc-give-up-two", "the same; two may die", 3, KILLS(2), SCRIPT("lax", "lax", "lax")),
    PROGRAM("ipc-exit", "one ends without unlock; one may die", 3, KILLS(1),
            SCRIPT("exit", "lock", "lock")),
    PROGRAM("ipc-repairs", "a registered function repairs; two may die", 3, KILLS(2),
            SCRIPT_WITH(("lock", "lock", "lock"), .repairs = true)),
    PROGRAM("ipc-unmarked", "the kernel has no robust lists; one may die", 2, KILLS(1),
            .unmarked = true, SCRIPT("lock lock", "lock lock")),
    PROGRAM("ipc-unmarked-three", "the same with three threads", 3, KILLS(1), .unmarked = true,
            SCRIPT("lock", "lock", "lock")),
    PROGRAM("ipc-lies", "two threads, twice each, ask who runs; one may die", 2, KILLS(1),
            .assist = ASSIST_LIES, SCRIPT("adapt adapt", "adapt adapt")),
    PROGRAM("ipc-lies-alive", "three threads; nobody dies", 3, .assist = ASSIST_LIES,
            .preemptions = 2, .deep_preemptions = 3, SCRIPT("adapt", "adapt", "adapt")),
    PROGRAM("ipc-lies-three", "three threads; one may die", 3, KILLS(1), .assist = ASSIST_LIES,
            .preemptions = 1, .deep_preemptions = 2, SCRIPT("adapt", "adapt", "adapt")),
    PROGRAM("ipc-all-run", "a dead page says that all run; one may die", 2, KILLS(1),
            .assist = ASSIST_YES, SCRIPT("adapt adapt", "adapt adapt")),
    PROGRAM("ipc-none-runs", "a dead page says that none does; two may die", 3, KILLS(2),
            .assist = ASSIST_NO, SCRIPT("adapt", "adapt", "adapt")),
    PROGRAM("ipc-truth", "the truth, on one CPU; one may die", 2, KILLS(1), .assist = ASSIST_TRUE,
            .cpus = 1, .time_passes = true, SCRIPT("adapt adapt", "adapt adapt")),
    PROGRAM("ipc-join", "they become members; one may die", 2, KILLS(1),
            SCRIPT_WITH(("lock", "lock"), .lines = 2)),
    PROGRAM("ipc-join-try", "the same beside one that only tries", 2, KILLS(1),
            SCRIPT_WITH(("lock", "try try"), .lines = 2)),
    PROGRAM("ipc-line", "one line for two, while the first one lives", 2,
            SCRIPT_WITH(("lock", "lock"), .lines = 1)),
    PROGRAM("ipc-line-again", "one line for two: the second may get that of the dead", 2, KILLS(1),
            SCRIPT_WITH(("lock", "lock lock"), .lines = 1)),
    PROGRAM("ipc-leave", "one line for two: the first one leaves", 2, KILLS(1),
            SCRIPT_WITH(("lock leave lock", "lock leave"), .lines = 1)),
    PROGRAM("ipc-lines", "two lines for three; one may die", 3, KILLS(1),
            SCRIPT_WITH(("lock", "lock", "lock"), .lines = 2)),
    PROGRAM("ipc-lines-unmarked", "the same without robust lists", 3, KILLS(1), .unmarked = true,
            SCRIPT_WITH(("lock", "lock", "lock"), .lines = 2)),
};

const struct program_group ipc_mutex_programs = {"ipc-mutex", programs,
                                                 sizeof programs / sizeof *programs};
