/* SPDX-License-Identifier: MIT */
#ifndef FW_PRELOAD_MUTEX_INIT_H
#define FW_PRELOAD_MUTEX_INIT_H

#include <pthread.h>

/*
 * pthread_mutex_init, _destroy and _consistent.  init: ENOTSUP for a robust mutex with a ceiling,
 * and where the machine cannot inherit priorities.  destroy: EBUSY if somebody holds the mutex,
 * or waits on a condition variable and will want it back; robust ones may be destroyed in any
 * state, since a dead owner cannot give one back.
 */
int fw_posix_mutex_init_(pthread_mutex_t *m, const pthread_mutexattr_t *a);
int fw_posix_mutex_destroy_(pthread_mutex_t *m);
int fw_posix_mutex_consistent_(pthread_mutex_t *m);

#endif
