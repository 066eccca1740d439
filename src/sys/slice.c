/* SPDX-License-Identifier: MIT */
/*
 * A little more time for a thread that holds a lock.  Contract and states: slice.h.
 *
 * thread   meaning                              left by
 * -------  -----------------------------------  ------------------------------------------
 * UNTRIED  has not asked yet                    asks: ALLOWED or REFUSED
 * ALLOWED  the kernel looks at its request      nothing
 * REFUSED  it does not                          nothing
 *
 * A thread is refused where another was (the same kernel, the same C library), without a call.
 * What a thread was allowed, a process that it forks keeps.
 */
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <furwock/bits/atomic.h>

#include <sys_call_arch.h>
#include <sys_slice_arch.h>

#include "sys/slice.h"

/* Linux 7.0, unknown to older headers: <linux/prctl.h>, and <asm/unistd.h> of all architectures. */
#define CALL_RSEQ_SLICE_YIELD 471
#define SLICE_EXTENSION 79 /* PR_RSEQ_SLICE_EXTENSION */
#define SLICE_SET 2        /* PR_RSEQ_SLICE_EXTENSION_SET */
#define SLICE_ENABLE 1     /* PR_RSEQ_SLICE_EXT_ENABLE */

/* Elsewhere the first access in a thread may allocate. */
#define STATIC_TLS __thread __attribute__((tls_model("initial-exec")))

enum permission { UNTRIED, ALLOWED, REFUSED };

static STATIC_TLS enum permission permission;
static STATIC_TLS struct fw_slice_ slice;

/* Not 0: the kernel has refused a thread. */
static uint32_t is_refused;

int fw_slice_allow_(void)
{
    return (int)fw_system_call_(SYS_prctl, SLICE_EXTENSION, SLICE_SET, SLICE_ENABLE, 0, 0, 0);
}

long fw_slice_yield_(void)
{
    return fw_system_call_(CALL_RSEQ_SLICE_YIELD, 0, 0, 0, 0, 0, 0);
}

/* UNTRIED -> ALLOWED or REFUSED. */
static enum permission try_to_get(void)
{
    if (fw_slice_area_() == NULL || fw_load32_relaxed(&is_refused) != 0)
        return REFUSED;
    /* A filter of system calls may kill who makes one that it does not know. */
    if (fw_system_call_(SYS_prctl, PR_GET_SECCOMP, 0, 0, 0, 0, 0) == 0 && fw_slice_allow_() == 0)
        return ALLOWED;
    fw_store32_relaxed(&is_refused, 1);
    return REFUSED;
}

static volatile struct fw_slice_control_ *own_control(void)
{
    return (volatile struct fw_slice_control_ *)(fw_slice_area_() + FW_SLICE_OFFSET);
}

void fw_slice_ask_(const void *lock)
{
    if (permission == UNTRIED)
        permission = try_to_get();
    if (permission == ALLOWED)
        fw_slice_ask_in_(&slice, own_control(), lock);
}

void fw_slice_done_(const void *lock)
{
    if (slice.lock == lock && lock != NULL && fw_slice_done_in_(&slice, own_control(), lock))
        fw_slice_yield_();
}
