/* SPDX-License-Identifier: MIT */
/*
 * The programs for the read-write lock.  The words of their scripts:
 *
 *   read, write, up                          takes the lock so (blocking)
 *   spin-read, spin-write                    the same, never sleeping
 *   default-read, default-write              the inline calls, with the default policy
 *   timed-read, timed-write, timed-up, try-read, try-write, try-up
 *   real-write                               the deadline is on CLOCK_REALTIME
 *   task-read, task-write                    by an operation: queued, and told by a waker
 *   cancel-read, cancel-write                the same, and cancelled at once: it may have the lock
 *   upgrade, timed-upgrade, try-upgrade      where it reads upgradable
 *   downgrade, downgrade-up                  where it may
 *   again                                    reads once more, and gives that up
 *   unlock, unlock-any                       by the call for the mode; by the one for all
 *   leave                                    the same; a writer that is the last of all threads
 *                                            frees the lock then
 *
 *   turn                                     sleeps until its turn, which comes at any moment
 *   spin                                     runs until somebody has said `done`, or one of
 *                                            priority 0 has the lock, which does not inherit,
 *                                            or is inside its bucket
 *   done                                     says so
 *
 * Words that do not fit what the thread has are skipped.
 */
#include "../buckets.h"
#include "../cpus.h"
#include "../kernel.h"
#include "../subject/subject.h"
#include "rwlock_check.h"
#include "script.h"
#include "thread/rwlock_word.h"
#include "thread_calls.h"

struct rwlock_script {
    fw_rwlock_kind kind;
    uint64_t state, line; /* to begin with */
    bool is_stale;        /* nobody knows how urgent it is before it sleeps */
};

SCRIPT_WORDS(READ, WRITE, UP, SPIN_READ, SPIN_WRITE, DEFAULT_READ, DEFAULT_WRITE, TIMED_READ,
             TIMED_WRITE, TIMED_UP, REAL_WRITE, TRY_READ, TRY_WRITE, TRY_UP, TASK_READ, TASK_WRITE,
             CANCEL_READ, CANCEL_WRITE, UPGRADE, TIMED_UPGRADE, TRY_UPGRADE, DOWNGRADE,
             DOWNGRADE_UP, AGAIN, UNLOCK, UNLOCK_ANY, LEAVE, TURN, SPIN, DONE);

static fw_rwlock *l;
static fw_half_ *is_done;

static void setup(void)
{
    static const struct rwlock_script none;
    const struct rwlock_script *s = script_options(&none);

    l = rwlock_check_setup(s->kind, s->state, s->line);
    rwlock_task_setup();
    is_done = model_program->tasks != NULL ? model_object("done", 8, NULL, NULL) : NULL;
    subject_is_stale = s->is_stale;
}

/* --- Taking --------------------------------------------------------------------------------- */

static int take(unsigned self, enum word w, enum rwlock_mode *mode)
{
    const struct rwlock_calls *calls = rwlock_in_use();

    *mode = w == READ || w == TASK_READ || w == CANCEL_READ || w == SPIN_READ ||
                    w == DEFAULT_READ || w == TIMED_READ || w == TRY_READ
                ? RWLOCK_READS
            : w == UP || w == TIMED_UP || w == TRY_UP ? RWLOCK_UPREADS
                                                      : RWLOCK_WRITES;
    if (w >= TASK_READ && w <= CANCEL_WRITE)
        return rwlock_task_take(l, self, *mode, w >= CANCEL_READ);
    if (w == DEFAULT_READ || w == DEFAULT_WRITE) {
        (w == DEFAULT_READ ? calls->rdlock : calls->wrlock)(l);
        return 0;
    }
    if (w >= TRY_READ && w <= TRY_UP)
        return (w == TRY_READ    ? calls->tryrdlock
                : w == TRY_WRITE ? calls->trywrlock
                                 : calls->tryuplock)(l);
    return (*mode == RWLOCK_READS    ? calls->rdlock_policy
            : *mode == RWLOCK_WRITES ? calls->wrlock_policy
                                     : calls->uplock_policy)(
        l, w == SPIN_READ || w == SPIN_WRITE ? &script_spinning : &script_blocking,
        w == REAL_WRITE                    ? &script_deadline_real
        : w >= TIMED_READ && w <= TIMED_UP ? &script_deadline
                                           : NULL);
}

