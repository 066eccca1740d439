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
    PROGRAM("rw", "a reader and a writer, twice each",
            "read unlock read unlock | write unlock write unlock"),
    PROGRAM("rw-writers", "two writers, twice each",
            "write unlock write unlock | write unlock write unlock"),
    PROGRAM("rw-two-readers", "two readers and a writer",
            "read unlock | read unlock | write unlock"),
    PROGRAM("rw-readers-twice", "two readers, one of them twice, and a writer",
            "read unlock read unlock | read unlock | write unlock", BOUND(3, 5)),
    PROGRAM("rw-two-writers", "two writers and a reader",
            "write unlock | write unlock | read unlock"),
    PROGRAM("rw-writer-twice", "two writers, one of them twice, and a reader",
            "write unlock write unlock | write unlock | read unlock", BOUND(3, 5)),
    PROGRAM("rw-four", "two readers and two writers",
            "read unlock | read unlock | write unlock | write unlock", BOUND(2, 4)),
    PROGRAM("rw-three-readers", "three readers and a writer",
            "read unlock | read unlock | read unlock | write unlock", BOUND(2, 4)),
    PROGRAM(
        "rw-try", "whoever does not wait gets past nobody who does",
        "read unlock try-read unlock-any | write unlock | try-write unlock-any try-read unlock"),
    PROGRAM("rw-default", "the inline calls, with the default policy",
            "default-read unlock default-read unlock | default-write unlock default-write unlock",
            TICKS(1)),
    PROGRAM("rw-spin", "a reader and a writer that never sleep beside a writer",
            "spin-read unlock | spin-write unlock | write unlock", TICKS(1), BOUND(3, 4)),
    /* --- Upgrades and downgrades ------------------------------------------------------------ */
    PROGRAM("rw-upgrade", "an upgrade beside a reader",
            "up upgrade unlock | read unlock read unlock"),
    PROGRAM("rw-up", "an upgradable reader and a writer",
            "up unlock up unlock | write unlock write unlock-any"),
    PROGRAM("rw-upgrade-writer", "an upgrade, a reader, a writer",
            "up upgrade unlock | read unlock | write unlock"),
    PROGRAM("rw-upgrades", "two that upgrade, and a reader",
            "up upgrade unlock-any | up upgrade unlock | read unlock"),
    PROGRAM("rw-upgradable", "upgradable readers, readers, a writer",
            "up unlock | up try-upgrade unlock-any | read unlock | write unlock", BOUND(2, 3)),
    PROGRAM("rw-downgrade", "downgrades beside a writer",
            "write downgrade unlock | write downgrade-up unlock"),
    PROGRAM("rw-downgrade-readers", "a downgrade, a reader, a writer",
            "write downgrade unlock | read unlock | write unlock"),
    PROGRAM("rw-downgrade-up", "all modes in one go, a reader, a writer",
            "write downgrade-up upgrade downgrade unlock | read unlock | write unlock",
            BOUND(3, 5)),
    PROGRAM("rw-up-downgrade", "upgradable to reading, another upgradable, a writer",
            "up downgrade unlock | up upgrade unlock | write unlock"),
    /* --- Time-outs -------------------------------------------------------------------------- */
    PROGRAM("rw-timed-writer", "a writer gives up in front of a reader",
            "read unlock | timed-write unlock | read unlock", TICKS(1)),
    PROGRAM("rw-timed-reader", "a reader gives up",
            "write unlock | timed-read unlock | write unlock", TICKS(1)),
    PROGRAM("rw-timed-writers", "a writer that was called gives up beside another",
            "write unlock | timed-write unlock | write unlock", TICKS(1)),
    PROGRAM("rw-timed-upgrade", "an upgrade gives up",
            "up timed-upgrade unlock-any | read unlock | write unlock", TICKS(1)),
    PROGRAM("rw-timed-up", "an upgradable reader gives up",
            "up upgrade unlock | timed-up unlock | read unlock", TICKS(1)),
    PROGRAM("rw-clock-step", "CLOCK_REALTIME is set while a writer has a deadline on it",
            "write unlock write unlock write unlock write unlock | real-write unlock",
            .budget = {.clock_steps = 1}),
    PROGRAM("rw-clock-step-reader", "the same beside a reader without a deadline",
            "write unlock write unlock write unlock write unlock | real-write unlock | read unlock",
            BOUND(2, 0), .budget = {.clock_steps = 1}),
    /* --- Preferences ------------------------------------------------------------------------ */
    PROGRAM("rw-readers-first", "readers, one of whom reads twice, and a writer",
            "read again unlock | read unlock | write unlock", KIND(READERS)),
    PROGRAM("rw-readers-writers", "a reader and two writers",
            "read again unlock | write unlock | write unlock", BOUND(3, 5), KIND(READERS)),
    PROGRAM("rw-readers-upgrade", "an upgrade among readers",
            "up upgrade unlock | read again unlock | write unlock", KIND(READERS)),
    PROGRAM("rw-readers-timed", "a writer gives up in a lock that prefers readers",
            "read unlock | timed-write unlock | write unlock", TICKS(1), KIND(READERS)),
    PROGRAM("rw-writers-first", "two writers and a reader",
            "write unlock | write unlock | read unlock", KIND(WRITERS)),
    PROGRAM("rw-writers-readers", "two readers and a writer",
            "read unlock | read unlock | write unlock", KIND(WRITERS)),
    PROGRAM("rw-writers-upgrade", "an upgrade, a reader, a writer",
            "up upgrade downgrade unlock | read unlock | write unlock", KIND(WRITERS)),
    PROGRAM("rw-writers-timed", "a writer gives up in a lock that prefers writers",
            "read unlock | timed-write unlock | read unlock", TICKS(1), KIND(WRITERS)),
    /* --- Surroundings ----------------------------------------------------------------------- */
    PROGRAM("rw-spurious", "spurious wakes and an EINTR",
            "write unlock | write unlock | read unlock", .budget = {.spurious = 1, .eintr = 1}),
    PROGRAM("rw-nap", "a writer that is called needlessly again and again",
            "write unlock write unlock write unlock write unlock | write unlock"),
    PROGRAM("rw-starving", "a writer loses for long and is handed the lock",
            "write unlock write unlock write unlock write unlock | write unlock", TICKS(1)),
    PROGRAM("rw-overdue", "a release that finds a call overdue",
            "write unlock write unlock | write unlock | read unlock", .budget = {.chances = 1},
            BOUND(3, 4)),
    PROGRAM("rw-fork", "somebody stood in line when the process was forked",
            "read unlock read unlock | write unlock", .generation = 1,
            WORDS(RW_CLOSED | RW_WAITERS, QUEUE_WRITER | QUEUE_SHARER)),
    PROGRAM("rw-fork-coming", "somebody was coming when the process was forked",
            "write unlock write unlock | read unlock", .generation = 1,
            WORDS(RW_CLOSED | RW_WAKING, QUEUE_WRITER | QUEUE_AWAKE)),
    /* --- Who runs: any answer, a dead page, the truth ----------------------------------------- */
    PROGRAM("rw-lies", "two writers, twice each; they ask who runs",
            "default-write unlock default-write unlock | default-write unlock default-write unlock",
            .assist = ASSIST_LIES),
    PROGRAM("rw-lies-reader", "a reader and two writers",
            "default-read unlock | default-write unlock | default-write unlock",
            .assist = ASSIST_LIES, BOUND(3, 4)),
    PROGRAM("rw-lies-timed", "a writer gives up",
            "default-write unlock | timed-write unlock | default-write unlock",
            .assist = ASSIST_LIES, TICKS(1), BOUND(2, 4)),
    PROGRAM("rw-all-run", "a dead page says that everybody runs",
            "default-read unlock | default-write unlock | default-write unlock",
            .assist = ASSIST_YES, BOUND(3, 4)),
    PROGRAM("rw-truth", "the truth, on one CPU",
            "default-write unlock default-write unlock | default-write unlock default-read unlock",
            .assist = ASSIST_TRUE, .cpus = 1, .time_passes = true),
    /* --- Real-time threads -------------------------------------------------------------------- */
    URGENT("rw-urgent", "writers, one more urgent than the other",
           "write unlock | write unlock | write unlock write unlock", .tasks = apart),
    URGENT("rw-urgent-reader", "the same and a reader",
           "write unlock | write unlock | write unlock | read unlock", .tasks = apart, BOUND(2, 4)),
    URGENT("rw-urgent-stale", "they find out how urgent they are before they sleep",
           "write unlock | write unlock | write unlock write unlock", .tasks = apart, STALE),
    URGENT("rw-urgent-comer", "one that was called has lost its CPU to one that runs on and on",
           "write unlock write unlock | write done unlock | turn spin | turn write unlock done",
           .tasks = beside),
    /* --- Lifetime --------------------------------------------------------------------------- */
    PROGRAM("rw-free", "a writer that comes last frees the lock",
            "read leave | write leave | read leave"),
    PROGRAM("rw-free-writers", "the same with two writers",
            "write leave | write leave | read leave"),
    PROGRAM("rw-free-upgrade", "the same with an upgrade",
            "up upgrade leave | read leave | write leave"),
    PROGRAM("rw-free-timed", "the same, and a writer gives up",
            "read leave | timed-write leave | write leave", TICKS(1)),
    PROGRAM("rw-storm", "nearly everything at once",
            "up upgrade downgrade unlock | timed-write unlock read unlock | default-read unlock "
            "write unlock",
            BOUND(2, 3), .budget = {.spurious = 1, .ticks = 1, .chances = 1}),
};

GROUP(rwlock, "rwlock");
