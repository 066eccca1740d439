/* SPDX-License-Identifier: MIT */
#include "contended.h"

/* Of the thread; in static memory, since an operation may be where malloc must not be called. */
static _Thread_local struct {
    const uint64_t *place;
    uint64_t sequence;
} last __attribute__((tls_model("initial-exec")));

bool fw_contention_(const uint64_t *place, uint64_t sequence)
{
    bool is_contended = last.place == place && last.sequence != sequence;

    last.place = place;
    last.sequence = sequence;
    return is_contended;
}
