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
 *   hold, out    a task has the mutex from the one word to the other
 *   serve        the loop runs until all that have asked have got it
 *   turn         it runs once, whatever there is to do
 *   drop         those that have asked are dropped
 *   cancel       they are cancelled; who has been granted the mutex has its section
 *
 * and of a thread: thread-lock, thread-timed, take and post (a unit).
 *
 * Checked: ipc_mutex_check.h; that no unit is lost or made up; that each operation ends once; and
 * that a loop that is destroyed leaves no use of its keeper, and no memory.
 */
#include <errno.h>

#include "../engine/report.h"
#include "../kernel.h"
#include "../subject/process.h"
#include "../subject/subject.h"
#include "ipc/sem.h"
#include "ipc_await_calls.h"
#include "ipc_mutex_check.h"
#include "ipc_region.h"
#include "script.h"

struct ipc_await_script {
    bool are_late; /* the first interval of each wait has passed */
    unsigned units;
};

SCRIPT_WORDS(LOCK, TIMED, ASK, UNIT, HOLD, OUT, SERVE, TURN, DROP, CANCEL, THREAD_LOCK,
             THREAD_TIMED, TAKE, POST);

/* Units that there were at the start, and were added; and that were taken. */
enum shadow { ADDED = IPC_MUTEX_SHADOW_WORDS, TAKEN };

enum { TASKS = 3 };

#define SEM_MADE (UINT64_C(1) << 63)

struct task {
    fw_await op;
    uint64_t word; /* 0: it is over */
};

/* Of a process. */
static fw_loop *loop FW_OF_PROCESS_;
static struct task tasks[TASKS] FW_OF_PROCESS_;
static uint64_t asking FW_OF_PROCESS_;

static fw_ipc_mutex *m;
static fw_ipc_sem *s;
static const struct ipc_await_script *script, none;

static bool is_loop(unsigned self)
{
    return script_words[self][0] < THREAD_LOCK;
}

static void setup(void)
{
    static const struct model_part parts[] = {
        {"word", 0, 8}, {"word", 0, 4}, {"made", 8, 4}, {NULL, 0, 0}};

    script = script_options(&none);
    region_make(model_thread_count, true);
    for (unsigned i = 0; i < model_thread_count; i++)
        region_slots[i].waits_how = is_loop(i) ? FW_IPC_KEEPS : 0;
    m = ipc_mutex_make(false, true);
    s = model_object("s", 64, parts, NULL); /* what an object takes at least */
    s->word_ = SEM_MADE | script->units;
    s->made_ = FW_IPC_SEM_MADE_ | FW_IPC_SEM_MAX;
    *shadow(ADDED) = script->units;
    process_make();
}

static enum model_access access(const void *p)
{
    if (p == (const void *)&s->spin_)
        return ACCESS_NONE;
    if (p == (const void *)&s->made_)
        return ACCESS_DIRECT;
    return process_is_shared(p) ? ACCESS_STEP : ipc_mutex_access(p);
}

/* --- Tasks ---------------------------------------------------------------------------------- */

static void took(unsigned self)
{
    report_remark(self, "has a unit");
    if (++*shadow(TAKEN) > *shadow(ADDED))
        model_thread_fail("made up", "%llu were taken, and only %llu were there", *shadow(TAKEN),
                          *shadow(ADDED));
}

static void enter(const struct task *t, int error)
{
    report_remark(model_current, error == 0 ? "is inside" : "is inside, after a death");
    ipc_mutex_enters(model_current, error);
    if (error == 0)
        return;
    ipc_mutex_mends();
    if (ipc_await_in_use()->consistent(m, t->op.task_) != 0)
        model_thread_fail("answer", "the holder may not say that the data are sound", 0, 0);
    ipc_mutex_is_sound();
}

static void leave(const struct task *t)
{
    ipc_mutex_count();
    ipc_mutex_leaves();
    if (ipc_await_in_use()->unlock(m, t->op.task_) != 0)
        model_thread_fail("answer", "thread %llu may not unlock what it has", model_current, 0);
    report_remark(model_current, "has unlocked");
}

/* The operation is over, with that. */
static void end(struct task *t, int error)
{
    uint64_t w = t->word;

    t->word = w == HOLD ? HOLD : 0;
    if (error == 0 && w == UNIT) {
        took(model_current);
    } else if (error == 0 || (error == EOWNERDEAD && w != UNIT)) {
        enter(t, error);
        if (w != HOLD)
            leave(t);
    } else if (error != ETIMEDOUT || w != TIMED) {
        model_thread_fail("answer", "a task of thread %llu is answered %llu", model_current,
                          (uint64_t)error);
    }
}

static void done(fw_await *op, int error)
{
    asking--;
    end((struct task *)(void *)op, error);
}

static void ask(enum word w)
{
    struct task *t = tasks;
    int error;

    while (t->word != 0)
        t++;
    t->word = w;
    ipc_await_in_use()->init(&t->op, loop, subject_id(8 + (unsigned)(t - tasks)), done);
    error = w == UNIT ? ipc_await_in_use()->sem(&t->op, s, NULL)
                      : ipc_await_in_use()->mutex(&t->op, m, w == TIMED ? &script_soon : NULL);
    if (error == EINPROGRESS)
        asking++;
    else
        end(t, error);
}

static void serve(void)
{
    while (asking != 0) {
        ipc_await_in_use()->run(loop, 0);
        if (asking != 0)
            ipc_await_in_use()->wait(loop, NULL);
    }
}

