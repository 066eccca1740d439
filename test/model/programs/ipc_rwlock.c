/* SPDX-License-Identifier: MIT */
/*
 * The programs for the read-write lock between processes.
 *
 *   read, try-read, timed-read       a section among readers
 *   again                            the same, and reads once more inside
 *   beside                           the same, and until then reads another lock
 *   write, try-write, timed-write    a section alone; after EOWNERDEAD repairs, and says so
 *   lax                              the same, and after EOWNERDEAD unlocks without a word
 *   up                               a section among readers, upgradable
 *   upgrade                          the same, then writes
 *   timed-upgrade                    the same, if the readers leave in time
 *   down                             writes, then reads
 *
 * Whoever writes counts two counters up, one after the other.  Checked, beside what is for the
 * mutex (ipc_mutex.c): who writes is alone, who may upgrade is one; and no reader comes in
 * while the counters differ, or a writer died and nobody has repaired.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "../engine/report.h"
#include "../kernel.h"
#include "../memory.h"
#include "ipc/rwlock.h"
#include "ipc_calls.h"
#include "ipc_region.h"
#include "script.h"

struct ipc_rwlock_script {
    bool repairs;        /* by a function that is registered */
    uint64_t generation; /* of the lock at first */
    uint64_t hint;       /* the same */
};

SCRIPT_WORDS(READ, TRY_READ, TIMED_READ, AGAIN, BESIDE, WRITE, TRY_WRITE, TIMED_WRITE, LAX, UP,
             UPGRADE, TIMED_UPGRADE, DOWN);

/*
 * WRITER, UPPER: thread + 1.  READERS: by thread.  OWED, GIVEN_UP: ipc_mutex.c.  DIED_WRITING: a
 * thread was killed that the word said to write, be it before or after its section.
 */
enum shadow {
    WRITER,
    UPPER,
    READERS,
    OWED,
    GIVEN_UP,
    DIED_WRITING,
    GENERATION,
    FIRST,
    SECOND,
    SECTIONS
};

static fw_ipc_rwlock *l;
static fw_ipc_rwlock *other; /* nobody writes there */
static const struct ipc_rwlock_script *script, plain = {.generation = 1};

static void decode(uint64_t w, unsigned offset, unsigned size, char *text, size_t text_size)
{
    char holder[24];

    if (offset != 0) {
        snprintf(text, text_size, "%" PRIu64, w);
        return;
    }
    region_decode_holder(w, holder, sizeof holder);
    if (size == 4)
        snprintf(holder, sizeof holder, "%08" PRIx64, w);
    snprintf(text, text_size, "%s%s%s%s%s%s%s%s", holder, (w & FW_IPC_WAITERS) != 0 ? " W" : "",
             (w & FW_IPC_DIED) != 0 ? " DIED" : "", (w & IPC_RW_UPGRADABLE) != 0 ? " UP" : "",
             (w & IPC_RW_DRAINING) != 0 ? " DRAINING" : "",
             (w & IPC_RW_RELEASING) != 0 ? " RELEASING" : "",
             (w & IPC_RW_READERS) != 0 ? " READERS" : "",
             (w & IPC_RW_ASLEEP) != 0 ? " ASLEEP" : "");
}

static int repair(void *arg, const fw_ipc_death *death)
{
    (void)arg;
    (void)death;
    model_op(OP_NOTE, NULL, 0, 0, 0, 0, 0); /* it may die, too */
    *shadow(SECOND) = *shadow(FIRST);
    *shadow(OWED) = 0;
    return 0;
}

static void setup(void)
{
    static const struct model_part parts[] = {
        {"word", 0, 8},
        {"word", 0, 4},
        {"generation", offsetof(fw_ipc_rwlock, history_.generation_), 8},
        {"hint", offsetof(fw_ipc_rwlock, hint_), 8},
        {NULL, 0, 0}};

    script = script_options(&plain);
    region_make(model_thread_count, true);
    l = model_object("l", sizeof *l, parts, decode);
    other = model_object("other", sizeof *other, NULL, NULL);
    l->history_.generation_ = *shadow(GENERATION) = script->generation;
    l->hint_ = script->hint;
    ipc_rwlock_in_use()->on_death(l, script->repairs ? repair : NULL, NULL);
}

/* --- Entering ------------------------------------------------------------------------------- */

