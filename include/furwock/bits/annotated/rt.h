/* SPDX-License-Identifier: MIT */
#ifndef FURWOCK_BITS_ANNOTATED_RT_H
#define FURWOCK_BITS_ANNOTATED_RT_H

#include <furwock/rt.h>

#ifdef FW_ANNOTATED_

/*
 * The calls of furwock/rt.h for race detectors; internal: bits/annotate.h.  A lock is a number
 * there, and has no address that all its users know: it gets one of the program's.
 */
enum { FW_RT_NOTED_ = 64 };

__attribute__((weak)) long long fw_rt_noted_[FW_RT_NOTED_];

static inline int fw_rt_lock_noted_(fw_rt_task *task, unsigned lock)
{
    int error = fw_rt_lock(task, lock);

    if (FW_NOTE_TAKEN_(error))
        FW_NOTE_ACQUIRE_(&fw_rt_noted_[lock % FW_RT_NOTED_]);
    return error;
}

static inline int fw_rt_trylock_noted_(fw_rt_task *task, unsigned lock)
{
    int error = fw_rt_trylock(task, lock);

    if (FW_NOTE_TAKEN_(error))
        FW_NOTE_ACQUIRE_(&fw_rt_noted_[lock % FW_RT_NOTED_]);
    return error;
}

static inline int fw_rt_unlock_noted_(fw_rt_task *task, unsigned lock)
{
    FW_NOTE_RELEASE_(&fw_rt_noted_[lock % FW_RT_NOTED_]);
    return fw_rt_unlock(task, lock);
}

#define fw_rt_lock fw_rt_lock_noted_
#define fw_rt_trylock fw_rt_trylock_noted_
#define fw_rt_unlock fw_rt_unlock_noted_

#endif

#endif
