/* SPDX-License-Identifier: MIT */
#ifndef FWPY_REDUCE_H
#define FWPY_REDUCE_H

#include "fwpy.h"

/*
 * Pickling of a class that has more than what lies in the region: __reduce__ of the base, with the
 * state (first, second, attributes), where attributes are those of a derived class, or None.
 */
PyObject *fwpy_reduce_with(fwpy_base *self, PyObject *first, PyObject *second);

/* In __setstate__: is it a tuple?  Otherwise TypeError is set. */
bool fwpy_is_state(PyObject *state);

/* In __setstate__: sets these attributes; None: nothing.  -1: an exception is set. */
int fwpy_set_attributes(PyObject *self, PyObject *attributes);

#endif
