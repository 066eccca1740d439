/* SPDX-License-Identifier: MIT */
/* Contract: wait_any.h. */
#include "sys/wait_any.h"

#include <errno.h>

#include <furwock/bits/atomic.h>

#include "sys/call_waitv.h"

enum { UNKNOWN, YES, NO };

bool fw_can_wait_any_(void)
{
    static uint32_t known;
    uint32_t answer = fw_load32_relaxed(&known);

    if (answer == UNKNOWN) {
        answer = fw_ask_waitv_() == EINVAL ? YES : NO;
        fw_store32_relaxed(&known, answer);
    }
    return answer == YES;
}
