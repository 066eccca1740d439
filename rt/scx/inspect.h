/* SPDX-License-Identifier: MIT */
#ifndef FW_RT_SCX_INSPECT_H
#define FW_RT_SCX_INSPECT_H

/* What a tool may read of its own tasks of tier B (furwock rt run): which page is whose. */
#include "rt/scx/user.h"

#endif
