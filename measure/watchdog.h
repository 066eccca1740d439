/* SPDX-License-Identifier: MIT */
#ifndef FW_MEASURE_WATCHDOG_H
#define FW_MEASURE_WATCHDOG_H

#include <stddef.h>

/*
 * A test that may hang has a watchdog: when the time is up, it writes what was being done, the
 * bytes of the watched memory (the lock) and where each thread sleeps (/proc/self/task), calls
 * `dump`, and aborts.  One watchdog at a time; its thread starts with watchdog_start and ends
 * with watchdog_stop.
 */
void watchdog_start(unsigned seconds, const char *what, const void *memory, size_t size,
                    void (*dump)(void *), void *arg);
void watchdog_stop(void);

#endif
