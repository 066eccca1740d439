/* SPDX-License-Identifier: MIT */
/*
 * The programs for operations that wait for the mutex (src/thread/mutex_queue.c), beside threads.
 * A task is a thread of the model that never waits for the mutex itself: it submits an operation,
 * and sleeps until it is told.  Scripts are lists of pairs of words:
 *
 *   block, lock, timed, spin    a thread takes the lock, as in mutex.c
 *   starve                      the same by one that asks for a hand-off from the start
 *   wait                        a task does, by an operation
 *   old                         the same, and it has waited for long as soon as it is queued
 *   cancel                      it is queued, and cancels at once: it may have been granted
 *   lose                        its group has been won by another operation
 *   held, held-by-task          it has the lock from the start (A)
 *
 *   unlock, fair                the releases; for a task, that by its identity
 *   free                        frees the mutex' memory instead, if all others are gone
 *
 * Checked beside what mutex.c checks: MU7, MU8 and MU9 whenever nobody is inside of the bucket;
 * that the first operation is granted, and nobody but a task that asked; that no operation's memory
 * is touched after its end; and the order (MU10): an operation that has waited for long lets one
 * owner by after the present one, a thread that has asked for a hand-off one operation.
 */
#include <string.h>

#include <furwock/await.h>

#include "../buckets.h"
#include "../cpus.h"
#include "../engine/report.h"
#include "../memory.h"
#include "../subject/atomic.h"
#include "../subject/subject.h"
#include "core/operation.h"
#include "core/sleep.h"
#include "mutex_check.h"
#include "script.h"
#include "thread/mutex_queue.h"
#include "thread/mutex_word.h"
#include "thread_calls.h"

SCRIPT_WORDS(BLOCK, SPIN3, LOCK, TIMED, SPIN, STARVE, WAIT, OLD, CANCEL, LOSE, HELD, HELD_BY_TASK,
             UNLOCK, FAIR, FREE);

enum shadow_word {
    INSIDE = MUTEX_INSIDE, /* thread + 1 that has the lock, until its release is visible */
    GONE = MUTEX_GONE,
    LET_BY = MUTEX_STRANGERS + 1, /* owners that the first operation, overdue, has let by */
    FIRST,                        /* which it is */
    GRANTS                        /* to operations, since a thread has asked for a hand-off */
};

static fw_mutex *m;
static uint32_t *told; /* by thread */
static fw_await_group *lost;

static uint32_t task_of(unsigned thread)
{
    return (FW_ID_ALIAS + 1 + thread) << FW_ID_SHIFT | FW_ID_HELD;
}

static void setup(void)
{
    m = mutex_check_setup(model_program->initial);
    told = model_object("told", 4 * MODEL_MAX_THREADS, NULL, NULL);
    lost = model_object("group", sizeof *lost, NULL, NULL);
    lost->winner_ = (fw_await *)(void *)lost; /* nobody here */
}

/* --- Tasks ---------------------------------------------------------------------------------- */

static void tell(void *word)
{
    fw_store32_release(word, 1);
    fw_futex_wake(word, 1, FW_FUTEX_PRIVATE);
}

/* As fw_await_mutex.  True: it has the lock. */
static bool submit(fw_await *op, unsigned self, enum word how)
{
    struct fw_waitqueue_ *bucket;
    bool has_taken;

    *op = (fw_await){
        .task_ = task_of(self), .object_ = m, .generation_ = FW_HAS_WAKER_, .call_.wake = tell};
    op->more_.arg = &told[self];
    op->group_ = how == LOSE ? lost : NULL;
    fw_store32_relaxed(&told[self], 0);
    if (fw_xchg8_acquire((fw_byte_ *)&m->state_, FW_ID_HELD) == 0) {
        fw_store32_relaxed((fw_half_ *)&m->state_, op->task_);
        return true;
    }
    bucket = fw_waitqueue_lock_(m);
    has_taken = queue_in_use()->join(bucket, m, op);
    if (!has_taken && how == OLD)
        op->since_ = 0;
    fw_waitqueue_unlock_(bucket);
    return has_taken;
}

/* As fw_await_cancel.  False: it was granted. */
static bool cancel(fw_await *op)
{
    struct fw_waitqueue_ *bucket = fw_waitqueue_lock_(m);
    bool waits = op->state_ == FW_OPERATION_WAITING;
    bool has_lost = op->state_ == FW_OPERATION_LOST;

    if (waits) {
        fw_waitqueue_remove_(bucket, fw_operation_node_(op));
        op->state_ = FW_OPERATION_OVER;
        queue_in_use()->left(bucket, m, op);
    }
    fw_waitqueue_unlock_(bucket);
    return waits || has_lost;
}

