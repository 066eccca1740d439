/* SPDX-License-Identifier: MIT */
#ifndef FURWOCK_BITS_ANNOTATED_IPC_COND_H
#define FURWOCK_BITS_ANNOTATED_IPC_COND_H

#include <furwock/ipc/cond.h>

#ifdef FW_ANNOTATED_

/* The calls of furwock/ipc/cond.h for race detectors; internal: bits/annotate.h. */

/* The mutex is left and taken again within the call, where the caller held it. */
static inline void fw_ipc_cond_note_unlocked_(fw_ipc_cond *c, fw_ipc_mutex *m)
{
    FW_NOTE_WORDS_(c);
    if (fw_ipc_mutex_is_held_by_me(m)) {
        FW_NOTE_UNLOCK_(m, FW_NOTE_WRITE_);
    }
}

static inline int fw_ipc_cond_note_relocked_(fw_ipc_mutex *m, int error)
{
    if (fw_ipc_mutex_is_held_by_me(m)) {
        FW_NOTE_LOCKING_(m, FW_NOTE_WRITE_);
        FW_NOTE_LOCKED_(m, FW_NOTE_WRITE_, 1);
    }
    return error;
}

static inline int fw_ipc_cond_wait_noted_(fw_ipc_cond *c, fw_ipc_mutex *m)
{
    fw_ipc_cond_note_unlocked_(c, m);
    return fw_ipc_cond_note_relocked_(m, fw_ipc_cond_wait(c, m));
}

static inline int fw_ipc_cond_timedwait_noted_(fw_ipc_cond *c, fw_ipc_mutex *m,
                                               const fw_deadline *deadline)
{
    fw_ipc_cond_note_unlocked_(c, m);
    return fw_ipc_cond_note_relocked_(m, fw_ipc_cond_timedwait(c, m, deadline));
}

static inline int fw_ipc_cond_wait_policy_noted_(fw_ipc_cond *c, fw_ipc_mutex *m,
                                                 const fw_wait_policy *policy,
                                                 const fw_deadline *deadline)
{
    fw_ipc_cond_note_unlocked_(c, m);
    return fw_ipc_cond_note_relocked_(m, fw_ipc_cond_wait_policy(c, m, policy, deadline));
}

static inline int fw_ipc_cond_signal_noted_(fw_ipc_cond *c)
{
    FW_NOTE_WORDS_(c);
    return fw_ipc_cond_signal(c);
}

static inline int fw_ipc_cond_broadcast_noted_(fw_ipc_cond *c)
{
    FW_NOTE_WORDS_(c);
    return fw_ipc_cond_broadcast(c);
}

#define fw_ipc_cond_wait fw_ipc_cond_wait_noted_
#define fw_ipc_cond_timedwait fw_ipc_cond_timedwait_noted_
#define fw_ipc_cond_wait_policy fw_ipc_cond_wait_policy_noted_
#define fw_ipc_cond_signal fw_ipc_cond_signal_noted_
#define fw_ipc_cond_broadcast fw_ipc_cond_broadcast_noted_

#endif

#endif
