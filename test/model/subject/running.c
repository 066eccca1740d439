/* SPDX-License-Identifier: MIT */
/* src/sys/running.h, as operations of the model. */
#include "sys/running.h"
#include "../cpus.h"
#include "../engine/model.h"
#include "subject.h"
#include "sys/slice.h"

void fw_running_begin_(void)
{
    cpus_begin(model_current);
}

enum fw_running_ fw_running_(uint32_t tid)
{
    return fw_running_in_(tid, 0);
}

/* All are in one pid namespace here. */
enum fw_running_ fw_running_in_(uint32_t tid, uint32_t pid_namespace)
{
    (void)pid_namespace;
    if (tid == 0) {
        cpus_forget();
        return FW_RUNNING_UNKNOWN;
    }
    return (enum fw_running_)cpus_ask(OP_RUNNING, tid - SUBJECT_FIRST_TID);
}

bool fw_cpu_is_wanted_(void)
{
    return cpus_ask(OP_WANTED, 0) != 0;
}

void fw_running_slept_(void) {}

void fw_slice_ask_(const void *lock)
{
    (void)lock;
}

void fw_slice_done_(const void *lock)
{
    (void)lock;
}
