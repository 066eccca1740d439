/* SPDX-License-Identifier: MIT */
/*
 * Handles: what another process of the tree needs to find an object.
 *
 *   (region, kind, name, (offset, slots, tag), (on_death, relock, misuse), parameters)
 *
 * region is the key of a region (its name, path, or "fd:DEVICE:INODE"), or a Region; name is None
 * for an anonymous object.
 */
#include "base.h"

#include <string.h>

#include "slots.h"

static PyObject *policy_of(const fwpy_base *self)
{
    static const char *const words[] = {"report", "raise", "consistent", "repeat"};

    if (self->policy == FWPY_CALL)
        return fwpy_new_ref(self->on_death);
    return PyUnicode_FromString(words[self->policy]);
}

static PyObject *base_handle(PyObject *o, void *unused)
{
    static const char *const relocks[] = {"error", "wait", "count"};
    fwpy_base *self = (fwpy_base *)o;
    const struct fwpy_cell *cell = self->cell;
    PyObject *policy = policy_of(self);

    (void)unused;
    return Py_BuildValue("(ssO(KII)(NsO)(IIII))", fwpy_base_region(self)->key, self->kind->name,
                         self->name != NULL ? self->name : Py_None,
                         self->name != NULL ? 0ULL : (unsigned long long)cell->at, cell->slots,
                         cell->tag, policy, relocks[self->relock],
                         self->misuse != NULL ? self->misuse : Py_None, self->parameters[0],
                         self->parameters[1], self->parameters[2], self->parameters[3]);
}

static int attach(fwpy_base *self, uint64_t at, uint32_t slots, uint32_t tag)
{
    struct fwpy_region *r = fwpy_base_region(self);
    int error;

    if ((tag & 0xff) != ((uint32_t)self->kind->kind & 0xff))
        return EPROTO;
    fwpy_enter();
    error = fwpy_slots_attach(r, at, slots, tag, &self->cell);
    if (error != 0)
        self->cell = NULL;
    fwpy_leave();
    if (error == 0)
        self->object = (char *)fw_region_base(r->region) + at;
    return error;
}

static PyObject *from_parts(PyTypeObject *type, const struct fwpy_kind *kind, PyObject *region,
                            PyObject *parts)
{
    struct fwpy_new new = {.region = region, .create = 0};
    const char *kind_name;
    PyObject *unused;
    unsigned long long at;
    unsigned int slots, tag, *p = new.parameters;
    fwpy_base *self;
    int error;

    if (!PyArg_ParseTuple(parts, "OsO(KII)(OOO)(IIII):_from_handle", &unused, &kind_name, &new.name,
                          &at, &slots, &tag, &new.on_death, &new.relock, &new.misuse, &p[0], &p[1],
                          &p[2], &p[3]))
        return NULL;
    if (strcmp(kind_name, kind->name) != 0) {
        PyErr_Format(PyExc_ValueError, "this is the handle of a %s, not of a %s", kind_name,
                     kind->name);
        return NULL;
    }
    if (new.name != Py_None)
        return fwpy_base_new(type, kind, &new);
    self = fwpy_base_blank(type, kind, &new);
    if (self == NULL)
        return NULL;
    error = attach(self, at, slots, tag);
    if (error == 0)
        return (PyObject *)self;
    fwpy_error(self->state, error, kind->name);
    Py_DECREF(self);
    return NULL;
}

PyObject *fwpy_base_from_handle(PyTypeObject *type, const struct fwpy_kind *kind, PyObject *handle)
{
    PyObject *module = fwpy_module_of(type), *region, *key, *key_bytes, *result;

    if (module == NULL)
        return NULL;
    if (!PyTuple_Check(handle) || PyTuple_Size(handle) != 6) {
        PyErr_SetString(PyExc_TypeError, "not a handle");
        return NULL;
    }
    key = PyTuple_GetItem(handle, 0);
    if (!PyUnicode_Check(key)) {
        region = fwpy_region_arg(module, key);
    } else {
        key_bytes = PyUnicode_AsUTF8String(key);
        region = key_bytes == NULL ? NULL : fwpy_region_of_key(module, PyBytes_AsString(key_bytes));
        Py_XDECREF(key_bytes);
    }
    if (region == NULL)
        return NULL;
    result = from_parts(type, kind, region, handle);
    Py_DECREF(region);
    return result;
}

