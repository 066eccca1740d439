/* SPDX-License-Identifier: MIT */
#ifndef FW_COMMAND_CPUS_H
#define FW_COMMAND_CPUS_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>

/* CPUs as people write them: "0,2-5". */

/* False where the text is no such list, or names a CPU above the largest that a set can hold. */
bool cpus_read(const char *text, cpu_set_t *set);

/* Writes the list; one that does not fit is cut off. */
void cpus_write(const cpu_set_t *set, char *text, size_t size);

/*
 * Restricts the process to `wanted` (NULL: to what it may use anyway), and tries each of them.
 * Refuses, by name, CPUs that it may not use.
 */
void cpus_take(const cpu_set_t *wanted, cpu_set_t *taken);

#endif
