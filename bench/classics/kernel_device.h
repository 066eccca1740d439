/* SPDX-License-Identifier: MIT */
#ifndef FW_CLASSICS_KERNEL_DEVICE_H
#define FW_CLASSICS_KERNEL_DEVICE_H

#include <stdbool.h>
#include <stdint.h>

#include <furwock/kernel.h>

/*
 * The kernel service of the papers, as furwock.ko has it (furwock/kernel.h): its calls for locks.
 * One descriptor of the device serves the process and those that it forks.
 */

/* NULL: it is there.  Otherwise why not, and what to do. */
const char *kernel_device_missing(void);

/*
 * The call with this number: its result, 0 or more, or a negative errno that its contract names.
 * Anything else ends the program, as does a device that is not there.
 */
int kernel_device_call(unsigned long number, void *argument);

/* A wait of any kind, begun anew after a signal's handler; `deadline`: as in furwock/kernel.h. */
int kernel_device_wait(unsigned long number, const uint32_t *word, uint32_t expected,
                       uint32_t flags, int64_t deadline);

/* WAKE, UP, SEM_UP, UNLOCK: how many were let go; 0 as well where the word is there no more. */
int kernel_device_wake(unsigned long number, const uint32_t *word, uint32_t n, uint32_t flags,
                       uint32_t semaphore);

#endif
