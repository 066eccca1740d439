/* SPDX-License-Identifier: MIT */
#ifndef WHO_WAITS_H
#define WHO_WAITS_H

#include <pthread.h>
#include <semaphore.h>
#include <threads.h>

#include <furwock.h>

enum { OBJECTS = 10, THREADS = 1024 };

/* Locks of one make, by their numbers. */
struct locks {
    union {
        pthread_mutex_t mutex;
        mtx_t c11;
        fw_mutex fw;
    } mutex[OBJECTS];
    pthread_rwlock_t rwlock[OBJECTS];
    pthread_cond_t cond[OBJECTS];
    pthread_barrier_t barrier[OBJECTS];
    sem_t sem[OBJECTS];
    fw_rwlock fw_rwlock[OBJECTS];
    fw_cond fw_cond[OBJECTS];
    fw_sem fw_sem[OBJECTS];
    fw_event fw_event[OBJECTS];
    fw_barrier fw_barrier[OBJECTS];
    fw_once fw_once[OBJECTS];
};

/* What the processes share. */
struct shared {
    unsigned arrived;
    struct locks locks;
};

struct kind {
    const char *name;
    void (*begin)(void);
    void (*step)(char what, unsigned i);
};

extern struct shared *all;
extern const char *kind_name; /* as it was asked for */

const struct kind *find_kind(const char *name);
void die(const char *what);

extern const struct kind libc_kind, fw_kind, region_kind;

#endif
