/* SPDX-License-Identifier: MIT */
/*
 * The programs for operations that wait for objects of a region (src/await/region*.c, watch*.c), of
 * processes that have a loop each, beside threads of other processes.  What surrounds the loops:
 * subject/process.h.  The words of a loop:
 *
 *   lock         a task gets the mutex, and has a section; after EOWNERDEAD it repairs, and says so
 *   timed        the same, and gives up at a deadline
 *   ask          one asks for the mutex: it has its section as soon as the loop sees that it has it
 *   unit         the same for a unit of the semaphore, which it keeps
 *   either       one asks for the mutex or a unit, whatever comes first
 *   get          one asks for a token: it gets the mutex, waits for the condition until there is a
 *                token, takes that and releases the mutex; get-timed: it gives up at a deadline;
 *                get-either: it takes a unit instead, if that is there first
 *   hold, out    a task has the mutex from the one word to the other
 *   serve        the loop runs until all that have asked have got it
 *   turn         it runs once, whatever there is to do
 *   drop         those that have asked are dropped
 *   cancel       they are cancelled; who has been granted the mutex has its section
 *
 * and of a thread: thread-lock, thread-timed; take, post (a unit); thread-get; put (a token, and
 * signals under the mutex), put-after (signals after it), put-all (one for each of the others).
 *
 * Checked: ipc_mutex_check.h; that no unit is lost or made up; that each operation ends once; and
 * that a loop that is destroyed leaves no use of its agent, and no memory.
 */
#include <errno.h>

#include "../engine/report.h"
#include "../kernel.h"
#include "../subject/process.h"
#include "ipc/sem.h"
#include "ipc_await_calls.h"
#include "ipc_await_tasks.h"
#include "ipc_await_threads.h"
#include "ipc_region.h"
#include "script.h"

/* A task that waits for the condition has the script's word, and so much more. */
enum { FOR_TOKEN = 100 };

SCRIPT_WORDS(LOCK, TIMED, ASK, UNIT, EITHER, GET_EITHER, GET, GET_TIMED, HOLD, OUT, SERVE, TURN,
             DROP, CANCEL, THREAD_LOCK, THREAD_TIMED, TAKE, POST, THREAD_GET, PUT, PUT_AFTER,
             PUT_ALL);

#define SEM_MADE (UINT64_C(1) << 63)

static const struct ipc_await_tasks tasks;

static void setup(void)
{
    static const struct model_part parts[] = {
        {"word", 0, 8}, {"word", 0, 4}, {"made", 8, 4}, {NULL, 0, 0}};

    region_make(model_thread_count, true);
    ipc_await.m = ipc_mutex_make(false, true);
    ipc_await.s = model_object("s", 64, parts, NULL); /* what an object takes at least */
    ipc_await.c = model_object("c", 64, parts, NULL);
    ipc_await.s->word_ = SEM_MADE;
    ipc_await.s->made_ = FW_IPC_SEM_MADE_ | FW_IPC_SEM_MAX;
    ipc_await_tasks_make(&tasks, THREAD_LOCK);
}

static enum model_access access(const void *p)
{
    if (p == (const void *)&ipc_await.s->spin_)
        return ACCESS_NONE;
    if (p == (const void *)&ipc_await.s->made_ || p == (const void *)&ipc_await.c->mutex_ ||
        p == (const void *)&ipc_await.m->history_
                 .generation_) /* which its holder reads by a plain load */
        return ACCESS_DIRECT;
    return process_is_shared(p) ? ACCESS_STEP : ipc_mutex_access(p);
}

/* --- Tasks ---------------------------------------------------------------------------------- */

/* It has the mutex: takes a token, or waits for one.  False: it waits. */
static bool get(struct ipc_await_task *t, int error)
{
    bool waits;

    ipc_await_enters(model_current, t->op.task_, error == ETIMEDOUT ? 0 : error);
    ipc_mutex_count();
    if (*shadow(TOKENS) != 0 || error == ETIMEDOUT) {
        *shadow(TOKENS) -= *shadow(TOKENS) != 0;
        return true;
    }
    ipc_mutex_leaves();
    report_remark(model_current, "waits for a token");
    t->word += FOR_TOKEN;
    waits = t->word == FOR_TOKEN + GET_EITHER ? ipc_await_asks_on_or(t, UNIT, &error)
                                              : ipc_await_asks_on(t, &error);
    if (waits)
        return false;
    if (error != ETIMEDOUT)
        model_thread_fail("answer", "a task of thread %llu may not wait: %llu", model_current,
                          (uint64_t)error);
    *shadow(INSIDE) = model_current + 1u; /* at once: it has kept the mutex */
    ipc_mutex_count();
    return true;
}

