/* SPDX-License-Identifier: MIT */
/* The programs for the condition variable; their scripts are explained in cond_script.h. */
#include "../cpus.h"
#include "cond_script.h"
#include "programs.h"

#define PROGRAM(called, what, n, ...)                                                          \
    {                                                                                          \
        .name = called, .about = what, .threads = n, .buckets = 1, .setup = cond_script_setup, \
        .thread = cond_script_thread, .finished = cond_script_finished,                        \
        .changed = cond_check_changed, .describe = cond_check_describe, __VA_ARGS__            \
    }
#define SCRIPT(...)                \
    &(const struct cond_script)    \
    {                              \
        .threads = { __VA_ARGS__ } \
    }

#define WORD_SCRIPT(s, w, ...)                                             \
    &(const struct cond_script)                                            \
    {                                                                      \
        .threads = {__VA_ARGS__}, .initial = {.seq = (s), .waiters = (w) } \
    }

/* As signals leave it: the bits of waiters_ are in src/thread/cond_queue.h. */
#define SINGLE_SCRIPT(...) WORD_SCRIPT(5, 2, __VA_ARGS__)

/* Used as the drop-in does. */
#define POSIX_SCRIPT(w, ...)                                                            \
    &(const struct cond_script)                                                         \
    {                                                                                   \
        .threads = {__VA_ARGS__}, .initial = {.seq = (w) != 0 ? 5 : 0, .waiters = (w)}, \
        .loose = true                                                                   \
    }

/* Each on a CPU of its own. */
static const struct model_task urgent[] = {{0, 0}, {20, 1}, {30, 2}};
static const struct model_task equals[] = {{10, 0}, {20, 1}, {20, 2}, {30, 3}};
static const struct model_task levels[] = {{10, 0}, {20, 1}, {30, 2}, {0, 3}};
static const struct model_task one_cpu[] = {{10, 0}, {20, 0}, {30, 0}, {5, 0}};
#define THREE_WAIT "lock once unlock", "lock once unlock", "lock once unlock"

#define URGENT(called, what, n, who, ...)                                        \
    PROGRAM(called, what, n, .tasks = who, .assist = ASSIST_NO, .generic = true, \
            .time_passes = true, .leaves_asleep = true, __VA_ARGS__)

/* Waits that end only by a signal: who sleeps in the end was not to be woken. */
#define MAY_SLEEP .leaves_asleep = true

