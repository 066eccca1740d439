/* SPDX-License-Identifier: MIT */
/*
 * The programs for the mutex.  Each thread follows a script of words:
 *
 *   block, spin3, spin, yield, default   lock with that waiting policy
 *   lock                                 fw_mutex_lock
 *   timed, timed-spin                    the same with a deadline (blocking, or never sleeping)
 *   try                                  trylock
 *   unlock, fair                         the two releases; skipped where the lock was not taken
 *   free                                 frees the mutex' memory instead, if all others are gone
 *   held                                 nothing: the thread has the lock from the start
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../kernel.h"
#include "../subject/atomic.h"
#include "../subject/subject.h"
#include "mutex_watch.h"
#include "mutex_word.h"
#include "programs.h"

#define MAX_WORDS 16u

struct script {
    const char *threads[MODEL_MAX_THREADS];
    uint64_t initial;
    bool counts; /* a counter in memory, changed under the lock by plain loads and stores; and
                    fw_mutex_owner is asked */
};

enum word {
    END,
    BLOCK,
    SPIN3,
    SPIN,
    YIELD,
    DEFAULT,
    LOCK,
    TIMED,
    TIMED_SPIN,
    TRY,
    UNLOCK,
    FAIR,
    FREE,
    HELD,
    WORDS
};

static const char *const names[WORDS] = {
    "",     "block",      "spin3", "spin",   "yield", "default", "lock",
    "timed", "timed-spin", "try",   "unlock", "fair",  "free",    "held"};

static const fw_wait_policy policies[] = {
    [BLOCK] = {FW_WAIT_BLOCK, 0},  [SPIN3] = {FW_WAIT_SPIN_THEN_BLOCK, 3000},
    [SPIN] = {FW_WAIT_SPIN, 0},    [YIELD] = {FW_WAIT_YIELD, 0},
    [DEFAULT] = {FW_WAIT_DEFAULT, 0}};

/* Two readings that find the clock moved on reach it, or one sleep that ends with it. */
static const fw_deadline deadline = {{1, 2 * (long)KERNEL_TICK_NS}, CLOCK_MONOTONIC};

const struct mutex_calls *mutex_in_use = &mutex_shipped;

static enum word scripts[MODEL_MAX_THREADS][MAX_WORDS];
static fw_mutex *m;
static fw_half_ *counter; /* NULL: this program does not count */

static void parse(enum word *script, const char *text)
{
    char copy[160];
    unsigned n = 0;

    memset(script, 0, MAX_WORDS * sizeof *script);
    snprintf(copy, sizeof copy, "%s", text);
    for (char *word = strtok(copy, " "); word != NULL; word = strtok(NULL, " ")) {
        enum word w = 1;
        while (w < WORDS && strcmp(word, names[w]) != 0)
            w++;
        if (w == WORDS || n == MAX_WORDS - 1) {
            fprintf(stderr, "fw-model: bad script: %s\n", text);
            exit(3);
        }
        script[n++] = w;
    }
}

static void setup(const void *arg)
{
    const struct script *s = arg;

    m = watch_mutex(s->initial);
    counter = s->counts ? model_object("counter", 4, NULL, NULL) : NULL;
    for (unsigned i = 0; i < model_thread_count; i++)
        parse(scripts[i], s->threads[i]);
}

/* The critical section lasts until the release is visible, so others have time to intrude. */
static void critical_section(unsigned self)
{
    watch_enter(self);
    if (counter == NULL)
        return;
    fw_store32_relaxed(counter, fw_load32_relaxed(counter) + 1);
    if (mutex_in_use->owner(m) != (pid_t)(SUBJECT_FIRST_TID + self))
        model_thread_fail("owner", "fw_mutex_owner does not name thread %llu, which has the lock",
                          self, 0);
}

static int acquire(enum word how)
{
    switch (how) {
    case LOCK:
        mutex_in_use->lock(m);
        return 0;
    case TIMED:
        return mutex_in_use->lock_policy(m, &policies[BLOCK], &deadline);
    case TIMED_SPIN:
        return mutex_in_use->lock_policy(m, &policies[SPIN], &deadline);
    case TRY:
        return mutex_in_use->trylock(m);
    case HELD:
        return 0;
    default:
        return mutex_in_use->lock_policy(m, &policies[how], NULL);
    }
}

