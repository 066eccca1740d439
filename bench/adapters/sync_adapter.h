/* SPDX-License-Identifier: MIT */
#ifndef FW_ADAPTERS_SYNC_ADAPTER_H
#define FW_ADAPTERS_SYNC_ADAPTER_H

#include "bench/adapters/adapter_head.h"

FW_BEGIN_DECLS

/*
 * Semaphores, events and barriers, each kind described once.  Lists, and what makes objects, are
 * called sem_adapter_list, event_adapter_find, barrier_adapter_make and so on: adapter_head.h.
 */

/* A counting semaphore; init makes one without units. */
struct sem_adapter {
    ADAPTER_HEAD
    int (*init_full)(void *sem, bool shared); /* instead of init: it can take no unit more */
    void (*wait)(void *sem);
    int (*trywait)(void *sem);                                     /* 0 or EAGAIN */
    int (*timedwait)(void *sem, const struct timespec *monotonic); /* 0, ETIMEDOUT; NULL: none */
    int (*post)(void *sem);                                        /* 0 or EOVERFLOW */
    int (*post_n)(void *sem, uint32_t n);                          /* NULL: none */
    uint32_t (*value)(void *sem);        /* units that nobody has taken; 0 where some wait */
    void (*loop)(void *sem, uint64_t n); /* n times post and wait */
};

/*
 * An event; init makes one that is not set.  Set, it lets everybody through until it is reset; an
 * automatic one resets itself for each that it lets through.
 */
struct event_adapter {
    ADAPTER_HEAD
    bool automatic;
    void (*set)(void *event);
    void (*reset)(void *event);
    bool (*is_set)(void *event);
    void (*wait)(void *event);
    int (*trywait)(void *event);                                     /* 0 or EAGAIN */
    int (*timedwait)(void *event, const struct timespec *monotonic); /* 0, ETIMEDOUT; NULL: none */
    void (*loop)(void *event, uint64_t n); /* n times set, wait and reset */
};

/* A barrier; init makes one for a single party, and init_for one for the given number. */
struct barrier_adapter {
    ADAPTER_HEAD
    int (*init_for)(void *barrier, bool shared, unsigned parties);
    bool (*wait)(void *barrier); /* true for one of those who meet */
    void (*loop)(void *barrier, uint64_t n);
};

ADAPTER_FAMILY(sem_adapter)
ADAPTER_FAMILY(event_adapter)
ADAPTER_FAMILY(barrier_adapter)

FW_END_DECLS

#endif
