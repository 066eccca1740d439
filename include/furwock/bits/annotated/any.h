/* SPDX-License-Identifier: MIT */
#ifndef FURWOCK_BITS_ANNOTATED_ANY_H
#define FURWOCK_BITS_ANNOTATED_ANY_H

#include <furwock/any.h>

#ifdef FW_ANNOTATED_

/* The call of furwock/any.h for race detectors; internal: bits/annotate.h. */

static inline int fw_wait_any_noted_(const fw_any *objects, unsigned n, const fw_deadline *deadline,
                                     unsigned *which)
{
    unsigned found = 0;
    int error = fw_wait_any(objects, n, deadline, &found);

    if (error != 0)
        return error;
    if (which != NULL)
        *which = found;
    FW_NOTE_ACQUIRE_((const uint64_t *)objects[found].object);
    return 0;
}

#define fw_wait_any fw_wait_any_noted_

#endif

#endif
