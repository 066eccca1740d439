/* SPDX-License-Identifier: MIT */
/*
 * The programs for operations that wait for a read-write lock of a region, as ipc_await.c has them
 * for a mutex.  The words of a loop:
 *
 *   read         a task has a section among readers
 *   timed        the same, and gives up at a deadline
 *   ask          one asks to read: it comes in, and leaves, as soon as the loop sees it
 *   hold, out    a task reads from the one word to the other
 *   write        a task has a section alone; after EOWNERDEAD it repairs, and says so
 *   timed-write  the same, and gives up at a deadline
 *   ask-write    one asks to write: it has its section as soon as the loop sees it
 *   either       one asks to write or to read, whatever comes first
 *   drop-one     the first of those that have asked is dropped
 *   serve, turn, drop, cancel
 *
 * and of a thread those of ipc_rwlock_task.c, and thread-keep: it reads, and ends with that.
 *
 * Checked: ipc_rwlock_check.h; and what is checked of each loop's end.
 */
#include <errno.h>

#include "../engine/report.h"
#include "../subject/process.h"
#include "ipc_await_calls.h"
#include "ipc_await_tasks.h"
#include "ipc_region.h"
#include "ipc_rwlock_check.h"
#include "ipc_rwlock_threads.h"
#include "script.h"

SCRIPT_WORDS(READ, TIMED, ASK, HOLD, OUT, WRITE, TIMED_WRITE, ASK_WRITE, EITHER, SERVE, TURN, DROP,
             DROP_ONE, CANCEL, THREAD_READ, THREAD_KEEP, THREAD_WRITE, THREAD_TIMED_WRITE,
             THREAD_UP, THREAD_UPGRADE);

static fw_ipc_rwlock *l;
static const struct ipc_await_tasks tasks;

/* Tasks that read; and that hold, but were refused. */
static __thread uint64_t reading, refused;

static void setup(void)
{
    l = ipc_rwlock_make(1, 0, false);
    ipc_rwlock_threads_make(l);
    ipc_await_tasks_make(&tasks, THREAD_READ);
}

static enum model_access access(const void *p)
{
    return process_is_shared(p) ? ACCESS_STEP : ipc_rwlock_access(p);
}

/* --- Tasks ---------------------------------------------------------------------------------- */

static void come_in(void)
{
    ipc_rwlock_reads(model_current);
    reading++;
}

static void leave(struct ipc_await_task *t)
{
    ipc_rwlock_pass();
    if (--reading == 0)
        *shadow(READERS) &= ~model_bit(model_current);
    if (ipc_await_in_use()->end_read(l, t->op.task_) != 0)
        model_thread_fail("answer", "a task of thread %llu may not end what it reads",
                          model_current, 0);
}

static int say_consistent(void *t)
{
    return ipc_await_in_use()->write_consistent(l, ((struct ipc_await_task *)t)->op.task_);
}

static void section(struct ipc_await_task *t, int error)
{
    ipc_rwlock_section(model_current, error, say_consistent, t);
    if (ipc_await_in_use()->end_write(l, t->op.task_) != 0)
        model_thread_fail("answer", "a task of thread %llu may not end what it writes",
                          model_current, 0);
    report_remark(model_current, "has ended writing");
}

static bool writes(unsigned w)
{
    return w == WRITE || w == TIMED_WRITE || w == ASK_WRITE;
}

static int submit(struct ipc_await_task *t)
{
    const fw_deadline *deadline = t->word == TIMED || t->word == TIMED_WRITE ? &script_soon : NULL;

    return writes(t->word) ? ipc_await_in_use()->write(&t->op, l, deadline)
                           : ipc_await_in_use()->read(&t->op, l, deadline);
}

