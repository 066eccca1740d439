/* SPDX-License-Identifier: MIT */
#ifndef FW_COMMAND_WHO_DECODE_H
#define FW_COMMAND_WHO_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * What a thread waits for that sleeps on a futex.
 *
 * The call on its stack decides the kind of the object; the operation and the expected value narrow
 * it down, and decide alone where no call is known; the object's own words have the last say: a
 * mutex whose kind makes no sense is called a futex word.  Reads memory by a function, so that one
 * decoder serves living processes, cores and recorded cases.
 */
struct decode_question {
    bool (*read)(const void *memory, uint64_t address, void *bytes, size_t size);
    const void *memory;
    uint64_t word; /* the futex's address */
    unsigned op;   /* FUTEX_*, with its flags */
    uint32_t value;
    const char *call;   /* the innermost call of a lock that the stack has; NULL: none is known */
    const char *caller; /* the next one outwards; NULL */
    bool is_musl, has_drop_in;
    pid_t waiter;         /* the waiting thread, in its own pid namespace */
    const uint8_t *stack; /* from the stack pointer on */
    size_t stack_size;
    uint64_t sp;
};

enum decode_kind {
    DECODE_WORD, /* a futex word, of which no more is known */
    DECODE_MUTEX,
    DECODE_RWLOCK,
    DECODE_BRLOCK,
    DECODE_COND,
    DECODE_SEM,
    DECODE_BARRIER,
    DECODE_EVENT,
    DECODE_LATCH,
    DECODE_ONCE,
    DECODE_THREAD, /* its end */
    DECODE_STREAM, /* the lock of a FILE, or another one inside of the C library */
    DECODE_REGION, /* an object in a furwock region, which says more itself */
    DECODE_KINDS
};

/* Whose object it is. */
enum decode_maker { DECODE_LIBC, DECODE_FURWOCK, DECODE_RUST, DECODE_PARKING_LOT };

struct decode_answer {
    enum decode_kind kind;
    enum decode_maker maker;
    const char *action; /* "to lock", "to read", "for a signal" ... */
    char details[48];   /* ", recursive, robust" */
    uint64_t object;    /* its address; 0: not known */
    uint64_t mutex;     /* that goes with a condition; 0: not known */
    pid_t owner;        /* in the waiter's pid namespace; 0: nobody, or not known */
    unsigned task;      /* the owner is no thread, but a task (furwock/await.h); 0: it is not */
    unsigned acts_as;   /* the waiter waits as that task; 0: as itself, or it is not known */
    bool names_owner;   /* the kind has a field for it */
    bool is_dead;       /* the kernel has marked the owner as dead */
    unsigned readers;   /* that hold it, and of whom the lock says no more */
    bool is_shared;     /* between processes, by the object's own word */
    bool is_refused;    /* by the kernel: it would have been a deadlock, or the owner has ended */
    bool is_guess;      /* by the shape only: the owner must be a living thread */
    uint64_t taken_at;  /* where the owner took it: the address that it returns to; 0: not known */
};

void decode(const struct decode_question *q, struct decode_answer *a);

/* The number of a task, of what a word has for it; 0: it is none. */
unsigned decode_task(uint32_t id);

extern const char *const decode_kinds[DECODE_KINDS];

/*
 * Is that the name of a function that waits for a lock?  Leading underscores and what symbols have
 * for versions do not count.
 */
bool decode_is_call(const char *name);

/* --- Between decode.c and its parts ----------------------------------------------------------- */

enum decode_family {
    FAMILY_NONE,
    FAMILY_MUTEX,
    FAMILY_READ,
    FAMILY_WRITE,
    FAMILY_COND,
    FAMILY_SEM,
    FAMILY_BARRIER,
    FAMILY_JOIN,
    FAMILY_ONCE,
    FAMILY_STREAM,
    FAMILY_FW_MUTEX,
    FAMILY_FW_RWLOCK,
    FAMILY_FW_BRLOCK,
    FAMILY_FW_COND,
    FAMILY_FW_SEM,
    FAMILY_FW_EVENT,
    FAMILY_FW_LATCH,
    FAMILY_FW_BARRIER,
    FAMILY_FW_ONCE,
    FAMILY_FW_REGION,
    FAMILY_RUST_MUTEX,
    FAMILY_RUST_RWLOCK,
    FAMILY_RUST_COND,
    FAMILY_PARKING_LOT
};

enum decode_family decode_family_of(const char *name);

/* decode_furwock.c: true, if it is one. */
bool decode_furwock(const struct decode_question *q, enum decode_family f, struct decode_answer *a);
/* The same of an operation that waits for the object at q->word; `want` is of a rwlock. */
void decode_operation(const struct decode_question *q, enum decode_family f, unsigned want,
                      struct decode_answer *a);
/* decode_posix.c */
void decode_posix(const struct decode_question *q, enum decode_family f, struct decode_answer *a);

static inline uint32_t decode_word32(const struct decode_question *q, uint64_t address)
{
    uint32_t word = 0;

    q->read(q->memory, address, &word, sizeof word);
    return word;
}

static inline uint64_t decode_word64(const struct decode_question *q, uint64_t address)
{
    uint64_t word = 0;

    q->read(q->memory, address, &word, sizeof word);
    return word;
}

#endif
