/* SPDX-License-Identifier: MIT */
/*
 * _furwock._inspect: what is in a region, from a copy of its memory.  Nothing is entered anywhere
 * and nothing changed.  The words are those of the command `furwock show`.  The copy is of several
 * moments, and may have been overwritten: every offset and index is checked before it is followed.
 */
#include "inspect_region.h"

#include <stdlib.h>
#include <string.h>

#include "barrier_state.h"
#include "event_state.h"
#include "ipc/inspect.h"
#include "semaphore_state.h"

struct region {
    const char *base;
    struct fw_ipc_plan_ plan;
    struct fw_ipc_mapping_ mapping;
};

static const char *const kinds[] = {
    [FW_REGION_DATA] = "data",       [FW_REGION_MUTEX] = "mutex", [FW_REGION_RWLOCK] = "rwlock",
    [FW_REGION_COND] = "cond",       [FW_REGION_SEM] = "sem",     [FW_REGION_PERMITS] = "permits",
    [FW_REGION_BARRIER] = "barrier", [FW_REGION_ONCE] = "once",   [FW_REGION_JOURNAL] = "journal",
};

/* --- Threads ---------------------------------------------------------------------------------- */

/* Adds {process, thread, liveness, role} to the list.  -1: an exception is set. */
static int add_thread(const struct region *r, PyObject *list, uint64_t holder, const char *role)
{
    enum fw_ipc_life life = fw_ipc_life_(&r->mapping, holder);
    uint64_t ids = life == FW_IPC_CORRUPT ? 0 : fw_ipc_ids_(&r->mapping, holder);
    PyObject *one;
    int error;

    one = Py_BuildValue("{sksksssssi}", "process", (unsigned long)(ids >> 32), "thread",
                        (unsigned long)(uint32_t)ids, "liveness",
                        life == FW_IPC_ALIVE  ? "alive"
                        : life == FW_IPC_DEAD ? "dead"
                                              : "corrupt",
                        "role", role, "slot", (int)(holder & FW_IPC_SLOT) - 1);
    error = one == NULL ? -1 : PyList_Append(list, one);
    Py_XDECREF(one);
    return error;
}

/* Those that hold it for reading have a share. */
static int add_readers(const struct region *r, PyObject *list, uint64_t at)
{
    for (uint32_t i = 0; i < r->mapping.participant_count; i++) {
        const struct fw_ipc_participant_ *m = &r->mapping.participants[i];
        uint64_t holder = (m->life & UINT64_C(0xffffffff00000000)) | (i + 1);
        struct fw_ipc_me_ me = {&r->mapping, (struct fw_ipc_participant_ *)(uintptr_t)m, holder, 0};
        uint64_t share = fw_ipc_share_of_(&me, r->base + at) | FW_IPC_SHARE_HELD;
        for (unsigned k = 0; m->life != 0 && k < FW_IPC_SHARES; k++)
            if (m->shares[k] == share && add_thread(r, list, holder, "reads") != 0)
                return -1;
    }
    return 0;
}

/* --- Objects ---------------------------------------------------------------------------------- */

static const char *held_state(const struct region *r, uint64_t w)
{
    if (fw_ipc_life_(&r->mapping, w & FW_IPC_HOLDER) == FW_IPC_DEAD)
        return "left by a dead holder";
    return (w & FW_IPC_DIED) != 0 ? "held, to be repaired" : "held";
}

/* NULL: an exception is set. */
static const char *lock_state(const struct region *r, const struct fw_ipc_entry_ *e,
                              PyObject *inside)
{
    uint64_t w = *(const uint64_t *)(const void *)(r->base + e->at);
    const char *role = e->state == FW_REGION_MUTEX    ? "holds"
                       : (w & IPC_RW_UPGRADABLE) != 0 ? "reads, upgradable"
                       : (w & IPC_RW_DRAINING) != 0   ? "waits for readers to leave"
                       : (w & IPC_RW_RELEASING) != 0  ? "admits readers"
                                                      : "writes";

    if (w == FW_IPC_ABANDONED)
        return "abandoned";
    if (e->state == FW_REGION_RWLOCK && add_readers(r, inside, e->at) != 0)
        return NULL;
    if (w == 0)
        return PyList_Size(inside) != 0 ? "held" : "free";
    return add_thread(r, inside, w & FW_IPC_HOLDER, role) == 0 ? held_state(r, w) : NULL;
}

static const char *once_state(const struct region *r, const struct fw_ipc_entry_ *e,
                              PyObject *inside)
{
    uint64_t w = *(const uint64_t *)(const void *)(r->base + e->at);

    if (w == FW_IPC_ONCE_DONE_)
        return "done";
    if ((w & FW_IPC_HOLDER) == 0)
        return "not begun";
    if (add_thread(r, inside, w & FW_IPC_HOLDER, "initialises") != 0)
        return NULL;
    return fw_ipc_life_(&r->mapping, w & FW_IPC_HOLDER) == FW_IPC_DEAD
               ? "left by a dead initialiser"
               : "begun";
}

static const char *permits_state(const struct region *r, const struct fw_ipc_entry_ *e,
                                 PyObject *inside)
{
    const uint64_t *words =
        (const uint64_t *)(const void *)(r->base + e->at + sizeof(fw_ipc_permits));
    uint64_t count = (e->size - sizeof(fw_ipc_permits)) / sizeof(uint64_t);

    for (uint64_t i = 0; e->size > sizeof(fw_ipc_permits) && i < count; i++)
        if (words[i] != 0 && add_thread(r, inside, words[i] & FW_IPC_HOLDER, "has permit") != 0)
            return NULL;
    return "";
}

