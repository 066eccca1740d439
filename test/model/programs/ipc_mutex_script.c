/* SPDX-License-Identifier: MIT */
#include "ipc_mutex_script.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "../engine/report.h"
#include "../kernel.h"
#include "../memory.h"
#include "../subject/robust.h"
#include "ipc_ground.h"
#include "ipc_mutex_calls.h"

SCRIPT_WORDS(LOCK, POLL, ADAPT, TIMED, TRY, LAX, EXIT, LEAVE);

/*
 * INSIDE: thread + 1.  OWED: a holder has died since the data were sound last.  TOLD: who is inside
 * was told so.  NAMED: who is inside has its generation, + 1.  GIVEN_UP: 1: somebody is about to,
 * 2: it is done.  DIED_AS, DIED_IN: the last who died inside, and the generation that it had.
 */
enum ghost {
    INSIDE,
    OWED,
    TOLD,
    NAMED,
    GIVEN_UP,
    GENERATION,
    FIRST,
    SECOND,
    SECTIONS,
    DIED_AS,
    DIED_IN
};

static fw_ipc_mutex *m;
static const struct ipc_mutex_script *script;

static uint64_t *ghost(enum ghost g)
{
    return &model_shared.ghost[g];
}

static void decode(uint64_t value, unsigned offset, unsigned size, char *text, size_t room)
{
    char holder[24];

    if (offset != 0) {
        snprintf(text, room, "%" PRIu64, value);
        return;
    }
    ground_decode_holder(value, holder, sizeof holder);
    if (size == 4)
        snprintf(holder, sizeof holder, "%08" PRIx64, value);
    snprintf(text, room, "%s%s%s", holder, (value & FW_IPC_WAITERS) != 0 ? " WAITERS" : "",
             (value & FW_IPC_DIED) != 0 ? " DIED" : "");
}

/* --- The registered function ---------------------------------------------------------------- */

static void make_sound(void)
{
    *ghost(SECOND) = *ghost(FIRST);
}

static int repair(void *arg, const fw_ipc_death *death)
{
    (void)arg;
    (void)death;
    model_op(OP_NOTE, NULL, 0, 0, 0, 0, 0); /* it may die, too */
    make_sound();
    *ghost(OWED) = 0;
    return 0;
}

void ipc_mutex_script_setup(const void *arg)
{
    static const struct model_part parts[] = {
        {"word", 0, 8},
        {"word", 0, 4},
        {"generation", offsetof(fw_ipc_mutex, history_.generation_), 8},
        {"dead", offsetof(fw_ipc_mutex, history_.dead_), 8},
        {"dead-generation", offsetof(fw_ipc_mutex, history_.dead_generation_), 8},
        {"journal", offsetof(fw_ipc_mutex, history_.journal_), 8},
        {NULL, 0, 0}};

    script = arg;
    ground_make(script->lines != 0 ? script->lines : model_thread_count, script->lines == 0);
    m = model_object("m", sizeof *m, parts, decode);
    ipc_mutex_in_use->on_death(m, script->repairs ? repair : NULL, NULL);
    script_read(script->threads.threads, word_names);
}

/* --- What the threads do -------------------------------------------------------------------- */

static void check_death(unsigned self)
{
    fw_ipc_death death;

    if (ipc_mutex_in_use->death(m, &death) != 0 ||
        (death.thread != 0 && !ground_is_killed((unsigned)death.thread - SUBJECT_FIRST_TID)) ||
        (uint64_t)death.generation > *ghost(GENERATION))
        model_thread_fail("answer", "thread %llu is told that thread %llu has died", self,
                          (uint64_t)(uint32_t)death.thread);
    if (*ghost(DIED_AS) != 0 && (model_shared.killed & (model_shared.killed - 1)) == 0 &&
        script->lines == 0 &&
        ((uint64_t)death.thread != *ghost(DIED_AS) || death.generation != *ghost(DIED_IN)))
        model_thread_fail("answer", "thread %llu died in generation %llu, and another is named",
                          *ghost(DIED_AS), *ghost(DIED_IN));
}

