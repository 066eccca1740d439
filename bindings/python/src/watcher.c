/* SPDX-License-Identifier: MIT */
/* furwock._furwock._Watcher: what a helper thread of an event loop waits by (aio.py, watch.h). */
#include <stdlib.h>
#include <string.h>

#include "condition.h"
#include "watch.h"

/* In memory of its own: a thread may sleep on it while the object is dropped at the end. */
struct watcher {
    PyObject_HEAD uint32_t *pokes;
};

static PyObject *new (PyTypeObject *type, PyObject *args, PyObject *names)
{
    static char *keywords[] = {NULL};
    struct watcher *self;

    if (!PyArg_ParseTupleAndKeywords(args, names, ":_Watcher", keywords))
        return NULL;
    self = (struct watcher *)((allocfunc)PyType_GetSlot(type, Py_tp_alloc))(type, 0);
    if (self == NULL)
        return NULL;
    self->pokes = calloc(1, sizeof *self->pokes);
    if (self->pokes == NULL) {
        Py_DECREF(self);
        return PyErr_NoMemory();
    }
    return (PyObject *)self;
}

static void dealloc(PyObject *o)
{
    PyTypeObject *type = Py_TYPE(o);

    free(((struct watcher *)o)->pokes);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(o);
    Py_DECREF(type);
}

/* False: an exception is set. */
static bool kind_of(PyObject *o, PyObject *module, struct fwpy_watched *w)
{
    static const char *const names[] = {"Mutex", "Semaphore", "Permits", "Event", "Condition"};

    if (!PyObject_TypeCheck(o, fwpy_state_of(module)->base)) {
        PyErr_Format(PyExc_TypeError, "not an object of a region: %R", o);
        return false;
    }
    w->object = ((fwpy_base *)o)->object;
    for (int i = 0; i < 5; i++)
        if (strcmp(((fwpy_base *)o)->kind->name, names[i]) == 0) {
            w->kind = (enum fwpy_watched_kind)i;
            return true;
        }
    PyErr_Format(PyExc_TypeError, "cannot be watched: %R", o);
    return false;
}

/* Fills them from a list of (object, token). */
static bool fill(PyObject *entries, PyObject *module, struct fwpy_watched *all, Py_ssize_t n)
{
    PyObject *object;
    unsigned long long token;

    for (Py_ssize_t i = 0; i < n; i++) {
        if (!PyArg_ParseTuple(PyList_GetItem(entries, i), "OK:watch", &object, &token) ||
            !kind_of(object, module, &all[i]))
            return false;
        all[i].token = token;
    }
    return true;
}

static PyObject *ready_ones(const struct fwpy_watched *all, Py_ssize_t n)
{
    PyObject *list = PyList_New(0), *index;

    for (Py_ssize_t i = 0; list != NULL && i < n; i++) {
        if (!all[i].is_ready)
            continue;
        index = PyLong_FromSsize_t(i);
        if (index == NULL || PyList_Append(list, index) != 0)
            Py_CLEAR(list);
        Py_XDECREF(index);
    }
    return list;
}

PyDoc_STRVAR(
    watch_doc,
    "watch($self, entries, timeout, pokes, /)\n--\n\n"
    "Waits until some of the objects can be had, for at most `timeout` seconds, or until\n"
    "pokes() differs from `pokes`.\n\n"
    "`entries` is a list of (object, token); returns the indices of those that can be had\n"
    "or tried.  Nothing is taken.");
static PyObject *watch(PyObject *self, PyObject *args)
{
    PyObject *module = fwpy_module_of(Py_TYPE(self)), *entries, *timeout, *result;
    struct fwpy_watched *all;
    struct fwpy_timeout t;
    unsigned int pokes;
    Py_ssize_t n;
    int error;

    if (module == NULL ||
        !PyArg_ParseTuple(args, "O!OI:watch", &PyList_Type, &entries, &timeout, &pokes) ||
        fwpy_timeout(NULL, timeout, &t) != 0)
        return NULL;
    n = PyList_Size(entries);
    if (n == 0 || t.is_forever || t.is_try) {
        PyErr_SetString(PyExc_ValueError, "needs entries, and a positive time-out");
        return NULL;
    }
    all = calloc((size_t)n, sizeof *all);
    if (all == NULL)
        return PyErr_NoMemory();
    if (!fill(entries, module, all, n)) {
        free(all);
        return NULL;
    }
    Py_BEGIN_ALLOW_THREADS
    error = fwpy_watch(all, (size_t)n, ((struct watcher *)self)->pokes, pokes, &t.at);
    Py_END_ALLOW_THREADS
    result = error == 0 ? ready_ones(all, n) : fwpy_error(fwpy_state_of(module), error, "watch");
    free(all);
    return result;
}

static PyObject *poke(PyObject *self, PyObject *nothing)
{
    uint32_t *pokes = ((struct watcher *)self)->pokes;

    (void)nothing;
    __atomic_fetch_add(pokes, 1, __ATOMIC_ACQ_REL);
    fw_ipc_wake_(pokes, INT_MAX);
    return fwpy_none();
}

static PyObject *get_pokes(PyObject *self, PyObject *nothing)
{
    (void)nothing;
    return PyLong_FromUnsignedLong(
        __atomic_load_n(((struct watcher *)self)->pokes, __ATOMIC_ACQUIRE));
}

PyDoc_STRVAR(token_doc, "token($self, object, /)\n--\n\n"
                        "What a wait that begins now is recognised by.  Of a condition: with its\n"
                        "lock held.");
static PyObject *token(PyObject *self, PyObject *object)
{
    PyObject *module = fwpy_module_of(Py_TYPE(self));
    struct fwpy_watched w = {.object = NULL};

    if (module == NULL || !kind_of(object, module, &w))
        return NULL;
    return PyLong_FromUnsignedLongLong(fwpy_watch_token(&w));
}

static PyMethodDef methods[] = {
    {"watch", watch, METH_VARARGS, watch_doc},
    {"poke", poke, METH_NOARGS, "poke($self, /)\n--\n\nEnds the watch that is under way."},
    {"pokes", get_pokes, METH_NOARGS, "pokes($self, /)\n--\n\nHow often it was poked."},
    {"token", token, METH_O, token_doc},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_doc, (void *)"_Watcher()\n--\n\nWaits for many objects at once, for an event loop."},
    {Py_tp_new, new},
    {Py_tp_methods, methods},
    {Py_tp_dealloc, dealloc},
    {0, NULL},
};

static PyType_Spec spec = {
    .name = "furwock._furwock._Watcher",
    .basicsize = sizeof(struct watcher),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = slots,
};

int fwpy_add_watcher(PyObject *module)
{
    PyObject *type = PyType_FromModuleAndSpec(module, &spec, NULL);

    if (type == NULL)
        return -1;
    if (PyModule_AddObject(module, "_Watcher", type) == 0)
        return 0;
    Py_DECREF(type);
    return -1;
}
