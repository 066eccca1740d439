/* SPDX-License-Identifier: MIT */
#ifndef FWPY_REGION_H
#define FWPY_REGION_H

/*
 * The regions of this process: opened once, whatever the number of interpreters and Region objects.
 * No Python; 0 or an errno value.  The caller has fwpy_enter in force.
 */
#include "slots.h"

/* As fw_region_open. */
int fwpy_region_open(const char *name, size_t size, unsigned flags, struct fwpy_region **r);

/* As fw_region_open_fd; the descriptor is duplicated. */
int fwpy_region_open_fd(int fd, size_t size, unsigned flags, struct fwpy_region **r);

/*
 * The default region: the one that the process has; or the one of which FURWOCK_REGION in the
 * environment says "descriptor:device:inode"; or a new one, in a memfd of `size` bytes.
 */
int fwpy_region_default(size_t size, struct fwpy_region **r);

/* The region of that key, with one more reference; NULL: this process does not have it open. */
struct fwpy_region *fwpy_region_find(const char *key);

bool fwpy_region_has_default(void);

/* Makes it the default region, if there is none yet. */
void fwpy_region_make_default(struct fwpy_region *r);

/* One reference less; the last one closes it. */
void fwpy_region_release(struct fwpy_region *r);

/* region_methods.c: what a Region object can do. */
extern PyMethodDef fwpy_region_methods[];
extern PyGetSetDef fwpy_region_getset[];
extern PyMemberDef fwpy_region_members[];
PyObject *fwpy_region_repr(PyObject *self);

#endif
