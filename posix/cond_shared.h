/* SPDX-License-Identifier: MIT */
#ifndef FW_PRELOAD_COND_SHARED_H
#define FW_PRELOAD_COND_SHARED_H

#include <stdbool.h>
#include <stdint.h>

#include <furwock/bits/deadline.h>

#include "thread/cond_posix.h"

/*
 * A condition variable for processes, with a mutex of any kind: of `how` only unlock, lock and
 * mutex are looked at.  In our own format; it is marked, so that one which was made by a process
 * without this library is known.
 *
 *  - A thread that was woken does not write to the variable, and reads it once.  While it may do so
 *    it stands in the variable's bucket; so the memory may be unmapped once all who wait have been
 *    woken and nobody of this process is in line (fw_cond_await_nobody_); in other processes the
 *    variable is mapped, and there may be anything.
 *  - Whoever is killed leaves it usable.  A wake that was lost with somebody is found by those who
 *    still wait: they look twice in a second whether there was any.  So waits may end without
 *    having been meant.
 */
struct fw_shared_cond_ {
    uint32_t word;
    uint32_t mark;
};

void fw_shared_cond_init_(struct fw_shared_cond_ *c);

/* Was it made by fw_shared_cond_init_? */
bool fw_shared_cond_is_ours_(const struct fw_shared_cond_ *c);

/* As fw_cond_wait_posix_; a cancellation point. */
int fw_shared_cond_wait_(struct fw_shared_cond_ *c, const struct fw_cond_mutex_ *how,
                         const fw_deadline *deadline);
void fw_shared_cond_signal_(struct fw_shared_cond_ *c);
void fw_shared_cond_broadcast_(struct fw_shared_cond_ *c);

#endif
