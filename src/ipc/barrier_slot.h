/* SPDX-License-Identifier: MIT */
#ifndef FW_IPC_BARRIER_SLOT_H
#define FW_IPC_BARRIER_SLOT_H

#include <stdbool.h>
#include <stdint.h>

#include <furwock/ipc/barrier.h>

#include "ipc/region/participant.h"

/* A barrier, and the calling thread. */
struct fw_ipc_barrier_call_ {
    fw_ipc_barrier *b;
    uint64_t *slots;
    uint32_t parties;
    bool goes_on;
    struct fw_ipc_me_ me;
};

/* Does the region have `size` bytes from the barrier on? */
bool fw_ipc_barrier_fits_(const struct fw_ipc_mapping_ *mapping, const fw_ipc_barrier *b,
                          size_t size);

/* Fills all but `me`.  0, EINVAL, EUCLEAN. */
int fw_ipc_barrier_check_(struct fw_ipc_barrier_call_ *v, const struct fw_ipc_mapping_ *mapping,
                          const fw_ipc_barrier *b);

/* The n-th slot that the caller looks at: threads begin at different ones. */
static inline uint64_t *fw_ipc_barrier_nth_(const struct fw_ipc_barrier_call_ *v, uint32_t n)
{
    uint64_t first = (v->me.id & FW_IPC_SLOT) % v->parties;

    return &v->slots[(first + n) % v->parties];
}

/* The caller's slot in the epoch of w; NULL: it has none. */
uint64_t *fw_ipc_barrier_own_(const struct fw_ipc_barrier_call_ *v, uint64_t w);

/*
 * Finds the caller's slot or takes one.  0: *slot is the caller's, and not given up, in the epoch
 * of *w, the present word; EBUSY: all are taken; EOWNERDEAD: the barrier has failed.
 */
int fw_ipc_barrier_join_(const struct fw_ipc_barrier_call_ *v, uint64_t *w, uint64_t **slot);

/* Another number of changes.  Returns the word. */
uint64_t fw_ipc_barrier_change_(const struct fw_ipc_barrier_call_ *v);

/* Wakes one sleeper, if there is any by the word w, so that it finds out who is awaited now. */
void fw_ipc_barrier_wake_one_(const struct fw_ipc_barrier_call_ *v, uint64_t w);

/*
 * The next sleep ends with the life of any party that is awaited in the round w (IBAR5).  If rounds
 * go on without the dead, those are not awaited.  If nobody is, there is no sleep: the round is to
 * be ended, and the party that arrived last may have died before it ended it.
 */
struct fw_ipc_wait_;
void fw_ipc_barrier_watch_(const struct fw_ipc_barrier_call_ *v, uint64_t w,
                           struct fw_ipc_wait_ *wait);

/* The word w -> next: the round ends, or fails, and all wake up.  False: it is another word. */
bool fw_ipc_barrier_end_round_(const struct fw_ipc_barrier_call_ *v, uint64_t w, uint64_t next);

#endif