/* The memory may go when every other thread is on its last release, or has given up. */
static bool is_last(unsigned self)
{
    uint64_t all = (UINT64_C(1) << model_thread_count) - 1;
    uint64_t *gone = &model_shared.ghost[WATCH_GONE];

    *gone |= UINT64_C(1) << self;
    return *gone == all;
}

static void release(unsigned self, enum word how)
{
    if (how == FREE && is_last(self)) {
        model_op(OP_FREE, m, 8, 0, 0, 0, 0);
        return;
    }
    if (how == FAIR) {
        watch_fair_release(self);
        mutex_in_use->unlock_fair(m);
    } else {
        mutex_in_use->unlock(m);
    }
}

static void thread(unsigned self, const void *arg)
{
    (void)arg;
    for (const enum word *w = scripts[self]; *w != END; w += 2) {
        if (acquire(w[0]) == 0) {
            critical_section(self);
            release(self, w[1]);
        } else {
            watch_gave_up(self);
            if (w[1] == FREE)
                is_last(self);
        }
    }
}

static void handler(void)
{
    unsigned self = model_current;

    if (mutex_in_use->trylock(m) == 0) {
        critical_section(self);
        mutex_in_use->unlock(m);
    }
}

static void finished(void)
{
    if (model_shared.dead != 0)
        return;
    watch_finished();
    if (counter != NULL && *counter != model_shared.ghost[WATCH_ENTRIES])
        model_fail("lost update", "%llu entries, and the counter says %llu",
                   model_shared.ghost[WATCH_ENTRIES], *counter);
}

#define COMMON                                                                                         \
    .setup = setup, .thread = thread, .finished = finished, .changed = watch_changed,                  \
    .describe = watch_describe
#define SCRIPT(...) &(const struct script) { .threads = {__VA_ARGS__} }

