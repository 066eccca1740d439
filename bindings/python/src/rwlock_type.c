/* SPDX-License-Identifier: MIT */
/* furwock.RWLock: the class. */
#include "rwlock.h"

#include "mutex.h"
#include "slots.h"

static size_t rwlock_size(const uint32_t *parameters)
{
    (void)parameters;
    return sizeof(fw_ipc_rwlock);
}

static int rwlock_named(fw_region *region, const char *name, const uint32_t *parameters,
                        unsigned flags, void **object)
{
    (void)parameters;
    return fw_region_object(region, name, FW_REGION_RWLOCK, sizeof(fw_ipc_rwlock), flags, object);
}

static const struct fwpy_kind rwlock_kind = {
    .name = "RWLock", .kind = FW_REGION_RWLOCK, .size = rwlock_size, .named = rwlock_named};

static fw_ipc_rwlock *lock_of(PyObject *self)
{
    return (fw_ipc_rwlock *)((fwpy_base *)self)->object;
}

/* --- Upgrade and downgrade -------------------------------------------------------------------- */

static int call_upgrade(void *l, const fw_deadline *deadline)
{
    return fw_ipc_rwlock_timedupgrade((fw_ipc_rwlock *)l, deadline);
}

static PyObject *rwlock_upgrade(PyObject *o, PyObject *const *args, Py_ssize_t count,
                                PyObject *names)
{
    fwpy_base *self = (fwpy_base *)o;
    struct fwpy_timeout t;
    int error;

    if (fwpy_acquire_args("upgrade", args, count, names, &t) != 0)
        return NULL;
    error = fw_ipc_rwlock_tryupgrade(lock_of(o));
    if (error == EBUSY && !t.is_try)
        error = fwpy_wait(call_upgrade, lock_of(o), &t);
    return fwpy_granted(self->state, error, "upgrade");
}

static PyObject *after(PyObject *o, int error, const char *what)
{
    return error == 0 ? fwpy_none() : fwpy_error(((fwpy_base *)o)->state, error, what);
}

static PyObject *rwlock_downgrade(PyObject *o, PyObject *unused)
{
    (void)unused;
    return after(o, fw_ipc_rwlock_downgrade(lock_of(o)), "downgrade");
}

static PyObject *rwlock_downgrade_upgradable(PyObject *o, PyObject *unused)
{
    (void)unused;
    return after(o, fw_ipc_rwlock_downgrade_upgradable(lock_of(o)), "downgrade_upgradable");
}

static PyObject *rwlock_consistent(PyObject *o, PyObject *unused)
{
    int error = fw_ipc_rwlock_consistent(lock_of(o));

    (void)unused;
    return after(o, error == EINVAL ? 0 : error, "consistent");
}

/* Releases what the thread holds: for a Grant, which is a writer's or came from one. */
static PyObject *rwlock_release(PyObject *o, PyObject *unused)
{
    int error = fw_ipc_rwlock_unlock(lock_of(o));

    (void)unused;
    return error == 0 ? fwpy_none() : fwpy_release_error((fwpy_base *)o, error);
}

static PyObject *rwlock_exit(PyObject *o, PyObject *const *args, Py_ssize_t count)
{
    if (count == 0 || args[0] == Py_None)
        (void)fw_ipc_rwlock_consistent(lock_of(o));
    return rwlock_release(o, NULL);
}

/* --- Attributes ------------------------------------------------------------------------------- */

static PyObject *rwlock_mode(PyObject *o, void *unused)
{
    static const char *const words[] = {"read", "upgradable", "write"};
    int mode = (int)fw_ipc_rwlock_held_by_me(lock_of(o));

    (void)unused;
    return mode == FW_IPC_RWLOCK_NONE ? fwpy_none() : PyUnicode_FromString(words[mode - 1]);
}

