/* SPDX-License-Identifier: MIT */
#ifndef FURWOCK_BITS_ANNOTATED_EVENT_H
#define FURWOCK_BITS_ANNOTATED_EVENT_H

#include <furwock/event.h>

#ifdef FW_ANNOTATED_

/* The calls of furwock/event.h for race detectors; internal: bits/annotate.h. */

FW_NOTED_ACQUIRE_(fw_event_wait, (fw_event * l), (l))
FW_NOTED_ACQUIRE_INT_(fw_event_trywait, (fw_event * l), (l))
FW_NOTED_ACQUIRE_INT_(fw_event_timedwait, (fw_event * l, const fw_deadline *deadline),
                      (l, deadline))
FW_NOTED_ACQUIRE_INT_(fw_event_wait_policy,
                      (fw_event * l, const fw_wait_policy *policy, const fw_deadline *deadline),
                      (l, policy, deadline))
FW_NOTED_RELEASE_(fw_event_set, (fw_event * l), (l))

static inline bool fw_event_is_set_noted_(const fw_event *e)
{
    bool is_set = fw_event_is_set(e);

    if (is_set)
        FW_NOTE_ACQUIRE_(e);
    return is_set;
}

#define fw_event_wait fw_event_wait_noted_
#define fw_event_trywait fw_event_trywait_noted_
#define fw_event_timedwait fw_event_timedwait_noted_
#define fw_event_wait_policy fw_event_wait_policy_noted_
#define fw_event_set fw_event_set_noted_
#define fw_event_is_set fw_event_is_set_noted_

#endif

#endif
