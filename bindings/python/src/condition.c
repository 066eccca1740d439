/* SPDX-License-Identifier: MIT */
/* furwock.Condition, over fw_ipc_cond and the mutex of a furwock.Mutex. */
#include "condition.h"

#include "reduce.h"

static size_t size_of(const uint32_t *parameters)
{
    (void)parameters;
    return sizeof(struct fwpy_counted_cond);
}

static int named(fw_region *region, const char *name, const uint32_t *parameters, unsigned flags,
                 void **object)
{
    fw_ipc_cond *c = NULL;
    int error = fw_region_cond(region, name, flags, &c);

    (void)parameters;
    *object = c;
    return error;
}

static const struct fwpy_kind kind = {
    .name = "Condition", .kind = FW_REGION_COND, .size = size_of, .named = named};

/* --- Construction ----------------------------------------------------------------------------- */

/* The lock of a condition that is given none: it can be acquired again by its holder. */
static PyObject *new_lock(PyObject *module, const struct fwpy_new *args)
{
    PyObject *mutex = PyObject_GetAttrString(module, "Mutex"), *lock = NULL, *name = NULL;
    PyObject *nobody = PyTuple_New(0), *keywords = NULL;

    if (args->name != NULL && PyUnicode_Check(args->name))
        name = PyUnicode_FromFormat("%U.lock", args->name);
    else
        name = fwpy_new_ref(args->name == NULL ? Py_None : args->name); /* not a str: TypeError */
    if (name != NULL)
        keywords = Py_BuildValue("{sOsOsssO}", "region",
                                 args->region == NULL ? Py_None : args->region, "name", name,
                                 "relock", "count", "create", args->create ? Py_True : Py_False);
    if (mutex != NULL && nobody != NULL && keywords != NULL)
        lock = PyObject_Call(mutex, nobody, keywords);
    Py_XDECREF(mutex);
    Py_XDECREF(name);
    Py_XDECREF(nobody);
    Py_XDECREF(keywords);
    return lock;
}

/* Checks that it is a Mutex, in the region of the condition. */
static bool set_lock(struct fwpy_condition *c, PyObject *lock)
{
    static const char *const names[] = {"acquire", "release", "__enter__", "__exit__"};

    if (!PyObject_TypeCheck(lock, c->base.state->mutex)) {
        PyErr_Format(PyExc_TypeError, "lock must be a furwock.Mutex, not %R",
                     (PyObject *)Py_TYPE(lock));
        return false;
    }
    if (((fwpy_region_object *)((fwpy_base *)lock)->region)->r !=
        ((fwpy_region_object *)c->base.region)->r) {
        PyErr_SetString(PyExc_ValueError, "the lock lies in another region than the condition");
        return false;
    }
    Py_INCREF(lock);
    Py_XDECREF(c->lock);
    c->lock = lock;
    for (int i = 0; i < FWPY_FORWARDED; i++) {
        Py_XDECREF(c->methods[i]);
        c->methods[i] = PyObject_GetAttrString(lock, names[i]);
        if (c->methods[i] == NULL)
            return false;
    }
    return true;
}

static PyObject *new (PyTypeObject *type, PyObject *args, PyObject *names)
{
    static char *keywords[] = {"lock", "region", "name", "create", NULL};
    struct fwpy_new parsed = {.create = 1};
    PyObject *module = fwpy_module_of(type), *lock = NULL, *self = NULL;

    if (module == NULL ||
        !PyArg_ParseTupleAndKeywords(args, names, "|OOO$p:Condition", keywords, &lock,
                                     &parsed.region, &parsed.name, &parsed.create))
        return NULL;
    if (lock == NULL || lock == Py_None)
        lock = new_lock(module, &parsed);
    else
        Py_INCREF(lock);
    if (lock == NULL)
        return NULL;
    if ((parsed.region == NULL || parsed.region == Py_None) &&
        PyObject_TypeCheck(lock, fwpy_state_of(module)->mutex) &&
        (parsed.name == NULL || parsed.name == Py_None))
        parsed.region = ((fwpy_base *)lock)->region;
    self = fwpy_base_new(type, &kind, &parsed);
    if (self != NULL && !set_lock((struct fwpy_condition *)self, lock))
        Py_CLEAR(self);
    Py_DECREF(lock);
    return self;
}

