/* SPDX-License-Identifier: MIT */
/* furwock.Semaphore, over semaphore_state.h. */
#include "fwpy.h"

#include "semaphore_state.h"

enum { INITIAL = 0, BOUND = 1 }; /* of the parameters */

static size_t size_of(const uint32_t *parameters)
{
    return fwpy_semaphore_size(parameters[INITIAL], parameters[BOUND]);
}

static int init(void *object, const uint32_t *parameters)
{
    if (size_of(parameters) == 0)
        return EINVAL;
    fwpy_semaphore_init(object, parameters[INITIAL], parameters[BOUND]);
    return 0;
}

static int init_named(void *object, void *arg)
{
    return init(object, arg);
}

static int named(fw_region *region, const char *name, const uint32_t *parameters, unsigned flags,
                 void **object)
{
    const struct fwpy_semaphore *s;
    int error = fw_region_object_init(region, name, FW_REGION_DATA, size_of(parameters), flags,
                                      init_named, (void *)(uintptr_t)parameters, object);

    if (error != 0)
        return error;
    s = *object;
    if (s->magic != FWPY_SEMAPHORE_MAGIC)
        return EPROTO;
    return s->initial == parameters[INITIAL] && s->bound == parameters[BOUND] ? 0 : EEXIST;
}

static const struct fwpy_kind kind = {
    .name = "Semaphore", .kind = FW_REGION_DATA, .size = size_of, .init = init, .named = named};

static struct fwpy_semaphore *semaphore_of(PyObject *self)
{
    return ((fwpy_base *)self)->object;
}

/* False: an exception is set. */
static bool parse_values(long long value, PyObject *bound, uint32_t *parameters)
{
    long long most = FWPY_SEMAPHORE_MAX;

    if (bound != NULL && bound != Py_None) {
        most = PyLong_AsLongLong(bound);
        if (most == -1 && PyErr_Occurred() != NULL)
            return false;
    }
    if (value < 0)
        PyErr_SetString(PyExc_ValueError, "semaphore initial value must be >= 0");
    else if (most < 1 || most > FWPY_SEMAPHORE_MAX)
        PyErr_Format(PyExc_ValueError, "bound must be in 1 .. %d", (int)FWPY_SEMAPHORE_MAX);
    else if (value > most)
        PyErr_SetString(PyExc_ValueError, "semaphore initial value is above its bound");
    else {
        parameters[INITIAL] = (uint32_t)value;
        parameters[BOUND] = (uint32_t)most;
        return true;
    }
    return false;
}

static PyObject *new (PyTypeObject *type, PyObject *args, PyObject *names)
{
    static char *keywords[] = {"value", "bound", "region", "name", "create", NULL};
    struct fwpy_new parsed = {.create = 1};
    PyObject *bound = NULL;
    long long value = 1;

    if (!PyArg_ParseTupleAndKeywords(args, names, "|LOOO$p:Semaphore", keywords, &value, &bound,
                                     &parsed.region, &parsed.name, &parsed.create) ||
        !parse_values(value, bound, parsed.parameters))
        return NULL;
    return fwpy_base_new(type, &kind, &parsed);
}

PyDoc_STRVAR(from_handle_doc, "_from_handle($type, handle, /)\n--\n\n"
                              "The semaphore that another process has under this handle.");
static PyObject *from_handle(PyObject *cls, PyObject *handle)
{
    return fwpy_base_from_handle((PyTypeObject *)cls, &kind, handle);
}

/* --- acquire, release ------------------------------------------------------------------------- */

static int wait_once(void *arg, const fw_deadline *deadline)
{
    return fwpy_semaphore_wait(arg, deadline);
}

static PyObject *acquire_within(PyObject *self, const struct fwpy_timeout *t)
{
    fwpy_base *base = (fwpy_base *)self;
    struct fwpy_semaphore_call c = {.s = semaphore_of(self)};
    int error = fwpy_semaphore_try(&c);

    if (error == EINPROGRESS || (error == EBUSY && !t->is_try))
        error = fwpy_wait(wait_once, &c, t); /* a try only for the guard, which is not held long */
    if (error != 0 || c.dead.pid == 0)
        return fwpy_granted(base->state, error, "acquire");
    return PyObject_CallMethod(base->state->grant_type, "_after_death", "Oiii", self,
                               (int)c.dead.pid, 0, 0);
}

static PyObject *enter(PyObject *self, PyObject *nothing)
{
    static const struct fwpy_timeout forever = {.is_forever = true};

    (void)nothing;
    return acquire_within(self, &forever);
}

PyDoc_STRVAR(acquire_doc,
             "acquire($self, /, blocking=True, timeout=None)\n--\n\n"
             "Takes a unit, waiting for one for at most `timeout` seconds.\n\n"
             "A Grant, which equals True; or False after the time-out.  Its owner_died is True if\n"
             "the unit was that of a process that died with it.");
static PyObject *acquire(PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    struct fwpy_timeout t;

    if (count == 0 && names == NULL)
        return enter(self, NULL);
    if (fwpy_acquire_args("acquire", args, count, names, &t) != 0)
        return NULL;
    return acquire_within(self, &t);
}

