/* SPDX-License-Identifier: MIT */
#include "command/rt/taskset.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <furwock/rt.h>

_Static_assert((int)TASKSET_TASKS == (int)FW_RT_TASKS_MAX &&
                   (int)TASKSET_LOCKS == (int)FW_RT_LOCKS_MAX &&
                   (int)TASKSET_NAME == (int)FW_RT_NAME_MAX &&
                   (int)TASKSET_PRIORITIES == (int)FW_RT_PRIORITY_MAX,
               "what can be described can be run");

static const double longest_us = 3600e6; /* an hour: sums of thousands of them fit into 64 bits */

/* Where the reader is: "tasks[3]: sections[0]", in messages. */
struct reader {
    struct taskset *set;
    char *why;
    char where[120];
};

static bool fail(struct reader *r, const char *format, ...)
    __attribute__((format(printf, 2, 3), cold));

static bool fail(struct reader *r, const char *format, ...)
{
    size_t used = r->where[0] != 0 ? (size_t)snprintf(r->why, TASKSET_WHY, "%s: ", r->where) : 0;
    va_list list;

    va_start(list, format);
    vsnprintf(r->why + used, TASKSET_WHY - used, format, list);
    va_end(list);
    return false;
}

/* Goes one down in the file; returns what to give to `leave`. */
static size_t enter(struct reader *r, const char *list, size_t number)
{
    size_t before = strlen(r->where);

    snprintf(r->where + before, sizeof r->where - before, "%s%s[%zu]", before != 0 ? ": " : "",
             list, number);
    return before;
}

static void leave(struct reader *r, size_t before)
{
    r->where[before] = 0;
}

static bool has_only(struct reader *r, json_t *object, const char *what, const char *const *keys)
{
    const char *key;
    json_t *value;

    if (!json_is_object(object))
        return fail(r, "%s has to be an object, in { }", what);
    json_object_foreach(object, key, value)
    {
        int i = 0;
        while (keys[i] != NULL && strcmp(keys[i], key) != 0)
            i++;
        if (keys[i] == NULL)
            return fail(r, "%s has no key \"%.40s\"", what, key);
    }
    return true;
}

static bool read_name(struct reader *r, const json_t *value, const char *key, char *name)
{
    if (value == NULL)
        return fail(r, "\"%s\" is missing", key);
    if (!json_is_string(value))
        return fail(r, "\"%s\" has to be a text, in quotes", key);
    if (json_string_length(value) == 0 || json_string_length(value) > TASKSET_NAME)
        return fail(r, "\"%s\" has to have 1 to %d bytes", key, TASKSET_NAME);
    strcpy(name, json_string_value(value));
    return true;
}

/* A whole number; one that is left out is `otherwise`, unless that is below the lowest. */
static bool read_number(struct reader *r, const json_t *from, const char *key, int lowest,
                        int highest, int otherwise, int *number)
{
    const json_t *value = json_object_get(from, key);

    *number = otherwise;
    if (value == NULL)
        return otherwise >= lowest || fail(r, "\"%s\" is missing", key);
    if (!json_is_integer(value) || json_integer_value(value) < lowest ||
        json_integer_value(value) > highest)
        return fail(r, "\"%s\" has to be a whole number from %d to %d", key, lowest, highest);
    *number = (int)json_integer_value(value);
    return true;
}

/* Microseconds, as nanoseconds; 0 where it is left out and may be. */
static bool read_time(struct reader *r, const json_t *from, const char *key, bool may_miss,
                      uint64_t *ns)
{
    const json_t *value = json_object_get(from, key);
    double us;

    *ns = 0;
    if (value == NULL)
        return may_miss || fail(r, "\"%s\" is missing", key);
    if (!json_is_number(value))
        return fail(r, "\"%s\" has to be a number of microseconds", key);
    us = json_number_value(value);
    if (!(us >= 0.001) || us > longest_us)
        return fail(r, "\"%s\" has to be from 0.001 to %.0f microseconds", key, longest_us);
    *ns = (uint64_t)llround(us * 1000);
    return true;
}

static int find_lock(const struct taskset *set, const char *name)
{
    for (int i = 0; i < set->locks; i++)
        if (strcmp(set->lock[i], name) == 0)
            return i;
    return TASKSET_NONE;
}

static bool read_sections(struct reader *r, const json_t *from, int outer, int depth);

