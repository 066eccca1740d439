/* SPDX-License-Identifier: MIT */
#ifndef FW_PRELOAD_SEM_H
#define FW_PRELOAD_SEM_H

#include <semaphore.h>
#include <time.h>

/*
 * sem_*, under names of our own: export.h gives them their public ones.  Contracts: POSIX.1-2024,
 * and sem_overview(7).  All return 0, or -1 with errno.  The waits are cancellation points, and
 * fail with EINTR if a signal handler has interrupted them; a deadline is looked at before
 * anything else, as the C library does it.  sem_post is safe in signal handlers, and does not touch
 * the semaphore once it has added the unit.
 */
int fw_posix_sem_init_(sem_t *s, int shared, unsigned value);
int fw_posix_sem_destroy_(sem_t *s);
int fw_posix_sem_trywait_(sem_t *s);
int fw_posix_sem_wait_(sem_t *s);
int fw_posix_sem_timedwait_(sem_t *s, const struct timespec *at);
int fw_posix_sem_clockwait_(sem_t *s, clockid_t clock, const struct timespec *at);
int fw_posix_sem_post_(sem_t *s);
int fw_posix_sem_getvalue_(sem_t *s, int *value);

/*
 * Named ones: sem_named.c.  The files are the C library's, by name and content, so that a process
 * may open them that runs without this library.  One file has one address in a process, for as long
 * as it is open; fw_posix_sem_open_ is a cancellation point no more than the C library's is.
 */
sem_t *fw_posix_sem_open_(const char *name, int flags, ...);
int fw_posix_sem_close_(sem_t *s);
int fw_posix_sem_unlink_(const char *name);

#endif
