/* SPDX-License-Identifier: MIT */
#ifndef MODEL_RELEASE_CALLS_H
#define MODEL_RELEASE_CALLS_H

#include <stddef.h>

#include "calls.h"
#include "sys/release.h"

/* Of src/sys/x86_64/release.c; no program calls them, but subject/release.c. */
#define RELEASE_CALLS(CALL, DATA)  \
    CALL(begin, fw_release_begin_) \
    CALL(fence, fw_release_fence_) \
    CALL(offset, fw_rseq_offset_)
CALLS_OF(release, RELEASE);

#endif