/* What Python has put into a data object: a semaphore, an event, a barrier. */
static const char *data_state(const struct region *r, const struct fw_ipc_entry_ *e,
                              PyObject *inside)
{
    const void *at = r->base + e->at;
    const struct fwpy_semaphore *s = at;
    const struct fwpy_barrier *b = at;
    const struct fwpy_event *v = at;

    if (e->size >= sizeof *s && s->magic == FWPY_SEMAPHORE_MAGIC) {
        for (uint32_t i = 0; i < s->row_count && e->size >= sizeof *s + (i + 1) * sizeof s->rows[0];
             i++)
            if (s->rows[i].taken != 0 && add_thread(r, inside, s->rows[i].holder, "has units") != 0)
                return NULL;
        return (s->word & FWPY_SEMAPHORE_MAX) != 0 ? "Python: semaphore with units"
                                                   : "Python: semaphore, empty";
    }
    if (e->size >= sizeof *b && b->magic == FWPY_BARRIER_MAGIC) {
        for (uint32_t i = 0;
             i < b->party_count && e->size >= sizeof *b + (i + 1) * sizeof b->parties[0]; i++)
            if (b->parties[i].holder != 0 &&
                add_thread(r, inside, b->parties[i].holder, "is party") != 0)
                return NULL;
        return fwpy_barrier_is_broken(b) ? "Python: barrier, broken" : "Python: barrier";
    }
    if (e->size >= sizeof *v && v->magic == FWPY_EVENT_MAGIC)
        return fwpy_event_is_set(v) ? "Python: event, set" : "Python: event, not set";
    return "";
}

static const char *state_of(const struct region *r, const struct fw_ipc_entry_ *e, PyObject *inside)
{
    if (e->at % sizeof(uint64_t) != 0 || e->size < sizeof(uint64_t) ||
        e->at > r->plan.size - sizeof(uint64_t) || e->size > r->plan.size - e->at)
        return "";
    switch (e->state) {
    case FW_REGION_MUTEX:
    case FW_REGION_RWLOCK:
        return lock_state(r, e, inside);
    case FW_REGION_ONCE:
        return once_state(r, e, inside);
    case FW_REGION_PERMITS:
        return permits_state(r, e, inside);
    case FW_REGION_SEM:
        return (*(const uint64_t *)(const void *)(r->base + e->at) & FW_IPC_SEM_MAX) != 0
                   ? "has permits"
                   : "empty";
    case FW_REGION_DATA:
        return data_state(r, e, inside);
    default:
        return "";
    }
}

static int add_object(const struct region *r, PyObject *objects, const struct fw_ipc_entry_ *e)
{
    PyObject *inside = PyList_New(0), *one = NULL;
    const char *state = inside == NULL ? NULL : state_of(r, e, inside);
    const char *kind = e->state < sizeof kinds / sizeof kinds[0] && kinds[e->state] != NULL
                           ? kinds[e->state]
                           : "unknown";
    int error;

    if (state != NULL)
        one = Py_BuildValue("{sysssKsKsssO}", "name", e->name, "kind", kind, "at",
                            (unsigned long long)e->at, "bytes", (unsigned long long)e->size,
                            "state", state, "inside", inside);
    error = one == NULL ? -1 : PyList_Append(objects, one);
    Py_XDECREF(inside);
    Py_XDECREF(one);
    return error;
}

/* --- The region ------------------------------------------------------------------------------- */

static int add_all(const struct region *r, PyObject *objects, PyObject *participants)
{
    struct fw_ipc_entry_ entry;

    for (uint32_t i = 0; i < r->plan.entry_count; i++)
        if (fw_ipc_directory_read_(r->base, &r->plan, i, &entry) == 0 &&
            add_object(r, objects, &entry) != 0)
            return -1;
    for (uint32_t i = 0; i < r->mapping.participant_count; i++) {
        uint64_t life = r->mapping.participants[i].life;
        if ((uint32_t)life != 0 &&
            add_thread(r, participants, (life & UINT64_C(0xffffffff00000000)) | (i + 1),
                       "member") != 0)
            return -1;
    }
    return 0;
}

static PyObject *inspect(const char *base, size_t size)
{
    struct region r = {.base = base};
    PyObject *objects, *participants, *result = NULL;
    int error =
        size < sizeof(struct fw_ipc_head_)
            ? EUCLEAN
            : fw_ipc_head_check_((const struct fw_ipc_head_ *)(const void *)base, size, &r.plan);

    if (error != 0)
        return PyLong_FromLong(error);
    r.mapping =
        (struct fw_ipc_mapping_){.base = (uintptr_t)base,
                                 .size = r.plan.size,
                                 .head = (struct fw_ipc_head_ *)(uintptr_t)base,
                                 .participants = (void *)((uintptr_t)base + r.plan.participants_at),
                                 .participant_count = r.plan.participant_count,
                                 .flags = r.plan.flags};
    objects = PyList_New(0);
    participants = PyList_New(0);
    if (objects != NULL && participants != NULL && add_all(&r, objects, participants) == 0)
        result = Py_BuildValue("{sKsOsO}", "bytes", (unsigned long long)r.plan.size, "objects",
                               objects, "members", participants);
    Py_XDECREF(objects);
    Py_XDECREF(participants);
    return result;
}

PyObject *fwpy_inspect(PyObject *module, PyObject *args)
{
    const char *text;
    Py_ssize_t size;
    uint64_t *copy;
    PyObject *result;

    (void)module;
    if (!PyArg_ParseTuple(args, "y#:_inspect", &text, &size))
        return NULL;
    copy = malloc((size_t)size + sizeof *copy); /* aligned */
    if (copy == NULL)
        return PyErr_NoMemory();
    memcpy(copy, text, (size_t)size);
    result = inspect((const char *)copy, (size_t)size);
    free(copy);
    return result;
}
