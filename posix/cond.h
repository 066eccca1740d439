/* SPDX-License-Identifier: MIT */
#ifndef FW_PRELOAD_COND_H
#define FW_PRELOAD_COND_H

#include <pthread.h>
#include <stdbool.h>
#include <time.h>

#include <furwock/bits/deadline.h>

/*
 * pthread_cond_* and pthread_condattr_* under names of our own: export.h gives them their public
 * ones.  Contracts: POSIX.1-2024, and the C library's where that goes further: any kind of mutex,
 * also several with one variable; pthread_cond_destroy waits until nobody waits.
 */
int fw_posix_cond_init_(pthread_cond_t *c, const pthread_condattr_t *attr);
int fw_posix_cond_destroy_(pthread_cond_t *c);
int fw_posix_cond_wait_(pthread_cond_t *c, pthread_mutex_t *m);
int fw_posix_cond_timedwait_(pthread_cond_t *c, pthread_mutex_t *m, const struct timespec *at);
int fw_posix_cond_clockwait_(pthread_cond_t *c, pthread_mutex_t *m, clockid_t clock,
                             const struct timespec *at);
int fw_posix_cond_wait_until_(pthread_cond_t *c, pthread_mutex_t *m, const fw_deadline *deadline,
                              const void *site); /* the place in the program that asks */
bool fw_posix_cond_is_shared_(const pthread_cond_t *c);
clockid_t fw_posix_cond_clock_(const pthread_cond_t *c); /* of timedwait */
int fw_posix_cond_signal_(pthread_cond_t *c);
int fw_posix_cond_broadcast_(pthread_cond_t *c);

int fw_posix_condattr_init_(pthread_condattr_t *attr);
int fw_posix_condattr_destroy_(pthread_condattr_t *attr);
int fw_posix_condattr_setclock_(pthread_condattr_t *attr, clockid_t clock);
int fw_posix_condattr_getclock_(const pthread_condattr_t *attr, clockid_t *clock);
int fw_posix_condattr_setpshared_(pthread_condattr_t *attr, int shared);
int fw_posix_condattr_getpshared_(const pthread_condattr_t *attr, int *shared);

/* The attributes, in the C library's bits; those of a variable are the same. */
#define FW_COND_SHARED 1u
#define FW_COND_MONOTONIC 2u

#endif
