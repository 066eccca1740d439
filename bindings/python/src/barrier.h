/* SPDX-License-Identifier: MIT */
#ifndef FWPY_BARRIER_H
#define FWPY_BARRIER_H

#include "fwpy.h"

/*
 * The barriers of this process: one that ends in good order takes part in none of them any more
 * (fwpy_process_ends), while one that is killed breaks them.
 */
struct fwpy_barrier;

void fwpy_barrier_register(PyObject *object, struct fwpy_barrier *b);
void fwpy_barrier_unregister(PyObject *object);

/* _furwock._process_ends() */
PyObject *fwpy_process_ends(PyObject *module, PyObject *nothing);

#endif
