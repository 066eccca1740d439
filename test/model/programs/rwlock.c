/* SPDX-License-Identifier: MIT */
/* The programs for the read-write lock; their scripts are explained in rwlock_script.h. */
#include "../cpus.h"
#include "programs.h"
#include "rwlock_script.h"
#include "thread/rwlock_word.h"

#define PROGRAM(called, what, n, ...)                                                            \
    {                                                                                            \
        .name = called, .about = what, .threads = n, .buckets = 1, .setup = rwlock_script_setup, \
        .thread = rwlock_script_thread, .finished = rwlock_check_finished,                       \
        .changed = rwlock_check_changed, .describe = rwlock_check_describe, __VA_ARGS__          \
    }
#define SCRIPT(...)                \
    &(const struct rwlock_script)  \
    {                              \
        .threads = { __VA_ARGS__ } \
    }
#define KIND_SCRIPT(preference, ...)                                    \
    &(const struct rwlock_script)                                       \
    {                                                                   \
        .threads = {__VA_ARGS__}, .kind = FW_RWLOCK_PREFER_##preference \
    }

#define WORD_SCRIPT(s, l, ...)                              \
    &(const struct rwlock_script)                           \
    {                                                       \
        .threads = {__VA_ARGS__}, .state = (s), .line = (l) \
    }

/* Each on a CPU of its own; and a holder, an ordinary one beside one that spins, an urgent one. */
static const struct model_task apart[] = {{0, 0}, {10, 1}, {20, 2}, {30, 3}};
static const struct model_task beside[] = {{5, 0}, {0, 1}, {10, 1}, {20, 2}};

#define URGENT(called, what, n, who, ...) \
    PROGRAM(called, what, n, .tasks = who, .assist = ASSIST_NO, .time_passes = true, __VA_ARGS__)

