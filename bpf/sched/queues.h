/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
#ifndef FW_BPF_SCHED_QUEUES_H
#define FW_BPF_SCHED_QUEUES_H

/* The queue of lock `d` among those of the slot's user.  All with `sched_lock` held. */
#include "bpf/sched/memory.h"

/* Takes the dead out of the queue.  Is anybody left? */
int fw_queue_clean(uint32_t slot, uint32_t d);

/* Its owner leaves: the next one gets the lock, or the next one that asks. */
int fw_queue_pass_on(uint32_t slot, uint32_t d);

/* Has the task, which is not in the queue, got the lock of a dead owner? */
int fw_queue_take_over(uint32_t slot, uint32_t d);

/* Waiters without an owner get the lock (QUEUE2). */
int fw_queue_resolve(uint32_t slot, uint32_t d);

#endif
