/* SPDX-License-Identifier: MIT */
/*
 * The programs for the read-write lock between processes in the hands of tasks, beside threads.
 * What a process does for its tasks: ipc_rwlock_tasks.h.  The words of one that has some:
 *
 *   read               a task has a section among readers
 *   ask                one asks to read: it comes in, and leaves, as soon as the loop sees it
 *   serve              until all that have asked were in
 *   drop               those that have asked and are not in yet are cancelled
 *   timed              one asks, and gives up at a deadline
 *   hold, out          a task reads from the one word to the other
 *   write              a task has a section alone; after EOWNERDEAD it repairs, and says so
 *   timed-write        the same, and gives up at a deadline
 *   cancel-write       the same, and is cancelled if it is not alone at once
 *
 * The words of a thread: thread-read, thread-write, thread-timed-write, thread-up, thread-upgrade,
 * as in ipc_rwlock.c.
 *
 * Checked: ipc_rwlock_check.h.
 */
#include <errno.h>

#include "../engine/report.h"
#include "ipc_calls.h"
#include "ipc_region.h"
#include "ipc_rwlock_check.h"
#include "ipc_rwlock_tasks.h"
#include "ipc_rwlock_threads.h"
#include "script.h"

SCRIPT_WORDS(READ, ASK, SERVE, DROP, TIMED, HOLD, OUT, WRITE, TIMED_WRITE, CANCEL_WRITE,
             THREAD_READ, THREAD_WRITE, THREAD_TIMED_WRITE, THREAD_UP, THREAD_UPGRADE);

static fw_ipc_rwlock *l;
static const struct ipc_rwlock_tasks *script, plain;

static void setup(void)
{
    script = script_options(&plain);
    l = ipc_rwlock_make(1, 0, script->has_repair);
    ipc_rwlock_tasks_make(l, script);
    ipc_rwlock_threads_make(l);
}

static void begin(unsigned self)
{
    region_begin(self);
    if (script_words[self][0] < THREAD_READ)
        ipc_rwlock_tasks_begin();
}

static int say_consistent(void *agent)
{
    return ipc_rwlock_in_use()->declare_sound(l, agent);
}

static void section(unsigned self, int error)
{
    struct fw_ipc_me_ agent = ipc_rwlock_tasks_agent(self);

    ipc_rwlock_section(self, error, say_consistent, &agent);
    if (ipc_rwlock_in_use()->release(l, &agent) != 0)
        model_thread_fail("answer", "thread %llu may not end what it writes", self, 0);
    report_remark(self, "has ended writing");
}

static void write_as_task(unsigned self, enum word w)
{
    int error =
        ipc_rwlock_tasks_write(self, w == TIMED_WRITE ? &script_soon : NULL, w == CANCEL_WRITE);

    if (error == 0 || error == EOWNERDEAD)
        section(self, error);
    else if (error != ETIMEDOUT || w == WRITE)
        model_thread_fail("answer", "a task of thread %llu is answered %llu", self,
                          (uint64_t)error);
}

/* --- Hooks ---------------------------------------------------------------------------------- */

static void act(unsigned self, unsigned w)
{
    switch (w) {
    case READ:
        ipc_rwlock_tasks_hold(self);
        ipc_rwlock_tasks_leave(self);
        break;
    case TIMED:
        ipc_rwlock_tasks_ask(self);
        ipc_rwlock_tasks_serve(self, &script_soon);
        ipc_rwlock_tasks_drop(self);
        break;
    case ASK:
        ipc_rwlock_tasks_ask(self);
        break;
    case SERVE:
        ipc_rwlock_tasks_serve(self, NULL);
        break;
    case DROP:
        ipc_rwlock_tasks_drop(self);
        break;
    case HOLD:
        ipc_rwlock_tasks_hold(self);
        break;
    case OUT:
        ipc_rwlock_tasks_leave(self);
        break;
    case THREAD_READ:
        ipc_rwlock_thread_reads(self, false);
        break;
    case THREAD_WRITE:
    case THREAD_TIMED_WRITE:
        ipc_rwlock_thread_writes(self, w == THREAD_TIMED_WRITE ? &script_soon : NULL);
        break;
    case THREAD_UP:
    case THREAD_UPGRADE:
        ipc_rwlock_thread_reads_upgradable(self, w == THREAD_UPGRADE);
        break;
    default:
        write_as_task(self, w);
    }
}

static HOOKS(hooks, .words = word_names, .family = FAMILY_IPC_RWLOCK, .begin = begin,
             .own = region_own, .setup = setup, .act = act, .access = ipc_rwlock_access,
             .killed = ipc_rwlock_killed, .changed = ipc_rwlock_changed,
             .finished = ipc_rwlock_finished);

/* No re-check comes: what is not told to a sleeper it never learns. */
#define TOLD(...) SCRIPTED(hooks, __VA_ARGS__, .generic = true)
#define PROGRAM(...) TOLD(__VA_ARGS__, .rechecks = true)
#define WITH(...) WITH_OPTIONS(ipc_rwlock_tasks, __VA_ARGS__)
#define LATE WITH(.are_late = true)
/* A thread's last store may be late: who waits for it meanwhile sleeps until its re-check. */
#define RECHECKS_DUE .rechecks_are_due = true
/* A and B are loops of one process. */
#define TOGETHER .buckets = 1, .immortal = 3, WITH(.are_together = true)

static const struct model_program programs[] = {
    TOLD("ipc-rwt", "read read | write write"),
    TOLD("ipc-rwt-writer", "read read | thread-write thread-write"),
    PROGRAM("ipc-rwt-reader", "write write | thread-read thread-read", RECHECKS_DUE),
    TOLD("ipc-rwt-up", "read read | thread-up thread-up"),
    TOLD("ipc-rwt-upgrade", "read read | thread-upgrade"),
    TOLD("ipc-rwt-two", "read | read | thread-write thread-write"),
    TOLD("ipc-rwt-two-phases", "read | read | thread-write thread-write", BOUND(2, 4)),
    TOLD("ipc-rwt-two-once", "read read | read | thread-write", BOUND(3, 5)),
    TOLD("ipc-rwt-writers", "write | write | thread-write"),
    TOLD("ipc-rwt-joins", "hold ask out serve | thread-write"),
    TOLD("ipc-rwt-joins-timed", "hold ask out serve | thread-timed-write"),
    TOLD("ipc-rwt-both", "ask write serve | thread-write"),
    TOLD("ipc-rwt-drop", "ask drop | write write"),
    TOLD("ipc-rwt-cancel", "cancel-write | read | thread-write"),
    TOLD("ipc-rwt-timed", "timed-write | read read"),
    TOLD("ipc-rwt-timed-reader", "timed | thread-write | write"),
    TOLD("ipc-rwt-together", "read read | write write", TOGETHER),
    TOLD("ipc-rwt-together-three", "read | write | thread-write", TOGETHER),
    TOLD("ipc-rwt-told", "read read | write", KILLS(1), LATE),
    TOLD("ipc-rwt-told-writers", "write | write | thread-write", KILLS(1), LATE),
    PROGRAM("ipc-rwt-kill", "read read | write write", KILLS(1)),
    PROGRAM("ipc-rwt-kill-writer", "read read | thread-write thread-write", KILLS(1)),
    PROGRAM("ipc-rwt-kill-reader", "write write | thread-read thread-read", KILLS(1), RECHECKS_DUE),
    PROGRAM("ipc-rwt-kill-joins", "hold ask out serve | thread-timed-write", KILLS(1)),
};

GROUP(ipc_rwlock_task, "ipc-rwlock-task");
