/* SPDX-License-Identifier: MIT */
/* A file of its own, so that a test can be put before it.  Contract: running.h. */
#include <stdint.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <sys_call_arch.h>

#include "sys/origin.h"
#include "sys/running.h"
#include "sys/running_page.h"

void fw_running_ring_(uint32_t registration)
{
    siginfo_t nothing;

    if (registration == FW_ASSIST_BY_RING)
        fw_system_call_(SYS_prctl, FW_ASSIST_RING, FW_ASSIST_VERSION, 0, 0, 0, 0);
    else if (registration == FW_ASSIST_BY_WAIT)
        fw_system_call_(SYS_waitid, P_PID, (long)fw_process_id_(), (long)(uintptr_t)&nothing,
                        WEXITED | WNOHANG, 0, 0);
}
