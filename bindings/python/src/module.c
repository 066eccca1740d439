/* SPDX-License-Identifier: MIT */
/* The module furwock._furwock. */
#include "barrier.h"
#include "fwpy.h"
#include "inspect_region.h"
#include "region.h"
#include "watch.h"

/* Py_mod_multiple_interpreters (3.12) and Py_mod_gil (3.13), by number: older headers lack them. */
enum { SLOT_INTERPRETERS = 3, SLOT_GIL = 4 };

static PyObject *has_default_region(PyObject *module, PyObject *unused)
{
    bool has;

    (void)module, (void)unused;
    fwpy_enter();
    has = fwpy_region_has_default();
    fwpy_leave();
    return fwpy_bool(has);
}

static PyMethodDef methods[] = {
    {"default_region", fwpy_default_region, METH_NOARGS,
     "default_region($module, /)\n--\n\n"
     "The region of this process and its children, which is made when it is first used, in\n"
     "anonymous memory: nothing is left when the last of them ends. Its size is 4 MiB, or what\n"
     "FURWOCK_REGION_SIZE in the environment says, in bytes."},
    {"_has_default_region", has_default_region, METH_NOARGS,
     "_has_default_region($module, /)\n--\n\nHas this process a default region already?"},
    {"_inspect", fwpy_inspect, METH_VARARGS,
     "_inspect(memory, /)\n--\n\n"
     "What is in a region, from a copy of its memory; or the errno value that says why it is "
     "none."},
    {"_process_ends", fwpy_process_ends, METH_NOARGS,
     "_process_ends($module, /)\n--\n\n"
     "This process ends in good order: it takes part in no barrier any more."},
    {NULL, NULL, 0, NULL}};

static int import_from(const char *module_name, const char *name, PyObject **where)
{
    PyObject *module = PyImport_ImportModule(module_name);

    if (module == NULL)
        return -1;
    *where = PyObject_GetAttrString(module, name);
    Py_DECREF(module);
    return *where == NULL ? -1 : 0;
}

static int import_names(fwpy_state *s)
{
    const struct {
        const char *module, *name;
        PyObject **where;
    } all[] = {{"furwock._grant", "Grant", &s->grant_type},
               {"furwock._errors", "Error", &s->error},
               {"furwock._errors", "OwnerDied", &s->owner_died},
               {"furwock._errors", "LockLost", &s->lock_lost},
               {"furwock._errors", "CorruptRegion", &s->corrupt_region},
               {"furwock._errors", "NoSlot", &s->no_slot},
               {"furwock._errors", "NotHeld", &s->not_held},
               {"furwock._errors", "Deadlock", &s->deadlock},
               {"furwock._errors", "OwnerDiedWarning", &s->owner_died_warning}};

    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (import_from(all[i].module, all[i].name, all[i].where) != 0)
            return -1;
    s->granted = PyObject_CallFunction(s->grant_type, "i", 1);
    return s->granted == NULL ? -1 : 0;
}

static int execute(PyObject *module)
{
    static int (*const parts[])(PyObject *) = {
        fwpy_add_region, fwpy_add_base,      fwpy_add_mutex,     fwpy_add_rwlock,
        fwpy_add_once,   fwpy_add_condition, fwpy_add_semaphore, fwpy_add_permits,
        fwpy_add_event,  fwpy_add_barrier,   fwpy_add_watcher,
    };

    if (import_names(fwpy_state_of(module)) != 0)
        return -1;
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (parts[i](module) != 0)
            return -1;
    return 0;
}

/* All references to Python objects in the state. */
static void each(fwpy_state *s, void (*what)(PyObject **, void *), void *arg)
{
    PyObject **all[] = {(PyObject **)&s->region,
                        (PyObject **)&s->base,
                        (PyObject **)&s->mutex,
                        (PyObject **)&s->rwlock,
                        (PyObject **)&s->rwlock_side,
                        (PyObject **)&s->once,
                        (PyObject **)&s->condition,
                        (PyObject **)&s->semaphore,
                        (PyObject **)&s->permits,
                        (PyObject **)&s->event,
                        (PyObject **)&s->barrier,
                        &s->grant_type,
                        &s->default_region,
                        &s->error,
                        &s->owner_died,
                        &s->lock_lost,
                        &s->corrupt_region,
                        &s->no_slot,
                        &s->not_held,
                        &s->deadlock,
                        &s->owner_died_warning};

    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (*all[i] != NULL)
            what(all[i], arg);
}

struct visit {
    visitproc call;
    void *arg;
    int result;
};

static void visit_one(PyObject **object, void *arg)
{
    struct visit *v = arg;

    if (v->result == 0)
        v->result = v->call(*object, v->arg);
}

static int traverse(PyObject *module, visitproc call, void *arg)
{
    struct visit v = {call, arg, 0};

    each(fwpy_state_of(module), visit_one, &v);
    if (v.result == 0 && fwpy_state_of(module)->granted != NULL)
        v.result = call(fwpy_state_of(module)->granted, arg);
    return v.result;
}

static void clear_one(PyObject **object, void *unused)
{
    (void)unused;
    Py_CLEAR(*object);
}

static int clear(PyObject *module)
{
    each(fwpy_state_of(module), clear_one, NULL);
    return 0;
}

static void free_module(void *module)
{
    fwpy_state *state = fwpy_state_of((PyObject *)module);

    (void)clear((PyObject *)module);
    Py_CLEAR(state->granted); /* locks may be used until here */
}

/* Filled when the version that runs is known: a slot that it does not have is an error. */
static PyModuleDef_Slot slots[4] = {{Py_mod_exec, execute}};

struct PyModuleDef fwpy_module = {PyModuleDef_HEAD_INIT,
                                  .m_name = "furwock._furwock",
                                  .m_doc = "furwock's locks between processes.",
                                  .m_size = sizeof(fwpy_state),
                                  .m_methods = methods,
                                  .m_slots = slots,
                                  .m_traverse = traverse,
                                  .m_clear = clear,
                                  .m_free = free_module};

/* The minor version of the Python 3 that runs. */
static int running_minor(void)
{
    const char *text = Py_GetVersion();
    int minor = 0;

    for (text += 2; *text >= '0' && *text <= '9'; text++)
        minor = minor * 10 + (*text - '0');
    return minor;
}

PyMODINIT_FUNC PyInit__furwock(void)
{
    size_t n = 1;
    int minor = running_minor();

    if (minor >= 12)
        slots[n++] = (PyModuleDef_Slot){SLOT_INTERPRETERS, (void *)2}; /* each with its own GIL */
    if (minor >= 13)
        slots[n++] = (PyModuleDef_Slot){SLOT_GIL, (void *)1}; /* none is needed */
    slots[n] = (PyModuleDef_Slot){0, NULL};
    return PyModuleDef_Init(&fwpy_module);
}