/* The thread has the mutex. */
static void check_entry(unsigned self, int error)
{
    uint64_t generation;

    if (*ghost(INSIDE) != 0)
        model_thread_fail("exclusion", "thread %llu is inside beside thread %llu", self,
                          *ghost(INSIDE) - 1);
    *ghost(INSIDE) = self + 1;
    *ghost(NAMED) = 0;
    *ghost(TOLD) = error == EOWNERDEAD;
    if (*ghost(GIVEN_UP) == 2)
        model_thread_fail("answer", "thread %llu gets what was given up", self, 0);
    if (error == 0 && *ghost(OWED) != 0)
        model_thread_fail("forgotten", "a holder died, and thread %llu is not told", self, 0);
    if (error == 0 && *ghost(FIRST) != *ghost(SECOND))
        model_thread_fail("half changed", "thread %llu sees what a dead holder has left", self, 0);
    if (error == EOWNERDEAD && !ground_has_deaths())
        model_thread_fail("answer", "thread %llu hears of a death, and nobody died", self, 0);
    generation = memory_read(self, (uint64_t)(uintptr_t)&m->history_.generation_, 8);
    if (generation <= *ghost(GENERATION))
        model_thread_fail("generation", "%llu comes after %llu", generation, *ghost(GENERATION));
    *ghost(GENERATION) = generation;
    *ghost(NAMED) = self + 1;
    if (error == EOWNERDEAD)
        check_death(self);
}

static void mend(enum word w)
{
    make_sound();
    if (w == LAX)
        return;
    if (ipc_mutex_in_use->consistent(m) != 0)
        model_thread_fail("answer", "the holder may not say that the data are sound", 0, 0);
    *ghost(OWED) = *ghost(TOLD) = 0;
}

static void section(unsigned self, enum word w, int error)
{
    bool gives_up = error == EOWNERDEAD && w == LAX;

    report_remark(self, error == 0 ? "is inside" : "is inside, after a death");
    check_entry(self, error);
    if (error == EOWNERDEAD && w != EXIT)
        mend(w);
    ++*ghost(FIRST);
    model_op(OP_NOTE, NULL, 0, 0, 0, 0, 0);
    ++*ghost(SECOND);
    if (w == EXIT)
        model_thread_exit();
    ++*ghost(SECTIONS);
    *ghost(INSIDE) = 0;
    *ghost(TOLD) = 0;
    if (gives_up)
        *ghost(GIVEN_UP) = 1;
    if (ipc_mutex_in_use->unlock(m) != 0)
        model_thread_fail("answer", "thread %llu may not unlock what it has", self, 0);
    if (gives_up)
        *ghost(GIVEN_UP) = 2;
    report_remark(self, "has unlocked");
}

static int lock(enum word w)
{
    static const fw_wait_policy asks = {FW_WAIT_ADAPTIVE, 3000};

    if (w == TRY)
        return ipc_mutex_in_use->trylock(m);
    return ipc_mutex_in_use->lock(m,
                                  w == POLL    ? &script_spinning
                                  : w == ADAPT ? &asks
                                               : &script_blocking,
                                  w == TIMED ? &script_soon : NULL);
}

/* All others have come to their end, and their deaths are marked. */
static bool is_alone(void)
{
    unsigned busy = 0;

    for (unsigned i = 0; i < model_thread_count; i++)
        busy += i != model_current && model_threads[i].status != THREAD_DONE;
    return busy == 0 && !model_program->unmarked;
}

static void act(unsigned self, enum word w)
{
    bool was_alone = is_alone();
    bool were_dead = was_alone && (model_shared.killed | UINT64_C(1) << self) + 1 ==
                                      UINT64_C(1) << model_thread_count;
    int error;

    if (w == LEAVE) {
        ipc_mutex_in_use->ground.leave(ground_place);
        return;
    }
    error = lock(w);
    if (error == 0 || error == EOWNERDEAD)
        section(self, w, error);
    else if (error == ENOTRECOVERABLE ? *ghost(GIVEN_UP) == 0
             : error == ETIMEDOUT     ? w != TIMED
             : error == EBUSY         ? w != TRY || was_alone
                                      : error != EAGAIN || script->lines == 0 || were_dead)
        model_thread_fail("answer", "thread %llu is answered %llu", self, (uint64_t)error);
}

