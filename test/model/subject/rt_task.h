/* SPDX-License-Identifier: MIT */
#ifndef MODEL_SUBJECT_RT_TASK_H
#define MODEL_SUBJECT_RT_TASK_H

#include "rt.h"

#include "rt/internal.h"

/* What fw_rt_task_begin allocates, on the stack of the thread. */
struct subject_task {
    fw_rt_task task;
    uint64_t cpus; /* bit n: CPU n */
};

/* The calling thread's allocations are made there. */
void subject_use_task(struct subject_task *memory);

#endif
