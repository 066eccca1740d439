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
    PROGRAM("atomic-lock", "lock lock | lock lock"),
    PROGRAM("atomic-lock-three", "lock | lock | lock"),
    PROGRAM("atomic-lock-twice", "lock lock | lock | lock"),
    PROGRAM("atomic-lock-four", "lock | lock | lock | lock", BOUND(2, 3)),
    PROGRAM("atomic-lock-try", "try try | lock | lock", ABOUT("one that only tries")),
    PROGRAM("atomic-lock-spin", "lock | lock | lock", WITH(.lock_looks = 1),
            ABOUT("they look once before they sleep")),
    PROGRAM("atomic-lock-spurious", "lock | lock | lock", BOUND(3, 4),
            .budget = {.spurious = 2, .eintr = 1}),

    PROGRAM("atomic-load", "store store | load load"),
    PROGRAM("atomic-load-again", "store store | load", WITH(.load_looks = 3),
            ABOUT("a reader that tries three times")),
    PROGRAM("atomic-load-ragged", "store store | load load", WITH(.size = 17)),
    PROGRAM("atomic-load-three", "store store | load load", WITH(.size = 24)),
    PROGRAM("atomic-load-four", "store store | load", WITH(.size = 32)),
    PROGRAM("atomic-load-long", "store store | load load", WITH(.long_way = true),
            ABOUT("a writer that was alone before")),
    PROGRAM("atomic-load-writers", "store | store | load", BOUND(3, 4)),
    PROGRAM("atomic-load-readers", "store | load load | load load", BOUND(3, 4)),
    PROGRAM("atomic-neighbours", "store | store-y | load load-y", BOUND(2, 3),
            WITH(.shares = true)),
    PROGRAM("atomic-swap", "swap swap | swap swap"),
    PROGRAM("atomic-swap-ragged", "swap swap | swap load", WITH(.size = 17)),
    PROGRAM("atomic-swap-three-words", "swap swap | swap load", WITH(.size = 24)),
    PROGRAM("atomic-swap-long", "swap swap | swap load", WITH(.long_way = true),
            ABOUT("two that were alone before")),
    PROGRAM("atomic-swap-three", "swap | swap | swap", BOUND(3, 4)),
    PROGRAM("atomic-swap-load", "swap | swap | load", BOUND(3, 4)),
    PROGRAM("atomic-count", "count count | count"),
    PROGRAM("atomic-contended", "count | count", .budget = {.chances = 2},
            ABOUT("two count, and give way or not")),
    PROGRAM("atomic-count-three", "count | count | count", BOUND(1, 2)),
    PROGRAM("atomic-cas", "cas cas | cas | store", BOUND(1, 2)),
    PROGRAM("atomic-cas-ragged", "cas cas | store", WITH(.size = 17)),
    PROGRAM("atomic-cas-three-words", "cas cas | store", WITH(.size = 24)),
    PROGRAM("atomic-cas-long", "cas cas | store", WITH(.long_way = true),
            ABOUT("two that were alone before")),
    PROGRAM("atomic-stale", "stale stale | store store",
            ABOUT("one that must fail beside a writer")),
    PROGRAM("atomic-stale-three", "stale | store | store", BOUND(2, 3)),
    PROGRAM("atomic-spurious", "store | cas | load", BOUND(2, 3), INTERRUPTED),

    PROGRAM("atomic-buffers", "store load-y | store-y load", WITH(.buffers = true),
            ABOUT("store buffering by two objects")),
    PROGRAM("atomic-buffers-word", "store-y flag-load | flag-sc load-y", WITH(.buffers = true),
            ABOUT("store buffering by an object and a word")),
    PROGRAM("atomic-message", "flag store | look look", ABOUT("a word, then an object")),
    PROGRAM("atomic-message-back", "store flag | look-back look-back",
            ABOUT("an object, then a word")),
    PROGRAM("atomic-free", "store | await free", ABOUT("who has seen the last value frees it")),
    PROGRAM("atomic-free-cas", "cas | await free", ABOUT("the same after a compare-exchange")),
    PROGRAM("atomic-alone", "load store load swap stale count lock try load",
            WITH(.is_alone = true)),

    PROGRAM("atomic-fork", "child open store load lock | await-open load count", BOUND(3, 4),
            WITH(.word = LEFT, .sequence = 7, .forks = true),
            ABOUT("a child after threads that were at it")),
    PROGRAM("atomic-fork-signal", "store load swap count load", .budget = {.signals = 1},
            WITH(.forks = true), ABOUT("a signal handler forks during an operation")),
    PROGRAM("atomic-fork-waiting", "store count lock", .budget = {.signals = 1}, MAY_SLEEP,
            WITH(.word = FW_WORD_LOCK_HELD_ | 2, .forks = true),
            ABOUT("a signal handler forks while the lock is waited for")),
};

GROUP(atomic, "atomic");
