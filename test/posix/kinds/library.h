/* SPDX-License-Identifier: MIT */
#ifndef FW_TEST_KINDS_LIBRARY_H
#define FW_TEST_KINDS_LIBRARY_H

#include <pthread.h>
#include <stdbool.h>
#include <time.h>

#include "test/support/processes.h"

/*
 * The calls on mutexes, ours and the C library's: what works on one of them must work on the other,
 * and where both work on the same mutex, in different processes.
 */
struct library {
    const char *name;
    int (*init)(pthread_mutex_t *, const pthread_mutexattr_t *);
    int (*destroy)(pthread_mutex_t *);
    int (*lock)(pthread_mutex_t *);
    int (*trylock)(pthread_mutex_t *);
    int (*timedlock)(pthread_mutex_t *, const struct timespec *);
    int (*clocklock)(pthread_mutex_t *, clockid_t, const struct timespec *);
    int (*unlock)(pthread_mutex_t *);
    int (*consistent)(pthread_mutex_t *);
    int (*getprioceiling)(const pthread_mutex_t *, int *);
    int (*setprioceiling)(pthread_mutex_t *, int, int *);
    int (*setschedparam)(pthread_t, int, const struct sched_param *);
    int (*setschedprio)(pthread_t, int);
    int (*getschedparam)(pthread_t, int *, struct sched_param *);
};

extern const struct library ours, libcs;

/* A kind of mutex, and its name. */
struct kind {
    int type, protocol, robust, shared;
};

enum { KIND_NAME = 64 };
const char *kind_name(const struct kind *k, char name[KIND_NAME]);

/* Walks through all kinds that are not plain; false: that was the last.  Begin with {-1, 0, 0, 0}.
 */
bool kind_next(struct kind *k);

/* Makes attributes of it. */
void kind_attributes(const struct kind *k, pthread_mutexattr_t *a);

#endif
