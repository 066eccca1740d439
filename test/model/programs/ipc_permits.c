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

static void setup(const void *arg)
{
    const struct script *script = arg;
    static const struct model_part parts[] = {
        {"queue", 0, 8}, {"queue", 0, 4}, {"unit0", 64, 8}, {"unit1", 72, 8}, {NULL, 0, 0}};

    region_make(model_thread_count, true);
    u = model_object("u", (unsigned)(sizeof *u + script->initial * sizeof *permits), parts, NULL);
    u->made_ = script->initial;
    permits = (uint64_t *)(u + 1);
    script_read(script->threads, word_names);
}

static enum model_access access(const void *p)
{
    return p == (const void *)&u->made_ ? ACCESS_DIRECT : region_access(p);
}

static void act(unsigned self, enum word w)
{
    uint32_t permit = 0;
    int error =
        ipc_sync_in_use->take(u, &permit, IPC_SYNC_BLOCKS, w == TIMED ? &script_soon : NULL);
    uint64_t *lent = &model_shared.shadow[LENT + permit];

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
    if (ipc_sync_in_use->give(u, permit) != 0)
        model_thread_fail("answer", "thread %llu may not give back what it has", self, 0);
}

static void thread(unsigned self, const void *arg)
{
    (void)arg;
    region_begin(self, &ipc_sync_in_use->region);
    for (const unsigned *w = script_words[self]; *w != END; w++)
        act(self, (enum word) * w);
}

static void killed(unsigned thread)
{
    for (unsigned i = 0; i < u->made_; i++)
        if (model_shared.shadow[LENT + i] == thread + 1)
            model_shared.shadow[LENT + i] = 0;
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

/* Each sleep changes the queue's word, so re-checks are counted: those of all sleepers together. */
#define PROGRAM(called, what, n, deaths, ...) WITH_RECHECKS(4, called, what, n, deaths, __VA_ARGS__)

/* No re-check comes: what is not told to a sleeper it never learns. */
#define TOLD(called, what, n, deaths, ...) WITH_RECHECKS(0, called, what, n, deaths, __VA_ARGS__)

#define WITH_RECHECKS(most, called, what, n, deaths, ...)                                      \
    {                                                                                          \
        .name = called, .about = what, .threads = n, .generic = true, .rechecks = (most) != 0, \
        .is_patient = true, .budget = {.kills = (deaths), .rechecks = (most)}, .setup = setup, \
        .thread = thread, .killed = killed, .changed = changed, .finished = finished,          \
        .own = ipc_sync_own, .access = access, .arg = __VA_ARGS__                              \
    }

static const struct model_program ipc_permits_table[] = {
    PROGRAM("ipc-permits", "one permit for two; nobody dies", 2, 0,
            SCRIPT_FROM(1, "take take", "take take")),
    PROGRAM("ipc-permits-three", "two permits for three; nobody dies", 3, 0,
            SCRIPT_FROM(2, "take", "take", "take")),
    PROGRAM("ipc-permits-kill", "one permit for two; one may die", 2, 1,
            SCRIPT_FROM(1, "take take", "take take")),
    PROGRAM("ipc-permits-kill-two", "one permit for three; two may die", 3, 2,
            SCRIPT_FROM(1, "take", "take", "take")),
    PROGRAM("ipc-permits-two", "two permits for three; one may die", 3, 1,
            SCRIPT_FROM(2, "take", "take", "take")),
    TOLD("ipc-permits-told", "nobody re-checks; one permit for two; one may die", 2, 1,
         SCRIPT_FROM(1, "take take", "take take")),
    TOLD("ipc-permits-told-three", "nobody re-checks; one permit for three; one may die", 3, 1,
         SCRIPT_FROM(1, "take", "take", "take")),
    TOLD("ipc-permits-told-two", "nobody re-checks; two permits for three; two may die", 3, 2,
         SCRIPT_FROM(2, "take", "take", "take")),
    PROGRAM("ipc-permits-keep", "who holds the permit ends", 2, 1, SCRIPT_FROM(1, "keep", "take")),
    PROGRAM("ipc-permits-timed", "one waits for a while only", 2, 1,
            SCRIPT_FROM(1, "timed take", "take")),
};
const struct program_group ipc_permits_programs = {
    "ipc-permits", ipc_permits_table, sizeof ipc_permits_table / sizeof *ipc_permits_table};
