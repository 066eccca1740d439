/* SPDX-License-Identifier: MIT */
/* The programs for the read-write lock; their scripts are explained in rwlock_script.h. */
#include "../cpus.h"
#include "programs.h"
#include "rwlock_script.h"
#include "thread/rwlock_word.h"

#define PROGRAM(...) SCRIPTED(rwlock_hooks, __VA_ARGS__, .buckets = 1)
#define WITH(...) WITH_OPTIONS(rwlock_script, __VA_ARGS__)
#define KIND(preference) WITH(.kind = FW_RWLOCK_PREFER_##preference)
#define WORDS(s, q) WITH(.state = (s), .line = (q))
#define STALE WITH(.is_stale = true)

/* Each on a CPU of its own; and a holder, an ordinary one beside one that spins, an urgent one. */
static const struct model_task apart[] = {{0, 0}, {10, 1}, {20, 2}, {30, 3}};
static const struct model_task beside[] = {{5, 0}, {0, 1}, {10, 1}, {20, 2}};
#define URGENT(...) PROGRAM(__VA_ARGS__, .assist = ASSIST_NO, .time_passes = true)

static const struct model_program programs[] = {
    /* --- Phase-fair ------------------------------------------------------------------------- */
    PROGRAM("rw", "read unlock read unlock | write unlock write unlock"),
    PROGRAM("rw-writers", "write unlock write unlock | write unlock write unlock"),
    PROGRAM("rw-two-readers", "read unlock | read unlock | write unlock"),
    PROGRAM("rw-readers-twice", "read unlock read unlock | read unlock | write unlock",
            BOUND(3, 5)),
    PROGRAM("rw-two-writers", "write unlock | write unlock | read unlock"),
    PROGRAM("rw-writer-twice", "write unlock write unlock | write unlock | read unlock",
            BOUND(3, 5)),
    PROGRAM("rw-four", "read unlock | read unlock | write unlock | write unlock", BOUND(2, 4)),
    PROGRAM("rw-three-readers", "read unlock | read unlock | read unlock | write unlock",
            BOUND(2, 4)),
    PROGRAM("rw-try",
            "read unlock try-read unlock-any | write unlock | try-write unlock-any try-read unlock",
            ABOUT("whoever does not wait gets past nobody who does")),
    PROGRAM("rw-default",
            "default-read unlock default-read unlock | default-write unlock default-write unlock",
            TICKS(1)),
    PROGRAM("rw-spin", "spin-read unlock | spin-write unlock | write unlock", TICKS(1),
            BOUND(3, 4)),
    /* --- Upgrades and downgrades ------------------------------------------------------------ */
    PROGRAM("rw-upgrade", "up upgrade unlock | read unlock read unlock"),
    PROGRAM("rw-up", "up unlock up unlock | write unlock write unlock-any"),
    PROGRAM("rw-upgrade-writer", "up upgrade unlock | read unlock | write unlock"),
    PROGRAM("rw-upgrades", "up upgrade unlock-any | up upgrade unlock | read unlock"),
    PROGRAM("rw-upgradable", "up unlock | up try-upgrade unlock-any | read unlock | write unlock",
            BOUND(2, 3), ABOUT("upgradable readers, readers, a writer")),
    PROGRAM("rw-downgrade", "write downgrade unlock | write downgrade-up unlock"),
    PROGRAM("rw-downgrade-readers", "write downgrade unlock | read unlock | write unlock"),
    PROGRAM("rw-downgrade-up",
            "write downgrade-up upgrade downgrade unlock | read unlock | write unlock", BOUND(3, 5),
            ABOUT("all modes in one go, a reader, a writer")),
    PROGRAM("rw-up-downgrade", "up downgrade unlock | up upgrade unlock | write unlock"),
    /* --- Time-outs -------------------------------------------------------------------------- */
    PROGRAM("rw-timed-writer", "read unlock | timed-write unlock | read unlock", TICKS(1)),
    PROGRAM("rw-timed-reader", "write unlock | timed-read unlock | write unlock", TICKS(1)),
    PROGRAM("rw-timed-writers", "write unlock | timed-write unlock | write unlock", TICKS(1),
            ABOUT("a writer that was called gives up beside another")),
    PROGRAM("rw-timed-upgrade", "up timed-upgrade unlock-any | read unlock | write unlock",
            TICKS(1)),
    PROGRAM("rw-timed-up", "up upgrade unlock | timed-up unlock | read unlock", TICKS(1)),
    PROGRAM("rw-clock-step",
            "write unlock write unlock write unlock write unlock | real-write unlock",
            .budget = {.clock_steps = 1},
            ABOUT("CLOCK_REALTIME is set while a writer has a deadline on it")),
    PROGRAM("rw-clock-step-reader",
            "write unlock write unlock write unlock write unlock | real-write unlock | read unlock",
            BOUND(2, 0), .budget = {.clock_steps = 1},
            ABOUT("the same beside a reader without a deadline")),
    /* --- Preferences ------------------------------------------------------------------------ */
    PROGRAM("rw-readers-first", "read again unlock | read unlock | write unlock", KIND(READERS),
            ABOUT("readers, one of whom reads twice, and a writer")),
    PROGRAM("rw-readers-writers", "read again unlock | write unlock | write unlock", BOUND(3, 5),
            KIND(READERS)),
    PROGRAM("rw-readers-upgrade", "up upgrade unlock | read again unlock | write unlock",
            KIND(READERS)),
    PROGRAM("rw-readers-timed", "read unlock | timed-write unlock | write unlock", TICKS(1),
            KIND(READERS)),
    PROGRAM("rw-writers-first", "write unlock | write unlock | read unlock", KIND(WRITERS)),
    PROGRAM("rw-writers-readers", "read unlock | read unlock | write unlock", KIND(WRITERS)),
    PROGRAM("rw-writers-upgrade", "up upgrade downgrade unlock | read unlock | write unlock",
            KIND(WRITERS)),
    PROGRAM("rw-writers-timed", "read unlock | timed-write unlock | read unlock", TICKS(1),
            KIND(WRITERS)),
    /* --- Surroundings ----------------------------------------------------------------------- */
    PROGRAM("rw-spurious", "write unlock | write unlock | read unlock", INTERRUPTED),
    PROGRAM("rw-nap", "write unlock write unlock write unlock write unlock | write unlock",
            ABOUT("a writer that is called needlessly again and again")),
    PROGRAM("rw-starving", "write unlock write unlock write unlock write unlock | write unlock",
            TICKS(1), ABOUT("a writer loses for long and is handed the lock")),
    PROGRAM("rw-overdue", "write unlock write unlock | write unlock | read unlock",
            .budget = {.chances = 1}, BOUND(3, 4), ABOUT("a release that finds a call overdue")),
    PROGRAM("rw-fork", "read unlock read unlock | write unlock", .generation = 1,
            WORDS(RW_CLOSED | RW_WAITERS, QUEUE_WRITER | QUEUE_SHARER),
            ABOUT("somebody stood in line when the process was forked")),
    PROGRAM("rw-fork-coming", "write unlock write unlock | read unlock", .generation = 1,
            WORDS(RW_CLOSED | RW_WAKING, QUEUE_WRITER | QUEUE_AWAKE),
            ABOUT("somebody was coming when the process was forked")),
    /* --- Who runs: any answer, a dead page, the truth ----------------------------------------- */
    PROGRAM("rw-lies",
            "default-write unlock default-write unlock | default-write unlock default-write unlock",
            .assist = ASSIST_LIES),
    PROGRAM("rw-lies-reader", "default-read unlock | default-write unlock | default-write unlock",
            .assist = ASSIST_LIES, BOUND(3, 4)),
    PROGRAM("rw-lies-timed", "default-write unlock | timed-write unlock | default-write unlock",
            .assist = ASSIST_LIES, TICKS(1), BOUND(2, 4)),
    PROGRAM("rw-all-run", "default-read unlock | default-write unlock | default-write unlock",
            .assist = ASSIST_YES, BOUND(3, 4), ABOUT("a dead page says that everybody runs")),
    PROGRAM("rw-truth",
            "default-write unlock default-write unlock | default-write unlock default-read unlock",
            .assist = ASSIST_TRUE, .cpus = 1, .time_passes = true, ABOUT("the truth, on one CPU")),
    /* --- Real-time threads -------------------------------------------------------------------- */
    URGENT("rw-urgent", "write unlock | write unlock | write unlock write unlock", .tasks = apart,
           ABOUT("writers, one more urgent than the other")),
    URGENT("rw-urgent-reader", "write unlock | write unlock | write unlock | read unlock",
           .tasks = apart, BOUND(2, 4), ABOUT("the same and a reader")),
    URGENT("rw-urgent-stale", "write unlock | write unlock | write unlock write unlock",
           .tasks = apart, STALE, ABOUT("they find out how urgent they are before they sleep")),
    URGENT("rw-urgent-comer",
           "write unlock write unlock | write done unlock | turn spin | turn write unlock done",
           .tasks = beside,
           ABOUT("one that was called has lost its CPU to one that runs on and on")),
    /* --- Lifetime --------------------------------------------------------------------------- */
    PROGRAM("rw-free", "read leave | write leave | read leave",
            ABOUT("a writer that comes last frees the lock")),
    PROGRAM("rw-free-writers", "write leave | write leave | read leave"),
    PROGRAM("rw-free-upgrade", "up upgrade leave | read leave | write leave"),
    PROGRAM("rw-free-timed", "read leave | timed-write leave | write leave", TICKS(1),
            ABOUT("the same, and a writer gives up")),
    PROGRAM("rw-storm",
            "up upgrade downgrade unlock | timed-write unlock read unlock | default-read unlock "
            "write unlock",
            BOUND(2, 3), .budget = {.spurious = 1, .ticks = 1, .chances = 1},
            ABOUT("nearly everything at once")),
};

GROUP(rwlock, "rwlock");
