/* SPDX-License-Identifier: MIT */
/*
 * The programs for the process-shared read-write lock of the POSIX drop-in.
 *
 *   read, try-read, timed-read      a section among readers
 *   again                           the same, and reads once more inside
 *   write, try-write, timed-write   a section alone
 *   asks                            the same, and asks for both modes inside
 *   leave                           after write: who comes last frees the lock, having let go
 *
 * Who writes is alone; a free lock has no flags; of whoever was killed, what it held is taken away
 * as if it had ended properly, but nobody is woken.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "../engine/report.h"
#include "../kernel.h"
#include "foreign.h"
#include "posix_calls.h"
#include "programs.h"
#include "script.h"

SCRIPT_WORDS(READ, TRY_READ, TIMED_READ, AGAIN, WRITE, TRY_WRITE, TIMED_WRITE, ASKS, LEAVE);

/* By the word: who writes (+ 1); how many read, by thread.  By threads: how many have left. */
enum shadow { WRITER, LEFT, READERS };

/* The bits of the word, as rwlock_shared.c has them. */
#define WORD_READERS UINT64_C(0xffffffff)
#define WORD_WRITER (UINT64_C(1) << 32)
#define WORD_FLAGS (UINT64_C(6) << 32)

static struct fw_posix_rwlock_ *l;

void fw_posix_foreign_(const char *what, const void *object)
{
    (void)object;
    model_thread_fail("foreign", what, 0, 0);
}

static void decode(uint64_t w, unsigned offset, unsigned size, char *text, size_t text_size)
{
    if (offset != 0 || size != 8)
        snprintf(text, text_size, "%" PRIx64, w);
    else
        snprintf(text, text_size, "%u readers%s%s%s", (unsigned)(w & WORD_READERS),
                 (w & WORD_WRITER) != 0 ? " WRITER" : "",
                 (w >> 33 & 1) != 0 ? " READERS_ASLEEP" : "",
                 (w >> 34 & 1) != 0 ? " WRITERS_ASLEEP" : "");
}

static void setup(void)
{
    static const struct model_part parts[] = {
        {"word", 0, 8}, {"half", 4, 4}, {"writer", 24, 4}, {NULL, 0, 0}};

    l = model_object("l", sizeof *l, parts, decode);
    posix_rwlock_in_use()->init(l);
    l->kind = (uint32_t)model_program->initial;
}

static bool is_free(uint64_t w)
{
    return (w & (WORD_WRITER | WORD_READERS)) == 0;
}

static void changed(unsigned thread, uint64_t addr, uint64_t was)
{
    uint64_t is;

    if (addr != (uint64_t)(uintptr_t)&l->word || model_shared.dead != 0)
        return;
    is = l->word;
    if (is_free(is) && (is & WORD_FLAGS) != 0)
        model_fail("word", "free, with flags: 0x%llx", is, 0);
    if ((is & WORD_WRITER) != 0 && (is & WORD_READERS) != 0)
        model_fail("exclusion", "some read beside a writer: 0x%llx", is, 0);
    if ((is & ~was & WORD_WRITER) != 0)
        *shadow(WRITER) = thread + 1;
    else if ((was & ~is & WORD_WRITER) != 0)
        *shadow(WRITER) = 0;
    *shadow(READERS + thread) += (is & WORD_READERS) - (was & WORD_READERS);
}

static void killed(unsigned thread)
{

    if (*shadow(WRITER) == thread + 1)
        l->word &= ~WORD_WRITER;
    l->word -= *shadow(READERS + thread);
    if (is_free(l->word))
        l->word &= ~WORD_FLAGS;
    if (*shadow(WRITER) == thread + 1)
        *shadow(WRITER) = 0;
    *shadow(READERS + thread) = 0;
}

static bool reads(enum word w)
{
    return w >= READ && w <= AGAIN;
}

static int lock(enum word w)
{
    bool timed = w == TIMED_READ || w == TIMED_WRITE;

    if (w == TRY_READ)
        return posix_rwlock_in_use()->try_read(l);
    if (w == TRY_WRITE)
        return posix_rwlock_in_use()->try_write(l);
    return (reads(w) ? posix_rwlock_in_use()->read : posix_rwlock_in_use()->write)(
        l, &script_blocking, timed ? &script_soon : NULL);
}

static bool may_answer(enum word w, int error)
{
    return error == 0 || (error == EBUSY && (w == TRY_READ || w == TRY_WRITE)) ||
           (error == ETIMEDOUT && (w == TIMED_READ || w == TIMED_WRITE));
}

