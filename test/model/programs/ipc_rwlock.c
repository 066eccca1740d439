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
    PROGRAM("ipc-rw", "a reader and a writer; nobody dies", "read read | write write",
            RECHECKS_DUE),
    PROGRAM("ipc-rw-late", "the same: a reader's store may come late", "read | write",
            .expects = "lost wake-up"),
    PROGRAM("ipc-rw-writers", "two writers; nobody dies", "write write | write write"),
    TOLD("ipc-rw-told", "nobody re-checks; two writers; one may die", "write write | write write",
         KILLS(1)),
    TOLD("ipc-rw-told-three", "nobody re-checks; three writers; one may die",
         "write | write | write", KILLS(1)),
    TOLD("ipc-rw-told-upgrades", "nobody re-checks; one upgrades, one writes; one may die",
         "upgrade | write", KILLS(1)),
    PROGRAM("ipc-rw-kill", "a reader and a writer; one may die", "read read | write write",
            KILLS(1), RECHECKS_DUE),
    PROGRAM("ipc-rw-tidy", "the same, and the hint is made anew", "read read | write write",
            KILLS(1), RECHECKS_DUE, TIDY),
    PROGRAM("ipc-rw-readers", "two readers, a writer; one may die", "read | read | write", KILLS(1),
            RECHECKS_DUE),
    PROGRAM("ipc-rw-mixed", "a reader, two writers; one may die", "read | write | write", KILLS(1),
            RECHECKS_DUE),
    PROGRAM("ipc-rw-up", "an upgrade and a reader; one may die", "upgrade | read read", KILLS(1),
            RECHECKS_DUE),
    PROGRAM("ipc-rw-down", "a downgrade, and a writer; one may die", "down | write read", KILLS(1),
            RECHECKS_DUE),
    PROGRAM("ipc-rw-again", "a reader that reads again; one may die", "again | write", KILLS(1),
            RECHECKS_DUE),
    PROGRAM("ipc-rw-beside", "the same beside another lock: its record moves", "beside | write",
            KILLS(1), RECHECKS_DUE),
    PROGRAM("ipc-rw-repairs", "a registered function repairs; two may die", "write | read | read",
            KILLS(2), RECHECKS_DUE, WITH(.repairs = true, .generation = 1)),
    PROGRAM("ipc-rw-tidy-three", "the hint is made anew beside a reader; one may die",
            "read | write | write", KILLS(1), RECHECKS_DUE, WITH(.hint = 1)),
    PROGRAM("ipc-rw-upgrades", "two upgrade; one may die", "upgrade | upgrade read", KILLS(1),
            RECHECKS_DUE),
    PROGRAM("ipc-rw-timed", "they wait for a while only; one may die",
            "timed-write read | timed-upgrade timed-read", KILLS(1), RECHECKS_DUE),
    PROGRAM("ipc-rw-try", "they only try; one may die", "try-write try-read | write read", KILLS(1),
            RECHECKS_DUE),
    PROGRAM("ipc-rw-give-up", "who finds a dead writer gives up; one may die",
            "write lax | lax read write", KILLS(1), RECHECKS_DUE),
};

GROUP(ipc_rwlock, "ipc-rwlock");
