/* SPDX-License-Identifier: MIT */
#include "set.h"

#include <furwock/rt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "command/command.h"
#include "command/print/visible.h"

static const double longest_us = 1e6;

/* Of this machine's kernel. */
static uint64_t tick_ns(void)
{
    struct timespec tick = {.tv_nsec = 10000000};

    clock_getres(CLOCK_MONOTONIC_COARSE, &tick);
    return (uint64_t)tick.tv_nsec;
}

static struct taskset *set;

static void forget(void)
{
    taskset_free(set);
}

const struct taskset *rt_set_read(struct rt_set_options *o)
{
    char why[TASKSET_WHY];

    if (o->path == NULL)
        command_die(COMMAND_USAGE, "a task set is missing: a file of JSON");
    set = taskset_read(o->path, why);
    if (set == NULL)
        command_die(COMMAND_FAILED, "%s: %s", o->path, why);
    atexit(forget);
    if (o->protocol == 0)
        o->protocol = set->protocol;
    if (o->tier != FW_RT_TIER_B)
        o->costs.tick = 0;
    else if (o->costs.tick == 0)
        o->costs.tick = tick_ns();
    return set;
}

static int protocol_named(const char *name)
{
    fw_rt_protocol protocol = fw_rt_protocol_named(name);
    char known[160] = "";
    int used = 0;

    if (protocol != 0)
        return (int)protocol;
    for (int p = 1; p <= FW_RT_PROTOCOLS; p++)
        used += snprintf(known + used, sizeof known - (size_t)used, " %s",
                         fw_rt_protocol_name((fw_rt_protocol)p));
    command_die(COMMAND_USAGE, "no protocol \"%s\"; there are:%s", name, known);
}

static int tier_named(const char *text)
{
    if (strcmp(text, "A") != 0 && strcmp(text, "B") != 0)
        command_die(COMMAND_USAGE, "--tier takes A or B, not \"%s\"", text);
    return text[0] == 'A' ? FW_RT_TIER_A : FW_RT_TIER_B;
}

uint64_t rt_set_ns(const char *text, const char *option)
{
    char *end;
    double us = strtod(text, &end);

    if (end == text || *end != 0 || !(us >= 0) || us > longest_us)
        command_die(COMMAND_USAGE, "%s takes microseconds from 0 to %.0f, not \"%s\"", option,
                    longest_us, text);
    return (uint64_t)llround(us * 1e3);
}

error_t rt_set_parse(int key, char *arg, struct rt_set_options *o)
{
    switch (key) {
    case 'p':
        o->protocol = protocol_named(arg);
        return 0;
    case 't':
        o->tier = tier_named(arg);
        return 0;
    case 'j':
        o->as_json = true;
        return 0;
    case 's':
        o->costs.section = rt_set_ns(arg, "--section-cost");
        return 0;
    case 'w':
        o->costs.wake = rt_set_ns(arg, "--wake-cost");
        return 0;
    case 'k':
        o->costs.tick = rt_set_ns(arg, "--tick");
        return 0;
    case ARGP_KEY_ARG:
        if (o->path != NULL)
            command_die(COMMAND_USAGE, "takes one task set, not \"%s\" too", arg);
        o->path = arg;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

const char *rt_set_visible(const char *name)
{
    static char copy[4096];

    snprintf(copy, sizeof copy, "%s", name);
    return visible(copy);
}

json_t *rt_set_us(uint64_t ns)
{
    return ns == ANALYSIS_NO_BOUND ? json_null() : json_real((double)ns / 1e3);
}
