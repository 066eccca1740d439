/* SPDX-License-Identifier: MIT */
/*
 * The programs for the generic atomics: their lock, objects under an optimistic load, and what a
 * fork leaves.  The words: atomic_script.h.
 */
#include "atomic_script.h"
#include "programs.h"
#include "word_lock.h"

#define PROGRAM(called, what, n, ...)                                                       \
    {                                                                                       \
        .name = called, .about = what, .threads = n, .setup = atomic_script_setup,          \
        .thread = atomic_script_thread, .changed = atomic_script_changed,                   \
        .finished = atomic_script_finished, .describe = atomic_script_describe, __VA_ARGS__ \
    }

/* Each thread's words; and other fields of a script. */
#define SCRIPT(...) SCRIPT_WITH((__VA_ARGS__), .size = 0)
#define WORDS(...) __VA_ARGS__
#define SCRIPT_WITH(words, ...)                            \
    .arg = &(const struct atomic_script)                   \
    {                                                      \
        .threads = {.threads = {WORDS words}}, __VA_ARGS__ \
    }
#define AT_MOST(n) .preemptions = (n), .deep_preemptions = (n) + 1

/* What a thread that is not in the child was doing. */
#define LEFT (FW_WORD_LOCK_HELD_ | FW_WORD_LOCK_WAKING_ | 2 * FW_WORD_LOCK_SLEEPER_)

