/* SPDX-License-Identifier: MIT */
#include "once_calls.h"

extern const struct once_calls CALLS;

const struct once_calls CALLS = {
    .call = fw_once_call,
    .end = fw_once_end_,
};
