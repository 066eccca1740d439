/* SPDX-License-Identifier: MIT */
/*
 * The programs for the generic atomics between processes.  Each thread is a process that has joined
 * the region; the words: atomic_script.h.  An object has three words.
 *
 * Beside what ipc_atomic_check.h says, each operation is checked as within a process: what was read
 * is whole, and one version that was not out of date when the call began; what a call has stored is
 * a version when it returns; what replaces a value is the version after it.
 */
#include "ipc_atomic_check.h"
#include "programs.h"

static enum model_access access(const void *p)
{
    (void)p;
    return ACCESS_STEP;
}

/* No re-check comes, but where it says so: nobody needs one as long as the kernel marks deaths. */
#define PROGRAM(called, what, n, deaths, ...)                                                     \
    {                                                                                             \
        .name = called, .about = what, .threads = n, .budget.kills = (deaths),                    \
        .setup = ipc_atomic_setup, .thread = atomic_script_thread, .changed = ipc_atomic_changed, \
        .finished = ipc_atomic_finished, .own = ipc_atomic_own, .access = access, __VA_ARGS__     \
    }
#define WORDS(...) __VA_ARGS__
#define SCRIPT(...) SCRIPT_WITH((__VA_ARGS__), .size = 0)
#define SCRIPT_WITH(words, ...)                                                       \
    .arg = &(const struct atomic_script)                                              \
    {                                                                                 \
        .threads = {.threads = {WORDS words}}, .between_processes = true, __VA_ARGS__ \
    }
#define AT_MOST(n) .preemptions = (n), .deep_preemptions = (n) + 1

static const struct model_program programs[] = {
    PROGRAM("ipc-atomic-load", "a writer and a reader, twice each; nobody dies", 2, 0,
            SCRIPT("store store", "load load")),
    PROGRAM("ipc-atomic-load-kill", "the same; the writer may die", 2, 1, .immortal = 2,
            SCRIPT("store store", "load load")),
    PROGRAM("ipc-atomic-load-again", "a reader that tries twice; the writer may die", 2, 1,
            .immortal = 2, SCRIPT_WITH(("store store", "load"), .load_looks = 2)),
    PROGRAM("ipc-atomic-store", "two store, and read; one may die", 2, 1,
            SCRIPT("store load", "store load")),
    PROGRAM("ipc-atomic-swap", "two exchange, and read; one may die", 2, 1,
            SCRIPT("swap load", "swap load")),
    PROGRAM("ipc-atomic-cas", "two compare-exchange, and read; one may die", 2, 1,
            SCRIPT("cas load", "cas load")),
    PROGRAM("ipc-atomic-count", "two count; one may die", 2, 1, SCRIPT("count", "count count")),
    PROGRAM("ipc-atomic-ragged", "two words and a byte; one may die", 2, 1,
            SCRIPT_WITH(("store load", "swap load"), .size = 17)),
    PROGRAM("ipc-atomic-unmarked", "the kernel has no robust lists; one may die", 2, 1,
            .unmarked = true, .rechecks = true, SCRIPT("store load", "cas load")),
    PROGRAM("ipc-atomic-naps", "re-checks come; one may die", 2, 1, .rechecks = true,
            SCRIPT("store load", "swap load")),
    PROGRAM("ipc-atomic-three", "a writer, two that write or read; one may die", 3, 1, AT_MOST(1),
            SCRIPT("store", "swap", "load")),
    PROGRAM("ipc-atomic-kill-two", "two store, and may die; one reads", 3, 2, .immortal = 4,
            AT_MOST(1), SCRIPT("store", "store", "load")),
    PROGRAM("ipc-atomic-neighbours", "another object has the same stripe; one may die", 2, 1,
            SCRIPT_WITH(("store load-y", "store-y load"), .shares = true)),
};

const struct program_group ipc_atomic_programs = {"ipc-atomic", programs,
                                                  sizeof programs / sizeof *programs};