static const struct model_program programs[] = {
    /* --- Greedy release ------------------------------------------------------------------------ */
    {.name = "two", .about = "two threads, twice each, blocking", .threads = 2, COMMON,
     .arg = SCRIPT("block unlock block unlock", "block unlock block unlock")},
    {.name = "two-thrice", .about = "two threads, three times each", .threads = 2, COMMON,
     .arg = SCRIPT("block unlock block unlock block unlock",
                   "block unlock block unlock block unlock")},
    {.name = "counter", .about = "a counter under the lock", .threads = 2, COMMON,
     .arg = &(const struct script){.threads = {"block unlock block unlock", "block unlock"},
                                   .counts = true}},
    {.name = "three", .about = "three threads, once each", .threads = 3, COMMON,
     .arg = SCRIPT("block unlock", "block unlock", "block unlock")},
    {.name = "three-mixed", .about = "one of three comes twice", .threads = 3, COMMON, .preemptions = 3,
     .arg = SCRIPT("block unlock block unlock", "block unlock", "block unlock")},
    {.name = "try", .about = "trylock between two blocking threads", .threads = 3, COMMON,
     .arg = SCRIPT("block unlock", "try unlock", "block unlock")},
    {.name = "spurious", .about = "a spurious wake and an EINTR", .threads = 3, COMMON,
     .budget = {.spurious = 1, .eintr = 1},
     .arg = SCRIPT("block unlock", "block unlock", "block unlock")},
    {.name = "quiet", .about = "releases that go back to the quiet state", .threads = 2, COMMON,
     .budget = {.chances = 3},
     .arg = SCRIPT("block unlock block unlock", "block unlock block unlock")},
    /* --- Policies ------------------------------------------------------------------------------ */
    {.name = "default", .about = "fw_mutex_lock: polls a little, then blocks", .threads = 2, COMMON,
     .budget = {.ticks = 2}, .arg = SCRIPT("lock unlock lock unlock", "lock unlock lock unlock")},
    {.name = "spin", .about = "a waiter that never sleeps, beside a sleeper", .threads = 3, COMMON,
     .budget = {.ticks = 2}, .arg = SCRIPT("block unlock", "spin unlock", "block unlock")},
    {.name = "spin-fair", .about = "a fair release meets a waiter that never sleeps", .threads = 2,
     COMMON, .budget = {.ticks = 2}, .arg = SCRIPT("block fair block unlock", "yield unlock")},
    {.name = "spin-fair-mixed", .about = "the same beside a sleeper", .threads = 3, COMMON,
     .budget = {.ticks = 1}, .arg = SCRIPT("block fair", "spin unlock", "block unlock")},
    /* --- Passing ------------------------------------------------------------------------------- */
    {.name = "fair", .about = "two threads, twice each, fair releases", .threads = 2, COMMON,
     .arg = SCRIPT("block fair block fair", "block fair block fair")},
    {.name = "fair-three", .about = "three threads, once each, fair releases", .threads = 3, COMMON,
     .arg = SCRIPT("block fair", "block fair", "block fair")},
    {.name = "fair-back", .about = "the releaser comes back while another waits", .threads = 2,
     COMMON, .arg = SCRIPT("block fair block fair block unlock", "block unlock block unlock")},
    {.name = "fair-late", .about = "the releaser comes back while two others wait", .threads = 3,
     COMMON, .preemptions = 3, .arg = SCRIPT("block fair block unlock", "block unlock", "block unlock")},
    {.name = "fair-spurious", .about = "passes and spurious wakes", .threads = 3, COMMON,
     .budget = {.spurious = 1}, .arg = SCRIPT("block fair", "block fair", "block unlock")},
    {.name = "starving", .about = "a waiter loses for long and asks for a hand-off", .threads = 2,
     COMMON, .budget = {.ticks = 1},
     .arg = SCRIPT("block unlock block unlock block unlock block unlock", "block unlock")},
    {.name = "starving-three", .about = "the same beside a second waiter", .threads = 3, COMMON,
     .preemptions = 3, .budget = {.ticks = 1},
     .arg = SCRIPT("block unlock block unlock", "block unlock", "block unlock")},
    /* --- Time-outs ----------------------------------------------------------------------------- */
    {.name = "timed", .about = "one of two waiters gives up", .threads = 3, COMMON,
     .budget = {.ticks = 1}, .arg = SCRIPT("block unlock", "timed unlock", "block unlock")},
    {.name = "timed-twice", .about = "both waiters give up", .threads = 3, COMMON,
     .budget = {.ticks = 1},
     .arg = SCRIPT("block unlock", "timed unlock", "timed unlock")},
    {.name = "timed-old", .about = "a waiter that was woken before gives up beside a sleeper",
     .threads = 3, COMMON, .preemptions = 2, .budget = {.ticks = 1, .spurious = 1},
     .arg = &(const struct script){.threads = {"held unlock block unlock", "timed unlock",
                                               "block unlock"},
                                   .initial = SUBJECT_FIRST_TID << FW_ID_SHIFT | FW_ID_HELD}},
    {.name = "timed-fair", .about = "a waiter gives up while the lock is passed", .threads = 3,
     COMMON, .budget = {.ticks = 1}, .arg = SCRIPT("block fair", "timed fair", "block unlock")},
    {.name = "timed-fair-late", .about = "the releaser comes back late and gives up", .threads = 2,
     COMMON, .budget = {.ticks = 1}, .arg = SCRIPT("block fair timed unlock", "block unlock")},
    {.name = "timed-fair-later", .about = "the same with a third thread", .threads = 3, COMMON,
     .preemptions = 3, .budget = {.ticks = 1},
     .arg = SCRIPT("block fair timed unlock", "block unlock", "block unlock")},
    {.name = "timed-fair-spin", .about = "the releaser comes back, polls, and gives up",
     .threads = 2, COMMON, .budget = {.ticks = 2},
     .arg = SCRIPT("block fair timed-spin unlock", "block unlock")},
    {.name = "timed-spin", .about = "a waiter that never sleeps gives up", .threads = 3, COMMON,
     .budget = {.ticks = 2}, .arg = SCRIPT("block unlock", "timed-spin unlock", "block unlock")},
    /* --- Lifetime ------------------------------------------------------------------------------ */
    {.name = "free", .about = "the last owner frees the lock", .threads = 3, COMMON,
     .arg = SCRIPT("block free", "block free", "block free")},
    {.name = "free-fair", .about = "the same after fair releases", .threads = 2, COMMON,
     .arg = SCRIPT("block fair block free", "block free")},
    {.name = "free-timed", .about = "the same, with a waiter that gives up", .threads = 3, COMMON,
     .budget = {.ticks = 1}, .arg = SCRIPT("block free", "timed free", "block free")},
    /* --- Surroundings -------------------------------------------------------------------------- */
    {.name = "signal", .about = "a signal handler that tries the lock", .threads = 2, COMMON,
     .handler = handler, .budget = {.signals = 1},
     .arg = SCRIPT("block unlock block unlock", "block unlock")},
    {.name = "refused", .about = "the kernel refuses the fence now and then", .threads = 2, COMMON,
     .budget = {.refusals = 2}, .arg = SCRIPT("block unlock block unlock", "block unlock block unlock")},
    {.name = "refused-three", .about = "the same with three threads and a pass", .threads = 3, COMMON,
     .budget = {.refusals = 1}, .arg = SCRIPT("block unlock", "block fair", "block unlock")},
    {.name = "fork", .about = "the lock was free and contended at a fork", .threads = 2, COMMON,
     .generation = 1,
     .arg = &(const struct script){.threads = {"block unlock block unlock", "block unlock"},
                                   .initial = 2 * MUTEX_WAITER | MUTEX_FENCED | MUTEX_WAKING |
                                              MUTEX_OLD | MUTEX_HANDOFF}},
    {.name = "fork-held", .about = "the forking thread held it", .threads = 2, COMMON,
     .generation = 2,
     .arg = &(const struct script){.threads = {"held unlock block fair", "block unlock"},
                                   .initial = (SUBJECT_FIRST_TID << FW_ID_SHIFT | FW_ID_HELD) |
                                              2 * MUTEX_WAITER | MUTEX_FENCED | MUTEX_WAKING |
                                              UINT64_C(1) << MUTEX_GENERATION_SHIFT}},
    {.name = "fork-passed", .about = "the lock was being handed over at the fork", .threads = 2,
     COMMON, .generation = 2,
     .arg = &(const struct script){.threads = {"block unlock try unlock", "block fair"},
                                   .initial = MUTEX_PASSED | 7 << FW_ID_SHIFT | FW_ID_HELD |
                                              2 * MUTEX_WAITER | MUTEX_FENCED | MUTEX_WAKING |
                                              UINT64_C(1) << MUTEX_GENERATION_SHIFT}},
    /* --- More of everything -------------------------------------------------------------------- */
    {.name = "three-twice", .about = "three threads, twice each", .threads = 3, COMMON,
     .preemptions = 3, .deep_preemptions = 4,
     .arg = SCRIPT("block unlock block unlock", "block unlock block unlock",
                   "block unlock block unlock")},
    {.name = "four", .about = "four threads, once each", .threads = 4, COMMON, .preemptions = 2,
     .deep_preemptions = 3,
     .arg = SCRIPT("block unlock", "block unlock", "block unlock", "block unlock")},
    {.name = "counter-three", .about = "a counter and three threads", .threads = 3, COMMON,
     .preemptions = 3,
     .arg = &(const struct script){.threads = {"lock unlock", "block fair", "spin3 unlock"},
                                   .counts = true}},
    {.name = "default-three", .about = "three threads that poll a little, then block", .threads = 3,
     COMMON, .preemptions = 3, .deep_preemptions = 4, .budget = {.ticks = 2},
     .arg = SCRIPT("lock unlock lock unlock", "lock unlock", "lock fair")},
    {.name = "signal-three", .about = "a signal handler that tries the lock, and three threads",
     .threads = 3, COMMON, .preemptions = 2, .deep_preemptions = 3, .handler = handler, .budget = {.signals = 1},
     .arg = SCRIPT("block fair", "block unlock", "block unlock")},
    {.name = "generic-three", .about = "no restartable sequences, three threads", .threads = 3,
     COMMON, .generic = true, .budget = {.spurious = 1},
     .arg = SCRIPT("block unlock", "block fair", "block unlock")},
    {.name = "storm", .about = "two threads, and everything that can happen to them", .threads = 2,
     COMMON, .handler = handler, .preemptions = 2, .deep_preemptions = 3,
     .budget = {.spurious = 1, .eintr = 1, .ticks = 1, .refusals = 1, .chances = 1, .signals = 1},
     .arg = SCRIPT("block fair lock unlock", "timed unlock spin3 fair")},
    {.name = "storm-three", .about = "three threads, and nearly everything", .threads = 3, COMMON,
     .preemptions = 1, .deep_preemptions = 2, .budget = {.spurious = 1, .ticks = 1, .refusals = 1},
     .arg = SCRIPT("block fair block unlock", "timed unlock", "spin3 unlock")},
};

const struct program_group mutex_programs = {"mutex", programs, sizeof programs / sizeof *programs};
