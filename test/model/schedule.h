/* SPDX-License-Identifier: MIT */
#ifndef MODEL_SCHEDULE_H
#define MODEL_SCHEDULE_H

#include <stdbool.h>
#include <stdio.h>

#include "engine/perform.h"

/* Schedules as text: "A.B.Bf.A", to be given to --replay. */
void schedule_print(FILE *out, const struct model_choice *schedule, unsigned length);

/* The reverse; *schedule is malloc'ed.  False: not a schedule. */
bool schedule_parse(const char *text, struct model_choice **schedule, unsigned *length);

#endif
