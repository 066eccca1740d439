/* SPDX-License-Identifier: MIT */
/*
 * The programs for the mutex between processes.
 *
 *   lock    a section: waits for the mutex; after EOWNERDEAD repairs, and says so
 *   poll    the same, and never sleeps
 *   adapt   the same, asking who runs
 *   timed   the same, and gives up when it times out
 *   try     the same, where nobody holds the mutex
 *   lax     the same, and after EOWNERDEAD unlocks without a word: gives the mutex up
 *   exit    locks, and ends without unlock
 *   leave   leaves the region
 *
 * In a section two counters are counted up, one after the other.  So what a dead holder leaves may
 * be half changed: they differ.  Checked:
 *
 *   exclusion        one living thread is inside, from its call's return until it calls unlock
 *   half changed     nobody gets the mutex with 0 while the counters differ
 *   forgotten        nor after a holder's death that nobody was told of, and declared repaired
 *   answer           EOWNERDEAD: somebody died, and it is told who; ENOTRECOVERABLE: somebody gave
 *                    it up, and then nobody gets it any more; EBUSY: somebody alive was there
 *   generation       grows from one who got in to the next
 *   word             one that names a living holder is changed by that one only, but for WAITERS
 *   lost update      all are alive and done: all sections were counted
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "../cpus.h"
#include "../engine/report.h"
#include "../kernel.h"
#include "../memory.h"
#include "../subject/robust.h"
#include "ipc_calls.h"
#include "ipc_region.h"
#include "script.h"

struct ipc_mutex_script {
    unsigned slots; /* participants' slots; 0: each thread has joined from the start */
    bool repairs;   /* by a function that is registered */
};

SCRIPT_WORDS(LOCK, POLL, ADAPT, TIMED, TRY, LAX, EXIT, LEAVE);

/*
 * INSIDE: thread + 1.  OWED: a holder has died since the data were sound last.  TOLD: who is inside
 * was told so.  NAMED: who is inside has its generation, + 1.  GIVEN_UP: 1: somebody is about to,
 * 2: it is done.  DIED_AS, DIED_IN: the last who died inside, and the generation that it had.
 */