static void check_sound(unsigned self)
{
    if (*shadow(GIVEN_UP) == 2)
        model_thread_fail("answer", "thread %llu gets what was given up", self, 0);
    if (*shadow(OWED) != 0)
        model_thread_fail("forgotten", "a writer died, and thread %llu is not told", self, 0);
    if (*shadow(FIRST) != *shadow(SECOND))
        model_thread_fail("half changed", "thread %llu sees what a dead writer has left", self, 0);
}

static void enter_reading(unsigned self)
{
    report_remark(self, "reads");
    if (*shadow(WRITER) != 0)
        model_thread_fail("exclusion", "thread %llu reads, and thread %llu writes", self,
                          *shadow(WRITER) - 1);
    check_sound(self);
    *shadow(READERS) |= model_bit(self);
}

static void leave_reading(unsigned self)
{
    *shadow(READERS) &= ~model_bit(self);
    if (ipc_rwlock_in_use()->end_read(l) != 0)
        model_thread_fail("answer", "thread %llu may not end what it reads", self, 0);
    report_remark(self, "has ended reading");
}

static void enter_upgradable(unsigned self)
{
    report_remark(self, "reads, upgradable");
    if (*shadow(WRITER) != 0 || *shadow(UPPER) != 0)
        model_thread_fail("exclusion", "thread %llu may upgrade beside another", self, 0);
    check_sound(self);
    *shadow(UPPER) = self + 1;
}

static void enter_writing(unsigned self, int error)
{
    uint64_t generation = memory_read(self, (uint64_t)(uintptr_t)&l->history_.generation_, 8);

    report_remark(self, error == 0 ? "writes" : "writes, after a death");
    if (*shadow(WRITER) != 0 || *shadow(READERS) != 0 || *shadow(UPPER) != 0)
        model_thread_fail("exclusion", "thread %llu writes, and others are inside: 0x%llx", self,
                          *shadow(READERS));
    *shadow(WRITER) = self + 1;
    if (error == 0)
        check_sound(self);
    if (*shadow(GIVEN_UP) == 2)
        model_thread_fail("answer", "thread %llu gets what was given up", self, 0);
    if (error == EOWNERDEAD && *shadow(DIED_WRITING) == 0)
        model_thread_fail("answer", "thread %llu hears of a death, and no writer died", self, 0);
    if (generation <= *shadow(GENERATION))
        model_thread_fail("generation", "%llu comes after %llu", generation, *shadow(GENERATION));
    *shadow(GENERATION) = generation;
}

/* --- Sections ------------------------------------------------------------------------------- */

static void pass(void)
{
    model_op(OP_NOTE, NULL, 0, 0, 0, 0, 0);
}

static void count(void)
{
    ++*shadow(FIRST);
    pass();
    ++*shadow(SECOND);
    ++*shadow(SECTIONS);
}

static void read_section(unsigned self, enum word w)
{
    enter_reading(self);
    pass();
    if (w == BESIDE && ipc_rwlock_in_use()->end_read(other) != 0)
        model_thread_fail("answer", "thread %llu may not end what it reads", self, 0);
    if (w == AGAIN || w == BESIDE) {
        if (ipc_rwlock_in_use()->read(l, &script_blocking, NULL) != 0)
            model_thread_fail("answer", "thread %llu may not read again", self, 0);
        pass();
        if (ipc_rwlock_in_use()->end_read(l) != 0)
            model_thread_fail("answer", "thread %llu may not end what it reads", self, 0);
        pass();
    }
    leave_reading(self);
}

static void end_writing(unsigned self, bool gives_up)
{
    *shadow(WRITER) = 0;
    if (gives_up)
        *shadow(GIVEN_UP) = 1;
    if (ipc_rwlock_in_use()->end_write(l) != 0)
        model_thread_fail("answer", "thread %llu may not end what it writes", self, 0);
    if (gives_up)
        *shadow(GIVEN_UP) = 2;
    report_remark(self, "has ended writing");
}

static void write_section(unsigned self, enum word w, int error)
{
    enter_writing(self, error);
    if (error == EOWNERDEAD) {
        *shadow(SECOND) = *shadow(FIRST);
        if (w != LAX && ipc_rwlock_in_use()->consistent(l) != 0)
            model_thread_fail("answer", "the writer may not say that the data are sound", 0, 0);
        if (w != LAX)
            *shadow(OWED) = 0;
    }
    count();
    if (w != DOWN) {
        end_writing(self, error == EOWNERDEAD && w == LAX);
        return;
    }
    *shadow(WRITER) = 0; /* a reader from somewhere in the call on */
    if (ipc_rwlock_in_use()->downgrade(l) != 0)
        model_thread_fail("answer", "thread %llu may not turn writing into reading", self, 0);
    enter_reading(self);
    pass();
    leave_reading(self);
}

