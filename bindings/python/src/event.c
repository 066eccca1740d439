/* SPDX-License-Identifier: MIT */
/* furwock.Event, over event_state.h. */
#include "fwpy.h"

#include "event_state.h"

static size_t size_of(const uint32_t *parameters)
{
    (void)parameters;
    return sizeof(struct fwpy_event);
}

static int init(void *object, const uint32_t *parameters)
{
    struct fwpy_event *e = object;

    (void)parameters;
    e->magic = FWPY_EVENT_MAGIC;
    return 0;
}

static int init_named(void *object, void *arg)
{
    return init(object, arg);
}

static int named(fw_region *region, const char *name, const uint32_t *parameters, unsigned flags,
                 void **object)
{
    int error = fw_region_object_init(region, name, FW_REGION_DATA, sizeof(struct fwpy_event),
                                      flags, init_named, (void *)(uintptr_t)parameters, object);

    if (error == 0 && ((struct fwpy_event *)*object)->magic != FWPY_EVENT_MAGIC)
        error = EPROTO;
    return error;
}

static const struct fwpy_kind kind = {
    .name = "Event", .kind = FW_REGION_DATA, .size = size_of, .init = init, .named = named};

static struct fwpy_event *event_of(PyObject *self)
{
    return ((fwpy_base *)self)->object;
}

static PyObject *new (PyTypeObject *type, PyObject *args, PyObject *names)
{
    static char *keywords[] = {"region", "name", "create", NULL};
    struct fwpy_new parsed = {.create = 1};

    if (!PyArg_ParseTupleAndKeywords(args, names, "|OO$p:Event", keywords, &parsed.region,
                                     &parsed.name, &parsed.create))
        return NULL;
    return fwpy_base_new(type, &kind, &parsed);
}

PyDoc_STRVAR(from_handle_doc, "_from_handle($type, handle, /)\n--\n\n"
                              "The event that another process has under this handle.");
static PyObject *from_handle(PyObject *cls, PyObject *handle)
{
    return fwpy_base_from_handle((PyTypeObject *)cls, &kind, handle);
}

PyDoc_STRVAR(is_set_doc, "is_set($self, /)\n--\n\n"
                         "True if the event is set.  One load: never waits.");
static PyObject *is_set(PyObject *self, PyObject *nothing)
{
    (void)nothing;
    return fwpy_bool(fwpy_event_is_set(event_of(self)));
}

PyDoc_STRVAR(set_doc, "set($self, /)\n--\n\n"
                      "Sets the event and wakes all that wait for it.");
static PyObject *set(PyObject *self, PyObject *nothing)
{
    int error = fwpy_event_set(event_of(self));

    (void)nothing;
    return error == 0 ? fwpy_none() : fwpy_error(((fwpy_base *)self)->state, error, "set");
}

PyDoc_STRVAR(clear_doc, "clear($self, /)\n--\n\n"
                        "Clears the event: the next wait waits.");
static PyObject *clear(PyObject *self, PyObject *nothing)
{
    (void)nothing;
    fwpy_event_clear(event_of(self));
    return fwpy_none();
}

static int wait_once(void *arg, const fw_deadline *deadline)
{
    return fwpy_event_wait(arg, deadline);
}

PyDoc_STRVAR(
    wait_doc,
    "wait($self, /, timeout=None)\n--\n\n"
    "Waits until the event is set, for at most `timeout` seconds.\n\n"
    "True if it is set, or was while this call waited; False after the time-out.  It makes\n"
    "no difference how many processes that use the event are killed, and where.");
static PyObject *wait_for_set(PyObject *self, PyObject *args, PyObject *names)
{
    static char *keywords[] = {"timeout", NULL};
    struct fwpy_event_waiter waiter;
    PyObject *timeout = NULL;
    struct fwpy_timeout t;
    int error;

    if (!PyArg_ParseTupleAndKeywords(args, names, "|O:wait", keywords, &timeout) ||
        fwpy_timeout(NULL, timeout, &t) != 0)
        return NULL;
    if (fwpy_event_is_set(event_of(self)))
        return fwpy_bool(true);
    waiter = fwpy_event_begin(event_of(self));
    error = fwpy_wait(wait_once, &waiter, &t);
    if (error == 0 || error == ETIMEDOUT)
        return fwpy_bool(error == 0);
    return fwpy_error(((fwpy_base *)self)->state, error, "wait");
}

static PyMethodDef methods[] = {
    {"is_set", is_set, METH_NOARGS, is_set_doc},
    {"set", set, METH_NOARGS, set_doc},
    {"clear", clear, METH_NOARGS, clear_doc},
    {"wait", (PyCFunction)(void (*)(void))wait_for_set, METH_VARARGS | METH_KEYWORDS, wait_doc},
    {"_from_handle", from_handle, METH_O | METH_CLASS, from_handle_doc},
    {NULL, NULL, 0, NULL},
};

PyDoc_STRVAR(doc,
             "Event(region=None, name=None, *, create=True)\n--\n\n"
             "An event between processes, as threading.Event is one between threads.\n\n"
             "One word in shared memory, and no lock: a process that is killed in any of its\n"
             "methods has set or cleared it, or has not, and hangs nobody.  Without a name it\n"
             "is anonymous, for this process and its children; with a name it lies in `region`.");

static PyType_Slot slots[] = {
    {Py_tp_doc, (void *)doc},           {Py_tp_new, new},
    {Py_tp_methods, methods},           {Py_tp_dealloc, fwpy_base_dealloc},
    {Py_tp_clear, fwpy_base_clear},     {Py_tp_traverse, fwpy_base_traverse},
    {Py_tp_members, fwpy_base_members}, {0, NULL},
};

static PyType_Spec spec = {
    .name = "furwock._furwock.Event",
    .basicsize = sizeof(fwpy_base),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
    .slots = slots,
};

int fwpy_add_event(PyObject *module)
{
    fwpy_state *state = fwpy_state_of(module);

    state->event = fwpy_add_type(module, &spec, state->base);
    return state->event == NULL ? -1 : 0;
}
