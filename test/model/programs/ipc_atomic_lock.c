/* SPDX-License-Identifier: MIT */
/*
 * The programs for the lock of a stripe, which outlives its owner.  Each thread is a process.
 *
 *   lock     a section; who is told that the owner before died repairs first, and may die over that
 *   limited  the same, but gives up after two re-checks
 *
 * The lock excludes, each change of its word is legal (ipc_atomic_check.h), and who takes it from
 * one who died inside is told, and nobody else.  No re-check comes but where it says so: where the
 * kernel marks deaths, the others go on at once, except in one race (`late`).  One who has woken
 * nobody is about to take WAITERS away; meanwhile another gives the lock back and dies before its
 * wake, and when the kernel looks, a third one has the lock, without WAITERS: a re-check is lost
 * (AROB4).
 */
#include "../engine/report.h"
#include "ipc_atomic_calls.h"
#include "ipc_atomic_check.h"
#include "programs.h"
#include "script.h"

SCRIPT_WORDS(LOCK, LIMITED);

#define RECHECKS 2u

/* INSIDE: thread + 1.  OWED: an owner died, and nobody was told so far. */
enum shadow { INSIDE, OWED };

static uint32_t *word;

static void decode(uint64_t value, unsigned offset, unsigned size, char *text, size_t text_size)
{
    (void)offset;
    (void)size;
    ipc_atomic_decode_word((uint32_t)value, text, text_size);
}

static void setup(void)
{
    word = model_object("lock", sizeof *word, NULL, decode);
    atomic_script_begin(NULL);
}

static void act(unsigned self, unsigned w)
{
    uint64_t *inside = shadow(INSIDE);
    uint64_t *owed = shadow(OWED);
    enum fw_robust_how_ how;
    struct fw_robust_ robust;

    how = ipc_atomic_in_use()->lock(word, &robust, w == LIMITED ? RECHECKS : 0);
    if (how == FW_ROBUST_LATE_) {
        report_remark(self, "gives up");
        if (w != LIMITED)
            model_thread_fail("answer", "thread %llu does not wait", self, 0);
        return;
    }
    report_remark(self, "is inside");
    if (*inside != 0)
        model_thread_fail("exclusion", "thread %llu is inside beside another", self, 0);
    if ((how == FW_ROBUST_LEFT_) != (*owed != 0))
        model_thread_fail("forgotten", "%llu owners died, and thread %llu is told otherwise", *owed,
                          self);
    *owed = 0;
    *inside = self + 1;
    model_op(OP_NOTE, NULL, 0, 0, 0, 0, 0);
    *inside = 0;
    ipc_atomic_in_use()->unlock(word, &robust);
}

static void killed(unsigned thread)
{
    if (*shadow(INSIDE) == thread + 1)
        *shadow(INSIDE) = 0;
    if ((*word & FW_ROBUST_OWNER) == SUBJECT_FIRST_TID + thread)
        *shadow(OWED) = 1;
}

static void changed(unsigned thread, uint64_t addr, uint64_t before)
{
    (void)addr;
    ipc_atomic_check_word(thread, (uint32_t)before, *word);
}

static void finished(void)
{
    if (model_shared.killed == 0 && (*word & ~FW_ROBUST_WAITERS) != 0)
        model_fail("word", "all are done, and the lock is 0x%llx", *word, 0);
}

static HOOKS(hooks, .words = word_names, .setup = setup, .act = act, .own = script_own,
             .access = ipc_atomic_access, .killed = killed, .changed = changed,
             .finished = finished);

#define PROGRAM(...) SCRIPTED(hooks, __VA_ARGS__)

static const struct model_program programs[] = {
    PROGRAM("ipc-atomic-lock", "lock | lock | lock", .rechecks = true),
    PROGRAM("ipc-atomic-lock-again", "lock lock | lock lock", .rechecks = true),
    PROGRAM("ipc-atomic-lock-kill", "lock lock | lock lock", KILLS(1)),
    PROGRAM("ipc-atomic-lock-late", "lock lock | lock | lock", KILLS(1), .expects = "lost wake-up",
            ABOUT("three, one of them twice: a dead one's wake may be lost")),
    PROGRAM("ipc-atomic-lock-kill-again", "lock lock | lock | lock", KILLS(1), .rechecks = true),
    PROGRAM("ipc-atomic-lock-kill-two", "lock | lock | lock", KILLS(2)),
    PROGRAM("ipc-atomic-lock-rechecks", "lock | lock | lock", KILLS(2), .rechecks = true),
    PROGRAM("ipc-atomic-lock-limited", "lock | limited | lock", KILLS(1), .rechecks = true,
            ABOUT("one waits for two re-checks")),
    PROGRAM("ipc-atomic-lock-unmarked", "lock | lock | lock", KILLS(2), .rechecks = true,
            .unmarked = true),
    PROGRAM("ipc-atomic-lock-spurious", "lock | lock | lock", KILLS(1), .budget.spurious = 1,
            .budget.eintr = 1),
};

GROUP(ipc_stripe, "ipc-atomic");
