/* SPDX-License-Identifier: MIT */
#ifndef FW_PRELOAD_BARRIER_H
#define FW_PRELOAD_BARRIER_H

#include <pthread.h>
#include <stdint.h>

#include <furwock/wait.h>

/*
 * pthread_barrier_*, under names of our own, private and process-shared ones.  Contract:
 * POSIX.1-2024; more threads than the barrier has parties may come, as with the C library.
 * pthread_barrier_destroy waits until all who waited have left; EBUSY if some wait for a round
 * that has not ended (the C library's waits forever).
 *
 * fw_barrier, which counts its arrivals down and knows each thread for a party, is another thing.
 */
struct fw_posix_barrier_ {
    uint64_t in;  /* arrivals so far */
    uint64_t out; /* departures so far, and GOES */
    uint32_t done;
    uint32_t count;
    uint32_t shared;
    uint32_t magic;
};

_Static_assert(sizeof(struct fw_posix_barrier_) <= sizeof(pthread_barrier_t), "fits");
_Static_assert(_Alignof(struct fw_posix_barrier_) <= _Alignof(pthread_barrier_t), "fits");

int fw_posix_barrier_init_(pthread_barrier_t *p, const pthread_barrierattr_t *attr, unsigned count);
int fw_posix_barrier_destroy_(pthread_barrier_t *p);
int fw_posix_barrier_wait_(pthread_barrier_t *p);

/* The same by a wait policy, or NULL; asked for at that place in the program. */
int fw_posix_barrier_wait_by_(struct fw_posix_barrier_ *b, const fw_wait_policy *policy,
                              const void *site);

int fw_posix_barrierattr_init_(pthread_barrierattr_t *a);
int fw_posix_barrierattr_destroy_(pthread_barrierattr_t *a);
int fw_posix_barrierattr_getpshared_(const pthread_barrierattr_t *a, int *shared);
int fw_posix_barrierattr_setpshared_(pthread_barrierattr_t *a, int shared);

#endif