static void upgradable_section(unsigned self, enum word w)
{
    int error = ETIMEDOUT;

    enter_upgradable(self);
    pass();
    *shadow(UPPER) = 0;
    if (w != UP) {
        error = ipc_rwlock_in_use()->upgrade(l, w == TIMED_UPGRADE ? &script_soon : NULL);
        if (error != 0 && (w != TIMED_UPGRADE || error != ETIMEDOUT))
            model_thread_fail("answer", "thread %llu upgrades, and is answered %llu", self,
                              (uint64_t)error);
    }
    if (error == 0)
        write_section(self, WRITE, 0);
    else if (ipc_rwlock_in_use()->end_up(l) != 0)
        model_thread_fail("answer", "thread %llu may not end what it reads", self, 0);
}

static bool is_read(enum word w)
{
    return w >= READ && w <= BESIDE;
}

static bool is_upgradable(enum word w)
{
    return w == UP || w == UPGRADE || w == TIMED_UPGRADE;
}

static int lock(enum word w)
{
    if (w == TRY_READ)
        return ipc_rwlock_in_use()->try_read(l);
    if (w == TRY_WRITE)
        return ipc_rwlock_in_use()->try_write(l);
    if (w == BESIDE && ipc_rwlock_in_use()->read(other, &script_blocking, NULL) != 0)
        model_thread_fail("answer", "another lock, which is free, cannot be read", 0, 0);
    if (is_read(w))
        return ipc_rwlock_in_use()->read(l, &script_blocking,
                                         w == TIMED_READ ? &script_soon : NULL);
    if (is_upgradable(w))
        return ipc_rwlock_in_use()->up(l, &script_blocking, NULL);
    return ipc_rwlock_in_use()->write(l, &script_blocking, w == TIMED_WRITE ? &script_soon : NULL);
}

/* Not taken: may that be? */
static void check_refusal(unsigned self, enum word w, int error)
{
    bool ok = error == ENOTRECOVERABLE ? *shadow(GIVEN_UP) != 0
              : error == EOWNERDEAD    ? *shadow(DIED_WRITING) != 0 && !script->repairs
              : error == ETIMEDOUT     ? w == TIMED_READ || w == TIMED_WRITE
                                       : error == EBUSY && (w == TRY_READ || w == TRY_WRITE);

    report_remark(self, "is refused");
    if (!ok)
        model_thread_fail("answer", "thread %llu is answered %llu", self, (uint64_t)error);
}

static void act(unsigned self, unsigned w)
{
    int error = lock(w);

    if (error == 0 && is_read(w))
        read_section(self, w);
    else if (error == 0 && is_upgradable(w))
        upgradable_section(self, w);
    else if (error == 0 || (error == EOWNERDEAD && !is_read(w) && !is_upgradable(w)))
        write_section(self, w, error);
    else
        check_refusal(self, w, error);
}

/* --- Hooks ---------------------------------------------------------------------------------- */

static enum model_access access(const void *p)
{
    return p == (const void *)&l->history_.journal_ ? ACCESS_DIRECT : region_access(p);
}

static void killed(unsigned thread)
{
    *shadow(READERS) &= ~model_bit(thread);
    if (region_tenant_of(l->word_) == thread && ipc_rw_is_written(l->word_))
        *shadow(DIED_WRITING) = 1;
    if (*shadow(UPPER) == thread + 1)
        *shadow(UPPER) = 0;
    if (*shadow(WRITER) != thread + 1)
        return;
    *shadow(WRITER) = 0;
    *shadow(OWED) = 1;
}