/* --- Changing modes ------------------------------------------------------------------------- */

static void check_owner(unsigned self)
{
    if (rwlock_in_use()->owner(l) != (pid_t)(SUBJECT_FIRST_TID + self))
        model_thread_fail("owner", "fw_rwlock_owner does not name thread %llu, which has the lock",
                          self, 0);
}

static void upgrade(unsigned self, enum word w)
{
    int error =
        w == TRY_UPGRADE
            ? rwlock_in_use()->tryupgrade(l)
            : rwlock_in_use()->timedupgrade(l, w == TIMED_UPGRADE ? &script_deadline : NULL);

    rwlock_check_has(self, error == 0 ? RWLOCK_WRITES : RWLOCK_UPREADS);
    check_owner(self);
}

static void downgrade(unsigned self, enum word w)
{
    enum rwlock_mode to = w == DOWNGRADE ? RWLOCK_READS : RWLOCK_UPREADS;

    rwlock_check_changes(self, to);
    if (w == DOWNGRADE)
        rwlock_in_use()->downgrade(l);
    else
        rwlock_in_use()->downgrade_upgradable(l);
    rwlock_check_has(self, to);
}

/* --- Letting go ----------------------------------------------------------------------------- */

static void let_go(unsigned self, enum rwlock_mode mode, enum word w)
{
    bool last = w == LEAVE && rwlock_check_is_last(self) && mode == RWLOCK_WRITES;

    rwlock_check_changes(self, RWLOCK_NONE);
    if (w == UNLOCK_ANY)
        rwlock_in_use()->unlock(l);
    else if (mode == RWLOCK_READS)
        rwlock_in_use()->rdunlock(l);
    else if (mode == RWLOCK_WRITES)
        rwlock_in_use()->wrunlock(l);
    else
        rwlock_in_use()->upunlock(l);
    if (last)
        model_op(OP_FREE, l, sizeof *l, 0, 0, 0, 0);
}

static void read_again(unsigned self)
{
    if (rwlock_in_use()->rdlock_policy(l, &script_blocking, NULL) != 0)
        return;
    rwlock_check_back(self);
    rwlock_in_use()->rdunlock(l);
}

/* One of priority 0 has the lock, or is inside the bucket: that lock does inherit, but not here. */
static bool ordinary_thread_has_it(void)
{
    uint64_t inside = fw_load64_relaxed(&buckets_only()->inside);
    fw_rw_word_ w = fw_load64_relaxed(&l->state_);

    if (inside != 0 && model_threads[inside - 1].priority == 0)
        return true;
    return rw_has_writer(w) &&
           model_threads[(rw_owner(w) >> FW_ID_SHIFT) - SUBJECT_FIRST_TID].priority == 0;
}

/* Without the lock. */
static void act_alone(enum word w)
{
    if (w == TURN)
        model_op(OP_SLEEP, NULL, 0, 0, 0, 0, 0);
    else if (w == DONE)
        fw_store32_relaxed(is_done, 1);
    else
        while (fw_load32_relaxed(is_done) == 0 && !ordinary_thread_has_it())
            ;
}

