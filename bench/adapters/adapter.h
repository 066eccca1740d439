/* SPDX-License-Identifier: MIT */
#ifndef FW_ADAPTERS_ADAPTER_H
#define FW_ADAPTERS_ADAPTER_H

#include "bench/adapters/adapter_head.h"

FW_BEGIN_DECLS

/*
 * A lock, described once: the contract tests, the stress tests and every benchmark run on any
 * adapter.  The other families (adapter_head.h) are described in the same manner.
 *
 * A source file describes one lock, or a few of one kind, each as a `const struct adapter
 * adapter_NAME`; adapter_define.h keeps that to about ten lines.  The list of those that were
 * built is in the generated adapters.c (adapter_list), as is the list of those that could not be.
 */
struct adapter {
    ADAPTER_HEAD
    void (*lock)(void *lock);
    void (*unlock)(void *lock);
    int (*trylock)(void *lock);                                     /* 0 or EBUSY; NULL: none */
    int (*timedlock)(void *lock, const struct timespec *monotonic); /* 0 or ETIMEDOUT; NULL: none */
    void (*unlock_fair)(void *lock);                                /* NULL: none */
    void (*loop)(void *lock, uint64_t n); /* n times lock and unlock, as directly as a user would */
    uint64_t (*line)(const void *lock);   /* how many are queued; NULL: it cannot be seen */
};

ADAPTER_FAMILY(adapter)

FW_END_DECLS

#endif