static const struct model_program programs[] = {
    PROGRAM("atomic-lock", "two, twice each", 2, SCRIPT("lock lock", "lock lock")),
    PROGRAM("atomic-lock-three", "three", 3, SCRIPT("lock", "lock", "lock")),
    PROGRAM("atomic-lock-twice", "three, one of them twice", 3,
            SCRIPT("lock lock", "lock", "lock")),
    PROGRAM("atomic-lock-four", "four", 4, AT_MOST(2), SCRIPT("lock", "lock", "lock", "lock")),
    PROGRAM("atomic-lock-try", "one that only tries", 3, SCRIPT("try try", "lock", "lock")),
    PROGRAM("atomic-lock-spin", "they look once before they sleep", 3,
            SCRIPT_WITH(("lock", "lock", "lock"), .lock_looks = 1)),
    PROGRAM("atomic-lock-spurious", "spurious wakes and an EINTR", 3, AT_MOST(3),
            .budget = {.spurious = 2, .eintr = 1}, SCRIPT("lock", "lock", "lock")),

    PROGRAM("atomic-load", "a reader and a writer, twice each", 2,
            SCRIPT("store store", "load load")),
    PROGRAM("atomic-load-again", "a reader that tries three times", 2,
            SCRIPT_WITH(("store store", "load"), .load_looks = 3)),
    PROGRAM("atomic-load-ragged", "two words and a byte", 2,
            SCRIPT_WITH(("store store", "load load"), .size = 17)),
    PROGRAM("atomic-load-three", "three words", 2,
            SCRIPT_WITH(("store store", "load load"), .size = 24)),
    PROGRAM("atomic-load-four", "four words", 2, SCRIPT_WITH(("store store", "load"), .size = 32)),
    PROGRAM("atomic-load-long", "a writer that was alone before", 2,
            SCRIPT_WITH(("store store", "load load"), .long_way = true)),
    PROGRAM("atomic-load-writers", "two writers and a reader", 3, AT_MOST(3),
            SCRIPT("store", "store", "load")),
    PROGRAM("atomic-load-readers", "two readers, twice each, and a writer", 3, AT_MOST(3),
            SCRIPT("store", "load load", "load load")),
    PROGRAM("atomic-neighbours", "another object has the same stripe", 3, AT_MOST(2),
            SCRIPT_WITH(("store", "store-y", "load load-y"), .shares = true)),
    PROGRAM("atomic-swap", "two exchange, twice each", 2, SCRIPT("swap swap", "swap swap")),
    PROGRAM("atomic-swap-ragged", "two words and a byte", 2,
            SCRIPT_WITH(("swap swap", "swap load"), .size = 17)),
    PROGRAM("atomic-swap-three-words", "three words", 2,
            SCRIPT_WITH(("swap swap", "swap load"), .size = 24)),
    PROGRAM("atomic-swap-long", "two that were alone before", 2,
            SCRIPT_WITH(("swap swap", "swap load"), .long_way = true)),
    PROGRAM("atomic-swap-three", "three exchange", 3, AT_MOST(3), SCRIPT("swap", "swap", "swap")),
    PROGRAM("atomic-swap-load", "two exchange, one reads", 3, AT_MOST(3),
            SCRIPT("swap", "swap", "load")),
    PROGRAM("atomic-count", "two count", 2, SCRIPT("count count", "count")),
    PROGRAM("atomic-rush", "two count, and give way or not", 2, .budget = {.chances = 2},
            SCRIPT("count", "count")),
    PROGRAM("atomic-count-three", "three count", 3, AT_MOST(1), SCRIPT("count", "count", "count")),
    PROGRAM("atomic-cas", "two compare-exchange, one stores", 3, AT_MOST(1),
            SCRIPT("cas cas", "cas", "store")),
    PROGRAM("atomic-cas-ragged", "two words and a byte", 2,
            SCRIPT_WITH(("cas cas", "store"), .size = 17)),
    PROGRAM("atomic-cas-three-words", "three words", 2,
            SCRIPT_WITH(("cas cas", "store"), .size = 24)),
    PROGRAM("atomic-cas-long", "two that were alone before", 2,
            SCRIPT_WITH(("cas cas", "store"), .long_way = true)),
    PROGRAM("atomic-stale", "one that must fail beside a writer", 2,
            SCRIPT("stale stale", "store store")),
    PROGRAM("atomic-stale-three", "the same beside two", 3, AT_MOST(2),
            SCRIPT("stale", "store", "store")),
    PROGRAM("atomic-spurious", "a spurious wake and an EINTR", 3, AT_MOST(2),
            .budget = {.spurious = 1, .eintr = 1}, SCRIPT("store", "cas", "load")),

    PROGRAM("atomic-buffers", "store buffering by two objects", 2,
            SCRIPT_WITH(("store load-y", "store-y load"), .buffers = true)),
    PROGRAM("atomic-buffers-word", "store buffering by an object and a word", 2,
            SCRIPT_WITH(("store-y flag-load", "flag-sc load-y"), .buffers = true)),
    PROGRAM("atomic-message", "a word, then an object", 2, SCRIPT("flag store", "look look")),
    PROGRAM("atomic-message-back", "an object, then a word", 2,
            SCRIPT("store flag", "look-back look-back")),
    PROGRAM("atomic-free", "who has seen the last value frees it", 2,
            SCRIPT("store", "await free")),
    PROGRAM("atomic-free-cas", "the same after a compare-exchange", 2, SCRIPT("cas", "await free")),
    PROGRAM("atomic-alone", "everything, by the only thread", 1,
            SCRIPT_WITH(("load store load swap stale count lock try load"), .is_alone = true)),

    PROGRAM("atomic-fork", "a child after threads that were at it", 2, AT_MOST(3),
            SCRIPT_WITH(("child open store load lock", "await-open load count"), .word = LEFT,
                        .sequence = 7, .forks = true)),
    PROGRAM("atomic-fork-signal", "a signal handler forks during an operation", 1,
            .budget = {.signals = 1}, .handler = atomic_script_handler,
            SCRIPT_WITH(("store load swap count load"), .forks = true)),
    PROGRAM("atomic-fork-waiting", "a signal handler forks while the lock is waited for", 1,
            .budget = {.signals = 1}, .handler = atomic_script_handler, .leaves_asleep = true,
            SCRIPT_WITH(("store count lock"), .word = FW_WORD_LOCK_HELD_ | 2, .forks = true)),
};

const struct program_group atomic_programs = {"atomic", programs,
                                              sizeof programs / sizeof *programs};
