/* SPDX-License-Identifier: MIT */
#ifndef FW_ADAPTERS_RW_ADAPTER_H
#define FW_ADAPTERS_RW_ADAPTER_H

#include "bench/adapters/adapter_head.h"

FW_BEGIN_DECLS

/*
 * A read-write lock, described once: rw_adapter_list, rw_adapter_missing, rw_adapter_find,
 * rw_adapter_make and their like are in adapter_head.h.
 *
 * Whom it prefers is a claim, which the contract tests hold it to:
 *
 *     FAIR      phase-fair: a reader waits for at most one writer, a writer for the readers that
 *               came before it.  (Two writers in a row, while a reader waits: no.)
 *     READERS   a reader comes in whenever readers are inside, past any writer that waits; so a
 *               thread may read again what it reads
 *     WRITERS   no reader comes in while a writer waits
 *     NONE      promises nothing about that
 */
enum rw_preference { RW_PREFER_NONE, RW_PREFER_FAIR, RW_PREFER_READERS, RW_PREFER_WRITERS };

/* The name of a preference, as tables show it: "fair", "readers", "writers", "none". */
static inline const char *rw_preference_name(enum rw_preference p)
{
    static const char *const names[] = {"none", "fair", "readers", "writers"};
    return names[p];
}

/* ADAPTER_OWNER here: what the writer does wrong is noticed; of readers nothing is said. */
struct rw_adapter {
    ADAPTER_HEAD
    enum rw_preference preference;
    void (*rdlock)(void *lock);
    void (*rdunlock)(void *lock);
    void (*rdloop)(void *lock, uint64_t n); /* n times rdlock and rdunlock, as a user would */
    void (*wrlock)(void *lock);
    void (*wrunlock)(void *lock);
    void (*wrloop)(void *lock, uint64_t n);
    int (*tryrdlock)(void *lock); /* 0 or EBUSY; NULL: none */
    int (*trywrlock)(void *lock);
    int (*timedrdlock)(void *lock, const struct timespec *monotonic); /* 0, ETIMEDOUT; NULL: none */
    int (*timedwrlock)(void *lock, const struct timespec *monotonic);
};

ADAPTER_FAMILY(rw_adapter)

FW_END_DECLS

#endif
