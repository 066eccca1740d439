/* SPDX-License-Identifier: MIT */
/*
 * The programs for the table of a region of atomic objects: how it is made, and joined.  Each
 * thread is a process that has the memory, and joined regions of its own.
 *
 *   create  makes the table, or finds that there is one, and joins that
 *   large   the same, for larger objects
 *   join    joins the table if there is one; whoever has joined leaves it again
 *
 * One makes it, whoever dies over it; nobody else writes to the head meanwhile, and nobody at all
 * when it is made, and then it is whole.  Who finds a table finds it whole, or else that there is
 * none.  The plain stores of the maker are steps (subject/plain.c).
 */
#include <errno.h>
#include <stdio.h>

#include "../engine/report.h"
#include "atomic_script.h"
#include "ipc_atomic_calls.h"
#include "ipc_atomic_check.h"
#include "programs.h"
#include "script.h"
#include "sys/origin.h"

SCRIPT_WORDS(CREATE, LARGE, JOIN);

#define SMALLER 24u
#define LARGER 40u
#define SIZE (FW_IPC_ATOMIC_SPACE(LARGER) + 64)

/* MAKERS: how many were told that they made it.  CHECKSUM: of the table that was made. */
enum shadow { MAKERS, CHECKSUM };

#define WORD(name, field, bytes)                              \
    {                                                         \
        name, offsetof(struct fw_table_head_, field), (bytes) \
    }

static struct fw_table_head_ *head;

static void decode(uint64_t value, unsigned offset, unsigned size, char *text, size_t text_size)
{
    if (offset == offsetof(struct fw_table_head_, making) && size == 4)
        ipc_atomic_decode_word((uint32_t)value, text, text_size);
    else
        snprintf(text, text_size, "%llx", (unsigned long long)value);
}

static void setup(void)
{
    static const struct model_part parts[] = {WORD("making", making, 4),
                                              WORD("magic", magic, 8),
                                              WORD("version", version, 4),
                                              WORD("instructions", instructions, 4),
                                              WORD("size", size, 8),
                                              WORD("largest", largest, 8),
                                              WORD("stripes", stripes, 4),
                                              WORD("stripe size", stripe_size, 4),
                                              WORD("namespace", pid_namespace, 8),
                                              WORD("boot", boot, 8),
                                              WORD("checksum", checksum, 8),
                                              {NULL, 0, 0}};

    head = model_object("head", SIZE, parts, decode);
    atomic_script_begin(NULL);
}

/* Is all of it there? */
static bool is_whole(void)
{
    const char *begin = (const char *)&head->version;
    unsigned n = (unsigned)((const char *)&head->checksum - begin);

    return head->version == FW_TABLE_VERSION_ && head->size == SIZE &&
           (head->largest == SMALLER || head->largest == LARGER) &&
           head->stripes == FW_IPC_ATOMIC_STRIPES_ && head->pid_namespace == fw_pid_namespace_() &&
           head->boot == fw_boot_() && head->checksum == fw_hash_(FW_HASH_START_, begin, n);
}

static enum model_access access(const void *p)
{
    uintptr_t at = (uintptr_t)p - (uintptr_t)head;

    return at < SIZE ? ACCESS_STEP : ACCESS_DIRECT; /* else the process's own */
}

static void joined(unsigned self)
{
    report_remark(self, "has joined");
    if (head->magic == 0 || !is_whole())
        model_thread_fail("half made", "thread %llu has joined, and the table is not whole", self,
                          0);
    if (ipc_atomic_in_use()->leave(head) != 0)
        model_thread_fail("answer", "thread %llu does not get out of the region", self, 0);
}

static void join(unsigned self, bool is_there)
{
    int error = ipc_atomic_in_use()->join(head, SIZE);

    if (error == 0)
        joined(self);
    else if (is_there || error != ENOENT)
        model_thread_fail("half made", "thread %llu joins, and is answered %llu", self,
                          (uint64_t)error);
}

