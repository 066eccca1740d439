/* SPDX-License-Identifier: MIT */
#ifndef FW_IPC_AGENT_TABLE_H
#define FW_IPC_AGENT_TABLE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "ipc/region/mapping.h"
#include "ipc/region/participant.h"
#include "sys/fork.h"

/*
 * The agents of this process, for agent.c and agent_start.c; each by the index of its mapping.
 *
 *   life       id   meaning                         left by
 *   another's  any  there is none in this process   start: own, 0
 *   own        0    there is none, or it starts     its thread: id
 *   own        id   it is a participant             stop: 0
 */
struct fw_agent_ {
    uint64_t life;       /* of the process in which it is: sys/fork.h */
    uint64_t generation; /* of the mapping */
    uint64_t id;
    uint32_t uses;
    uint32_t is_told; /* to stop */
    uint32_t is_ready;
    int error;
    pthread_t thread;
    struct fw_ipc_me_ me;
    const struct fw_ipc_mapping_ *mapping;
    struct fw_agent_ *next; /* of the same region: for more shares */
};

extern struct fw_agent_ fw_ipc_agents_[FW_RANGES];

static inline bool fw_agent_is_here_(const struct fw_agent_ *k,
                                     const struct fw_ipc_mapping_ *mapping)
{
    return fw_load64_acquire(&k->id) != 0 && fw_life_is_(fw_load64_relaxed(&k->life)) &&
           fw_load64_relaxed(&k->generation) == mapping->generation;
}

#endif
