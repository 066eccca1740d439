/* SPDX-License-Identifier: MIT */
#ifndef FWPY_RWLOCK_H
#define FWPY_RWLOCK_H

/* What the two files of furwock.RWLock share. */
#include "fwpy.h"

extern const struct fwpy_lock_calls fwpy_rwlock_calls;

enum { FWPY_SIDE_READ = 0, FWPY_SIDE_UPGRADABLE = 1, FWPY_SIDE_WRITE = 2 };

/* The getter of the attributes read, upgradable and write; `which` is one of the above. */
PyObject *fwpy_rwlock_side(PyObject *lock, void *which);
int fwpy_add_rwlock_side(PyObject *module);

#endif
