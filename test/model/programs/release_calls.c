/* SPDX-License-Identifier: MIT */
#include "sys/release.h"

#include "release_calls.h"

extern const struct release_calls CALLS;

const struct release_calls CALLS = {
    .begin = fw_release_begin_, .fence = fw_release_fence_, .offset = &fw_rseq_offset_};
