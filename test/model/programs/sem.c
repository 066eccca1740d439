/* SPDX-License-Identifier: MIT */
/* The programs for semaphores, events and wait-any; their scripts are explained in sem_script.h. */
#include "programs.h"
#include "sem_script.h"
#include "thread/permits_word.h"

#define PROGRAM(called, what, n, ...)                                               \
    {                                                                               \
        .name = called, .about = what, .threads = n, .setup = sem_script_setup,     \
        .thread = sem_script_thread, .finished = sem_script_finished,               \
        .changed = sem_script_changed, .describe = sem_script_describe, __VA_ARGS__ \
    }
#define SCRIPT(...)                \
    &(const struct sem_script)     \
    {                              \
        .threads = { __VA_ARGS__ } \
    }
#define SCRIPT_WITH(options, ...)         \
    &(const struct sem_script)            \
    {                                     \
        .threads = {__VA_ARGS__}, options \
    }

/* Waits that may find nothing: who sleeps in the end must not have been to be woken. */
#define COMMA ,
#define MAY_SLEEP .leaves_asleep = true

/* No polling. */
#define SLEEPS .luck = 1000

static const struct model_program programs[] = {
    /* --- Waits and posts -------------------------------------------------------------------- */
    PROGRAM("sem-two", "a waiter and a poster, twice", 2, .arg = SCRIPT("wait wait", "post post")),
    PROGRAM("sem-back", "hand back and forth", 2,
            .arg = SCRIPT("post wait-t post wait-t", "wait post-t wait post-t")),
    PROGRAM("sem-waiters", "two waiters, two posts", 3, .arg = SCRIPT("wait", "wait", "post post")),
    PROGRAM("sem-posters", "two posters, one waits twice", 3,
            .arg = SCRIPT("wait wait", "post", "post")),
    PROGRAM("sem-post2", "two waiters, a post of two", 3, .arg = SCRIPT("wait", "wait", "post2")),
    PROGRAM("sem-post2-three", "three waiters, a post of two and one of one", 4, .preemptions = 2,
            .deep_preemptions = 3, .arg = SCRIPT("wait", "wait", "wait", "post2 post")),
    PROGRAM("sem-barger", "somebody takes units from under the waiter", 3,
            .arg = SCRIPT("wait", "try", "post post"), MAY_SLEEP),
    PROGRAM("sem-mutex", "as a mutex, three threads", 3, .preemptions = 3, .deep_preemptions = 4,
            .arg = SCRIPT_WITH(.s = 1 COMMA.max = 1, "wait post", "wait post", "wait post")),
    PROGRAM("sem-binary", "posts beyond the maximum", 3,
            .arg = SCRIPT_WITH(.max = 1, "wait", "post post", "post"), MAY_SLEEP),
    PROGRAM("sem-default", "polls a little, then sleeps", 2, .budget = {.ticks = 2},
            .arg = SCRIPT("default default", "post post")),
    PROGRAM("sem-poll", "one that never sleeps, beside a sleeper", 3, .preemptions = 3,
            .deep_preemptions = 4, .arg = SCRIPT("poll", "wait", "post post")),
    /* --- Disturbances ----------------------------------------------------------------------- */
    PROGRAM("sem-spurious", "a spurious wake and an EINTR", 3,
            .budget = {.spurious = 1, .eintr = 1}, .preemptions = 3, .deep_preemptions = 4,
            .arg = SCRIPT("wait", "wait", "post post")),
    PROGRAM("sem-timed", "a waiter gives up beside another", 3, .budget = {.ticks = 1}, MAY_SLEEP,
            .arg = SCRIPT("timed", "wait", "post")),
    PROGRAM("sem-timed-two", "both give up", 3, .budget = {.ticks = 2}, .preemptions = 3,
            .deep_preemptions = 4, .arg = SCRIPT("timed", "timed", "post post")),
    PROGRAM("sem-starving", "a waiter that loses for long reserves a unit", 3,
            .budget = {.ticks = 2}, .preemptions = 3, .deep_preemptions = 4, MAY_SLEEP,
            .arg = SCRIPT("wait", "try try", "post post post")),
    PROGRAM("sem-starving-two", "the same beside a second waiter", 4,
            .budget = {.ticks = 2, .spurious = 1}, .preemptions = 2, .deep_preemptions = 3,
            MAY_SLEEP, .arg = SCRIPT("wait", "wait", "try", "post post post")),
    PROGRAM("sem-starving-timed", "the same, and it gives up", 3, .budget = {.ticks = 2},
            .preemptions = 3, .deep_preemptions = 4, MAY_SLEEP,
            .arg = SCRIPT("timed", "try try", "post post post")),
    PROGRAM("sem-starving-late", "it gives up as its unit comes, beside a second waiter", 4,
            .budget = {.ticks = 3}, .preemptions = 1, .deep_preemptions = 2, MAY_SLEEP,
            .arg = SCRIPT("timed", "wait", "post try", "post")),
    /* --- As the POSIX drop-in has it ---------------------------------------------------------- */
    PROGRAM("sem-posix", "a spurious wake and a signal handler", 3,
            .budget = {.spurious = 1, .eintr = 1}, .preemptions = 3, .deep_preemptions = 4,
            .arg = SCRIPT_WITH(SLEEPS, "posix", "posix", "post post")),
    PROGRAM("sem-posix-cancel", "a waiter is cancelled beside another", 3, .budget = {.cancels = 1},
            MAY_SLEEP, .arg = SCRIPT_WITH(SLEEPS, "posix", "wait", "post")),
    PROGRAM("sem-posix-cancel-two", "the same with a unit for each", 3, .budget = {.cancels = 1},
            .preemptions = 3, .deep_preemptions = 4,
            .arg = SCRIPT_WITH(SLEEPS, "posix", "wait", "post post")),
    PROGRAM("sem-posix-timed", "a waiter gives up, another is cancelled", 3, MAY_SLEEP,
            .budget = {.ticks = 1, .cancels = 1}, .preemptions = 3, .deep_preemptions = 4,
            .arg = SCRIPT_WITH(SLEEPS, "posix-timed", "posix", "post")),
    PROGRAM("sem-posix-starving", "one with a reservation is cancelled", 3, MAY_SLEEP,
            .budget = {.ticks = 2, .cancels = 1}, .preemptions = 4, .deep_preemptions = 5,
            .arg = SCRIPT_WITH(SLEEPS, "posix", "try try", "post post post")),
    PROGRAM("sem-posix-starving-two", "the same beside a second waiter", 4, MAY_SLEEP,
            .budget = {.ticks = 2, .cancels = 1}, .preemptions = 2, .deep_preemptions = 3,
            .arg = SCRIPT_WITH(SLEEPS, "posix", "wait", "post try post try", "post")),
    PROGRAM("sem-posix-passed", "the poster takes a reserved unit itself", 2,
            .budget = {.ticks = 2}, .preemptions = 6, .deep_preemptions = 8,
            .arg = SCRIPT_WITH(SLEEPS COMMA.may_pass = true, "posix",
                               "post posix-try post posix-try post posix-try post")),
    PROGRAM("sem-fork", "waiters, wakes and a reservation of before a fork", 2, .generation = 1,
            .arg = SCRIPT_WITH(.s = 2 * PERMITS_WAITER | PERMITS_RESERVED | PERMITS_RECHECKING,
                               "wait wait", "post post")),
    PROGRAM("sem-free", "the waiter frees the semaphore", 2, .arg = SCRIPT("wait free", "post")),
    PROGRAM("sem-free-two", "the same after two posts", 3,
            .arg = SCRIPT("wait wait free", "post", "post")),
    /* --- Events ----------------------------------------------------------------------------- */
    PROGRAM("event-manual", "two pass a door", 3, .arg = SCRIPT("pass", "pass", "set")),
    PROGRAM("event-manual-timed", "one of the two gives up", 3, .budget = {.ticks = 1},
            .arg = SCRIPT("pass-timed", "pass", "set")),
    PROGRAM("event-manual-reset", "the door opens, closes, and opens again", 3,
            .budget = {.ticks = 1}, .arg = SCRIPT("pass", "pass-timed", "set reset set")),
    PROGRAM("event-manual-twice", "the same door, twice", 2,
            .arg = SCRIPT("pass reset pass", "set set"), MAY_SLEEP),
    PROGRAM("event-auto", "each set lets one pass", 3,
            .arg = SCRIPT_WITH(.automatic = true, "pass", "pass", "set set"), MAY_SLEEP),
    PROGRAM("event-auto-reset", "resets in between, and a waiter that loses for long", 3,
            .budget = {.ticks = 2}, .preemptions = 3, .deep_preemptions = 4, MAY_SLEEP,
            .arg = SCRIPT_WITH(.automatic = true, "pass", "reset reset", "set set set")),
    PROGRAM("event-auto-starving", "resets meet a waiter that reserves and re-checks", 4,
            .budget = {.ticks = 2}, .preemptions = 2, .deep_preemptions = 3, MAY_SLEEP,
            .arg = SCRIPT_WITH(.automatic = true, "pass", "set reset", "set reset", "set")),
    PROGRAM("event-free", "who passes frees the event", 2, .arg = SCRIPT("pass free", "set")),
    PROGRAM("event-auto-free", "the same with an automatic event", 2,
            .arg = SCRIPT_WITH(.automatic = true, "pass free", "set")),
    /* --- Wait-any --------------------------------------------------------------------------- */
    PROGRAM("any-two", "one of two is posted", 2, .budget = {.ticks = 2},
            .arg = SCRIPT("any any", "post post-t")),
    PROGRAM("any-waiter", "woken for both, beside a waiter of each", 4, .budget = {.ticks = 1},
            .preemptions = 1, .deep_preemptions = 2, MAY_SLEEP,
            .arg = SCRIPT("any", "wait", "wait-t", "post post-t")),
    PROGRAM("any-second", "woken for both, beside a waiter of the second", 3,
            .budget = {.ticks = 2}, .preemptions = 3, .deep_preemptions = 4,
            .arg = SCRIPT("any", "wait-t", "post post-t post-t")),
    PROGRAM("any-anys", "two choosers", 3, .budget = {.ticks = 2}, .preemptions = 2,
            .deep_preemptions = 3, .arg = SCRIPT("any", "any", "post-t post")),
    PROGRAM("any-timed", "gives up beside a waiter of the second", 3, .budget = {.ticks = 2},
            .preemptions = 3, .deep_preemptions = 4,
            .arg = SCRIPT("any-timed", "wait-t", "post-t post-t")),
    PROGRAM("any-event", "an event or a unit", 3, .budget = {.ticks = 2}, .preemptions = 3,
            .deep_preemptions = 4, .arg = SCRIPT("any-e", "wait", "set post post")),
    PROGRAM("any-event-auto", "the same with an automatic event", 3, .budget = {.ticks = 2},
            .preemptions = 3, .deep_preemptions = 4, MAY_SLEEP,
            .arg = SCRIPT_WITH(.automatic = true, "any-e", "pass", "set post set")),
    PROGRAM("any-barger", "somebody takes units from under the chooser", 3, .budget = {.ticks = 2},
            .preemptions = 3, .deep_preemptions = 4, MAY_SLEEP,
            .arg = SCRIPT("any", "try", "post post")),
    PROGRAM("any-spurious", "a spurious wake and an EINTR", 2,
            .budget = {.spurious = 1, .eintr = 1, .ticks = 2},
            .arg = SCRIPT("any any", "post post-t")),
    PROGRAM("any-dark", "the kernel cannot wait for several", 3, .budget = {.ticks = 2},
            .old_kernel = true, .preemptions = 3, .deep_preemptions = 4,
            .arg = SCRIPT("any", "wait-t", "post-t post-t")),
};

const struct program_group sem_programs = {"sem", programs, sizeof programs / sizeof *programs};
