/* SPDX-License-Identifier: MIT */
/*
 * The programs for the shared and the robust mutex of the POSIX drop-in (posix/mutex_shared.c,
 * mutex_robust.c).  A word is one acquisition, a section and a release:
 *
 *   lock, timed, try   as the calls; timed gives up when it times out
 *   adapt              lock, asking who runs
 *   lax                lock; a receiver does not repair, and so gives the mutex up
 *   exit               lock, and the end of the process inside
 *   lib                the C library's side of the same protocol, as a process without the drop-in
 *                      follows it
 *   twice              lock, and once more inside: for recursive ones
 *   free               lock; who releases it last ends the mutex's life
 *
 * One is inside at a time; who comes after a death is told, and nobody else; what was given up
 * nobody gets.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include <furwock/futex.h>

#include "../cpus.h"
#include "../engine/report.h"
#include "../kernel.h"
#include "../subject/robust.h"
#include "../subject/sys/robust_list.h"
#include "posix_calls.h"
#include "programs.h"
#include "script.h"

SCRIPT_WORDS(LOCK, ADAPT, TIMED, TRY, LAX, EXIT, LIB, TWICE, FREE);

/*
 * INSIDE: thread + 1.  OWED: an owner has died since the data were sound last.  GIVEN_UP: 1:
 * somebody is about to, 2: it is done.
 */
enum shadow { INSIDE, OWED, GIVEN_UP, FIRST, SECOND, SECTIONS };

static struct fw_posix_mutex_ *m;

static bool is_robust(void)
{
    return (m->kind & FW_KIND_ROBUST) != 0;
}

static const struct posix_mutex_family *calls(void)
{
    return is_robust() ? &posix_mutex_in_use()->robust : &posix_mutex_in_use()->shared;
}

static void decode(uint64_t value, unsigned offset, unsigned size, char *text, size_t text_size)
{
    uint32_t w = (uint32_t)value;
    uint32_t owner = w & FW_ROBUST_OWNER;

    (void)size;
    if (offset != 0 || owner < SUBJECT_FIRST_TID)
        snprintf(text, text_size, "%" PRIu32, owner);
    else
        snprintf(text, text_size, "%c", (int)('A' + owner - SUBJECT_FIRST_TID));
    if (offset == 0 && (w & FW_ROBUST_WAITERS) != 0)
        snprintf(text, text_size, "%" PRIu32 " WAITERS", owner);
    if (offset == 0 && (w & FW_ROBUST_DIED) != 0)
        snprintf(text, text_size, "DIED %08" PRIx32, w);
}

static void setup(void)
{
    static const struct model_part parts[] = {{"word", 0, 4}, {"owner", 8, 4}, {NULL, 0, 0}};

    m = model_object("m", sizeof *m, parts, decode);
    m->kind = (int32_t)model_program->initial;
}

/* --- The C library's side ------------------------------------------------------------------- */

enum { FREE_WORD = 0, HELD = 1, CONTENDED = 2 };

static void sleep_at(uint32_t seen)
{
    fw_futex_wait(&m->word, seen, FW_FUTEX_SHARED, NULL);
}

static void lib_lock_shared(void)
{
    uint32_t now = FREE_WORD;

    if (fw_cas32_acquire(&m->word, &now, HELD))
        return;
    for (;;) {
        now = HELD;
        if (fw_cas32_acquire(&m->word, &now, CONTENDED) || now == CONTENDED)
            sleep_at(CONTENDED);
        now = FREE_WORD;
        if (fw_cas32_acquire(&m->word, &now, CONTENDED))
            return;
    }
}

static int lib_lock_robust(uint32_t id)
{
    uint32_t now = fw_load32_relaxed(&m->word), extra = 0;

    for (;;) {
        uint32_t before = now;
        if (now == 0 || (now & FW_ROBUST_DIED) != 0) {
            if (!fw_cas32_acquire(&m->word, &now, id | (now & FW_ROBUST_WAITERS) | extra))
                continue;
            fw_store32_relaxed(&m->owner, before == 0 ? id : FW_OWNER_INCONSISTENT);
            fw_robust_enter_(&m->word, 0);
            return before == 0 ? 0 : EOWNERDEAD;
        }
        if ((now & FW_ROBUST_WAITERS) == 0 &&
            !fw_cas32_relaxed(&m->word, &now, now | FW_ROBUST_WAITERS))
            continue;
        extra = FW_ROBUST_WAITERS;
        sleep_at(before | FW_ROBUST_WAITERS);
        now = fw_load32_relaxed(&m->word);
    }
}

static int lib_lock(void)
{
    struct fw_robust_ r;
    int error;

    if (!is_robust()) {
        lib_lock_shared();
        fw_store32_relaxed(&m->owner, fw_robust_self_());
        return 0;
    }
    fw_robust_announce_as_(&r, &m->word, 0);
    error = lib_lock_robust(r.id);
    fw_robust_withdraw_(&r);
    return error;
}

