/* SPDX-License-Identifier: MIT */
#ifndef FURWOCK_BITS_ANNOTATED_COND_H
#define FURWOCK_BITS_ANNOTATED_COND_H

#include <furwock/cond.h>

#ifdef FW_ANNOTATED_

/* The calls of furwock/cond.h for race detectors; internal: bits/annotate.h. */

/*
 * The mutex is left and taken again within the call.  A thread that is cancelled in it has the
 * mutex in its clean-up handlers: in C that is said only where the caller was compiled with
 * -fexceptions.
 */
static inline void fw_cond_note_relocked_(fw_mutex **m)
{
    FW_NOTE_LOCKING_(*m, FW_NOTE_WRITE_);
    FW_NOTE_LOCKED_(*m, FW_NOTE_WRITE_, 1);
}

static inline void fw_cond_note_unlocked_(fw_cond *c, fw_mutex *m)
{
    FW_NOTE_WORDS_(c);
    FW_NOTE_UNLOCK_(m, FW_NOTE_WRITE_);
}

FW_NOTED_ANALYSED_(void, fw_cond_wait, (fw_cond * c, fw_mutex *m), FW_REQUIRES(m))
FW_NOTED_ANALYSED_(int, fw_cond_timedwait, (fw_cond * c, fw_mutex *m, const fw_deadline *deadline),
                   FW_REQUIRES(m))
FW_NOTED_ANALYSED_(int, fw_cond_wait_policy,
                   (fw_cond * c, fw_mutex *m, const fw_wait_policy *policy,
                    const fw_deadline *deadline),
                   FW_REQUIRES(m))

static inline void fw_cond_wait_noted_(fw_cond *c, fw_mutex *m)
{
    fw_mutex *relocked __attribute__((cleanup(fw_cond_note_relocked_))) = m;

    fw_cond_note_unlocked_(c, relocked);
    fw_cond_wait(c, m);
}

static inline int fw_cond_timedwait_noted_(fw_cond *c, fw_mutex *m, const fw_deadline *deadline)
{
    fw_mutex *relocked __attribute__((cleanup(fw_cond_note_relocked_))) = m;

    fw_cond_note_unlocked_(c, relocked);
    return fw_cond_timedwait(c, m, deadline);
}

static inline int fw_cond_wait_policy_noted_(fw_cond *c, fw_mutex *m, const fw_wait_policy *policy,
                                             const fw_deadline *deadline)
{
    fw_mutex *relocked __attribute__((cleanup(fw_cond_note_relocked_))) = m;

    fw_cond_note_unlocked_(c, relocked);
    return fw_cond_wait_policy(c, m, policy, deadline);
}

static inline uint32_t fw_cond_signal_noted_(fw_cond *c)
{
    FW_NOTE_WORDS_(c);
    return fw_cond_signal(c);
}

static inline uint32_t fw_cond_broadcast_noted_(fw_cond *c)
{
    FW_NOTE_WORDS_(c);
    return fw_cond_broadcast(c);
}

#define fw_cond_wait fw_cond_wait_noted_
#define fw_cond_timedwait fw_cond_timedwait_noted_
#define fw_cond_wait_policy fw_cond_wait_policy_noted_
#define fw_cond_signal fw_cond_signal_noted_
#define fw_cond_broadcast fw_cond_broadcast_noted_

#endif

#endif
