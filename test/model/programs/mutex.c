/* SPDX-License-Identifier: MIT */
/*
 * The programs for the mutex.  Their scripts are lists of pairs of words: how a thread takes the
 * lock, and how it lets go.
 *
 *   block, spin3, spin, yield, default   lock with that wait policy
 *   adapt                                adaptive, with a small budget
 *   lock                                 fw_mutex_lock
 *   timed, timed-spin, timed-adapt       the same with a deadline (blocking, or never sleeping)
 *   timed-real                           blocking, with a deadline on CLOCK_REALTIME
 *   try                                  trylock
 *   posix, posix-timed                   fw_mutex_lock_posix_
 *   turn, done, go                       nothing; after its turn has come, or it has said `done`
 *   not-held                             nothing: it lets go of what another thread has
 *   held                                 the thread has the lock from the start
 *
 *   unlock, fair                         the two releases; skipped where the lock was not taken
 *   let, let-fair                        fw_mutex_unlock_posix_; by whoever says it
 *   free                                 frees the mutex' memory instead, if all others are gone
 *
 * A program may begin with a word, and may have a counter that is changed by plain loads and
 * stores; then fw_mutex_owner is asked as well.
 */
#include <stdbool.h>
#include <stdint.h>

#include "../cpus.h"
#include "../kernel.h"
#include "../subject/atomic.h"
#include "../subject/subject.h"
#include "mutex_check.h"
#include "script.h"
#include "thread/mutex_word.h"
#include "thread_calls.h"

SCRIPT_WORDS(BLOCK, SPIN3, SPIN, YIELD, DEFAULT, ADAPT, LOCK, TIMED, TIMED_SPIN, TIMED_ADAPT,
             TIMED_REAL, TRY, POSIX, POSIX_TIMED, UNLOCK, FAIR, LET, LET_FAIR, FREE, HELD, NOT_HELD,
             TURN, DONE, GO, SPIN_ON, DONE_UNLOCK, TURN_UNLOCK);

static const fw_wait_policy policies[] = {
    [BLOCK] = {FW_WAIT_BLOCK, 0},     [SPIN3] = {FW_WAIT_SPIN_THEN_BLOCK, 3000},
    [SPIN] = {FW_WAIT_SPIN, 0},       [YIELD] = {FW_WAIT_YIELD, 0},
    [DEFAULT] = {FW_WAIT_DEFAULT, 0}, [ADAPT] = {FW_WAIT_ADAPTIVE, 3000}};

static fw_mutex *m;
static fw_half_ *counter; /* NULL: this program does not count */
static fw_half_ *is_done;

static void setup(void)
{
    m = mutex_check_setup(model_program->initial);
    counter = model_program->arg != NULL ? model_object("counter", 4, NULL, NULL) : NULL;
    is_done = model_program->tasks != NULL ? model_object("done", 8, NULL, NULL) : NULL;
}

/* The critical section lasts until the release is visible, so others have time to intrude. */
static void critical_section(unsigned self)
{
    mutex_check_enter(self);
    if (counter == NULL)
        return;
    fw_store32_relaxed(counter, fw_load32_relaxed(counter) + 1);
    if (mutex_in_use()->owner(m) != (pid_t)(SUBJECT_FIRST_TID + self))
        model_thread_fail("owner", "fw_mutex_owner does not name thread %llu, which has the lock",
                          self, 0);
}

static int acquire(enum word how)
{
    switch (how) {
    case LOCK:
        mutex_in_use()->lock(m);
        return 0;
    case TIMED:
        return mutex_in_use()->lock_policy(m, &policies[BLOCK], &script_deadline);
    case TIMED_SPIN:
        return mutex_in_use()->lock_policy(m, &policies[SPIN], &script_deadline);
    case TIMED_ADAPT:
        return mutex_in_use()->lock_policy(m, &policies[ADAPT], &script_deadline);
    case TIMED_REAL:
        return mutex_in_use()->lock_policy(m, &policies[BLOCK], &script_deadline_real);
    case TRY:
        return mutex_in_use()->trylock(m);
    case POSIX:
        return mutex_in_use()->lock_posix(m, NULL);
    case POSIX_TIMED:
        return mutex_in_use()->lock_posix(m, &script_deadline);
    case HELD:
        return 0;
    default:
        return mutex_in_use()->lock_policy(m, &policies[how], NULL);
    }
}