/* False: it has given up. */
static bool wait_as_task(unsigned self, enum word how)
{
    fw_await op;

    if (submit(&op, self, how))
        return true;
    if (how == CANCEL || how == LOSE) {
        bool is_granted = !cancel(&op);

        if (is_granted && how == LOSE)
            model_thread_fail("group", "one that has lost is granted the lock", 0, 0);
        return is_granted;
    }
    while (fw_load32_acquire(&told[self]) == 0)
        fw_sleep_(&told[self], 0, FW_FUTEX_PRIVATE, NULL);
    if (op.state_ != FW_OPERATION_GRANTED)
        model_thread_fail("told", "an operation was told, and its state is %llu", op.state_, 0);
    return true;
}

/* --- Everybody ------------------------------------------------------------------------------ */

static bool is_task(enum word how)
{
    return (how >= WAIT && how <= LOSE) || how == HELD_BY_TASK;
}

/* It is counted, and awake; it says that it has been losing for long. */
static void starve(void)
{
    fw_mutex_word_ w;

    fw_mutex_register_(m, 1, false);
    w = fw_load64_relaxed(&m->state_);
    while (!fw_cas64_relaxed(&m->state_, &w, w | MUTEX_STARVING))
        ;
    queue_in_use()->lock_registered(m);
}

static bool acquire(unsigned self, enum word how)
{
    static const fw_wait_policy policies[] = {
        [BLOCK] = {FW_WAIT_BLOCK, 0},
        [SPIN3] = {FW_WAIT_SPIN_THEN_BLOCK, 3000},
        [TIMED] = {FW_WAIT_BLOCK, 0},
        [SPIN] = {FW_WAIT_SPIN, 0},
    };

    if (how == HELD || how == HELD_BY_TASK)
        return true;
    if (is_task(how))
        return wait_as_task(self, how);
    if (how == STARVE) {
        starve();
        return true;
    }
    if (how != LOCK)
        return queue_in_use()->lock_policy(m, &policies[how],
                                           how == TIMED ? &script_deadline : NULL) == 0;
    queue_in_use()->lock(m);
    return true;
}

static void enter(unsigned self, uint32_t id)
{
    uint64_t seen = memory_read(self, (uint64_t)(uintptr_t)m, 4);

    report_remark(self, "has the lock");
    if (*shadow(INSIDE) != 0)
        model_thread_fail("exclusion", "threads %llu and %llu are in the critical section",
                          *shadow(INSIDE) - 1, self);
    *shadow(INSIDE) = self + 1;
    if (seen != id)
        model_thread_fail("owner", "thread %llu has the lock, and the owner half is 0x%llx", self,
                          seen);
}

static void thread(unsigned self)
{
    for (const unsigned *w = script_words[self]; *w != END; w += 2) {
        uint32_t id = is_task(w[0]) ? task_of(self) : subject_id(self);

        if (!acquire(self, w[0])) {
            report_remark(self, "has given up");
            if (w[1] == FREE)
                script_is_last(self, GONE);
            continue;
        }
        enter(self, id);
        if (w[1] == FREE && script_is_last(self, GONE))
            model_op(OP_FREE, m, 8, 0, 0, 0, 0);
        else if (is_task(w[0]))
            queue_in_use()->task_unlock(m, id);
        else if (w[1] == FAIR)
            queue_in_use()->unlock_fair(m);
        else
            queue_in_use()->unlock(m);
    }
}

/* --- What must hold ------------------------------------------------------------------------- */

static fw_await *first_in_queue(void)
{
    struct fw_waiter_node_ *p = fw_waitqueue_first_(&buckets_only()->bucket, m);

    return p != NULL ? fw_operation_of_(p) : NULL;
}

static bool is_of(unsigned thread, uint32_t id)
{
    return id == subject_id(thread) || id == task_of(thread);
}

