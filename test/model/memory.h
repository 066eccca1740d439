/* SPDX-License-Identifier: MIT */
#ifndef MODEL_MEMORY_H
#define MODEL_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

/*
 * The memory model: x86-TSO.  Each thread has a queue of stores that the others do not see yet.
 * A load takes each of its bytes from the youngest own store in the queue that covers it, else
 * from memory. A store leaves the queue at any later moment, in order.  Locked instructions and
 * kernel entries empty the queue first.  (Owens, Sarkar and Sewell, "A better x86 memory model:
 * x86-TSO", TPHOLs 2009.)
 *
 * A thread's own stack holds what that thread sees: its frames are also written without the model's
 * knowledge, and may be gone before a store has arrived.  So for a store to the own stack the queue
 * keeps what the others still see instead.
 *
 * Byte by byte is weaker than what CPUs do for a load that is only partly in the queue (they
 * wait): every behaviour of theirs is one of the model's.
 */

/* Can others see this address?  What they cannot see (constants) needs no scheduling. */
bool memory_is_shared(uint64_t addr);

/* Whose stack is this? */
bool memory_stack_of(uint64_t addr, unsigned *thread);

/* Is it on a stack, in a frame that is not gone? */
bool memory_is_live_stack(uint64_t addr);

/* Was the object in which this address lies freed? */
bool memory_is_freed(uint64_t addr);

/* Reports an access to memory that has no living object; false then. */
bool memory_check(uint64_t addr, uint64_t size);

uint64_t memory_read(unsigned thread, uint64_t addr, uint64_t size);

/* Straight to memory; the caller has drained. */
void memory_write(unsigned thread, uint64_t addr, uint64_t size, uint64_t value);

void memory_buffer(unsigned thread, uint64_t addr, uint64_t size, uint64_t value);
bool memory_buffer_is_full(unsigned thread);
void memory_flush_oldest(unsigned thread);
void memory_drain(unsigned thread);

#endif
