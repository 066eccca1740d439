/* SPDX-License-Identifier: MIT */
/*
 * The programs for the lock of a wait-queue bucket (src/core/bucket_lock.c), with the
 * kernel's futexes
 * that inherit priority (fifo.c).
 *
 *   lock    takes it, runs inside, releases it
 *   turn    sleeps until its turn, which comes at any later moment
 *   spin    runs until somebody has said `done`
 *   done    says so
 *
 * Threads of priority 0 are ordinary ones.  One is inside at a time; nobody is forgotten; and a
 * thread that spins on the CPU of the one that is inside does not keep out one that is more urgent.
 */
#include <inttypes.h>
#include <stdio.h>

#include "../cpus.h"
#include "../engine/report.h"
#include "../subject/robust.h"
#include "../subject/subject.h"
#include "programs.h"
#include "script.h"
#include "thread_calls.h"

SCRIPT_WORDS(LOCK, TURN, SPIN, DONE);

/* INSIDE: thread + 1. */
enum shadow { INSIDE, COUNT, SECTIONS };

static struct fw_bucket_lock_ *l;
static uint32_t *is_done;

static void decode(uint64_t value, unsigned offset, unsigned size, char *text, size_t bucket)
{
    uint32_t owner = (uint32_t)value & FW_ROBUST_OWNER;

    (void)size;
    if (offset != 0 || owner < SUBJECT_FIRST_TID)
        snprintf(text, bucket, "%" PRIu32, (uint32_t)value);
    else
        snprintf(text, bucket, "%c%s", (int)('A' + owner - SUBJECT_FIRST_TID),
                 ((uint32_t)value & FW_ROBUST_WAITERS) != 0 ? ", WAITERS" : "");
}

static void setup(void)
{
    static const struct model_part parts[] = {{"owner", 0, 4}, {"calls", 4, 4}, {NULL, 0, 0}};

    l = model_object("bucket", sizeof *l, parts, decode);
    is_done = model_object("done", 8, NULL, NULL);
}

static void section(unsigned self)
{
    uint64_t count;

    bucket_in_use()->lock(l);
    if (*shadow(INSIDE) != 0)
        model_thread_fail("exclusion", "thread %llu comes in, and thread %llu is inside", self,
                          *shadow(INSIDE) - 1);
    *shadow(INSIDE) = self + 1;
    count = *shadow(COUNT);
    model_op(OP_NOTE, NULL, 0, 0, 0, 0, 0);
    *shadow(COUNT) = count + 1;
    ++*shadow(SECTIONS);
    *shadow(INSIDE) = 0;
    bucket_in_use()->unlock(l);
}

static void act(unsigned self, unsigned w)
{
    switch (w) {
    case LOCK:
        section(self);
        break;
    case TURN:
        model_op(OP_SLEEP, NULL, 0, 0, 0, 0, 0);
        break;
    case SPIN:
        while (fw_load32_relaxed(is_done) == 0)
            ;
        break;
    default:
        fw_store32_relaxed(is_done, 1);
    }
}

/* BKT1.  An urgent one may snatch, in the kernel, what was handed over to a less urgent one. */
static void changed(unsigned self, uint64_t addr, uint64_t before)
{
    uint32_t was = (uint32_t)before & FW_ROBUST_OWNER;
    uint32_t is = l->owner & FW_ROBUST_OWNER;

    if (addr == (uint64_t)(uintptr_t)&l->owner && was != is && was != 0 &&
        was != SUBJECT_FIRST_TID + self && model_threads[self].priority == 0)
        model_fail("word", "thread %llu takes what thread %llu has", self, was - SUBJECT_FIRST_TID);
}

static void finished(void)
{
    if (l->owner != 0)
        model_fail("word", "all are done, and the word is 0x%llx", l->owner, 0);
    if (*shadow(COUNT) != *shadow(SECTIONS))
        model_fail("lost update", "%llu of %llu sections have counted", *shadow(COUNT),
                   *shadow(SECTIONS));
}

/* Each on a CPU of its own, so that all run at once: ordinary ones, then urgent ones, or mixed. */
static const struct model_task ordinary[] = {{0, 0}, {0, 1}, {0, 2}};
static const struct model_task urgent[] = {{10, 0}, {20, 1}, {30, 2}};
static const struct model_task mixed[] = {{0, 0}, {0, 1}, {20, 2}};
static const struct model_task two_urgent[] = {{0, 0}, {10, 1}, {20, 2}};

/* On one CPU: who is inside, who runs on and on, and who wants to come in. */
static const struct model_task one_cpu[] = {{0, 0}, {10, 0}, {20, 0}};
static const struct model_task one_cpu_low[] = {{5, 0}, {10, 0}, {20, 0}};

static HOOKS(hooks, .words = word_names, .setup = setup, .act = act, .own = script_own,
             .changed = changed, .finished = finished);

#define PROGRAM(...) SCRIPTED(hooks, __VA_ARGS__, .assist = ASSIST_NO, .time_passes = true)

static const struct model_program programs[] = {
    PROGRAM("bucket", "lock | lock", .tasks = ordinary),
    PROGRAM("bucket-three", "lock | lock | lock", .tasks = ordinary),
    PROGRAM("bucket-twice", "lock lock | lock lock", .tasks = ordinary),
    PROGRAM("bucket-spurious", "lock | lock", .tasks = ordinary, INTERRUPTED,
            ABOUT("a sleep that ends by itself, and one by a signal")),
    PROGRAM("bucket-urgent", "lock | lock | lock", .tasks = urgent, ABOUT("all of them lend")),
    PROGRAM("bucket-mixed-two", "lock | lock | lock", .tasks = two_urgent,
            ABOUT("two of three lend")),
    PROGRAM("bucket-signal", "lock | lock | lock", .tasks = mixed, .budget = {.eintr = 1},
            ABOUT("one of three lends, and may be interrupted")),
    PROGRAM("bucket-inversion", "lock | turn spin | turn lock done", .tasks = one_cpu,
            ABOUT("who is inside has lost its CPU to one that runs on and on")),
    PROGRAM("bucket-inversion-low", "lock | turn spin | turn lock done", .tasks = one_cpu_low,
            ABOUT("the same with a real-time thread inside")),
    PROGRAM("bucket-inversion-back", "lock lock | turn spin | turn lock lock done",
            .tasks = one_cpu_low, ABOUT("the same, and it comes back before the other is done")),
};

GROUP(bucket, "bucket");
