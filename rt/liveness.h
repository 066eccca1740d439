/* SPDX-License-Identifier: MIT */
#ifndef FW_RT_LIVENESS_H
#define FW_RT_LIVENESS_H

#include <stdbool.h>
#include <stdint.h>

#include "rt/state.h"

/*
 * What a record's words say, which the kernel keeps.  UNKNOWN: it keeps none for that thread.
 * CORRUPT: no thread has written that.  No system call.
 */
enum fw_rt_liveness_state { FW_RT_IS_ALIVE, FW_RT_IS_DEAD, FW_RT_IS_UNKNOWN, FW_RT_IS_CORRUPT };
enum fw_rt_liveness_state fw_rt_liveness_(const struct fw_rt_task_record *c);

/* Is the record's thread still the one that began there?  A system call; if UNKNOWN, some more. */
bool fw_rt_is_alive_(const struct fw_rt_task_record *c);

#endif