void ipc_mutex_script_thread(unsigned self, const void *arg)
{
    (void)arg;
    ground_begin(self, &ipc_mutex_in_use->ground);
    for (const unsigned *w = script_words[self]; *w != END; w++)
        act(self, (enum word) * w);
}

const struct model_own *ipc_mutex_script_own(void)
{
    return ipc_own(&ipc_mutex_in_use->ground);
}

enum model_access ipc_mutex_script_access(const void *p)
{
    return p == (const void *)&m->history_.journal_ ? ACCESS_DIRECT : ground_access(p);
}

/* --- Checks --------------------------------------------------------------------------------- */

void ipc_mutex_script_killed(unsigned thread)
{
    if (*ghost(INSIDE) != thread + 1)
        return;
    *ghost(INSIDE) = *ghost(TOLD) = 0;
    *ghost(OWED) = 1;
    *ghost(DIED_AS) = *ghost(NAMED) == thread + 1 ? SUBJECT_FIRST_TID + thread : 0;
    *ghost(DIED_IN) = *ghost(GENERATION);
}

/* The word has another holder. */
static void check_holder(unsigned thread, uint64_t before, uint64_t now)
{
    bool is_free = (before & FW_IPC_HOLDER) == 0;
    unsigned owner = ground_thread_of(before);

    if (owner < MODEL_MAX_THREADS && owner != thread)
        model_fail("word", "thread %llu takes what thread %llu has", thread, owner);
    else if (owner == thread &&
             (now & FW_IPC_HOLDER) != ((before & FW_IPC_DIED) != 0 ? FW_IPC_ABANDONED : 0))
        model_fail("word", "thread %llu releases, and leaves 0x%llx", thread, now);
    else if (owner != thread && (now & FW_IPC_HOLDER) != ground_id_of(thread))
        model_fail("word", "thread %llu takes it, and leaves 0x%llx", thread, now);
    else if (owner != thread && (now & FW_IPC_DIED) != (is_free ? 0 : FW_IPC_DIED))
        model_fail("word", "thread %llu takes it from 0x%llx, and hides that", thread, before);
    else if (before == FW_IPC_ABANDONED)
        model_fail("word", "thread %llu takes what was given up", thread, 0);
}

void ipc_mutex_script_changed(unsigned thread, uint64_t addr, uint64_t before)
{
    uint64_t now = m->word_;

    ground_changed(thread, addr, before);
    if (addr != (uint64_t)(uintptr_t)&m->word_)
        return;
    if ((now & FW_IPC_HOLDER) != (before & FW_IPC_HOLDER))
        check_holder(thread, before, now);
    else if ((before & FW_IPC_WAITERS) != 0 && (now & FW_IPC_WAITERS) == 0)
        model_fail("word", "thread %llu forgets the waiters: 0x%llx", thread, before);
    else if ((now & FW_IPC_DIED) != (before & FW_IPC_DIED) && ground_thread_of(now) != thread)
        model_fail("word", "thread %llu takes DIED away from another: 0x%llx", thread, before);
}

void ipc_mutex_script_finished(void)
{
    uint64_t left = m->word_ & FW_IPC_HOLDER;

    if (ground_thread_of(left) < MODEL_MAX_THREADS || (!ground_has_deaths() && left != 0))
        model_fail("word", "all are done, and the word is 0x%llx", m->word_, 0);
    if (!ground_has_deaths() && *ghost(SECOND) != *ghost(SECTIONS))
        model_fail("lost update", "%llu of %llu sections have counted", *ghost(SECOND),
                   *ghost(SECTIONS));
}

void ipc_mutex_script_describe(char *text, size_t room)
{
    char word[64];

    decode(m->word_, 0, 8, word, sizeof word);
    snprintf(text, room, "m = %s, generation %" PRIu64 ", counters %" PRIu64 " and %" PRIu64, word,
             m->history_.generation_, *ghost(FIRST), *ghost(SECOND));
}