/* One of them; those inside of it, too. */
static bool read_one_section(struct reader *r, const json_t *from, int outer, int depth)
{
    struct taskset_task *t = &r->set->task[r->set->tasks];
    struct taskset_section *s = &t->section[t->sections];
    char name[TASKSET_NAME + 1];
    int own = t->sections;

    if (own == TASKSET_SECTIONS)
        return fail(r, "a task has at most %d sections", TASKSET_SECTIONS);
    if (!read_name(r, json_object_get(from, "lock"), "lock", name) ||
        !read_time(r, from, "us", false, &s->length))
        return false;
    s->outer = outer;
    s->lock = find_lock(r->set, name);
    if (s->lock == TASKSET_NONE)
        return fail(r, "no lock \"%s\" in \"locks\"", name);
    for (int o = outer; o != TASKSET_NONE; o = t->section[o].outer)
        if (t->section[o].lock == s->lock)
            return fail(r, "lock \"%s\" is held there already", name);
    t->sections++;
    return read_sections(r, json_object_get(from, "sections"), own, depth + 1);
}

static bool read_section(struct reader *r, json_t *from, int outer, int depth)
{
    static const char *const keys[] = {"lock", "us", "count", "sections", NULL};
    int count;

    if (!has_only(r, from, "a section", keys) ||
        !read_number(r, from, "count", 1, TASKSET_SECTIONS, 1, &count))
        return false;
    while (count-- > 0)
        if (!read_one_section(r, from, outer, depth))
            return false;
    return true;
}

static bool read_sections(struct reader *r, const json_t *from, int outer, int depth)
{
    const struct taskset_task *t = &r->set->task[r->set->tasks];
    uint64_t sum = 0, limit = outer == TASKSET_NONE ? t->execution : t->section[outer].length;
    int first = t->sections;

    if (from == NULL)
        return true;
    if (!json_is_array(from))
        return fail(r, "\"sections\" has to be a list, in [ ]");
    if (depth == TASKSET_DEPTH && json_array_size(from) != 0)
        return fail(r, "sections are nested at most %d deep", TASKSET_DEPTH);
    for (size_t i = 0; i < json_array_size(from); i++) {
        size_t before = enter(r, "sections", i);
        if (!read_section(r, json_array_get(from, i), outer, depth))
            return false;
        leave(r, before);
    }
    for (int i = first; i < t->sections; i++)
        if (t->section[i].outer == outer)
            sum += t->section[i].length;
    if (sum > limit)
        return fail(r, "the sections take %.3f us in all, what they are in only %.3f",
                    (double)sum / 1e3, (double)limit / 1e3);
    return true;
}

static bool read_times(struct reader *r, const json_t *from, struct taskset_task *t)
{
    if (!read_time(r, from, "period_us", false, &t->period) ||
        !read_time(r, from, "deadline_us", true, &t->deadline) ||
        !read_time(r, from, "execution_us", false, &t->execution) ||
        !read_time(r, from, "suspension_us", true, &t->suspension) ||
        !read_number(r, from, "suspensions", 1, TASKSET_SUSPENSIONS, 1, &t->suspensions))
        return false;
    if (t->suspension == 0 && json_object_get(from, "suspensions") != NULL)
        return fail(r, "\"suspensions\" without \"suspension_us\"");
    if (t->suspension == 0)
        t->suspensions = 0;
    if (t->suspension < (uint64_t)t->suspensions)
        return fail(r, "%d suspensions of less than a nanosecond each", t->suspensions);
    if (t->deadline == 0)
        t->deadline = t->period;
    if (t->deadline > t->period)
        return fail(r, "the deadline lies behind the period");
    if (t->execution > t->deadline || t->suspension > t->deadline - t->execution)
        return fail(r, "execution and suspension alone take longer than the deadline");
    return true;
}

static bool read_task(struct reader *r, json_t *from)
{
    static const char *const keys[] = {
        "name",         "cpu",         "priority", "period_us",     "deadline_us",
        "execution_us", "suspensions", "sections", "suspension_us", NULL};
    struct taskset *set = r->set;
    struct taskset_task *t = &set->task[set->tasks];

    if (!has_only(r, from, "a task", keys) ||
        !read_name(r, json_object_get(from, "name"), "name", t->name) ||
        !read_number(r, from, "cpu", 0, TASKSET_CPUS - 1, -1, &t->cpu) ||
        !read_number(r, from, "priority", 1, TASKSET_PRIORITIES, 0, &t->priority) ||
        !read_times(r, from, t))
        return false;
    for (const struct taskset_task *o = set->task; o < t; o++) {
        if (strcmp(o->name, t->name) == 0)
            return fail(r, "there is a task \"%s\" already", t->name);
        if (o->cpu == t->cpu && o->priority == t->priority)
            return fail(r, "\"%s\" and \"%s\" have the same priority on CPU %d", o->name, t->name,
                        t->cpu);
    }
    return read_sections(r, json_object_get(from, "sections"), TASKSET_NONE, 0);
}