/* Who may change the owner half, and to what. */
static void check_owner(unsigned thread, fw_mutex_word_ before, fw_mutex_word_ after)
{
    uint32_t was = owner_half(before), is = owner_half(after);
    const fw_await *first = first_in_queue();
    bool ok = was == is;

    ok = ok || (was == 0 && (is == FW_ID_HELD || is_of(thread, is)));
    ok = ok || (was == FW_ID_HELD && is_of(thread, is));
    ok = ok || (is_being_handed_off(before) && (is == subject_id(thread) || after == 0));
    ok = ok || (is_of(thread, was) && (is == 0 || is_being_handed_off(after)));
    ok = ok || (is_of(thread, was) && first != NULL && is == first->task_); /* MU9 */
    if (!ok)
        model_fail("word", "the owner half goes from 0x%llx to 0x%llx by the wrong thread", was,
                   is);
}

/* MU10, at a release. */
static void check_turn(fw_mutex_word_ before, fw_mutex_word_ after)
{
    const fw_await *first = first_in_queue();
    bool is_grant = fw_id_is_task_(owner_half(after));

    if (*shadow(FIRST) != (uint64_t)(uintptr_t)first || is_grant)
        *shadow(LET_BY) = 0;
    *shadow(FIRST) = (uint64_t)(uintptr_t)first;
    if (first != NULL && first->since_ == 0 && !is_grant && ++*shadow(LET_BY) > 1)
        model_fail("order", "an operation that is overdue lets %llu owners by", *shadow(LET_BY), 0);
    if (is_grant && is_starving(before) && has_waiters(before) && ++*shadow(GRANTS) > 1)
        model_fail("order", "%llu operations go before a thread that starves", *shadow(GRANTS), 0);
}

/* MU7, MU8, MU9, while nobody is inside. */
static void check_queue(fw_mutex_word_ w)
{
    const fw_await *first = first_in_queue();

    if (has_stale_waiters(w, model_program->generation) && first == NULL)
        return;
    if (has_queue(w) != (first != NULL))
        model_fail("queue", "the word is 0x%llx, and the first in the queue 0x%llx", w,
                   (uint64_t)(uintptr_t)first);
    if (has_queue(w) && !is_fenced(w))
        model_fail("queue", "operations are queued, and the word 0x%llx is not fenced", w, 0);
    if (has_queue(w) && is_free(w) && !(has_waiters(w) && wake_is_under_way(w)))
        model_fail("queue", "operations are queued, and the word 0x%llx is free", w, 0);
}

static bool has_owner(fw_mutex_word_ w)
{
    return owner_half(w) > FW_ID_HELD && !is_being_handed_off(w);
}

static void changed(unsigned thread, uint64_t addr, uint64_t before)
{
    fw_mutex_word_ now;

    if (script_is_freed(m))
        return;
    now = m->state_;
    if (addr == (uint64_t)(uintptr_t)m && before != now) {
        check_owner(thread, before, now);
        if (has_owner(before) && owner_half(before) != owner_half(now)) {
            *shadow(INSIDE) = 0;
            check_turn(before, now);
        }
        if (!is_starving(now) || !has_waiters(now))
            *shadow(GRANTS) = 0;
    }
    if (buckets_only()->inside == 0)
        check_queue(now);
}

static void finished(void)
{
    if (!script_is_freed(m))
        mutex_check_finished();
    buckets_check_empty();
}

static HOOKS(hooks, .words = word_names, .setup = setup, .thread = thread, .changed = changed,
             .finished = finished);

#define PROGRAM(...) SCRIPTED(hooks, __VA_ARGS__, .buckets = 1)
#define HELD_BY(id) FROM((uint64_t)(id))
#define THREAD_A (SUBJECT_FIRST_TID << FW_ID_SHIFT | FW_ID_HELD)
#define TASK_A ((FW_ID_ALIAS + 1) << FW_ID_SHIFT | FW_ID_HELD)
#define ATOMIC .generic = true

static const struct model_task apart[] = {{0, 0}, {0, 1}, {20, 2}};

#define LEFT_BEHIND (2 * MUTEX_WAITER | MUTEX_FENCED | MUTEX_WAKING | MUTEX_QUEUED)

