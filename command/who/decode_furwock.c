/* SPDX-License-Identifier: MIT */
/* furwock's own locks, and those of its drop-in: contract in decode.h. */
#include <stddef.h>
#include <string.h>

#include "decode.h"
#include "posix/inspect.h"
#include "thread/inspect.h"

/* Of the drop-in: pthread_mutex_t and pthread_rwlock_t. */
enum { PTHREAD_KIND = 16, PTHREAD_SITE = 24, PTHREAD_RWLOCK = 40, PTHREAD_WRITER = 24 };
enum { KIND_SPECIAL = 16 | 32 | 64 | 128, KIND_LIMIT = 1024 };

/* (An alias, of a thread after a fork, means what the other process knows.) */
static void take_owner(struct decode_answer *a, uint32_t id)
{
    uint32_t number = id >> FW_ID_SHIFT;

    a->owner = number < FW_ID_ALIAS ? (pid_t)number : 0;
    a->task = decode_task(id);
}

unsigned decode_task(uint32_t id)
{
    return fw_id_is_task_(id) ? (id >> FW_ID_SHIFT) - FW_ID_ALIAS : 0;
}

static bool is_of_waiter(const struct decode_question *q, uint32_t id)
{
    return id == ((uint32_t)q->waiter << FW_ID_SHIFT | FW_ID_HELD) ||
           id == (FW_ID_ALIAS << FW_ID_SHIFT | FW_ID_HELD) || fw_id_is_task_(id);
}

/* --- Mutexes ---------------------------------------------------------------------------------- */

static void mutex_at(const struct decode_question *q, uint64_t object, struct decode_answer *a)
{
    fw_mutex_word_ w = decode_word64(q, object);

    a->kind = DECODE_MUTEX;
    a->action = "to lock";
    a->object = object;
    a->names_owner = true;
    if (!is_being_handed_off(w))
        take_owner(a, owner_half(w));
}

/* It sleeps on the upper half; on the lower while the lock is handed over. */
static uint64_t mutex_of(const struct decode_question *q)
{
    return q->word & ~UINT64_C(7);
}

/*
 * A thread that acts as a task has the task's id beside the mutex's address, in its record on the
 * stack.
 */
static void find_actor(const struct decode_question *q, struct decode_answer *a)
{
    struct {
        uint64_t mutex;
        uint32_t id;
    } record;

    for (size_t at = 0; at + sizeof record <= q->stack_size; at += _Alignof(uint64_t)) {
        memcpy(&record, q->stack + at, sizeof record);
        if (record.mutex == a->object && fw_id_is_task_(record.id))
            a->acts_as = decode_task(record.id);
    }
}

/* pthread_mutex_t of the drop-in, of a kind that is an fw_mutex. */
static bool plain_mutex(const struct decode_question *q, struct decode_answer *a)
{
    uint64_t object = mutex_of(q);
    uint32_t kind = KIND_LIMIT;

    if (!q->read(q->memory, object + PTHREAD_KIND, &kind, sizeof kind) || kind >= KIND_LIMIT ||
        (kind & KIND_SPECIAL) != 0)
        return false;
    mutex_at(q, object, a);
    a->taken_at = decode_word64(q, object + PTHREAD_SITE);
    return true;
}

/* --- Read-write locks ------------------------------------------------------------------------- */

static void rwlock_at(const struct decode_question *q, uint64_t object, uint32_t want,
                      struct decode_answer *a)
{
    static const char *const actions[] = {[RW_READ] = "to read",
                                          [RW_WRITE] = "to write",
                                          [RW_UPREAD] = "to read, upgradable",
                                          [RW_UPGRADE] = "to upgrade"};
    fw_rw_word_ w = decode_word64(q, object);
    unsigned readers = (unsigned)((w & RW_READERS) / RW_READER);

    a->kind = DECODE_RWLOCK;
    a->object = object;
    a->action = want <= RW_UPGRADE ? actions[want] : "to lock";
    a->names_owner = true;
    if (!rw_is_free(w))
        take_owner(a, rw_owner(w));
    a->readers = readers;
    if (rw_owner(w) != 0 && readers != 0 && !rw_has_upgradable(w))
        a->readers--; /* one of them has left its name */
}

/* A queued thread's record, on its stack: the state, whom it is of, and what it wants. */
static bool read_waiter(const struct decode_question *q, const struct rw_waiter *w,
                        struct decode_answer *a)
{
    if (w->state != RW_ASLEEP || !is_of_waiter(q, w->id) || w->want > RW_UPGRADE ||
        w->node.object == NULL)
        return false;
    rwlock_at(q, (uint64_t)(uintptr_t)w->node.object, w->want, a);
    a->acts_as = decode_task(w->id);
    return true;
}

static bool rwlock(const struct decode_question *q, struct decode_answer *a)
{
    struct rw_waiter w;

    if (q->read(q->memory, q->word - offsetof(struct rw_waiter, state), &w, sizeof w) &&
        read_waiter(q, &w, a))
        return true;
    for (size_t at = 0; at + sizeof w <= q->stack_size; at += _Alignof(struct rw_waiter)) {
        memcpy(&w, q->stack + at, sizeof w);
        if (read_waiter(q, &w, a))
            return true;
    }
    return false;
}

/* pthread_rwlock_t of the drop-in between processes: readers, then who waits and WRITER. */
static void shared_rwlock(const struct decode_question *q, enum decode_family f,
                          struct decode_answer *a)
{
    a->kind = DECODE_RWLOCK;
    a->action = f == FAMILY_READ ? "to read" : "to write";
    a->object = q->word - 4;
    a->names_owner = a->is_shared = true;
    a->owner = (pid_t)decode_word32(q, a->object + PTHREAD_WRITER);
    if (a->owner == 0)
        a->readers = decode_word32(q, a->object);
}

