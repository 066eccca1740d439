/* SPDX-License-Identifier: MIT */
/* furwock.Region, and the default region. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "region.h"

enum { DEFAULT_SIZE = 4 * 1024 * 1024 };

/* As open(2) has it for files: FileNotFoundError, PermissionError and so on. */
static PyObject *open_error(fwpy_state *state, int error, PyObject *name)
{
    if (error == EUCLEAN || error == ESTALE || error == EPROTO || error == ENOMEM ||
        error == ETIMEDOUT || error == EMFILE) /* ENOSPC is the file system's */
        return fwpy_error(state, error, "Region");
    errno = error;
    return PyErr_SetFromErrnoWithFilenameObject(PyExc_OSError, name);
}

static fwpy_region_object *blank(PyTypeObject *type)
{
    PyObject *module = fwpy_module_of(type);
    allocfunc alloc;
    fwpy_region_object *self;

    if (module == NULL)
        return NULL;
    alloc = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    self = (fwpy_region_object *)alloc(type, 0);
    if (self != NULL) {
        self->module = fwpy_new_ref(module);
        self->state = fwpy_state_of(module);
    }
    return self;
}

/* --- Regions by name or descriptor ------------------------------------------------------------ */

static int open_named(fwpy_region_object *self, PyObject *name, size_t size, unsigned flags)
{
    PyObject *bytes;
    const char *text;
    int error;

    if (!PyUnicode_FSConverter(name, &bytes))
        return -1;
    text = PyBytes_AsString(bytes);
    if (text == NULL || strchr(text, '/') == NULL) {
        PyErr_Format(PyExc_ValueError,
                     "a region is '/name', in shared memory, or a path with another '/', not %R",
                     name);
        Py_DECREF(bytes);
        return -1;
    }
    fwpy_enter();
    error = fwpy_region_open(text, size, flags, &self->r);
    fwpy_leave();
    Py_DECREF(bytes);
    return error;
}

static int open_fd(fwpy_region_object *self, int fd, size_t size, unsigned flags)
{
    int error;

    fwpy_enter();
    error = fwpy_region_open_fd(fd, size, flags, &self->r);
    fwpy_leave();
    return error;
}

static PyObject *region_new(PyTypeObject *type, PyObject *args, PyObject *names)
{
    static char *words[] = {"name",   "size",  "create", "exclusive", "mode",
                            "shared", "renew", "stamp",  "fd",        NULL};
    PyObject *name = Py_None, *fd = Py_None;
    Py_ssize_t size = -1;
    int create = 1, exclusive = 0, mode = 0600, shared = 0, renew = 0, stamp = 0, error;
    fwpy_region_object *self;
    unsigned flags;

    if (!PyArg_ParseTupleAndKeywords(args, names, "|O$nppipppO:Region", words, &name, &size,
                                     &create, &exclusive, &mode, &shared, &renew, &stamp, &fd))
        return NULL;
    if ((name == Py_None) == (fd == Py_None)) {
        PyErr_SetString(PyExc_TypeError, "Region takes a name or fd=, one of them");
        return NULL;
    }
    if (size < 0)
        size = create ? DEFAULT_SIZE : 0;
    flags = (create ? FW_REGION_CREATE | ((unsigned)mode & 0777u) : 0) |
            (exclusive ? FW_REGION_EXCLUSIVE : 0) | (shared ? FW_REGION_SHARED : 0) |
            (renew ? FW_REGION_RENEW : 0) | (stamp ? FW_REGION_STAMP : 0);
    self = blank(type);
    if (self == NULL)
        return NULL;
    if (name != Py_None) {
        error = open_named(self, name, (size_t)size, flags);
    } else {
        int number = PyObject_AsFileDescriptor(fd);
        error = number < 0 ? -1 : open_fd(self, number, (size_t)size, flags);
    }
    if (error == 0)
        return (PyObject *)self;
    if (error > 0)
        open_error(self->state, error, name);
    Py_DECREF(self);
    return NULL;
}

static void region_dealloc(PyObject *o)
{
    fwpy_region_object *self = (fwpy_region_object *)o;
    PyTypeObject *type = Py_TYPE(o);
    freefunc free_it = (freefunc)PyType_GetSlot(type, Py_tp_free);

    PyObject_GC_UnTrack(o);
    if (self->weak != NULL)
        PyObject_ClearWeakRefs(o);
    if (self->r != NULL) {
        fwpy_enter();
        fwpy_region_release(self->r);
        fwpy_leave();
    }
    Py_XDECREF(self->module);
    free_it(o);
    Py_DECREF(type);
}

static int region_traverse(PyObject *o, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(o));
    Py_VISIT(((fwpy_region_object *)o)->module);
    return 0;
}

/* A Region for what the process has open; takes over the reference. */
static PyObject *wrap(fwpy_state *state, struct fwpy_region *r)
{
    fwpy_region_object *self = blank(state->region);

    if (self == NULL) {
        fwpy_enter();
        fwpy_region_release(r);
        fwpy_leave();
        return NULL;
    }
    self->r = r;
    return (PyObject *)self;
}

