/* SPDX-License-Identifier: MIT */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command/command.h"
#include "rt/inspect.h"
#include "trace.h"

enum { FILES_MAX = 1024 };

static const char *const kinds[] = {
    [FW_RT_EVENT_BEGIN] = "begin",     [FW_RT_EVENT_END] = "end",
    [FW_RT_EVENT_RELEASE] = "release", [FW_RT_EVENT_COMPLETE] = "complete",
    [FW_RT_EVENT_REQUEST] = "request", [FW_RT_EVENT_BLOCK] = "block",
    [FW_RT_EVENT_RESUME] = "resume",   [FW_RT_EVENT_ACQUIRE] = "acquire",
    [FW_RT_EVENT_UNLOCK] = "unlock",   [FW_RT_EVENT_INHERIT] = "inherit",
    [FW_RT_EVENT_BOOST] = "boost",     [FW_RT_EVENT_GRANT] = "grant",
    [FW_RT_EVENT_WAKE] = "wake",
};

enum { KINDS = sizeof kinds / sizeof *kinds };

struct task {
    const struct fw_rt_trace *file;
    uint64_t first, events; /* numbers of events */
    uint64_t from_ns, to_ns;
    uint64_t runs_ns; /* since when it has a CPU; 0: it has none */
    uint64_t off_ns;  /* when it last lost one */
    unsigned cpu;
};

struct reading {
    struct task task[FILES_MAX];
    size_t n;
    uint64_t zero_ns;
    json_t *runs;
    size_t switches, mended; /* of the tasks; of those, how many the kernel did not tell */
};

static const struct fw_rt_event *event_of(const struct task *t, uint64_t n)
{
    return &t->file->event[n % FW_RT_TRACE_EVENTS];
}

/* --- The files ------------------------------------------------------------------------------- */

static const struct fw_rt_trace *map(int folder, const char *name)
{
    int fd = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    const struct fw_rt_trace *file = NULL;
    struct stat s;

    if (fd < 0)
        return NULL;
    if (fstat(fd, &s) == 0 && s.st_size == (off_t)sizeof *file) {
        void *at = mmap(NULL, sizeof *file, PROT_READ, MAP_PRIVATE, fd, 0);
        file = at == MAP_FAILED ? NULL : at;
    }
    close(fd);
    return file;
}

static void add(struct reading *r, int folder, const char *name)
{
    const char *ending = strstr(name, FW_RT_TRACE_ENDING);
    struct task t = {.file = NULL};

    if (ending == NULL || r->n == FILES_MAX)
        return;
    t.file = map(folder, name);
    if (t.file == NULL || t.file->magic != FW_RT_TRACE_MAGIC || t.file->written == 0) {
        command_warn("%s: no events in it; left out", name);
        return;
    }
    t.events = t.file->written;
    if (t.events >= FW_RT_TRACE_EVENTS)
        t.first = t.events - FW_RT_TRACE_EVENTS + 1;
    t.from_ns = event_of(&t, t.first)->ns;
    t.to_ns = event_of(&t, t.events - 1)->ns;
    r->task[r->n++] = t;
}

/* Most urgent first, as they are drawn; then by name. */
static int by_rank(const void *a, const void *b)
{
    const struct fw_rt_trace *x = ((const struct task *)a)->file,
                             *y = ((const struct task *)b)->file;

    if (x->cpu != y->cpu)
        return (x->cpu > y->cpu) - (x->cpu < y->cpu);
    if (x->base != y->base)
        return (x->base < y->base) - (x->base > y->base);
    return strncmp(x->name, y->name, sizeof x->name);
}

/* --- As JSON --------------------------------------------------------------------------------- */

/* What came out of shared memory need not end, nor be UTF-8. */
static json_t *text_of(const char *text, size_t size)
{
    json_t *s = json_stringn(text, strnlen(text, size));

    return s != NULL ? s : json_string("?");
}