/* The memory may go when every other thread is on its last release, or has given up. */
static bool is_last(unsigned self)
{
    return script_is_last(self, MUTEX_GONE);
}

static void release(unsigned self, enum word how)
{
    if (how == TURN_UNLOCK)
        model_op(OP_SLEEP, NULL, 0, 0, 0, 0, 0);
    if (how == DONE_UNLOCK)
        fw_store32_relaxed(is_done, 1);
    if (how == FREE && is_last(self)) {
        model_op(OP_FREE, m, 8, 0, 0, 0, 0);
        return;
    }
    if (how == FAIR) {
        mutex_check_fair_release(self);
        mutex_in_use()->unlock_fair(m);
    } else if (how == LET || how == LET_FAIR) {
        mutex_in_use()->unlock_posix(m, how == LET_FAIR);
    } else {
        mutex_in_use()->unlock(m);
    }
}

/* One of priority 0 has the lock, which does not inherit; or somebody who has yet to sign. */
static bool ordinary_thread_has_it(void)
{
    uint32_t owner = fw_load32_relaxed((fw_half_ *)&m->state_);

    if (owner == 0 || (owner & MUTEX_HANDOFF) != 0)
        return false;
    return owner == FW_ID_HELD ||
           model_threads[(owner >> FW_ID_SHIFT) - SUBJECT_FIRST_TID].priority == 0;
}

/* Without the lock. */
static void act_alone(const unsigned *w)
{
    if (w[0] == TURN)
        model_op(OP_SLEEP, NULL, 0, 0, 0, 0, 0);
    else if (w[0] == DONE)
        fw_store32_relaxed(is_done, 1);
    while (w[1] == SPIN_ON && fw_load32_relaxed(is_done) == 0 && !ordinary_thread_has_it())
        ;
}

static void thread(unsigned self)
{
    for (const unsigned *w = script_words[self]; *w != END; w += 2) {
        if (w[0] == TURN || w[0] == DONE || w[0] == GO) {
            act_alone(w);
        } else if (w[0] == NOT_HELD) {
            mutex_check_stranger(self);
            release(self, w[1]);
        } else if (acquire(w[0]) == 0) {
            critical_section(self);
            release(self, w[1]);
        } else {
            mutex_check_gave_up(self);
            if (w[1] == FREE)
                is_last(self);
        }
    }
}

static void handler(void)
{
    unsigned self = model_current;

    if (mutex_in_use()->trylock(m) == 0) {
        critical_section(self);
        mutex_in_use()->unlock(m);
    }
}

static void finished(void)
{
    if (model_shared.dead != 0)
        return;
    mutex_check_finished();
    if (counter != NULL && *counter != *shadow(MUTEX_ENTRIES))
        model_fail("lost update", "%llu entries, and the counter says %llu", *shadow(MUTEX_ENTRIES),
                   *counter);
}

static HOOKS(hooks, .words = word_names, .setup = setup, .thread = thread, .handler = handler,
             .changed = mutex_check_changed, .finished = finished);

#define PROGRAM(...) SCRIPTED(hooks, __VA_ARGS__)
#define WORD(word) .initial = (word)
#define COUNTS .arg = "counts"
#define TRUTH(n) .assist = ASSIST_TRUE, .cpus = n, .time_passes = true
#define MISSED(...) PROGRAM(__VA_ARGS__, .kernel = "6.1.100-amd64")
#define TWICE "block unlock block unlock | block unlock block unlock"

/* Words to begin with. */
#define HELD_BY_A ((uint64_t)SUBJECT_FIRST_TID << FW_ID_SHIFT | FW_ID_HELD)
#define BEING_HANDED_OFF (MUTEX_HANDOFF | 7u << FW_ID_SHIFT | FW_ID_HELD)
#define LEFT_BEHIND (2 * MUTEX_WAITER | MUTEX_FENCED | MUTEX_WAKING | MUTEX_RETRY | MUTEX_STARVING)
#define GENERATION(n) (UINT64_C(n) << MUTEX_GENERATION_SHIFT)

