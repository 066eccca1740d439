/* SPDX-License-Identifier: MIT */
/*
 * The programs for the permits between processes.
 *
 *   take    takes a permit, and gives it back
 *   timed   the same, and gives up when it times out
 *   keep    takes a permit, and ends with it
 *
 * No permit is lent to two who live; it is told truly whether it was a dead one's; and a dead one's
 * comes back.
 */
#include <errno.h>
#include <stdio.h>

#include "../engine/report.h"
#include "../kernel.h"
#include "ipc_sync.h"
#include "script.h"

SCRIPT_WORDS(TAKE, TIMED, KEEP);

/* By permit: thread + 1. */
enum shadow { LENT };

static fw_ipc_permits *u;
static uint64_t *permits;

static void setup(void)
{
    static const struct model_part parts[] = {
        {"queue", 0, 8}, {"queue", 0, 4}, {"unit0", 64, 8}, {"unit1", 72, 8}, {NULL, 0, 0}};

    region_make(model_thread_count, true);
    u = model_object("u", (unsigned)(sizeof *u + model_program->initial * sizeof *permits), parts,
                     NULL);
    u->made_ = model_program->initial;
    permits = (uint64_t *)(u + 1);
}

static enum model_access access(const void *p)
{
    return p == (const void *)&u->made_ ? ACCESS_DIRECT : region_access(p);
}

static void act(unsigned self, unsigned w)
{
    uint32_t permit = 0;
    int error =
        ipc_sync_in_use()->take(u, &permit, IPC_SYNC_BLOCKS, w == TIMED ? &script_soon : NULL);
    uint64_t *lent = shadow(LENT + permit);

    if (error == ETIMEDOUT && w == TIMED)
        return;
    if (permit >= u->made_ || (error != 0 && (error != EOWNERDEAD || !region_has_deaths())))
        model_thread_fail("answer", "thread %llu is answered %llu", self, (uint64_t)error);
    report_remark(self, error == 0 ? "has a permit" : "has the permit of a dead one");
    if (*lent != 0)
        model_thread_fail("exclusion", "permit %llu is lent to thread %llu, too", permit,
                          *lent - 1);
    *lent = self + 1;
    model_op(OP_NOTE, NULL, 0, 0, 0, 0, 0);
    if (w == KEEP)
        model_thread_exit();
    *lent = 0;
    if (ipc_sync_in_use()->give(u, permit) != 0)
        model_thread_fail("answer", "thread %llu may not give back what it has", self, 0);
}

static void killed(unsigned thread)
{
    for (unsigned i = 0; i < u->made_; i++)
        if (*shadow(LENT + i) == thread + 1)
            *shadow(LENT + i) = 0;
}

static void changed(unsigned thread, uint64_t addr, uint64_t before)
{
    uint64_t at = addr - (uint64_t)(uintptr_t)permits;
    unsigned owner = region_thread_of(before);

    region_changed(thread, addr, before);
    if (at < u->made_ * sizeof *permits && owner < MODEL_MAX_THREADS && owner != thread)
        model_fail("word", "thread %llu takes what thread %llu has", thread, owner);
}

static void finished(void)
{
    for (unsigned i = 0; i < u->made_; i++)
        if (region_thread_of(permits[i]) < MODEL_MAX_THREADS ||
            (!region_has_deaths() && permits[i] != 0))
            model_fail("word", "all are done, and permit %llu is lent: 0x%llx", i, permits[i]);
}

static HOOKS(hooks, .words = word_names, REGION_HOOKS(FAMILY_IPC_SYNC), .setup = setup, .act = act,
             .access = access, .killed = killed, .changed = changed, .finished = finished);

/* Each sleep changes the queue's word, so re-checks are counted: those of all sleepers together. */
#define PROGRAM(...) TOLD(__VA_ARGS__, .rechecks = true, .budget.rechecks = 4)
/* No re-check comes: what is not told to a sleeper it never learns. */
#define TOLD(...) SCRIPTED(hooks, __VA_ARGS__, .generic = true, .is_patient = true)

static const struct model_program programs[] = {
    PROGRAM("ipc-permits", "take take | take take", FROM(1)),
    PROGRAM("ipc-permits-kill", "take take | take take", KILLS(1), FROM(1)),
    PROGRAM("ipc-permits-kill-two", "take | take | take", KILLS(2), FROM(1)),
    PROGRAM("ipc-permits-two", "take | take | take", KILLS(1), FROM(2)),
    TOLD("ipc-permits-told", "take take | take take", KILLS(1), FROM(1)),
    TOLD("ipc-permits-told-three", "take | take | take", KILLS(1), FROM(1)),
    TOLD("ipc-permits-told-two", "take | take | take", KILLS(2), FROM(2)),
    PROGRAM("ipc-permits-keep", "keep | take", KILLS(1), FROM(1)),
    PROGRAM("ipc-permits-timed", "timed take | take", KILLS(1), FROM(1)),
};
GROUP(ipc_permits, "ipc-permits");