static const struct model_program programs[] = {
    PROGRAM("queue", "held unlock | wait unlock", HELD_BY(THREAD_A),
            ABOUT("an operation is queued beside a plain release")),
    PROGRAM("queue-task", "held-by-task unlock | wait unlock", HELD_BY(TASK_A)),
    PROGRAM("queue-twice", "block unlock block unlock | wait unlock wait unlock"),
    PROGRAM("queue-tasks", "wait unlock wait unlock | wait unlock wait unlock"),
    PROGRAM("queue-three", "wait unlock | wait unlock | wait unlock"),
    PROGRAM("queue-lock", "lock unlock lock unlock | wait unlock", TICKS(1)),
    PROGRAM("queue-cancel", "block unlock | cancel unlock cancel unlock",
            ABOUT("a release meets a cancel")),
    PROGRAM("queue-cancel-three", "block unlock | cancel unlock | wait unlock"),
    PROGRAM("queue-lose", "held unlock | lose unlock | wait unlock", HELD_BY(THREAD_A),
            ABOUT("operations that another of their group has overtaken")),
    PROGRAM("queue-mixed", "block unlock | block unlock | wait unlock"),
    PROGRAM("queue-mixed-tasks", "block unlock | wait unlock | wait unlock"),
    PROGRAM("queue-timed", "held unlock | timed unlock | wait unlock", TICKS(1), HELD_BY(THREAD_A),
            ABOUT("a woken thread gives up while an operation is queued")),
    PROGRAM("queue-timed-three", "block unlock | timed unlock | wait unlock | block unlock", ATOMIC,
            TICKS(1), BOUND(2, 3)),
    PROGRAM("queue-spurious", "block unlock | block unlock | wait unlock", INTERRUPTED, ATOMIC),
    PROGRAM("queue-needless-wakes", "block unlock block unlock | block unlock | wait unlock",
            ATOMIC, BOUND(2, 3), .budget = {.spurious = 3}),
    PROGRAM("queue-spin", "block unlock | spin unlock | wait unlock", ATOMIC, TICKS(2)),
    PROGRAM("queue-fair", "block fair | block fair | wait unlock", ATOMIC),
    PROGRAM("queue-fair-tasks", "block fair block fair | wait unlock | wait unlock", ATOMIC),
    PROGRAM("queue-quiet", "block unlock | wait unlock wait unlock", .budget = {.chances = 2},
            ABOUT("releases that go back to the quiet state")),
    PROGRAM("queue-turns", "old unlock old unlock | old unlock | block unlock | block unlock",
            ATOMIC, BOUND(2, 3), ABOUT("operations that are overdue, and threads")),
    PROGRAM("queue-turns-starving", "held unlock | old unlock | old unlock | starve unlock", ATOMIC,
            BOUND(3, 4), HELD_BY(THREAD_A),
            ABOUT("the same, with a thread that asks for a hand-off")),
    PROGRAM("queue-turns-one", "held-by-task unlock | old unlock | starve unlock", HELD_BY(TASK_A),
            ATOMIC, ABOUT("such a thread behind a task, and one more")),
    PROGRAM("queue-turns-late", "old unlock old unlock | old unlock old unlock | starve unlock",
            ATOMIC, BOUND(2, 3), ABOUT("such a thread and two tasks that come again")),
    PROGRAM("queue-turns-cancel",
            "held unlock | old unlock | cancel unlock | old unlock | starve unlock", ATOMIC,
            BOUND(2, 3), HELD_BY(THREAD_A), ABOUT("one that was to yield is cancelled")),
    PROGRAM("queue-urgent", "held unlock | old unlock | block unlock", ATOMIC, HELD_BY(THREAD_A),
            .tasks = apart, .assist = ASSIST_NO, .time_passes = true,
            ABOUT("a real-time thread beside an operation")),
    PROGRAM("queue-free", "block free | wait free | wait free", ATOMIC,
            ABOUT("the last one frees the mutex")),
    PROGRAM("queue-free-cancel", "block free | cancel free | wait free", ATOMIC),
    PROGRAM("queue-free-plain", "held free | wait free", HELD_BY(THREAD_A)),
    PROGRAM("queue-fork", "wait unlock | block unlock", .generation = 1, FROM(LEFT_BEHIND),
            ABOUT("operations and threads were left behind by a fork")),
    PROGRAM("queue-fork-held", "held unlock block unlock | wait unlock", .generation = 9,
            FROM(THREAD_A | LEFT_BEHIND), ABOUT("the forking thread held it")),
    PROGRAM("queue-fork-passed", "wait unlock | wait unlock | block unlock", .generation = 2,
            ATOMIC, FROM(MUTEX_HANDOFF | 7u << FW_ID_SHIFT | FW_ID_HELD | LEFT_BEHIND),
            ABOUT("the lock was being handed over at the fork")),
};

GROUP(queue, "queue");
