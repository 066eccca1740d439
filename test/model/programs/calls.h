/* SPDX-License-Identifier: MIT */
#ifndef MODEL_CALLS_H
#define MODEL_CALLS_H

/*
 * The functions of a lock, as the programs call them: through a table, so that a faulty copy of the
 * sources can take the place of the shipped ones (../faults.py).  A family is a lock with what it
 * stands on; one of the *_calls.h lists its functions once, and what else a copy has of its own,
 *
 *     #define LATCH_CALLS(CALL, DATA) \
 *         CALL(trywait, fw_latch_trywait) \
 *         DATA(struct own, own, {a, b})
 *     CALLS_OF(latch, LATCH);
 *
 * of which the type of the table is made here, and latch_in_use(), the table that programs call
 * through; the tables are by what faults.py writes.
 */
#define CALLS_OF(family, FAMILY)                                     \
    struct family##_calls {                                          \
        FAMILY##_CALLS(CALLS_MEMBER_, CALLS_DATUM_)                  \
    };                                                               \
    static inline const struct family##_calls *family##_in_use(void) \
    {                                                                \
        return calls_in_use[FAMILY_##FAMILY];                        \
    }                                                                \
    _Static_assert(FAMILY_##FAMILY < FAMILIES, "a family")
#define CALLS_TABLE(family, list, table)      \
    extern const struct family##_calls table; \
    const struct family##_calls table = {list(CALLS_ENTRY_, CALLS_INITIALISED_)}
#define CALLS_MEMBER_(name, function) __typeof__(&function) name;
#define CALLS_DATUM_(type, name, ...) type name;
#define CALLS_ENTRY_(name, function) .name = &function,
#define CALLS_INITIALISED_(type, name, ...) .name = __VA_ARGS__,

enum family {
    FAMILY_MUTEX,
    FAMILY_QUEUE,
    FAMILY_BUCKET,
    FAMILY_COND,
    FAMILY_NOTE,
    FAMILY_RWLOCK,
    FAMILY_SEM,
    FAMILY_BARRIER,
    FAMILY_LATCH,
    FAMILY_ONCE,
    FAMILY_ATOMIC,
    FAMILY_IPC_MUTEX,
    FAMILY_IPC_RWLOCK,
    FAMILY_IPC_SYNC,
    FAMILY_IPC_JOURNAL,
    FAMILY_IPC_COND,
    FAMILY_IPC_AWAIT,
    FAMILY_IPC_HEAD,
    FAMILY_IPC_DIRECTORY,
    FAMILY_IPC_JOIN,
    FAMILY_IPC_PARTICIPANT,
    FAMILY_IPC_ATOMIC,
    FAMILY_POSIX_SEM,
    FAMILY_POSIX_COND,
    FAMILY_POSIX_RWLOCK,
    FAMILY_POSIX_BARRIER,
    FAMILY_POSIX_MUTEX,
    FAMILY_RT,
    FAMILY_SCX,
    FAMILY_RELEASE,
    FAMILY_RT_BEGIN,
    FAMILY_KMOD,
    FAMILIES
};

/* By family: the shipped sources, the copies with faults (faults_table.c), and what is in use. */
extern const void *const calls_shipped[FAMILIES];
extern const void *const calls_copies[FAMILIES];
extern const void *calls_in_use[FAMILIES];

#endif
