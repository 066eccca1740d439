/* SPDX-License-Identifier: MIT */
/*
 * The programs for the journal, which a mutex between processes has.  Each word is a section of a
 * mutex:
 *
 *   add      counts two words up, one after the other, with a record of each
 *   attach   gives the mutex the journal, then does the same
 *   other    gives it another journal, then does the same
 *   early    the same as attach; tries to take the journal away while there are records
 *   detach   takes the journal away
 *   visit    does nothing
 *   lend     of this mutex: attaches the journal if nobody else has it, adds, and detaches it
 *   rival    the same, of another mutex with other words
 *   claim    the same, until it gets the journal: takes it from the first mutex before each try;
 *            only who has attached it since then may be in its way, and nobody does so three times
 *
 * Whoever gets the mutex finds the words equal, as they were before the section of one who died in
 * it, or as they are after it; and not as they were before one that has come to its end.  A journal
 * becomes somebody's from nobody's, and nobody's again, by who holds the mutex that it names, and
 * somebody's while it has no records (JRN4).
 */
#include <errno.h>
#include <stdio.h>

#include "../engine/report.h"
#include "../memory.h"
#include "ipc_calls.h"
#include "ipc_region.h"
#include "programs.h"
#include "script.h"

SCRIPT_WORDS(ADD, ATTACH, OTHER, EARLY, DETACH, VISIT, LEND, RIVAL, CLAIM);
enum { DATA = 2, LOCKS = 2 };

/* By mutex.  INSIDE: thread + 1.  ENDED: sections that are. */
enum shadow { INSIDE, ENDED = INSIDE + LOCKS };

static fw_ipc_mutex *m[LOCKS];
static fw_ipc_journal *j[LOCKS];
static uint64_t *data[LOCKS];
static bool is_attached; /* from the start, for good */
static bool has_rivals;  /* who attaches may find that another mutex has the journal */

static uint64_t place_of(const void *object)
{
    return (uint64_t)((uintptr_t)object - (uintptr_t)model_memory);
}

static uint64_t owner_of(const fw_ipc_mutex *mutex)
{
    return place_of(mutex) << 8 | sizeof *mutex;
}

static void setup(void)
{
    static const struct model_part mutex[] = {
        {"word", 0, 8}, {"journal", offsetof(fw_ipc_mutex, history_.journal_), 8}, {NULL, 0, 0}};
    static const struct model_part parts[] = {{"used", offsetof(fw_ipc_journal, used_), 8},
                                              {"owner", offsetof(fw_ipc_journal, owner_), 8},
                                              {NULL, 0, 0}};
    unsigned capacity = DATA * FW_IPC_JOURNAL_RECORD(8);

    is_attached = model_program->initial == 0;
    region_make(model_thread_count, true);
    for (unsigned i = 0; i < (is_attached ? 1 : LOCKS); i++) {
        m[i] = model_object(i == 0 ? "m" : "n", sizeof *m[i], mutex, NULL);
        j[i] =
            model_object(i == 0 ? "j" : "k", (unsigned)fw_ipc_journal_size(capacity), parts, NULL);
        data[i] = model_object(i == 0 ? "data" : "ends", 64, NULL, NULL); /* at least */
        j[i]->capacity_ = capacity;
    }
    if (is_attached) {
        m[0]->history_.journal_ = place_of(j[0]);
        j[0]->owner_ = owner_of(m[0]);
    }
    has_rivals = false;
    for (unsigned i = 0; i < model_thread_count; i++)
        for (const unsigned *w = script_words[i]; *w != END; w++)
            has_rivals |= *w == RIVAL || *w == CLAIM;
}

static enum model_access access(const void *p)
{
    for (unsigned i = 0; i < (is_attached ? 1 : LOCKS); i++)
        if (p == (const void *)&j[i]->capacity_ ||
            (is_attached &&
             (p == (const void *)&j[i]->owner_ || p == (const void *)&m[i]->history_.journal_)))
            return ACCESS_DIRECT;
    return region_access(p);
}

static uint64_t seen(unsigned self, const uint64_t *word)
{
    return memory_read(self, (uint64_t)(uintptr_t)word, 8);
}

static void check_data(unsigned self, unsigned lock)
{
    const uint64_t *words = data[lock];

    if (*shadow(INSIDE + lock) != 0)
        model_thread_fail("exclusion", "thread %llu is inside beside another", self, 0);
    for (unsigned i = 1; i < DATA; i++)
        if (seen(self, &words[i]) != seen(self, &words[0]))
            model_thread_fail("half changed", "one word is %llu, another %llu",
                              seen(self, &words[0]), seen(self, &words[i]));
    if (seen(self, &words[0]) < *shadow(ENDED + lock))
        model_thread_fail("lost update", "%llu sections have ended, and %llu are counted",
                          *shadow(ENDED + lock), seen(self, &words[0]));
}

/* The answer to `what` is to be this. */
static void must(int error, int expected, unsigned self)
{
    if (error != expected)
        model_thread_fail("answer", "thread %llu is answered %llu", self, (uint64_t)error);
}

static void enter(unsigned self, unsigned lock)
{
    int error = ipc_journal_in_use()->lock(m[lock], &script_blocking, NULL);

    report_remark(self, "is inside");
    if (error == EOWNERDEAD && region_has_deaths() && !is_attached)
        error = ipc_journal_in_use()->consistent(m[lock]); /* who had no journal changed nothing */
    must(error, 0, self);
    check_data(self, lock);
    *shadow(INSIDE + lock) = self + 1;
}

static void unlock(unsigned self, unsigned lock)
{
    *shadow(INSIDE + lock) = 0;
    must(ipc_journal_in_use()->unlock(m[lock]), 0, self);
    report_remark(self, "has unlocked");
}

