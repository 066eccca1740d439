/* SPDX-License-Identifier: MIT */
#ifndef MODEL_SCRIPT_H
#define MODEL_SCRIPT_H

#include <furwock/bits/deadline.h>
#include <furwock/wait.h>

#include "../engine/script.h"
#include "programs.h"

/* How the words of the programs' scripts wait. */
extern const fw_wait_policy script_blocking, script_spinning;

/* What comes with one tick of the clock; with two, or with one sleep that ends with it. */
extern const fw_deadline script_soon, script_deadline, script_deadline_real;

/* What the program's row says beside its script; the defaults where it says nothing. */
static inline const void *script_options(const void *defaults)
{
    return model_program->arg != NULL ? model_program->arg : defaults;
}

/* Was its memory freed? */
bool script_is_freed(const void *object);

/* True for the last of all threads that says so; a bit of each that did is in that shadow word. */
bool script_is_last(unsigned self, unsigned word);

/* The hook `own` where there is no other copy of such variables than the shipped one. */
const struct model_own *script_own(void);

#endif
