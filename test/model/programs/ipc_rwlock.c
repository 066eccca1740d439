/* SPDX-License-Identifier: MIT */
/*
 * The programs for the read-write lock between processes.  The words: ipc_rwlock_script.h.
 */
#include "ipc_rwlock_script.h"
#include "programs.h"

#define PROGRAM(called, what, n, ...) WITH_RECHECKS(true, called, what, n, __VA_ARGS__)

/* No re-check comes: what is not told to a sleeper it never learns. */
#define TOLD(called, what, n, ...) WITH_RECHECKS(false, called, what, n, __VA_ARGS__)

#define WITH_RECHECKS(has, called, what, n, ...)                                         \
    {                                                                                    \
        .name = called, .about = what, .threads = n, .generic = true, .rechecks = (has), \
        .setup = ipc_rwlock_script_setup, .thread = ipc_rwlock_script_thread,            \
        .killed = ipc_rwlock_script_killed, .changed = ipc_rwlock_script_changed,        \
        .finished = ipc_rwlock_script_finished, .describe = ipc_rwlock_script_describe,  \
        .own = ipc_rwlock_script_own, .access = ipc_rwlock_script_access, __VA_ARGS__    \
    }

/* The hint is made anew at every 16th generation; with TIDY at once. */
#define SCRIPT(...) SCRIPT_WITH((__VA_ARGS__), .generation = 1)
#define TIDY(...) SCRIPT_WITH((__VA_ARGS__), .generation = 0)
#define WORDS(...) __VA_ARGS__
#define SCRIPT_WITH(words, ...)                            \
    .arg = &(const struct ipc_rwlock_script)               \
    {                                                      \
        .threads = {.threads = {WORDS words}}, __VA_ARGS__ \
    }
#define KILLS(n) .budget = {.kills = (n)}
/* A reader's last store may be late: a writer that sleeps meanwhile sleeps until its re-check. */
#define RECHECKS_DUE .rechecks_are_due = true

static const struct model_program programs[] = {
    PROGRAM("ipc-rw", "a reader and a writer; nobody dies", 2, RECHECKS_DUE,
            SCRIPT("read read", "write write")),
    PROGRAM("ipc-rw-late", "the same: a reader's store may come late", 2, .expects = "lost wake-up",
            SCRIPT("read", "write")),
    PROGRAM("ipc-rw-writers", "two writers; nobody dies", 2, SCRIPT("write write", "write write")),
    TOLD("ipc-rw-told", "nobody re-checks; two writers; one may die", 2, KILLS(1),
         SCRIPT("write write", "write write")),
    TOLD("ipc-rw-told-three", "nobody re-checks; three writers; one may die", 3, KILLS(1),
         SCRIPT("write", "write", "write")),
    TOLD("ipc-rw-told-upgrades", "nobody re-checks; one upgrades, one writes; one may die", 2,
         KILLS(1), SCRIPT("upgrade", "write")),
    PROGRAM("ipc-rw-kill", "a reader and a writer; one may die", 2, KILLS(1), RECHECKS_DUE,
            SCRIPT("read read", "write write")),
    PROGRAM("ipc-rw-tidy", "the same, and the hint is made anew", 2, KILLS(1), RECHECKS_DUE,
            TIDY("read read", "write write")),
    PROGRAM("ipc-rw-readers", "two readers, a writer; one may die", 3, KILLS(1), RECHECKS_DUE,
            SCRIPT("read", "read", "write")),
    PROGRAM("ipc-rw-mixed", "a reader, two writers; one may die", 3, KILLS(1), RECHECKS_DUE,
            SCRIPT("read", "write", "write")),
    PROGRAM("ipc-rw-up", "an upgrade and a reader; one may die", 2, KILLS(1), RECHECKS_DUE,
            SCRIPT("upgrade", "read read")),
    PROGRAM("ipc-rw-down", "a downgrade, and a writer; one may die", 2, KILLS(1), RECHECKS_DUE,
            SCRIPT("down", "write read")),
    PROGRAM("ipc-rw-again", "a reader that reads again; one may die", 2, KILLS(1), RECHECKS_DUE,
            SCRIPT("again", "write")),
    PROGRAM("ipc-rw-beside", "the same beside another lock: its record moves", 2, KILLS(1),
            RECHECKS_DUE, SCRIPT("beside", "write")),
    PROGRAM("ipc-rw-repairs", "a registered function repairs; two may die", 3, KILLS(2),
            RECHECKS_DUE, SCRIPT_WITH(("write", "read", "read"), .repairs = true, .generation = 1)),
    PROGRAM("ipc-rw-tidy-three", "the hint is made anew beside a reader; one may die", 3, KILLS(1),
            RECHECKS_DUE, SCRIPT_WITH(("read", "write", "write"), .hint = 1)),
    PROGRAM("ipc-rw-upgrades", "two upgrade; one may die", 2, KILLS(1), RECHECKS_DUE,
            SCRIPT("upgrade", "upgrade read")),
    PROGRAM("ipc-rw-timed", "they wait for a while only; one may die", 2, KILLS(1), RECHECKS_DUE,
            SCRIPT("timed-write read", "timed-upgrade timed-read")),
    PROGRAM("ipc-rw-try", "they only try; one may die", 2, KILLS(1), RECHECKS_DUE,
            SCRIPT("try-write try-read", "write read")),
    PROGRAM("ipc-rw-give-up", "who finds a dead writer gives up; one may die", 2, KILLS(1),
            RECHECKS_DUE, SCRIPT("write lax", "lax read write")),
};

const struct program_group ipc_rwlock_programs = {"ipc-rwlock", programs,
                                                  sizeof programs / sizeof *programs};