static const struct model_program programs[] = {
    /* --- Phase-fair ------------------------------------------------------------------------- */
    PROGRAM("rw", "a reader and a writer, twice each", 2,
            .arg = SCRIPT("read unlock read unlock", "write unlock write unlock")),
    PROGRAM("rw-writers", "two writers, twice each", 2,
            .arg = SCRIPT("write unlock write unlock", "write unlock write unlock")),
    PROGRAM("rw-two-readers", "two readers and a writer", 3,
            .arg = SCRIPT("read unlock", "read unlock", "write unlock")),
    PROGRAM("rw-readers-twice", "two readers, one of them twice, and a writer", 3, .preemptions = 3,
            .deep_preemptions = 5,
            .arg = SCRIPT("read unlock read unlock", "read unlock", "write unlock")),
    PROGRAM("rw-two-writers", "two writers and a reader", 3,
            .arg = SCRIPT("write unlock", "write unlock", "read unlock")),
    PROGRAM("rw-writer-twice", "two writers, one of them twice, and a reader", 3, .preemptions = 3,
            .deep_preemptions = 5,
            .arg = SCRIPT("write unlock write unlock", "write unlock", "read unlock")),
    PROGRAM("rw-four", "two readers and two writers", 4, .preemptions = 2, .deep_preemptions = 4,
            .arg = SCRIPT("read unlock", "read unlock", "write unlock", "write unlock")),
    PROGRAM("rw-three-readers", "three readers and a writer", 4, .preemptions = 2,
            .deep_preemptions = 4,
            .arg = SCRIPT("read unlock", "read unlock", "read unlock", "write unlock")),
    PROGRAM("rw-try", "whoever does not wait gets past nobody who does", 3,
            .arg = SCRIPT("read unlock try-read unlock-any", "write unlock",
                          "try-write unlock-any try-read unlock")),
    PROGRAM("rw-default", "the inline calls, with the default policy", 2, .budget = {.ticks = 1},
            .arg = SCRIPT("default-read unlock default-read unlock",
                          "default-write unlock default-write unlock")),
    PROGRAM("rw-spin", "a reader and a writer that never sleep beside a writer", 3,
            .budget = {.ticks = 1}, .preemptions = 3, .deep_preemptions = 4,
            .arg = SCRIPT("spin-read unlock", "spin-write unlock", "write unlock")),
    /* --- Upgrades and downgrades ------------------------------------------------------------ */
    PROGRAM("rw-upgrade", "an upgrade beside a reader", 2,
            .arg = SCRIPT("up upgrade unlock", "read unlock read unlock")),
    PROGRAM("rw-up", "an upgradable reader and a writer", 2,
            .arg = SCRIPT("up unlock up unlock", "write unlock write unlock-any")),
    PROGRAM("rw-upgrade-writer", "an upgrade, a reader, a writer", 3,
            .arg = SCRIPT("up upgrade unlock", "read unlock", "write unlock")),
    PROGRAM("rw-upgrades", "two that upgrade, and a reader", 3,
            .arg = SCRIPT("up upgrade unlock-any", "up upgrade unlock", "read unlock")),
    PROGRAM("rw-upgradable", "upgradable readers, readers, a writer", 4, .preemptions = 2,
            .deep_preemptions = 3,
            .arg = SCRIPT("up unlock", "up try-upgrade unlock-any", "read unlock", "write unlock")),
    PROGRAM("rw-downgrade", "downgrades beside a writer", 2,
            .arg = SCRIPT("write downgrade unlock", "write downgrade-up unlock")),
    PROGRAM("rw-downgrade-readers", "a downgrade, a reader, a writer", 3,
            .arg = SCRIPT("write downgrade unlock", "read unlock", "write unlock")),
    PROGRAM("rw-downgrade-up", "all modes in one go, a reader, a writer", 3, .preemptions = 3,
            .deep_preemptions = 5,
            .arg = SCRIPT("write downgrade-up upgrade downgrade unlock", "read unlock",
                          "write unlock")),
    PROGRAM("rw-up-downgrade", "upgradable to reading, another upgradable, a writer", 3,
            .arg = SCRIPT("up downgrade unlock", "up upgrade unlock", "write unlock")),
    /* --- Time-outs -------------------------------------------------------------------------- */
    PROGRAM("rw-timed-writer", "a writer gives up in front of a reader", 3, .budget = {.ticks = 1},
            .arg = SCRIPT("read unlock", "timed-write unlock", "read unlock")),
    PROGRAM("rw-timed-reader", "a reader gives up", 3, .budget = {.ticks = 1},
            .arg = SCRIPT("write unlock", "timed-read unlock", "write unlock")),
    PROGRAM("rw-timed-writers", "a writer that was called gives up beside another", 3,
            .budget = {.ticks = 1},
            .arg = SCRIPT("write unlock", "timed-write unlock", "write unlock")),
    PROGRAM("rw-timed-upgrade", "an upgrade gives up", 3, .budget = {.ticks = 1},
            .arg = SCRIPT("up timed-upgrade unlock-any", "read unlock", "write unlock")),
    PROGRAM("rw-timed-up", "an upgradable reader gives up", 3, .budget = {.ticks = 1},
            .arg = SCRIPT("up upgrade unlock", "timed-up unlock", "read unlock")),
    PROGRAM("rw-clock-step", "CLOCK_REALTIME is set while a writer has a deadline on it", 2,
            .budget = {.clock_steps = 1},
            .arg =
                SCRIPT("write unlock write unlock write unlock write unlock", "real-write unlock")),
    PROGRAM("rw-clock-step-reader", "the same beside a reader without a deadline", 3,
            .preemptions = 2, .budget = {.clock_steps = 1},
            .arg = SCRIPT("write unlock write unlock write unlock write unlock",
                          "real-write unlock", "read unlock")),
    /* --- Preferences ------------------------------------------------------------------------ */
    PROGRAM("rw-readers-first", "readers, one of whom reads twice, and a writer", 3,
            .arg = KIND_SCRIPT(READERS, "read again unlock", "read unlock", "write unlock")),
    PROGRAM("rw-readers-writers", "a reader and two writers", 3, .preemptions = 3,
            .deep_preemptions = 5,
            .arg = KIND_SCRIPT(READERS, "read again unlock", "write unlock", "write unlock")),
    PROGRAM("rw-readers-upgrade", "an upgrade among readers", 3,
            .arg = KIND_SCRIPT(READERS, "up upgrade unlock", "read again unlock", "write unlock")),
    PROGRAM("rw-readers-timed", "a writer gives up in a lock that prefers readers", 3,
            .budget = {.ticks = 1},
            .arg = KIND_SCRIPT(READERS, "read unlock", "timed-write unlock", "write unlock")),
    PROGRAM("rw-writers-first", "two writers and a reader", 3,
            .arg = KIND_SCRIPT(WRITERS, "write unlock", "write unlock", "read unlock")),
    PROGRAM("rw-writers-readers", "two readers and a writer", 3,
            .arg = KIND_SCRIPT(WRITERS, "read unlock", "read unlock", "write unlock")),
    PROGRAM("rw-writers-upgrade", "an upgrade, a reader, a writer", 3,
            .arg =
                KIND_SCRIPT(WRITERS, "up upgrade downgrade unlock", "read unlock", "write unlock")),
    PROGRAM("rw-writers-timed", "a writer gives up in a lock that prefers writers", 3,
            .budget = {.ticks = 1},
            .arg = KIND_SCRIPT(WRITERS, "read unlock", "timed-write unlock", "read unlock")),
    /* --- Surroundings ----------------------------------------------------------------------- */
    PROGRAM("rw-spurious", "spurious wakes and an EINTR", 3, .budget = {.spurious = 1, .eintr = 1},
            .arg = SCRIPT("write unlock", "write unlock", "read unlock")),
    PROGRAM("rw-nap", "a writer that is called needlessly again and again", 2,
            .arg = SCRIPT("write unlock write unlock write unlock write unlock", "write unlock")),
    PROGRAM("rw-starving", "a writer loses for long and is handed the lock", 2,
            .budget = {.ticks = 1},
            .arg = SCRIPT("write unlock write unlock write unlock write unlock", "write unlock")),
    PROGRAM("rw-overdue", "a release that finds a call overdue", 3, .budget = {.chances = 1},
            .preemptions = 3, .deep_preemptions = 4,
            .arg = SCRIPT("write unlock write unlock", "write unlock", "read unlock")),
    PROGRAM("rw-fork", "somebody stood in line when the process was forked", 2, .generation = 1,
            .arg = WORD_SCRIPT(RW_CLOSED | RW_WAITERS, QUEUE_WRITER | QUEUE_SHARER,
                               "read unlock read unlock", "write unlock")),
    PROGRAM("rw-fork-coming", "somebody was coming when the process was forked", 2, .generation = 1,
            .arg = WORD_SCRIPT(RW_CLOSED | RW_WAKING, QUEUE_WRITER | QUEUE_AWAKE,
                               "write unlock write unlock", "read unlock")),
    /* --- Who runs: any answer, a dead page, the truth ----------------------------------------- */
    PROGRAM("rw-lies", "two writers, twice each; they ask who runs", 2, .assist = ASSIST_LIES,
            .arg = SCRIPT("default-write unlock default-write unlock",
                          "default-write unlock default-write unlock")),
    PROGRAM("rw-lies-reader", "a reader and two writers", 3, .assist = ASSIST_LIES,
            .preemptions = 3, .deep_preemptions = 4,
            .arg = SCRIPT("default-read unlock", "default-write unlock", "default-write unlock")),
    PROGRAM("rw-lies-timed", "a writer gives up", 3, .assist = ASSIST_LIES, .budget = {.ticks = 1},
            .preemptions = 2, .deep_preemptions = 4,
            .arg = SCRIPT("default-write unlock", "timed-write unlock", "default-write unlock")),
    PROGRAM("rw-all-run", "a dead page says that everybody runs", 3, .assist = ASSIST_YES,
            .preemptions = 3, .deep_preemptions = 4,
            .arg = SCRIPT("default-read unlock", "default-write unlock", "default-write unlock")),
    PROGRAM("rw-truth", "the truth, on one CPU", 2, .assist = ASSIST_TRUE, .cpus = 1,
            .time_passes = true,
            .arg = SCRIPT("default-write unlock default-write unlock",
                          "default-write unlock default-read unlock")),
    /* --- Real-time threads -------------------------------------------------------------------- */
    URGENT("rw-urgent", "writers, one more urgent than the other", 3, apart,
           .arg = SCRIPT("write unlock", "write unlock", "write unlock write unlock")),
    URGENT("rw-urgent-reader", "the same and a reader", 4, apart, .preemptions = 2,
           .deep_preemptions = 4,
           .arg = SCRIPT("write unlock", "write unlock", "write unlock", "read unlock")),
    URGENT("rw-urgent-stale", "they find out how urgent they are before they sleep", 3, apart,
           .arg = &(const struct rwlock_script){.threads = {"write unlock", "write unlock",
                                                            "write unlock write unlock"},
                                                .is_stale = true}),
    URGENT("rw-urgent-comer", "one that was called has lost its CPU to one that runs on and on", 4,
           beside,
           .arg = SCRIPT("write unlock write unlock", "write done unlock", "turn spin",
                         "turn write unlock done")),
    /* --- Lifetime --------------------------------------------------------------------------- */
    PROGRAM("rw-free", "a writer that comes last frees the lock", 3,
            .arg = SCRIPT("read leave", "write leave", "read leave")),
    PROGRAM("rw-free-writers", "the same with two writers", 3,
            .arg = SCRIPT("write leave", "write leave", "read leave")),
    PROGRAM("rw-free-upgrade", "the same with an upgrade", 3,
            .arg = SCRIPT("up upgrade leave", "read leave", "write leave")),
    PROGRAM("rw-free-timed", "the same, and a writer gives up", 3, .budget = {.ticks = 1},
            .arg = SCRIPT("read leave", "timed-write leave", "write leave")),
    PROGRAM("rw-storm", "nearly everything at once", 3, .preemptions = 2, .deep_preemptions = 3,
            .budget = {.spurious = 1, .ticks = 1, .chances = 1},
            .arg = SCRIPT("up upgrade downgrade unlock", "timed-write unlock read unlock",
                          "default-read unlock write unlock")),
};

const struct program_group rwlock_programs = {"rwlock", programs,
                                              sizeof programs / sizeof *programs};
