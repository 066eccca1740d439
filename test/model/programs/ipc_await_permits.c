/* SPDX-License-Identifier: MIT */
/*
 * The programs for operations that wait for permits of a region, as ipc_await.c has them for a
 * mutex.  The words of a loop:
 *
 *   permit       a task gets a permit, and gives it back
 *   timed        the same, and gives up at a deadline
 *   ask          one asks for a permit: it gives it back as soon as the loop sees that it has it
 *   hold, out    a task has a permit from the one word to the other
 *   either       two of a group ask, and one gets a permit, which it gives back
 *   serve, turn, drop, cancel
 *
 * and of a thread: take (and give back), keep (and end with it).
 *
 * Checked: as in ipc_permits.c; that whoever gets a permit that one had who was killed is told; and
 * what is checked of each loop's end.
 */
#include <errno.h>

#include "../engine/report.h"
#include "../kernel.h"
#include "../subject/process.h"
#include "ipc_await_calls.h"
#include "ipc_await_tasks.h"
#include "ipc_region.h"
#include "script.h"

SCRIPT_WORDS(PERMIT, TIMED, ASK, HOLD, OUT, EITHER, SERVE, TURN, DROP, CANCEL, TAKE, KEEP);

enum { PERMITS = 2 };

/* LENT, by permit: thread + 1.  OWED, by permit: who had it was killed, and nobody was told. */
enum shadow { LENT, OWED = PERMITS };

static fw_ipc_permits *u;
static const struct ipc_await_tasks tasks;

static uint64_t *permits(void)
{
    return (uint64_t *)(u + 1);
}

static void setup(void)
{
    static const struct model_part parts[] = {
        {"queue", 0, 8}, {"queue", 0, 4}, {"permit0", 64, 8}, {"permit1", 72, 8}, {NULL, 0, 0}};

    region_make(model_thread_count, true);
    u = model_object("u", (unsigned)(sizeof *u + PERMITS * sizeof(uint64_t)), parts, NULL);
    u->made_ = model_program->initial;
    ipc_await_tasks_make(&tasks, TAKE);
}

static enum model_access access(const void *p)
{
    if (p == (const void *)&u->made_)
        return ACCESS_DIRECT;
    return process_is_shared(p) ? ACCESS_STEP : region_access(p);
}

/* --- The holders ---------------------------------------------------------------------------- */

static void has(unsigned self, uint32_t permit, int error)
{
    if (permit >= u->made_ || (error != 0 && (error != EOWNERDEAD || !region_has_deaths())))
        model_thread_fail("answer", "thread %llu is answered %llu", self, (uint64_t)error);
    report_remark(self, error == 0 ? "has a permit" : "has the permit of a dead one");
    if (*shadow(LENT + permit) != 0)
        model_thread_fail("exclusion", "permit %llu is lent to thread %llu, too", permit,
                          *shadow(LENT + permit) - 1);
    if (error == 0 && *shadow(OWED + permit) != 0)
        model_thread_fail("forgotten",
                          "who had permit %llu was killed, and thread %llu is not told", permit,
                          self);
    *shadow(OWED + permit) = 0;
    *shadow(LENT + permit) = self + 1;
    model_op(OP_NOTE, NULL, 0, 0, 0, 0, 0);
}

static void give(struct ipc_await_task *t)
{
    uint32_t permit = ipc_await_in_use()->permit(&t->op);

    *shadow(LENT + permit) = 0;
    if (ipc_await_in_use()->permit_give(u, permit, t->op.task_) != 0)
        model_thread_fail("answer", "a task of thread %llu may not give back what it has",
                          model_current, 0);
}

static int submit(struct ipc_await_task *t)
{
    return ipc_await_in_use()->permits(&t->op, u, t->word == TIMED ? &script_soon : NULL);
}

static void end(struct ipc_await_task *t, int error)
{
    unsigned w = t->word;

    t->word = w == HOLD ? HOLD : 0;
    if (error == ETIMEDOUT && w == TIMED)
        return;
    has(model_current, ipc_await_in_use()->permit(&t->op), error);
    if (w != HOLD)
        give(t);
}

static const struct ipc_await_tasks tasks = {submit, end};

static void take_as_thread(unsigned self, enum word w)
{
    uint32_t permit = 0;
    int error = ipc_await_in_use()->thread_permit(u, &permit, &script_blocking, NULL);

    has(self, permit, error);
    if (w == KEEP)
        model_thread_exit();
    *shadow(LENT + permit) = 0;
    if (ipc_await_in_use()->thread_permit_give(u, permit) != 0)
        model_thread_fail("answer", "thread %llu may not give back what it has", self, 0);
}

/* --- Hooks ---------------------------------------------------------------------------------- */

static void act(unsigned self, unsigned w)
{
    switch (w) {
    case OUT:
        give(ipc_await_task_of(HOLD));
        break;
    case SERVE:
        ipc_await_serve();
        break;
    case TURN:
        ipc_await_turn();
        break;
    case DROP:
        ipc_await_drop();
        break;
    case CANCEL:
        ipc_await_cancel();
        break;
    case TAKE:
    case KEEP:
        take_as_thread(self, w);
        break;
    case EITHER:
        ipc_await_ask_either(ASK, ASK);
        break;
    default:
        ipc_await_ask(w);
        if (w != ASK)
            ipc_await_serve();
    }
}

