/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
#ifndef FW_BPF_RUNNING_KERNEL_H
#define FW_BPF_RUNNING_KERNEL_H

/* As much of the kernel's types as this program reads, beside what all do. */
#include "bpf/lib/kernel.h"

#define PF_KTHREAD 0x200000u
#define TASK_RUNNING 0

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct rq {
    unsigned int nr_running;
};

struct cfs_rq {
    struct rq *rq;
};

struct sched_entity {
    struct cfs_rq *cfs_rq;
};

typedef struct {
    int counter;
} atomic_t;

struct signal_struct {
    atomic_t live;
};

struct task_struct {
    unsigned int __state;
    unsigned int flags;
    struct sched_entity se;
    int pid, tgid;
    struct task_struct *group_leader;
    struct pid *thread_pid;
    struct signal_struct *signal;
};

#pragma clang attribute pop

#endif