/* Between taking and releasing: others may run, and the word says what the thread has. */
static void section(unsigned self, enum word w)
{

    report_remark(self, reads(w) ? "reads" : "writes");
    model_op(OP_NOTE, NULL, 0, 0, 0, 0, 0);
    if (reads(w) ? *shadow(READERS + self) == 0 : *shadow(WRITER) != self + 1)
        model_thread_fail("exclusion", "thread %llu does not have what it took", self, 0);
    if (w == AGAIN) {
        if (posix_rwlock_in_use()->read(l, &script_blocking, NULL) != 0)
            model_thread_fail("answer", "thread %llu may not read again", self, 0);
        posix_rwlock_in_use()->unlock(l);
    }
    if (w == ASKS && (posix_rwlock_in_use()->read(l, &script_blocking, NULL) != EDEADLK ||
                      posix_rwlock_in_use()->write(l, &script_blocking, NULL) != EDEADLK))
        model_thread_fail("answer", "the writer %llu is not told", self, 0);
}

static void act(unsigned self, enum word w, bool leaves)
{
    int error = lock(w);
    bool frees;

    if (!may_answer(w, error))
        model_thread_fail("answer", "thread %llu is answered %llu", self, (uint64_t)error);
    if (error != 0)
        return;
    section(self, w);
    frees = leaves && ++*shadow(LEFT) == model_thread_count; /* nobody else is inside */
    posix_rwlock_in_use()->unlock(l);
    report_remark(self, "has let go");
    if (frees)
        model_op(OP_FREE, l, sizeof *l, 0, 0, 0, 0);
}

static void thread(unsigned self)
{
    for (const unsigned *w = script_words[self]; *w != END; w++)
        if (*w != LEAVE)
            act(self, (enum word) * w, w[1] == LEAVE);
}

static void finished(void)
{
    if (model_shared.dead == 0 && (l->word & (WORD_WRITER | WORD_READERS | WORD_FLAGS)) != 0)
        model_fail("word", "all are done, and the word is 0x%llx", l->word, 0);
}

static HOOKS(hooks, .words = word_names, .setup = setup, .thread = thread, .own = script_own,
             .killed = killed, .changed = changed, .finished = finished);

#define PROGRAM(...) SCRIPTED(hooks, __VA_ARGS__, .generic = true)
#define WRITERS_FIRST .initial = 2

static const struct model_program programs[] = {
    PROGRAM("prw", "read read | write write"),
    PROGRAM("prw-writers", "write | write | write"),
    PROGRAM("prw-readers", "read | read | write"),
    PROGRAM("prw-mixed", "read | write | write"),
    PROGRAM("prw-four", "read | read | write | write", BOUND(3, 4)),
    PROGRAM("prw-again", "again | read | write"),
    PROGRAM("prw-asks", "asks | asks read", ABOUT("a writer that asks again is told")),
    PROGRAM("prw-try", "try-read read | write | try-write try-read",
            ABOUT("whoever does not wait")),
    PROGRAM("prw-timed-writer", "write write | timed-write | write", TICKS(1), BOUND(3, 4)),
    PROGRAM("prw-timed-reader", "write | timed-read | write", TICKS(1)),
    PROGRAM("prw-timed-readers", "write | timed-read | read", TICKS(1)),
    PROGRAM("prw-spurious", "write | write | read", INTERRUPTED),
    PROGRAM("prw-writers-first", "write | write | read", WRITERS_FIRST),
    PROGRAM("prw-writers-readers", "read read | read | write", WRITERS_FIRST),
    PROGRAM("prw-writers-four", "read | read | write | write", BOUND(3, 4), WRITERS_FIRST),
    PROGRAM("prw-writers-timed", "again | timed-write | read", TICKS(1), WRITERS_FIRST, MAY_SLEEP,
            ABOUT("a preferred writer gives up before readers")),
    PROGRAM("prw-killed-writer", "read | write | write", KILLS(1), .rechecks = true, .immortal = 5),
    PROGRAM("prw-killed-reader", "write | read | write", KILLS(1), .rechecks = true, .immortal = 5),
    PROGRAM("prw-killed-first", "read | write | read", KILLS(1), .rechecks = true, .immortal = 5,
            WRITERS_FIRST, ABOUT("a preferred writer is killed before readers")),
    PROGRAM("prw-free", "write leave | write leave | read write leave"),
    PROGRAM("prw-free-timed", "write leave | timed-write write leave | write leave", TICKS(1)),
};

GROUP(posix_rwlock, "posix-rwlock");
