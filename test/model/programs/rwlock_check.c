/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stdio.h>

#include "../buckets.h"
#include "../engine/report.h"
#include "../memory.h"
#include "../subject/subject.h"
#include "rwlock_check.h"
#include "script.h"
#include "thread/rwlock_queue.h"
#include "thread/rwlock_word.h"

enum shadow {
    MODES,   /* a byte per thread: enum rwlock_mode */
    NEXT,    /* a byte per thread: the mode after its next change of the word, + 1; 0: none */
    VERSION, /* how often somebody began to write */
    SEEN,    /* a byte per thread: the version that it saw when it got the lock */
    GONE,    /* bit per thread: it will not use the lock any more */
    LINED_UP /* bit per thread: it is queued, and the word says so */
};

static fw_rwlock *lock;

static const struct model_part parts[] = {{"state", 0, 8}, {"line", 8, 8}, {NULL, 0, 0}};

static unsigned byte_of(enum shadow g, unsigned thread)
{
    return (unsigned)(*shadow(g) >> 8 * thread & 0xff);
}

static void set_byte(enum shadow g, unsigned thread, uint64_t v)
{
    *shadow(g) &= ~(UINT64_C(0xff) << 8 * thread);
    *shadow(g) |= v << 8 * thread;
}

/* --- Readable words ------------------------------------------------------------------------- */

static int print_owner(uint32_t id, char *text, size_t bucket)
{
    unsigned number = id >> FW_ID_SHIFT;

    if (id == 0)
        return snprintf(text, bucket, "-");
    if (number >= SUBJECT_FIRST_TID && number < SUBJECT_FIRST_TID + MODEL_MAX_THREADS)
        return snprintf(text, bucket, "%c", 'A' + (int)(number - SUBJECT_FIRST_TID));
    return snprintf(text, bucket, "tid %u", number);
}

static void decode(uint64_t w, unsigned offset, unsigned size, char *text, size_t bucket)
{
    int n;

    if (offset != 0 || size != 8) {
        snprintf(text, bucket, "0x%" PRIx64, w);
        return;
    }
    n = print_owner(rw_owner(w), text, bucket);
    snprintf(text + n, bucket - (size_t)n, " %u reading%s%s%s%s%s%s",
             (unsigned)((w & RW_READERS) / RW_READER), rw_has_writer(w) ? " WRITER" : "",
             rw_has_upgradable(w) ? " UPGRADABLE" : "", (w & RW_CLOSED) != 0 ? " CLOSED" : "",
             rw_has_waiters(w) ? " WAITERS" : "", rw_wake_is_under_way(w) ? " WAKING" : "",
             (w & RW_COMING) != 0 ? " COMING" : "");
}

fw_rwlock *rwlock_check_setup(fw_rwlock_kind kind, uint64_t state, uint64_t line)
{
    lock = model_object("l", sizeof *lock, parts, decode);
    lock->state_ = state;
    lock->queue_ = line | kind;
    return lock;
}

/* --- Who is queued --------------------------------------------------------------------- */

static bool is_lined_up(const struct rw_waiter *p)
{
    unsigned thread = (p->id >> FW_ID_SHIFT) - SUBJECT_FIRST_TID;

    return (*shadow(LINED_UP) >> thread & 1) != 0;
}

/* How many want that, of those who have made it known. */
static unsigned in_line(enum rw_want want)
{
    unsigned n = 0;

    for (const struct rw_waiter *p = rw_first_in(&buckets_only()->bucket, lock); p != NULL;
         p = rw_next_to(p))
        n += p->want == want && is_lined_up(p);
    return n;
}

static bool has_place(unsigned thread)
{
    for (const struct rw_waiter *p = rw_first_in(&buckets_only()->bucket, lock); p != NULL;
         p = rw_next_to(p))
        if (p->id == subject_id(thread))
            return true;
    return false;
}

