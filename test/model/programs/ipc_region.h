/* SPDX-License-Identifier: MIT */
#ifndef MODEL_IPC_REGION_H
#define MODEL_IPC_REGION_H

#include <stdbool.h>
#include <stdint.h>

#include "../engine/model.h"
#include "ipc/region/layout.h"
#include "ipc/region/participant.h"
#include "ipc_calls.h"
#include "programs.h"

/*
 * A region for the programs of the locks between processes: a head, and a slot for each
 * participant.  Each model thread is a process.
 *
 * Checked at each change of a slot: it is taken in one step, with the next generation, by a living
 * thread that has none, from nobody or from a dead one (SLOT1, SLOT2); only its own thread gives it
 * back, and only a dead thread's is marked.
 *
 * No steps: what participants' slots say for tools, and what is not changed in a program.
 */

/* For a program's setup, first: makes the slots.  `joined`: thread n has slot n from the start. */
void region_make(unsigned slots, bool joined);

/* Hooks of the same names, for programs of a family. */
#define REGION_HOOKS(family_) .family = family_, .begin = region_begin, .own = region_own
void region_begin(unsigned self);
const struct model_own *region_own(void);

extern struct fw_ipc_participant_ *region_slots;
extern const struct fw_ipc_mapping_ *region_mapping;

/* The thread that is a participant for the process of this one. */
static inline unsigned region_process_of(unsigned thread)
{
    return thread < model_program->together ? 0 : thread;
}

/* The thread that has this id now; MODEL_MAX_THREADS: none that lives, or it was killed. */
unsigned region_thread_of(uint64_t id);

/* The same, also of a thread that was killed, while nobody else has its slot. */
unsigned region_tenant_of(uint64_t id);

/* The id that the living thread has; 0: none. */
uint64_t region_id_of(unsigned thread);

/* Was anybody? */
static inline bool region_has_deaths(void)
{
    return model_shared.killed != 0;
}

/* For hooks of the same names. */
void region_changed(unsigned thread, uint64_t addr, uint64_t before);
enum model_access region_access(const void *p);

/* "A", "dead 2:1", "free": a holder in a lock word, without flags. */
void region_decode_holder(uint64_t id, char *text, size_t text_size);

#endif
