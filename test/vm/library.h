/* SPDX-License-Identifier: MIT */
#ifndef FW_TEST_VM_LIBRARY_H
#define FW_TEST_VM_LIBRARY_H

/* For tests of tier B that are tasks by the library. */
#include <stdbool.h>
#include <string.h>

#include <furwock/rt.h>

#include "scx.h"

/* The call returns 0. */
#define CHECK_ZERO(call)                                                                  \
    do {                                                                                  \
        int error_ = (call);                                                              \
        scx_check(error_ == 0, "%s: %s (%s)", #call, strerror(error_), fw_rt_strerror()); \
    } while (0)

/* Else all who use such a lock are of one CPU. */
static inline bool is_of_any_cpu(fw_rt_protocol protocol)
{
    return protocol == FW_RT_MPCP || protocol == FW_RT_MPCP_DU || protocol == FW_RT_FMLP ||
           protocol == FW_RT_FMLP_DU;
}

#endif