static void end(struct ipc_await_task *t, int error)
{
    unsigned w = t->word;

    t->word = 0;
    if (error == ETIMEDOUT && (w == TIMED || w == TIMED_WRITE))
        return;
    if (writes(w) && (error == 0 || error == EOWNERDEAD)) {
        section(t, error);
        return;
    }
    if (error == EOWNERDEAD && *shadow(DIED_WRITING) != 0) {
        refused += w == HOLD;
        return;
    }
    if (error != 0)
        model_thread_fail("answer", "a task of thread %llu is answered %llu", model_current,
                          (uint64_t)error);
    come_in();
    if (w == HOLD)
        t->word = HOLD;
    else
        leave(t);
}

static const struct ipc_await_tasks tasks = {submit, end};

/* --- Hooks ---------------------------------------------------------------------------------- */

static void act_as_thread(unsigned self, unsigned w)
{
    if (w == THREAD_READ || w == THREAD_KEEP)
        ipc_rwlock_thread_reads(self, w == THREAD_KEEP);
    else if (w == THREAD_WRITE || w == THREAD_TIMED_WRITE)
        ipc_rwlock_thread_writes(self, w == THREAD_TIMED_WRITE ? &script_soon : NULL);
    else
        ipc_rwlock_thread_reads_upgradable(self, w == THREAD_UPGRADE);
}

static void act_as_loop(unsigned w)
{
    switch (w) {
    case OUT:
        if (refused == 0)
            leave(ipc_await_task_of(HOLD));
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
    case DROP_ONE:
        ipc_await_drop_some(1);
        break;
    case CANCEL:
        ipc_await_cancel();
        break;
    case EITHER:
        ipc_await_ask_either(ASK_WRITE, ASK);
        break;
    default:
        ipc_await_ask(w);
        if (w != ASK && w != ASK_WRITE)
            ipc_await_serve();
    }
}

static void act(unsigned self, unsigned w)
{
    if (ipc_await_has_loop(self))
        act_as_loop(w);
    else
        act_as_thread(self, w);
}

static void thread(unsigned self)
{
    ipc_await_tasks_run(self, act);
}

static HOOKS(hooks, .words = word_names, .family = FAMILY_IPC_AWAIT, .own = ipc_await_tasks_own,
             .setup = setup, .thread = thread, .access = access, .killed = ipc_rwlock_killed,
             .changed = ipc_rwlock_changed, .finished = ipc_rwlock_finished);

/* No re-check comes: what is not told to a sleeper it never learns. */
#define TOLD(...) SCRIPTED(hooks, __VA_ARGS__, .generic = true)
#define PROGRAM(...) TOLD(__VA_ARGS__, .rechecks = true)
#define WITH(...) WITH_OPTIONS(ipc_await_script, __VA_ARGS__)
#define LATE WITH(.are_late = true)
/* A thread's last store may be late: who waits for it meanwhile sleeps until its re-check. */
#define RECHECKS_DUE .rechecks_are_due = true