PyDoc_STRVAR(from_handle_doc, "_from_handle($type, handle, /)\n--\n\n"
                              "The condition that another process has under this handle, without\n"
                              "its lock: __setstate__((lock,)) sets that.");
static PyObject *from_handle(PyObject *cls, PyObject *handle)
{
    return fwpy_base_from_handle((PyTypeObject *)cls, &kind, handle);
}

static void dealloc(PyObject *self)
{
    PyObject_GC_UnTrack(self);
    Py_CLEAR(((struct fwpy_condition *)self)->lock);
    for (int i = 0; i < FWPY_FORWARDED; i++)
        Py_CLEAR(((struct fwpy_condition *)self)->methods[i]);
    fwpy_base_dealloc(self);
}

static int traverse(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(((struct fwpy_condition *)self)->lock);
    for (int i = 0; i < FWPY_FORWARDED; i++)
        Py_VISIT(((struct fwpy_condition *)self)->methods[i]);
    return fwpy_base_traverse(self, visit, arg);
}

static PyObject *reduce(PyObject *self, PyObject *nothing)
{
    struct fwpy_condition *c = (struct fwpy_condition *)self;

    (void)nothing;
    return fwpy_reduce_with(&c->base, c->lock == NULL ? Py_None : c->lock, Py_None);
}

static PyObject *set_state(PyObject *self, PyObject *state)
{
    PyObject *lock, *unused, *attributes;

    if (!fwpy_is_state(state) ||
        !PyArg_ParseTuple(state, "OOO:__setstate__", &lock, &unused, &attributes) ||
        !set_lock((struct fwpy_condition *)self, lock) ||
        fwpy_set_attributes(self, attributes) != 0)
        return NULL;
    return fwpy_none();
}

/* --- The lock's methods ----------------------------------------------------------------------- */

static PyObject *forward(PyObject *self, int which, PyObject *args, PyObject *names)
{
    PyObject *method = ((struct fwpy_condition *)self)->methods[which];

    if (fwpy_condition_lock(self) == NULL)
        return NULL;
    return args == NULL ? PyObject_CallObject(method, NULL) : PyObject_Call(method, args, names);
}

static PyObject *acquire(PyObject *self, PyObject *args, PyObject *names)
{
    return forward(self, FWPY_ACQUIRE, args, names);
}

static PyObject *release(PyObject *self, PyObject *nothing)
{
    (void)nothing;
    return forward(self, FWPY_RELEASE, NULL, NULL);
}

static PyObject *enter(PyObject *self, PyObject *nothing)
{
    (void)nothing;
    return forward(self, FWPY_ENTER, NULL, NULL);
}

static PyObject *leave(PyObject *self, PyObject *args)
{
    return forward(self, FWPY_EXIT, args, NULL);
}

PyDoc_STRVAR(
    wait_doc,
    "wait($self, /, timeout=None)\n--\n\n"
    "Releases the lock, waits to be notified, for at most `timeout` seconds, and acquires\n"
    "the lock again.\n\n"
    "True, or False after the time-out; a Grant if a holder of the lock has died\n"
    "meanwhile, as acquire returns.  A lock that is held several times is released\n"
    "wholly.  It may return without a notification (when another waiter dies, say): test\n"
    "what is waited for, or use wait_for.  NotHeld: the lock is not held.");
PyDoc_STRVAR(
    wait_for_doc,
    "wait_for($self, /, predicate, timeout=None)\n--\n\n"
    "Waits until `predicate()` is true, for at most `timeout` seconds in all; returns its\n"
    "last result.");

