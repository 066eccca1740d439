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

/* No re-check comes, but where it says so: nobody needs one as long as the kernel marks deaths. */
#define PROGRAM(...) SCRIPTED(ipc_atomic_hooks, __VA_ARGS__)
#define WITH(...) WITH_OPTIONS(atomic_script, .between_processes = true, __VA_ARGS__)

static const struct model_program programs[] = {
    PROGRAM("ipc-atomic-load", "a writer and a reader, twice each; nobody dies",
            "store store | load load"),
    PROGRAM("ipc-atomic-load-kill", "the same; the writer may die", "store store | load load",
            KILLS(1), .immortal = 2),
    PROGRAM("ipc-atomic-load-again", "a reader that tries twice; the writer may die",
            "store store | load", KILLS(1), .immortal = 2, WITH(.load_looks = 2)),
    PROGRAM("ipc-atomic-store", "two store, and read; one may die", "store load | store load",
            KILLS(1)),
    PROGRAM("ipc-atomic-swap", "two exchange, and read; one may die", "swap load | swap load",
            KILLS(1)),
    PROGRAM("ipc-atomic-cas", "two compare-exchange, and read; one may die", "cas load | cas load",
            KILLS(1)),
    PROGRAM("ipc-atomic-count", "two count; one may die", "count | count count", KILLS(1)),
    PROGRAM("ipc-atomic-ragged", "two words and a byte; one may die", "store load | swap load",
            KILLS(1), WITH(.size = 17)),
    PROGRAM("ipc-atomic-unmarked", "the kernel has no robust lists; one may die",
            "store load | cas load", KILLS(1), .unmarked = true, .rechecks = true),
    PROGRAM("ipc-atomic-naps", "re-checks come; one may die", "store load | swap load", KILLS(1),
            .rechecks = true),
    PROGRAM("ipc-atomic-three", "a writer, two that write or read; one may die",
            "store | swap | load", KILLS(1), BOUND(1, 2)),
    PROGRAM("ipc-atomic-kill-two", "two store, and may die; one reads", "store | store | load",
            KILLS(2), .immortal = 4, BOUND(1, 2)),
    PROGRAM("ipc-atomic-neighbours", "another object has the same stripe; one may die",
            "store load-y | store-y load", KILLS(1), WITH(.shares = true)),
};

GROUP(ipc_atomic, "ipc-atomic");
