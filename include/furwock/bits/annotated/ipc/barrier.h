/* SPDX-License-Identifier: MIT */
#ifndef FURWOCK_BITS_ANNOTATED_IPC_BARRIER_H
#define FURWOCK_BITS_ANNOTATED_IPC_BARRIER_H

#include <furwock/ipc/barrier.h>

#ifdef FW_ANNOTATED_

/* The calls of furwock/ipc/barrier.h for race detectors; internal: bits/annotate.h. */

FW_NOTED_RELEASE_INT_(fw_ipc_barrier_arrive, (fw_ipc_barrier * l, uint64_t *token), (l, token))
FW_NOTED_RELEASE_INT_(fw_ipc_barrier_leave, (fw_ipc_barrier * l), (l))
FW_NOTED_ACQUIRE_INT_(fw_ipc_barrier_await, (fw_ipc_barrier * l, uint64_t token), (l, token))

static inline int fw_ipc_barrier_wait_noted_(fw_ipc_barrier *b)
{
    int result;

    FW_NOTE_RELEASE_(b);
    result = fw_ipc_barrier_wait(b);
    FW_NOTE_ACQUIRE_(b);
    return result;
}

static inline int fw_ipc_barrier_timedwait_noted_(fw_ipc_barrier *b, const fw_deadline *deadline)
{
    int result;

    FW_NOTE_RELEASE_(b);
    result = fw_ipc_barrier_timedwait(b, deadline);
    FW_NOTE_ACQUIRE_(b);
    return result;
}

static inline int fw_ipc_barrier_wait_policy_noted_(fw_ipc_barrier *b, const fw_wait_policy *policy,
                                                    const fw_deadline *deadline)
{
    int result;

    FW_NOTE_RELEASE_(b);
    result = fw_ipc_barrier_wait_policy(b, policy, deadline);
    FW_NOTE_ACQUIRE_(b);
    return result;
}

#define fw_ipc_barrier_arrive fw_ipc_barrier_arrive_noted_
#define fw_ipc_barrier_leave fw_ipc_barrier_leave_noted_
#define fw_ipc_barrier_await fw_ipc_barrier_await_noted_
#define fw_ipc_barrier_wait fw_ipc_barrier_wait_noted_
#define fw_ipc_barrier_timedwait fw_ipc_barrier_timedwait_noted_
#define fw_ipc_barrier_wait_policy fw_ipc_barrier_wait_policy_noted_

#endif

#endif