static bool read_locks(struct reader *r, const json_t *from)
{
    struct taskset *set = r->set;

    if (from == NULL)
        return true;
    if (!json_is_array(from))
        return fail(r, "\"locks\" has to be a list of names, in [ ]");
    if (json_array_size(from) > TASKSET_LOCKS)
        return fail(r, "there are at most %d locks", TASKSET_LOCKS);
    for (size_t i = 0; i < json_array_size(from); i++) {
        char name[TASKSET_NAME + 1];
        if (!read_name(r, json_array_get(from, i), "locks", name))
            return false;
        if (find_lock(set, name) != TASKSET_NONE)
            return fail(r, "there is a lock \"%s\" already", name);
        strcpy(set->lock[set->locks++], name);
    }
    return true;
}

static bool read_protocol(struct reader *r, const json_t *from)
{
    if (from == NULL)
        return true;
    r->set->protocol =
        json_is_string(from) ? (int)fw_rt_protocol_named(json_string_value(from)) : 0;
    return r->set->protocol != 0 || fail(r, "\"protocol\" is none of those of furwock/rt.h");
}

static bool read_set(struct reader *r, json_t *from)
{
    static const char *const keys[] = {"format", "protocol", "locks", "tasks", NULL};
    const char *format = json_string_value(json_object_get(from, "format"));
    const json_t *tasks = json_object_get(from, "tasks");

    if (!has_only(r, from, "a task set", keys))
        return false;
    if (format == NULL || strcmp(format, TASKSET_FORMAT) != 0)
        return fail(r, "\"format\" has to be \"" TASKSET_FORMAT "\"");
    if (!read_protocol(r, json_object_get(from, "protocol")) ||
        !read_locks(r, json_object_get(from, "locks")))
        return false;
    if (!json_is_array(tasks) || json_array_size(tasks) == 0)
        return fail(r, "\"tasks\" has to be a list of tasks, in [ ]");
    if (json_array_size(tasks) > TASKSET_TASKS)
        return fail(r, "there are at most %d tasks", TASKSET_TASKS);
    for (size_t i = 0; i < json_array_size(tasks); i++) {
        size_t before = enter(r, "tasks", i);
        if (!read_task(r, json_array_get(tasks, i)))
            return false;
        leave(r, before);
        r->set->tasks++;
    }
    return true;
}

struct taskset *taskset_parse(FILE *file, char *why)
{
    struct reader r = {.set = calloc(1, sizeof *r.set), .why = why};
    json_error_t error;
    json_t *json;
    bool is_good;

    if (r.set == NULL) {
        snprintf(why, TASKSET_WHY, "%s", strerror(errno));
        return NULL;
    }
    json = json_loadf(file, JSON_REJECT_DUPLICATES, &error);
    if (ferror(file))
        snprintf(why, TASKSET_WHY, "%s", "cannot be read");
    else if (json == NULL)
        snprintf(why, TASKSET_WHY, "line %d, column %d: %s", error.line, error.column, error.text);
    is_good = json != NULL && read_set(&r, json);
    json_decref(json);
    if (is_good)
        return r.set;
    taskset_free(r.set);
    return NULL;
}

struct taskset *taskset_read(const char *path, char *why)
{
    FILE *file;
    struct taskset *set;

    if (strcmp(path, "-") == 0)
        return taskset_parse(stdin, why);
    file = fopen(path, "re");
    if (file == NULL) {
        snprintf(why, TASKSET_WHY, "%s", strerror(errno));
        return NULL;
    }
    set = taskset_parse(file, why);
    fclose(file);
    return set;
}

void taskset_free(struct taskset *set)
{
    free(set);
}

int taskset_is_nested(const struct taskset *set)
{
    for (int t = 0; t < set->tasks; t++)
        for (int s = 0; s < set->task[t].sections; s++)
            if (set->task[t].section[s].outer != TASKSET_NONE)
                return 1;
    return 0;
}