/* Each on a CPU of its own; and one that spins, an ordinary one beside it, an urgent one. */
static const struct model_task apart[] = {{0, 0}, {10, 1}, {20, 2}};
static const struct model_task last_urgent[] = {{0, 0}, {0, 1}, {0, 2}, {20, 3}};
static const struct model_task beside[] = {{10, 0}, {0, 0}, {20, 1}};
#define URGENT(...) PROGRAM(__VA_ARGS__, .assist = ASSIST_NO, .generic = true, .time_passes = true)

static const struct model_program programs[] = {
    /* --- Greedy release --------------------------------------------------------------------- */
    PROGRAM("two", "block unlock block unlock | block unlock block unlock"),
    PROGRAM("two-thrice",
            "block unlock block unlock block unlock | block unlock block unlock block unlock"),
    PROGRAM("counter", "block unlock block unlock | block unlock", COUNTS),
    PROGRAM("three", "block unlock | block unlock | block unlock"),
    PROGRAM("try", "block unlock | try unlock | block unlock"),
    PROGRAM("spurious", "block unlock | block unlock | block unlock", INTERRUPTED),
    PROGRAM("needless-wakes", "block unlock block unlock | block unlock", .budget = {.spurious = 3},
            ABOUT("a waiter that is woken needlessly again and again")),
    PROGRAM("needless-wakes-three", "block unlock block fair | block unlock | block unlock",
            BOUND(2, 3), .budget = {.spurious = 3}),
    PROGRAM("vouch", "block unlock block unlock | block unlock | block unlock", BOUND(2, 3),
            .budget = {.spurious = 3},
            ABOUT("a waiter that sleeps for a short time, and one that relies on it")),
    PROGRAM("vouch-fair", "block fair block unlock | block unlock | block unlock", BOUND(1, 3),
            .budget = {.spurious = 3}),
    PROGRAM("vouch-timed", "block unlock block unlock | timed unlock | block unlock", BOUND(1, 2),
            .budget = {.ticks = 1, .spurious = 3}),
    PROGRAM("vouch-four", "block unlock | block unlock | block unlock | block unlock", BOUND(1, 2),
            .budget = {.spurious = 3}),
    PROGRAM("quiet", "block unlock block unlock | block unlock block unlock",
            .budget = {.chances = 3}, ABOUT("releases that go back to the quiet state")),
    /* --- Policies --------------------------------------------------------------------------- */
    PROGRAM("default", "lock unlock lock unlock | lock unlock lock unlock", TICKS(2),
            ABOUT("fw_mutex_lock: polls a little, then blocks")),
    PROGRAM("spin", "block unlock | spin unlock | block unlock", TICKS(2),
            ABOUT("a waiter that never sleeps, beside a sleeper")),
    PROGRAM("spin-fair", "block fair block unlock | yield unlock", TICKS(2),
            ABOUT("a fair release meets a waiter that never sleeps")),
    PROGRAM("spin-fair-mixed", "block fair | spin unlock | block unlock", TICKS(1)),
    /* --- Passing ---------------------------------------------------------------------------- */
    PROGRAM("fair", "block fair block fair | block fair block fair"),
    PROGRAM("fair-three", "block fair | block fair | block fair"),
    PROGRAM("fair-back", "block fair block fair block unlock | block unlock block unlock",
            ABOUT("the releaser comes back while another waits")),
    PROGRAM("fair-late", "block fair block unlock | block unlock | block unlock", BOUND(3, 0),
            ABOUT("the releaser comes back while two others wait")),
    PROGRAM("fair-spurious", "block fair | block fair | block unlock", .budget = {.spurious = 1},
            ABOUT("passes and spurious wakes")),
    PROGRAM("starving", "block unlock block unlock block unlock block unlock | block unlock",
            TICKS(1), ABOUT("a waiter loses for long and asks for a hand-off")),
    PROGRAM("starving-three", "block unlock block unlock | block unlock | block unlock",
            BOUND(3, 0), TICKS(1)),
    /* --- Time-outs -------------------------------------------------------------------------- */
    PROGRAM("timed", "block unlock | timed unlock | block unlock", TICKS(1)),
    PROGRAM("timed-twice", "block unlock | timed unlock | timed unlock", TICKS(1)),
    PROGRAM("timed-old", "held unlock block unlock | timed unlock | block unlock", BOUND(2, 4),
            .budget = {.ticks = 1, .spurious = 1}, WORD(HELD_BY_A),
            ABOUT("a waiter that was woken before gives up beside a sleeper")),
    PROGRAM("timed-fair", "block fair | timed fair | block unlock", TICKS(1),
            ABOUT("a waiter gives up while the lock is being handed off")),
    PROGRAM("timed-fair-late", "block fair timed unlock | block unlock", TICKS(1),
            ABOUT("the releaser comes back late and gives up")),
    PROGRAM("timed-fair-later", "block fair timed unlock | block unlock | block unlock",
            BOUND(3, 0), TICKS(1), ABOUT("the same with a third thread")),
    PROGRAM("timed-fair-spin", "block fair timed-spin unlock | block unlock", TICKS(2),
            ABOUT("the releaser comes back, polls, and gives up")),
    PROGRAM("timed-spin", "block unlock | timed-spin unlock | block unlock", TICKS(2),
            ABOUT("a waiter that never sleeps gives up")),
    PROGRAM("clock-step", "timed-real unlock | block unlock block unlock",
            .budget = {.spurious = 3, .clock_steps = 1},
            ABOUT("CLOCK_REALTIME is set while a waiter has a deadline on it")),
    PROGRAM("clock-step-refused", "timed-real unlock | block unlock block unlock",
            .budget = {.clock_steps = 1, .refusals = 1},
            ABOUT("the same where the kernel refuses the fence")),
    PROGRAM("clock-step-three", "block unlock | timed-real unlock | block unlock", BOUND(2, 0),
            .budget = {.ticks = 1, .clock_steps = 1},
            ABOUT("the same beside a waiter without a deadline")),
    /* --- Lifetime --------------------------------------------------------------------------- */
    PROGRAM("free", "block free | block free | block free"),
    PROGRAM("free-fair", "block fair block free | block free",
            ABOUT("the same after fair releases")),
    PROGRAM("free-timed", "block free | timed free | block free", TICKS(1),
            ABOUT("the same, with a waiter that gives up")),
    /* --- Surroundings ----------------------------------------------------------------------- */
    PROGRAM("signal", "block unlock block unlock | block unlock", .budget = {.signals = 1},
            ABOUT("a signal handler that tries the lock")),
    PROGRAM("refused", "block unlock block unlock | block unlock block unlock", REFUSALS(2),
            ABOUT("the kernel refuses the fence now and then")),
    PROGRAM("refused-three", "block unlock | block fair | block unlock", REFUSALS(1)),
    /* --- Fences that miss a plain release: kernel.h ----------------------------------------- */
    MISSED("missed", TWICE, .misses = 1, ABOUT("a fence may miss a release: two calls")),
    PROGRAM("missed-unnamed", TWICE, .misses = 1, .kernel = "",
            ABOUT("the same on a kernel that does not say which it is")),
    MISSED("missed-three", "block unlock block unlock | block unlock | block unlock", .misses = 1,
           BOUND(2, 3)),
    MISSED("missed-timed", "block unlock block unlock | timed unlock block unlock", .misses = 1,
           TICKS(1)),
    MISSED("missed-refused", TWICE, .misses = 1, REFUSALS(1),
           ABOUT("a call of the two is refused")),
    MISSED("missed-once", TWICE, .misses = 1, .environment = "FURWOCK_FENCES=1",
           .expects = "lost wake-up", ABOUT("one call (FURWOCK_FENCES=1) is not enough")),
    MISSED("missed-twice", TWICE, .misses = 2, .expects = "lost wake-up",
           ABOUT("two are not where both may miss the same release")),
    MISSED("missed-none", TWICE, .misses = 2, .environment = "FURWOCK_FENCES=0",
           ABOUT("there are no plain releases (FURWOCK_FENCES=0)")),
    PROGRAM("fork", "block unlock block unlock | block unlock", .generation = 1, WORD(LEFT_BEHIND),
            ABOUT("the lock was free and contended at a fork")),
    PROGRAM("fork-held", "held unlock block fair | block unlock", .generation = 2,
            WORD(HELD_BY_A | LEFT_BEHIND | GENERATION(1)), ABOUT("the forking thread held it")),
    PROGRAM("fork-passed", "block unlock try unlock | block fair", .generation = 2,
            WORD(BEING_HANDED_OFF | LEFT_BEHIND | GENERATION(1)),
            ABOUT("the lock was being handed over at the fork")),
    /* --- Real-time threads -------------------------------------------------------------------- */
    URGENT("urgent", "block unlock block unlock | block unlock | block unlock", .tasks = apart,
           BOUND(3, 0), ABOUT("an ordinary thread and two real-time ones")),
    URGENT("urgent-fair", "block fair block unlock | block fair | block unlock", .tasks = apart,
           BOUND(3, 0)),
    URGENT("urgent-timed", "block unlock block unlock | block unlock | timed unlock",
           .tasks = apart, BOUND(2, 0)),
    URGENT("urgent-vouch", "held unlock block unlock | block unlock | block unlock | timed unlock",
           .tasks = last_urgent, BOUND(1, 0), WORD(HELD_BY_A),
           ABOUT("one that has lost the race sleeps; a real-time thread gives up beside it")),
    URGENT(
        "urgent-waker",
        "block turn-unlock block turn-unlock go spin-on | block done-unlock | block unlock done go",
        .tasks = beside,
        ABOUT("one that lost the race has lost its CPU to one that runs on and on")),
    /* --- With the C library's rules --------------------------------------------------------- */
    PROGRAM("loose", "posix let posix let | posix let posix let"),
    PROGRAM("loose-three", "posix let | block let | posix unlock"),
    PROGRAM("loose-fair", "posix let-fair | posix let-fair | posix let", BOUND(3, 0)),
    PROGRAM("loose-timed", "posix let | posix-timed let | posix let", TICKS(1)),
    PROGRAM("stranger", "posix let | not-held let", WORD(HELD_BY_A),
            ABOUT("the owner locks again, and another thread releases")),
    PROGRAM("stranger-waits", "posix let | not-held let | posix-timed let", TICKS(1),
            WORD(HELD_BY_A), ABOUT("the same beside a waiter, who gives up")),
    /* --- Who runs: any answer, a dead page, the truth ----------------------------------------- */
    PROGRAM("lies", "adapt unlock adapt unlock | adapt unlock adapt unlock", .assist = ASSIST_LIES),
    PROGRAM("lies-long", "adapt unlock adapt unlock | adapt unlock", .assist = ASSIST_LIES,
            TICKS(2), ABOUT("the same, and time passes")),
    PROGRAM("lies-three", "adapt unlock | adapt unlock | adapt unlock", .assist = ASSIST_LIES),
    PROGRAM("lies-sleeper", "block unlock block unlock | adapt unlock | block unlock",
            .assist = ASSIST_LIES, TICKS(1), BOUND(2, 4), ABOUT("beside one that does not ask")),
    PROGRAM("lies-fair", "adapt fair | adapt fair | adapt unlock", .assist = ASSIST_LIES),
    PROGRAM("lies-fair-back", "adapt fair adapt fair adapt unlock | adapt unlock adapt unlock",
            .assist = ASSIST_LIES, ABOUT("the releaser comes back while another waits")),
    PROGRAM("lies-starving", "block unlock block unlock block unlock block unlock | adapt unlock",
            .assist = ASSIST_LIES, TICKS(1),
            ABOUT("a waiter loses for long and asks for a hand-off")),
    PROGRAM("lies-starving-three", "block unlock block unlock | adapt unlock | adapt unlock",
            .assist = ASSIST_LIES, TICKS(1), BOUND(1, 3)),
    PROGRAM("lies-timed", "adapt unlock | timed-adapt unlock | block unlock", .assist = ASSIST_LIES,
            TICKS(1), BOUND(2, 3)),
    PROGRAM("lies-timed-fair", "adapt fair timed-adapt unlock | adapt unlock",
            .assist = ASSIST_LIES, TICKS(2), ABOUT("the releaser comes back, polls, and gives up")),
    PROGRAM("lies-free", "adapt free | adapt free | adapt free", .assist = ASSIST_LIES),
    PROGRAM("lies-refused", "adapt unlock adapt unlock | adapt unlock", .assist = ASSIST_LIES,
            REFUSALS(2), ABOUT("the kernel refuses the fence now and then")),
    PROGRAM("lies-fork", "adapt unlock try unlock | adapt fair", .assist = ASSIST_LIES,
            .generation = 2, WORD(BEING_HANDED_OFF | LEFT_BEHIND | GENERATION(1)),
            ABOUT("the lock was being handed over at a fork")),
    PROGRAM("lies-storm", "adapt fair adapt unlock | timed-adapt unlock | adapt unlock",
            .assist = ASSIST_LIES, BOUND(1, 2),
            .budget = {.spurious = 1, .ticks = 1, .refusals = 1},
            ABOUT("and nearly everything else")),
    PROGRAM("all-run", "adapt unlock | adapt fair | adapt unlock", .assist = ASSIST_YES, TICKS(1),
            BOUND(3, 5), ABOUT("a dead page says that everybody runs")),
    PROGRAM("none-runs", "adapt unlock | adapt fair | adapt unlock", .assist = ASSIST_NO,
            ABOUT("a dead page says that nobody does")),
    PROGRAM("all-run-alone", "adapt unlock adapt unlock | adapt unlock", .assist = ASSIST_YES,
            .cpus = 1, .time_passes = true,
            ABOUT("the same as all-run on one CPU: polling has an end")),
    PROGRAM("truth", "adapt unlock adapt unlock | adapt unlock adapt unlock", TRUTH(1),
            ABOUT("the truth, on one CPU: nobody polls needlessly")),
    PROGRAM("truth-fair", "adapt fair adapt fair | adapt fair adapt unlock", TRUTH(1)),
    PROGRAM("truth-timed", "adapt unlock adapt unlock | timed-adapt unlock", TRUTH(1), BOUND(4, 6)),
    PROGRAM("truth-generic", "adapt unlock | adapt unlock | adapt unlock", TRUTH(1),
            .generic = true, ABOUT("three threads on one CPU, no restartable sequences")),
    PROGRAM("truth-three", "adapt unlock | adapt fair | adapt unlock", TRUTH(2), BOUND(2, 3),
            ABOUT("three threads on two CPUs")),
    /* --- More of everything ----------------------------------------------------------------- */
    PROGRAM("three-twice",
            "block unlock block unlock | block unlock block unlock | block unlock block unlock",
            BOUND(3, 4)),
    PROGRAM("four", "block unlock | block unlock | block unlock | block unlock", BOUND(2, 3)),
    PROGRAM("counter-three", "lock unlock | block fair | spin3 unlock", COUNTS),
    PROGRAM("default-three", "lock unlock lock unlock | lock unlock | lock fair", BOUND(3, 4),
            TICKS(2), ABOUT("three threads that poll a little, then block")),
    PROGRAM("signal-three", "block fair | block unlock | block unlock", BOUND(2, 3),
            .budget = {.signals = 1},
            ABOUT("a signal handler that tries the lock, and three threads")),
    PROGRAM("generic-three", "block unlock | block fair | block unlock", .generic = true,
            .budget = {.spurious = 1}),
    PROGRAM("storm", "block fair lock unlock | timed unlock spin3 fair", BOUND(2, 3),
            .budget =
                {.spurious = 1, .eintr = 1, .ticks = 1, .refusals = 1, .chances = 1, .signals = 1},
            ABOUT("two threads, and everything that can happen to them")),
    PROGRAM("storm-three", "block fair block unlock | timed unlock | spin3 unlock", BOUND(1, 2),
            .budget = {.spurious = 1, .ticks = 1, .refusals = 1},
            ABOUT("three threads, and nearly everything")),
};

GROUP(mutex, "mutex");