static int lib_unlock(void)
{
    struct fw_robust_ r;
    uint32_t was;

    fw_robust_announce_as_(&r, &m->word, 0);
    if (is_robust())
        fw_robust_leave_(&m->word);
    fw_store32_relaxed(&m->owner, 0);
    was = fw_xchg32_release(&m->word, 0);
    if (is_robust() ? (was & FW_ROBUST_WAITERS) != 0 : was == CONTENDED)
        fw_futex_wake(&m->word, 1, FW_FUTEX_SHARED);
    fw_robust_withdraw_(&r);
    return 0;
}

/* --- What the threads do -------------------------------------------------------------------- */

static void check_entry(unsigned self, int error)
{
    if (*shadow(INSIDE) != 0)
        model_thread_fail("exclusion", "thread %llu is inside beside thread %llu", self,
                          *shadow(INSIDE) - 1);
    *shadow(INSIDE) = self + 1;
    if (*shadow(GIVEN_UP) == 2)
        model_thread_fail("answer", "thread %llu gets what was given up", self, 0);
    if (error == 0 && *shadow(OWED) != 0)
        model_thread_fail("forgotten", "an owner died, and thread %llu is not told", self, 0);
    if (error == 0 && *shadow(FIRST) != *shadow(SECOND))
        model_thread_fail("half changed", "thread %llu sees what a dead owner has left", self, 0);
    if (error == EOWNERDEAD && model_shared.killed == 0)
        model_thread_fail("answer", "thread %llu hears of a death, and nobody died", self, 0);
}

/* As pthread_mutex_consistent. */
static void mend(unsigned self)
{
    *shadow(SECOND) = *shadow(FIRST);
    if (fw_load32_relaxed(&m->owner) != FW_OWNER_INCONSISTENT)
        model_thread_fail("answer", "thread %llu may not say that the data are sound", self, 0);
    fw_store32_relaxed(&m->owner, fw_robust_self_());
    *shadow(OWED) = 0;
}

static void count(unsigned self, enum word w)
{
    ++*shadow(FIRST);
    if (w == TWICE && (calls()->lock(m, NULL, NULL) != 0 || calls()->trylock(m) != 0 ||
                       calls()->unlock(m) != 0 || calls()->unlock(m) != 0))
        model_thread_fail("answer", "thread %llu may not have it twice", self, 0);
    model_op(OP_NOTE, NULL, 0, 0, 0, 0, 0);
    ++*shadow(SECOND);
    if (w == EXIT)
        model_thread_exit();
    ++*shadow(SECTIONS);
}

static void section(unsigned self, enum word w, int error)
{
    bool gives_up = error == EOWNERDEAD && w == LAX;
    bool is_last;

    report_remark(self, error == 0 ? "is inside" : "is inside, after a death");
    check_entry(self, error);
    if (error == EOWNERDEAD && !gives_up)
        mend(self);
    count(self, w);
    is_last = *shadow(SECTIONS) == model_thread_count;
    *shadow(INSIDE) = 0;
    if (gives_up)
        *shadow(GIVEN_UP) = 1;
    if ((w == LIB ? lib_unlock() : calls()->unlock(m)) != 0)
        model_thread_fail("answer", "thread %llu may not unlock what it has", self, 0);
    if (gives_up)
        *shadow(GIVEN_UP) = 2;
    report_remark(self, "has unlocked");
    if (w == FREE && is_last)
        model_op(OP_FREE, m, sizeof *m, 0, 0, 0, 0);
}

static int take(enum word w)
{
    static const fw_wait_policy asks = {FW_WAIT_ADAPTIVE, 3000};

    if (w == TRY)
        return calls()->trylock(m);
    if (w == LIB)
        return lib_lock();
    return calls()->lock(m, w == ADAPT ? &asks : &script_blocking,
                         w == TIMED ? &script_soon : NULL);
}

static void act(unsigned self, unsigned w)
{
    int error = take(w);

    if (error == 0 || error == EOWNERDEAD)
        section(self, w, error);
    else if (error == ENOTRECOVERABLE ? *shadow(GIVEN_UP) == 0
             : error == ETIMEDOUT     ? w != TIMED
                                      : error != EBUSY || w != TRY)
        model_thread_fail("answer", "thread %llu is answered %llu", self, (uint64_t)error);
}

/* --- Checks --------------------------------------------------------------------------------- */

static void killed(unsigned self)
{
    if (*shadow(INSIDE) != self + 1)
        return;
    *shadow(INSIDE) = 0;
    *shadow(OWED) = 1;
}

static bool is_dead(uint32_t owner)
{
    return (model_shared.killed >> (owner - SUBJECT_FIRST_TID) & 1) != 0;
}

/* PROB1 */
static void changed(unsigned self, uint64_t addr, uint64_t before)
{
    uint32_t was = (uint32_t)before & FW_ROBUST_OWNER;

    if (addr != (uint64_t)(uintptr_t)&m->word || !is_robust() || was == 0)
        return;
    if (was != (m->word & FW_ROBUST_OWNER) && was != SUBJECT_FIRST_TID + self && !is_dead(was))
        model_fail("word", "thread %llu takes what thread %llu has", self, was);
}

