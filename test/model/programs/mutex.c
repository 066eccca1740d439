/* SPDX-License-Identifier: MIT */
/* The programs for the mutex; their scripts are explained in mutex_script.h. */
#include "../cpus.h"
#include "../subject/subject.h"
#include "mutex_check.h"
#include "mutex_script.h"
#include "programs.h"
#include "thread/mutex_word.h"

#define PROGRAM(called, what, n, ...)                                                         \
    {                                                                                         \
        .name = called, .about = what, .threads = n, .setup = script_setup,                   \
        .thread = script_thread, .finished = script_finished, .changed = mutex_check_changed, \
        .describe = mutex_check_describe, __VA_ARGS__                                         \
    }
#define SCRIPT(...)                \
    &(const struct mutex_script)   \
    {                              \
        .threads = { __VA_ARGS__ } \
    }
#define WORD_SCRIPT(word, ...)                      \
    &(const struct mutex_script)                    \
    {                                               \
        .threads = {__VA_ARGS__}, .initial = (word) \
    }
#define COUNTER_SCRIPT(...)                      \
    &(const struct mutex_script)                 \
    {                                            \
        .threads = {__VA_ARGS__}, .counts = true \
    }
#define TRUTH(n) .assist = ASSIST_TRUE, .cpus = n, .time_passes = true

/* Words to begin with. */
#define HELD_BY_A ((uint64_t)SUBJECT_FIRST_TID << FW_ID_SHIFT | FW_ID_HELD)
#define BEING_HANDED_OFF (MUTEX_HANDOFF | 7u << FW_ID_SHIFT | FW_ID_HELD)
#define LEFT_BEHIND (2 * MUTEX_WAITER | MUTEX_FENCED | MUTEX_WAKING | MUTEX_RETRY | MUTEX_STARVING)
#define GENERATION(n) (UINT64_C(n) << MUTEX_GENERATION_SHIFT)

/* Each on a CPU of its own; and one that spins, an ordinary one beside it, an urgent one. */
static const struct model_task apart[] = {{0, 0}, {10, 1}, {20, 2}};
static const struct model_task beside[] = {{10, 0}, {0, 0}, {20, 1}};

#define URGENT(called, what, n, who, ...)                                        \
    PROGRAM(called, what, n, .tasks = who, .assist = ASSIST_NO, .generic = true, \
            .time_passes = true, __VA_ARGS__)

#define MISSED(called, what, n, ...) \
    PROGRAM(called, what, n, .kernel = "6.1.100-amd64", __VA_ARGS__)
#define TWICE SCRIPT("block unlock block unlock", "block unlock block unlock")

