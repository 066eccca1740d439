/* SPDX-License-Identifier: MIT */
#ifndef FWPY_MUTEX_H
#define FWPY_MUTEX_H

/* What the two files of furwock.Mutex share: its methods and getters that change nothing. */
#include "fwpy.h"

#include <furwock/ipc/state.h>

PyObject *fwpy_mutex_locked(PyObject *self, PyObject *unused);
PyObject *fwpy_mutex_is_mine(PyObject *self, PyObject *unused);
PyObject *fwpy_mutex_count(PyObject *self, PyObject *unused);
PyObject *fwpy_mutex_state(PyObject *self, void *unused);
PyObject *fwpy_mutex_owner(PyObject *self, void *unused);
PyObject *fwpy_mutex_generation(PyObject *self, void *unused);
PyObject *fwpy_mutex_deaths(PyObject *self, void *unused);
PyObject *fwpy_mutex_last_death(PyObject *self, void *unused);

/* "free", "mine", "held", "dead" or "lost"; and (process, thread) of a living owner, or None. */
PyObject *fwpy_state_word(const fw_ipc_state *s);
PyObject *fwpy_state_owner(const fw_ipc_state *s);

#endif