static void add(unsigned self, unsigned lock, fw_ipc_journal *journal, bool is_early)
{
    for (unsigned i = 0; i < DATA; i++) {
        uint64_t *word = &data[lock][i];
        must(ipc_journal_in_use()->record(journal, word, sizeof *word), 0, self);
        if (is_early)
            must(ipc_journal_in_use()->attach(m[lock], NULL), EBUSY, self);
        fw_store64_relaxed(word, seen(self, word) + 1);
    }
}

/* False: another mutex has it. */
static bool attach(unsigned self, unsigned lock, fw_ipc_journal *journal)
{
    int error = ipc_journal_in_use()->attach(m[lock], journal);

    report_remark(self, error == 0 ? "has the journal" : "does not get the journal");
    if (error == EBUSY && has_rivals)
        return false;
    must(error, 0, self);
    return true;
}

static bool borrow(unsigned self, unsigned lock)
{
    bool is_ours;

    enter(self, lock);
    is_ours = attach(self, lock, j[0]);
    if (is_ours) {
        add(self, lock, j[0], false);
        must(ipc_journal_in_use()->commit(j[0]), 0, self);
        must(ipc_journal_in_use()->attach(m[lock], NULL), 0, self);
        ++*shadow(ENDED + lock);
    }
    unlock(self, lock);
    return is_ours;
}

static void detach(unsigned self)
{
    enter(self, 0);
    must(ipc_journal_in_use()->attach(m[0], NULL), 0, self);
    unlock(self, 0);
}

static void change(unsigned self, enum word w)
{
    fw_ipc_journal *journal = j[w == OTHER];
    bool adds = w != VISIT;

    enter(self, 0);
    if (w == ATTACH || w == OTHER || w == EARLY)
        adds = attach(self, 0, journal);
    if (adds)
        add(self, 0, journal, w == EARLY);
    unlock(self, 0);
    *shadow(ENDED) += adds;
}

static void claim(unsigned self)
{
    for (unsigned tries = 0; tries < 3; tries++) {
        detach(self);
        if (borrow(self, 1))
            return;
    }
    model_thread_fail("answer", "nobody has the journal, and thread %llu does not get it", self, 0);
}

static void act(unsigned self, unsigned w)
{
    switch (w) {
    case DETACH:
        detach(self);
        break;
    case LEND:
    case RIVAL:
        borrow(self, w == RIVAL);
        break;
    case CLAIM:
        claim(self);
        break;
    default:
        change(self, w);
    }
}

static void killed(unsigned thread)
{
    for (unsigned i = 0; i < LOCKS; i++)
        if (*shadow(INSIDE + i) == thread + 1)
            *shadow(INSIDE + i) = 0;
}

/* Of that value of owner_: does the thread hold the mutex?  A dead one's store may come late. */
static bool is_holder(unsigned thread, uint64_t owner)
{
    for (unsigned i = 0; i < LOCKS; i++)
        if (owner == owner_of(m[i]))
            return model_is_killed(thread) || region_thread_of(m[i]->word_) == thread;
    return false;
}

static void changed(unsigned thread, uint64_t addr, uint64_t before)
{
    region_changed(thread, addr, before);
    for (unsigned i = 0; i < LOCKS && !is_attached; i++) {
        uint64_t now = j[i]->owner_;
        if (addr != (uint64_t)(uintptr_t)&j[i]->owner_ || now == before)
            continue;
        if ((before != 0 && now != 0) || !is_holder(thread, before | now))
            model_fail("word", "the journal's owner is 0x%llx after 0x%llx", now, before);
        else if (now != 0 && j[i]->used_ != 0)
            model_fail("word", "a journal with %llu bytes of records gets an owner", j[i]->used_,
                       0);
    }
}

static void finished(void)
{
    if (!region_has_deaths() && (j[0]->used_ != 0 || data[0][0] != *shadow(ENDED)))
        model_fail("word", "all are done, and %llu bytes of records are left", j[0]->used_, 0);
}

static HOOKS(hooks, .words = word_names, REGION_HOOKS(FAMILY_IPC_JOURNAL), .setup = setup,
             .act = act, .access = access, .killed = killed, .changed = changed,
             .finished = finished);

#define PROGRAM(...) SCRIPTED(hooks, __VA_ARGS__, .generic = true, .rechecks = true)
/* Two mutexes and two journals, and none is attached. */
#define APART .initial = 1

static const struct model_program programs[] = {
    PROGRAM("ipc-journal", "add | add"),
    PROGRAM("ipc-journal-kill", "add | add add", KILLS(1)),
    PROGRAM("ipc-journal-kill-two", "add | add | add", KILLS(2)),
    PROGRAM("ipc-journal-attach", "attach | attach", KILLS(1), APART),
    PROGRAM("ipc-journal-move", "attach other | attach", KILLS(1), APART,
            ABOUT("one attaches another one")),
    PROGRAM("ipc-journal-early", "early | attach", KILLS(1), APART,
            ABOUT("detached while there are records")),
    PROGRAM("ipc-journal-detach", "attach detach | claim", KILLS(1), APART, .immortal = 2,
            ABOUT("attached and detached; then another mutex gets it")),
    PROGRAM("ipc-journal-freed", "attach other | claim", KILLS(1), APART, .immortal = 2,
            ABOUT("one attaches another one; another mutex gets the first")),
    PROGRAM("ipc-journal-rivals", "lend | rival", KILLS(1), APART, ABOUT("two mutexes ask for it")),
    PROGRAM("ipc-journal-rivals-visit", "lend | rival | visit", KILLS(1), APART, BOUND(1, 0),
            ABOUT("the same, and a third one looks at the first mutex")),
};

GROUP(ipc_journal, "ipc-journal");
