/* SPDX-License-Identifier: MIT */
/* furwock.Barrier, over barrier_state.h. */
#include "barrier.h"

#include "barrier_state.h"
#include "reduce.h"

enum { PARTIES = 0, GOES_ON = 1 }; /* of the parameters */

struct barrier {
    fwpy_base base;
    PyObject *action;  /* or NULL */
    PyObject *timeout; /* of a wait that is given none; or NULL */
};

static size_t size_of(const uint32_t *parameters)
{
    return fwpy_barrier_size(parameters[PARTIES]);
}

static int init(void *object, const uint32_t *parameters)
{
    if (size_of(parameters) == 0)
        return EINVAL;
    fwpy_barrier_init(object, parameters[PARTIES], parameters[GOES_ON] != 0);
    return 0;
}

static int init_named(void *object, void *arg)
{
    return init(object, arg);
}

static int named(fw_region *region, const char *name, const uint32_t *parameters, unsigned flags,
                 void **object)
{
    const struct fwpy_barrier *b;
    int error = fw_region_object_init(region, name, FW_REGION_DATA, size_of(parameters), flags,
                                      init_named, (void *)(uintptr_t)parameters, object);

    if (error != 0)
        return error;
    b = *object;
    if (b->magic != FWPY_BARRIER_MAGIC)
        return EPROTO;
    return b->party_count == parameters[PARTIES] && b->goes_on == parameters[GOES_ON] ? 0 : EEXIST;
}

static const struct fwpy_kind kind = {
    .name = "Barrier", .kind = FW_REGION_DATA, .size = size_of, .init = init, .named = named};

static struct fwpy_barrier *barrier_of(PyObject *self)
{
    return ((fwpy_base *)self)->object;
}

/* --- Construction ----------------------------------------------------------------------------- */

static bool set_action(struct barrier *b, PyObject *action, PyObject *timeout)
{
    struct fwpy_timeout ignored;

    action = action == Py_None ? NULL : action;
    timeout = timeout == Py_None ? NULL : timeout;
    if (action != NULL && !PyCallable_Check(action)) {
        PyErr_SetString(PyExc_TypeError, "action must be callable or None");
        return false;
    }
    if (fwpy_timeout(NULL, timeout, &ignored) != 0)
        return false;
    Py_XINCREF(action);
    Py_XINCREF(timeout);
    Py_XDECREF(b->action);
    Py_XDECREF(b->timeout);
    b->action = action;
    b->timeout = timeout;
    return true;
}

static bool parse_mode(const char *on_death, uint32_t *goes_on)
{
    *goes_on = strcmp(on_death, "go_on") == 0;
    if (*goes_on || strcmp(on_death, "break") == 0)
        return true;
    PyErr_SetString(PyExc_ValueError, "on_death must be 'break' or 'go_on'");
    return false;
}

static PyObject *new (PyTypeObject *type, PyObject *args, PyObject *names)
{
    static char *keywords[] = {"parties", "action", "timeout", "on_death",
                               "region",  "name",   "create",  NULL};
    struct fwpy_new parsed = {.create = 1};
    PyObject *action = NULL, *timeout = NULL, *self;
    const char *on_death = "break";
    long parties;

    if (!PyArg_ParseTupleAndKeywords(args, names, "l|OO$sOOp:Barrier", keywords, &parties, &action,
                                     &timeout, &on_death, &parsed.region, &parsed.name,
                                     &parsed.create) ||
        !parse_mode(on_death, &parsed.parameters[GOES_ON]))
        return NULL;
    if (parties < 1 || parties > (long)FWPY_BARRIER_MAX) {
        PyErr_Format(PyExc_ValueError, "parties must be in 1 .. %d", (int)FWPY_BARRIER_MAX);
        return NULL;
    }
    parsed.parameters[PARTIES] = (uint32_t)parties;
    self = fwpy_base_new(type, &kind, &parsed);
    if (self == NULL)
        return NULL;
    if (!set_action((struct barrier *)self, action, timeout)) {
        Py_DECREF(self);
        return NULL;
    }
    fwpy_barrier_register(self, barrier_of(self));
    return self;
}

PyDoc_STRVAR(from_handle_doc, "_from_handle($type, handle, /)\n--\n\n"
                              "The barrier that another process has under this handle.");
static PyObject *from_handle(PyObject *cls, PyObject *handle)
{
    PyObject *self = fwpy_base_from_handle((PyTypeObject *)cls, &kind, handle);

    if (self != NULL)
        fwpy_barrier_register(self, barrier_of(self));
    return self;
}

