/* SPDX-License-Identifier: MIT */
#ifndef FW_MUTEX_TURN_H
#define FW_MUTEX_TURN_H

#include <stdbool.h>
#include <stdint.h>

#include <furwock/mutex.h>

#include "core/wait.h"

/*
 * Turns at a saturated fw_mutex (core/saturation.h; doc/design/mutex.md).  To the word, a thread
 * that rests is one that has not come yet.
 */

/*
 * For a waiter that sees the mutex become free: true if it has left the mutex to `owner`, a kernel
 * id, which it saw last, and that came back for it at once.
 */
bool fw_mutex_leaves_it_(fw_mutex *m, uint32_t owner);

/*
 * The caller has found the mutex taken: rests if it has had its turn, until the wait's deadline at
 * most.
 */
void fw_mutex_rest_(fw_mutex *m, struct fw_wait_ *wait);

#endif
