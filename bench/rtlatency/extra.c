/* SPDX-License-Identifier: MIT */
/*
 * An ablation: what a system call is worth that a baseline could make at each lock and each unlock,
 * beside those that its protocol must make.  PCP of tier A decides in the library; with a futex
 * that inherits, the kernel would know of each section, and does not need to (CALL_PI).  In tier B
 * a yield has the scheduler decide, which finds the same as before (CALL_YIELD).
 */
#include <sched.h>

#include <furwock/futex.h>

#include "rtlatency.h"
#include "sys/futex_pi.h"

void extra_begin(struct fixture *s)
{
    if (s->variant->extra == CALL_PI)
        fw_futex_lock_pi_(&s->extra_word, FW_FUTEX_PRIVATE, NULL);
    else
        sched_yield();
}

void extra_end(struct fixture *s)
{
    if (s->variant->extra == CALL_PI)
        fw_futex_unlock_pi_(&s->extra_word, FW_FUTEX_PRIVATE);
    else
        sched_yield();
}
