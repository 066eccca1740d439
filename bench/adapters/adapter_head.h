/* SPDX-License-Identifier: MIT */
#ifndef FW_ADAPTERS_ADAPTER_HEAD_H
#define FW_ADAPTERS_ADAPTER_HEAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include <furwock/bits/api.h>

FW_BEGIN_DECLS

/*
 * What the adapters of all families have in common: locks (adapter.h), read-write locks
 * (rw_adapter.h), condition variables (cond_adapter.h), semaphores, events and barriers
 * (sync_adapter.h).
 */
enum adapter_flags {
    ADAPTER_SHARED = 1 << 0, /* works between processes, in MAP_SHARED memory */
    ADAPTER_FAIR = 1 << 1,   /* grants in the order of requests: nobody reacquires past a waiter */
    ADAPTER_BLOCKS = 1 << 2, /* waiters end up asleep in the kernel: a "blocking" lock */
    ADAPTER_SPINS = 1 << 3,  /* waiters poll, at least for a while */
    ADAPTER_OWNER = 1 << 4,  /* relocking and foreign unlocking stop the program */
    ADAPTER_FREEABLE = 1 << 5, /* whoever is let go by it may free the memory at once */
    ADAPTER_NOTHING = 1 << 6,  /* excludes nobody; for measuring the cost of everything else */
    ADAPTER_SIGNAL = 1 << 7,   /* a signal handler may try it, and unlock what it took */
    ADAPTER_ZERO = 1 << 8,     /* zeroed memory is ready for use, without init */
    ADAPTER_CANCEL = 1 << 9,   /* a wait is a cancellation point; clean-up holds the mutex */
    ADAPTER_EXACT = 1 << 10,   /* a timed wait that reports a timeout has taken no signal */
    ADAPTER_FORGETS = 1 << 11, /* a writer who gets in makes it forget those who wait, for a time */
    ADAPTER_REGION = 1 << 12,  /* works in memory of adapter_head_memory() only: in a region */
    ADAPTER_PROCESSES = 1 << 13, /* between processes only: threads are not excluded, nor oneself */
    ADAPTER_KERNEL = 1 << 14     /* needs furwock.ko: of the list only where that is loaded */
};

enum adapter_family { FAMILY_FURWOCK, FAMILY_CLASSIC, FAMILY_RIVAL };

/* With what every adapter begins.  Its .init finds zeroed memory; .destroy may be NULL. */
#define ADAPTER_HEAD                                                             \
    const char *name;  /* as the user types it: "furwock", "pthread-adaptive" */ \
    const char *about; /* one line: what it is and where it comes from */        \
    enum adapter_family family;                                                  \
    unsigned flags;                                                              \
    size_t size; /* bytes of one object */                                       \
    size_t align;                                                                \
    int (*init)(void *object, bool shared); /* 0 or a positive errno */          \
    void (*destroy)(void *object);          /* may be NULL; gives back what init took */

/* Any adapter, seen from its beginning. */
typedef struct __attribute__((may_alias)) adapter_head {
    ADAPTER_HEAD
} adapter_head;

/*
 * Locks that could have been here and are not: name, and what to install or load.  Ends with NULL
 * name.
 */
struct missing_adapter {
    const char *name;
    const char *why;
};

/*
 * Zeroed memory for such objects, on pages of its own and aligned for any of them, which forked
 * children share where `shared` is set.  Who makes objects by adapter_head_make() needs no other.
 * NULL with errno where there is none.
 */
void *adapter_head_memory(const adapter_head *a, size_t size, bool shared);
void adapter_head_forget(const adapter_head *a, void *memory, size_t size);

/* These serve every family; each has them by its own name and type (ADAPTER_FAMILY). */
size_t adapter_head_stride(const adapter_head *a);
void *adapter_head_make(const adapter_head *a, size_t n, bool shared);
void adapter_head_unmake(const adapter_head *a, void *objects, size_t n);
const char *adapter_head_why(const struct missing_adapter *missing, const char *name);

/*
 * What a family has, for FAMILY = adapter, rw_adapter, ...:
 *
 *     extern const struct FAMILY *FAMILY_list[];
 *         NULL-terminated, in the order in which tables show them
 *     extern struct missing_adapter FAMILY_missing[];
 *     const struct FAMILY *FAMILY_find(const char *name);
 *         the adapter called `name`, or NULL
 *     const char *FAMILY_why_missing(const char *name);
 *         why there is no adapter called `name`: what to install; NULL where the name means nothing
 *     void *FAMILY_make(const struct FAMILY *a, size_t n, bool shared);
 *         memory for n objects of this kind, each on cache lines of its own (FAMILY_stride() bytes
 *         apart), zeroed and initialised; in memory that forked children share where `shared` is
 *         set.  NULL with errno where there is no memory, init failed, or the object does not work
 *         between processes (ENOTSUP).
 *     void FAMILY_unmake(const struct FAMILY *a, void *objects, size_t n);
 *     size_t FAMILY_stride(const struct FAMILY *a);
 *     void *FAMILY_at(const struct FAMILY *a, void *objects, size_t i);
 */
#define ADAPTER_FAMILY(FAMILY)                                                          \
    extern const struct FAMILY *FAMILY##_list[];                                        \
    extern struct missing_adapter FAMILY##_missing[];                                   \
    static inline const struct FAMILY *FAMILY##_find(const char *name)                  \
    {                                                                                   \
        const struct FAMILY **a = FAMILY##_list;                                        \
        while (*a != NULL && strcmp((*a)->name, name) != 0)                             \
            a++;                                                                        \
        return *a;                                                                      \
    }                                                                                   \
    static inline const char *FAMILY##_why_missing(const char *name)                    \
    {                                                                                   \
        return adapter_head_why(FAMILY##_missing, name);                                \
    }                                                                                   \
    static inline size_t FAMILY##_stride(const struct FAMILY *a)                        \
    {                                                                                   \
        return adapter_head_stride((const adapter_head *)a);                            \
    }                                                                                   \
    static inline void *FAMILY##_at(const struct FAMILY *a, void *objects, size_t i)    \
    {                                                                                   \
        return (char *)objects + i * FAMILY##_stride(a);                                \
    }                                                                                   \
    static inline void *FAMILY##_make(const struct FAMILY *a, size_t n, bool shared)    \
    {                                                                                   \
        return adapter_head_make((const adapter_head *)a, n, shared);                   \
    }                                                                                   \
    static inline void FAMILY##_unmake(const struct FAMILY *a, void *objects, size_t n) \
    {                                                                                   \
        adapter_head_unmake((const adapter_head *)a, objects, n);                       \
    }

FW_END_DECLS

#endif