static void dealloc(PyObject *self)
{
    struct barrier *b = (struct barrier *)self;

    PyObject_GC_UnTrack(self);
    fwpy_barrier_unregister(self);
    Py_CLEAR(b->action);
    Py_CLEAR(b->timeout);
    fwpy_base_dealloc(self);
}

static int traverse(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(((struct barrier *)self)->action);
    Py_VISIT(((struct barrier *)self)->timeout);
    return fwpy_base_traverse(self, visit, arg);
}

static int clear(PyObject *self)
{
    Py_CLEAR(((struct barrier *)self)->action);
    Py_CLEAR(((struct barrier *)self)->timeout);
    return fwpy_base_clear(self);
}

/* --- Pickling: what lies in the region by the base's __reduce__, and what every process has --- */

static PyObject *or_none(PyObject *o)
{
    return o == NULL ? Py_None : o;
}

static PyObject *reduce(PyObject *self, PyObject *nothing)
{
    struct barrier *b = (struct barrier *)self;

    (void)nothing;
    return fwpy_reduce_with(&b->base, or_none(b->action), or_none(b->timeout));
}

static PyObject *set_state(PyObject *self, PyObject *state)
{
    PyObject *action, *timeout, *attributes;

    if (!fwpy_is_state(state) ||
        !PyArg_ParseTuple(state, "OOO:__setstate__", &action, &timeout, &attributes) ||
        !set_action((struct barrier *)self, action, timeout) ||
        fwpy_set_attributes(self, attributes) != 0)
        return NULL;
    return fwpy_none();
}

/* --- wait ------------------------------------------------------------------------------------- */

static PyObject *broken(PyObject *self, int error, const char *what)
{
    PyObject *threading, *exception;

    if (error != EPIPE && error != ETIMEDOUT)
        return fwpy_error(((fwpy_base *)self)->state, error, what);
    threading = PyImport_ImportModule("threading");
    if (threading == NULL)
        return NULL;
    exception = PyObject_GetAttrString(threading, "BrokenBarrierError");
    Py_DECREF(threading);
    if (exception == NULL)
        return NULL;
    if (error == ETIMEDOUT)
        PyErr_SetString(exception, "timed out");
    else
        PyErr_SetNone(exception);
    Py_DECREF(exception);
    return NULL;
}

static int wait_once(void *arg, const fw_deadline *deadline)
{
    return fwpy_barrier_wait(arg, deadline);
}

/* A signal handler has raised an exception, or it timed out: the GIL is released meanwhile. */
static int end_wait(struct fwpy_barrier_call *c, int (*how)(struct fwpy_barrier_call *))
{
    int error;

    Py_BEGIN_ALLOW_THREADS
    error = how(c);
    Py_END_ALLOW_THREADS
    return error;
}

/* All have arrived: this thread runs the action.  0, -1: an exception is set, or errno. */
static int act(struct barrier *b, struct fwpy_barrier_call *c)
{
    PyObject *result = PyObject_CallObject(b->action, NULL);
    int error;

    Py_XDECREF(result);
    Py_BEGIN_ALLOW_THREADS
    error = fwpy_barrier_finish(c, result != NULL);
    Py_END_ALLOW_THREADS
    return result == NULL ? -1 : error;
}

static PyObject *wait_for_all(PyObject *self, PyObject *args, PyObject *names)
{
    static char *keywords[] = {"timeout", NULL};
    struct barrier *b = (struct barrier *)self;
    struct fwpy_barrier_call c = {.b = barrier_of(self), .has_action = b->action != NULL};
    PyObject *timeout = NULL;
    struct fwpy_timeout t;
    int error;

    if (!PyArg_ParseTupleAndKeywords(args, names, "|O:wait", keywords, &timeout) ||
        fwpy_timeout(NULL, timeout == NULL || timeout == Py_None ? b->timeout : timeout, &t) != 0)
        return NULL;
    error = fwpy_wait(wait_once, &c, &t);
    if (error < 0)
        end_wait(&c, fwpy_barrier_give_up);
    else if (error == ETIMEDOUT)
        error = end_wait(&c, fwpy_barrier_time_out);
    else if (error == EINPROGRESS)
        error = act(b, &c);
    if (error == 0)
        return PyLong_FromUnsignedLong(c.index);
    return error < 0 ? NULL : broken(self, error, "wait");
}

PyDoc_STRVAR(
    wait_doc,
    "wait($self, /, timeout=None)\n--\n\n"
    "Arrives, and waits until as many threads have as the barrier has parties.\n\n"
    "Returns how many had arrived before: each number from 0 on is returned to one thread.\n"
    "threading.BrokenBarrierError: the barrier was broken or reset meanwhile, the action\n"
    "failed elsewhere, a party died (on_death='break'), or it timed out, which\n"
    "breaks it.  Without a time-out that of the constructor applies.");

