/* SPDX-License-Identifier: MIT */
#ifndef FURWOCK_BITS_ANNOTATED_LATCH_H
#define FURWOCK_BITS_ANNOTATED_LATCH_H

#include <furwock/latch.h>

#ifdef FW_ANNOTATED_

/* The calls of furwock/latch.h for race detectors; internal: bits/annotate.h. */

FW_NOTED_RELEASE_(fw_latch_count_down, (fw_latch * l, uint32_t n), (l, n))
FW_NOTED_ACQUIRE_(fw_latch_wait, (fw_latch * l), (l))
FW_NOTED_ACQUIRE_INT_(fw_latch_trywait, (const fw_latch *l), (l))
FW_NOTED_ACQUIRE_INT_(fw_latch_timedwait, (fw_latch * l, const fw_deadline *deadline),
                      (l, deadline))
FW_NOTED_ACQUIRE_INT_(fw_latch_wait_policy,
                      (fw_latch * l, const fw_wait_policy *policy, const fw_deadline *deadline),
                      (l, policy, deadline))

static inline void fw_latch_arrive_and_wait_noted_(fw_latch *l, uint32_t n)
{
    FW_NOTE_RELEASE_(l);
    fw_latch_arrive_and_wait(l, n);
    FW_NOTE_ACQUIRE_(l);
}

#define fw_latch_count_down fw_latch_count_down_noted_
#define fw_latch_wait fw_latch_wait_noted_
#define fw_latch_trywait fw_latch_trywait_noted_
#define fw_latch_timedwait fw_latch_timedwait_noted_
#define fw_latch_wait_policy fw_latch_wait_policy_noted_
#define fw_latch_arrive_and_wait fw_latch_arrive_and_wait_noted_

#endif

#endif