static void create(unsigned self, size_t largest)
{
    int error = ipc_atomic_in_use()->create(head, SIZE, largest);

    if (error == ETIMEDOUT && model_program->rechecks && !model_program->unmarked) {
        report_remark(self, "gives up");
        return;
    }
    if (error == EEXIST) {
        join(self, true);
        return;
    }
    if (error != 0)
        model_thread_fail("answer", "thread %llu makes it, and is answered %llu", self,
                          (uint64_t)error);
    if (++*shadow(MAKERS) > 1)
        model_thread_fail("exclusion", "thread %llu makes what is made", self, 0);
    joined(self);
}

static void thread(unsigned self)
{
    for (const unsigned *w = script_words[self]; *w != END; w++)
        if (*w == JOIN)
            join(self, false);
        else
            create(self, *w == LARGE ? LARGER : SMALLER);
}

static bool is_maker(unsigned thread)
{
    return (head->making & FW_ROBUST_OWNER) == SUBJECT_FIRST_TID + thread;
}

/* Of plain stores, which come when the thread runs on. */
static void stepped(unsigned thread)
{
    if (model_threads[thread].op.kind != OP_PLAIN)
        return;
    if (!is_maker(thread))
        model_fail("owner", "thread %llu writes to the head, and is not the maker", thread, 0);
    else if (head->magic != 0)
        model_fail("word", "thread %llu changes a table that is made", thread, 0);
}

static void changed(unsigned thread, uint64_t addr, uint64_t before)
{
    if (addr == (uint64_t)(uintptr_t)&head->making) {
        ipc_atomic_check_word(thread, (uint32_t)before, head->making);
        return;
    }
    if (addr != (uint64_t)(uintptr_t)&head->magic || before != 0 || !is_maker(thread))
        model_fail("word", "thread %llu changes what it must not", thread, 0);
    if (!is_whole())
        model_fail("half made", "thread %llu says that it is made, and it is not", thread, 0);
    *shadow(CHECKSUM) = head->checksum;
}

static void finished(void)
{
    uint64_t checksum = *shadow(CHECKSUM);

    if (model_shared.killed == 0 && (head->making & ~FW_ROBUST_WAITERS) != 0)
        model_fail("word", "all are done, and the lock is 0x%llx", head->making, 0);
    if (checksum != 0 && (checksum != head->checksum || !is_whole()))
        model_fail("word", "the table has changed since it was made", 0, 0);
}

extern uint8_t __start_model_region_variables[], __stop_model_region_variables[];

static const struct model_own *own(void)
{
    static struct model_own table[3];

    table[0] = script_own()[0];
    table[1] = (struct model_own){.begin = __start_model_region_variables,
                                  .end = __stop_model_region_variables};
    return table;
}

static HOOKS(hooks, .words = word_names, .setup = setup, .thread = thread, .own = own,
             .access = access, .stepped = stepped, .changed = changed, .finished = finished);

#define PROGRAM(...) SCRIPTED(hooks, __VA_ARGS__)

static const struct model_program programs[] = {
    PROGRAM("ipc-atomic-create", "create | create", KILLS(1)),
    PROGRAM("ipc-atomic-create-plans", "create | large", KILLS(1),
            ABOUT("two make it, for objects of other sizes")),
    PROGRAM("ipc-atomic-create-join", "create | join join", KILLS(1), .immortal = 2,
            ABOUT("one makes it, and may die; one only joins")),
    PROGRAM("ipc-atomic-create-three", "create | create | create", KILLS(2)),
    PROGRAM("ipc-atomic-create-unmarked", "create | create", KILLS(1), .unmarked = true,
            .rechecks = true, .is_patient = true, .budget.rechecks = 4),
    PROGRAM("ipc-atomic-create-late", "create | create", .rechecks = true,
            ABOUT("the maker is slow, and the other gives up")),
};

GROUP(ipc_table, "ipc-atomic");
