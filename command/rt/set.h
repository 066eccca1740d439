/* SPDX-License-Identifier: MIT */
#ifndef FW_COMMAND_RT_SET_H
#define FW_COMMAND_RT_SET_H

#include <argp.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "command/rt/analysis/analysis.h"
#include "command/rt/taskset.h"

/* What the verbs that take a task set share.  What is wrong ends the program, with a line. */
struct rt_set_options {
    const char *path; /* NULL: none was given */
    int protocol;     /* 0: none was named */
    int tier;         /* fw_rt_tier */
    bool as_json;
    struct analysis_costs costs;
};

/* For argp: TASKSET, -p, -t, -j, -s, -w and -k. */
error_t rt_set_parse(int key, char *arg, struct rt_set_options *o);

/* What the option was given, microseconds, as nanoseconds. */
uint64_t rt_set_ns(const char *text, const char *option);

/*
 * The set, to be asked for once; it is freed when the program ends, wherever that is.  The protocol
 * is its own then, where none was named, and the tick this kernel's.
 */
const struct taskset *rt_set_read(struct rt_set_options *o);

/* In memory of its own, until the next call. */
const char *rt_set_visible(const char *name);

json_t *rt_set_us(uint64_t ns); /* null: ANALYSIS_NO_BOUND */

#endif