static void act(unsigned self, unsigned w)
{
    enum rwlock_mode mode = rwlock_check_mode(self);

    if (w >= TURN) {
        act_alone(w);
    } else if (w < UPGRADE && mode == RWLOCK_NONE) {
        int error = take(self, w, &mode);
        rwlock_check_back(self);
        if (error == 0)
            rwlock_check_has(self, mode);
    } else if (w >= UPGRADE && w <= TRY_UPGRADE && mode == RWLOCK_UPREADS) {
        upgrade(self, w);
    } else if ((w == DOWNGRADE && mode >= RWLOCK_UPREADS) ||
               (w == DOWNGRADE_UP && mode == RWLOCK_WRITES)) {
        downgrade(self, w);
    } else if (w == AGAIN && mode == RWLOCK_READS) {
        read_again(self);
    } else if (w >= UNLOCK && mode != RWLOCK_NONE) {
        let_go(self, mode, w);
    } else if (w == LEAVE) {
        rwlock_check_is_last(self);
    }
}

static HOOKS(hooks, .words = word_names, .setup = setup, .act = act,
             .changed = rwlock_check_changed, .finished = rwlock_check_finished);

#define PROGRAM(...) SCRIPTED(hooks, __VA_ARGS__, .buckets = 1)
#define WITH(...) WITH_OPTIONS(rwlock_script, __VA_ARGS__)
#define KIND(preference) WITH(.kind = FW_RWLOCK_PREFER_##preference)
#define GREEDY WITH(.kind = FW_RWLOCK_GREEDY)
#define WORDS(s, q) WITH(.state = (s), .line = (q))
#define STALE WITH(.is_stale = true)
#define AHEAD(...) PROGRAM(__VA_ARGS__, .cpu_count = 4, .budget = {.chances = 2, .ticks = 1})

/* Each on a CPU of its own; and a holder, an ordinary one beside one that spins, an urgent one. */
static const struct model_task apart[] = {{0, 0}, {10, 1}, {20, 2}, {30, 3}};
static const struct model_task beside[] = {{5, 0}, {0, 1}, {10, 1}, {20, 2}};
#define URGENT(...) PROGRAM(__VA_ARGS__, .assist = ASSIST_NO, .time_passes = true)

