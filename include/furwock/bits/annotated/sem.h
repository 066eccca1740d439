/* SPDX-License-Identifier: MIT */
#ifndef FURWOCK_BITS_ANNOTATED_SEM_H
#define FURWOCK_BITS_ANNOTATED_SEM_H

#include <furwock/sem.h>

#ifdef FW_ANNOTATED_

/* The calls of furwock/sem.h for race detectors; internal: bits/annotate.h. */

FW_NOTED_ACQUIRE_(fw_sem_wait, (fw_sem * l), (l))
FW_NOTED_ACQUIRE_INT_(fw_sem_trywait, (fw_sem * l), (l))
FW_NOTED_ACQUIRE_INT_(fw_sem_timedwait, (fw_sem * l, const fw_deadline *deadline), (l, deadline))
FW_NOTED_ACQUIRE_INT_(fw_sem_wait_policy,
                      (fw_sem * l, const fw_wait_policy *policy, const fw_deadline *deadline),
                      (l, policy, deadline))
FW_NOTED_RELEASE_INT_(fw_sem_post, (fw_sem * l), (l))
FW_NOTED_RELEASE_INT_(fw_sem_post_n, (fw_sem * l, uint32_t n), (l, n))

#define fw_sem_wait fw_sem_wait_noted_
#define fw_sem_trywait fw_sem_trywait_noted_
#define fw_sem_timedwait fw_sem_timedwait_noted_
#define fw_sem_wait_policy fw_sem_wait_policy_noted_
#define fw_sem_post fw_sem_post_noted_
#define fw_sem_post_n fw_sem_post_n_noted_

#endif

#endif
