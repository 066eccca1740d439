/* SPDX-License-Identifier: MIT */
#ifndef FW_COMMAND_RT_SHOW_H
#define FW_COMMAND_RT_SHOW_H

#include <jansson.h>

#include "view.h"

/* A group's tasks and locks, as text on standard output and as members of a JSON object. */
void rt_show_text(const struct rt_view *v);
void rt_show_json(const struct rt_view *v, json_t *whole);

#endif