static void thread(unsigned self)
{
    ipc_await_tasks_run(self, act);
}

static void killed(unsigned thread)
{
    for (unsigned i = 0; i < u->made_; i++) {
        if (*shadow(LENT + i) != thread + 1)
            continue;
        *shadow(LENT + i) = 0;
        *shadow(OWED + i) = 1;
    }
}

static void changed(unsigned thread, uint64_t addr, uint64_t before)
{
    uint64_t at = addr - (uint64_t)(uintptr_t)permits();
    unsigned owner = region_thread_of(before);

    region_changed(thread, addr, before);
    if (at < u->made_ * sizeof(uint64_t) && owner < MODEL_MAX_THREADS &&
        owner != region_process_of(thread))
        model_fail("word", "thread %llu takes what thread %llu has", thread, owner);
}

static void finished(void)
{
    for (unsigned i = 0; i < u->made_; i++)
        if (region_thread_of(permits()[i]) < MODEL_MAX_THREADS ||
            (!region_has_deaths() && permits()[i] != 0))
            model_fail("word", "all are done, and permit %llu is lent: 0x%llx", i, permits()[i]);
}

static HOOKS(hooks, .words = word_names, .family = FAMILY_IPC_AWAIT, .own = ipc_await_tasks_own,
             .setup = setup, .thread = thread, .access = access, .killed = killed,
             .changed = changed, .finished = finished);

/* No re-check comes: what is not told to a sleeper it never learns. */
#define TOLD(...) SCRIPTED(hooks, __VA_ARGS__, .generic = true)
#define WITH(...) WITH_OPTIONS(ipc_await_script, __VA_ARGS__)
#define LATE WITH(.are_late = true)

static const struct model_program programs[] = {
    TOLD("ipc-await-permits", "permit permit | take take", FROM(1)),
    TOLD("ipc-await-permits-loops", "permit permit | permit permit", FROM(1)),
    TOLD("ipc-await-permits-three", "permit | permit | take", FROM(1)),
    TOLD("ipc-await-permits-threads", "permit | take | take", FROM(1)),
    TOLD("ipc-await-permits-two", "permit | permit | take take", FROM(2)),
    TOLD("ipc-await-permits-ask", "ask ask serve | take take", FROM(1)),
    TOLD("ipc-await-permits-ask-two", "ask ask ask serve | take take", FROM(2)),
    TOLD("ipc-await-permits-hold", "hold ask out serve | take", FROM(1)),
    TOLD("ipc-await-permits-drop", "ask ask drop turn | take take", FROM(1)),
    TOLD("ipc-await-permits-drop-held", "hold ask out drop | take", FROM(1)),
    TOLD("ipc-await-permits-cancel", "ask cancel | permit | take", FROM(1)),
    TOLD("ipc-await-permits-timed", "timed | permit | take", FROM(1), TICKS(1), BOUND(3, 0)),
    TOLD("ipc-await-permits-either", "either serve | take take", FROM(1)),
    TOLD("ipc-await-permits-either-two", "hold either out serve | take take", FROM(2)),
    TOLD("ipc-await-permits-together", "permit permit | permit permit", FROM(1), PROCESS_TOGETHER),
    TOLD("ipc-await-permits-together-ask", "ask ask serve | permit", FROM(1), PROCESS_TOGETHER),
    TOLD("ipc-await-permits-together-three", "permit | permit | take", FROM(1), PROCESS_TOGETHER,
         BOUND(3, 0)),
    TOLD("ipc-await-permits-together-two", "hold ask out serve | permit | take", FROM(2),
         PROCESS_TOGETHER, BOUND(3, 0)),
    TOLD("ipc-await-permits-together-drop", "ask ask drop turn | permit | take", FROM(1),
         PROCESS_TOGETHER, BOUND(3, 0)),
    TOLD("ipc-await-permits-told", "permit | take take", FROM(1), KILLS(1), LATE),
    TOLD("ipc-await-permits-told-keep", "permit | keep", FROM(1), LATE),
    TOLD("ipc-await-permits-told-loops", "permit | permit", FROM(1), KILLS(1), LATE),
    TOLD("ipc-await-permits-told-three", "permit | permit | take", FROM(1), KILLS(1), LATE,
         BOUND(2, 0)),
    TOLD("ipc-await-permits-told-two", "permit | permit | take", FROM(2), KILLS(2), LATE,
         BOUND(2, 0)),
    TOLD("ipc-await-permits-told-hold", "hold ask out serve | permit", FROM(1), KILLS(1), LATE),
    TOLD("ipc-await-permits-told-drop", "ask ask drop | permit | take", FROM(1), KILLS(1), LATE,
         BOUND(2, 0)),
};

GROUP(ipc_await_permits, "ipc-await-permits");