static const struct model_program programs[] = {
    /* --- Greedy release --------------------------------------------------------------------- */
    PROGRAM("two", "two threads, twice each, blocking", 2,
            .arg = SCRIPT("block unlock block unlock", "block unlock block unlock")),
    PROGRAM("two-thrice", "two threads, three times each", 2,
            .arg = SCRIPT("block unlock block unlock block unlock",
                          "block unlock block unlock block unlock")),
    PROGRAM("counter", "a counter under the lock", 2,
            .arg = COUNTER_SCRIPT("block unlock block unlock", "block unlock")),
    PROGRAM("three", "three threads, once each", 3,
            .arg = SCRIPT("block unlock", "block unlock", "block unlock")),
    PROGRAM("three-mixed", "one of three comes twice", 3, .preemptions = 3,
            .arg = SCRIPT("block unlock block unlock", "block unlock", "block unlock")),
    PROGRAM("try", "trylock between two blocking threads", 3,
            .arg = SCRIPT("block unlock", "try unlock", "block unlock")),
    PROGRAM("spurious", "a spurious wake and an EINTR", 3, .budget = {.spurious = 1, .eintr = 1},
            .arg = SCRIPT("block unlock", "block unlock", "block unlock")),
    PROGRAM("nap", "a waiter that is woken needlessly again and again", 2,
            .budget = {.spurious = 3}, .arg = SCRIPT("block unlock block unlock", "block unlock")),
    PROGRAM("nap-three", "the same beside a second waiter", 3, .preemptions = 2,
            .deep_preemptions = 3, .budget = {.spurious = 3},
            .arg = SCRIPT("block unlock block fair", "block unlock", "block unlock")),
    PROGRAM("quiet", "releases that go back to the quiet state", 2, .budget = {.chances = 3},
            .arg = SCRIPT("block unlock block unlock", "block unlock block unlock")),
    /* --- Policies --------------------------------------------------------------------------- */
    PROGRAM("default", "fw_mutex_lock: polls a little, then blocks", 2, .budget = {.ticks = 2},
            .arg = SCRIPT("lock unlock lock unlock", "lock unlock lock unlock")),
    PROGRAM("spin", "a waiter that never sleeps, beside a sleeper", 3, .budget = {.ticks = 2},
            .arg = SCRIPT("block unlock", "spin unlock", "block unlock")),
    PROGRAM("spin-fair", "a fair release meets a waiter that never sleeps", 2,
            .budget = {.ticks = 2}, .arg = SCRIPT("block fair block unlock", "yield unlock")),
    PROGRAM("spin-fair-mixed", "the same beside a sleeper", 3, .budget = {.ticks = 1},
            .arg = SCRIPT("block fair", "spin unlock", "block unlock")),
    /* --- Passing ---------------------------------------------------------------------------- */
    PROGRAM("fair", "two threads, twice each, fair releases", 2,
            .arg = SCRIPT("block fair block fair", "block fair block fair")),
    PROGRAM("fair-three", "three threads, once each, fair releases", 3,
            .arg = SCRIPT("block fair", "block fair", "block fair")),
    PROGRAM("fair-back", "the releaser comes back while another waits", 2,
            .arg = SCRIPT("block fair block fair block unlock", "block unlock block unlock")),
    PROGRAM("fair-late", "the releaser comes back while two others wait", 3, .preemptions = 3,
            .arg = SCRIPT("block fair block unlock", "block unlock", "block unlock")),
    PROGRAM("fair-spurious", "passes and spurious wakes", 3, .budget = {.spurious = 1},
            .arg = SCRIPT("block fair", "block fair", "block unlock")),
    PROGRAM("starving", "a waiter loses for long and asks for a hand-off", 2,
            .budget = {.ticks = 1},
            .arg = SCRIPT("block unlock block unlock block unlock block unlock", "block unlock")),
    PROGRAM("starving-three", "the same beside a second waiter", 3, .preemptions = 3,
            .budget = {.ticks = 1},
            .arg = SCRIPT("block unlock block unlock", "block unlock", "block unlock")),
    /* --- Time-outs -------------------------------------------------------------------------- */
    PROGRAM("timed", "one of two waiters gives up", 3, .budget = {.ticks = 1},
            .arg = SCRIPT("block unlock", "timed unlock", "block unlock")),
    PROGRAM("timed-twice", "both waiters give up", 3, .budget = {.ticks = 1},
            .arg = SCRIPT("block unlock", "timed unlock", "timed unlock")),
    PROGRAM("timed-old", "a waiter that was woken before gives up beside a sleeper", 3,
            .preemptions = 2, .deep_preemptions = 4, .budget = {.ticks = 1, .spurious = 1},
            .arg =
                WORD_SCRIPT(HELD_BY_A, "held unlock block unlock", "timed unlock", "block unlock")),
    PROGRAM("timed-fair", "a waiter gives up while the lock is passed", 3, .budget = {.ticks = 1},
            .arg = SCRIPT("block fair", "timed fair", "block unlock")),
    PROGRAM("timed-fair-late", "the releaser comes back late and gives up", 2,
            .budget = {.ticks = 1}, .arg = SCRIPT("block fair timed unlock", "block unlock")),
    PROGRAM("timed-fair-later", "the same with a third thread", 3, .preemptions = 3,
            .budget = {.ticks = 1},
            .arg = SCRIPT("block fair timed unlock", "block unlock", "block unlock")),
    PROGRAM("timed-fair-spin", "the releaser comes back, polls, and gives up", 2,
            .budget = {.ticks = 2}, .arg = SCRIPT("block fair timed-spin unlock", "block unlock")),
    PROGRAM("timed-spin", "a waiter that never sleeps gives up", 3, .budget = {.ticks = 2},
            .arg = SCRIPT("block unlock", "timed-spin unlock", "block unlock")),
    PROGRAM("clock-step", "CLOCK_REALTIME is set while a waiter has a deadline on it", 2,
            .budget = {.spurious = 3, .clock_steps = 1},
            .arg = SCRIPT("timed-real unlock", "block unlock block unlock")),
    PROGRAM("clock-step-refused", "the same where the kernel refuses the fence", 2,
            .budget = {.clock_steps = 1, .refusals = 1},
            .arg = SCRIPT("timed-real unlock", "block unlock block unlock")),
    PROGRAM("clock-step-three", "the same beside a waiter without a deadline", 3, .preemptions = 2,
            .budget = {.ticks = 1, .clock_steps = 1},
            .arg = SCRIPT("block unlock", "timed-real unlock", "block unlock")),
    /* --- Lifetime --------------------------------------------------------------------------- */
    PROGRAM("free", "the last owner frees the lock", 3,
            .arg = SCRIPT("block free", "block free", "block free")),
    PROGRAM("free-fair", "the same after fair releases", 2,
            .arg = SCRIPT("block fair block free", "block free")),
    PROGRAM("free-timed", "the same, with a waiter that gives up", 3, .budget = {.ticks = 1},
            .arg = SCRIPT("block free", "timed free", "block free")),
    /* --- Surroundings ----------------------------------------------------------------------- */
    PROGRAM("signal", "a signal handler that tries the lock", 2, .handler = script_handler,
            .budget = {.signals = 1}, .arg = SCRIPT("block unlock block unlock", "block unlock")),
    PROGRAM("refused", "the kernel refuses the fence now and then", 2, .budget = {.refusals = 2},
            .arg = SCRIPT("block unlock block unlock", "block unlock block unlock")),
    PROGRAM("refused-three", "the same with three threads and a pass", 3, .budget = {.refusals = 1},
            .arg = SCRIPT("block unlock", "block fair", "block unlock")),
    /* --- Fences that miss a plain release: kernel.h ----------------------------------------- */
    MISSED("missed", "a fence may miss a release: two calls", 2, .misses = 1, .arg = TWICE),
    PROGRAM("missed-unnamed", "the same on a kernel that does not say which it is", 2, .misses = 1,
            .kernel = "", .arg = TWICE),
    MISSED("missed-three", "the same with three threads", 3, .misses = 1, .preemptions = 2,
           .deep_preemptions = 3,
           .arg = SCRIPT("block unlock block unlock", "block unlock", "block unlock")),
    MISSED("missed-timed", "the same, and a waiter gives up", 2, .misses = 1,
           .budget = {.ticks = 1},
           .arg = SCRIPT("block unlock block unlock", "timed unlock block unlock")),
    MISSED("missed-refused", "a call of the two is refused", 2, .misses = 1,
           .budget = {.refusals = 1}, .arg = TWICE),
    MISSED("missed-once", "one call (FURWOCK_FENCES=1) is not enough", 2, .misses = 1,
           .environment = "FURWOCK_FENCES=1", .expects = "lost wake-up", .arg = TWICE),
    MISSED("missed-twice", "two are not where both may miss the same release", 2, .misses = 2,
           .expects = "lost wake-up", .arg = TWICE),
    MISSED("missed-none", "there are no plain releases (FURWOCK_FENCES=0)", 2, .misses = 2,
           .environment = "FURWOCK_FENCES=0", .arg = TWICE),
    PROGRAM("fork", "the lock was free and contended at a fork", 2, .generation = 1,
            .arg = WORD_SCRIPT(LEFT_BEHIND, "block unlock block unlock", "block unlock")),
    PROGRAM("fork-held", "the forking thread held it", 2, .generation = 2,
            .arg = WORD_SCRIPT(HELD_BY_A | LEFT_BEHIND | GENERATION(1), "held unlock block fair",
                               "block unlock")),
    PROGRAM("fork-passed", "the lock was being handed over at the fork", 2, .generation = 2,
            .arg = WORD_SCRIPT(BEING_HANDED_OFF | LEFT_BEHIND | GENERATION(1),
                               "block unlock try unlock", "block fair")),
    /* --- Real-time threads -------------------------------------------------------------------- */
    URGENT("urgent", "an ordinary thread and two real-time ones", 3, apart, .preemptions = 3,
           .arg = SCRIPT("block unlock block unlock", "block unlock", "block unlock")),
    URGENT("urgent-fair", "the same, and fair releases", 3, apart, .preemptions = 3,
           .arg = SCRIPT("block fair block unlock", "block fair", "block unlock")),
    URGENT("urgent-timed", "the same, and one gives up", 3, apart, .preemptions = 2,
           .arg = SCRIPT("block unlock block unlock", "block unlock", "timed unlock")),
    URGENT("urgent-seat", "one that lost the race has lost its CPU to one that runs on and on", 3,
           beside,
           .arg = SCRIPT("block turn-unlock block turn-unlock go spin-on", "block done-unlock",
                         "block unlock done go")),
    /* --- With the C library's rules --------------------------------------------------------- */
    PROGRAM("loose", "two threads, twice each, with the loose calls", 2,
            .arg = SCRIPT("posix let posix let", "posix let posix let")),
    PROGRAM("loose-three", "three threads, loose and strict calls", 3,
            .arg = SCRIPT("posix let", "block let", "posix unlock")),
    PROGRAM("loose-fair", "fair loose releases", 3, .preemptions = 3,
            .arg = SCRIPT("posix let-fair", "posix let-fair", "posix let")),
    PROGRAM("loose-timed", "a waiter gives up", 3, .budget = {.ticks = 1},
            .arg = SCRIPT("posix let", "posix-timed let", "posix let")),
    PROGRAM("stranger", "the owner locks again, and another thread releases", 2,
            .arg = WORD_SCRIPT(HELD_BY_A, "posix let", "not-held let")),
    PROGRAM("stranger-waits", "the same beside a waiter, who gives up", 3, .budget = {.ticks = 1},
            .arg = WORD_SCRIPT(HELD_BY_A, "posix let", "not-held let", "posix-timed let")),
    /* --- Who runs: any answer, a dead page, the truth ----------------------------------------- */
    PROGRAM("lies", "two threads, twice each; they ask who runs", 2, .assist = ASSIST_LIES,
            .arg = SCRIPT("adapt unlock adapt unlock", "adapt unlock adapt unlock")),
    PROGRAM("lies-long", "the same, and time passes", 2, .assist = ASSIST_LIES,
            .budget = {.ticks = 2}, .arg = SCRIPT("adapt unlock adapt unlock", "adapt unlock")),
    PROGRAM("lies-three", "three threads", 3, .assist = ASSIST_LIES,
            .arg = SCRIPT("adapt unlock", "adapt unlock", "adapt unlock")),
    PROGRAM("lies-sleeper", "beside one that does not ask", 3, .assist = ASSIST_LIES,
            .budget = {.ticks = 1}, .preemptions = 2, .deep_preemptions = 4,
            .arg = SCRIPT("block unlock block unlock", "adapt unlock", "block unlock")),
    PROGRAM("lies-fair", "fair releases", 3, .assist = ASSIST_LIES,
            .arg = SCRIPT("adapt fair", "adapt fair", "adapt unlock")),
    PROGRAM("lies-fair-back", "the releaser comes back while another waits", 2,
            .assist = ASSIST_LIES,
            .arg = SCRIPT("adapt fair adapt fair adapt unlock", "adapt unlock adapt unlock")),
    PROGRAM("lies-starving", "a waiter loses for long and asks for a hand-off", 2,
            .assist = ASSIST_LIES, .budget = {.ticks = 1},
            .arg = SCRIPT("block unlock block unlock block unlock block unlock", "adapt unlock")),
    PROGRAM("lies-starving-three", "the same beside a second waiter", 3, .assist = ASSIST_LIES,
            .budget = {.ticks = 1}, .preemptions = 1, .deep_preemptions = 3,
            .arg = SCRIPT("block unlock block unlock", "adapt unlock", "adapt unlock")),
    PROGRAM("lies-timed", "one of two waiters gives up", 3, .assist = ASSIST_LIES,
            .budget = {.ticks = 1}, .preemptions = 2, .deep_preemptions = 3,
            .arg = SCRIPT("adapt unlock", "timed-adapt unlock", "block unlock")),
    PROGRAM("lies-timed-fair", "the releaser comes back, polls, and gives up", 2,
            .assist = ASSIST_LIES, .budget = {.ticks = 2},
            .arg = SCRIPT("adapt fair timed-adapt unlock", "adapt unlock")),
    PROGRAM("lies-free", "the last owner frees the lock", 3, .assist = ASSIST_LIES,
            .arg = SCRIPT("adapt free", "adapt free", "adapt free")),
    PROGRAM("lies-refused", "the kernel refuses the fence now and then", 2, .assist = ASSIST_LIES,
            .budget = {.refusals = 2}, .arg = SCRIPT("adapt unlock adapt unlock", "adapt unlock")),
    PROGRAM("lies-fork", "the lock was being handed over at a fork", 2, .assist = ASSIST_LIES,
            .generation = 2,
            .arg = WORD_SCRIPT(BEING_HANDED_OFF | LEFT_BEHIND | GENERATION(1),
                               "adapt unlock try unlock", "adapt fair")),
    PROGRAM("lies-storm", "and nearly everything else", 3, .assist = ASSIST_LIES, .preemptions = 1,
            .deep_preemptions = 2, .budget = {.spurious = 1, .ticks = 1, .refusals = 1},
            .arg = SCRIPT("adapt fair adapt unlock", "timed-adapt unlock", "adapt unlock")),
    PROGRAM("all-run", "a dead page says that everybody runs", 3, .assist = ASSIST_YES,
            .budget = {.ticks = 1}, .preemptions = 3, .deep_preemptions = 5,
            .arg = SCRIPT("adapt unlock", "adapt fair", "adapt unlock")),
    PROGRAM("none-runs", "a dead page says that nobody does", 3, .assist = ASSIST_NO,
            .arg = SCRIPT("adapt unlock", "adapt fair", "adapt unlock")),
    PROGRAM("all-run-alone", "the same as all-run on one CPU: polling has an end", 2,
            .assist = ASSIST_YES, .cpus = 1, .time_passes = true,
            .arg = SCRIPT("adapt unlock adapt unlock", "adapt unlock")),
    PROGRAM("truth", "the truth, on one CPU: nobody polls needlessly", 2, TRUTH(1),
            .arg = SCRIPT("adapt unlock adapt unlock", "adapt unlock adapt unlock")),
    PROGRAM("truth-fair", "fair releases", 2, TRUTH(1),
            .arg = SCRIPT("adapt fair adapt fair", "adapt fair adapt unlock")),
    PROGRAM("truth-timed", "a waiter gives up", 2, TRUTH(1), .preemptions = 4,
            .deep_preemptions = 6,
            .arg = SCRIPT("adapt unlock adapt unlock", "timed-adapt unlock")),
    PROGRAM("truth-generic", "three threads on one CPU, no restartable sequences", 3, TRUTH(1),
            .generic = true, .arg = SCRIPT("adapt unlock", "adapt unlock", "adapt unlock")),
    PROGRAM("truth-three", "three threads on two CPUs", 3, TRUTH(2), .preemptions = 2,
            .deep_preemptions = 3, .arg = SCRIPT("adapt unlock", "adapt fair", "adapt unlock")),
    /* --- More of everything ----------------------------------------------------------------- */
    PROGRAM("three-twice", "three threads, twice each", 3, .preemptions = 3, .deep_preemptions = 4,
            .arg = SCRIPT("block unlock block unlock", "block unlock block unlock",
                          "block unlock block unlock")),
    PROGRAM("four", "four threads, once each", 4, .preemptions = 2, .deep_preemptions = 3,
            .arg = SCRIPT("block unlock", "block unlock", "block unlock", "block unlock")),
    PROGRAM("counter-three", "a counter and three threads", 3,
            .arg = COUNTER_SCRIPT("lock unlock", "block fair", "spin3 unlock")),
    PROGRAM("default-three", "three threads that poll a little, then block", 3, .preemptions = 3,
            .deep_preemptions = 4, .budget = {.ticks = 2},
            .arg = SCRIPT("lock unlock lock unlock", "lock unlock", "lock fair")),
    PROGRAM("signal-three", "a signal handler that tries the lock, and three threads", 3,
            .preemptions = 2, .deep_preemptions = 3, .handler = script_handler,
            .budget = {.signals = 1}, .arg = SCRIPT("block fair", "block unlock", "block unlock")),
    PROGRAM("generic-three", "no restartable sequences, three threads", 3, .generic = true,
            .budget = {.spurious = 1}, .arg = SCRIPT("block unlock", "block fair", "block unlock")),
    PROGRAM("storm", "two threads, and everything that can happen to them", 2,
            .handler = script_handler, .preemptions = 2, .deep_preemptions = 3,
            .budget =
                {.spurious = 1, .eintr = 1, .ticks = 1, .refusals = 1, .chances = 1, .signals = 1},
            .arg = SCRIPT("block fair lock unlock", "timed unlock spin3 fair")),
    PROGRAM("storm-three", "three threads, and nearly everything", 3, .preemptions = 1,
            .deep_preemptions = 2, .budget = {.spurious = 1, .ticks = 1, .refusals = 1},
            .arg = SCRIPT("block fair block unlock", "timed unlock", "spin3 unlock")),
};

const struct program_group mutex_programs = {"mutex", programs, sizeof programs / sizeof *programs};
