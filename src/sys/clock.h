/* SPDX-License-Identifier: MIT */
#ifndef FW_SYS_CLOCK_H
#define FW_SYS_CLOCK_H

#include <stdint.h>
#include <time.h>

/* Nanoseconds of CLOCK_MONOTONIC. */
uint64_t fw_clock_ns_(void);

/* The time on CLOCK_MONOTONIC or CLOCK_REALTIME. */
void fw_clock_get_(clockid_t clock, struct timespec *now);

/* Tells the processor that the caller polls; some nanoseconds. */
void fw_pause_(void);

/* Gives the processor to another thread that is ready to run, if there is one. */
void fw_yield_(void);

#endif
