/* SPDX-License-Identifier: MIT */
/* furwock.Once, over fw_ipc_once. */
#include <time.h>

#include "fwpy.h"

#include "ipc/region/layout.h"
#include "ipc/region/participant.h"

static size_t once_size(const uint32_t *parameters)
{
    (void)parameters;
    return sizeof(fw_ipc_once);
}

static int once_named(fw_region *region, const char *name, const uint32_t *parameters,
                      unsigned flags, void **object)
{
    (void)parameters;
    return fw_region_object(region, name, FW_REGION_ONCE, sizeof(fw_ipc_once), flags, object);
}

static const struct fwpy_kind once_kind = {
    .name = "Once", .kind = FW_REGION_ONCE, .size = once_size, .named = once_named};

static fw_ipc_once *once_of(PyObject *self)
{
    return (fw_ipc_once *)((fwpy_base *)self)->object;
}

/* A call of the initialiser, which has the GIL only while it runs. */
struct initialise {
    PyObject *function, *args;
    PyThreadState *thread;
    bool has_run;
};

static int initialise(void *arg)
{
    struct initialise *it = arg;
    PyObject *result;

    PyEval_RestoreThread(it->thread);
    it->has_run = true;
    result = PyObject_CallObject(it->function, it->args);
    Py_XDECREF(result);
    it->thread = PyEval_SaveThread();
    return result == NULL ? ECANCELED : 0;
}

/* Does another living thread initialise just now? */
static bool is_under_way(const fw_ipc_once *o)
{
    uint64_t word = fw_load64_relaxed(&o->word_);
    const struct fw_ipc_mapping_ *mapping = fw_ipc_mapping_of_(o);
    const struct fw_ipc_me_ *me = fw_ipc_known_(o);

    return (word & FW_IPC_HOLDER) != 0 && word != FW_IPC_ONCE_DONE_ && mapping != NULL &&
           (me == NULL || (word & FW_IPC_HOLDER) != me->id) &&
           fw_ipc_life_(mapping, word & FW_IPC_HOLDER) == FW_IPC_ALIVE;
}

/*
 * The library's wait cannot be interrupted: so the main thread looks again and again while another
 * one initialises, 1 to 20 ms apart, and calls when that is over.
 */
static int await_others(fw_ipc_once *o)
{
    struct timespec pause = {0, 1000 * 1000};

    while (fwpy_is_main_thread() && is_under_way(o)) {
        Py_BEGIN_ALLOW_THREADS
        nanosleep(&pause, NULL);
        Py_END_ALLOW_THREADS
        if (PyErr_CheckSignals() != 0)
            return -1;
        if (pause.tv_nsec < 20 * 1000 * 1000)
            pause.tv_nsec += pause.tv_nsec / 2;
    }
    return 0;
}

static PyObject *once_call(PyObject *o, PyObject *args)
{
    struct initialise it = {.has_run = false};
    Py_ssize_t count = PyTuple_Size(args);
    int error;

    if (count < 1 || !PyCallable_Check(PyTuple_GetItem(args, 0))) {
        PyErr_SetString(PyExc_TypeError, "call() takes a function, and arguments for it");
        return NULL;
    }
    if (fw_ipc_once_is_done(once_of(o)))
        return fwpy_bool(false);
    if (await_others(once_of(o)) != 0)
        return NULL;
    it.function = PyTuple_GetItem(args, 0);
    it.args = PyTuple_GetSlice(args, 1, count);
    if (it.args == NULL)
        return NULL;
    it.thread = PyEval_SaveThread();
    error = fw_ipc_once_call(once_of(o), initialise, &it);
    PyEval_RestoreThread(it.thread);
    Py_DECREF(it.args);
    if (error == 0)
        return fwpy_bool(it.has_run);
    if (PyErr_Occurred() == NULL) /* else it is the function's exception */
        fwpy_error(((fwpy_base *)o)->state, error, "call");
    return NULL;
}

static PyObject *once_done(PyObject *o, void *unused)
{
    (void)unused;
    return fwpy_bool(fw_ipc_once_is_done(once_of(o)));
}

static PyObject *once_is_left(PyObject *o, void *unused)
{
    (void)unused;
    return fwpy_bool(fw_ipc_once_is_left(once_of(o)));
}

static PyObject *once_new(PyTypeObject *type, PyObject *args, PyObject *names)
{
    static char *words[] = {"region", "name", "create", NULL};
    struct fwpy_new new = {.create = 1};

    if (!PyArg_ParseTupleAndKeywords(args, names, "|OO$p:Once", words, &new.region, &new.name,
                                     &new.create))
        return NULL;
    return fwpy_base_new(type, &once_kind, &new);
}

static PyObject *once_from_handle(PyObject *type, PyObject *handle)
{
    return fwpy_base_from_handle((PyTypeObject *)type, &once_kind, handle);
}

PyDoc_STRVAR(
    call_doc,
    "call($self, function, /, *args)\n--\n\n"
    "Call function(*args), unless that has succeeded before, in any process; wait while\n"
    "another thread does so. True: this call has run it, and it has returned (whatever);\n"
    "False: it was done before.\n\n"
    "An exception of the function is raised here, and the next call tries again. The same\n"
    "goes for a process that dies in it: `is_left` tells the next one. Deadlock: called\n"
    "from its own function. NotHeld: in a child that was forked in the function.");

static PyMethodDef once_methods[] = {{"call", once_call, METH_VARARGS, call_doc},
                                     {"_from_handle", once_from_handle, METH_O | METH_CLASS, NULL},
                                     {NULL, NULL, 0, NULL}};

static PyGetSetDef once_getset[] = {
    {"done", once_done, NULL, "Has it been done? If so, what it did is visible here.", NULL},
    {"is_left", once_is_left, NULL,
     "For the function: has a process died in it, which may have left it half done?", NULL},
    {NULL, NULL, NULL, NULL, NULL}};

PyDoc_STRVAR(once_doc,
             "Once(region=None, name=None, *, create=True)\n--\n\n"
             "Initialisation by the first thread of any process that needs it, while the\n"
             "others wait. If it dies meanwhile, the next one initialises.");

static PyType_Slot once_slots[] = {FWPY_BASE_SLOTS,
                                   {Py_tp_doc, (void *)once_doc},
                                   {Py_tp_new, once_new},
                                   {Py_tp_methods, once_methods},
                                   {Py_tp_getset, once_getset},
                                   {0, NULL}};

static PyType_Spec once_spec = {.name = "furwock._furwock.Once",
                                .basicsize = sizeof(fwpy_base),
                                .flags =
                                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
                                .slots = once_slots};

int fwpy_add_once(PyObject *module)
{
    fwpy_state *state = fwpy_state_of(module);

    state->once = fwpy_add_type(module, &once_spec, state->base);
    return state->once == NULL ? -1 : 0;
}
