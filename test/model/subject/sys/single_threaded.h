/* SPDX-License-Identifier: MIT */
#ifndef FW_SYS_SINGLE_THREADED_H
#define FW_SYS_SINGLE_THREADED_H

#include <stdbool.h>
#include <stdint.h>

/* Stands in for src/sys/single_threaded.h: whether a thread is alone is a matter of the program. */
bool subject_is_single_threaded(void);
bool subject_was_multithreaded(void);

static inline bool fw_is_single_threaded_(void)
{
    return subject_is_single_threaded();
}

/* The program says so, and nothing is remembered. */
static inline bool fw_was_multithreaded_(const uint8_t *mark)
{
    (void)mark;
    return subject_was_multithreaded();
}

static inline void fw_mark_multithreaded_(uint8_t *mark)
{
    (void)mark;
}

#endif
