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
 * Checked: ipc_rwlock_check.h.
 */
#include <errno.h>

#include "../engine/report.h"
#include "../kernel.h"
#include "ipc_calls.h"
#include "ipc_region.h"
#include "ipc_rwlock_check.h"
#include "script.h"

struct ipc_rwlock_script {
    bool repairs;        /* by a function that is registered */
    uint64_t generation; /* of the lock at first */
    uint64_t hint;       /* the same */
};

SCRIPT_WORDS(READ, TRY_READ, TIMED_READ, AGAIN, BESIDE, WRITE, TRY_WRITE, TIMED_WRITE, LAX, UP,
             UPGRADE, TIMED_UPGRADE, DOWN);

static fw_ipc_rwlock *l;
static fw_ipc_rwlock *other; /* nobody writes there */
static const struct ipc_rwlock_script *script, plain = {.generation = 1};

static void setup(void)
{
    script = script_options(&plain);
    l = ipc_rwlock_make(script->generation, script->hint, script->repairs);
    other = model_object("other", sizeof *other, NULL, NULL);
}

/* --- Sections ------------------------------------------------------------------------------- */

static void leave_reading(unsigned self)
{
    *shadow(READERS) &= ~model_bit(self);
    if (ipc_rwlock_in_use()->end_read(l) != 0)
        model_thread_fail("answer", "thread %llu may not end what it reads", self, 0);
    report_remark(self, "has ended reading");
}

static void pass(void)
{
    model_op(OP_NOTE, NULL, 0, 0, 0, 0, 0);
}

static void end_other(unsigned self)
{
    if (ipc_rwlock_in_use()->end_read(other) != 0)
        model_thread_fail("answer", "thread %llu may not end what it reads", self, 0);
}

static void read_section(unsigned self, enum word w)
{
    ipc_rwlock_reads(self);
    pass();
    if (w == BESIDE)
        end_other(self);
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
    ipc_rwlock_writes(self, error);
    if (error == EOWNERDEAD) {
        *shadow(SECOND) = *shadow(FIRST);
        if (w != LAX && ipc_rwlock_in_use()->consistent(l) != 0)
            model_thread_fail("answer", "the writer may not say that the data are sound", 0, 0);
        if (w != LAX)
            *shadow(OWED) = 0;
    }
    ipc_rwlock_count();
    if (w != DOWN) {
        end_writing(self, error == EOWNERDEAD && w == LAX);
        return;
    }
    *shadow(WRITER) = 0; /* a reader from somewhere in the call on */
    if (ipc_rwlock_in_use()->downgrade(l) != 0)
        model_thread_fail("answer", "thread %llu may not turn writing into reading", self, 0);
    ipc_rwlock_reads(self);
    pass();
    leave_reading(self);
}

static void upgradable_section(unsigned self, enum word w)
{
    int error = ETIMEDOUT;

    ipc_rwlock_reads_upgradable(self);
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
    if (w == BESIDE && error != 0)
        end_other(self);
}

/* --- Hooks ---------------------------------------------------------------------------------- */

static HOOKS(hooks, .words = word_names, REGION_HOOKS(FAMILY_IPC_RWLOCK), .setup = setup,
             .act = act, .access = ipc_rwlock_access, .killed = ipc_rwlock_killed,
             .changed = ipc_rwlock_changed, .finished = ipc_rwlock_finished);

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
