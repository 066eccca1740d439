/* SPDX-License-Identifier: MIT */
#ifndef FW_PRELOAD_CHECK_FILE_H
#define FW_PRELOAD_CHECK_FILE_H

#include <stdint.h>

/*
 * What the library that checks reports, at the end of the file of stat_file.h: a table of findings,
 * each found by its key, claimed by a compare-and-swap (0 -> key), and readable once `is_ready`.
 */

/* The numbers are in the file. */
enum fw_check_kind_ {
    FW_CHECK_ORDER,     /* locks are taken in a cycle: a call for each edge of it */
    FW_CHECK_RELOCK,    /* a thread waits for what it holds itself */
    FW_CHECK_DESTROYED, /* destroyed while held, or while threads wait */
    FW_CHECK_REUSED,    /* initialised while held */
    FW_CHECK_STRANGER,  /* unlocked by a thread that does not hold it */
    FW_CHECK_FREE,      /* unlocked though nobody holds it */
    FW_CHECK_TWO,       /* waits on one condition variable at a time, with two mutexes */
    FW_CHECK_UNHELD,    /* a wait on a condition variable without its mutex */
    FW_CHECK_EXIT,      /* a thread has ended, and held it */
    FW_CHECK_FORK,      /* held by the thread that forked */
    FW_CHECK_LOST,      /* a forked child waits for what a thread of its parent held */
    FW_CHECK_BLOCKED,   /* sleeping or I/O while holding it */
    FW_CHECK_INVERSION, /* a real-time thread waits for one of lower priority */
    FW_CHECK_KINDS
};

enum { FW_CHECK_CALLS = 6, FW_CHECK_FRAMES = 12, FW_CHECK_FINDINGS = 256 };

/* How the two locks of a call are held or asked for. */
enum { FW_CHECK_READS = 1, FW_CHECK_HELD_READS = 2 };

/* A lock: the address; where it was initialised, or first locked; 0: not known. */
struct fw_check_lock_ {
    uint64_t object;
    uint64_t made_at;
};

/* One call of the program, on `lock`, by `thread`, which held `held` if that is not 0. */
struct fw_check_call_ {
    struct fw_check_lock_ lock;
    struct fw_check_lock_ held;
    uint64_t held_site; /* where that was taken */
    uint32_t thread;
    uint32_t owner; /* another thread that has to do with it; 0: none */
    uint32_t flags;
    uint32_t depth;
    uint64_t frames[FW_CHECK_FRAMES];
};

struct fw_check_finding_ {
    uint64_t key;
    uint32_t is_ready;
    uint32_t kind;
    uint64_t times;
    uint64_t ns; /* how long it took; 0: does not apply */
    uint32_t calls;
    uint32_t unused;
    struct fw_check_call_ call[FW_CHECK_CALLS];
};

struct fw_check_ {
    uint32_t is_checked; /* the library that checks was there */
    uint32_t unseen;     /* findings that found no entry */
    uint64_t lost_nodes; /* locks that could not be told apart any more: tables are full */
    uint64_t lost_edges; /* orders that could not be remembered */
    uint64_t lost_locks; /* locks held beyond the depth that is looked at */
    uint64_t lost_threads;
    struct fw_check_finding_ findings[FW_CHECK_FINDINGS];
};

#endif
