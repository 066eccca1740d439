/* SPDX-License-Identifier: MIT */
#ifndef FW_HARNESS_ADAPTER_H
#define FW_HARNESS_ADAPTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <furwock/bits/api.h>

FW_BEGIN_DECLS

/*
 * A lock, described once: the contract tests, the stress tests and every benchmark run on any
 * adapter.
 *
 * A source file describes one lock, or a few of one kind, each as a `const struct adapter
 * adapter_NAME`; adapter_define.h keeps that to about ten lines.  The list of those that were
 * built is in the generated adapters.c (adapter_list), as is the list of those that could not be.
 */
enum adapter_flags {
    ADAPTER_SHARED = 1 << 0, /* works between processes, in MAP_SHARED memory */
    ADAPTER_FAIR = 1 << 1,   /* grants in the order of requests: nobody reacquires past a waiter */
    ADAPTER_BLOCKS = 1 << 2, /* waiters end up asleep in the kernel: a "blocking" lock */
    ADAPTER_SPINS = 1 << 3,  /* waiters poll, at least for a while */
    ADAPTER_OWNER = 1 << 4,  /* relocking and foreign unlocking stop the program */
    ADAPTER_FREEABLE = 1 << 5, /* the next owner may free the memory at once */
    ADAPTER_NOTHING = 1 << 6,  /* excludes nobody; for measuring the cost of everything else */
    ADAPTER_SIGNAL = 1 << 7,   /* a signal handler may try it, and unlock what it took */
    ADAPTER_ZERO = 1 << 8      /* zeroed memory is a free lock, without init */
};

enum adapter_family { FAMILY_FURWOCK, FAMILY_CLASSIC, FAMILY_RIVAL };

struct adapter {
    const char *name;  /* as the user types it: "furwock", "pthread-adaptive", "futex-fair-spin3" */
    const char *about; /* one line: what it is and where it comes from */
    enum adapter_family family;
    unsigned flags;
    size_t size; /* bytes of one lock */
    size_t align;
    int (*init)(void *lock, bool shared); /* 0 or a positive errno; memory is zeroed before */
    void (*destroy)(void *lock);          /* may be NULL; gives back what init took */
    void (*lock)(void *lock);
    void (*unlock)(void *lock);
    int (*trylock)(void *lock);                                     /* 0 or EBUSY; NULL: none */
    int (*timedlock)(void *lock, const struct timespec *monotonic); /* 0 or ETIMEDOUT; NULL: none */
    void (*unlock_fair)(void *lock);                                /* NULL: none */
    void (*loop)(void *lock, uint64_t n); /* n times lock and unlock, as directly as a user would */
};

/* NULL-terminated, in the order in which tables show them. */
extern const struct adapter *const adapter_list[];

/* Rivals that could have been here and are not: name, and what to install.  Ends with NULL name. */
struct missing_adapter {
    const char *name;
    const char *why;
};
extern const struct missing_adapter adapter_missing[];

/* The adapter called `name`, or NULL. */
const struct adapter *adapter_find(const char *name);

/* Why there is no adapter called `name`: what to install; NULL where the name means nothing. */
const char *adapter_why_missing(const char *name);

/*
 * Memory for n locks of this kind, each on cache lines of its own (adapter_stride() bytes apart),
 * zeroed and initialised; in memory that forked children share where `shared` is set.  NULL with
 * errno where there is no memory, init failed, or the lock does not work between processes
 * (ENOTSUP).
 */
void *adapter_make(const struct adapter *a, size_t n, bool shared);
void adapter_unmake(const struct adapter *a, void *locks, size_t n);
size_t adapter_stride(const struct adapter *a);
void *adapter_at(const struct adapter *a, void *locks, size_t i);

FW_END_DECLS

#endif
