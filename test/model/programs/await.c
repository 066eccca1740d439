/* SPDX-License-Identifier: MIT */
/*
 * The programs for operations that wait for semaphores and manual events, beside threads.  A task
 * is a thread of the model that submits an operation, and sleeps until it is told.  The words:
 *
 *   await          a task takes a unit of s by an operation
 *   cancel         the same, but it cancels at once: it may have been granted the unit
 *   drop           the same, but it gives back what it was granted
 *   lose           another operation of its group has ended before it is granted anything
 *   wait, timed, try, any-timed   a thread takes a unit, as in sem.c
 *   post, post2    adds one, two
 *   await-e        a task waits for the event; pass: a thread does
 *   set, reset     the event
 *   free           frees s and the event
 *
 * Checked besides what sem.c checks of a word: PERM5; that an operation that was told is granted;
 * that no unit is lost or made up; and that in the end nobody is queued, and nobody says so.
 */
#include <errno.h>

#include "../buckets.h"
#include "../engine/report.h"
#include "../kernel.h"
#include "core/operation.h"
#include "core/sleep.h"
#include "script.h"
#include "thread/permits_word.h"
#include "thread_calls.h"

struct await_script {
    uint64_t s; /* the word at the start */
};

SCRIPT_WORDS(AWAIT, CANCEL, DROP, LOSE, WAIT, TIMED, TRY, ANY_TIMED, POST, POST2, AWAIT_E, PASS,
             SET, RESET, FREE);

/* In model_shared.shadow. */
enum shadow { ADDED, TAKEN };

static fw_sem *s;
static fw_event *e;
static uint32_t *told; /* by thread */
static fw_await_group *lost;

static void setup(void)
{
    static const struct await_script none;
    const struct await_script *script = script_options(&none);

    s = model_object("s", sizeof *s, NULL, NULL);
    e = model_object("e", sizeof *e, NULL, NULL);
    told = model_object("told", 4 * MODEL_MAX_THREADS, NULL, NULL);
    lost = model_object("group", sizeof *lost, NULL, NULL);
    lost->winner_ = (fw_await *)(void *)lost; /* nobody here */
    s->state_ = script->s;
    s->guess_ = (uint32_t)script->s;
    s->spin_ = 1000; /* no polling */
    e->spin_ = 1000;
    *shadow(ADDED) = permits_value(s->state_);
}

static void changed(unsigned thread, uint64_t addr, uint64_t before)
{
    uint64_t w;

    (void)thread, (void)before;
    if (addr != (uint64_t)(uintptr_t)s || script_is_freed(s))
        return;
    w = without_stale(s->state_, model_program->generation);
    if (has_operations(w) && permits_available(w) > permits_others(w))
        model_fail("stranded", "a unit is for nobody, and operations are queued: 0x%llx", w, 0);
    if (permits_available(w) > 0 && permits_others(w) > 0 && permits_waking(w) == 0)
        model_fail("stranded", "a unit is available, and nobody is on the way: 0x%llx", w, 0);
}

/* --- Tasks ---------------------------------------------------------------------------------- */

static void tell(void *word)
{
    fw_store32_release(word, 1);
    fw_futex_wake(word, 1, FW_FUTEX_PRIVATE);
}

static void prepare(fw_await *op, unsigned self, const void *object, enum word how)
{
    *op = (fw_await){.object_ = object,
                     .generation_ = FW_HAS_WAKER_,
                     .call_.wake = tell,
                     .group_ = how == LOSE ? lost : NULL};
    op->more_.arg = &told[self];
    fw_store32_relaxed(&told[self], 0);
}

static void await_told(const fw_await *op, unsigned self)
{
    while (fw_load32_acquire(&told[self]) == 0)
        fw_sleep_(&told[self], 0, FW_FUTEX_PRIVATE, NULL);
    if (op->state_ != FW_OPERATION_GRANTED)
        model_thread_fail("told", "an operation was told, and its state is %llu", op->state_, 0);
}

/* As fw_await_cancel.  False: it was granted. */
static bool cancel(fw_await *op)
{
    struct fw_waitqueue_ *bucket = fw_waitqueue_lock_(s);
    bool waits = op->state_ == FW_OPERATION_WAITING;
    bool has_lost = op->state_ == FW_OPERATION_LOST;

    if (waits) {
        fw_waitqueue_remove_(bucket, fw_operation_node_(op));
        op->state_ = FW_OPERATION_OVER;
        sem_in_use()->dequeued(bucket, op);
    } else {
        fw_waitqueue_unlock_(bucket);
    }
    return waits || has_lost;
}

static void took(unsigned self)
{
    report_remark(self, "has a unit");
    if (++*shadow(TAKEN) > *shadow(ADDED))
        model_thread_fail("made up", "%llu were taken, and only %llu were there", *shadow(TAKEN),
                          *shadow(ADDED));
}