/* 0, or -1 with an exception. */
static int look(PyObject *o, fw_ipc_state *s)
{
    int error = fw_ipc_rwlock_state(lock_of(o), s);

    if (error == 0)
        return 0;
    fwpy_error(((fwpy_base *)o)->state, error, "RWLock");
    return -1;
}

static PyObject *rwlock_state(PyObject *o, void *unused)
{
    fw_ipc_state s;

    (void)unused;
    return look(o, &s) != 0 ? NULL : fwpy_state_word(&s);
}

static PyObject *rwlock_owner(PyObject *o, void *unused)
{
    fw_ipc_state s;

    (void)unused;
    if (look(o, &s) != 0)
        return NULL;
    return s.mode == FW_IPC_RWLOCK_READ ? fwpy_none() : fwpy_state_owner(&s);
}

static PyObject *rwlock_readers(PyObject *o, void *unused)
{
    fw_ipc_state s;

    (void)unused;
    return look(o, &s) != 0 ? NULL : PyLong_FromUnsignedLong(s.readers);
}

static PyObject *rwlock_generation(PyObject *o, void *unused)
{
    (void)unused;
    return PyLong_FromUnsignedLongLong(fw_ipc_rwlock_generation(lock_of(o)));
}

static PyObject *rwlock_deaths(PyObject *o, void *unused)
{
    (void)unused;
    return PyLong_FromUnsignedLongLong(fwpy_deaths((fwpy_base *)o));
}

static PyObject *rwlock_last_death(PyObject *o, void *unused)
{
    fw_ipc_death d;

    (void)unused;
    if (fw_ipc_rwlock_death(lock_of(o), &d) != 0)
        return fwpy_none();
    return Py_BuildValue("(iiK)", (int)d.process, (int)d.thread, (unsigned long long)d.generation);
}

/* --- The type --------------------------------------------------------------------------------- */

static PyObject *rwlock_new(PyTypeObject *type, PyObject *args, PyObject *names)
{
    static char *words[] = {"region", "name", "on_death", "misuse", "create", NULL};
    struct fwpy_new new = {.create = 1};

    if (!PyArg_ParseTupleAndKeywords(args, names, "|OO$OOp:RWLock", words, &new.region, &new.name,
                                     &new.on_death, &new.misuse, &new.create))
        return NULL;
    return fwpy_base_new(type, &rwlock_kind, &new);
}

static PyObject *rwlock_from_handle(PyObject *type, PyObject *handle)
{
    return fwpy_base_from_handle((PyTypeObject *)type, &rwlock_kind, handle);
}

/*
 * This process can reach it no more: what this thread still reads would be left in the region's
 * records, and the next lock in that slot would be taken for read by this thread.
 */
static void rwlock_dealloc(PyObject *o)
{
    const struct fwpy_cell *cell = ((fwpy_base *)o)->cell;

    PyObject_GC_UnTrack(o);
    if (cell != NULL && lock_of(o) != NULL) {
        fwpy_enter();
        while (cell->slots != 0 && cell->refs == 1 && fw_ipc_rwlock_rdunlock(lock_of(o)) == 0)
            continue;
        fwpy_leave();
    }
    fwpy_base_dealloc(o);
}

PyDoc_STRVAR(upgrade_doc, "upgrade($self, blocking=True, timeout=None)\n--\n\n"
                          "From upgradable to write, when the readers have left: a true value.\n"
                          "False if it timed out or would block: it is upgradable still.\n"
                          "NotHeld: it is not held upgradable. Deadlock: the thread reads, too.");

