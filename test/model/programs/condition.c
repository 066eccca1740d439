/* SPDX-License-Identifier: MIT */
/*
 * The programs for threads in fw_mutex_await (src/thread/mutex_await.c, mutex_condition.c), beside
 * threads and operations that want the mutex.  What they wait for are tokens, one each, which the
 * mutex protects.  Scripts are lists of pairs of words:
 *
 *   lock, block, timed     a thread takes the lock, as in mutex.c
 *   await                  it locks, and waits for a token, and takes it
 *   await-timed            the same, until a deadline
 *   await-held             the same by one that has the lock from the start (A)
 *   wait                   a task takes the lock, by an operation
 *   held                   it has the lock from the start (A)
 *
 *   unlock, fair           the releases
 *   give, give-two         the same, with a token, or two, for others
 *   free                   frees the mutex' memory instead, if all others are gone
 *
 * Checked beside what mutex.c checks at the end: exclusion; that who returns from an await without
 * an error finds a token, and who returns with one does not; MU7 and MU8 whenever nobody is inside
 * of the bucket; that the mutex is not left free, with no thread counted, while a token is there
 * and a condition waits (MU11); and that a grant to a condition is not followed by another where
 * threads or operations have been waiting since before the first (MU12).
 */
#include <furwock/await.h>

#include "../buckets.h"
#include "../engine/report.h"
#include "../memory.h"
#include "../subject/atomic.h"
#include "../subject/subject.h"
#include "core/operation.h"
#include "core/sleep.h"
#include "mutex_check.h"
#include "script.h"
#include "thread/mutex_condition.h"
#include "thread/mutex_word.h"
#include "thread_calls.h"

SCRIPT_WORDS(LOCK, BLOCK, TIMED, AWAIT, AWAIT_TIMED, AWAIT_HELD, WAIT, HELD, UNLOCK, FAIR, GIVE,
             GIVE_TWO, FREE);

enum shadow_word {
    INSIDE = MUTEX_INSIDE, /* thread + 1 that has the lock, until its release is visible */
    GONE = MUTEX_GONE,
    TOKENS = MUTEX_STRANGERS + 1,
    AWAITING, /* bit per thread: it is in an await */
    GRANTS    /* to conditions, while others wait, since one of these had its turn */
};

static fw_mutex *m;
static uint32_t *told; /* by thread */

static uint32_t task_of(unsigned thread)
{
    return (FW_ID_ALIAS + 1 + thread) << FW_ID_SHIFT | FW_ID_HELD;
}

static void setup(void)
{
    m = mutex_check_setup(model_program->initial);
    told = model_object("told", 4 * MODEL_MAX_THREADS, NULL, NULL);
}

/* --- What the threads do -------------------------------------------------------------------- */

static void tell(void *word)
{
    fw_store32_release(word, 1);
    fw_futex_wake(word, 1, FW_FUTEX_PRIVATE);
}

