/* SPDX-License-Identifier: MIT */
#ifndef MODEL_STEP_H
#define MODEL_STEP_H

#include "perform.h"

/* What each way to go through the states does in one of them. */

#define STEP_UNBOUNDED UINT32_MAX

/* Looks at a state in which `n` things can happen.  May set model_failure; true: an end. */
bool step_check_state(const struct model_choice *list, unsigned n);

/* Makes one step; false, and nothing is done, where it takes more than that many preemptions. */
bool step(struct model_choice choice, const struct model_choice *list, unsigned n,
          uint32_t preemptions);

#endif
