/* SPDX-License-Identifier: MIT */
#ifndef FW_SYS_ALONE_H
#define FW_SYS_ALONE_H

#include <stdbool.h>
#include <stdint.h>

/* Stands in for src/sys/alone.h: whether a thread is alone is a matter of the program. */
bool subject_is_alone(void);
bool subject_had_company(void);

static inline bool fw_is_alone_(void)
{
    return subject_is_alone();
}

/* The program says so, and nothing is remembered. */
static inline bool fw_had_company_(const uint8_t *mark)
{
    (void)mark;
    return subject_had_company();
}

static inline void fw_mark_company_(uint8_t *mark)
{
    (void)mark;
}

#endif
