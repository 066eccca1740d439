/* SPDX-License-Identifier: MIT */
#ifndef FW_MEASURE_TASK_LIMITS_H
#define FW_MEASURE_TASK_LIMITS_H

#include <stdbool.h>
#include <stddef.h>

/* Writes which limit on the number of tasks (processes or threads) is the tightest here. */
void limits_describe(bool processes, char *text, size_t size);

#endif