static void finished(void)
{
    if (model_shared.dead != 0 || model_shared.killed != 0)
        return;
    if ((m->word & (is_robust() ? FW_ROBUST_OWNER : UINT32_MAX)) != 0 || m->users != 0)
        model_fail("word", "all are done, and the word is 0x%llx, with %llu users", m->word,
                   m->users);
    if (*shadow(SECOND) != *shadow(SECTIONS))
        model_fail("lost update", "%llu of %llu sections have counted", *shadow(SECOND),
                   *shadow(SECTIONS));
}

static HOOKS(hooks, .words = word_names, .setup = setup, .act = act, .own = script_own,
             .killed = killed, .changed = changed, .finished = finished);

#define PROGRAM(...) SCRIPTED(hooks, __VA_ARGS__, .generic = true, .rechecks = true)
#define SHARED .initial = FW_KIND_SHARED
#define ROBUST .initial = FW_KIND_SHARED | FW_KIND_ROBUST
#define RECURSIVE(kind) .initial = (kind) | FW_KIND_RECURSIVE

static const struct model_program programs[] = {
    PROGRAM("pshared-two", "lock lock | lock lock", SHARED),
    PROGRAM("pshared-three", "lock | lock | lock", SHARED),
    PROGRAM("pshared-timed", "lock | timed | lock", SHARED),
    PROGRAM("pshared-try", "lock | try try | lock", SHARED),
    PROGRAM("pshared-spurious", "lock | lock | lock", INTERRUPTED, SHARED),
    PROGRAM("pshared-lib", "lib | lock | lock", SHARED),
    PROGRAM("pshared-libs", "lib | lib | lock", SHARED),
    PROGRAM("pshared-twice", "twice | lock", RECURSIVE(FW_KIND_SHARED)),
    PROGRAM("pshared-free", "free | free | free", SHARED),
    PROGRAM("pshared-lies", "adapt adapt | adapt adapt", .assist = ASSIST_LIES, SHARED),
    PROGRAM("pshared-lies-three", "adapt | adapt | adapt", .assist = ASSIST_LIES, SHARED),
    PROGRAM("pshared-lies-lib", "lib | adapt | adapt", .assist = ASSIST_LIES, SHARED,
            ABOUT("beside a process without the drop-in")),
    PROGRAM("pshared-truth", "adapt adapt | adapt adapt", .assist = ASSIST_TRUE, .cpus = 1,
            .time_passes = true, SHARED, ABOUT("two ask and hear the truth, on one CPU")),
    PROGRAM("probust-lies", "adapt adapt | adapt adapt", KILLS(1), .assist = ASSIST_LIES, ROBUST),
    PROGRAM("probust-lies-three", "adapt | adapt | adapt", KILLS(1), .assist = ASSIST_LIES,
            BOUND(2, 4), ROBUST),
    PROGRAM("probust-none-runs", "adapt | adapt | adapt", KILLS(2), .assist = ASSIST_NO, ROBUST,
            ABOUT("a dead page says that none does")),
    PROGRAM("probust-truth", "adapt adapt | adapt adapt", KILLS(1), .assist = ASSIST_TRUE,
            .cpus = 1, .time_passes = true, ROBUST,
            ABOUT("two ask and hear the truth, on one CPU")),
    PROGRAM("probust-three", "lock | lock | lock", ROBUST),
    PROGRAM("probust-timed", "lock | timed | lock", ROBUST),
    PROGRAM("probust-free", "free | free | free", ROBUST),
    PROGRAM("probust-kill", "lock lock | lock lock", KILLS(1), ROBUST),
    PROGRAM("probust-kill-two", "lock | lock | lock", KILLS(2), ROBUST),
    PROGRAM("probust-try", "try try | lock | lock", KILLS(2), ROBUST),
    PROGRAM("probust-give-up", "lock | lax | lock", KILLS(1), ROBUST),
    PROGRAM("probust-give-up-two", "lax | lax | lax", KILLS(2), ROBUST),
    PROGRAM("probust-exit", "exit | lock | lock", KILLS(1), ROBUST),
    PROGRAM("probust-give-up-again", "lock | lax | lock lock", KILLS(1), ROBUST,
            ABOUT("who finds it given up asks again")),
    PROGRAM("probust-idle", "exit | lock | lock", .is_patient = true, ROBUST,
            ABOUT("one ends without unlock, and nobody needs a re-check")),
    PROGRAM("probust-spurious", "lock | lock | lock",
            .budget = {.kills = 1, .spurious = 1, .eintr = 1}, BOUND(3, 4), ROBUST),
    PROGRAM("probust-twice", "twice | lock", KILLS(1), RECURSIVE(FW_KIND_SHARED | FW_KIND_ROBUST)),
    PROGRAM("probust-lib", "lib | lock | lock", ROBUST),
    PROGRAM("probust-lib-kill", "lib lib | lock lock", KILLS(1), ROBUST),
};

GROUP(posix_mutex, "posix-mutex");