static json_t *tasks_json(const struct reading *r)
{
    json_t *list = json_array();

    for (size_t i = 0; i < r->n; i++) {
        const struct fw_rt_trace *f = r->task[i].file;
        json_array_append_new(
            list, json_pack("{s:o s:I s:I s:I s:i s:i s:s s:I s:I s:I}", "name",
                            text_of(f->name, sizeof f->name), "process", (json_int_t)f->pid,
                            "thread", (json_int_t)f->tid, "group", (json_int_t)f->group, "cpu",
                            (int)f->cpu, "priority", (int)f->base, "tier", f->tier == 2 ? "B" : "A",
                            "period_ns", (json_int_t)f->period, "deadline_ns",
                            (json_int_t)f->deadline, "lost", (json_int_t)r->task[i].first));
    }
    return list;
}

static bool same_group(const struct task *a, const struct task *b)
{
    return a->file->group == b->file->group &&
           (a->file->group == 0 || a->file->pid == b->file->pid);
}

/* The task that had that slot of its group at that time. */
static json_t *other_json(const struct reading *r, const struct task *t,
                          const struct fw_rt_event *e)
{
    for (size_t i = 0; i < r->n && e->other < FW_RT_TASKS; i++) {
        const struct task *o = &r->task[i];
        if (o->file->slot == e->other && same_group(t, o) && e->ns >= o->from_ns &&
            (e->ns <= o->to_ns || event_of(o, o->events - 1)->kind != FW_RT_EVENT_END))
            return json_integer((json_int_t)i);
    }
    return json_null();
}

/* Of a task that has opened the lock: a task may be held back by one that it has not. */
static const struct fw_rt_trace_lock *description(const struct reading *r, const struct task *t,
                                                  uint32_t lock)
{
    for (size_t i = 0; i < r->n && t->file->lock[lock].name[0] == '\0'; i++)
        if (same_group(t, &r->task[i]) && r->task[i].file->lock[lock].name[0] != '\0')
            return &r->task[i].file->lock[lock];
    return &t->file->lock[lock];
}

/* The lock's index in the list, to which it is added if it is new. */
static json_t *lock_json(const struct reading *r, json_t *locks, const struct task *t,
                         uint32_t lock)
{
    const struct fw_rt_trace_lock *l;
    json_t *name, *known;
    size_t i;

    if (lock >= FW_RT_LOCKS)
        return json_null();
    l = description(r, t, lock);
    name = l->name[0] != '\0' ? text_of(l->name, sizeof l->name) : json_sprintf("lock %u", lock);
    json_array_foreach(locks, i, known)
    {
        if (json_integer_value(json_object_get(known, "group")) == (json_int_t)t->file->group &&
            json_equal(json_object_get(known, "name"), name)) {
            json_decref(name);
            return json_integer((json_int_t)i);
        }
    }
    json_array_append_new(locks, json_pack("{s:o s:o s:I}", "name", name, "protocol",
                                           text_of(l->protocol, sizeof l->protocol), "group",
                                           (json_int_t)t->file->group));
    return json_integer((json_int_t)json_array_size(locks) - 1);
}

static void add_events(const struct reading *r, size_t i, json_t *locks, json_t *events)
{
    const struct task *t = &r->task[i];

    for (uint64_t n = t->first; n < t->events; n++) {
        const struct fw_rt_event *e = event_of(t, n);
        if (e->kind == 0 || e->kind >= KINDS || e->ns < r->zero_ns)
            continue;
        json_array_append_new(
            events,
            json_pack("{s:I s:I s:s s:o s:o s:I s:I}", "ns", (json_int_t)(e->ns - r->zero_ns),
                      "task", (json_int_t)i, "kind", kinds[e->kind], "lock",
                      e->kind == FW_RT_EVENT_BEGIN ? json_null() : lock_json(r, locks, t, e->lock),
                      "other", other_json(r, t, e), "cpu", (json_int_t)e->cpu, "value",
                      (json_int_t)e->value));
    }
}

/* --- The tasks that had a CPU ---------------------------------------------------------------- */

/* The kernel's trace lacks a switch now and then.  But who told of something had a CPU then. */
enum { MICROSECOND = 1000 }; /* to which the kernel's times are cut off */

static uint64_t first_event(const struct task *t, uint64_t after_ns, uint64_t before_ns)
{
    for (uint64_t n = t->first; n < t->events; n++)
        if (event_of(t, n)->ns > after_ns)
            return event_of(t, n)->ns < before_ns ? event_of(t, n)->ns : 0;
    return 0;
}

