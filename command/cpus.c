/* SPDX-License-Identifier: MIT */
#include "cpus.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"

/* One number below CPU_SETSIZE, and what ends it. */
static bool read_cpu(const char **text, unsigned long *cpu)
{
    char *end;

    if (**text < '0' || **text > '9')
        return false;
    errno = 0;
    *cpu = strtoul(*text, &end, 10);
    *text = end;
    return errno == 0 && *cpu < CPU_SETSIZE;
}

bool cpus_read(const char *text, cpu_set_t *set)
{
    unsigned long first, last;

    CPU_ZERO(set);
    for (;; text++) {
        if (!read_cpu(&text, &first))
            return false;
        last = first;
        if (*text == '-') {
            text++;
            if (!read_cpu(&text, &last) || last < first)
                return false;
        }
        for (; first <= last; first++)
            CPU_SET(first, set);
        if (*text == '\0')
            return true;
        if (*text != ',')
            return false;
    }
}

void cpus_write(const cpu_set_t *set, char *text, size_t size)
{
    size_t used = 0;

    text[0] = '\0';
    for (unsigned first = 0; first < CPU_SETSIZE && used < size; first++) {
        if (!CPU_ISSET(first, set))
            continue;
        unsigned last = first;
        while (last + 1 < CPU_SETSIZE && CPU_ISSET(last + 1, set))
            last++;
        const char *comma = used > 0 ? "," : "";
        used += (size_t)(last > first
                             ? snprintf(text + used, size - used, "%s%u-%u", comma, first, last)
                             : snprintf(text + used, size - used, "%s%u", comma, first));
        first = last;
    }
}

static void try_each(const cpu_set_t *set)
{
    cpu_set_t one;

    for (unsigned cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        if (!CPU_ISSET(cpu, set))
            continue;
        CPU_ZERO(&one);
        CPU_SET(cpu, &one);
        if (sched_setaffinity(0, sizeof one, &one) != 0)
            command_die(COMMAND_FAILED, "cannot put a thread onto CPU %u: %s", cpu,
                        strerror(errno));
    }
}

void cpus_take(const cpu_set_t *wanted, cpu_set_t *taken)
{
    cpu_set_t allowed, both;
    char may[256], wants[256];

    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0)
        command_die(COMMAND_FAILED, "cannot find out which CPUs may be used: %s", strerror(errno));
    *taken = wanted != NULL ? *wanted : allowed;
    CPU_AND(&both, taken, &allowed);
    if (!CPU_EQUAL(&both, taken)) {
        CPU_XOR(&both, taken, &both);
        cpus_write(&allowed, may, sizeof may);
        cpus_write(&both, wants, sizeof wants);
        command_die(COMMAND_USAGE, "CPU %s cannot be used: this process may run on %s", wants, may);
    }
    try_each(taken);
    if (sched_setaffinity(0, sizeof *taken, taken) != 0)
        command_die(COMMAND_FAILED, "cannot stay on the CPUs that were asked for: %s",
                    strerror(errno));
}
