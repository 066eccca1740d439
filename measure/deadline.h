/* SPDX-License-Identifier: MIT */
#ifndef FW_MEASURE_DEADLINE_H
#define FW_MEASURE_DEADLINE_H

#include <furwock/bits/deadline.h>

/* A point of the monotonic clock, as furwock's timed calls take it, for the length of a call. */
#define DEADLINE(point) (&(fw_deadline){.at = *(point), .clock = CLOCK_MONOTONIC})

#endif
