/* SPDX-License-Identifier: MIT */
/* Locks of the C libraries: contract in decode.h. */
#include <linux/futex.h>
#include <string.h>

#include "decode.h"
#include "posix/inspect.h"

/* pthread_mutex_t of glibc on 64-bit machines; the drop-in's special ones are the same. */
enum { MUTEX_OWNER = 8, MUTEX_KIND = 16 };
enum { KIND_ROBUST = 16, KIND_INHERIT = 32, KIND_SHARED = 128, KIND_LIMIT = 1024 };
/* pthread_rwlock_t of glibc: fields behind the one that readers, and that writers wait on. */
enum { RW_READERS = 0, RW_WRITERS_FUTEX = 12, RW_PHASE_FUTEX = 8, RW_WRITER = 24, RW_SHARED = 28 };
enum { RW_READER_SHIFT = 3, RW_PHASE_MAX = 3 };
enum { MUSL_WORD = 4, MUSL_TYPE = 0, MUSL_BUSY = 16 };
enum { CONTENDED = 2 };

static unsigned command(const struct decode_question *q)
{
    return q->op & FUTEX_CMD_MASK;
}

static bool is_pi(const struct decode_question *q)
{
    return command(q) == FUTEX_LOCK_PI || command(q) == FUTEX_LOCK_PI2;
}

static void describe_mutex(struct decode_answer *a, int kind)
{
    static struct fw_stat_lock_ lock;
    char text[sizeof a->details + 8];

    lock.key = (uint64_t)(FW_STAT_MUTEX + 1) << FW_STAT_WHAT_SHIFT;
    if ((kind & KIND_ROBUST) != 0) /* glibc sets the bit in all of these */
        kind &= ~KIND_SHARED;
    lock.kind = kind;
    fw_inspect_kind_(&lock, text, sizeof text);
    strcpy(a->details, text + strlen("mutex"));
    a->is_shared = (kind & KIND_SHARED) != 0;
}

static void take_owner_word(struct decode_answer *a, uint32_t word)
{
    a->owner = (pid_t)(word & FUTEX_TID_MASK);
    a->is_dead = (word & FUTEX_OWNER_DIED) != 0;
}

/* False: the words there are no mutex. */
static bool glibc_mutex(const struct decode_question *q, struct decode_answer *a)
{
    uint32_t kind = 0, word = 0;

    if (!q->read(q->memory, q->word + MUTEX_KIND, &kind, sizeof kind) || kind >= KIND_LIMIT ||
        !q->read(q->memory, q->word, &word, sizeof word))
        return false;
    a->kind = DECODE_MUTEX;
    a->action = "to lock";
    a->names_owner = true;
    describe_mutex(a, (int)kind);
    if ((kind & (KIND_ROBUST | KIND_INHERIT)) != 0 || is_pi(q))
        take_owner_word(a, word);
    else if (word != 0)
        a->owner = (pid_t)decode_word32(q, q->word + MUTEX_OWNER);
    return true;
}

static uint64_t stack_word(const struct decode_question *q, size_t at)
{
    uint64_t word;

    memcpy(&word, q->stack + at, sizeof word);
    return word;
}

/*
 * The kernel sees a deadlock of mutexes that inherit priorities, or that the owner has ended, and
 * refuses to wait; the C library then waits forever on a word of its own.  Which mutex it was, is
 * in a register only.
 */
static bool refused_mutex(const struct decode_question *q, struct decode_answer *a)
{
    if (q->value != 0 || is_pi(q) || decode_word32(q, q->word) != 0)
        return false;
    a->kind = DECODE_MUTEX;
    a->action = "to lock";
    describe_mutex(a, KIND_INHERIT);
    a->object = 0;
    a->is_refused = true;
    return true;
}

/* In a program that was linked statically: the word of a robust one of glibc is aligned to 8. */
static bool looks_like_musl(const struct decode_question *q)
{
    return q->word % 8 == MUSL_WORD && (q->value & FUTEX_WAITERS) != 0;
}

static void musl_mutex(const struct decode_question *q, struct decode_answer *a)
{
    uint32_t word = decode_word32(q, q->word), type;

    a->object = q->word - MUSL_WORD;
    type = decode_word32(q, a->object + MUSL_TYPE);
    a->kind = DECODE_MUTEX;
    a->action = "to lock";
    a->names_owner = (type & 3) != 0;
    if (a->names_owner && (word & FUTEX_TID_MASK) != MUSL_BUSY)
        take_owner_word(a, word);
}

static void rwlock(const struct decode_question *q, enum decode_family f, struct decode_answer *a)
{
    uint32_t readers;

    a->kind = DECODE_RWLOCK;
    a->action = f == FAMILY_READ ? "to read" : "to write";
    if (q->is_musl) {
        a->object = q->word;
        return;
    }
    /* Of the three words to sleep on, one is not aligned to 8, and one has numbers above 3. */
    if (q->word % 8 != 0)
        a->object = q->word - RW_WRITERS_FUTEX;
    else if (q->value <= RW_PHASE_MAX)
        a->object = q->word - RW_PHASE_FUTEX;
    a->names_owner = true;
    a->owner = (pid_t)decode_word32(q, a->object + RW_WRITER);
    a->is_shared = (decode_word32(q, a->object + RW_SHARED) & 1) != 0;
    readers = decode_word32(q, a->object + RW_READERS) >> RW_READER_SHIFT;
    if (a->owner == 0)
        a->readers = readers;
}

