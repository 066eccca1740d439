/* SPDX-License-Identifier: MIT */
/* furwock.Permits, over fw_ipc_permits. */
#include "fwpy.h"

static size_t size_of(const uint32_t *parameters)
{
    return fw_ipc_permits_size(parameters[0]);
}

static int init(void *object, const uint32_t *parameters)
{
    return fw_ipc_permits_init(object, parameters[0]);
}

static int named(fw_region *region, const char *name, const uint32_t *parameters, unsigned flags,
                 void **object)
{
    fw_ipc_permits *permits = NULL;
    int error = fw_region_permits(region, name, parameters[0], flags, &permits);

    *object = permits;
    return error;
}

static const struct fwpy_kind kind = {
    .name = "Permits", .kind = FW_REGION_PERMITS, .size = size_of, .init = init, .named = named};

static fw_ipc_permits *permits_of(PyObject *self)
{
    return ((fwpy_base *)self)->object;
}

static PyObject *new (PyTypeObject *type, PyObject *args, PyObject *names)
{
    static char *keywords[] = {"count", "region", "name", "create", NULL};
    struct fwpy_new parsed = {.create = 1};
    long count;

    if (!PyArg_ParseTupleAndKeywords(args, names, "l|OO$p:Permits", keywords, &count,
                                     &parsed.region, &parsed.name, &parsed.create))
        return NULL;
    if (count < 1 || count > (long)FW_IPC_PERMITS_MAX) {
        PyErr_Format(PyExc_ValueError, "count must be in 1 .. %d", (int)FW_IPC_PERMITS_MAX);
        return NULL;
    }
    parsed.parameters[0] = (uint32_t)count;
    return fwpy_base_new(type, &kind, &parsed);
}

PyDoc_STRVAR(from_handle_doc, "_from_handle($type, handle, /)\n--\n\n"
                              "The permits that another process has under this handle.");
static PyObject *from_handle(PyObject *cls, PyObject *handle)
{
    return fwpy_base_from_handle((PyTypeObject *)cls, &kind, handle);
}

/* --- Taking ----------------------------------------------------------------------------------- */

struct taking {
    fw_ipc_permits *permits;
    uint32_t number;
};

static int take_once(void *arg, const fw_deadline *deadline)
{
    struct taking *t = arg;

    return fw_ipc_permits_take(t->permits, &t->number, &fwpy_until_signal.policy, deadline);
}

/* 0, EOWNERDEAD, ETIMEDOUT, an error, or -1: an exception is set. */
static int take_within(struct taking *taking, const struct fwpy_timeout *t)
{
    static const fw_deadline past = {.clock = CLOCK_MONOTONIC};
    int error = take_once(taking, &past);

    return error == ETIMEDOUT && !t->is_try ? fwpy_wait(take_once, taking, t) : error;
}

/* The grant of a permit, or False; NULL: an exception is set. */
static PyObject *grant_of(PyObject *self, int error)
{
    fwpy_base *base = (fwpy_base *)self;

    if (error == EOWNERDEAD)
        return PyObject_CallMethod(base->state->grant_type, "_after_death", "Oiii", self, 0, 0, 0);
    return fwpy_granted(base->state, error, "acquire");
}

PyDoc_STRVAR(acquire_doc,
             "acquire($self, /, blocking=True, timeout=None)\n--\n\n"
             "Takes any permit, waiting for one for at most `timeout` seconds.\n\n"
             "A Grant, which equals True; or False after the time-out.  Its owner_died is True if\n"
             "the last holder of the permit died with it.");
static PyObject *acquire(PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    struct taking taking = {.permits = permits_of(self)};
    struct fwpy_timeout t;

    if (fwpy_acquire_args("acquire", args, count, names, &t) != 0)
        return NULL;
    return grant_of(self, take_within(&taking, &t));
}

PyDoc_STRVAR(take_doc,
             "take($self, /, blocking=True, timeout=None)\n--\n\n"
             "The same, and says which permit: a tuple of its number, from 0 on, and the\n"
             "Grant; None after the time-out.");
static PyObject *take(PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    struct taking taking = {.permits = permits_of(self)};
    struct fwpy_timeout t;
    PyObject *grant;
    int error;

    if (fwpy_acquire_args("take", args, count, names, &t) != 0)
        return NULL;
    error = take_within(&taking, &t);
    if (error == ETIMEDOUT)
        return fwpy_none();
    grant = grant_of(self, error);
    return grant == NULL ? NULL : Py_BuildValue("IN", (unsigned)taking.number, grant);
}

static PyObject *enter(PyObject *self, PyObject *nothing)
{
    static const struct fwpy_timeout forever = {.is_forever = true};
    struct taking taking = {.permits = permits_of(self)};

    (void)nothing;
    return grant_of(self, take_within(&taking, &forever));
}

