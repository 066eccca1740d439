/* SPDX-License-Identifier: MIT */
/* What a furwock.Region can do. */
#include <string.h>

#include "region.h"

#ifndef PyBUF_WRITE /* not in the headers of the limited API, whose function takes it */
#define PyBUF_WRITE 0x200
#endif

static fwpy_region_object *of(PyObject *self)
{
    return (fwpy_region_object *)self;
}

static PyObject *region_fileno(PyObject *self, PyObject *unused)
{
    int fd, error;

    (void)unused;
    fwpy_enter();
    fd = fwpy_region_fd(of(self)->r);
    error = errno;
    fwpy_leave();
    return fd >= 0 ? PyLong_FromLong(fd) : fwpy_error(of(self)->state, error, "fileno");
}

static PyObject *region_collect(PyObject *self, PyObject *unused)
{
    size_t freed = 0;
    int error;

    (void)unused;
    fwpy_enter();
    error = fwpy_slots_collect(of(self)->r, &freed);
    fwpy_leave();
    return error == 0 ? PyLong_FromSize_t(freed) : fwpy_error(of(self)->state, error, "collect");
}

static PyObject *region_slots(PyObject *self, void *unused)
{
    size_t total = 0, used = 0;
    int error;

    (void)unused;
    fwpy_enter();
    error = fwpy_slots_count(of(self)->r, &total, &used);
    fwpy_leave();
    if (error != 0)
        return fwpy_error(of(self)->state, error, "slots");
    return Py_BuildValue("(nn)", (Py_ssize_t)used, (Py_ssize_t)total);
}

static PyObject *region_data(PyObject *o, PyObject *args, PyObject *names)
{
    static char *words[] = {"name", "size", "create", NULL};
    fwpy_region_object *self = of(o);
    const char *name;
    Py_ssize_t size;
    int create = 1, error;
    void *object = NULL;

    if (!PyArg_ParseTupleAndKeywords(args, names, "sn|p:data", words, &name, &size, &create))
        return NULL;
    if (size <= 0) {
        PyErr_SetString(PyExc_ValueError, "size is at least 1");
        return NULL;
    }
    fwpy_enter();
    fwpy_let_go();
    error = fw_region_object(self->r->region, name, FW_REGION_DATA, (size_t)size,
                             create ? FW_REGION_CREATE : 0, &object);
    if (error == 0)
        self->r->refs++; /* for good: the view does not keep the region open */
    fwpy_leave();
    if (error != 0)
        return fwpy_error(self->state, error, "data");
    return PyMemoryView_FromMemory(object, size, PyBUF_WRITE);
}

static PyObject *region_unlink(PyObject *o, PyObject *unused)
{
    fwpy_region_object *self = of(o);
    int error = EINVAL;

    (void)unused;
    if (strncmp(self->r->key, "fd:", 3) != 0) {
        fwpy_enter();
        (void)fwpy_region_fd(self->r); /* objects without names need it, and the name is its way */
        fwpy_leave();
        Py_BEGIN_ALLOW_THREADS
        error = fw_region_remove(self->r->key);
        Py_END_ALLOW_THREADS
    }
    if (error == 0)
        return fwpy_none();
    errno = error;
    return PyErr_SetFromErrnoWithFilename(PyExc_OSError, self->r->key);
}

static PyObject *region_make_default(PyObject *self, PyObject *unused)
{
    (void)unused;
    fwpy_enter();
    fwpy_region_make_default(of(self)->r);
    fwpy_leave();
    return fwpy_none();
}

static PyObject *region_reduce(PyObject *self, PyObject *unused)
{
    PyObject *module = PyImport_ImportModule("furwock._reduce"), *result;

    (void)unused;
    if (module == NULL)
        return NULL;
    result = PyObject_CallMethod(module, "reduce_region", "O", self);
    Py_DECREF(module);
    return result;
}

static PyObject *region_key(PyObject *self, void *unused)
{
    (void)unused;
    return PyUnicode_DecodeFSDefault(of(self)->r->key);
}

static PyObject *region_name(PyObject *self, void *unused)
{
    if (strncmp(of(self)->r->key, "fd:", 3) == 0)
        return fwpy_none();
    return region_key(self, unused);
}

static PyObject *region_size(PyObject *self, void *unused)
{
    (void)unused;
    return PyLong_FromSize_t(fw_region_size(of(self)->r->region));
}

static PyObject *region_is_default(PyObject *self, void *unused)
{
    (void)unused;
    return fwpy_bool(of(self)->r->is_default);
}

PyObject *fwpy_region_repr(PyObject *self)
{
    return PyUnicode_FromFormat("<Region %s, %zu bytes>", of(self)->r->key,
                                fw_region_size(of(self)->r->region));
}

PyMethodDef fwpy_region_methods[] = {
    {"fileno", region_fileno, METH_NOARGS,
     "fileno($self, /)\n--\n\nThe descriptor of the region's file."},
    {"collect", region_collect, METH_NOARGS,
     "collect($self, /)\n--\n\nTake back the anonymous objects of processes that have died, which "
     "is also\n"
     "done when space is needed. Returns how many slots of 64 bytes became free."},
    {"data", (PyCFunction)(void (*)(void))region_data, METH_VARARGS | METH_KEYWORDS,
     "data($self, name, size, create=True)\n--\n\n"
     "A writable memoryview of the data object of that name (zeroes at first). It stays as long\n"
     "as the region, which this process then keeps open until it ends."},
    {"unlink", region_unlink, METH_NOARGS,
     "unlink($self, /)\n--\n\nRemove the name; processes that have the region open keep it."},
    {"_make_default", region_make_default, METH_NOARGS, NULL},
    {"__reduce__", region_reduce, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL}};

PyGetSetDef fwpy_region_getset[] = {
    {"key", region_key, NULL, "What handles call it: its name, or 'fd:DEVICE:INODE'.", NULL},
    {"name", region_name, NULL, "Its name or absolute path; None if it has none.", NULL},
    {"size", region_size, NULL, "In bytes.", NULL},
    {"slots", region_slots, NULL, "(used, total): slots of 64 bytes for anonymous objects.", NULL},
    {"is_default", region_is_default, NULL, "Is it the default region of this process?", NULL},
    {NULL, NULL, NULL, NULL, NULL}};

PyMemberDef fwpy_region_members[] = {
    {"__weaklistoffset__", FWPY_SSIZET, offsetof(fwpy_region_object, weak), FWPY_READONLY, NULL},
    {NULL, 0, 0, 0, NULL}};