/*
 * The clean-up of a cancelled wait has the variable's address and behind it the mutex's: the
 * variable begins up to 48 bytes before the word.
 */
static void cond(const struct decode_question *q, struct decode_answer *a)
{
    enum { LONGEST = 48, ARGUMENTS = 4096 };

    a->kind = DECODE_COND;
    a->action = "for a signal";
    for (size_t at = 0; at + 16 <= q->stack_size && at < ARGUMENTS; at += 8) {
        uint64_t object = stack_word(q, at), mutex = stack_word(q, at + 8);
        uint32_t kind = KIND_LIMIT;
        if (q->word - object >= LONGEST || object % 8 != 0 || mutex % 8 != 0 || mutex == 0 ||
            !q->read(q->memory, mutex + MUTEX_KIND, &kind, sizeof kind) || kind >= KIND_LIMIT)
            continue;
        a->object = object;
        a->mutex = mutex;
        return;
    }
}

/* Of a FILE, and of libc's own: the lock, a count, and which thread's descriptor has it. */
static bool libc_lock(const struct decode_question *q, struct decode_answer *a)
{
    /* A descriptor begins with its own address, and has it again; the id is at 720 since 2.34. */
    enum { OWNER = 8, SELF = 16, TID = 720 };
    uint64_t owner = decode_word64(q, q->word + OWNER);

    if (owner == 0 || decode_word64(q, owner) != owner || decode_word64(q, owner + SELF) != owner)
        return false;
    a->kind = DECODE_STREAM;
    a->action = "to lock";
    a->owner = (pid_t)decode_word32(q, owner + TID);
    a->names_owner = a->is_guess = true;
    return true;
}

static void simple(const struct decode_question *q, enum decode_family f, struct decode_answer *a)
{
    switch (f) {
    case FAMILY_SEM:
        a->kind = DECODE_SEM;
        a->action = "for a post";
        break;
    case FAMILY_BARRIER:
        a->kind = DECODE_BARRIER;
        a->action = "for the others";
        a->object = q->is_musl ? q->word : q->word - 4;
        break;
    case FAMILY_JOIN:
        a->kind = DECODE_THREAD;
        a->action = "for the end of";
        a->names_owner = !q->is_musl;
        a->owner = q->is_musl ? 0 : (pid_t)decode_word32(q, q->word);
        break;
    case FAMILY_ONCE:
        a->kind = DECODE_ONCE;
        a->action = "for the initialiser";
        break;
    case FAMILY_STREAM:
        if (!libc_lock(q, a)) {
            a->kind = DECODE_STREAM;
            a->action = "to lock";
        }
        break;
    default:
        break;
    }
}

/* A word on the waiter's own stack is no lock, but a record in somebody's queue. */
static bool is_on_stack(const struct decode_question *q)
{
    return q->word - q->sp < q->stack_size;
}

/* No call is known: what the operation, the value and the words look like. */
static void by_shape(const struct decode_question *q, struct decode_answer *a)
{
    uint32_t word = decode_word32(q, q->word);
    bool is_wait = command(q) == FUTEX_WAIT || command(q) == FUTEX_WAIT_BITSET;
    bool is_robust = q->value != 0 && is_wait && q->value == (word | FUTEX_WAITERS);

    if (is_pi(q) || is_robust) {
        a->action = "to lock";
        a->names_owner = a->is_guess = true;
        take_owner_word(a, word);
    } else if (is_wait && q->value == CONTENDED && word == CONTENDED && !is_on_stack(q) &&
               !libc_lock(q, a)) {
        a->is_guess = glibc_mutex(q, a) && a->owner != 0;
        if (!a->is_guess)
            *a = (struct decode_answer){
                .kind = DECODE_WORD, .action = "for a change", .object = q->word};
    }
}

void decode_posix(const struct decode_question *q, enum decode_family f, struct decode_answer *a)
{
    bool is_relock = f == FAMILY_COND && (command(q) == FUTEX_WAIT || is_pi(q));

    switch (f) {
    case FAMILY_MUTEX:
        if ((q->is_musl || looks_like_musl(q)) && !is_pi(q))
            musl_mutex(q, a);
        else if (!refused_mutex(q, a))
            glibc_mutex(q, a);
        break;
    case FAMILY_READ:
    case FAMILY_WRITE:
        rwlock(q, f, a);
        break;
    case FAMILY_COND:
        /* Woken, it waits for its mutex inside of the same call. */
        if (q->is_musl || !is_relock || !glibc_mutex(q, a))
            cond(q, a);
        break;
    case FAMILY_NONE:
        by_shape(q, a);
        break;
    default:
        simple(q, f, a);
    }
}
