/* SPDX-License-Identifier: MIT */
#ifndef FW_IPC_HEAD_H
#define FW_IPC_HEAD_H

#include <stddef.h>
#include <stdint.h>

#include "ipc/region/layout.h"

/* Where everything lies in a region: it follows from the region's size alone. */
struct fw_ipc_plan_ {
    uint64_t size;
    uint32_t flags; /* FW_REGION_STAMP */
    uint32_t entry_count;
    uint32_t participant_count;
    uint32_t entries_at;
    uint32_t participants_at;
    uint64_t objects_at; /* a multiple of FW_IPC_HEAD_SIZE */
    uint32_t format;     /* FW_REGION_FORMAT; or see fw_ipc_head_check_ */
    uint64_t boot;       /* of the region that is there; else 0 */
    uint64_t pid_namespace;
};

/*
 * 0, or EINVAL: size is not FW_IPC_REGION_MIN_SIZE to FW_IPC_REGION_MAX_SIZE, in steps of
 * FW_IPC_HEAD_SIZE.
 */
int fw_ipc_plan_(uint64_t size, uint32_t flags, struct fw_ipc_plan_ *plan);

/*
 * What is this?  Only reads, every word once: what it says about *plan holds, whatever is written
 * over the head meanwhile.  `mapped`: how many bytes there are; at least sizeof *head may be read.
 *   0             the head of a region; *plan is filled
 *   EINPROGRESS   of one that is being made, or whose maker died; *plan has the size and the flags
 *   ENOENT        zeroes
 *   EPROTO        another format, then plan->format is the number, and plan->boot is known where it
 *                 is made; or another byte order: 0
 *   EUCLEAN       neither; or not as it was made; or the region does not fit in `mapped`
 */
int fw_ipc_head_check_(const struct fw_ipc_head_ *head, uint64_t mapped, struct fw_ipc_plan_ *plan);

/*
 * Makes a region in plan->size bytes of zeroes.  Any number of processes may do so at once, with
 * different plans; none waits for another.
 *   0         made, by this call
 *   EEXIST    there is one now, by another plan
 *   EUCLEAN   these are not zeroes
 */
int fw_ipc_head_make_(struct fw_ipc_head_ *head, const struct fw_ipc_plan_ *plan);

/* Does what is left to do for a head that is EINPROGRESS, or nothing. */
void fw_ipc_head_complete_(struct fw_ipc_head_ *head);

#endif