static void wait_as_task(unsigned self)
{
    fw_await op = {
        .task_ = task_of(self), .object_ = m, .generation_ = FW_HAS_WAKER_, .call_.wake = tell};
    struct fw_waitqueue_ *bucket = fw_waitqueue_lock_(m);
    bool has_taken;

    op.more_.arg = &told[self];
    has_taken = queue_in_use()->join(bucket, m, &op);
    fw_waitqueue_unlock_(bucket);
    while (!has_taken && fw_load32_acquire(&told[self]) == 0)
        fw_sleep_(&told[self], 0, FW_FUTEX_PRIVATE, NULL);
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

static bool there_is_a_token(void *unused)
{
    (void)unused;
    return *shadow(TOKENS) != 0;
}

/* With the lock: waits for a token, and takes it.  False: it timed out. */
static bool await_token(unsigned self, const fw_deadline *deadline)
{
    int error = 0;

    *shadow(AWAITING) |= UINT64_C(1) << self;
    if (deadline != NULL)
        error = queue_in_use()->timedawait(m, there_is_a_token, NULL, deadline);
    else
        queue_in_use()->await(m, there_is_a_token, NULL);
    *shadow(AWAITING) &= ~(UINT64_C(1) << self);
    if (*shadow(INSIDE) != self + 1)
        enter(self, subject_id(self));
    if ((error == 0) != there_is_a_token(NULL))
        model_thread_fail("condition", "await returns %llu, and there are %llu tokens", error,
                          *shadow(TOKENS));
    if (error == 0)
        --*shadow(TOKENS);
    return error == 0;
}

/* A thread was cancelled in an await: it has the mutex. */
static void cancelled(unsigned self)
{
    *shadow(AWAITING) &= ~(UINT64_C(1) << self);
    enter(self, subject_id(self));
    queue_in_use()->unlock(m);
}

/* False: it has given up, without the lock. */
static bool acquire(unsigned self, enum word how)
{
    static const fw_wait_policy blocking = {FW_WAIT_BLOCK, 0};

    if (how == WAIT) {
        wait_as_task(self);
        enter(self, task_of(self));
        return true;
    }
    if (how == BLOCK || how == TIMED) {
        if (queue_in_use()->lock_policy(m, &blocking, how == TIMED ? &script_deadline : NULL) != 0)
            return false;
    } else if (how != HELD && how != AWAIT_HELD) {
        queue_in_use()->lock(m);
    }
    enter(self, subject_id(self));
    if (how == AWAIT || how == AWAIT_HELD)
        await_token(self, NULL);
    else if (how == AWAIT_TIMED)
        await_token(self, &script_deadline);
    return true;
}

static void leave(unsigned self, enum word how, bool is_task)
{
    if (how == GIVE || how == GIVE_TWO)
        *shadow(TOKENS) += how == GIVE ? 1 : 2;
    if (how == FREE && script_is_last(self, GONE))
        model_op(OP_FREE, m, 8, 0, 0, 0, 0);
    else if (is_task)
        queue_in_use()->task_unlock(m, task_of(self));
    else if (how == FAIR)
        queue_in_use()->unlock_fair(m);
    else
        queue_in_use()->unlock(m);
}

static void thread(unsigned self)
{
    for (const unsigned *w = script_words[self]; *w != END; w += 2) {
        if (acquire(self, w[0]))
            leave(self, w[1], w[0] == WAIT);
        else
            report_remark(self, "has given up");
    }
}

/* --- What must hold ------------------------------------------------------------------------- */

static bool is_of(unsigned thread, uint32_t id)
{
    return id == subject_id(thread) || id == task_of(thread);
}

static bool is_awaiting(uint32_t id)
{
    for (unsigned i = 0; i < MODEL_MAX_THREADS; i++)
        if (id == subject_id(i) && (*shadow(AWAITING) >> i & 1) != 0)
            return true;
    return false;
}

static const struct fw_waitqueue_ *bucket_of_mutex(void)
{
    return &buckets_only()->bucket;
}

/* Who may change the owner half, and to what. */
static void check_owner(unsigned thread, fw_mutex_word_ before, fw_mutex_word_ after)
{
    uint32_t was = owner_half(before), is = owner_half(after);
    struct fw_waiter_node_ *op = fw_mutex_first_operation_(bucket_of_mutex(), m);
    bool ok = was == is;

    ok = ok || (was == 0 && (is == FW_ID_HELD || is_of(thread, is)));
    ok = ok || (was == FW_ID_HELD && is_of(thread, is));
    ok = ok || (is_being_handed_off(before) && is == subject_id(thread));
    ok = ok || (is_of(thread, was) && (is == 0 || is_being_handed_off(after)));
    ok = ok || (is_of(thread, was) && op != NULL && is == fw_operation_of_(op)->task_);
    ok = ok || (is_of(thread, was) && is_awaiting(is) && *shadow(TOKENS) != 0); /* MU11 */
    if (!ok)
        model_fail("word", "the owner half goes from 0x%llx to 0x%llx by the wrong thread", was,
                   is);
}

/* MU12, at a release. */
static void check_turn(fw_mutex_word_ before, fw_mutex_word_ after)
{
    bool others = has_waiters(before) || fw_mutex_first_operation_(bucket_of_mutex(), m) != NULL;

    if (!is_awaiting(owner_half(after)) || !others)
        *shadow(GRANTS) = 0;
    else if (++*shadow(GRANTS) > 1)
        model_fail("order", "%llu conditions in a row go before others", *shadow(GRANTS), 0);
    if (fw_condition_first_(bucket_of_mutex(), m) == NULL)
        *shadow(GRANTS) = 0; /* none was left to be marked */
}

/* MU7, MU8, MU11, while nobody is inside. */
static void check_queue(fw_mutex_word_ w)
{
    bool is_queued = fw_waitqueue_first_(bucket_of_mutex(), m) != NULL;

    if (has_stale_waiters(w, model_program->generation) && !is_queued)
        return;
    if (has_queue(w) != is_queued || (has_queue(w) && !is_fenced(w)))
        model_fail("queue", "the word is 0x%llx, and is somebody queued: %llu", w, is_queued);
    if (!has_queue(w) || !is_free(w) || (has_waiters(w) && wake_is_under_way(w)))
        return;
    if (fw_mutex_first_operation_(bucket_of_mutex(), m) != NULL)
        model_fail("queue", "operations are queued, and the word 0x%llx is free", w, 0);
    for (const struct fw_condition_ *c = fw_condition_first_(bucket_of_mutex(), m); c != NULL;
         c = c->next)
        if (c->state == CONDITION_WAITING && *shadow(TOKENS) != 0)
            model_fail("condition", "a condition is true, and the word 0x%llx is free", w, 0);
}

static void changed(unsigned thread, uint64_t addr, uint64_t before)
{
    fw_mutex_word_ now;

    if (script_is_freed(m))
        return;
    now = m->state_;
    if (addr == (uint64_t)(uintptr_t)m && before != now) {
        check_owner(thread, before, now);
        if (owner_half(before) > FW_ID_HELD && !is_being_handed_off(before) &&
            owner_half(before) != owner_half(now)) {
            *shadow(INSIDE) = 0;
            check_turn(before, now);
        }
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
             .cancelled = cancelled, .finished = finished);

#define PROGRAM(...) SCRIPTED(hooks, __VA_ARGS__, .buckets = 1)
#define THREAD_A (SUBJECT_FIRST_TID << FW_ID_SHIFT | FW_ID_HELD)
#define A_HOLDS_IT FROM((uint64_t)THREAD_A)
#define ATOMIC .generic = true

static const struct model_program programs[] = {
    PROGRAM("condition", "await unlock | lock give", TICKS(1),
            ABOUT("one waits, one makes it true")),
    PROGRAM("condition-twice", "await unlock await unlock | lock give lock give", ATOMIC, TICKS(1)),
    PROGRAM("condition-false", "await unlock | lock unlock lock give", ATOMIC,
            .budget = {.chances = 2, .ticks = 1},
            ABOUT("releases that leave it false; and the quiet state")),
    PROGRAM("condition-two", "await unlock | await unlock | lock give-two", ATOMIC, TICKS(1),
            BOUND(2, 3), ABOUT("the first that is granted it leaves the other's true")),
    PROGRAM("condition-chain", "await give | await give | lock give", ATOMIC),
    PROGRAM("condition-timed", "await-timed unlock | lock give", TICKS(1),
            ABOUT("a grant meets a deadline")),
    PROGRAM("condition-timed-two", "await-timed unlock | await unlock | lock give-two", ATOMIC,
            TICKS(1), BOUND(2, 3), ABOUT("the first of the list leaves, or the second")),
    PROGRAM("condition-cancel", "await-held unlock | lock give", A_HOLDS_IT,
            .budget = {.cancels = 1, .ticks = 1}, ABOUT("a grant meets a cancellation")),
    PROGRAM("condition-cancel-two", "await unlock | await unlock | lock give-two", ATOMIC,
            .budget = {.cancels = 1, .ticks = 1}, BOUND(2, 3)),
    PROGRAM("condition-threads", "await unlock | lock give | block unlock", ATOMIC, TICKS(1),
            BOUND(2, 3), ABOUT("beside a thread that waits for the mutex")),
    PROGRAM("condition-turns", "await give | await give | lock give | block unlock", ATOMIC,
            BOUND(2, 3), ABOUT("conditions and a thread, in turns")),
    PROGRAM("condition-threads-timed", "await unlock | await unlock | lock give-two | timed unlock",
            ATOMIC, TICKS(1), BOUND(2, 3), ABOUT("the thread whose turn it was gives up")),
    PROGRAM("condition-operation", "await unlock | lock give | wait unlock", ATOMIC,
            ABOUT("beside an operation")),
    PROGRAM("condition-operations", "await give | await give | lock give | wait unlock", ATOMIC,
            BOUND(2, 3), ABOUT("conditions and an operation, in turns")),
    PROGRAM("condition-fair", "await unlock | lock give | block fair", ATOMIC, BOUND(2, 3)),
    PROGRAM("condition-spurious", "await unlock | lock give", INTERRUPTED),
    PROGRAM("condition-free", "await free | lock give block free", ATOMIC, TICKS(1),
            ABOUT("the last one frees the mutex")),
};

GROUP(condition, "condition");
