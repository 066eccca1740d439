/* SPDX-License-Identifier: MIT */
#ifndef CORES_LOCKS_H
#define CORES_LOCKS_H

#include <stddef.h>
#include <stdint.h>

/* A lock under the simulator: all that it has is in one piece of memory, which begins as zeroes. */
struct cores_lock {
    const char *name, *about;
    void (*init)(void *lock); /* or NULL */
    void (*lock)(void *lock, unsigned self);
    void (*unlock)(void *lock, unsigned self);
    void (*read)(void *lock, unsigned self); /* or NULL: who reads locks, too */
    void (*read_end)(void *lock, unsigned self);
};

#define CORES_LOCK_BYTES 49152u

extern const struct cores_lock *const cores_locks[];
extern const size_t cores_lock_count;

/* published.c: those of papers. */
extern const struct cores_lock cores_ttas, cores_ticket, cores_mcs, cores_clh, cores_drepper,
    cores_cohort, cores_cna;

/* sems.c: semaphores with one unit. */
extern const struct cores_lock cores_sem, cores_sem_word;

/* rwlocks.c */
extern const struct cores_lock cores_rwlock, cores_rwlock_greedy, cores_rwlock_readers,
    cores_phase_fair, cores_each, cores_counted;

#endif
