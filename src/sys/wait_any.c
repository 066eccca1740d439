/* SPDX-License-Identifier: MIT */
/* Contract: wait_any.h. */
#include "sys/wait_any.h"

#include <errno.h>
#include <stddef.h>
#include <sys_call_arch.h>

#include <furwock/bits/atomic.h>

/* futex_waitv(2) is younger than many sets of kernel headers; the same number on all machines. */
enum { CALL_FUTEX_WAITV = 449 };

enum { UNKNOWN, YES, NO };

/* For no words at all: EINVAL, where there is such a call. */
static uint32_t ask(void)
{
    return fw_system_call_(CALL_FUTEX_WAITV, 0, 0, 0, 0, 0, 0) == -EINVAL ? YES : NO;
}

bool fw_can_wait_any_(void)
{
    static uint32_t known;
    uint32_t answer = fw_load32_relaxed(&known);

    if (answer == UNKNOWN) {
        answer = ask();
        fw_store32_relaxed(&known, answer);
    }
    return answer == YES;
}
