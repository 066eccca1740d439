/* SPDX-License-Identifier: MIT */
/*
 * The programs for what one participant's end means to those who wait for different locks of it.
 * There are two mutexes between processes; no bounded sleep ends, so who is not told sleeps
 * forever.
 *
 *   both     locks the first and the second, and unlocks them again
 *   over     the same, and unlocks the first one first
 *   first    locks and unlocks the first
 *   second   the same, the second
 *   quit     locks the first, and leaves the region with it
 *
 * Checked: exclusion; EOWNERDEAD if a holder died or left in its section, and nowhere if nobody
 * did.  In programs with `quit` the threads are not in the region at first.  The mutex itself:
 * ipc_mutex.c.
 */
#include <errno.h>

#include "../engine/report.h"
#include "ipc_calls.h"
#include "ipc_region.h"
#include "programs.h"
#include "script.h"

SCRIPT_WORDS(BOTH, OVER, FIRST, SECOND, QUIT);
enum { LOCKS = 2 };

/* By mutex.  INSIDE: thread + 1.  OWED: a holder is gone, and nobody was told yet. */
enum shadow { INSIDE, OWED = INSIDE + LOCKS };

static fw_ipc_mutex *m[LOCKS];

static void decode(uint64_t value, unsigned offset, unsigned size, char *text, size_t text_size)
{
    (void)offset;
    (void)size;
    region_decode_holder(value, text, text_size);
}

static void setup(void)
{
    static const struct model_part parts[] = {{"word", 0, 8}, {"half", 0, 4}, {NULL, 0, 0}};

    region_make(model_thread_count, model_program->initial == 0);
    for (unsigned i = 0; i < LOCKS; i++)
        m[i] = model_object(i == 0 ? "first" : "second", sizeof *m[i], parts, decode);
}

static enum model_access access(const void *p)
{
    for (unsigned i = 0; i < LOCKS; i++)
        if ((uintptr_t)p - (uintptr_t)&m[i]->history_ < sizeof m[i]->history_)
            return ACCESS_DIRECT;
    return region_access(p);
}

/* --- What the threads do -------------------------------------------------------------------- */

static void lock(unsigned self, unsigned which)
{
    int error = ipc_mutex_in_use()->lock(m[which], &script_blocking, NULL);

    report_remark(self, error == 0 ? "is inside" : "is inside, after a death");
    if (*shadow(INSIDE + which) != 0)
        model_thread_fail("exclusion", "thread %llu is inside beside thread %llu", self,
                          *shadow(INSIDE + which) - 1);
    if (error == 0 && *shadow(OWED + which) != 0)
        model_thread_fail("forgotten", "a holder died, and thread %llu is not told", self, 0);
    if (error != 0 && (error != EOWNERDEAD || (!region_has_deaths() && *shadow(OWED + which) == 0)))
        model_thread_fail("answer", "thread %llu is answered %llu", self, (uint64_t)error);
    *shadow(INSIDE + which) = self + 1;
    if (error == EOWNERDEAD && ipc_mutex_in_use()->consistent(m[which]) != 0)
        model_thread_fail("answer", "the holder may not say that the data are sound", 0, 0);
    *shadow(OWED + which) = 0;
}

static void unlock(unsigned self, unsigned which)
{
    *shadow(INSIDE + which) = 0;
    if (ipc_mutex_in_use()->unlock(m[which]) != 0)
        model_thread_fail("answer", "thread %llu may not unlock what it has", self, 0);
}

/* What it holds is left to others. */
static void killed(unsigned thread)
{
    for (unsigned i = 0; i < LOCKS; i++)
        if (*shadow(INSIDE + i) == thread + 1) {
            *shadow(INSIDE + i) = 0;
            *shadow(OWED + i) = 1;
        }
}

static void act(unsigned self, unsigned w)
{
    if (w != SECOND)
        lock(self, 0);
    if (w == QUIT) {
        killed(self);
        ipc_mutex_in_use()->region.leave(region_mapping);
        return;
    }
    if (w != FIRST)
        lock(self, 1);
    if (w == OVER || w == FIRST)
        unlock(self, 0);
    if (w != FIRST)
        unlock(self, 1);
    if (w == BOTH)
        unlock(self, 0);
}

static void finished(void)
{
    for (unsigned i = 0; i < LOCKS; i++)
        if (region_thread_of(m[i]->word_) < MODEL_MAX_THREADS)
            model_fail("word", "all are done, and a word is 0x%llx", m[i]->word_, 0);
}

static HOOKS(hooks, .words = word_names, REGION_HOOKS(FAMILY_IPC_MUTEX), .setup = setup, .act = act,
             .access = access, .killed = killed, .changed = region_changed, .finished = finished);

#define PROGRAM(...) SCRIPTED(hooks, __VA_ARGS__, .generic = true)

static const struct model_program programs[] = {
    PROGRAM("ipc-passed-two", "both | first | second", KILLS(2),
            ABOUT("two wait for two locks of one, which may die")),
    PROGRAM("ipc-passed-alarm", "over | first | first | second", KILLS(1),
            ABOUT("four, one of which may die with another's wake")),
    PROGRAM("ipc-quit", "quit | first", KILLS(1), FROM(1), ABOUT("one leaves with a lock")),
};

GROUP(ipc_deaths, "ipc-deaths");
