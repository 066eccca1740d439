/* SPDX-License-Identifier: MIT */
/*
 * The programs for the journal, which a mutex between processes has.
 *
 *   add    a section: counts two words up, one after the other, with a record of each
 *
 * Whoever gets the mutex finds the words equal, as they were before the section of one who died in
 * it, or as they are after it; and not as they were before one that has come to its end.
 */
#include <stdio.h>

#include "../engine/report.h"
#include "../memory.h"
#include "gates_script.h"
#include "ipc_ground.h"
#include "ipc_journal_calls.h"
#include "programs.h"

enum word { END, ADD, WORDS };
enum { DATA = 2 };

static const char *const names[WORDS] = {"", "add"};

/* INSIDE: thread + 1.  ENDED: sections that are. */
enum ghost { INSIDE, ENDED };

static fw_ipc_mutex *m;
static fw_ipc_journal *j;
static uint64_t *data;

static void setup(const void *arg)
{
    static const struct model_part parts[] = {{"used", 0, 8}, {NULL, 0, 0}};
    unsigned room = DATA * FW_IPC_JOURNAL_RECORD(8);

    ground_make(model_thread_count, true);
    m = model_object("m", sizeof *m, NULL, NULL);
    j = model_object("j", (unsigned)fw_ipc_journal_size(room), parts, NULL);
    data = model_object("data", 64, NULL, NULL); /* what an object takes at least */
    j->capacity_ = room;
    m->past_.journal_ = (uint64_t)((uintptr_t)j - (uintptr_t)model_memory);
    j->owner_ = (uint64_t)((uintptr_t)m - (uintptr_t)model_memory) << 8 | sizeof *m;
    gates_script_read(arg, names, WORDS);
}

static enum model_access access(const void *p)
{
    return p == (const void *)&m->past_.journal_ || p == (const void *)&j->capacity_ ||
                   p == (const void *)&j->owner_
               ? ACCESS_DIRECT
               : ground_access(p);
}

static uint64_t seen(unsigned self, unsigned i)
{
    return memory_read(self, (uint64_t)(uintptr_t)&data[i], 8);
}

static void check_data(unsigned self)
{
    if (model_shared.ghost[INSIDE] != 0)
        model_thread_fail("exclusion", "thread %llu is inside beside another", self, 0);
    for (unsigned i = 1; i < DATA; i++)
        if (seen(self, i) != seen(self, 0))
            model_thread_fail("half changed", "one word is %llu, another %llu", seen(self, 0),
                              seen(self, i));
    if (seen(self, 0) < model_shared.ghost[ENDED])
        model_thread_fail("lost update", "%llu sections have ended, and %llu are counted",
                          model_shared.ghost[ENDED], seen(self, 0));
}

static void add(unsigned self)
{
    static const fw_wait_policy blocks = {FW_WAIT_BLOCK, 0};
    int error = ipc_journal_in_use->lock(m, &blocks, NULL);

    if (error != 0)
        model_thread_fail("answer", "thread %llu is answered %llu", self, (uint64_t)error);
    report_remark(self, "is inside");
    check_data(self);
    model_shared.ghost[INSIDE] = self + 1;
    for (unsigned i = 0; i < DATA; i++) {
        if (ipc_journal_in_use->record(j, &data[i], sizeof *data) != 0)
            model_thread_fail("answer", "there is no room for a record", 0, 0);
        fw_store64_relaxed(&data[i], seen(self, i) + 1);
    }
    model_shared.ghost[INSIDE] = 0;
    if (ipc_journal_in_use->unlock(m) != 0)
        model_thread_fail("answer", "thread %llu may not unlock what it has", self, 0);
    model_shared.ghost[ENDED]++;
    report_remark(self, "has unlocked");
}

static void thread(unsigned self, const void *arg)
{
    (void)arg;
    ground_begin(self, &ipc_journal_in_use->ground);
    for (const unsigned *w = gates_words[self]; *w != END; w++)
        add(self);
}

static void killed(unsigned thread)
{
    if (model_shared.ghost[INSIDE] == thread + 1)
        model_shared.ghost[INSIDE] = 0;
}

static const struct model_own *own(void)
{
    return ipc_own(&ipc_journal_in_use->ground);
}

static void finished(void)
{
    if (!ground_has_deaths() && (j->used_ != 0 || data[0] != model_shared.ghost[ENDED]))
        model_fail("word", "all are done, and %llu bytes of records are left", j->used_, 0);
}

#define PROGRAM(called, what, n, deaths, ...)                                              \
    {                                                                                      \
        .name = called, .about = what, .threads = n, .generic = true, .naps = true,        \
        .budget = {.kills = (deaths)}, .setup = setup, .thread = thread, .killed = killed, \
        .changed = ground_changed, .finished = finished, .own = own, .access = access,     \
        .arg = GATES_SCRIPT(__VA_ARGS__)                                                   \
    }

static const struct model_program programs[] = {
    PROGRAM("ipc-journal", "two change two words; nobody dies", 2, 0, "add", "add"),
    PROGRAM("ipc-journal-kill", "the same; one may die", 2, 1, "add", "add add"),
    PROGRAM("ipc-journal-kill-two", "three change two words; two may die", 3, 2, "add", "add",
            "add"),
};

const struct program_group ipc_journal_programs = {"ipc-journal", programs,
                                                   sizeof programs / sizeof *programs};
