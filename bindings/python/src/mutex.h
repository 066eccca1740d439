/* SPDX-License-Identifier: MIT */
#ifndef FWPY_MUTEX_H
#define FWPY_MUTEX_H

/* What the two files of furwock.Mutex share: its methods and getters that change nothing. */
#include "fwpy.h"

PyObject *fwpy_mutex_locked(PyObject *self, PyObject *unused);
PyObject *fwpy_mutex_is_mine(PyObject *self, PyObject *unused);
PyObject *fwpy_mutex_count(PyObject *self, PyObject *unused);
PyObject *fwpy_mutex_owner(PyObject *self, void *unused);
PyObject *fwpy_mutex_generation(PyObject *self, void *unused);
PyObject *fwpy_mutex_deaths(PyObject *self, void *unused);
PyObject *fwpy_mutex_last_death(PyObject *self, void *unused);

#endif
