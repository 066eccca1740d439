/* SPDX-License-Identifier: MIT */
/*
 * The programs for the generic atomics: their lock, objects under an optimistic load, and what a
 * fork leaves.  The words: atomic_script.h.
 */
#include "atomic_script.h"
#include "programs.h"
#include "word_lock.h"

#define PROGRAM(...) SCRIPTED(atomic_hooks, __VA_ARGS__)
#define WITH(...) WITH_OPTIONS(atomic_script, __VA_ARGS__)

/* What a thread that is not in the child was doing. */
#define LEFT (FW_WORD_LOCK_HELD_ | FW_WORD_LOCK_WAKING_ | 2 * FW_WORD_LOCK_SLEEPER_)

static const struct model_program programs[] = {
    PROGRAM("atomic-lock", "two, twice each", "lock lock | lock lock"),
    PROGRAM("atomic-lock-three", "three", "lock | lock | lock"),
    PROGRAM("atomic-lock-twice", "three, one of them twice", "lock lock | lock | lock"),
    PROGRAM("atomic-lock-four", "four", "lock | lock | lock | lock", BOUND(2, 3)),
    PROGRAM("atomic-lock-try", "one that only tries", "try try | lock | lock"),
    PROGRAM("atomic-lock-spin", "they look once before they sleep", "lock | lock | lock",
            WITH(.lock_looks = 1)),
    PROGRAM("atomic-lock-spurious", "spurious wakes and an EINTR", "lock | lock | lock",
            BOUND(3, 4), .budget = {.spurious = 2, .eintr = 1}),

    PROGRAM("atomic-load", "a reader and a writer, twice each", "store store | load load"),
    PROGRAM("atomic-load-again", "a reader that tries three times", "store store | load",
            WITH(.load_looks = 3)),
    PROGRAM("atomic-load-ragged", "two words and a byte", "store store | load load",
            WITH(.size = 17)),
    PROGRAM("atomic-load-three", "three words", "store store | load load", WITH(.size = 24)),
    PROGRAM("atomic-load-four", "four words", "store store | load", WITH(.size = 32)),
    PROGRAM("atomic-load-long", "a writer that was alone before", "store store | load load",
            WITH(.long_way = true)),
    PROGRAM("atomic-load-writers", "two writers and a reader", "store | store | load", BOUND(3, 4)),
    PROGRAM("atomic-load-readers", "two readers, twice each, and a writer",
            "store | load load | load load", BOUND(3, 4)),
    PROGRAM("atomic-neighbours", "another object has the same stripe",
            "store | store-y | load load-y", BOUND(2, 3), WITH(.shares = true)),
    PROGRAM("atomic-swap", "two exchange, twice each", "swap swap | swap swap"),
    PROGRAM("atomic-swap-ragged", "two words and a byte", "swap swap | swap load",
            WITH(.size = 17)),
    PROGRAM("atomic-swap-three-words", "three words", "swap swap | swap load", WITH(.size = 24)),
    PROGRAM("atomic-swap-long", "two that were alone before", "swap swap | swap load",
            WITH(.long_way = true)),
    PROGRAM("atomic-swap-three", "three exchange", "swap | swap | swap", BOUND(3, 4)),
    PROGRAM("atomic-swap-load", "two exchange, one reads", "swap | swap | load", BOUND(3, 4)),
    PROGRAM("atomic-count", "two count", "count count | count"),
    PROGRAM("atomic-rush", "two count, and give way or not", "count | count",
            .budget = {.chances = 2}),
    PROGRAM("atomic-count-three", "three count", "count | count | count", BOUND(1, 2)),
    PROGRAM("atomic-cas", "two compare-exchange, one stores", "cas cas | cas | store", BOUND(1, 2)),
    PROGRAM("atomic-cas-ragged", "two words and a byte", "cas cas | store", WITH(.size = 17)),
    PROGRAM("atomic-cas-three-words", "three words", "cas cas | store", WITH(.size = 24)),
    PROGRAM("atomic-cas-long", "two that were alone before", "cas cas | store",
            WITH(.long_way = true)),
    PROGRAM("atomic-stale", "one that must fail beside a writer", "stale stale | store store"),
    PROGRAM("atomic-stale-three", "the same beside two", "stale | store | store", BOUND(2, 3)),
    PROGRAM("atomic-spurious", "a spurious wake and an EINTR", "store | cas | load", BOUND(2, 3),
            .budget = {.spurious = 1, .eintr = 1}),

    PROGRAM("atomic-buffers", "store buffering by two objects", "store load-y | store-y load",
            WITH(.buffers = true)),
    PROGRAM("atomic-buffers-word", "store buffering by an object and a word",
            "store-y flag-load | flag-sc load-y", WITH(.buffers = true)),
    PROGRAM("atomic-message", "a word, then an object", "flag store | look look"),
    PROGRAM("atomic-message-back", "an object, then a word", "store flag | look-back look-back"),
    PROGRAM("atomic-free", "who has seen the last value frees it", "store | await free"),
    PROGRAM("atomic-free-cas", "the same after a compare-exchange", "cas | await free"),
    PROGRAM("atomic-alone", "everything, by the only thread",
            "load store load swap stale count lock try load", WITH(.is_alone = true)),

    PROGRAM("atomic-fork", "a child after threads that were at it",
            "child open store load lock | await-open load count", BOUND(3, 4),
            WITH(.word = LEFT, .sequence = 7, .forks = true)),
    PROGRAM("atomic-fork-signal", "a signal handler forks during an operation",
            "store load swap count load", .budget = {.signals = 1}, WITH(.forks = true)),
    PROGRAM("atomic-fork-waiting", "a signal handler forks while the lock is waited for",
            "store count lock", .budget = {.signals = 1}, MAY_SLEEP,
            WITH(.word = FW_WORD_LOCK_HELD_ | 2, .forks = true)),
};

GROUP(atomic, "atomic");
