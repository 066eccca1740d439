/* SPDX-License-Identifier: MIT */
/* How threads spin between processes, before they sleep.  Contract: wait.h. */
#include "ipc/wait.h"

#include <stddef.h>

#include <furwock/bits/atomic.h>

#include "ipc/region/participant.h"
#include "sys/running.h"

/* Pauses between looks, at most; with the look at the clock one takes about 50 ns. */
enum { LOOKS_APART = 32 };

/* Does this holder run?  Its line may be another's by now, which is a wrong guess like others. */
static enum fw_running_ runs(const struct fw_ipc_wait_ *w, uint64_t holder)
{
    const struct fw_ipc_participant_ *m = fw_ipc_participant_of_(w->me.mapping, holder);

    return m == NULL ? FW_RUNNING_UNKNOWN
                     : fw_running_in_((uint32_t)fw_load64_relaxed(&m->ids),
                                      (uint32_t)fw_load64_relaxed(&m->pid_namespace));
}

bool fw_ipc_wait_spin_on_(struct fw_ipc_wait_ *w, uint64_t holder)
{
    enum fw_running_ owner =
        w->spin.kind == FW_WAIT_ADAPTIVE ? runs(w, holder) : FW_RUNNING_UNKNOWN;

    for (uint32_t i = 0; i < w->looks; i++)
        if (!fw_wait_spin_knowing_(&w->spin, owner))
            return false;
    if (w->looks < LOOKS_APART)
        w->looks *= 2;
    return true;
}

bool fw_ipc_wait_spin_(struct fw_ipc_wait_ *w)
{
    return fw_ipc_wait_spin_on_(w, 0);
}

void fw_ipc_wait_again_(struct fw_ipc_wait_ *w)
{
    w->looks = 1;
    fw_wait_again_(&w->spin);
}
