/* SPDX-License-Identifier: MIT */
#ifndef MODEL_IPC_CALLS_H
#define MODEL_IPC_CALLS_H

#include "../engine/model.h"
#include "calls.h"
#include "ipc/region/member.h"

/* What all families of locks between processes have below them: the members. */
struct ipc_region_calls {
    struct fw_ipc_self_ *(*self)(void);
    int (*enter)(const void *object, struct fw_ipc_me_ *me);
    bool (*leave)(const struct fw_ipc_mapping_ *mapping);
    struct model_own own; /* the variables of its own that a copy's threads have */
};

/* For the tables (faults.py): IPC_REGION_CALLS is the initialiser. */
#ifdef CALLS_OF_A_COPY
#define IPC_PASTE_(a, b) a##b
#define IPC_PASTE(a, b) IPC_PASTE_(a, b)
#define IPC_OWN_BEGIN IPC_PASTE(__start_, SUBJECT_OWN)
#define IPC_OWN_END IPC_PASTE(__stop_, SUBJECT_OWN)

extern uint8_t IPC_OWN_BEGIN[], IPC_OWN_END[];

static struct fw_ipc_self_ *own_self(void)
{
    return &fw_ipc_self_;
}

#define IPC_REGION_CALLS                                                       \
    {                                                                          \
        .self = own_self, .enter = fw_ipc_enter_slow_, .leave = fw_ipc_leave_, \
        .own = {IPC_OWN_BEGIN, IPC_OWN_END},                                   \
    }
#endif

#endif
