/* SPDX-License-Identifier: MIT */
#ifndef MODEL_IPC_ATOMIC_CHECK_H
#define MODEL_IPC_ATOMIC_CHECK_H

#include "../subject/subject.h"
#include "atomic_script.h"
#include "ipc_calls.h"
#include "sys/robust.h"
#include "table.h"

/*
 * A region of atomic objects, as far as a program uses it, and what must hold of it; each model
 * thread is a process that has joined it.
 *
 * A value is the object's newest version from the moment at which its log is declared: from then on
 * nobody may read the one before, and whoever dies, it is written (ALOG3).  At each change:
 *
 *   owner   stripe and object are changed by the owner of the stripe's lock only (ALOG1)
 *   log     it is declared while the sequence is odd, and has one whole value of an object of this
 *           stripe, which is the newest version (ALOG2)
 *   object  it is whole, and the newest version, unless a log is declared
 *   word    each change of the lock is one that the changing thread may make; it is free, and not
 *           marked, only while the sequence is even
 */
void ipc_atomic_setup(void);
void ipc_atomic_changed(unsigned thread, uint64_t addr, uint64_t before);
void ipc_atomic_finished(void);
enum model_access ipc_atomic_access(const void *p); /* all are steps */

/* The same for a lock alone: is this change of its word one that the thread may make? */
void ipc_atomic_check_word(unsigned thread, uint32_t before, uint32_t now);
void ipc_atomic_decode_word(uint32_t word, char *text, size_t text_size);

#endif
