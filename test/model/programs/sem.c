/* SPDX-License-Identifier: MIT */
/* The programs for semaphores, events and wait-any; their scripts are explained in sem_script.h. */
#include "programs.h"
#include "sem_script.h"
#include "thread/permits_word.h"

#define PROGRAM(...) SCRIPTED(sem_hooks, __VA_ARGS__)
#define WITH(...) WITH_OPTIONS(sem_script, __VA_ARGS__)
/* No polling. */
#define SLEEPS .luck = 1000

static const struct model_program programs[] = {
    /* --- Waits and posts -------------------------------------------------------------------- */
    PROGRAM("sem-two", "wait wait | post post"),
    PROGRAM("sem-back", "post wait-t post wait-t | wait post-t wait post-t"),
    PROGRAM("sem-waiters", "wait | wait | post post"),
    PROGRAM("sem-posters", "wait wait | post | post"),
    PROGRAM("sem-post2", "wait | wait | post2"),
    PROGRAM("sem-post2-three", "wait | wait | wait | post2 post", BOUND(2, 3)),
    PROGRAM("sem-barger", "wait | try | post post", MAY_SLEEP,
            ABOUT("somebody takes units from under the waiter")),
    PROGRAM("sem-mutex", "wait post | wait post | wait post", BOUND(3, 4), WITH(.s = 1, .max = 1)),
    PROGRAM("sem-binary", "wait | post post | post", WITH(.max = 1), MAY_SLEEP),
    PROGRAM("sem-default", "default default | post post", TICKS(2),
            ABOUT("polls a little, then sleeps")),
    PROGRAM("sem-poll", "poll | wait | post post", BOUND(3, 4)),
    /* --- Disturbances ----------------------------------------------------------------------- */
    PROGRAM("sem-spurious", "wait | wait | post post", INTERRUPTED, BOUND(3, 4)),
    PROGRAM("sem-timed", "timed | wait | post", TICKS(1), MAY_SLEEP),
    PROGRAM("sem-timed-two", "timed | timed | post post", TICKS(2), BOUND(3, 4)),
    PROGRAM("sem-starving", "wait | try try | post post post", TICKS(2), BOUND(3, 4), MAY_SLEEP,
            ABOUT("a waiter that loses for long reserves a unit")),
    PROGRAM("sem-starving-two", "wait | wait | try | post post post",
            .budget = {.ticks = 2, .spurious = 1}, BOUND(2, 3), MAY_SLEEP),
    PROGRAM("sem-starving-timed", "timed | try try | post post post", TICKS(2), BOUND(3, 4),
            MAY_SLEEP),
    PROGRAM("sem-starving-late", "timed | wait | post try | post", TICKS(3), BOUND(1, 2), MAY_SLEEP,
            ABOUT("it gives up as its unit comes, beside a second waiter")),
    /* --- As the POSIX drop-in has it ---------------------------------------------------------- */
    PROGRAM("sem-posix", "posix | posix | post post", INTERRUPTED, BOUND(3, 4), WITH(SLEEPS),
            ABOUT("a spurious wake and a signal handler")),
    PROGRAM("sem-posix-cancel", "posix | wait | post", CANCELS(1), MAY_SLEEP, WITH(SLEEPS)),
    PROGRAM("sem-posix-cancel-two", "posix | wait | post post", CANCELS(1), BOUND(3, 4),
            WITH(SLEEPS)),
    PROGRAM("sem-posix-timed", "posix-timed | posix | post", MAY_SLEEP,
            .budget = {.ticks = 1, .cancels = 1}, BOUND(3, 4), WITH(SLEEPS),
            ABOUT("a waiter gives up, another is cancelled")),
    PROGRAM("sem-posix-starving", "posix | try try | post post post", MAY_SLEEP,
            .budget = {.ticks = 2, .cancels = 1}, BOUND(4, 5), WITH(SLEEPS),
            ABOUT("one with a reservation is cancelled")),
    PROGRAM("sem-posix-starving-two", "posix | wait | post try post try | post", MAY_SLEEP,
            .budget = {.ticks = 2, .cancels = 1}, BOUND(2, 3), WITH(SLEEPS)),
    PROGRAM("sem-posix-passed", "posix | post posix-try post posix-try post posix-try post",
            TICKS(2), BOUND(6, 8), WITH(SLEEPS, .may_pass = true),
            ABOUT("the poster takes a reserved unit itself")),
    PROGRAM("sem-fork", "wait wait | post post", .generation = 1,
            WITH(.s = 2 * PERMITS_WAITER | PERMITS_RESERVED | PERMITS_RECHECKING),
            ABOUT("waiters, wakes and a reservation of before a fork")),
    PROGRAM("sem-free", "wait free | post"),
    PROGRAM("sem-free-two", "wait wait free | post | post"),
    /* --- Events ----------------------------------------------------------------------------- */
    PROGRAM("event-manual", "pass | pass | set"),
    PROGRAM("event-manual-timed", "pass-timed | pass | set", TICKS(1)),
    PROGRAM("event-manual-reset", "pass | pass-timed | set reset set", TICKS(1),
            ABOUT("the door opens, closes, and opens again")),
    PROGRAM("event-manual-twice", "pass reset pass | set set", MAY_SLEEP,
            ABOUT("the same door, twice")),
    PROGRAM("event-auto", "pass | pass | set set", WITH(.automatic = true), MAY_SLEEP,
            ABOUT("each set lets one pass")),
    PROGRAM("event-auto-reset", "pass | reset reset | set set set", TICKS(2), BOUND(3, 4),
            MAY_SLEEP, WITH(.automatic = true),
            ABOUT("resets in between, and a waiter that loses for long")),
    PROGRAM("event-auto-starving", "pass | set reset | set reset | set", TICKS(2), BOUND(2, 3),
            MAY_SLEEP, WITH(.automatic = true),
            ABOUT("resets meet a waiter that reserves and re-checks")),
    PROGRAM("event-free", "pass free | set"),
    PROGRAM("event-auto-free", "pass free | set", WITH(.automatic = true)),
    /* --- Wait-any --------------------------------------------------------------------------- */
    PROGRAM("any-two", "any any | post post-t", TICKS(2), ABOUT("one of two is posted")),
    PROGRAM("any-waiter", "any | wait | wait-t | post post-t", TICKS(1), BOUND(1, 2), MAY_SLEEP,
            ABOUT("woken for both, beside a waiter of each")),
    PROGRAM("any-second", "any | wait-t | post post-t post-t", TICKS(2), BOUND(3, 4),
            ABOUT("woken for both, beside a waiter of the second")),
    PROGRAM("any-anys", "any | any | post-t post", TICKS(2), BOUND(2, 3)),
    PROGRAM("any-timed", "any-timed | wait-t | post-t post-t", TICKS(2), BOUND(3, 4),
            ABOUT("gives up beside a waiter of the second")),
    PROGRAM("any-event", "any-e | wait | set post post", TICKS(2), BOUND(3, 4),
            ABOUT("an event or a unit")),
    PROGRAM("any-event-auto", "any-e | pass | set post set", TICKS(2), BOUND(3, 4), MAY_SLEEP,
            WITH(.automatic = true)),
    PROGRAM("any-barger", "any | try | post post", TICKS(2), BOUND(3, 4), MAY_SLEEP,
            ABOUT("somebody takes units from under the chooser")),
    PROGRAM("any-spurious", "any any | post post-t",
            .budget = {.spurious = 1, .eintr = 1, .ticks = 2}),
    PROGRAM("any-dark", "any | wait-t | post-t post-t", TICKS(2), .old_kernel = true, BOUND(3, 4),
            ABOUT("the kernel cannot wait for several")),
};

GROUP(sem, "sem");
