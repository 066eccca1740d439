/* SPDX-License-Identifier: MIT */
/*
 * The programs for the once between processes.
 *
 *   call    calls with an initialiser that succeeds
 *   fail    calls with one that fails
 *
 * One living initialiser at a time, none after it is known to be done; who comes through finds that
 * one has succeeded.
 */
#include <errno.h>
#include <stdio.h>

#include "../engine/report.h"
#include "ipc_sync.h"
#include "script.h"

SCRIPT_WORDS(CALL, FAIL);

/* INSIDE: thread + 1.  KNOWN: somebody has come through. */
enum shadow { INSIDE, SUCCESSES, KNOWN };

static fw_ipc_once *o;

static void setup(void)
{
    region_make(model_thread_count, true);
    o = model_object("o", 64, NULL, NULL); /* what an object takes at least */
}

static int run(void *arg)
{
    if (*shadow(INSIDE) != 0)
        model_thread_fail("exclusion", "two initialisers run", 0, 0);
    if (*shadow(KNOWN) != 0)
        model_thread_fail("again", "the initialiser is known to have succeeded", 0, 0);
    *shadow(INSIDE) = model_current + 1;
    model_op(OP_NOTE, NULL, 0, 0, 0, 0, 0);
    *shadow(INSIDE) = 0;
    if (arg == NULL)
        return EAGAIN;
    ++*shadow(SUCCESSES);
    return 0;
}

static void act(unsigned self, unsigned w)
{
    int error = ipc_sync_in_use()->call(o, run, w == CALL ? o : NULL);

    report_remark(self, error == 0 ? "comes through" : "has failed");
    if (error == 0 && *shadow(SUCCESSES) == 0)
        model_thread_fail("too early", "thread %llu comes through, and nothing is initialised",
                          self, 0);
    if (error != 0 && (w != FAIL || error != EAGAIN))
        model_thread_fail("answer", "thread %llu is answered %llu", self, (uint64_t)error);
    *shadow(KNOWN) |= error == 0;
}

static void killed(unsigned thread)
{
    if (*shadow(INSIDE) == thread + 1)
        *shadow(INSIDE) = 0;
}

static void changed(unsigned thread, uint64_t addr, uint64_t before)
{
    unsigned owner = region_thread_of(before);

    region_changed(thread, addr, before);
    if (addr == (uint64_t)(uintptr_t)o && owner < MODEL_MAX_THREADS && owner != thread &&
        ((before ^ o->word_) & FW_IPC_HOLDER) != 0)
        model_fail("word", "thread %llu takes what thread %llu has", thread, owner);
}

static void finished(void)
{
    if (region_thread_of(o->word_) < MODEL_MAX_THREADS)
        model_fail("word", "all are done, and the word is 0x%llx", o->word_, 0);
}

static HOOKS(hooks, .words = word_names, REGION_HOOKS(FAMILY_IPC_SYNC), .setup = setup, .act = act,
             .access = region_access, .killed = killed, .changed = changed, .finished = finished);

/* Calls poll, then sleep: a poll is over when the clock has moved.  With three they only poll. */
#define PROGRAM(...) SCRIPTED(hooks, __VA_ARGS__, .generic = true, .rechecks = true)
/* No re-check comes: what is not told to a sleeper it never learns. */
#define TOLD(...) SCRIPTED(hooks, __VA_ARGS__, .generic = true)

static const struct model_program programs[] = {
    PROGRAM("ipc-once", "call call | call", TICKS(2)),
    PROGRAM("ipc-once-kill", "call | call call", KILLS(1), TICKS(2)),
    PROGRAM("ipc-once-kill-two", "call | call | call", KILLS(2)),
    TOLD("ipc-once-told", "call | call call", KILLS(1), TICKS(2)),
    TOLD("ipc-once-told-two", "call | call | call", KILLS(2)),
    PROGRAM("ipc-once-fails", "fail | call | call", KILLS(1)),
};

GROUP(ipc_once, "ipc-once");
