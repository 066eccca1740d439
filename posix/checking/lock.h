/* SPDX-License-Identifier: MIT */
#ifndef FW_CHECKING_LOCK_H
#define FW_CHECKING_LOCK_H

#include <pthread.h>

#include "check.h"

/* What the files of this directory that wrap locks share. */

/* mutex.c */
struct fw_check_target_ fw_check_mutex_target_(pthread_mutex_t *m);
bool fw_check_owns_mutex_(pthread_mutex_t *m); /* true as well if it cannot be told */

/* life.c: a lock is about to be initialised; was, and has that node; was destroyed. */
void fw_check_reused_(const void *object, const void *site);
uint32_t fw_check_made_(const void *object, const void *site);
void fw_check_destroyed_(const void *object, bool was_held, const void *site);

/* blocking.c: a call that began then has ended: was it too long, with a lock held? */
void fw_check_blocked_(uint64_t began_ns, const void *site);

#endif
