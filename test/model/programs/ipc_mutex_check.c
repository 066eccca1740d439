/* SPDX-License-Identifier: MIT */
#include "ipc_mutex_check.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "../memory.h"
#include "../subject/robust.h"
#include "ipc_calls.h"
#include "ipc_region.h"

static fw_ipc_mutex *m;
static bool are_named;

static void decode(uint64_t value, unsigned offset, unsigned size, char *text, size_t text_size)
{
    char holder[24];

    if (offset != 0) {
        snprintf(text, text_size, "%" PRIu64, value);
        return;
    }
    region_decode_holder(value, holder, sizeof holder);
    if (size == 4)
        snprintf(holder, sizeof holder, "%08" PRIx64, value);
    snprintf(text, text_size, "%s%s%s", holder, (value & FW_IPC_WAITERS) != 0 ? " WAITERS" : "",
             (value & FW_IPC_DIED) != 0 ? " DIED" : "");
}

/* --- The registered function ---------------------------------------------------------------- */

static void make_sound(void)
{
    *shadow(SECOND) = *shadow(FIRST);
}

static int repair(void *arg, const fw_ipc_death *death)
{
    (void)arg;
    (void)death;
    model_op(OP_NOTE, NULL, 0, 0, 0, 0, 0); /* it may die, too */
    make_sound();
    *shadow(OWED) = 0;
    return 0;
}

fw_ipc_mutex *ipc_mutex_make(bool repairs, bool have_joined)
{
    static const struct model_part parts[] = {
        {"word", 0, 8},
        {"word", 0, 4},
        {"generation", offsetof(fw_ipc_mutex, history_.generation_), 8},
        {"dead", offsetof(fw_ipc_mutex, history_.dead_), 8},
        {"dead-generation", offsetof(fw_ipc_mutex, history_.dead_generation_), 8},
        {"journal", offsetof(fw_ipc_mutex, history_.journal_), 8},
        {NULL, 0, 0}};

    are_named = have_joined;
    m = model_object("m", sizeof *m, parts, decode);
    ipc_mutex_in_use()->on_death(m, repairs ? repair : NULL, NULL);
    return m;
}

/* --- Those inside --------------------------------------------------------------------------- */

static void check_death(unsigned self)
{
    fw_ipc_death death;

    if (ipc_mutex_in_use()->death(m, &death) != 0 ||
        (death.thread != 0 && !model_is_killed((unsigned)death.thread - SUBJECT_FIRST_TID)) ||
        (uint64_t)death.generation > *shadow(GENERATION))
        model_thread_fail("answer", "thread %llu is told that thread %llu has died", self,
                          (uint64_t)(uint32_t)death.thread);
    if (*shadow(DIED_AS) != 0 && (model_shared.killed & (model_shared.killed - 1)) == 0 &&
        are_named &&
        ((uint64_t)death.thread != *shadow(DIED_AS) || death.generation != *shadow(DIED_IN)))
        model_thread_fail("answer", "thread %llu died in generation %llu, and another is named",
                          *shadow(DIED_AS), *shadow(DIED_IN));
}

void ipc_mutex_enters(unsigned self, int error)
{
    uint64_t generation;

    if (*shadow(INSIDE) != 0)
        model_thread_fail("exclusion", "thread %llu is inside beside thread %llu", self,
                          *shadow(INSIDE) - 1);
    *shadow(INSIDE) = self + 1;
    *shadow(NAMED) = 0;
    *shadow(TOLD) = error == EOWNERDEAD;
    if (*shadow(GIVEN_UP) == 2)
        model_thread_fail("answer", "thread %llu gets what was given up", self, 0);
    if (error == 0 && *shadow(OWED) != 0)
        model_thread_fail("forgotten", "a holder died, and thread %llu is not told", self, 0);
    if (error == 0 && *shadow(FIRST) != *shadow(SECOND))
        model_thread_fail("half changed", "thread %llu sees what a dead holder has left", self, 0);
    if (error == EOWNERDEAD && !region_has_deaths())
        model_thread_fail("answer", "thread %llu hears of a death, and nobody died", self, 0);
    generation = memory_read(self, (uint64_t)(uintptr_t)&m->history_.generation_, 8);
    if (generation <= *shadow(GENERATION))
        model_thread_fail("generation", "%llu comes after %llu", generation, *shadow(GENERATION));
    *shadow(GENERATION) = generation;
    *shadow(NAMED) = self + 1;
    if (error == EOWNERDEAD)
        check_death(self);
}

