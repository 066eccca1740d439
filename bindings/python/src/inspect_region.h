/* SPDX-License-Identifier: MIT */
#ifndef FWPY_INSPECT_REGION_H
#define FWPY_INSPECT_REGION_H

#include "fwpy.h"

/*
 * _furwock._inspect(memory): what is in a region of which that is a copy, as a dict; or the errno
 * value that says why it is none (fw_ipc_head_check_).
 */
PyObject *fwpy_inspect(PyObject *module, PyObject *args);

#endif
