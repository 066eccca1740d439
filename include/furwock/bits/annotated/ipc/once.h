/* SPDX-License-Identifier: MIT */
#ifndef FURWOCK_BITS_ANNOTATED_IPC_ONCE_H
#define FURWOCK_BITS_ANNOTATED_IPC_ONCE_H

#include <furwock/ipc/once.h>

#ifdef FW_ANNOTATED_

/* The calls of furwock/ipc/once.h for race detectors; internal: bits/annotate.h. */

struct fw_ipc_once_noted_ {
    const fw_ipc_once *once;
    int (*init)(void *);
    void *arg;
};

static inline int fw_ipc_once_note_init_(void *arg)
{
    const struct fw_ipc_once_noted_ *call = (const struct fw_ipc_once_noted_ *)arg;
    int error = call->init(call->arg);

    FW_NOTE_RELEASE_(call->once);
    return error;
}

static inline int fw_ipc_once_call_noted_(fw_ipc_once *o, int (*init)(void *), void *arg)
{
    struct fw_ipc_once_noted_ call = {o, init, arg};
    int error = fw_ipc_once_call(o, fw_ipc_once_note_init_, &call);

    FW_NOTE_ACQUIRE_(o);
    return error;
}

static inline bool fw_ipc_once_is_done_noted_(const fw_ipc_once *o)
{
    bool is_done = fw_ipc_once_is_done(o);

    if (is_done)
        FW_NOTE_ACQUIRE_(o);
    return is_done;
}

#define fw_ipc_once_call fw_ipc_once_call_noted_
#define fw_ipc_once_is_done fw_ipc_once_is_done_noted_

#endif

#endif