static void leave(const struct ipc_await_task *t)
{
    ipc_mutex_count();
    ipc_await_leaves(model_current, t->op.task_);
}

static void end_get(struct ipc_await_task *t, int error)
{
    if (t->word >= FOR_TOKEN)
        t->word -= FOR_TOKEN;
    if (error != 0 && error != EOWNERDEAD && (error != ETIMEDOUT || t->word != GET_TIMED))
        model_thread_fail("answer", "a task of thread %llu is answered %llu", model_current,
                          (uint64_t)error);
    if (!get(t, error))
        return;
    ipc_await_leaves(model_current, t->op.task_);
    t->word = 0;
}

/* The operation is over, with that. */
static void end(struct ipc_await_task *t, int error)
{
    unsigned w = t->word;

    if (w == GET || w == GET_EITHER || w == GET_TIMED || w >= FOR_TOKEN) {
        end_get(t, error);
        return;
    }
    t->word = w == HOLD ? HOLD : 0;
    if (error == 0 && w == UNIT) {
        ipc_await_took(model_current);
    } else if (error == 0 || (error == EOWNERDEAD && w != UNIT)) {
        ipc_await_enters(model_current, t->op.task_, error);
        if (w != HOLD)
            leave(t);
    } else if (error != ETIMEDOUT || w != TIMED) {
        model_thread_fail("answer", "a task of thread %llu is answered %llu", model_current,
                          (uint64_t)error);
    }
}

static int submit(struct ipc_await_task *t)
{
    unsigned w = t->word;
    bool is_timed = w == TIMED || w == FOR_TOKEN + GET_TIMED;
    const fw_deadline *deadline = is_timed ? &script_soon : NULL;

    if (w >= FOR_TOKEN)
        return ipc_await_in_use()->cond(&t->op, ipc_await.c, ipc_await.m, deadline);
    return w == UNIT ? ipc_await_in_use()->sem(&t->op, ipc_await.s, NULL)
                     : ipc_await_in_use()->mutex(&t->op, ipc_await.m, deadline);
}

static const struct ipc_await_tasks tasks = {submit, end};

/* --- Hooks ---------------------------------------------------------------------------------- */

static void act(unsigned self, unsigned w)
{
    switch (w) {
    case SERVE:
        ipc_await_serve();
        break;
    case TURN:
        ipc_await_turn();
        break;
    case OUT:
        leave(ipc_await_task_of(HOLD));
        break;
    case DROP:
        ipc_await_drop();
        break;
    case CANCEL:
        ipc_await_cancel();
        break;
    case THREAD_LOCK:
    case THREAD_TIMED:
        ipc_await_thread_locks(self, w == THREAD_TIMED ? &script_soon : NULL);
        break;
    case TAKE:
        ipc_await_thread_takes(self);
        break;
    case POST:
        ipc_await_thread_posts(self);
        break;
    case THREAD_GET:
        ipc_await_thread_gets(self);
        break;
    case PUT:
    case PUT_AFTER:
    case PUT_ALL:
        ipc_await_thread_puts(self, (enum ipc_await_put)(w - PUT)); /* in the same order */
        break;
    case EITHER:
        ipc_await_ask_either(ASK, UNIT);
        break;
    default:
        ipc_await_ask(w);
        if (w == LOCK || w == TIMED || w == HOLD)
            ipc_await_serve();
    }
}

static void thread(unsigned self)
{
    ipc_await_tasks_run(self, act);
}

/* Whoever is told of a death here repairs, and says so. */
static void changed(unsigned thread, uint64_t addr, uint64_t before)
{
    ipc_mutex_changed(thread, addr, before);
    if ((ipc_await.m->word_ & FW_IPC_HOLDER) == FW_IPC_ABANDONED)
        model_fail("word", "thread %llu has given the mutex up", thread, 0);
}