static void brlock(const struct decode_question *q, struct decode_answer *a)
{
    uint32_t owner = decode_word32(q, q->word);

    a->kind = DECODE_BRLOCK;
    a->action = "to lock";
    if ((owner & FW_ID_HELD) == 0 || owner >> FW_ID_SHIFT == 0)
        return; /* a writer that waits for readers, on a counter of theirs */
    a->action = "to read";
    a->names_owner = true;
    take_owner(a, owner & ~BRLOCK_SLEEPERS);
}

/* --- Condition variables ---------------------------------------------------------------------- */

static bool cond_waiter(const struct decode_question *q, const struct waiter *w,
                        struct decode_answer *a)
{
    uint64_t c = (uint64_t)(uintptr_t)w->c;

    if (c == 0 || c != (uint64_t)(uintptr_t)w->node.object || w->state > MOVED)
        return false;
    if (w->state == MOVED && w->m != NULL) { /* signalled, and moved to the mutex */
        mutex_at(q, (uint64_t)(uintptr_t)w->m, a);
        return true;
    }
    a->object = c;
    a->mutex = (uint64_t)(uintptr_t)w->m;
    return true;
}

static void cond(const struct decode_question *q, struct decode_answer *a)
{
    struct waiter w;

    a->kind = DECODE_COND;
    a->action = "for a signal";
    if (q->read(q->memory, q->word - offsetof(struct waiter, state), &w, sizeof w) &&
        ((const uint8_t *)&w)[offsetof(struct waiter, is_single)] == 1 && cond_waiter(q, &w, a))
        return;
    for (size_t at = 0; at + sizeof w <= q->stack_size; at += _Alignof(struct waiter)) {
        memcpy(&w, q->stack + at, sizeof w);
        if ((uint64_t)(uintptr_t)w.c == q->word && cond_waiter(q, &w, a))
            return;
    }
}

/* --- All -------------------------------------------------------------------------------------- */

static void once(const struct decode_question *q, struct decode_answer *a)
{
    uint32_t w = decode_word32(q, q->word);

    a->kind = DECODE_ONCE;
    a->action = "for the initialiser";
    a->names_owner = true;
    if ((w & FW_ID_HELD) != 0)
        take_owner(a, w);
}

static void simple(const struct decode_question *q, enum decode_family f, struct decode_answer *a)
{
    static const struct {
        enum decode_family family;
        enum decode_kind kind;
        const char *action;
    } kinds[] = {
        {FAMILY_FW_SEM, DECODE_SEM, "for a post"},
        {FAMILY_FW_EVENT, DECODE_EVENT, "for a set"},
        {FAMILY_FW_LATCH, DECODE_LATCH, "for the count"},
        {FAMILY_FW_BARRIER, DECODE_BARRIER, "for the others"},
        {FAMILY_FW_REGION, DECODE_REGION, "for a region object"},
    };

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i].family == f) {
            a->kind = kinds[i].kind;
            a->action = kinds[i].action;
        }
    if (f != FAMILY_FW_LATCH && f != FAMILY_FW_REGION)
        a->object = q->word & ~UINT64_C(7);
}

/* What pthread_* calls come to in a program on the drop-in. */
static bool drop_in(const struct decode_question *q, enum decode_family f, struct decode_answer *a)
{
    switch (f) {
    case FAMILY_MUTEX:
    case FAMILY_FW_MUTEX:
        return plain_mutex(q, a);
    case FAMILY_READ:
    case FAMILY_WRITE:
    case FAMILY_FW_RWLOCK:
        if (rwlock(q, a))
            a->object -= PTHREAD_RWLOCK;
        else
            shared_rwlock(q, f, a);
        return true;
    case FAMILY_COND:
        if (decode_family_of(q->caller) == FAMILY_COND && plain_mutex(q, a))
            return true;
        cond(q, a);
        return true;
    case FAMILY_SEM:
        simple(q, FAMILY_FW_SEM, a);
        return true;
    default:
        return false;
    }
}

bool decode_furwock(const struct decode_question *q, enum decode_family f, struct decode_answer *a)
{
    a->maker = DECODE_FURWOCK;
    if (q->has_drop_in && drop_in(q, f, a))
        return true;
    if (f == FAMILY_FW_MUTEX) {
        mutex_at(q, mutex_of(q), a);
        find_actor(q, a);
    } else if (f == FAMILY_FW_RWLOCK)
        rwlock(q, a);
    else if (f == FAMILY_FW_BRLOCK)
        brlock(q, a);
    else if (f == FAMILY_FW_COND)
        cond(q, a);
    else if (f == FAMILY_FW_ONCE)
        once(q, a);
    else if (f >= FAMILY_FW_SEM && f <= FAMILY_FW_REGION)
        simple(q, f, a);
    else
        a->maker = DECODE_LIBC;
    return a->maker == DECODE_FURWOCK;
}

void decode_operation(const struct decode_question *q, enum decode_family f, unsigned want,
                      struct decode_answer *a)
{
    a->maker = DECODE_FURWOCK;
    if (f == FAMILY_FW_MUTEX)
        mutex_at(q, q->word, a);
    else if (f == FAMILY_FW_RWLOCK)
        rwlock_at(q, q->word, want, a);
    else if (f == FAMILY_FW_COND)
        *a = (struct decode_answer){.kind = DECODE_COND, .action = "for a signal"};
    else
        simple(q, f, a);
    a->maker = DECODE_FURWOCK;
    a->object = q->word;
}