static bool is_inside(unsigned thread)
{
    return memory_read(thread, (uint64_t)(uintptr_t)&buckets_only()->inside, 8) == thread + 1;
}

/* --- Every change of the word --------------------------------------------------------------- */

static unsigned readers(fw_rw_word_ w)
{
    return (unsigned)((w & RW_READERS) / RW_READER);
}

/* RW9, of the next writer, which has the turn after the readers; or one that is awake comes. */
static void check_next(fw_rw_word_ w)
{
    bool next = queue_has_next(lock->queue_);

    if (queue_kind(lock->queue_) != FW_RWLOCK_GREEDY || buckets_only()->inside != 0 ||
        rw_first_in(&buckets_only()->bucket, lock) == NULL) /* as it may be after a fork */
        return;
    if (next && (w & RW_CLOSED) == 0)
        model_fail("next", "a writer is next, and readers are not kept out", 0, 0);
    if (next && in_line(RW_WRITE) == 0)
        model_fail("next", "a writer is next, and none is queued", 0, 0);
    if (!next && rw_is_shared(w) && in_line(RW_WRITE) > 0 &&
        (queue_has_upgrader(lock->queue_) ||
         (!queue_has_awake_writer(lock->queue_) && !queue_has_coming(lock->queue_))))
        model_fail("next", "%llu want to write: none of them is next, and none comes",
                   in_line(RW_WRITE), 0);
}

/* In a greedy lock it is only the next writer that is not passed, until it gives up. */
static bool has_turn_after_readers(fw_rw_word_ before, unsigned kind)
{
    return in_line(RW_WRITE) > 0 && (kind != FW_RWLOCK_GREEDY ||
                                     (queue_has_next(lock->queue_) && (before & RW_CLOSED) != 0));
}

static void check_phases(fw_rw_word_ before, fw_rw_word_ after)
{
    unsigned kind = queue_kind(lock->queue_);
    unsigned waiting = in_line(RW_READ);

    if (kind == FW_RWLOCK_PREFER_READERS)
        return;
    if (readers(after) > readers(before) && has_turn_after_readers(before, kind) &&
        !rw_has_writer(before) &&
        !(kind == FW_RWLOCK_FAIR && rw_is_free(before) && !rw_wake_is_under_way(before)) &&
        !rw_has_upgradable(before))
        model_fail("overtaken", "a reader is let past a writer: %llu read, %llu write in the queue",
                   readers(after), in_line(RW_WRITE));
    if ((kind == FW_RWLOCK_FAIR || kind == FW_RWLOCK_GREEDY) && rw_has_writer(before) &&
        !rw_has_writer(after) && readers(after) < waiting)
        model_fail("overtaken", "a writer leaves, %llu wait to read, and %llu are let in", waiting,
                   readers(after));
    if (rw_is_shared(before) && rw_is_free(after) && has_turn_after_readers(before, kind))
        model_fail("overtaken", "the last reader leaves, and hands the lock to no writer", 0, 0);
    if (kind == FW_RWLOCK_PREFER_WRITERS && rw_has_writer(before) && readers(after) > 1 &&
        in_line(RW_WRITE) > 0)
        model_fail("overtaken", "%llu read, and %llu want to write", readers(after),
                   in_line(RW_WRITE));
}

/* Handed to a writer: no other writer that sleeps in the queue is more urgent. */
static void check_heir(unsigned thread, fw_rw_word_ after)
{
    unsigned receiver = (rw_owner(after) >> FW_ID_SHIFT) - SUBJECT_FIRST_TID;

    if (model_program->tasks == NULL || !rw_has_writer(after) || receiver == thread)
        return;
    for (const struct rw_waiter *p = rw_first_in(&buckets_only()->bucket, lock); p != NULL;
         p = rw_next_to(p)) {
        unsigned other = (p->id >> FW_ID_SHIFT) - SUBJECT_FIRST_TID;

        if (p->want == RW_WRITE && model_threads[other].status == THREAD_ASLEEP &&
            model_threads[other].priority > model_threads[receiver].priority)
            model_fail("order", "thread %llu is handed the lock before thread %llu", receiver,
                       other);
    }
}

