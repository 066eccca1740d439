/* SPDX-License-Identifier: MIT */
#ifndef FW_PRELOAD_CANCEL_H
#define FW_PRELOAD_CANCEL_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include <furwock/bits/atomic.h>

/*
 * Cancellation points that do not sleep.  Most programs never cancel a thread; so pthread_cancel
 * comes by here, leaves a mark, and goes on to the C library's.  Whoever knows of the request (it
 * happened before, as C11 has it) sees the mark.
 */
extern uint8_t fw_posix_cancels_ __attribute__((visibility("hidden")));

/* Has any thread of this process been asked to end? */
static inline bool fw_posix_may_be_cancelled_(void)
{
    return __builtin_expect(fw_load8_relaxed(&fw_posix_cancels_) != 0, 0);
}

/* Ends the calling thread if that was asked for. */
static inline void fw_posix_cancel_point_(void)
{
    if (fw_posix_may_be_cancelled_())
        pthread_testcancel();
}

int fw_posix_cancel_(pthread_t thread);

#endif
