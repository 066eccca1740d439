/* SPDX-License-Identifier: MIT */
#include "bench/adapters/cond_adapter.h"
#include "bench/adapters/rw_adapter.h"
#include "bench/adapters/sync_adapter.h"
#include "uncontended.h"

const struct object_kind object_kinds[OBJECTS] = {
    [OBJECT_MUTEX] = {"mutex", "lock + unlock", "pthread", false},
    [OBJECT_READ] = {"read", "read lock + unlock", "pthread-rw", false},
    [OBJECT_WRITE] = {"write", "write lock + unlock", "pthread-rw", false},
    [OBJECT_SIGNAL] = {"signal", "signal with nobody waiting", "pthread", false},
    [OBJECT_SEM] = {"sem", "semaphore post + wait", "posix", false},
    [OBJECT_EVENT] = {"event", "event set + wait + reset", "pthread", false},
    [OBJECT_EVENT_WAIT] = {"event-wait", "wait for an event that is set", "pthread", false},
    [OBJECT_ONCE] = {"once", "call once, done long ago", "pthread", false},
    [OBJECT_IPC_MUTEX] = {"ipc-mutex", "lock + unlock, shared with processes", "pthread-robust",
                          true},
    [OBJECT_IPC_READ] = {"ipc-read", "read lock + unlock, shared with processes", "pthread-rw",
                         true},
    [OBJECT_IPC_SEM] = {"ipc-sem", "semaphore post + wait, shared with processes", "posix", true},
};

static void loop_mutex(const adapter_head *head, void *memory, uint64_t n)
{
    ((const struct adapter *)(const void *)head)->loop(memory, n);
}

static void loop_read(const adapter_head *head, void *memory, uint64_t n)
{
    ((const struct rw_adapter *)(const void *)head)->rdloop(memory, n);
}

static void loop_write(const adapter_head *head, void *memory, uint64_t n)
{
    ((const struct rw_adapter *)(const void *)head)->wrloop(memory, n);
}

/* Through a pointer each time, for all of them alike. */
static void loop_signal(const adapter_head *head, void *memory, uint64_t n)
{
    const struct cond_adapter *a = (const void *)head;

    for (; n != 0; n--)
        a->signal(memory);
}

static void loop_sem(const adapter_head *head, void *memory, uint64_t n)
{
    ((const struct sem_adapter *)(const void *)head)->loop(memory, n);
}

static void loop_event(const adapter_head *head, void *memory, uint64_t n)
{
    ((const struct event_adapter *)(const void *)head)->loop(memory, n);
}

/* The event stays set; through a pointer each time, for all of them alike. */
static void loop_event_wait(const adapter_head *head, void *memory, uint64_t n)
{
    const struct event_adapter *a = (const void *)head;

    a->set(memory);
    for (; n != 0; n--)
        a->wait(memory);
}

static void loop_once(const adapter_head *head, void *memory, uint64_t n)
{
    ((const struct once_adapter *)(const void *)head)->loop(memory, n);
}

struct collection {
    struct entry *entries;
    size_t n;
};

/* Between threads, what is for processes is not looked at: that is an object of its own. */
static bool belongs(enum object object, const adapter_head *head)
{
    return object_kinds[object].shared ? (head->flags & ADAPTER_SHARED) != 0
                                       : (head->flags & (ADAPTER_REGION | ADAPTER_PROCESSES)) == 0;
}

static void add(struct collection *c, enum object object, const void *adapter,
                void (*loop)(const adapter_head *, void *, uint64_t))
{
    const adapter_head *head = adapter;

    if (c->n < ENTRIES_MAX && belongs(object, head))
        c->entries[c->n++] = (struct entry){object, head, loop};
}

static void add_events(struct collection *c)
{
    for (const struct event_adapter *const *a = event_adapter_list; *a != NULL; a++)
        add(c, OBJECT_EVENT, *a, loop_event);
    for (const struct event_adapter *const *a = event_adapter_list; *a != NULL; a++)
        if (!(*a)->automatic)
            add(c, OBJECT_EVENT_WAIT, *a, loop_event_wait);
}

static void add_shared(struct collection *c)
{
    for (const struct adapter *const *a = adapter_list; *a != NULL; a++)
        if (((*a)->flags & ADAPTER_NOTHING) == 0)
            add(c, OBJECT_IPC_MUTEX, *a, loop_mutex);
    for (const struct rw_adapter *const *a = rw_adapter_list; *a != NULL; a++)
        add(c, OBJECT_IPC_READ, *a, loop_read);
    for (const struct sem_adapter *const *a = sem_adapter_list; *a != NULL; a++)
        add(c, OBJECT_IPC_SEM, *a, loop_sem);
}

size_t catalogue(struct entry *entries)
{
    struct collection c = {entries, 0};

    for (const struct adapter *const *a = adapter_list; *a != NULL; a++)
        if (((*a)->flags & ADAPTER_NOTHING) == 0)
            add(&c, OBJECT_MUTEX, *a, loop_mutex);
    add(&c, OBJECT_MUTEX, &reference_cas_exchange, loop_mutex);
    add(&c, OBJECT_MUTEX, &reference_empty, loop_mutex);
    for (const struct rw_adapter *const *a = rw_adapter_list; *a != NULL; a++)
        add(&c, OBJECT_READ, *a, loop_read);
    for (const struct rw_adapter *const *a = rw_adapter_list; *a != NULL; a++)
        add(&c, OBJECT_WRITE, *a, loop_write);
    for (const struct cond_adapter *const *a = cond_adapter_list; *a != NULL; a++)
        add(&c, OBJECT_SIGNAL, *a, loop_signal);
    for (const struct sem_adapter *const *a = sem_adapter_list; *a != NULL; a++)
        add(&c, OBJECT_SEM, *a, loop_sem);
    add_events(&c);
    for (const struct once_adapter *const *a = once_adapter_list; *a != NULL; a++)
        add(&c, OBJECT_ONCE, *a, loop_once);
    add_shared(&c);
    return c.n;
}

static const struct missing_adapter *const missing_lists[OBJECTS] = {
    [OBJECT_MUTEX] = adapter_missing,
    [OBJECT_READ] = rw_adapter_missing,
    [OBJECT_WRITE] = rw_adapter_missing,
    [OBJECT_SIGNAL] = cond_adapter_missing,
    [OBJECT_SEM] = sem_adapter_missing,
    [OBJECT_EVENT] = event_adapter_missing,
    [OBJECT_EVENT_WAIT] = event_adapter_missing,
    [OBJECT_IPC_MUTEX] = adapter_missing,
    [OBJECT_IPC_READ] = rw_adapter_missing,
    [OBJECT_IPC_SEM] = sem_adapter_missing,
};

const char *catalogue_why_missing(enum object object, const char *name)
{
    const struct missing_adapter *list = missing_lists[object];

    return list != NULL ? adapter_head_why(list, name) : NULL;
}

/* Whether an object before this one misses the same for the same reason. */
static bool is_told(int object, const struct missing_adapter *m)
{
    for (int k = 0; k < object; k++) {
        const char *why = catalogue_why_missing((enum object)k, m->name);

        if (why != NULL && strcmp(why, m->why) == 0)
            return true;
    }
    return false;
}

void catalogue_missing(void (*visit)(const struct missing_adapter *m, void *arg), void *arg)
{
    for (int k = 0; k < OBJECTS; k++)
        for (const struct missing_adapter *m = missing_lists[k]; m != NULL && m->name != NULL; m++)
            if (!is_told(k, m))
                visit(m, arg);
}
