/* SPDX-License-Identifier: MIT */
/* Pickling of what has a state of its own.  Contract: reduce.h. */
#include "reduce.h"

PyObject *fwpy_reduce_with(fwpy_base *self, PyObject *first, PyObject *second)
{
    PyObject *how = PyObject_CallMethod((PyObject *)self->state->base, "__reduce__", "O", self);
    PyObject *attributes = Py_None, *result = NULL;

    if (how == NULL)
        return NULL;
    if (PyTuple_Check(how) && PyTuple_Size(how) >= 2) {
        if (PyTuple_Size(how) > 2)
            attributes = PyTuple_GetItem(how, 2);
        result = Py_BuildValue("OO(OOO)", PyTuple_GetItem(how, 0), PyTuple_GetItem(how, 1), first,
                               second, attributes);
    } else {
        PyErr_SetString(PyExc_SystemError, "bad result of __reduce__");
    }
    Py_DECREF(how);
    return result;
}

bool fwpy_is_state(PyObject *state)
{
    if (PyTuple_Check(state))
        return true;
    PyErr_Format(PyExc_TypeError, "__setstate__: a state is a tuple, not %R", state);
    return false;
}

int fwpy_set_attributes(PyObject *self, PyObject *attributes)
{
    PyObject *own, *result;

    if (attributes == Py_None)
        return 0;
    own = PyObject_GetAttrString(self, "__dict__");
    if (own == NULL)
        return -1;
    result = PyObject_CallMethod(own, "update", "O", attributes);
    Py_DECREF(own);
    Py_XDECREF(result);
    return result == NULL ? -1 : 0;
}
