/* SPDX-License-Identifier: MIT */
#ifndef FW_COMMAND_WHO_CORE_H
#define FW_COMMAND_WHO_CORE_H

#include "target.h"

/*
 * A core file, as the kernel or gdb's gcore writes it, as a target: registers and memory are in it,
 * code is read from the files that were mapped.
 */

/* `program`: the file of the program, if it is no longer where the core says; may be NULL. */
bool core_open(struct target *t, const char *file, const char *program, char *why, size_t size);
void core_close(struct core *c);

/* NULL, or what is not as it was: a file that was replaced since. */
const char *core_note(const struct core *c);

/* target.h, of a core. */
size_t core_read(const struct target *t, uint64_t address, void *bytes, size_t size);
pid_t *core_threads(const struct core *c, size_t *count);
bool core_thread(const struct core *c, pid_t tid, struct target_thread *about);
bool core_call(const struct core *c, pid_t tid, struct target_call *call);

#endif
