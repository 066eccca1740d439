/* SPDX-License-Identifier: MIT */
#ifndef FW_TEST_LAST_CPU_ASKED_H
#define FW_TEST_LAST_CPU_ASKED_H

#include <stdbool.h>
#include <stdint.h>

#include <furwock/bits/self.h>

#include "sys/last_cpu.h"

/* What the tests of sys/last_cpu.h share. */

#define STORM_NS UINT64_C(700000000)

static inline uint32_t own_tid(void)
{
    return fw_self_() >> FW_ID_SHIFT;
}

/* The answer without the few cases in which the caller was interrupted while it asked. */
static inline bool is_mine(uint32_t tid)
{
    for (int i = 0; i < 20; i++) {
        fw_last_cpu_join_();
        if (fw_last_cpu_is_mine_(tid))
            return true;
    }
    return false;
}

#endif
