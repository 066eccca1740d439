/* SPDX-License-Identifier: MIT */
#ifndef FW_PRELOAD_SPIN_H
#define FW_PRELOAD_SPIN_H

#include <pthread.h>

/*
 * pthread_spin_*, under names of our own.  Contract: POSIX.1-2024.  A lock of zero bytes is free,
 * and so is one that the C library has initialised (which writes 1 on x86-64).  A thread that waits
 * for long yields now and then.  Whether a lock is shared between processes makes no difference;
 * all of them must run with this library, which cannot tell.
 */
int fw_posix_spin_init_(pthread_spinlock_t *l, int shared);
int fw_posix_spin_destroy_(pthread_spinlock_t *l);
int fw_posix_spin_trylock_(pthread_spinlock_t *l);
int fw_posix_spin_lock_(pthread_spinlock_t *l);
int fw_posix_spin_unlock_(pthread_spinlock_t *l);

#endif
