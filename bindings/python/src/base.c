/* SPDX-License-Identifier: MIT */
/* furwock._furwock._Object: the base of all Python objects that stand for one in a region. */
#include "base.h"

#include <string.h>

#include "slots.h"

PyMemberDef fwpy_base_members[] = {
    {"__weaklistoffset__", FWPY_SSIZET, offsetof(fwpy_base, weak), FWPY_READONLY, NULL},
    {NULL, 0, 0, 0, NULL}};

PyObject *fwpy_module_of(PyTypeObject *type)
{
    while (type != NULL) {
        PyObject *module = PyType_GetModule(type);
        if (module != NULL && PyModule_GetDef(module) == &fwpy_module)
            return module;
        PyErr_Clear();
        type = (PyTypeObject *)PyType_GetSlot(type, Py_tp_base);
    }
    PyErr_SetString(PyExc_TypeError, "not a class of furwock");
    return NULL;
}

static int parse_on_death(fwpy_base *self, PyObject *on_death)
{
    static const char *const words[] = {"report", "raise", "consistent", "repeat"};

    self->policy = FWPY_REPORT;
    if (on_death == NULL)
        return 0;
    for (int i = 0; PyUnicode_Check(on_death) && i < 4; i++)
        if (PyUnicode_CompareWithASCIIString(on_death, words[i]) == 0) {
            self->policy = (uint8_t)i;
            return 0;
        }
    if (!PyCallable_Check(on_death)) {
        PyErr_Format(PyExc_ValueError,
                     "on_death is 'report', 'raise', 'consistent', 'repeat' or a function, "
                     "not %R",
                     on_death);
        return -1;
    }
    self->policy = FWPY_CALL;
    self->on_death = fwpy_new_ref(on_death);
    return 0;
}

static int parse_relock(fwpy_base *self, PyObject *relock)
{
    static const char *const words[] = {"error", "wait", "count"};

    self->relock = FWPY_RELOCK_ERROR;
    if (relock == NULL)
        return 0;
    for (int i = 0; PyUnicode_Check(relock) && i < 3; i++)
        if (PyUnicode_CompareWithASCIIString(relock, words[i]) == 0) {
            self->relock = (uint8_t)i;
            return 0;
        }
    PyErr_Format(PyExc_ValueError, "relock is 'error', 'wait' or 'count', not %R", relock);
    return -1;
}

static int parse_misuse(fwpy_base *self, PyObject *misuse)
{
    if (misuse == NULL || misuse == Py_None)
        return 0;
    if (!PyExceptionClass_Check(misuse)) {
        PyErr_Format(PyExc_TypeError, "misuse is a class of exceptions or None, not %R", misuse);
        return -1;
    }
    self->misuse = fwpy_new_ref(misuse);
    return 0;
}

static int parse_name(fwpy_base *self, const struct fwpy_new *args)
{
    if (args->name == NULL || args->name == Py_None)
        return 0;
    if (!PyUnicode_Check(args->name)) {
        PyErr_Format(PyExc_TypeError, "name is a str or None, not %R", args->name);
        return -1;
    }
    if (args->region == NULL || args->region == Py_None) {
        PyErr_SetString(PyExc_ValueError,
                        "a name needs a region: Region('/name') to share it with all processes, "
                        "default_region() to share it with this one's children");
        return -1;
    }
    self->name = fwpy_new_ref(args->name);
    return 0;
}

struct fwpy_region *fwpy_base_region(fwpy_base *self)
{
    return ((fwpy_region_object *)self->region)->r;
}

/* Not of two of our classes, whose methods would take the object for one of theirs. */
static bool is_of_one_class(const fwpy_state *s, PyTypeObject *type)
{
    PyTypeObject *const classes[] = {s->mutex,     s->rwlock,  s->once,  s->condition,
                                     s->semaphore, s->permits, s->event, s->barrier};
    int count = 0;

    for (size_t i = 0; i < sizeof classes / sizeof classes[0]; i++)
        count += PyType_IsSubtype(type, classes[i]);
    if (count == 1)
        return true;
    PyErr_Format(PyExc_TypeError, "%R has several classes of furwock as bases", (PyObject *)type);
    return false;
}

