/* SPDX-License-Identifier: MIT */
#ifndef MODEL_IPC_GROUND_H
#define MODEL_IPC_GROUND_H

#include <stdbool.h>
#include <stdint.h>

#include "../engine/model.h"
#include "ipc/region/layout.h"
#include "ipc/region/member.h"
#include "ipc_calls.h"

/*
 * A region for the programs of the locks between processes: a head, and a line for each member.
 * Each model thread is a process.
 *
 * Checked at each change of a line: it is taken in one step, with the next tenancy, by a living
 * thread that has none, from nobody or from the dead (SLOT1, SLOT2); only its own thread gives it
 * back, and only a dead thread's is marked.
 *
 * No steps: what members' lines say for tools, and what is not changed in a program.
 */

/* For a program's setup, first: so many lines.  `joined`: thread n has line n from the start. */
void ground_make(unsigned lines, bool joined);

/* For its threads, first. */
void ground_begin(unsigned self, const struct ipc_ground_calls *calls);

extern struct fw_ipc_member_ *ground_lines;
extern const struct fw_ipc_mapping_ *ground_place;

/* Who has this id now; MODEL_MAX_THREADS: nobody alive (who was killed is not). */
unsigned ground_thread_of(uint64_t id);

/* The id that the living thread has; 0: none. */
uint64_t ground_id_of(unsigned thread);

static inline bool ground_is_killed(unsigned thread)
{
    return (model_shared.killed >> thread & 1) != 0;
}

/* Was anybody? */
static inline bool ground_has_deaths(void)
{
    return model_shared.killed != 0;
}

/* For hooks of the same names. */
void ground_changed(unsigned thread, uint64_t addr, uint64_t before);
enum model_access ground_access(const void *p);

/* "A", "dead 2:1", "free": a holder in a lock word, without flags. */
void ground_decode_holder(uint64_t id, char *text, size_t room);

#endif
