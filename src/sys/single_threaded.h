/* SPDX-License-Identifier: MIT */
#ifndef FW_SYS_SINGLE_THREADED_H
#define FW_SYS_SINGLE_THREADED_H

#include <stdbool.h>
#include <stdint.h>

#include <furwock/bits/atomic.h>

/* glibc 2.32 and later: not 0 as long as no other thread can have been started. */
extern char __libc_single_threaded __attribute__((weak));

/* Is this the only thread of the process?  False where that is not known. */
static inline bool fw_is_single_threaded_(void)
{
    return &__libc_single_threaded != 0 && __libc_single_threaded != 0;
}

/*
 * To ask costs two loads, of which the second needs the first; where a nanosecond counts, a
 * variable of one's own remembers that there once were others.  False: perhaps there were.
 */
static inline bool fw_was_multithreaded_(const uint8_t *mark)
{
    return __builtin_expect(fw_load8_relaxed(mark) != 0, 1);
}

static inline void fw_mark_multithreaded_(uint8_t *mark)
{
    if (!fw_is_single_threaded_())
        fw_store8_relaxed(mark, 1);
}

#endif