static const struct model_program programs[] = {
    TOLD("ipc-await-rw", "read read | write write"),
    TOLD("ipc-await-rw-writer", "read read | thread-write thread-write"),
    PROGRAM("ipc-await-rw-reader", "write write | thread-read thread-read", RECHECKS_DUE),
    TOLD("ipc-await-rw-up", "read read | thread-up thread-up"),
    TOLD("ipc-await-rw-upgrade", "read read | thread-upgrade"),
    TOLD("ipc-await-rw-two", "read | read | thread-write", BOUND(4, 0)),
    TOLD("ipc-await-rw-writers", "write | write | thread-write"),
    TOLD("ipc-await-rw-ask", "ask ask serve | thread-write thread-write"),
    TOLD("ipc-await-rw-ask-write", "ask-write ask-write serve | thread-write"),
    TOLD("ipc-await-rw-both", "ask ask-write serve | thread-write"),
    TOLD("ipc-await-rw-write-first", "ask-write ask serve | thread-write"),
    TOLD("ipc-await-rw-joins", "hold ask out serve | thread-write"),
    TOLD("ipc-await-rw-holds-off", "hold ask-write out serve | thread-write"),
    TOLD("ipc-await-rw-holds-read", "hold ask-write ask out serve | read"),
    TOLD("ipc-await-rw-drop", "ask drop turn | write write"),
    TOLD("ipc-await-rw-drop-write", "ask-write drop turn | read | thread-write", BOUND(3, 0)),
    TOLD("ipc-await-rw-drop-closing", "hold ask-write turn drop out | read"),
    TOLD("ipc-await-rw-drop-first", "hold ask-write ask-write drop-one out serve | read"),
    TOLD("ipc-await-rw-cancel", "ask-write cancel | read | thread-write", BOUND(3, 0)),
    TOLD("ipc-await-rw-timed", "timed-write | read read", TICKS(1)),
    TOLD("ipc-await-rw-timed-reader", "timed | write | thread-write", TICKS(1), BOUND(3, 4)),
    TOLD("ipc-await-rw-either", "either serve | thread-write thread-write"),
    TOLD("ipc-await-rw-either-loops", "either serve | read write"),
    TOLD("ipc-await-rw-either-hold", "hold either out serve | write"),
    TOLD("ipc-await-rw-either-drop", "hold either turn drop out | read write"),
    TOLD("ipc-await-rw-told", "read read | write", KILLS(1), LATE),
    TOLD("ipc-await-rw-told-thread", "read read | thread-write", KILLS(1), LATE),
    TOLD("ipc-await-rw-told-reader", "write | thread-keep", LATE),
    TOLD("ipc-await-rw-told-writers", "write | write | thread-write", KILLS(1), LATE, BOUND(2, 0)),
    TOLD("ipc-await-rw-told-three", "read | write | thread-write", KILLS(1), LATE, BOUND(2, 0)),
    TOLD("ipc-await-rw-told-drop", "ask-write drop | read | thread-write", KILLS(1), LATE,
         BOUND(2, 0)),
    TOLD("ipc-await-rw-told-drop-write", "ask-write drop write | thread-write", KILLS(1), LATE),
    TOLD("ipc-await-rw-together", "read read | write write", PROCESS_TOGETHER, BOUND(3, 0)),
    TOLD("ipc-await-rw-together-readers", "read | read | thread-write", PROCESS_TOGETHER,
         BOUND(3, 0)),
    TOLD("ipc-await-rw-together-ask", "ask ask serve | ask serve | thread-write", PROCESS_TOGETHER,
         BOUND(2, 3)),
    TOLD("ipc-await-rw-together-writers", "write | write | thread-write", PROCESS_TOGETHER,
         BOUND(3, 0)),
    TOLD("ipc-await-rw-together-three", "read | write | thread-write", PROCESS_TOGETHER,
         BOUND(3, 0)),
    TOLD("ipc-await-rw-together-hold", "hold ask out serve | write", PROCESS_TOGETHER),
    TOLD("ipc-await-rw-together-drop", "hold ask-write drop out | read write", PROCESS_TOGETHER,
         BOUND(3, 0)),
    TOLD("ipc-await-rw-together-lose", "ask drop turn | read | thread-write", PROCESS_TOGETHER,
         BOUND(3, 0)),
    TOLD("ipc-await-rw-together-either", "either serve | write", PROCESS_TOGETHER),
    PROGRAM("ipc-await-rw-kill", "read read | write write", KILLS(1), BOUND(3, 0)),
    PROGRAM("ipc-await-rw-kill-writer", "read read | thread-write thread-write", KILLS(1)),
    PROGRAM("ipc-await-rw-kill-reader", "write write | thread-read thread-read", KILLS(1),
            RECHECKS_DUE),
    PROGRAM("ipc-await-rw-kill-joins", "hold ask out serve | thread-timed-write", KILLS(1)),
};

GROUP(ipc_await_rwlock, "ipc-await-rwlock");
