/* SPDX-License-Identifier: MIT */
/* In place of the copies with faults, where they are not run. */
#include <stddef.h>

#include "subject.h"

const struct sim_fault sim_faults[] = {{NULL, NULL}};
