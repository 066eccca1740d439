/* SPDX-License-Identifier: MIT */
#ifndef FW_COMMAND_RT_SET_H
#define FW_COMMAND_RT_SET_H

#include <jansson.h>
#include <stdint.h>

#include "rt/taskset.h"

/* What the verbs that take a task set share.  What is wrong ends the program, with a line. */
struct taskset *rt_set_read(const char *path); /* NULL: none was given */
int rt_set_protocol(const char *name);
uint64_t rt_set_time(const char *text, const char *option); /* microseconds, as ns */

/* In memory of its own, until the next call. */
const char *rt_set_visible(const char *name);

json_t *rt_set_us(uint64_t ns); /* null: ANALYSIS_NO_BOUND */

#endif