enum shadow {
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
static const struct ipc_mutex_script *script, none;

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

static void setup(void)
{
    static const struct model_part parts[] = {
        {"word", 0, 8},
        {"word", 0, 4},
        {"generation", offsetof(fw_ipc_mutex, history_.generation_), 8},
        {"dead", offsetof(fw_ipc_mutex, history_.dead_), 8},
        {"dead-generation", offsetof(fw_ipc_mutex, history_.dead_generation_), 8},
        {"journal", offsetof(fw_ipc_mutex, history_.journal_), 8},
        {NULL, 0, 0}};

    script = script_options(&none);
    region_make(script->slots != 0 ? script->slots : model_thread_count, script->slots == 0);
    m = model_object("m", sizeof *m, parts, decode);
    ipc_mutex_in_use()->on_death(m, script->repairs ? repair : NULL, NULL);
}

/* --- What the threads do -------------------------------------------------------------------- */

static void check_death(unsigned self)
{
    fw_ipc_death death;

    if (ipc_mutex_in_use()->death(m, &death) != 0 ||
        (death.thread != 0 && !model_is_killed((unsigned)death.thread - SUBJECT_FIRST_TID)) ||
        (uint64_t)death.generation > *shadow(GENERATION))
        model_thread_fail("answer", "thread %llu is told that thread %llu has died", self,
                          (uint64_t)(uint32_t)death.thread);
    if (*shadow(DIED_AS) != 0 && (model_shared.killed & (model_shared.killed - 1)) == 0 &&
        script->slots == 0 &&
        ((uint64_t)death.thread != *shadow(DIED_AS) || death.generation != *shadow(DIED_IN)))
        model_thread_fail("answer", "thread %llu died in generation %llu, and another is named",
                          *shadow(DIED_AS), *shadow(DIED_IN));
}

/* The thread has the mutex. */
static void check_entry(unsigned self, int error)
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

static void mend(enum word w)
{
    make_sound();
    if (w == LAX)
        return;
    if (ipc_mutex_in_use()->consistent(m) != 0)
        model_thread_fail("answer", "the holder may not say that the data are sound", 0, 0);
    *shadow(OWED) = *shadow(TOLD) = 0;
}

static void section(unsigned self, enum word w, int error)
{
    bool gives_up = error == EOWNERDEAD && w == LAX;

    report_remark(self, error == 0 ? "is inside" : "is inside, after a death");
    check_entry(self, error);
    if (error == EOWNERDEAD && w != EXIT)
        mend(w);
    ++*shadow(FIRST);
    model_op(OP_NOTE, NULL, 0, 0, 0, 0, 0);
    ++*shadow(SECOND);
    if (w == EXIT)
        model_thread_exit();
    ++*shadow(SECTIONS);
    *shadow(INSIDE) = 0;
    *shadow(TOLD) = 0;
    if (gives_up)
        *shadow(GIVEN_UP) = 1;
    if (ipc_mutex_in_use()->unlock(m) != 0)
        model_thread_fail("answer", "thread %llu may not unlock what it has", self, 0);
    if (gives_up)
        *shadow(GIVEN_UP) = 2;
    report_remark(self, "has unlocked");
}

static int lock(enum word w)
{
    static const fw_wait_policy asks = {FW_WAIT_ADAPTIVE, 3000};

    if (w == TRY)
        return ipc_mutex_in_use()->trylock(m);
    return ipc_mutex_in_use()->lock(m,
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

static void act(unsigned self, unsigned w)
{
    bool was_alone = is_alone();
    bool were_dead = was_alone && (model_shared.killed | model_bit(self)) + 1 ==
                                      UINT64_C(1) << model_thread_count;
    int error;

    if (w == LEAVE) {
        ipc_mutex_in_use()->region.leave(region_mapping);
        return;
    }
    error = lock(w);
    if (error == 0 || error == EOWNERDEAD)
        section(self, w, error);
    else if (error == ENOTRECOVERABLE ? *shadow(GIVEN_UP) == 0
             : error == ETIMEDOUT     ? w != TIMED
             : error == EBUSY         ? w != TRY || was_alone
                                      : error != EAGAIN || script->slots == 0 || were_dead)
        model_thread_fail("answer", "thread %llu is answered %llu", self, (uint64_t)error);
}

static enum model_access access(const void *p)
{
    return p == (const void *)&m->history_.journal_ ? ACCESS_DIRECT : region_access(p);
}

/* --- Checks --------------------------------------------------------------------------------- */

static void killed(unsigned thread)
{
    if (*shadow(INSIDE) != thread + 1)
        return;
    *shadow(INSIDE) = *shadow(TOLD) = 0;
    *shadow(OWED) = 1;
    *shadow(DIED_AS) = *shadow(NAMED) == thread + 1 ? SUBJECT_FIRST_TID + thread : 0;
    *shadow(DIED_IN) = *shadow(GENERATION);
}

/* The word has another holder. */
static void check_holder(unsigned thread, uint64_t before, uint64_t now)
{
    bool is_free = (before & FW_IPC_HOLDER) == 0;
    unsigned owner = region_thread_of(before);

    if (owner < MODEL_MAX_THREADS && owner != thread)
        model_fail("word", "thread %llu takes what thread %llu has", thread, owner);
    else if (owner == thread &&
             (now & FW_IPC_HOLDER) != ((before & FW_IPC_DIED) != 0 ? FW_IPC_ABANDONED : 0))
        model_fail("word", "thread %llu releases, and leaves 0x%llx", thread, now);
    else if (owner != thread && (now & FW_IPC_HOLDER) != region_id_of(thread))
        model_fail("word", "thread %llu takes it, and leaves 0x%llx", thread, now);
    else if (owner != thread && (now & FW_IPC_DIED) != (is_free ? 0 : FW_IPC_DIED))
        model_fail("word", "thread %llu takes it from 0x%llx, and hides that", thread, before);
    else if (before == FW_IPC_ABANDONED)
        model_fail("word", "thread %llu takes what was given up", thread, 0);
}

static void changed(unsigned thread, uint64_t addr, uint64_t before)
{
    uint64_t now = m->word_;

    region_changed(thread, addr, before);
    if (addr != (uint64_t)(uintptr_t)&m->word_)
        return;
    if ((now & FW_IPC_HOLDER) != (before & FW_IPC_HOLDER))
        check_holder(thread, before, now);
    else if ((before & FW_IPC_WAITERS) != 0 && (now & FW_IPC_WAITERS) == 0)
        model_fail("word", "thread %llu forgets the waiters: 0x%llx", thread, before);
    else if ((now & FW_IPC_DIED) != (before & FW_IPC_DIED) && region_thread_of(now) != thread)
        model_fail("word", "thread %llu takes DIED away from another: 0x%llx", thread, before);
}

static void finished(void)
{
    uint64_t left = m->word_ & FW_IPC_HOLDER;

    if (region_thread_of(left) < MODEL_MAX_THREADS || (!region_has_deaths() && left != 0))
        model_fail("word", "all are done, and the word is 0x%llx", m->word_, 0);
    if (!region_has_deaths() && *shadow(SECOND) != *shadow(SECTIONS))
        model_fail("lost update", "%llu of %llu sections have counted", *shadow(SECOND),
                   *shadow(SECTIONS));
}

static HOOKS(hooks, .words = word_names, REGION_HOOKS(FAMILY_IPC_MUTEX), .setup = setup, .act = act,
             .access = access, .killed = killed, .changed = changed, .finished = finished);

#define PROGRAM(...) SCRIPTED(hooks, __VA_ARGS__, .generic = true, .rechecks = true)
/* No re-check comes: what is not told to a sleeper it never learns. */
#define TOLD(...) SCRIPTED(hooks, __VA_ARGS__, .generic = true)
#define WITH(...) WITH_OPTIONS(ipc_mutex_script, __VA_ARGS__)

static const struct model_program programs[] = {
    PROGRAM("ipc-two", "lock lock | lock lock"),
    PROGRAM("ipc-three", "lock | lock | lock"),
    PROGRAM("ipc-kill", "lock lock | lock lock", KILLS(1)),
    PROGRAM("ipc-kill-three", "lock | lock | lock", KILLS(1)),
    PROGRAM("ipc-kill-two", "lock | lock | lock", KILLS(2)),
    PROGRAM("ipc-kill-again", "lock lock | lock | lock", KILLS(2)),
    PROGRAM("ipc-idle", "lock lock | lock | lock", .budget = {.kills = 2, .rechecks = 4},
            .is_patient = true,
            ABOUT("two may die, and four re-checks (of all together) are enough")),
    TOLD("ipc-told", "lock lock | lock lock", KILLS(1)),
    TOLD("ipc-told-three", "lock | lock | lock", KILLS(1)),
    TOLD("ipc-told-two", "lock | lock | lock", KILLS(2)),
    PROGRAM("ipc-timed", "timed | lock | lock", KILLS(1)),
    PROGRAM("ipc-timed-alive", "timed | lock | lock"),
    PROGRAM("ipc-try", "try try | lock | lock", KILLS(2)),
    PROGRAM("ipc-poll", "poll | lock | lock", KILLS(1), ABOUT("one never sleeps")),
    PROGRAM("ipc-spurious", "lock | lock | lock",
            .budget = {.kills = 1, .spurious = 1, .eintr = 1}),
    PROGRAM("ipc-give-up", "lock | lax | lock", KILLS(1)),
    PROGRAM("ipc-give-up-two", "lax | lax | lax", KILLS(2)),
    PROGRAM("ipc-exit", "exit | lock | lock", KILLS(1)),
    PROGRAM("ipc-repairs", "lock | lock | lock", KILLS(2), WITH(.repairs = true)),
    PROGRAM("ipc-unmarked", "lock lock | lock lock", KILLS(1), .unmarked = true),
    PROGRAM("ipc-unmarked-three", "lock | lock | lock", KILLS(1), .unmarked = true),
    PROGRAM("ipc-lies", "adapt adapt | adapt adapt", KILLS(1), .assist = ASSIST_LIES,
            ABOUT("two threads, twice each, ask who runs")),
    PROGRAM("ipc-lies-alive", "adapt | adapt | adapt", .assist = ASSIST_LIES, BOUND(2, 3)),
    PROGRAM("ipc-lies-three", "adapt | adapt | adapt", KILLS(1), .assist = ASSIST_LIES,
            BOUND(1, 2)),
    PROGRAM("ipc-all-run", "adapt adapt | adapt adapt", KILLS(1), .assist = ASSIST_YES,
            ABOUT("a dead page says that all run")),
    PROGRAM("ipc-none-runs", "adapt | adapt | adapt", KILLS(2), .assist = ASSIST_NO,
            ABOUT("a dead page says that none does")),
    PROGRAM("ipc-truth", "adapt adapt | adapt adapt", KILLS(1), .assist = ASSIST_TRUE, .cpus = 1,
            .time_passes = true, ABOUT("the truth, on one CPU")),
    PROGRAM("ipc-join", "lock | lock", KILLS(1), WITH(.slots = 2), ABOUT("they join")),
    PROGRAM("ipc-join-try", "lock | try try", KILLS(1), WITH(.slots = 2),
            ABOUT("the same beside one that only tries")),
    PROGRAM("ipc-line", "lock | lock", WITH(.slots = 1),
            ABOUT("one slot for two, while the first one lives")),
    PROGRAM("ipc-line-again", "lock | lock lock", KILLS(1), WITH(.slots = 1),
            ABOUT("one slot for two: the second may get that of the dead")),
    PROGRAM("ipc-leave", "lock leave lock | lock leave", KILLS(1), WITH(.slots = 1),
            ABOUT("one slot for two: the first one leaves")),
    PROGRAM("ipc-lines", "lock | lock | lock", KILLS(1), WITH(.slots = 2)),
    PROGRAM("ipc-lines-unmarked", "lock | lock | lock", KILLS(1), .unmarked = true,
            WITH(.slots = 2), ABOUT("the same without robust lists")),
};

GROUP(ipc_mutex, "ipc-mutex");