static void check_word(unsigned thread, fw_rw_word_ before, fw_rw_word_ after)
{
    if (rw_has_writer(after) && (readers(after) > 0 || rw_has_upgradable(after)))
        model_fail("word", "somebody writes, and others read: 0x%llx", after, 0);
    if (((before ^ after) & RW_QUEUE_FLAGS) != 0 && !is_inside(thread))
        model_fail("word", "thread %llu changes flags outside of the bucket", thread, 0);
    if (rw_is_free(after) && rw_owner(after) != 0)
        model_fail("word", "nobody has the lock, and it has an owner: 0x%llx", after, 0);
}

void rwlock_check_changed(unsigned thread, uint64_t addr, uint64_t before)
{
    fw_rw_word_ after = lock->state_;

    if (addr != (uint64_t)(uintptr_t)&lock->state_)
        return;
    if (byte_of(NEXT, thread) != 0) { /* its release, or the like, is visible */
        set_byte(MODES, thread, byte_of(NEXT, thread) - 1);
        set_byte(NEXT, thread, 0);
    }
    if (before != after) {
        check_word(thread, before, after);
        check_phases(before, after);
        check_next(after);
        check_heir(thread, after);
    }
    if (is_inside(thread) && has_place(thread))
        *shadow(LINED_UP) |= model_bit(thread);
}

/* --- What the callers see ------------------------------------------------------------------- */

static void check_exclusion(unsigned self, enum rwlock_mode mode)
{
    for (unsigned i = 0; i < model_thread_count; i++) {
        enum rwlock_mode other = (enum rwlock_mode)byte_of(MODES, i);

        if (i == self || other == RWLOCK_NONE)
            continue;
        if (mode == RWLOCK_WRITES || other == RWLOCK_WRITES ||
            (mode == RWLOCK_UPREADS && other == RWLOCK_UPREADS))
            model_thread_fail("exclusion", "threads %llu and %llu have the lock", i, self);
    }
}

void rwlock_check_back(unsigned self)
{
    *shadow(LINED_UP) &= ~model_bit(self);
}

void rwlock_check_has(unsigned self, enum rwlock_mode mode)
{
    static const char *const names[] = {"", "reads", "reads upgradable", "writes"};
    enum rwlock_mode had = (enum rwlock_mode)byte_of(MODES, self);

    rwlock_check_back(self);
    report_remark(self, names[mode]);
    check_exclusion(self, mode);
    if (had != RWLOCK_NONE && byte_of(SEEN, self) != *shadow(VERSION))
        model_thread_fail("exclusion", "thread %llu changed modes, and another wrote meanwhile",
                          self, 0);
    if (mode == RWLOCK_WRITES)
        ++*shadow(VERSION);
    set_byte(MODES, self, mode);
    set_byte(SEEN, self, *shadow(VERSION));
}

void rwlock_check_changes(unsigned self, enum rwlock_mode mode)
{
    if (byte_of(SEEN, self) != *shadow(VERSION))
        model_thread_fail("exclusion", "somebody wrote while thread %llu had the lock", self, 0);
    set_byte(NEXT, self, mode + 1u);
}

enum rwlock_mode rwlock_check_mode(unsigned self)
{
    return (enum rwlock_mode)byte_of(MODES, self);
}

bool rwlock_check_is_last(unsigned self)
{
    return script_is_last(self, GONE);
}

void rwlock_check_finished(void)
{
    buckets_check_empty();
    if (script_is_freed(lock))
        return;
    if (lock->state_ != 0)
        model_fail("word", "all threads are done, and the word is 0x%llx", lock->state_, 0);
    if ((lock->queue_ & ~QUEUE_KIND) != 0)
        model_fail("word", "all threads are done, and the second word is 0x%llx", lock->queue_, 0);
}