static PyObject *release_units(PyObject *self, uint32_t n)
{
    struct fwpy_semaphore *s = semaphore_of(self);
    int error = fwpy_semaphore_try_release(s, n);

    if (error == EINPROGRESS) {
        Py_BEGIN_ALLOW_THREADS
        error = fwpy_semaphore_release(s, n);
        Py_END_ALLOW_THREADS
    }
    if (error == 0)
        return fwpy_none();
    if (error != EOVERFLOW)
        return fwpy_error(((fwpy_base *)self)->state, error, "release");
    PyErr_SetString(PyExc_ValueError, "semaphore or lock released too many times");
    return NULL;
}

PyDoc_STRVAR(
    release_doc,
    "release($self, /, n=1)\n--\n\n"
    "Gives `n` units back, or adds them, and wakes as many waiters.\n\n"
    "A process that releases more than it has acquired turns the semaphore into a signal:\n"
    "from then on the units of dead processes do not come back.  ValueError: the value\n"
    "would be above the bound.");
static PyObject *release(PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    Py_ssize_t named = names == NULL ? 0 : PyTuple_Size(names);
    long long n = 1;

    if (count + named > 1 ||
        (named == 1 && PyUnicode_CompareWithASCIIString(PyTuple_GetItem(names, 0), "n") != 0)) {
        PyErr_SetString(PyExc_TypeError, "release() takes one argument, n, or none");
        return NULL;
    }
    if (count + named == 1)
        n = PyLong_AsLongLong(args[0]);
    if (n == -1 && PyErr_Occurred() != NULL)
        return NULL;
    if (n < 1) {
        PyErr_SetString(PyExc_ValueError, "n must be one or more");
        return NULL;
    }
    return release_units(self, n > FWPY_SEMAPHORE_MAX ? FWPY_SEMAPHORE_MAX + 1 : (uint32_t)n);
}

static PyObject *leave(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    (void)args;
    (void)count;
    return release_units(self, 1);
}

/* Of a Grant: there is nothing to declare. */
static PyObject *consistent(PyObject *self, PyObject *nothing)
{
    (void)self;
    (void)nothing;
    return fwpy_none();
}

/* --- Attributes ------------------------------------------------------------------------------- */

PyDoc_STRVAR(get_value_doc, "get_value($self, /)\n--\n\n"
                            "How many units there are: a snapshot.  Those of dead processes come\n"
                            "back when an acquire would have to wait.");
static PyObject *get_value(PyObject *self, PyObject *nothing)
{
    (void)nothing;
    return PyLong_FromUnsignedLong(fwpy_semaphore_value(semaphore_of(self)));
}

static PyObject *get_value_attribute(PyObject *self, void *closure)
{
    (void)closure;
    return get_value(self, NULL);
}

static PyObject *get_bound(PyObject *self, void *closure)
{
    (void)closure;
    return PyLong_FromUnsignedLong(((fwpy_base *)self)->parameters[BOUND]);
}

static PyObject *get_deaths(PyObject *self, void *closure)
{
    (void)closure;
    return PyLong_FromUnsignedLongLong(
        __atomic_load_n(&semaphore_of(self)->deaths, __ATOMIC_RELAXED));
}

static PyObject *get_is_signal(PyObject *self, void *closure)
{
    (void)closure;
    return fwpy_bool(__atomic_load_n(&semaphore_of(self)->is_signal, __ATOMIC_RELAXED) != 0);
}

static PyGetSetDef attributes[] = {
    {"value", get_value_attribute, NULL, "How many units there are: a snapshot.", NULL},
    {"bound", get_bound, NULL, "The largest value.", NULL},
    {"deaths", get_deaths, NULL, "How many processes died holding units that came back.", NULL},
    {"is_signal", get_is_signal, NULL,
     "True if a process has released more than it had acquired: units do not come back.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyMethodDef methods[] = {
    {"acquire", (PyCFunction)(void (*)(void))acquire, METH_FASTCALL | METH_KEYWORDS, acquire_doc},
    {"release", (PyCFunction)(void (*)(void))release, METH_FASTCALL | METH_KEYWORDS, release_doc},
    {"__enter__", enter, METH_NOARGS, "__enter__($self, /)\n--\n\nAcquires it."},
    {"__exit__", (PyCFunction)(void (*)(void))leave, METH_FASTCALL,
     "__exit__($self, exc_type, exc, traceback, /)\n--\n\nReleases it."},
    {"get_value", get_value, METH_NOARGS, get_value_doc},
    {"_consistent", consistent, METH_NOARGS, "_consistent($self, /)\n--\n\nDoes nothing."},
    {"_from_handle", from_handle, METH_O | METH_CLASS, from_handle_doc},
    {NULL, NULL, 0, NULL},
};

PyDoc_STRVAR(
    doc,
    "Semaphore(value=1, bound=None, region=None, name=None, *, create=True)\n"
    "--\n\n"
    "A semaphore between processes: the units of a dead process are returned.\n\n"
    "What a process has acquired and not released is given back when it dies, until the first\n"
    "release by a process that had not acquired as much: then one process signals what others\n"
    "wait for, and nothing is given back.  `bound` is the largest value (None: 2**31 - 1).\n"
    "Units belong to processes: any thread may release what another thread has acquired.");

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
    .name = "furwock._furwock.Semaphore",
    .basicsize = sizeof(fwpy_base),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
    .slots = slots,
};

int fwpy_add_semaphore(PyObject *module)
{
    fwpy_state *state = fwpy_state_of(module);

    state->semaphore = fwpy_add_type(module, &spec, state->base);
    return state->semaphore == NULL ? -1 : 0;
}
