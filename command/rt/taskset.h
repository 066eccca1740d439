/* SPDX-License-Identifier: MIT */
#ifndef FW_RT_TASKSET_H
#define FW_RT_TASKSET_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/*
 * A task set: what `furwock rt analyze` evaluates, and `furwock rt run` runs.  A file in JSON:
 *
 *     {
 *       "format": "furwock-taskset-1",
 *       "protocol": "PCP-DU-BOOL",
 *       "locks": ["state", "log"],
 *       "tasks": [
 *         {"name": "control", "cpu": 0, "priority": 20, "period_us": 1000, "execution_us": 100,
 *          "sections": [{"lock": "state", "us": 12.5, "count": 2}]},
 *         {"name": "logger", "cpu": 0, "priority": 5, "period_us": 8000, "deadline_us": 6000,
 *          "execution_us": 900, "suspension_us": 300, "suspensions": 2,
 *          "sections": [{"lock": "log", "us": 80, "sections": [{"lock": "state", "us": 20}]}]}
 *       ]
 *     }
 *
 * key           where    meaning
 * ------------  -------  ------------------------------------------------------------------------
 * format        file     "furwock-taskset-1"
 * protocol      file     how the locks decide, by the names of furwock/rt.h; may be left out
 * locks         file     their names; may be left out where there are no sections
 * tasks         file     one or more
 * name          task     each its own
 * cpu           task     where it stays, 0 to 255
 * priority      task     1 (least urgent) to 49, on a CPU each its own
 * period_us     task     time between the releases of two of its jobs, at least
 * deadline_us   task     after the release, at most the period; left out: the period
 * execution_us  task     worst-case execution time of a job, its sections being part of it
 * suspension_us task     for how long a job sleeps of its own accord, in all; left out: 0
 * suspensions   task     in how many pieces; left out: 1, where it sleeps
 * sections      task     critical sections of a job, in this order; left out: none
 * lock          section  which it is under
 * us            section  its worst-case execution time, those inside of it being part of it
 * count         section  how many of these follow one another; left out: 1
 * sections      section  those that are inside of it
 *
 * Times are microseconds, also fractions, and are kept as nanoseconds.  Tasks do not sleep of their
 * own accord inside of sections: no bound would hold.  A key that is not in this table is an error.
 */
#define TASKSET_FORMAT "furwock-taskset-1"

enum {
    TASKSET_TASKS = 64,
    TASKSET_LOCKS = 63,
    TASKSET_SECTIONS = 256, /* of a task */
    TASKSET_DEPTH = 8,
    TASKSET_SUSPENSIONS = 1000,
    TASKSET_CPUS = 256,
    TASKSET_PRIORITIES = 49,
    TASKSET_NAME = 31, /* bytes */
    TASKSET_NONE = -1
};

struct taskset_section {
    int lock;
    int outer;       /* the section around it, in the task's list; TASKSET_NONE: none */
    uint64_t length; /* ns */
};

struct taskset_task {
    char name[TASKSET_NAME + 1];
    int cpu, priority;
    uint64_t period, deadline, execution, suspension; /* ns */
    int suspensions;
    int sections;
    struct taskset_section section[TASKSET_SECTIONS]; /* as they begin: an outer before its inner */
};

struct taskset {
    int protocol; /* fw_rt_protocol; 0: the file does not say */
    int locks, tasks;
    char lock[TASKSET_LOCKS][TASKSET_NAME + 1];
    struct taskset_task task[TASKSET_TASKS];
};

enum { TASKSET_WHY = 300 };

/*
 * Reads the file ("-": standard input) into a set that taskset_free gives back.  NULL: it is none,
 * and `why` (of TASKSET_WHY bytes) says what is wrong and where, in a line without a newline.
 */
struct taskset *taskset_read(const char *path, char *why);
struct taskset *taskset_parse(FILE *file, char *why);
void taskset_free(struct taskset *set);

/* Is there a section inside of another? */
int taskset_is_nested(const struct taskset *set);

#endif