static void changed(unsigned thread, uint64_t addr, uint64_t before)
{
    uint64_t now = l->word_;
    unsigned owner = region_thread_of(before);

    region_changed(thread, addr, before);
    if (addr != (uint64_t)(uintptr_t)&l->word_)
        return;
    if (owner < MODEL_MAX_THREADS && owner != thread &&
        ((now ^ before) & ~(IPC_RW_READERS | FW_IPC_WAITERS)) != 0)
        model_fail("word", "thread %llu changes what thread %llu has", thread, owner);
    else if (before == FW_IPC_ABANDONED)
        model_fail("word", "thread %llu changes what was given up", thread, 0);
    else if (owner >= MODEL_MAX_THREADS && (now & FW_IPC_HOLDER) != (before & FW_IPC_HOLDER) &&
             (now & FW_IPC_HOLDER) != region_id_of(thread))
        model_fail("word", "thread %llu takes it, and leaves 0x%llx", thread, now);
}

static void finished(void)
{
    if (region_thread_of(l->word_) < MODEL_MAX_THREADS || (!region_has_deaths() && l->word_ != 0))
        model_fail("word", "all are done, and the word is 0x%llx", l->word_, 0);
    if (!region_has_deaths() && *shadow(SECOND) != *shadow(SECTIONS))
        model_fail("lost update", "%llu of %llu sections have counted", *shadow(SECOND),
                   *shadow(SECTIONS));
}

static HOOKS(hooks, .words = word_names, REGION_HOOKS(FAMILY_IPC_RWLOCK), .setup = setup,
             .act = act, .access = access, .killed = killed, .changed = changed,
             .finished = finished);

#define PROGRAM(...) SCRIPTED(hooks, __VA_ARGS__, .generic = true, .rechecks = true)
/* No re-check comes: what is not told to a sleeper it never learns. */
#define TOLD(...) SCRIPTED(hooks, __VA_ARGS__, .generic = true)
#define WITH(...) WITH_OPTIONS(ipc_rwlock_script, __VA_ARGS__)
/* The hint is made anew at every 16th generation; with TIDY at once. */
#define TIDY WITH(.generation = 0)
/* A reader's last store may be late: a writer that sleeps meanwhile sleeps until its re-check. */
#define RECHECKS_DUE .rechecks_are_due = true

static const struct model_program programs[] = {
    PROGRAM("ipc-rw", "read read | write write", RECHECKS_DUE),
    PROGRAM("ipc-rw-late", "read | write", .expects = "lost wake-up",
            ABOUT("the same: a reader's store may come late")),
    PROGRAM("ipc-rw-writers", "write write | write write"),
    TOLD("ipc-rw-told", "write write | write write", KILLS(1)),
    TOLD("ipc-rw-told-three", "write | write | write", KILLS(1)),
    TOLD("ipc-rw-told-upgrades", "upgrade | write", KILLS(1)),
    PROGRAM("ipc-rw-kill", "read read | write write", KILLS(1), RECHECKS_DUE),
    PROGRAM("ipc-rw-tidy", "read read | write write", KILLS(1), RECHECKS_DUE, TIDY,
            ABOUT("the same, and the hint is made anew")),
    PROGRAM("ipc-rw-readers", "read | read | write", KILLS(1), RECHECKS_DUE),
    PROGRAM("ipc-rw-mixed", "read | write | write", KILLS(1), RECHECKS_DUE),
    PROGRAM("ipc-rw-up", "upgrade | read read", KILLS(1), RECHECKS_DUE),
    PROGRAM("ipc-rw-down", "down | write read", KILLS(1), RECHECKS_DUE),
    PROGRAM("ipc-rw-again", "again | write", KILLS(1), RECHECKS_DUE),
    PROGRAM("ipc-rw-beside", "beside | write", KILLS(1), RECHECKS_DUE,
            ABOUT("the same beside another lock: its record moves")),
    PROGRAM("ipc-rw-repairs", "write | read | read", KILLS(2), RECHECKS_DUE,
            WITH(.repairs = true, .generation = 1)),
    PROGRAM("ipc-rw-tidy-three", "read | write | write", KILLS(1), RECHECKS_DUE, WITH(.hint = 1),
            ABOUT("the hint is made anew beside a reader")),
    PROGRAM("ipc-rw-upgrades", "upgrade | upgrade read", KILLS(1), RECHECKS_DUE),
    PROGRAM("ipc-rw-timed", "timed-write read | timed-upgrade timed-read", KILLS(1), RECHECKS_DUE),
    PROGRAM("ipc-rw-try", "try-write try-read | write read", KILLS(1), RECHECKS_DUE),
    PROGRAM("ipc-rw-give-up", "write lax | lax read write", KILLS(1), RECHECKS_DUE),
};

GROUP(ipc_rwlock, "ipc-rwlock");