/* An instance without an object yet. */
fwpy_base *fwpy_base_blank(PyTypeObject *type, const struct fwpy_kind *kind,
                           const struct fwpy_new *args)
{
    PyObject *module = fwpy_module_of(type);
    allocfunc alloc;
    fwpy_base *self;

    if (module == NULL || !is_of_one_class(fwpy_state_of(module), type))
        return NULL;
    alloc = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    self = (fwpy_base *)alloc(type, 0);
    if (self == NULL)
        return NULL;
    self->module = fwpy_new_ref(module);
    self->state = fwpy_state_of(module);
    self->kind = kind;
    memcpy(self->parameters, args->parameters, sizeof self->parameters);
    if (parse_name(self, args) == 0 && parse_on_death(self, args->on_death) == 0 &&
        parse_relock(self, args->relock) == 0 && parse_misuse(self, args->misuse) == 0)
        self->region = fwpy_region_arg(module, args->region);
    if (self->region == NULL) {
        Py_DECREF(self);
        return NULL;
    }
    return self;
}

/* In UTF-8; NULL, and an exception: no object can have it. */
static PyObject *encode_name(PyObject *name)
{
    PyObject *bytes = PyUnicode_AsUTF8String(name);
    size_t size;

    if (bytes == NULL)
        return NULL;
    size = (size_t)PyBytes_Size(bytes);
    if (size >= 1 && size <= FW_REGION_NAME_MAX && strlen(PyBytes_AsString(bytes)) == size)
        return bytes;
    PyErr_Format(PyExc_ValueError,
                 "the name of an object has 1 to %d bytes in UTF-8, none of them zero, not %R",
                 FW_REGION_NAME_MAX, name);
    Py_DECREF(bytes);
    return NULL;
}

static int find_named(fwpy_base *self, unsigned flags)
{
    struct fwpy_region *r = fwpy_base_region(self);
    PyObject *bytes = encode_name(self->name);
    int error;

    if (bytes == NULL)
        return -1;
    fwpy_enter();
    error = self->kind->named(r->region, PyBytes_AsString(bytes), self->parameters, flags,
                              &self->object);
    if (error == 0)
        error = fwpy_cell_of(
            r, (uint64_t)((char *)self->object - (char *)fw_region_base(r->region)), &self->cell);
    fwpy_leave();
    Py_DECREF(bytes);
    return error;
}

static int make_anonymous(fwpy_base *self)
{
    struct fwpy_region *r = fwpy_base_region(self);
    int error;

    fwpy_enter();
    error = fwpy_slots_new(r, self->kind, self->parameters, &self->cell);
    fwpy_leave();
    if (error == 0)
        self->object = (char *)fw_region_base(r->region) + self->cell->at;
    return error;
}

PyObject *fwpy_base_new(PyTypeObject *type, const struct fwpy_kind *kind,
                        const struct fwpy_new *args)
{
    fwpy_base *self = fwpy_base_blank(type, kind, args);
    int error;

    if (self == NULL)
        return NULL;
    error = self->name != NULL ? find_named(self, args->create ? FW_REGION_CREATE : 0)
                               : make_anonymous(self);
    if (error != 0) {
        if (error > 0)
            fwpy_error(self->state, error, kind->name);
        Py_DECREF(self);
        return NULL;
    }
    return (PyObject *)self;
}

void fwpy_base_dealloc(PyObject *o)
{
    fwpy_base *self = (fwpy_base *)o;
    PyTypeObject *type = Py_TYPE(o);
    freefunc free_it = (freefunc)PyType_GetSlot(type, Py_tp_free);

    PyObject_GC_UnTrack(o);
    if (self->weak != NULL)
        PyObject_ClearWeakRefs(o);
    if (self->cell != NULL) {
        fwpy_enter();
        fwpy_cell_drop(fwpy_base_region(self), self->cell);
        fwpy_leave();
    }
    Py_XDECREF(self->on_death);
    Py_XDECREF(self->misuse);
    Py_XDECREF(self->name);
    Py_XDECREF(self->region);
    Py_XDECREF(self->module);
    free_it(o);
    Py_DECREF(type);
}

int fwpy_base_traverse(PyObject *o, visitproc visit, void *arg)
{
    fwpy_base *self = (fwpy_base *)o;

    Py_VISIT(Py_TYPE(o));
    Py_VISIT(self->on_death);
    Py_VISIT(self->misuse);
    Py_VISIT(self->region);
    Py_VISIT(self->module);
    return 0;
}

int fwpy_base_clear(PyObject *o)
{
    fwpy_base *self = (fwpy_base *)o;

    if (self->policy == FWPY_CALL)
        self->policy = FWPY_REPORT;
    Py_CLEAR(self->on_death);
    return 0;
}