/* --- Giving back ------------------------------------------------------------------------------ */

PyDoc_STRVAR(release_doc, "release($self, /)\n--\n\n"
                          "Gives back any one of the calling thread's permits.\n\n"
                          "NotHeld: it has none.");
static PyObject *release(PyObject *self, PyObject *nothing)
{
    int error = fw_ipc_permits_post(permits_of(self));

    (void)nothing;
    return error == 0 ? fwpy_none() : fwpy_error(((fwpy_base *)self)->state, error, "release");
}

PyDoc_STRVAR(give_doc, "give($self, number, /)\n--\n\n"
                       "Gives back the permit of that number.\n\n"
                       "NotHeld: the calling thread does not have it.");
static PyObject *give(PyObject *self, PyObject *number)
{
    long n = PyLong_AsLong(number);
    int error;

    if (n == -1 && PyErr_Occurred() != NULL)
        return NULL;
    error = n < 0 || n > (long)FW_IPC_PERMITS_MAX
                ? EPERM
                : fw_ipc_permits_give(permits_of(self), (uint32_t)n);
    return error == 0 ? fwpy_none() : fwpy_error(((fwpy_base *)self)->state, error, "give");
}

static PyObject *leave(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    (void)args;
    (void)count;
    return release(self, NULL);
}

/* Of a Grant: there is nothing to declare. */
static PyObject *consistent(PyObject *self, PyObject *nothing)
{
    (void)self;
    (void)nothing;
    return fwpy_none();
}

/* --- Attributes ------------------------------------------------------------------------------- */

static PyObject *get_count(PyObject *self, void *closure)
{
    (void)closure;
    return PyLong_FromUnsignedLong(fw_ipc_permits_count(permits_of(self)));
}

static PyObject *get_value(PyObject *self, void *closure)
{
    (void)closure;
    return PyLong_FromUnsignedLong(fw_ipc_permits_value(permits_of(self)));
}

static PyObject *get_held(PyObject *self, void *closure)
{
    (void)closure;
    return PyLong_FromUnsignedLong(fw_ipc_permits_held_by_me(permits_of(self)));
}

static PyGetSetDef attributes[] = {
    {"count", get_count, NULL, "How many permits there are.", NULL},
    {"value", get_value, NULL, "How many could be taken: a snapshot.", NULL},
    {"held", get_held, NULL, "How many the calling thread has.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyMethodDef methods[] = {
    {"acquire", (PyCFunction)(void (*)(void))acquire, METH_FASTCALL | METH_KEYWORDS, acquire_doc},
    {"take", (PyCFunction)(void (*)(void))take, METH_FASTCALL | METH_KEYWORDS, take_doc},
    {"release", release, METH_NOARGS, release_doc},
    {"give", give, METH_O, give_doc},
    {"__enter__", enter, METH_NOARGS, "__enter__($self, /)\n--\n\nTakes a permit."},
    {"__exit__", (PyCFunction)(void (*)(void))leave, METH_FASTCALL,
     "__exit__($self, exc_type, exc, traceback, /)\n--\n\nGives it back."},
    {"_consistent", consistent, METH_NOARGS, "_consistent($self, /)\n--\n\nDoes nothing."},
    {"_from_handle", from_handle, METH_O | METH_CLASS, from_handle_doc},
    {NULL, NULL, 0, NULL},
};

PyDoc_STRVAR(doc,
             "Permits(count, region=None, name=None, *, create=True)\n--\n\n"
             "A fixed number of permits that threads of any processes borrow.\n\n"
             "A semaphore whose units have owners: only the thread that has taken a permit\n"
             "gives it back, and those of a thread that dies are free again at once.  For what\n"
             "one thread takes and another one gives back: Semaphore.");

static PyType_Slot slots[] = {
    {Py_tp_doc, (void *)doc},
    {Py_tp_new, new},
    {Py_tp_methods, methods},
    {Py_tp_getset, attributes},
    {Py_tp_dealloc, fwpy_base_dealloc},
    {Py_tp_traverse, fwpy_base_traverse},
    {Py_tp_clear, fwpy_base_clear},
    {Py_tp_members, fwpy_base_members},
    {0, NULL},
};

static PyType_Spec spec = {
    .name = "furwock._furwock.Permits",
    .basicsize = sizeof(fwpy_base),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
    .slots = slots,
};

int fwpy_add_permits(PyObject *module)
{
    fwpy_state *state = fwpy_state_of(module);

    state->permits = fwpy_add_type(module, &spec, state->base);
    return state->permits == NULL ? -1 : 0;
}
