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
    PROGRAM("ipc-atomic-load", "store store | load load"),
    PROGRAM("ipc-atomic-load-kill", "store store | load load", KILLS(1), .immortal = 2),
    PROGRAM("ipc-atomic-load-again", "store store | load", KILLS(1), .immortal = 2,
            WITH(.load_looks = 2), ABOUT("a reader that tries twice; the writer may die")),
    PROGRAM("ipc-atomic-store", "store load | store load", KILLS(1)),
    PROGRAM("ipc-atomic-swap", "swap load | swap load", KILLS(1)),
    PROGRAM("ipc-atomic-cas", "cas load | cas load", KILLS(1)),
    PROGRAM("ipc-atomic-count", "count | count count", KILLS(1)),
    PROGRAM("ipc-atomic-ragged", "store load | swap load", KILLS(1), WITH(.size = 17)),
    PROGRAM("ipc-atomic-unmarked", "store load | cas load", KILLS(1), .unmarked = true,
            .rechecks = true),
    PROGRAM("ipc-atomic-rechecks", "store load | swap load", KILLS(1), .rechecks = true),
    PROGRAM("ipc-atomic-three", "store | swap | load", KILLS(1), BOUND(1, 2),
            ABOUT("a writer, two that write or read")),
    PROGRAM("ipc-atomic-kill-two", "store | store | load", KILLS(2), .immortal = 4, BOUND(1, 2)),
    PROGRAM("ipc-atomic-neighbours", "store load-y | store-y load", KILLS(1), WITH(.shares = true)),
};

GROUP(ipc_atomic, "ipc-atomic");
