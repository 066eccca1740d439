/* SPDX-License-Identifier: MIT */
/* What is done when the holder of a lock has died: the policies on_death. */
#include "fwpy.h"

static uint64_t *shared_deaths(fwpy_base *self)
{
    if (self->kind->deaths_at == 0 || self->cell->slots == 0)
        return &self->cell->deaths;
    return (uint64_t *)((char *)self->object + self->kind->deaths_at);
}

uint64_t fwpy_deaths(fwpy_base *self)
{
    return __atomic_load_n(shared_deaths(self), __ATOMIC_RELAXED);
}

static PyObject *grant_of(fwpy_base *self, const struct fwpy_lock_calls *calls)
{
    fw_ipc_death death = {0, 0, 0};

    (void)calls->death(self->object, &death);
    return PyObject_CallMethod(self->state->grant_type, "_after_death", "OiiK", (PyObject *)self,
                               (int)death.process, (int)death.thread,
                               (unsigned long long)death.generation);
}

static PyObject *raise_it(fwpy_base *self, PyObject *grant)
{
    PyObject *exception;

    exception = PyObject_CallFunction(self->state->owner_died, "is", EOWNERDEAD,
                                      "acquire: the holder of the lock has died");
    if (exception != NULL && PyObject_SetAttrString(exception, "grant", grant) == 0 &&
        PyObject_SetAttrString(grant, "_gives_up", Py_True) == 0)
        PyErr_SetObject(self->state->owner_died, exception);
    Py_XDECREF(exception);
    return NULL;
}

static int warn_once(fwpy_base *self, PyObject *grant)
{
    PyObject *text;
    int error;

    if (self->was_warned)
        return 0;
    self->was_warned = 1;
    text = PyUnicode_FromFormat("%R: %R", (PyObject *)self, grant);
    if (text == NULL)
        return -1;
    error = PyErr_WarnFormat(self->state->owner_died_warning, 1,
                             "the holder of a lock has died, and its data were taken for "
                             "consistent: %U",
                             text);
    Py_DECREF(text);
    return error;
}

/* 0: the caller has the lock; -1: an exception is set, and it is to be given up. */
static int apply(fwpy_base *self, const struct fwpy_lock_calls *calls, PyObject *grant)
{
    PyObject *result;
    int error;

    if (self->policy == FWPY_CONSISTENT) {
        (void)calls->consistent(self->object);
        return warn_once(self, grant);
    }
    if (self->policy == FWPY_CALL) {
        result = PyObject_CallFunctionObjArgs(self->on_death, grant, NULL);
        if (result == NULL)
            return -1;
        Py_DECREF(result);
        error = calls->consistent(self->object);
        if (error != 0 && error != EINVAL) { /* EINVAL: the function has done so itself */
            (void)fwpy_error(self->state, error, "acquire, after on_death");
            return -1;
        }
    }
    return 0;
}

PyObject *fwpy_owner_died(fwpy_base *self, const struct fwpy_lock_calls *calls)
{
    PyObject *grant;

    __atomic_fetch_add(shared_deaths(self), 1, __ATOMIC_RELAXED);
    grant = grant_of(self, calls);
    if (grant == NULL || apply(self, calls, grant) != 0) {
        calls->unlock(self->object);
        Py_XDECREF(grant);
        return NULL;
    }
    if (self->policy == FWPY_RAISE) {
        (void)raise_it(self, grant);
        Py_DECREF(grant);
        return NULL;
    }
    return grant;
}

PyObject *fwpy_died_before(fwpy_base *self, const struct fwpy_lock_calls *calls)
{
    PyObject *grant = grant_of(self, calls);

    if (grant == NULL)
        calls->unlock(self->object);
    return grant;
}