static const struct model_program programs[] = {
    /* --- Operations beside threads ------------------------------------------------------------ */
    PROGRAM("rw-task", "task-read unlock | task-write unlock | read unlock", BOUND(3, 4)),
    PROGRAM("rw-task-reader", "read unlock | task-write unlock | write unlock", BOUND(3, 4)),
    PROGRAM("rw-task-writers", "task-write unlock | task-write unlock | write unlock", BOUND(3, 4)),
    PROGRAM("rw-task-leave", "task-write leave | task-write leave | read leave", BOUND(3, 4)),
    PROGRAM("rw-task-cancel", "cancel-write unlock | read unlock | task-read unlock", BOUND(3, 4),
            ABOUT("a writer that cancels lets readers in")),
    PROGRAM("rw-task-cancel-alone", "cancel-write unlock | read unlock"),
    PROGRAM("rw-task-cancel-two", "write unlock | cancel-write unlock | task-write unlock",
            BOUND(3, 4)),
    PROGRAM("rw-task-timed", "timed-write unlock | task-write unlock | write unlock", TICKS(1),
            BOUND(2, 3), ABOUT("a writer that was called gives up before one that is not called")),
    /* --- Phase-fair ------------------------------------------------------------------------- */
    PROGRAM("rw", "read unlock read unlock | write unlock write unlock"),
    PROGRAM("rw-writers", "write unlock write unlock | write unlock write unlock"),
    PROGRAM("rw-two-readers", "read unlock | read unlock | write unlock"),
    PROGRAM("rw-readers-twice", "read unlock read unlock | read unlock | write unlock",
            BOUND(3, 5)),
    PROGRAM("rw-two-writers", "write unlock | write unlock | read unlock"),
    PROGRAM("rw-writer-twice", "write unlock write unlock | write unlock | read unlock",
            BOUND(3, 5)),
    PROGRAM("rw-four", "read unlock | read unlock | write unlock | write unlock", BOUND(2, 4)),
    PROGRAM("rw-three-readers", "read unlock | read unlock | read unlock | write unlock",
            BOUND(2, 4)),
    PROGRAM("rw-try",
            "read unlock try-read unlock-any | write unlock | try-write unlock-any try-read unlock",
            ABOUT("whoever does not wait gets past nobody who does")),
    PROGRAM("rw-default",
            "default-read unlock default-read unlock | default-write unlock default-write unlock",
            TICKS(1)),
    PROGRAM("rw-spin", "spin-read unlock | spin-write unlock | write unlock", TICKS(1),
            BOUND(3, 4)),
    /* --- Upgrades and downgrades ------------------------------------------------------------ */
    PROGRAM("rw-upgrade", "up upgrade unlock | read unlock read unlock"),
    PROGRAM("rw-up", "up unlock up unlock | write unlock write unlock-any"),
    PROGRAM("rw-upgrade-writer", "up upgrade unlock | read unlock | write unlock"),
    PROGRAM("rw-upgrades", "up upgrade unlock-any | up upgrade unlock | read unlock"),
    PROGRAM("rw-upgradable", "up unlock | up try-upgrade unlock-any | read unlock | write unlock",
            BOUND(2, 3), ABOUT("upgradable readers, readers, a writer")),
    PROGRAM("rw-downgrade", "write downgrade unlock | write downgrade-up unlock"),
    PROGRAM("rw-downgrade-readers", "write downgrade unlock | read unlock | write unlock"),
    PROGRAM("rw-downgrade-up",
            "write downgrade-up upgrade downgrade unlock | read unlock | write unlock", BOUND(3, 5),
            ABOUT("all modes in one go, a reader, a writer")),
    PROGRAM("rw-up-downgrade", "up downgrade unlock | up upgrade unlock | write unlock"),
    /* --- Time-outs -------------------------------------------------------------------------- */
    PROGRAM("rw-timed-writer", "read unlock | timed-write unlock | read unlock", TICKS(1)),
    PROGRAM("rw-timed-reader", "write unlock | timed-read unlock | write unlock", TICKS(1)),
    PROGRAM("rw-timed-writers", "write unlock | timed-write unlock | write unlock", TICKS(1),
            ABOUT("a writer that was called gives up beside another")),
    PROGRAM("rw-timed-upgrade", "up timed-upgrade unlock-any | read unlock | write unlock",
            TICKS(1)),
    PROGRAM("rw-timed-up", "up upgrade unlock | timed-up unlock | read unlock", TICKS(1)),
    PROGRAM("rw-clock-step",
            "write unlock write unlock write unlock write unlock | real-write unlock",
            .budget = {.clock_steps = 1},
            ABOUT("CLOCK_REALTIME is set while a writer has a deadline on it")),
    PROGRAM("rw-clock-step-reader",
            "write unlock write unlock write unlock write unlock | real-write unlock | read unlock",
            BOUND(2, 0), .budget = {.clock_steps = 1},
            ABOUT("the same beside a reader without a deadline")),
    /* --- Preferences ------------------------------------------------------------------------ */
    PROGRAM("rw-readers-first", "read again unlock | read unlock | write unlock", KIND(READERS),
            ABOUT("readers, one of whom reads twice, and a writer")),
    PROGRAM("rw-readers-writers", "read again unlock | write unlock | write unlock", BOUND(3, 5),
            KIND(READERS)),
    PROGRAM("rw-readers-upgrade", "up upgrade unlock | read again unlock | write unlock",
            KIND(READERS)),
    PROGRAM("rw-readers-timed", "read unlock | timed-write unlock | write unlock", TICKS(1),
            KIND(READERS)),
    PROGRAM("rw-writers-first", "write unlock | write unlock | read unlock", KIND(WRITERS)),
    PROGRAM("rw-writers-readers", "read unlock | read unlock | write unlock", KIND(WRITERS)),
    PROGRAM("rw-writers-upgrade", "up upgrade downgrade unlock | read unlock | write unlock",
            KIND(WRITERS)),
    PROGRAM("rw-writers-timed", "read unlock | timed-write unlock | read unlock", TICKS(1),
            KIND(WRITERS)),
    /* --- Greedy ----------------------------------------------------------------------------- */
    PROGRAM("rw-greedy", "read unlock read unlock | write unlock write unlock", GREEDY),
    PROGRAM("rw-greedy-writers", "write unlock | write unlock | read unlock", GREEDY),
    PROGRAM("rw-greedy-readers", "read unlock read unlock | read unlock | write unlock",
            BOUND(3, 5), GREEDY),
    PROGRAM("rw-greedy-four", "read unlock | read unlock | write unlock | write unlock",
            BOUND(2, 4), GREEDY, ABOUT("one writer is next, the other waits to be called")),
    PROGRAM("rw-greedy-starving",
            "write unlock write unlock write unlock | write unlock | read unlock", TICKS(1),
            BOUND(2, 4), GREEDY),
    PROGRAM("rw-greedy-overdue", "write unlock write unlock | write unlock | read unlock",
            .budget = {.chances = 1}, BOUND(3, 4), GREEDY),
    PROGRAM("rw-greedy-timed", "read unlock | timed-write unlock | write unlock | read unlock",
            TICKS(1), BOUND(2, 3), GREEDY),
    PROGRAM("rw-greedy-up", "up upgrade downgrade unlock | read unlock | write unlock", GREEDY),
    PROGRAM("rw-greedy-up-writer",
            "up upgrade unlock | timed-write unlock | read unlock | write unlock", TICKS(1),
            BOUND(2, 3), GREEDY),
    PROGRAM("rw-greedy-up-again",
            "up upgrade unlock up upgrade unlock | read unlock | read unlock | write unlock",
            BOUND(2, 3), GREEDY),
    PROGRAM("rw-greedy-free", "read leave | timed-write leave | write leave", TICKS(1), GREEDY),
    PROGRAM("rw-greedy-fork", "read unlock read unlock | write unlock", .generation = 1,
            WITH(.kind = FW_RWLOCK_GREEDY, .state = RW_CLOSED | RW_WAITERS,
                 .line = QUEUE_WRITER | QUEUE_NEXT | QUEUE_AWAKE)),
    PROGRAM("rw-greedy-storm",
            "up upgrade downgrade unlock | timed-write unlock read unlock | "
            "default-read unlock write unlock",
            BOUND(2, 3), GREEDY, .budget = {.spurious = 1, .ticks = 1, .chances = 1}),
    URGENT("rw-greedy-urgent", "write unlock | write unlock | write unlock | read unlock",
           .tasks = apart, BOUND(2, 3), GREEDY),
    URGENT("rw-greedy-urgent-newcomer",
           "read unlock write unlock | write done unlock | turn spin | turn write unlock done",
           .tasks = beside, BOUND(2, 3), GREEDY),
    PROGRAM("rw-greedy-task", "task-read unlock | task-write unlock | write unlock", BOUND(3, 4),
            GREEDY),
    PROGRAM("rw-greedy-cancel", "cancel-write unlock | read unlock | write unlock", GREEDY),
    /* --- Surroundings ----------------------------------------------------------------------- */
    PROGRAM("rw-spurious", "write unlock | write unlock | read unlock", INTERRUPTED),
    PROGRAM("rw-needless-wakes",
            "write unlock write unlock write unlock write unlock | write unlock",
            ABOUT("a writer that is called needlessly again and again")),
    PROGRAM("rw-starving", "write unlock write unlock write unlock write unlock | write unlock",
            TICKS(1), ABOUT("a writer loses for long and is handed the lock")),
    PROGRAM("rw-overdue", "write unlock write unlock | write unlock | read unlock",
            .budget = {.chances = 1}, BOUND(3, 4), ABOUT("a release that finds a call overdue")),
    PROGRAM("rw-fork", "read unlock read unlock | write unlock", .generation = 1,
            WORDS(RW_CLOSED | RW_WAITERS, QUEUE_WRITER | QUEUE_SHARER),
            ABOUT("somebody was queued when the process was forked")),
    PROGRAM("rw-fork-coming", "write unlock write unlock | read unlock", .generation = 1,
            WORDS(RW_CLOSED | RW_WAKING, QUEUE_WRITER | QUEUE_AWAKE),
            ABOUT("somebody was coming when the process was forked")),
    /* --- Who runs: any answer, a dead page, the truth ----------------------------------------- */
    PROGRAM("rw-lies",
            "default-write unlock default-write unlock | default-write unlock default-write unlock",
            .assist = ASSIST_LIES),
    PROGRAM("rw-lies-reader", "default-read unlock | default-write unlock | default-write unlock",
            .assist = ASSIST_LIES, BOUND(3, 4)),
    PROGRAM("rw-lies-timed", "default-write unlock | timed-write unlock | default-write unlock",
            .assist = ASSIST_LIES, TICKS(1), BOUND(2, 4)),
    PROGRAM("rw-all-run", "default-read unlock | default-write unlock | default-write unlock",
            .assist = ASSIST_YES, BOUND(3, 4), ABOUT("a dead page says that everybody runs")),
    PROGRAM("rw-truth",
            "default-write unlock default-write unlock | default-write unlock default-read unlock",
            .assist = ASSIST_TRUE, .cpus = 1, .time_passes = true, ABOUT("the truth, on one CPU")),
    /* --- Real-time threads -------------------------------------------------------------------- */
    URGENT("rw-urgent", "write unlock | write unlock | write unlock write unlock", .tasks = apart,
           ABOUT("writers, one more urgent than the other")),
    URGENT("rw-urgent-reader", "write unlock | write unlock | write unlock | read unlock",
           .tasks = apart, BOUND(2, 4), ABOUT("the same and a reader")),
    URGENT("rw-urgent-stale", "write unlock | write unlock | write unlock write unlock",
           .tasks = apart, STALE, ABOUT("they find out how urgent they are before they sleep")),
    URGENT("rw-urgent-newcomer",
           "write unlock write unlock | write done unlock | turn spin | turn write unlock done",
           .tasks = beside,
           ABOUT("one that was called has lost its CPU to one that runs on and on")),
    /* --- Lifetime --------------------------------------------------------------------------- */
    PROGRAM("rw-free", "read leave | write leave | read leave",
            ABOUT("a writer that comes last frees the lock")),
    PROGRAM("rw-free-writers", "write leave | write leave | read leave"),
    PROGRAM("rw-free-upgrade", "up upgrade leave | read leave | write leave"),
    PROGRAM("rw-free-timed", "read leave | timed-write leave | write leave", TICKS(1),
            ABOUT("the same, and a writer gives up")),
    /* --- Writers that are woken ahead -------------------------------------------------------- */
    AHEAD("rw-ahead", "read unlock | default-write unlock | default-write unlock"),
    AHEAD("rw-ahead-four",
          "read unlock | read unlock | default-write unlock | default-write unlock", BOUND(2, 3)),
    AHEAD("rw-ahead-three",
          "write unlock | read unlock | default-write unlock | default-write unlock", BOUND(2, 3)),
    AHEAD("rw-ahead-twice", "write unlock write unlock | default-write unlock | read unlock",
          BOUND(3, 4)),
    AHEAD("rw-ahead-free", "read leave | default-write leave | default-write leave", BOUND(3, 0)),
    AHEAD("rw-ahead-upgrade", "up upgrade leave | read leave | default-write leave", BOUND(3, 4)),
    AHEAD("rw-ahead-task", "task-read unlock | task-write unlock | default-write unlock",
          BOUND(3, 4)),
    PROGRAM("rw-storm",
            "up upgrade downgrade unlock | timed-write unlock read unlock | default-read unlock "
            "write unlock",
            BOUND(2, 3), .budget = {.spurious = 1, .ticks = 1, .chances = 1},
            ABOUT("nearly everything at once")),
};

GROUP(rwlock, "rwlock");