static void take_as_task(unsigned self, enum word how)
{
    fw_await op;
    bool has = true, takes;

    prepare(&op, self, s, how);
    takes = sem_in_use()->enqueue(&s->state_, &op);
    if (!takes) {
        if (how == AWAIT)
            await_told(&op, self);
        else
            has = !cancel(&op);
    }
    if (has && (how == DROP || (takes && how == LOSE))) /* as fw_operation_taken_ has it */
        sem_in_use()->post(s);
    else if (has)
        took(self);
}

static void pass_as_task(unsigned self)
{
    fw_await op;

    prepare(&op, self, e, AWAIT_E);
    if (!sem_in_use()->enqueue_e(e, &op))
        await_told(&op, self);
}

/* --- Threads -------------------------------------------------------------------------------- */

static void take(unsigned self, enum word how)
{
    const fw_any any[] = {{FW_ANY_SEM, s}, {FW_ANY_EVENT, e}};
    unsigned which = 0;
    int error;

    if (how == TRY)
        error = sem_in_use()->trywait(s);
    else if (how == ANY_TIMED)
        error = sem_in_use()->wait_any(any, 2, &script_deadline, &which);
    else
        error =
            sem_in_use()->wait_policy(s, &script_blocking, how == TIMED ? &script_deadline : NULL);
    if (error == 0 && which == 0)
        took(self);
}

static void add(uint32_t n)
{
    *shadow(ADDED) += n;
    if (n == 1)
        sem_in_use()->post(s);
    else
        sem_in_use()->post_n(s, n);
}

static void act(unsigned self, unsigned w)
{
    switch (w) {
    case AWAIT:
    case CANCEL:
    case DROP:
    case LOSE:
        take_as_task(self, w);
        break;
    case POST:
    case POST2:
        add(w == POST ? 1 : 2);
        break;
    case AWAIT_E:
        pass_as_task(self);
        break;
    case PASS:
        sem_in_use()->pass_policy(e, &script_blocking, NULL);
        break;
    case SET:
        sem_in_use()->set(e);
        break;
    case RESET:
        sem_in_use()->reset(e);
        break;
    case FREE:
        model_op(OP_FREE, s, sizeof *s, 0, 0, 0, 0);
        model_op(OP_FREE, e, sizeof *e, 0, 0, 0, 0);
        break;
    default:
        take(self, w);
    }
}

static void finished(void)
{
    uint64_t w;

    if (script_is_freed(s))
        return;
    w = without_stale(s->state_, model_program->generation);
    if (permits_value(w) != *shadow(ADDED) - *shadow(TAKEN))
        model_fail("lost unit", "there should be %llu units, and there are %llu",
                   *shadow(ADDED) - *shadow(TAKEN), permits_value(w));
    if (permits_value(w) > 0 && (permits_waiters(w) > 0 || has_operations(w)))
        model_fail("lost wake-up", "somebody waits beside %llu units", permits_value(w), 0);
    if (model_shared.asleep == 0 && w != permits_value(w))
        model_fail("word", "nobody is there any more, and the word is 0x%llx", w, 0);
}

static HOOKS(hooks, .words = word_names, .setup = setup, .act = act, .changed = changed,
             .finished = finished);

#define PROGRAM(...) SCRIPTED(hooks, __VA_ARGS__, .buckets = 1)
#define WITH(...) WITH_OPTIONS(await_script, __VA_ARGS__)

static const struct model_program programs[] = {
    PROGRAM("await-two", "await await | post post"),
    PROGRAM("await-tasks", "await | await | post post"),
    PROGRAM("await-post2", "await | await | post2", BOUND(3, 4)),
    PROGRAM("await-thread", "await | wait | post post", BOUND(3, 4)),
    PROGRAM("await-thread-post2", "await | wait | post2", BOUND(3, 4)),
    PROGRAM("await-posters", "await | wait | post | post", BOUND(2, 3)),
    PROGRAM("await-barger", "await | try | post post", MAY_SLEEP, BOUND(3, 4)),
    PROGRAM("await-cancel", "cancel | await | post", MAY_SLEEP, BOUND(3, 4)),
    PROGRAM("await-drop", "drop | await | post", BOUND(3, 4),
            ABOUT("who does not want its unit passes it on")),
    PROGRAM("await-lose", "lose | await | post", BOUND(3, 4),
            ABOUT("the loser of a group takes nothing")),
    PROGRAM("await-timed", "timed | await | await | post post", TICKS(1), BOUND(2, 3), MAY_SLEEP,
            ABOUT("a thread gives up as its turn comes")),
    PROGRAM("await-any", "any-timed | await | wait | post post", TICKS(1), BOUND(2, 3), MAY_SLEEP,
            ABOUT("a chooser gives up as its turn comes")),
    PROGRAM("await-fork", "await | post", .generation = 1,
            WITH(.s = 2 * PERMITS_WAITER | PERMITS_OPERATIONS),
            ABOUT("waiters and operations of before a fork")),
    PROGRAM("await-free", "await free | post"),
    PROGRAM("await-event", "await-e | await-e | set", BOUND(3, 4)),
    PROGRAM("await-event-thread", "await-e | pass | set", BOUND(3, 4)),
    PROGRAM("await-event-reset", "await-e | await-e | set reset set", BOUND(3, 4)),
};

GROUP(await, "await");
