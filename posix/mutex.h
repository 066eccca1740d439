/* SPDX-License-Identifier: MIT */
#ifndef FW_PRELOAD_MUTEX_H
#define FW_PRELOAD_MUTEX_H

#include <pthread.h>
#include <time.h>

#include <furwock/bits/deadline.h>

/*
 * pthread_mutex_* for all kinds of mutexes (object.h), under names of our own: export.h gives them
 * their public ones.  Contracts: POSIX.1-2024, and pthread_mutex_lock(3) of the C library where
 * that goes further.  None is a cancellation point; none fails with EINTR.
 */
int fw_posix_mutex_lock_(pthread_mutex_t *m);
int fw_posix_mutex_trylock_(pthread_mutex_t *m);
int fw_posix_mutex_timedlock_(pthread_mutex_t *m, const struct timespec *at);
int fw_posix_mutex_clocklock_(pthread_mutex_t *m, clockid_t clock, const struct timespec *at);
int fw_posix_mutex_unlock_(pthread_mutex_t *m);

/*
 * The same for the other files here: lock until the deadline (NULL: none), of the kind that the
 * mutex has; `site` is the place in the program that asks (fw_stat.h).
 */
int fw_posix_mutex_lock_until_(pthread_mutex_t *m, const fw_deadline *deadline, const void *site);

/* The deadline of a timed lock, as the C library understands it. */
fw_deadline fw_posix_mutex_deadline_(pthread_mutex_t *m, const struct timespec *at,
                                     clockid_t clock);

#endif
