/* SPDX-License-Identifier: MIT */
#ifndef FURWOCK_BITS_ANNOTATED_BARRIER_H
#define FURWOCK_BITS_ANNOTATED_BARRIER_H

#include <furwock/barrier.h>

#ifdef FW_ANNOTATED_

/* The calls of furwock/barrier.h for race detectors; internal: bits/annotate.h. */

FW_NOTED_RELEASE_(fw_barrier_drop, (fw_barrier * l), (l))
FW_NOTED_ACQUIRE_(fw_barrier_await, (fw_barrier * l, uint32_t phase), (l, phase))
FW_NOTED_RELEASE_(fw_barrier_open_, (fw_barrier * l, bool stay), (l, stay))
FW_NOTED_ACQUIRE_(fw_barrier_stay_, (fw_barrier * l, uint32_t phase), (l, phase))
FW_NOTED_ACQUIRE_(fw_barrier_destroy, (fw_barrier * l), (l))

static inline uint32_t fw_barrier_arrive_noted_(fw_barrier *b)
{
    FW_NOTE_RELEASE_(b);
    return fw_barrier_arrive(b);
}

static inline int fw_barrier_wait_noted_(fw_barrier *b)
{
    int result;

    FW_NOTE_RELEASE_(b);
    result = fw_barrier_wait(b);
    FW_NOTE_ACQUIRE_(b);
    return result;
}

static inline int fw_barrier_wait_policy_noted_(fw_barrier *b, const fw_wait_policy *policy)
{
    int result;

    FW_NOTE_RELEASE_(b);
    result = fw_barrier_wait_policy(b, policy);
    FW_NOTE_ACQUIRE_(b);
    return result;
}

static inline bool fw_barrier_arrive__noted_(fw_barrier *b, uint32_t n, bool stay, bool drop,
                                             uint32_t *phase)
{
    bool is_last;

    FW_NOTE_RELEASE_(b);
    is_last = fw_barrier_arrive_(b, n, stay, drop, phase);
    if (is_last)
        FW_NOTE_ACQUIRE_(b);
    return is_last;
}

#define fw_barrier_drop fw_barrier_drop_noted_
#define fw_barrier_await fw_barrier_await_noted_
#define fw_barrier_destroy fw_barrier_destroy_noted_
#define fw_barrier_arrive fw_barrier_arrive_noted_
#define fw_barrier_wait fw_barrier_wait_noted_
#define fw_barrier_wait_policy fw_barrier_wait_policy_noted_
#define fw_barrier_open_ fw_barrier_open__noted_
#define fw_barrier_stay_ fw_barrier_stay__noted_
#define fw_barrier_arrive_ fw_barrier_arrive__noted_

#endif

#endif