static uint64_t last_event(const struct task *t, uint64_t before_ns)
{
    for (uint64_t n = t->events; n > t->first; n--)
        if (event_of(t, n - 1)->ns < before_ns)
            return event_of(t, n - 1)->ns;
    return 0;
}

static void end_run(struct reading *r, size_t i, uint64_t ns)
{
    struct task *t = &r->task[i];
    uint64_t from = t->runs_ns > t->from_ns ? t->runs_ns : t->from_ns;
    uint64_t to = ns < t->to_ns ? ns : t->to_ns;

    if (t->runs_ns != 0 && from < to)
        json_array_append_new(r->runs,
                              json_pack("{s:I s:I s:I s:I}", "task", (json_int_t)i, "cpu",
                                        (json_int_t)t->cpu, "from", (json_int_t)(from - r->zero_ns),
                                        "to", (json_int_t)(to - r->zero_ns)));
    t->runs_ns = 0;
    t->off_ns = ns + MICROSECOND;
}

static void switch_out(struct reading *r, size_t i, uint64_t ns)
{
    struct task *t = &r->task[i];

    if (t->runs_ns == 0) {
        t->runs_ns = first_event(t, t->off_ns, ns);
        r->mended += t->runs_ns != 0;
    }
    end_run(r, i, ns);
    r->switches++;
}

static void switch_in(struct reading *r, size_t i, uint64_t ns, unsigned cpu)
{
    r->task[i].runs_ns = ns;
    r->task[i].cpu = cpu;
    r->switches++;
}

static void take(void *arg, uint64_t ns, unsigned cpu, uint32_t from, uint32_t to)
{
    struct reading *r = arg;

    for (size_t i = 0; i < r->n; i++) {
        struct task *t = &r->task[i];
        if (t->file->tid == from) {
            switch_out(r, i, ns);
        } else if (t->runs_ns != 0 && (t->cpu == cpu || t->file->tid == to)) {
            end_run(r, i, last_event(t, ns));
            r->mended++;
        }
        if (t->file->tid == to)
            switch_in(r, i, ns, cpu);
    }
}

static json_t *runs_json(struct reading *r, struct rt_trace_kernel *k)
{
    if (k->folder[0] == '\0')
        return json_null();
    r->runs = json_array();
    rt_trace_kernel_read(k, take, r);
    for (size_t i = 0; i < r->n; i++)
        end_run(r, i, UINT64_MAX);
    if (r->switches == 0) {
        snprintf(k->why, sizeof k->why, "when tasks had a CPU is not in the trace: %s",
                 "the kernel tells of none of these threads (are they in a pid namespace?)");
        json_decref(r->runs);
        return json_null();
    }
    if (r->mended != 0 && k->why[0] == '\0')
        snprintf(
            k->why, sizeof k->why,
            "the kernel did not tell of %zu of the tasks' %zu switches: they are drawn by what "
            "the tasks told",
            r->mended, r->switches + r->mended);
    return r->runs;
}

json_t *rt_trace_read(const char *folder, struct rt_trace_kernel *k)
{
    static struct reading r;
    json_t *tasks, *locks = json_array(), *events = json_array();
    DIR *d = opendir(folder);
    struct dirent *e;

    memset(&r, 0, sizeof r);
    while (d != NULL && (e = readdir(d)) != NULL)
        add(&r, dirfd(d), e->d_name);
    if (d != NULL)
        closedir(d);
    qsort(r.task, r.n, sizeof *r.task, by_rank);
    r.zero_ns = UINT64_MAX;
    for (size_t i = 0; i < r.n; i++)
        r.zero_ns = r.task[i].from_ns < r.zero_ns ? r.task[i].from_ns : r.zero_ns;
    for (size_t i = 0; i < r.n; i++)
        add_events(&r, i, locks, events);
    tasks = tasks_json(&r);
    if (r.n == 0) {
        json_decref(tasks);
        json_decref(locks);
        json_decref(events);
        return NULL;
    }
    return json_pack("{s:I s:o s:o s:o s:o}", "beginning_ns", (json_int_t)r.zero_ns, "tasks", tasks,
                     "locks", locks, "events", events, "runs", runs_json(&r, k));
}
