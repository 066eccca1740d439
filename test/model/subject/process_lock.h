/* SPDX-License-Identifier: MIT */
#ifndef MODEL_PROCESS_LOCK_H
#define MODEL_PROCESS_LOCK_H

/*
 * The locks of the tables that a process has for what its tasks hold and wait for (struct
 * fw_region_bucket_): one for all, which the threads of a process enter one after the other.
 * Included before the sources that have them.
 */
#include "core/bucket_lock.h"

void subject_process_lock(void);
void subject_process_unlock(void);

#define fw_bucket_lock_(lock) ((void)(lock), subject_process_lock())
#define fw_bucket_unlock_(lock) ((void)(lock), subject_process_unlock())

#endif
