/* SPDX-License-Identifier: MIT */
#ifndef MODEL_NAMES_H
#define MODEL_NAMES_H

#include <stdbool.h>

#include "faults.h"
#include "programs/programs.h"

#define EXIT_USAGE 2

/* All groups of programs; NULL ends them. */
extern const struct program_group *const names_groups[];

/* The one of this name; where there is none the command ends, and says which there are. */
const struct model_program *names_program(const char *name);
const struct model_fault *names_fault(const char *name);

/* A group of programs, or "faults". */
bool names_has_group(const char *name);

/* --list */
void names_list(void);

#endif