static void finished(void)
{
    uint32_t left = (uint32_t)ipc_await.s->word_ & FW_IPC_SEM_MAX;

    ipc_mutex_finished();
    if ((*shadow(TOKENS) != 0 || left != 0) && model_shared.asleep != 0)
        model_fail("lost wake-up", "somebody sleeps beside %llu tokens and %llu units",
                   *shadow(TOKENS), left);
    if (!region_has_deaths() && left != *shadow(ADDED) - *shadow(TAKEN))
        model_fail("lost unit", "there should be %llu units, and there are %llu",
                   *shadow(ADDED) - *shadow(TAKEN), left);
}

static HOOKS(hooks, .words = word_names, .family = FAMILY_IPC_AWAIT, .own = ipc_await_tasks_own,
             .setup = setup, .thread = thread, .access = access, .killed = ipc_mutex_killed,
             .changed = changed, .finished = finished);

/* No re-check comes: what is not told to a sleeper it never learns. */
#define TOLD(...) SCRIPTED(hooks, __VA_ARGS__, .generic = true)
#define PROGRAM(...) TOLD(__VA_ARGS__, .rechecks = true)
#define WITH(...) WITH_OPTIONS(ipc_await_script, __VA_ARGS__)
#define LATE WITH(.are_late = true)

static const struct model_program programs[] = {
    TOLD("ipc-await", "lock lock | thread-lock thread-lock"),
    TOLD("ipc-await-loops", "lock lock | lock lock"),
    TOLD("ipc-await-three", "lock | lock | thread-lock"),
    TOLD("ipc-await-threads", "lock | thread-lock | thread-lock"),
    TOLD("ipc-await-ask", "ask ask serve | thread-lock thread-lock"),
    TOLD("ipc-await-hold", "hold ask out serve | thread-lock"),
    TOLD("ipc-await-hold-two", "hold ask ask out serve | thread-lock"),
    TOLD("ipc-await-drop", "ask drop turn | thread-lock | thread-lock"),
    TOLD("ipc-await-drop-again", "ask drop lock | thread-lock"),
    TOLD("ipc-await-drop-held", "hold ask out drop | thread-lock"),
    TOLD("ipc-await-cancel", "ask cancel | lock | thread-lock"),
    TOLD("ipc-await-cancel-held", "hold ask out cancel | thread-lock"),
    TOLD("ipc-await-timed", "timed | lock | thread-lock", TICKS(1)),
    TOLD("ipc-await-timed-thread", "lock | lock | thread-timed", TICKS(1)),
    TOLD("ipc-await-unit", "unit serve | post | take", MAY_SLEEP),
    TOLD("ipc-await-units", "unit unit serve | post post"),
    TOLD("ipc-await-units-loops", "unit serve | unit serve | post post"),
    TOLD("ipc-await-units-drop", "unit drop | unit serve | post", MAY_SLEEP),
    TOLD("ipc-await-both", "ask unit serve | thread-lock post"),
    TOLD("ipc-await-either", "either serve | thread-lock post"),
    TOLD("ipc-await-either-take", "either serve | thread-lock take | post", MAY_SLEEP),
    TOLD("ipc-await-either-loops", "either serve | either serve | thread-lock post", MAY_SLEEP),
    TOLD("ipc-await-either-hold", "hold either out serve | unit serve | post", MAY_SLEEP),
    TOLD("ipc-await-either-drop", "either drop | thread-lock take | post", MAY_SLEEP),
    TOLD("ipc-await-either-told", "either serve | thread-lock | post", KILLS(1), LATE),
    TOLD("ipc-await-told", "lock | thread-lock thread-lock", KILLS(1), LATE),
    TOLD("ipc-await-told-loops", "lock | lock", KILLS(1), LATE),
    TOLD("ipc-await-told-three", "lock | lock | thread-lock", KILLS(1), LATE),
    TOLD("ipc-await-told-threads", "lock | thread-lock | thread-lock", KILLS(1), LATE),
    TOLD("ipc-await-told-two", "lock | lock | thread-lock", KILLS(2), LATE, BOUND(2, 0)),
    TOLD("ipc-await-told-four", "lock | thread-lock | thread-lock | thread-lock", KILLS(1), LATE,
         BOUND(1, 2)),
    TOLD("ipc-await-told-hold", "hold ask out serve | lock", KILLS(1), LATE),
    TOLD("ipc-await-told-drop", "ask drop | lock | thread-lock", KILLS(1), LATE),
    TOLD("ipc-await-told-split", "lock | lock | thread-lock", KILLS(1), LATE, .splits = true,
         BOUND(2, 3), ABOUT("the same, and a sleep takes several steps")),
    TOLD("ipc-await-cond", "get serve | put"),
    TOLD("ipc-await-cond-after", "get serve | put-after"),
    TOLD("ipc-await-cond-tasks", "get get serve | put put"),
    TOLD("ipc-await-cond-loops", "get serve | get serve | put put", BOUND(2, 3)),
    TOLD("ipc-await-cond-thread", "get serve | thread-get | put put-after", BOUND(3, 4)),
    TOLD("ipc-await-cond-all", "get serve | thread-get | put-all"),
    TOLD("ipc-await-cond-all-loops", "get serve | get serve | put-all"),
    TOLD("ipc-await-cond-drop", "get turn drop turn | thread-get | put", MAY_SLEEP, BOUND(3, 4)),
    TOLD("ipc-await-cond-again", "get turn drop get serve | thread-get | put put", MAY_SLEEP,
         BOUND(2, 3)),
    TOLD("ipc-await-cond-either", "get-either serve | put post"),
    TOLD("ipc-await-cond-either-thread", "get-either serve | thread-get | put put post", MAY_SLEEP,
         BOUND(2, 3)),
    TOLD("ipc-await-cond-either-loops", "get-either serve | get serve | put-all post", MAY_SLEEP,
         BOUND(2, 3)),
    TOLD("ipc-await-cond-timed", "get-timed serve | thread-get | put put", TICKS(1), BOUND(2, 3)),
    PROGRAM("ipc-await-cond-kill", "get serve | thread-get | put put", KILLS(1), .immortal = 4,
            BOUND(1, 2)),
    PROGRAM("ipc-await-cond-kill-all", "get serve | thread-get | put-all", KILLS(1), .immortal = 4,
            BOUND(1, 2)),
    TOLD("ipc-await-together", "lock lock | lock lock", PROCESS_TOGETHER),
    TOLD("ipc-await-together-ask", "ask ask serve | lock", PROCESS_TOGETHER),
    TOLD("ipc-await-together-hold", "hold ask out serve | lock", PROCESS_TOGETHER),
    TOLD("ipc-await-together-three", "lock | lock | thread-lock", PROCESS_TOGETHER, BOUND(3, 0)),
    TOLD("ipc-await-together-drop", "ask drop turn | lock | thread-lock", PROCESS_TOGETHER,
         BOUND(3, 0)),
    TOLD("ipc-await-together-units", "unit serve | unit serve | post post", PROCESS_TOGETHER,
         BOUND(3, 0)),
    TOLD("ipc-await-together-either", "either serve | lock | post", PROCESS_TOGETHER, BOUND(3, 0)),
    TOLD("ipc-await-together-cond", "get serve | get serve | put put", PROCESS_TOGETHER,
         BOUND(1, 2)),
    TOLD("ipc-await-together-cond-all", "get serve | get serve | put-all", PROCESS_TOGETHER,
         BOUND(2, 3)),
    PROGRAM("ipc-await-kill", "lock lock | thread-lock thread-lock", KILLS(1)),
    PROGRAM("ipc-await-kill-loops", "lock lock | lock lock", KILLS(1)),
    PROGRAM("ipc-await-kill-three", "lock | lock | thread-lock", KILLS(2), BOUND(2, 4)),
    PROGRAM("ipc-await-kill-hold", "hold ask out serve | thread-lock", KILLS(1)),
    PROGRAM("ipc-await-kill-drop", "hold ask out drop | thread-lock", KILLS(1)),
    PROGRAM("ipc-await-unmarked", "lock | lock | thread-lock", KILLS(1), .unmarked = true,
            BOUND(3, 0)),
};

GROUP(ipc_await, "ipc-await");
