/* SPDX-License-Identifier: MIT */
#ifndef FWPY_BASE_H
#define FWPY_BASE_H

/* What base.c and handle.c share. */
#include "fwpy.h"

/* An instance whose arguments were parsed, without an object.  NULL: an exception is set. */
fwpy_base *fwpy_base_blank(PyTypeObject *type, const struct fwpy_kind *kind,
                           const struct fwpy_new *args);

struct fwpy_region *fwpy_base_region(fwpy_base *self);

#endif
