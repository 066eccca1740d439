/* SPDX-License-Identifier: MIT */
#include "rt_calls.h"

extern const struct rt_calls CALLS;

const struct rt_calls CALLS = {
    .lock = fw_rt_lock,
    .trylock = fw_rt_trylock,
    .unlock = fw_rt_unlock,
    .awake = fw_rt_yield_to_first_,
};
