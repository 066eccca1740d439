/* SPDX-License-Identifier: MIT */
/*
 * The programs for the read-write lock between processes.  The words: ipc_rwlock_script.h.
 */
#include "ipc_rwlock_script.h"
#include "programs.h"

#define PROGRAM(...) SCRIPTED(ipc_rwlock_hooks, __VA_ARGS__, .generic = true, .rechecks = true)
/* No re-check comes: what is not told to a sleeper it never learns. */
#define TOLD(...) SCRIPTED(ipc_rwlock_hooks, __VA_ARGS__, .generic = true)
#define WITH(...) WITH_OPTIONS(ipc_rwlock_script, __VA_ARGS__)
/* The hint is made anew at every 16th generation; with TIDY at once. */
#define TIDY WITH(.generation = 0)
/* A reader's last store may be late: a writer that sleeps meanwhile sleeps until its re-check. */
#define RECHECKS_DUE .rechecks_are_due = true

static const struct model_program programs[] = {
    PROGRAM("ipc-rw", "read read | write write", RECHECKS_DUE),
    PROGRAM("ipc-rw-late", "read | write", .expects = "lost wake-up",
            ABOUT("the same: a reader's store may come late")),
    PROGRAM("ipc-rw-writers", "write write | write write"),
    TOLD("ipc-rw-told", "write write | write write", KILLS(1)),
    TOLD("ipc-rw-told-three", "write | write | write", KILLS(1)),
    TOLD("ipc-rw-told-upgrades", "upgrade | write", KILLS(1)),
    PROGRAM("ipc-rw-kill", "read read | write write", KILLS(1), RECHECKS_DUE),
    PROGRAM("ipc-rw-tidy", "read read | write write", KILLS(1), RECHECKS_DUE, TIDY,
            ABOUT("the same, and the hint is made anew")),
    PROGRAM("ipc-rw-readers", "read | read | write", KILLS(1), RECHECKS_DUE),
    PROGRAM("ipc-rw-mixed", "read | write | write", KILLS(1), RECHECKS_DUE),
    PROGRAM("ipc-rw-up", "upgrade | read read", KILLS(1), RECHECKS_DUE),
    PROGRAM("ipc-rw-down", "down | write read", KILLS(1), RECHECKS_DUE),
    PROGRAM("ipc-rw-again", "again | write", KILLS(1), RECHECKS_DUE),
    PROGRAM("ipc-rw-beside", "beside | write", KILLS(1), RECHECKS_DUE,
            ABOUT("the same beside another lock: its record moves")),
    PROGRAM("ipc-rw-repairs", "write | read | read", KILLS(2), RECHECKS_DUE,
            WITH(.repairs = true, .generation = 1)),
    PROGRAM("ipc-rw-tidy-three", "read | write | write", KILLS(1), RECHECKS_DUE, WITH(.hint = 1),
            ABOUT("the hint is made anew beside a reader")),
    PROGRAM("ipc-rw-upgrades", "upgrade | upgrade read", KILLS(1), RECHECKS_DUE),
    PROGRAM("ipc-rw-timed", "timed-write read | timed-upgrade timed-read", KILLS(1), RECHECKS_DUE),
    PROGRAM("ipc-rw-try", "try-write try-read | write read", KILLS(1), RECHECKS_DUE),
    PROGRAM("ipc-rw-give-up", "write lax | lax read write", KILLS(1), RECHECKS_DUE),
};

GROUP(ipc_rwlock, "ipc-rwlock");