static PyObject *base_reduce(PyObject *self, PyObject *unused)
{
    PyObject *module = PyImport_ImportModule("furwock._reduce"), *result;

    (void)unused;
    if (module == NULL)
        return NULL;
    result = PyObject_CallMethod(module, "reduce_object", "O", self);
    Py_DECREF(module);
    return result;
}

static PyObject *base_region(PyObject *self, void *unused)
{
    (void)unused;
    return fwpy_new_ref(((fwpy_base *)self)->region);
}

static PyObject *base_name(PyObject *self, void *unused)
{
    PyObject *name = ((fwpy_base *)self)->name;

    (void)unused;
    return name != NULL ? fwpy_new_ref(name) : fwpy_none();
}

static PyObject *base_repr(PyObject *o)
{
    fwpy_base *self = (fwpy_base *)o;
    PyObject *type_name = PyObject_GetAttrString((PyObject *)Py_TYPE(o), "__name__"), *text;

    if (type_name == NULL)
        return NULL;
    if (self->name != NULL)
        text = PyUnicode_FromFormat("<%U %R in %s>", type_name, self->name,
                                    fwpy_base_region(self)->key);
    else
        text =
            PyUnicode_FromFormat("<%U at %llu in %s>", type_name,
                                 (unsigned long long)self->cell->at, fwpy_base_region(self)->key);
    Py_DECREF(type_name);
    return text;
}

/* All is done by tp_new: a class that is derived from ours takes what arguments it likes. */
static int base_init(PyObject *self, PyObject *args, PyObject *names)
{
    (void)self, (void)args, (void)names;
    return 0;
}

/* _Object itself is of no kind. */
static PyObject *base_no_new(PyTypeObject *type, PyObject *args, PyObject *names)
{
    (void)type, (void)args, (void)names;
    PyErr_SetString(PyExc_TypeError, "an abstract class");
    return NULL;
}

static PyMethodDef methods[] = {{"__reduce__", base_reduce, METH_NOARGS,
                                 "__reduce__($self, /)\n--\n\nOnly for a child that is being "
                                 "spawned, or if the region and the object "
                                 "have names."},
                                {NULL, NULL, 0, NULL}};

static PyGetSetDef getset[] = {
    {"region", base_region, NULL, "The Region in which it lies.", NULL},
    {"name", base_name, NULL, "Its name in the region; None: anonymous.", NULL},
    {"handle", base_handle, NULL,
     "What another process that has the region open needs to find the object, for "
     "_from_handle. It does not keep an anonymous object alive.",
     NULL},
    {NULL, NULL, NULL, NULL, NULL}};

PyDoc_STRVAR(doc, "What all objects in a region have in common.");

static PyType_Slot slots[] = {{Py_tp_doc, (void *)doc},
                              {Py_tp_dealloc, fwpy_base_dealloc},
                              {Py_tp_traverse, fwpy_base_traverse},
                              {Py_tp_clear, fwpy_base_clear},
                              {Py_tp_members, fwpy_base_members},
                              {Py_tp_methods, methods},
                              {Py_tp_getset, getset},
                              {Py_tp_repr, base_repr},
                              {Py_tp_init, base_init},
                              {Py_tp_new, base_no_new},
                              {0, NULL}};

static PyType_Spec spec = {.name = "furwock._furwock._Object",
                           .basicsize = sizeof(fwpy_base),
                           .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
                           .slots = slots};

PyTypeObject *fwpy_add_type(PyObject *module, PyType_Spec *of, PyTypeObject *base)
{
    PyObject *bases = base == NULL ? NULL : PyTuple_Pack(1, (PyObject *)base);
    PyObject *type;
    const char *name = strrchr(of->name, '.') + 1;

    if (base != NULL && bases == NULL)
        return NULL;
    type = PyType_FromModuleAndSpec(module, of, bases);
    Py_XDECREF(bases);
    if (type == NULL)
        return NULL;
    Py_INCREF(type);
    if (PyModule_AddObject(module, name, type) != 0) {
        Py_DECREF(type);
        Py_DECREF(type);
        return NULL;
    }
    return (PyTypeObject *)type;
}

int fwpy_add_base(PyObject *module)
{
    fwpy_state *state = fwpy_state_of(module);

    state->base = fwpy_add_type(module, &spec, NULL);
    return state->base == NULL ? -1 : 0;
}