void ipc_mutex_mends(void)
{
    make_sound();
}

void ipc_mutex_is_sound(void)
{
    *shadow(OWED) = *shadow(TOLD) = 0;
}

void ipc_mutex_count(void)
{
    ++*shadow(FIRST);
    model_op(OP_NOTE, NULL, 0, 0, 0, 0, 0);
    ++*shadow(SECOND);
}

void ipc_mutex_leaves(void)
{
    ++*shadow(SECTIONS);
    *shadow(INSIDE) = 0;
    *shadow(TOLD) = 0;
}

enum model_access ipc_mutex_access(const void *p)
{
    return p == (const void *)&m->history_.journal_ ? ACCESS_DIRECT : region_access(p);
}

/* --- Checks --------------------------------------------------------------------------------- */

void ipc_mutex_killed(unsigned thread)
{
    if (*shadow(INSIDE) != thread + 1)
        return;
    *shadow(INSIDE) = *shadow(TOLD) = 0;
    *shadow(OWED) = 1;
    *shadow(DIED_AS) = *shadow(NAMED) == thread + 1 ? SUBJECT_FIRST_TID + thread : 0;
    *shadow(DIED_IN) = *shadow(GENERATION);
}

/* A task that has taken it from a dead owner, and was not told so, gives it back as it was. */
static bool is_restored(uint64_t before, uint64_t now)
{
    uint64_t holder = now & FW_IPC_HOLDER;

    return (before & FW_IPC_DIED) != 0 && (before & FW_IPC_TASK) != 0 && holder != 0 &&
           holder != FW_IPC_ABANDONED && region_thread_of(now) == MODEL_MAX_THREADS;
}

/* The word has another holder. */
static void check_holder(unsigned thread, uint64_t before, uint64_t now)
{
    bool is_free = (before & FW_IPC_HOLDER) == 0;
    unsigned owner = region_thread_of(before);

    if (owner < MODEL_MAX_THREADS && owner != thread)
        model_fail("word", "thread %llu takes what thread %llu has", thread, owner);
    else if (owner == thread && !is_restored(before, now) &&
             (now & FW_IPC_HOLDER) != ((before & FW_IPC_DIED) != 0 ? FW_IPC_ABANDONED : 0))
        model_fail("word", "thread %llu releases, and leaves 0x%llx", thread, now);
    else if (owner != thread && (now & FW_IPC_HOLDER) != region_id_of(thread))
        model_fail("word", "thread %llu takes it, and leaves 0x%llx", thread, now);
    else if (owner != thread && (now & FW_IPC_DIED) != (is_free ? 0 : FW_IPC_DIED))
        model_fail("word", "thread %llu takes it from 0x%llx, and hides that", thread, before);
    else if (before == FW_IPC_ABANDONED)
        model_fail("word", "thread %llu takes what was given up", thread, 0);
}

void ipc_mutex_changed(unsigned thread, uint64_t addr, uint64_t before)
{
    uint64_t now = m->word_;

    region_changed(thread, addr, before);
    if (addr != (uint64_t)(uintptr_t)&m->word_)
        return;
    thread = region_process_of(thread);
    if ((now & FW_IPC_HOLDER) != (before & FW_IPC_HOLDER))
        check_holder(thread, before, now);
    else if ((before & FW_IPC_WAITERS) != 0 && (now & FW_IPC_WAITERS) == 0)
        model_fail("word", "thread %llu forgets the waiters: 0x%llx", thread, before);
    else if ((now & FW_IPC_DIED) != (before & FW_IPC_DIED) && region_thread_of(now) != thread)
        model_fail("word", "thread %llu takes DIED away from another: 0x%llx", thread, before);
}

void ipc_mutex_finished(void)
{
    uint64_t left = m->word_ & FW_IPC_HOLDER;

    if (region_thread_of(left) < MODEL_MAX_THREADS || (!region_has_deaths() && left != 0))
        model_fail("word", "all are done, and the word is 0x%llx", m->word_, 0);
    if (!region_has_deaths() && *shadow(SECOND) != *shadow(SECTIONS))
        model_fail("lost update", "%llu of %llu sections have counted", *shadow(SECOND),
                   *shadow(SECTIONS));
}