/* --- Other methods ---------------------------------------------------------------------------- */

static PyObject *call_on(PyObject *self, int (*how)(struct fwpy_barrier *), const char *what)
{
    struct fwpy_barrier *b = barrier_of(self);
    int error;

    Py_BEGIN_ALLOW_THREADS
    error = how(b);
    Py_END_ALLOW_THREADS
    return error == 0 ? fwpy_none() : fwpy_error(((fwpy_base *)self)->state, error, what);
}

static PyObject *abort_it(PyObject *self, PyObject *nothing)
{
    (void)nothing;
    return call_on(self, fwpy_barrier_abort, "abort");
}

static PyObject *reset(PyObject *self, PyObject *nothing)
{
    (void)nothing;
    return call_on(self, fwpy_barrier_reset, "reset");
}

static PyObject *leave(PyObject *self, PyObject *nothing)
{
    (void)nothing;
    return call_on(self, fwpy_barrier_leave, "leave");
}

static PyObject *get_parties(PyObject *self, void *closure)
{
    (void)closure;
    return PyLong_FromUnsignedLong(((fwpy_base *)self)->parameters[PARTIES]);
}

static PyObject *get_waiting(PyObject *self, void *closure)
{
    (void)closure;
    return PyLong_FromUnsignedLong(fwpy_barrier_waiting(barrier_of(self)));
}

static PyObject *get_broken(PyObject *self, void *closure)
{
    (void)closure;
    return fwpy_bool(fwpy_barrier_is_broken(barrier_of(self)));
}

static PyObject *get_deaths(PyObject *self, void *closure)
{
    (void)closure;
    return PyLong_FromUnsignedLongLong(
        __atomic_load_n(&barrier_of(self)->deaths, __ATOMIC_RELAXED));
}

static PyGetSetDef attributes[] = {
    {"parties", get_parties, NULL, "How many threads have to arrive.", NULL},
    {"n_waiting", get_waiting, NULL, "How many have arrived in this phase: a snapshot.", NULL},
    {"broken", get_broken, NULL, "True if the barrier is broken, until it is reset.", NULL},
    {"deaths", get_deaths, NULL, "How many parties have died before they arrived.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyMethodDef methods[] = {
    {"wait", (PyCFunction)(void (*)(void))wait_for_all, METH_VARARGS | METH_KEYWORDS, wait_doc},
    {"abort", abort_it, METH_NOARGS,
     "abort($self, /)\n--\n\nBreaks the barrier: waiters get BrokenBarrierError, until a reset."},
    {"reset", reset, METH_NOARGS,
     "reset($self, /)\n--\n\nMakes it as new; threads that wait get BrokenBarrierError."},
    {"leave", leave, METH_NOARGS,
     "leave($self, /)\n--\n\n"
     "The calling thread takes part no more: its death breaks nothing, and another may come."},
    {"_from_handle", from_handle, METH_O | METH_CLASS, from_handle_doc},
    {"__reduce__", reduce, METH_NOARGS, "__reduce__($self, /)\n--\n\nHow it is pickled."},
    {"__setstate__", set_state, METH_O,
     "__setstate__($self, state, /)\n--\n\nRestores action and timeout."},
    {NULL, NULL, 0, NULL},
};

PyDoc_STRVAR(
    doc, "Barrier(parties, action=None, timeout=None, *, on_death='break', region=None, "
         "name=None, create=True)\n--\n\n"
         "A barrier between processes, as threading.Barrier is one between threads.\n\n"
         "`action` is called by one of the threads when all have arrived, before the others go\n"
         "on.  If a process dies, one of whose threads has taken part and has not arrived yet,\n"
         "the barrier breaks at once ('break'), or goes on without it until another thread\n"
         "arrives in its place ('go_on'; an action whose thread dies is then run again).  A\n"
         "process that ends by itself leaves, and the others wait for another one.");

static PyType_Slot slots[] = {
    {Py_tp_doc, (void *)doc},
    {Py_tp_new, new},
    {Py_tp_methods, methods},
    {Py_tp_getset, attributes},
    {Py_tp_dealloc, dealloc},
    {Py_tp_traverse, traverse},
    {Py_tp_clear, clear},
    {Py_tp_members, fwpy_base_members},
    {0, NULL},
};

static PyType_Spec spec = {
    .name = "furwock._furwock.Barrier",
    .basicsize = sizeof(struct barrier),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
    .slots = slots,
};

int fwpy_add_barrier(PyObject *module)
{
    fwpy_state *state = fwpy_state_of(module);

    state->barrier = fwpy_add_type(module, &spec, state->base);
    return state->barrier == NULL ? -1 : 0;
}
