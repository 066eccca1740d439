/* SPDX-License-Identifier: MIT */
#ifndef FW_COMMAND_RT_SHOW_H
#define FW_COMMAND_RT_SHOW_H

#include "command/print/print.h"
#include "view.h"

/* A group's tasks and locks. */
void rt_show(const struct printer *p, const struct rt_view *v);

#endif