static PyMethodDef rwlock_methods[] = {
    {"upgrade", (PyCFunction)(void (*)(void))rwlock_upgrade, METH_FASTCALL | METH_KEYWORDS,
     upgrade_doc},
    {"downgrade", rwlock_downgrade, METH_NOARGS,
     "downgrade($self, /)\n--\n\nFrom write or upgradable to read, without waiting."},
    {"downgrade_upgradable", rwlock_downgrade_upgradable, METH_NOARGS,
     "downgrade_upgradable($self, /)\n--\n\nFrom write to upgradable, without waiting."},
    {"release", rwlock_release, METH_NOARGS,
     "release($self, /)\n--\n\nRelease what the thread holds: write; else read; else upgradable."},
    {"__exit__", (PyCFunction)(void (*)(void))rwlock_exit, METH_FASTCALL, NULL},
    {"_consistent", rwlock_consistent, METH_NOARGS, NULL},
    {"_from_handle", rwlock_from_handle, METH_O | METH_CLASS, NULL},
    {NULL, NULL, 0, NULL}};

static PyGetSetDef rwlock_getset[] = {
    {"read", fwpy_rwlock_side, NULL, "For readers, of which there may be many.",
     (void *)FWPY_SIDE_READ},
    {"upgradable", fwpy_rwlock_side, NULL,
     "For a reader that may become the writer; others may read meanwhile.",
     (void *)FWPY_SIDE_UPGRADABLE},
    {"write", fwpy_rwlock_side, NULL, "For the writer.", (void *)FWPY_SIDE_WRITE},
    {"mode", rwlock_mode, NULL,
     "What this thread holds: 'read', 'upgradable', 'write' or None; the strongest.", NULL},
    {"state", rwlock_state, NULL,
     "'free', 'mine', 'held' (by others), 'dead' (a writer has died) or 'lost'. A snapshot.", NULL},
    {"owner", rwlock_owner, NULL,
     "(process, thread) of the writer, or of the upgradable reader; None: there is none.", NULL},
    {"readers", rwlock_readers, NULL, "How many threads read, without an upgradable one.", NULL},
    {"generation", rwlock_generation, NULL,
     "The number of the acquisition for writing: the current or the last one.", NULL},
    {"deaths", rwlock_deaths, NULL, "How many deaths of writers were reported to this process.",
     NULL},
    {"last_death", rwlock_last_death, NULL,
     "(process, thread, generation) of the last writer that died, or None.", NULL},
    {NULL, NULL, NULL, NULL, NULL}};

PyDoc_STRVAR(
    rwlock_doc,
    "RWLock(region=None, name=None, *, on_death='report', misuse=None, create=True)\n--\n\n"
    "Many readers or one writer, threads of any processes:\n\n"
    "    with lock.read: ...\n"
    "    with lock.write as grant: ...\n"
    "    with lock.upgradable:\n"
    "        if lock.upgrade(timeout=1): ...\n\n"
    "Phase-fair: a writer waits for the readers that are there, and the readers that wait "
    "meanwhile\n"
    "come next. A reader that dies has released. After the death of a writer the next writer gets\n"
    "what on_death says (see Mutex). A reader repairs, too, if on_death is 'consistent' or a\n"
    "function; else it gets OwnerDied, and holds nothing, until a writer has repaired.\n"
    "region, name, misuse and create are as for Mutex.");

static PyType_Slot rwlock_slots[] = {{Py_tp_dealloc, rwlock_dealloc},
                                     {Py_tp_traverse, fwpy_base_traverse},
                                     {Py_tp_clear, fwpy_base_clear},
                                     {Py_tp_members, fwpy_base_members},
                                     {Py_tp_doc, (void *)rwlock_doc},
                                     {Py_tp_new, rwlock_new},
                                     {Py_tp_methods, rwlock_methods},
                                     {Py_tp_getset, rwlock_getset},
                                     {0, NULL}};

static PyType_Spec rwlock_spec = {.name = "furwock._furwock.RWLock",
                                  .basicsize = sizeof(fwpy_base),
                                  .flags =
                                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
                                  .slots = rwlock_slots};

int fwpy_add_rwlock(PyObject *module)
{
    fwpy_state *state = fwpy_state_of(module);

    state->rwlock = fwpy_add_type(module, &rwlock_spec, state->base);
    return state->rwlock == NULL ? -1 : fwpy_add_rwlock_side(module);
}
