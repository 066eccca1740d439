/* SPDX-License-Identifier: MIT */
/* Exceptions for the library's errors. */
#include <string.h>

#include "fwpy.h"

static PyObject *class_of(const fwpy_state *state, int error)
{
    switch (error) {
    case EOWNERDEAD:
        return state->owner_died;
    case ENOTRECOVERABLE:
        return state->lock_lost;
    case EUCLEAN:
        return state->corrupt_region;
    case EAGAIN:
    case ENOSPC:
    case ENFILE:
        return state->no_slot;
    case EPERM:
        return state->not_held;
    case EDEADLK:
        return state->deadlock;
    default:
        return state->error;
    }
}

static const char *text_of(int error)
{
    switch (error) {
    case EOWNERDEAD:
        return "a holder of the lock has died, and what it left is not repaired";
    case ENOTRECOVERABLE:
        return "the lock was given up: a holder died, and the next one did not repair what it left";
    case EUCLEAN:
        return "the memory of the object or of its region has been overwritten";
    case EAGAIN:
        return "the region has no participant slot left for this thread, or the thread holds too "
               "many read locks: make the region larger";
    case ENOSPC:
        return "no space left in the region: make it larger, or drop objects";
    case ENFILE:
        return "too many processes use the anonymous objects of this region: make it larger";
    case EMFILE:
        return "this process has as many regions open as it may (16), or no descriptor is left";
    case EPERM:
        return "this thread does not hold the lock";
    case EDEADLK:
        return "this thread holds the lock already";
    case ESTALE:
        return "the object is gone, or its region is from before the last boot";
    case EPROTO:
        return "there is one of another kind, size or version";
    case ETIMEDOUT:
        return "another process has been in the way for five seconds: possibly it is stopped";
    case EBADF:
        return "the region's descriptor was closed by this program";
    default:
        return strerror(error);
    }
}

PyObject *fwpy_error(fwpy_state *state, int error, const char *what)
{
    PyObject *text, *exception;

    if (error < 0)
        return NULL;
    if (error == ENOMEM)
        return PyErr_NoMemory();
    text = PyUnicode_FromFormat("%s: %s", what, text_of(error));
    if (text == NULL)
        return NULL;
    exception = PyObject_CallFunction(class_of(state, error), "iO", error, text);
    Py_DECREF(text);
    if (exception != NULL) {
        PyErr_SetObject((PyObject *)Py_TYPE(exception), exception);
        Py_DECREF(exception);
    }
    return NULL;
}

PyObject *fwpy_release_error(fwpy_base *self, int error)
{
    if (error != EPERM || self->misuse == NULL)
        return fwpy_error(self->state, error, "release");
    PyErr_Format(self->misuse, "attempt to release a %s that this thread does not hold",
                 self->kind->name);
    return NULL;
}

PyObject *fwpy_granted(fwpy_state *state, int error, const char *what)
{
    switch (error) {
    case 0:
        return fwpy_new_ref(state->granted);
    case EBUSY:
    case ETIMEDOUT:
        return fwpy_bool(false);
    default:
        return fwpy_error(state, error, what);
    }
}