/* --- The class -------------------------------------------------------------------------------- */

static PyObject *get_lock(PyObject *self, void *closure)
{
    fwpy_base *lock = fwpy_condition_lock(self);

    (void)closure;
    return lock == NULL ? NULL : fwpy_new_ref((PyObject *)lock);
}

static PyGetSetDef attributes[] = {
    {"lock", get_lock, NULL, "The Mutex that is released by wait.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyMethodDef methods[] = {
    {"acquire", (PyCFunction)(void (*)(void))acquire, METH_VARARGS | METH_KEYWORDS,
     "acquire($self, /, blocking=True, timeout=None)\n--\n\nAcquires the lock: lock.acquire."},
    {"release", release, METH_NOARGS, "release($self, /)\n--\n\nReleases the lock: lock.release."},
    {"__enter__", enter, METH_NOARGS, "__enter__($self, /)\n--\n\nAcquires the lock."},
    {"__exit__", leave, METH_VARARGS,
     "__exit__($self, exc_type, exc, traceback, /)\n--\n\nReleases the lock."},
    {"wait", (PyCFunction)(void (*)(void))fwpy_condition_wait, METH_VARARGS | METH_KEYWORDS,
     wait_doc},
    {"wait_for", (PyCFunction)(void (*)(void))fwpy_condition_wait_for, METH_VARARGS | METH_KEYWORDS,
     wait_for_doc},
    {"notify", (PyCFunction)(void (*)(void))fwpy_condition_notify, METH_VARARGS | METH_KEYWORDS,
     "notify($self, /, n=1)\n--\n\nWakes `n` waiters, or as many as there are."},
    {"notify_all", fwpy_condition_notify_all, METH_NOARGS,
     "notify_all($self, /)\n--\n\nWakes all waiters."},
    {"_begin", fwpy_condition_begin, METH_NOARGS,
     "_begin($self, /)\n--\n\nA task of an event loop waits from now on (aio.py)."},
    {"_is_notified", fwpy_condition_is_notified, METH_O,
     "_is_notified($self, began, /)\n--\n\nIs there a notification for that task?"},
    {"_end", fwpy_condition_end, METH_VARARGS,
     "_end($self, began, takes, /)\n--\n\nThe task waits no more."},
    {"_from_handle", from_handle, METH_O | METH_CLASS, from_handle_doc},
    {"__reduce__", reduce, METH_NOARGS, "__reduce__($self, /)\n--\n\nHow it is pickled."},
    {"__setstate__", set_state, METH_O, "__setstate__($self, state, /)\n--\n\nRestores the lock."},
    {NULL, NULL, 0, NULL},
};

PyDoc_STRVAR(doc, "Condition(lock=None, region=None, name=None, *, create=True)\n--\n\n"
                  "A condition variable between processes, with a Mutex (None: a new one that its\n"
                  "holder may acquire again).\n\n"
                  "A process that is killed while it waits, notifies or holds the lock loses no\n"
                  "notification and hangs nobody.");

static PyType_Slot slots[] = {
    {Py_tp_doc, (void *)doc},
    {Py_tp_new, new},
    {Py_tp_methods, methods},
    {Py_tp_getset, attributes},
    {Py_tp_dealloc, dealloc},
    {Py_tp_traverse, traverse},
    {Py_tp_clear, fwpy_base_clear},
    {Py_tp_members, fwpy_base_members},
    {0, NULL},
};

static PyType_Spec spec = {
    .name = "furwock._furwock.Condition",
    .basicsize = sizeof(struct fwpy_condition),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
    .slots = slots,
};

int fwpy_add_condition(PyObject *module)
{
    fwpy_state *state = fwpy_state_of(module);

    state->condition = fwpy_add_type(module, &spec, state->base);
    return state->condition == NULL ? -1 : 0;
}