static void give_up(enum word how)
{
    for (struct task *t = tasks; t < tasks + TASKS; t++) {
        if (t->word == 0 || t->word == HOLD)
            continue;
        asking--;
        if (how == CANCEL && !ipc_await_in_use()->cancel(&t->op))
            end(t, t->op.result_);
        else if (how == DROP)
            ipc_await_in_use()->drop(&t->op);
        t->word = 0;
    }
}

static void leave_held(void)
{
    struct task *t = tasks;

    while (t->word != HOLD)
        t++;
    t->word = 0;
    leave(t);
}

/* --- Threads -------------------------------------------------------------------------------- */

static void lock_as_thread(unsigned self, enum word w)
{
    int error = ipc_await_in_use()->thread_lock(m, &script_blocking,
                                                w == THREAD_TIMED ? &script_soon : NULL);

    if (error == ETIMEDOUT && w == THREAD_TIMED)
        return;
    if (error != 0 && error != EOWNERDEAD)
        model_thread_fail("answer", "thread %llu is answered %llu", self, (uint64_t)error);
    report_remark(self, error == 0 ? "is inside" : "is inside, after a death");
    ipc_mutex_enters(self, error);
    if (error == EOWNERDEAD) {
        ipc_mutex_mends();
        if (ipc_await_in_use()->thread_consistent(m) != 0)
            model_thread_fail("answer", "the holder may not say that the data are sound", 0, 0);
        ipc_mutex_is_sound();
    }
    ipc_mutex_count();
    ipc_mutex_leaves();
    if (ipc_await_in_use()->thread_unlock(m) != 0)
        model_thread_fail("answer", "thread %llu may not unlock what it has", self, 0);
    report_remark(self, "has unlocked");
}

static void take_as_thread(unsigned self)
{
    if (ipc_await_in_use()->take(s, &script_blocking, NULL) != 0)
        model_thread_fail("answer", "thread %llu does not get a unit", self, 0);
    took(self);
}

static void post(unsigned self)
{
    ++*shadow(ADDED);
    if (ipc_await_in_use()->post(s, 1) != 0)
        model_thread_fail("answer", "thread %llu may not add a unit", self, 0);
}

/* --- Hooks ---------------------------------------------------------------------------------- */

static void act(unsigned self, unsigned w)
{
    switch (w) {
    case SERVE:
        serve();
        break;
    case TURN:
        ipc_await_in_use()->run(loop, 0);
        break;
    case OUT:
        leave_held();
        break;
    case DROP:
    case CANCEL:
        give_up(w);
        break;
    case THREAD_LOCK:
    case THREAD_TIMED:
        lock_as_thread(self, w);
        break;
    case TAKE:
        take_as_thread(self);
        break;
    case POST:
        post(self);
        break;
    default:
        ask(w);
        if (w == LOCK || w == TIMED || w == HOLD)
            serve();
    }
}

static void thread(unsigned self)
{
    region_begin(self);
    if (is_loop(self)) {
        process_begin();
        if (ipc_await_in_use()->create(&loop, NULL) != 0)
            model_thread_fail("answer", "no loop", 0, 0);
        process_has_loop(loop, script->are_late);
    }
    for (const unsigned *w = script_words[self]; *w != END; w++)
        act(self, *w);
    if (is_loop(self)) {
        if (ipc_await_in_use()->destroy(loop) != 0)
            model_thread_fail("answer", "a loop that has nothing to do is not destroyed", 0, 0);
        process_check_end();
    }
}

/* Whoever is told of a death here repairs, and says so. */
static void changed(unsigned thread, uint64_t addr, uint64_t before)
{
    ipc_mutex_changed(thread, addr, before);
    if ((m->word_ & FW_IPC_HOLDER) == FW_IPC_ABANDONED)
        model_fail("word", "thread %llu has given the mutex up", thread, 0);
}

static void finished(void)
{
    uint32_t left = (uint32_t)s->word_ & FW_IPC_SEM_MAX;

    ipc_mutex_finished();
    if (!region_has_deaths() && left != *shadow(ADDED) - *shadow(TAKEN))
        model_fail("lost unit", "there should be %llu units, and there are %llu",
                   *shadow(ADDED) - *shadow(TAKEN), left);
}

static const struct model_own *own(void)
{
    static struct model_own table[4];
    const struct model_own *others = region_own();
    unsigned n = 0;

    for (; others[n].begin != NULL; n++)
        table[n] = others[n];
    table[n] = (struct model_own){__start_model_process_variables, __stop_model_process_variables};
    table[n + 1] = (struct model_own){NULL, NULL};
    return table;
}

static HOOKS(hooks, .words = word_names, .family = FAMILY_IPC_AWAIT, .own = own, .setup = setup,
             .thread = thread, .access = access, .killed = ipc_mutex_killed, .changed = changed,
             .finished = finished);

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
    PROGRAM("ipc-await-kill", "lock lock | thread-lock thread-lock", KILLS(1)),
    PROGRAM("ipc-await-kill-loops", "lock lock | lock lock", KILLS(1)),
    PROGRAM("ipc-await-kill-three", "lock | lock | thread-lock", KILLS(2), BOUND(2, 4)),
    PROGRAM("ipc-await-kill-hold", "hold ask out serve | thread-lock", KILLS(1)),
    PROGRAM("ipc-await-kill-drop", "hold ask out drop | thread-lock", KILLS(1)),
    PROGRAM("ipc-await-unmarked", "lock | lock | thread-lock", KILLS(1), .unmarked = true,
            BOUND(3, 0)),
    PROGRAM("ipc-await-kill-unit", "unit serve | unit serve | post post", KILLS(1), MAY_SLEEP,
            BOUND(2, 4)),
};

GROUP(ipc_await, "ipc-await");