/* --- The default region ----------------------------------------------------------------------- */

/* FURWOCK_REGION_SIZE in the environment, in bytes. */
static size_t default_size(void)
{
    const char *text = getenv("FURWOCK_REGION_SIZE");
    unsigned long long size = text == NULL ? 0 : strtoull(text, NULL, 10);

    return size != 0 ? (size_t)size : DEFAULT_SIZE;
}

PyObject *fwpy_default_region(PyObject *module, PyObject *unused)
{
    fwpy_state *state = fwpy_state_of(module);
    struct fwpy_region *r = NULL;
    PyObject *region;
    int error;

    (void)unused;
    fwpy_enter();
    region = state->default_region;
    if (region != NULL) {
        Py_INCREF(region);
        fwpy_leave();
        return region;
    }
    error = fwpy_region_default(default_size(), &r);
    fwpy_leave();
    if (error != 0)
        return fwpy_error(state, error, "the default region (FURWOCK_REGION_SIZE: its size)");
    region = wrap(state, r);
    fwpy_enter();
    if (region != NULL && state->default_region == NULL)
        state->default_region = fwpy_new_ref(region);
    fwpy_leave();
    return region;
}

PyObject *fwpy_region_arg(PyObject *module, PyObject *region)
{
    if (region == NULL || region == Py_None)
        return fwpy_default_region(module, NULL);
    if (!PyObject_TypeCheck(region, fwpy_state_of(module)->region)) {
        PyErr_Format(PyExc_TypeError, "region is a Region or None, not %R", region);
        return NULL;
    }
    return fwpy_new_ref(region);
}

static PyObject *open_existing(fwpy_state *state, const char *key)
{
    PyObject *args = Py_BuildValue("(s)", key);
    PyObject *names = Py_BuildValue("{s:i}", "create", 0);
    PyObject *region = NULL;

    if (args != NULL && names != NULL)
        region = PyObject_Call((PyObject *)state->region, args, names);
    Py_XDECREF(args);
    Py_XDECREF(names);
    return region;
}

PyObject *fwpy_region_of_key(PyObject *module, const char *key)
{
    fwpy_state *state = fwpy_state_of(module);
    struct fwpy_region *r;
    PyObject *inherited;

    if (strncmp(key, "fd:", 3) != 0)
        return open_existing(state, key);
    inherited = fwpy_default_region(module, NULL);
    Py_XDECREF(inherited);
    PyErr_Clear();
    fwpy_enter();
    r = fwpy_region_find(key);
    fwpy_leave();
    if (r != NULL)
        return wrap(state, r);
    PyErr_Format(state->error,
                 "this process does not have the region %s: it is inherited by fork, "
                 "or passed when a child is spawned",
                 key);
    return NULL;
}

/* --- Type ------------------------------------------------------------------------------------- */

PyDoc_STRVAR(
    region_doc,
    "Region(name=None, *, size=4194304, create=True, exclusive=False, mode=0o600, shared=False,\n"
    "       renew=False, stamp=False, fd=None)\n--\n\n"
    "A piece of shared memory for locks: joined, or made if there is none (create).\n\n"
    "name       '/name' in shared memory (/dev/shm), or a path with another '/'\n"
    "fd         instead of a name: an open file, as a memfd that another process has passed\n"
    "size       of a new one, in bytes, 65536 at least; allocated at once. There is a participant\n"
    "           slot for each 2 KiB (a thread takes one), an entry in the directory of names for\n"
    "           each 4 KiB, a slot for an anonymous object for each 256 bytes, and a row for each\n"
    "           8 KiB (a process that uses anonymous objects takes one)\n"
    "exclusive  FileExistsError if it exists\n"
    "mode       permissions of a new file, and the most that an existing one may have\n"
    "shared     accept a file of any owner and permissions: they are trusted\n"
    "renew      replace a region from before the last boot by a new one (else Error with ESTALE)\n"
    "stamp      when made: holders record when they locked, for tools\n\n"
    "Errors are OSError's subclasses for files; CorruptRegion; Error. A process can have 16\n"
    "regions open. A region is closed when nothing refers to it and its objects any more; a named\n"
    "one stays in the file system until unlink().");

static PyType_Slot region_slots[] = {{Py_tp_doc, (void *)region_doc},
                                     {Py_tp_new, region_new},
                                     {Py_tp_dealloc, region_dealloc},
                                     {Py_tp_traverse, region_traverse},
                                     {Py_tp_methods, fwpy_region_methods},
                                     {Py_tp_getset, fwpy_region_getset},
                                     {Py_tp_members, fwpy_region_members},
                                     {Py_tp_repr, fwpy_region_repr},
                                     {0, NULL}};

static PyType_Spec region_spec = {.name = "furwock._furwock.Region",
                                  .basicsize = sizeof(fwpy_region_object),
                                  .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
                                  .slots = region_slots};

int fwpy_add_region(PyObject *module)
{
    fwpy_state *state = fwpy_state_of(module);

    state->region = fwpy_add_type(module, &region_spec, NULL);
    return state->region == NULL ? -1 : 0;
}
