/* SPDX-License-Identifier: MIT */
#include "ipc_object.h"

#include "ipc/guard.h" /* before object.c asks for "guard.h" */

#include "object.c"