static const struct model_program programs[] = {
    /* --- Signal ----------------------------------------------------------------------------- */
    PROGRAM("cond-signal", "a waiter, a signal with the mutex held", 2,
            .arg = SCRIPT("lock wait unlock", "lock put signal unlock")),
    PROGRAM("cond-signal-after", "a signal without the mutex", 2,
            .arg = SCRIPT("lock wait unlock", "lock put unlock signal")),
    PROGRAM("cond-twice", "a waiter that waits twice", 2,
            .arg =
                SCRIPT("lock wait wait unlock", "lock put unlock signal lock put signal unlock")),
    PROGRAM("cond-late", "the signaller itself waits later, and takes no wake", 2, MAY_SLEEP,
            .arg = SCRIPT("lock once unlock", "lock signal unlock lock once unlock")),
    PROGRAM("cond-late-three", "the same with two who came before", 3, MAY_SLEEP, .generic = true,
            .preemptions = 2, .deep_preemptions = 3,
            .arg = SCRIPT("lock once unlock", "lock once unlock", "signal lock once unlock")),
    PROGRAM("cond-late-other", "another one begins to wait while the signal is given", 3, MAY_SLEEP,
            .generic = true, .preemptions = 3, .deep_preemptions = 4,
            .arg = SCRIPT("lock once unlock", "lock once unlock", "signal")),
    PROGRAM("cond-stolen", "a third one begins to wait while the signal is given", 4, MAY_SLEEP,
            .generic = true, .preemptions = 1, .deep_preemptions = 3,
            .arg = SCRIPT("lock once unlock", "lock once unlock", "lock once unlock", "signal")),
    PROGRAM(
        "cond-two", "two waiters, two signals with the mutex held", 3, .preemptions = 2,
        .deep_preemptions = 4,
        .arg = SCRIPT("lock wait unlock", "lock wait unlock", "lock put put signal signal unlock")),
    PROGRAM(
        "cond-two-after", "two waiters, two signals without the mutex", 3, .generic = true,
        .preemptions = 3, .deep_preemptions = 4,
        .arg = SCRIPT("lock wait unlock", "lock wait unlock", "lock put put unlock signal signal")),
    PROGRAM("cond-signallers", "two signallers at once", 4, MAY_SLEEP, .generic = true,
            .preemptions = 2, .deep_preemptions = 3,
            .arg = SCRIPT("lock once unlock", "lock once unlock", "signal", "signal")),
    /* --- Broadcast -------------------------------------------------------------------------- */
    PROGRAM("cond-broadcast", "a broadcast with the mutex held", 3, .preemptions = 2,
            .deep_preemptions = 4,
            .arg = SCRIPT("lock wait unlock", "lock wait unlock", "lock put put broadcast unlock")),
    PROGRAM("cond-broadcast-fair", "the same, and a fair release", 3, .generic = true,
            .preemptions = 3, .deep_preemptions = 4,
            .arg = SCRIPT("lock wait unlock", "lock wait fair", "lock put put broadcast fair")),
    PROGRAM("cond-broadcast-after", "a broadcast without the mutex", 3, .preemptions = 2,
            .deep_preemptions = 3,
            .arg = SCRIPT("lock wait unlock", "lock wait unlock", "lock put put unlock broadcast")),
    PROGRAM("cond-broadcast-holder", "a broadcast meets another who holds the mutex", 4,
            .preemptions = 1, .deep_preemptions = 2,
            .arg = SCRIPT("lock wait unlock", "lock wait unlock", "lock put put unlock broadcast",
                          "lock unlock")),
    PROGRAM("cond-broadcast-baton", "the same, and the holder comes back, and waits too", 4,
            MAY_SLEEP, .generic = true, .preemptions = 2, .deep_preemptions = 3,
            .arg = SCRIPT("lock once unlock", "lock once unlock", "broadcast",
                          "lock unlock lock once unlock")),
    PROGRAM("cond-broadcast-passed", "the same, and the holder passes the mutex on", 4,
            .generic = true, .preemptions = 2, .deep_preemptions = 3,
            .arg = SCRIPT("lock wait unlock", "lock wait unlock", "lock put put unlock broadcast",
                          "lock fair")),
    PROGRAM("cond-broadcast-three", "three waiters, the mutex held", 4, .generic = true,
            .preemptions = 1, .deep_preemptions = 2,
            .arg = SCRIPT("lock wait unlock", "lock wait unlock", "lock wait unlock",
                          "lock put put put broadcast unlock")),
    PROGRAM("cond-broadcast-three-after", "three waiters, the mutex not held", 4, .generic = true,
            .preemptions = 1, .deep_preemptions = 2,
            .arg = SCRIPT("lock wait unlock", "lock wait unlock", "lock wait unlock",
                          "lock put put put unlock broadcast")),
    PROGRAM("cond-broadcast-signal", "a broadcast and a signal at once", 4, MAY_SLEEP,
            .generic = true, .preemptions = 2, .deep_preemptions = 3,
            .arg = SCRIPT("lock once unlock", "lock once unlock", "broadcast", "signal")),
    /* --- Time-outs -------------------------------------------------------------------------- */
    PROGRAM("cond-timed", "a signal against a time-out", 2, .budget = {.ticks = 1},
            .arg = SCRIPT("lock timed unlock", "lock put unlock signal")),
    PROGRAM("cond-timed-two", "the same: the signal is not swallowed", 3, MAY_SLEEP,
            .generic = true, .preemptions = 3, .deep_preemptions = 4, .budget = {.ticks = 1},
            .arg = SCRIPT("lock timed-once unlock", "lock once unlock", "signal")),
    PROGRAM("cond-timed-moved", "it times out after the move", 3, .preemptions = 2,
            .deep_preemptions = 3, .budget = {.ticks = 1},
            .arg =
                SCRIPT("lock timed unlock", "lock wait unlock", "lock put put broadcast unlock")),
    PROGRAM("cond-timed-last", "the last in line gives up, the next signal is free", 2, MAY_SLEEP,
            .budget = {.ticks = 1},
            .arg = SCRIPT("lock timed-once unlock lock once unlock", "signal")),
    /* --- Policies --------------------------------------------------------------------------- */
    PROGRAM("cond-poll", "a waiter that never sleeps", 2, .budget = {.ticks = 1},
            .arg = SCRIPT("lock poll unlock", "lock put signal unlock")),
    PROGRAM("cond-poll-broadcast", "the same beside sleepers", 4, .generic = true, .preemptions = 1,
            .deep_preemptions = 2, .budget = {.ticks = 1},
            .arg = SCRIPT("lock poll unlock", "lock wait unlock", "lock wait unlock",
                          "lock put put put broadcast unlock")),
    PROGRAM("cond-default", "the default policy: polls, or not, and sleeps", 2,
            .budget = {.ticks = 1, .chances = 1},
            .arg = SCRIPT("lock default unlock", "lock put unlock signal")),
    /* --- Waiters who sleep singly: signals have come lately --------------------------------- */
    PROGRAM("cond-single", "a waiter, a signal without the mutex, and one with it", 2,
            .arg = SINGLE_SCRIPT("lock wait wait unlock",
                                 "lock put unlock signal lock put signal unlock")),
    PROGRAM("cond-single-late", "one of two is chosen; the signaller waits later", 3, MAY_SLEEP,
            .generic = true, .preemptions = 2, .deep_preemptions = 3,
            .arg =
                SINGLE_SCRIPT("lock once unlock", "lock once unlock", "signal lock once unlock")),
    PROGRAM("cond-single-two", "two waiters, two signals with the mutex held", 3, .preemptions = 2,
            .deep_preemptions = 3,
            .arg = SINGLE_SCRIPT("lock wait unlock", "lock wait unlock",
                                 "lock put put signal signal unlock")),
    PROGRAM("cond-single-broadcast", "a broadcast moves them one by one", 3, .preemptions = 2,
            .deep_preemptions = 3,
            .arg = SINGLE_SCRIPT("lock wait unlock", "lock wait unlock",
                                 "lock put put unlock broadcast free"),
            .late_waits = true),
    PROGRAM("cond-single-mixed", "some sleep singly, and some do not", 4, .generic = true,
            .preemptions = 1, .deep_preemptions = 2,
            .arg = SCRIPT("lock wait unlock", "lock wait unlock", "lock wait unlock",
                          "lock put unlock signal lock put put unlock broadcast")),
    PROGRAM("cond-single-timed", "a signal against a time-out", 3, MAY_SLEEP, .generic = true,
            .preemptions = 2, .deep_preemptions = 3, .budget = {.ticks = 1, .eintr = 1},
            .arg = SINGLE_SCRIPT("lock timed-once unlock", "lock once unlock", "signal")),
    PROGRAM("cond-single-cancel", "a waiter is cancelled while the signal comes", 3, MAY_SLEEP,
            .generic = true, .preemptions = 2, .deep_preemptions = 4,
            .budget = {.cancels = 1, .spurious = 1}, .cancelled = cond_script_cancelled,
            .arg = SINGLE_SCRIPT("lock once unlock", "lock once unlock", "signal")),
    /* --- Surroundings ----------------------------------------------------------------------- */
    PROGRAM("cond-spurious", "a spurious wake and an EINTR", 2,
            .budget = {.spurious = 1, .eintr = 1},
            .arg = SCRIPT("lock wait unlock", "lock put unlock signal")),
    PROGRAM("cond-spurious-two", "the same, two waiters and a broadcast", 3, .generic = true,
            .preemptions = 1, .deep_preemptions = 2, .budget = {.spurious = 1, .eintr = 1},
            .arg = SCRIPT("lock wait unlock", "lock wait unlock", "lock put put unlock broadcast")),
    PROGRAM("cond-eintr", "an EINTR, and a signal for one of two", 3, MAY_SLEEP, .generic = true,
            .preemptions = 2, .deep_preemptions = 3, .budget = {.eintr = 2},
            .arg = SCRIPT("lock once unlock", "lock once unlock", "signal")),
    PROGRAM("cond-cancel", "a waiter is cancelled while the signal comes", 3, MAY_SLEEP,
            .generic = true, .preemptions = 3, .deep_preemptions = 4, .budget = {.cancels = 1},
            .cancelled = cond_script_cancelled,
            .arg = SCRIPT("lock once unlock", "lock once unlock", "signal")),
    PROGRAM("cond-cancel-moved", "the same while a broadcast comes", 3, MAY_SLEEP, .generic = true,
            .preemptions = 2, .deep_preemptions = 3, .budget = {.cancels = 1},
            .cancelled = cond_script_cancelled,
            .arg = SCRIPT("lock once unlock", "lock once unlock", "lock broadcast unlock")),
    PROGRAM("cond-refused", "the kernel refuses the fence to a broadcast", 4, .preemptions = 1,
            .deep_preemptions = 2, .budget = {.refusals = 1},
            .arg = SCRIPT("lock wait unlock", "lock wait unlock", "lock put put unlock broadcast",
                          "lock unlock")),
    PROGRAM("cond-missed", "a broadcast's fence may miss a release: two calls", 4, .preemptions = 1,
            .deep_preemptions = 2, .misses = 1, .kernel = "6.1.100-amd64",
            .arg = SCRIPT("lock wait unlock", "lock wait unlock", "lock put put unlock broadcast",
                          "lock unlock")),
    PROGRAM("cond-fork", "somebody waited when the process was forked", 2, .generation = 1,
            .arg = WORD_SCRIPT(7, 1, "lock wait unlock", "signal lock put unlock broadcast")),
    /* --- Lifetime --------------------------------------------------------------------------- */
    PROGRAM("cond-free-signal", "freed as soon as the only waiter was signalled", 2,
            .late_waits = true, .arg = SCRIPT("lock wait unlock", "lock put unlock signal free")),
    PROGRAM("cond-free-two", "freed after two signals", 3, .late_waits = true, .generic = true,
            .preemptions = 3, .deep_preemptions = 4,
            .arg = SCRIPT("lock wait unlock", "lock wait unlock",
                          "lock put put unlock signal signal free")),
    PROGRAM("cond-free", "freed as soon as the broadcast has returned", 3, .late_waits = true,
            .preemptions = 2, .deep_preemptions = 3,
            .arg = SCRIPT("lock wait unlock", "lock wait unlock",
                          "lock put put unlock broadcast free")),
    PROGRAM("cond-free-held", "the same with the mutex held", 3, .late_waits = true,
            .generic = true, .preemptions = 3, .deep_preemptions = 4,
            .arg = SCRIPT("lock wait unlock", "lock wait unlock",
                          "lock put put broadcast free unlock")),
    PROGRAM("cond-free-timed", "the same, and a waiter gives up", 3, .late_waits = true,
            .generic = true, .preemptions = 2, .deep_preemptions = 3, .budget = {.ticks = 1},
            .arg = SCRIPT("lock timed unlock", "lock wait unlock",
                          "lock put put unlock broadcast free")),
    PROGRAM("cond-free-cancel", "the same, and a waiter is cancelled", 3, .late_waits = true,
            .generic = true, .preemptions = 2, .deep_preemptions = 3, .budget = {.cancels = 1},
            .cancelled = cond_script_cancelled,
            .arg = SCRIPT("lock wait unlock", "lock wait unlock",
                          "lock put put unlock broadcast free")),
    PROGRAM("cond-free-mutex", "the last waiter frees the mutex, the broadcast may not be over", 3,
            .preemptions = 2, .deep_preemptions = 3,
            .arg = SCRIPT("lock wait leave", "lock wait leave", "lock put put leave broadcast")),
    /* --- Real-time threads, each on a CPU of its own ------------------------------------------ */
    URGENT("cond-urgent", "an ordinary waiter, and one that is more urgent", 3, urgent,
           .preemptions = 2, .deep_preemptions = 3,
           .arg = SCRIPT("lock once unlock", "lock once unlock", "lock signal unlock")),
    URGENT("cond-urgent-single", "they sleep singly", 3, urgent, .preemptions = 2,
           .deep_preemptions = 3,
           .arg = SINGLE_SCRIPT("lock once unlock", "lock once unlock", "lock signal unlock")),
    URGENT("cond-urgent-equals", "one less urgent, and two equals", 4, equals, .preemptions = 1,
           .deep_preemptions = 2,
           .arg = SCRIPT("lock once unlock", "lock once unlock", "lock once unlock",
                         "lock signal unlock")),
    URGENT("cond-urgent-twice", "both are signalled, one after the other", 3, urgent,
           .preemptions = 1, .deep_preemptions = 2,
           .arg = SCRIPT("lock once unlock", "lock once unlock",
                         "lock signal unlock lock signal unlock")),
    URGENT("cond-urgent-all", "a broadcast under the mutex, three priorities", 4, levels,
           .preemptions = 1, .deep_preemptions = 2,
           .arg = SCRIPT(THREE_WAIT, "lock broadcast unlock")),
    URGENT("cond-urgent-all-after", "the same without the mutex", 4, levels, .preemptions = 1,
           .deep_preemptions = 2, .arg = SCRIPT(THREE_WAIT, "lock unlock broadcast")),
    URGENT("cond-urgent-all-single", "they sleep singly, the mutex held", 4, levels,
           .preemptions = 1, .deep_preemptions = 2,
           .arg = SINGLE_SCRIPT(THREE_WAIT, "lock broadcast unlock")),
    URGENT("cond-urgent-all-single-after", "the same without the mutex", 4, levels,
           .preemptions = 1, .deep_preemptions = 2,
           .arg = SINGLE_SCRIPT(THREE_WAIT, "lock unlock broadcast")),
    URGENT("cond-urgent-all-beside", "another one has the mutex meanwhile", 4, levels,
           .preemptions = 2, .deep_preemptions = 3,
           .arg = SCRIPT("lock once unlock", "lock once unlock", "lock unlock", "broadcast")),
    URGENT("cond-urgent-all-passed", "the same, and it passes the mutex on", 4, levels,
           .preemptions = 1, .deep_preemptions = 2,
           .arg = SCRIPT("lock once unlock", "lock once unlock", "lock fair", "broadcast")),
    URGENT("cond-urgent-all-local", "all on one CPU, where the least urgent one broadcasts", 4,
           one_cpu, .arg = SCRIPT(THREE_WAIT, "lock broadcast unlock")),
    URGENT("cond-urgent-stale", "they find out how urgent they are before they sleep", 3, urgent,
           .preemptions = 2, .deep_preemptions = 3,
           .arg = &(const struct cond_script){.threads = {"lock once unlock", "lock once unlock",
                                                          "lock signal unlock"},
                                              .is_stale = true}),
    /* --- As the drop-in uses them ----------------------------------------------------------- */
    PROGRAM("cond-loose", "a waiter, a signal without the mutex, and one with it", 2,
            .arg = POSIX_SCRIPT(2, "lock wait wait unlock",
                                "lock put unlock signal lock put signal unlock")),
    PROGRAM("cond-loose-hand", "a signal, and another thread releases the mutex", 3,
            .preemptions = 3, .deep_preemptions = 4,
            .arg = POSIX_SCRIPT(2, "lock wait unlock", "lock put signal hand", "release")),
    PROGRAM("cond-loose-hand-two", "two signals, and another thread releases the mutex", 4,
            .preemptions = 2, .deep_preemptions = 3,
            .arg = POSIX_SCRIPT(2, "lock wait unlock", "lock wait unlock",
                                "lock put put signal signal hand", "release")),
    PROGRAM("cond-loose-hand-all", "the same after a broadcast", 4, .preemptions = 2,
            .deep_preemptions = 3,
            .arg = POSIX_SCRIPT(0, "lock wait unlock", "lock wait unlock",
                                "lock put put broadcast hand", "release")),
    PROGRAM("cond-foreign", "two who cannot be moved, a broadcast", 3, .preemptions = 2,
            .deep_preemptions = 3,
            .arg = POSIX_SCRIPT(0, "lock foreign unlock", "lock foreign unlock",
                                "lock put put broadcast unlock")),
    PROGRAM("cond-foreign-signal", "one who cannot be moved beside one who can", 3, MAY_SLEEP,
            .generic = true, .preemptions = 3, .deep_preemptions = 4,
            .arg = POSIX_SCRIPT(0, "lock foreign-once unlock", "lock once unlock", "signal")),
    PROGRAM("cond-foreign-mixed", "one who cannot be moved among two who can, a broadcast", 4,
            .generic = true, .preemptions = 1, .deep_preemptions = 2,
            .arg = POSIX_SCRIPT(0, "lock foreign unlock", "lock wait unlock", "lock wait unlock",
                                "lock put put put unlock broadcast")),
    PROGRAM("cond-foreign-timed", "the time of one who cannot be moved is over", 3, .generic = true,
            .preemptions = 2, .deep_preemptions = 3, .budget = {.ticks = 1, .eintr = 1},
            .arg = POSIX_SCRIPT(0, "lock foreign-timed unlock", "lock wait unlock",
                                "lock put put unlock broadcast")),
    PROGRAM("cond-foreign-cancel", "one who cannot be moved is cancelled", 3, MAY_SLEEP,
            .generic = true, .preemptions = 2, .deep_preemptions = 3,
            .budget = {.cancels = 1, .spurious = 1}, .cancelled = cond_script_cancelled,
            .arg =
                POSIX_SCRIPT(0, "lock foreign-once unlock", "lock foreign-once unlock", "signal")),
    PROGRAM("cond-foreign-refused", "who may not release its mutex does not wait", 3, MAY_SLEEP,
            .generic = true, .preemptions = 3, .deep_preemptions = 4,
            .arg = POSIX_SCRIPT(0, "lock refused unlock", "lock once unlock", "signal")),
    PROGRAM("cond-foreign-free", "freed as soon as the broadcast has returned", 3,
            .late_waits = true, .generic = true, .preemptions = 3, .deep_preemptions = 4,
            .arg = POSIX_SCRIPT(0, "lock foreign unlock", "lock wait unlock",
                                "lock put put unlock broadcast free")),
    /* --- All at once ------------------------------------------------------------------------ */
    PROGRAM("cond-storm", "nearly everything at once", 2, MAY_SLEEP, .preemptions = 2,
            .deep_preemptions = 3,
            .budget = {.spurious = 1, .eintr = 1, .ticks = 1, .refusals = 1, .chances = 1},
            .arg = SCRIPT("lock timed unlock lock put unlock signal",
                          "lock put unlock signal lock timed unlock")),
    PROGRAM("cond-storm-three", "the same with three threads", 3, .generic = true, .preemptions = 1,
            .deep_preemptions = 2, .budget = {.spurious = 1, .eintr = 1, .ticks = 1, .chances = 1},
            .arg = SCRIPT("lock timed unlock", "lock default unlock",
                          "lock put unlock signal lock put unlock broadcast")),
};

const struct program_group cond_programs = {"cond", programs, sizeof programs / sizeof *programs};
