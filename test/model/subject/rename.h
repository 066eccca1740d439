/* SPDX-License-Identifier: MIT */
#ifndef MODEL_RENAME_H
#define MODEL_RENAME_H

/*
 * Included first in a faulty copy of src/mutex.c: every linkable name gets the copy's name
 * (MUTEX_COPY) in front, so that all copies fit in one program.
 */
#define RENAME_JOIN_(copy, name) copy##_##name
#define RENAME_JOIN(copy, name) RENAME_JOIN_(copy, name)
#define RENAME(name) RENAME_JOIN(MUTEX_COPY, name)

#define fw_mutex_init RENAME(fw_mutex_init)
#define fw_mutex_trylock RENAME(fw_mutex_trylock)
#define fw_mutex_lock RENAME(fw_mutex_lock)
#define fw_mutex_lock_slow_ RENAME(fw_mutex_lock_slow_)
#define fw_mutex_timedlock RENAME(fw_mutex_timedlock)
#define fw_mutex_lock_policy RENAME(fw_mutex_lock_policy)
#define fw_mutex_unlock RENAME(fw_mutex_unlock)
#define fw_mutex_unlock_fair RENAME(fw_mutex_unlock_fair)
#define fw_mutex_owner RENAME(fw_mutex_owner)

#endif
