/* SPDX-License-Identifier: MIT */
#ifndef MODEL_POSTED_H
#define MODEL_POSTED_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Waits in the kernel in which no thread sleeps, as those of an io_uring are: OP_POST, with addr =
 * the word, a = expected, b = number in the table, compares and queues one beside the threads that
 * sleep; OP_UNPOST, with b, takes it out again.  One that is no longer queued has been told
 * something, and then the event of whoever posted it is 1, and who sleeps there is woken.  They go
 * with the thread that has posted them.
 *
 * In the queue such a wait has the number MODEL_MAX_THREADS + its number in the table.
 */
enum posted_told { POSTED_NOTHING, POSTED_QUEUED, POSTED_WOKEN, POSTED_CANCELLED };

struct posted_wait {
    uint64_t addr, event, owner, told;
};

/* For a program's setup: the table, an object of the program's; NULL: it has none. */
void posted_use(struct posted_wait *table);
struct posted_wait *posted_table(void);

/* Performs the thread's op, if it is one of these. */
bool posted_performs(unsigned thread);

/*
 * For the kernel: is that one on this word?  It is moved from there to another; it is told; those
 * of a thread that was killed go.
 */
bool posted_waits_on(unsigned entry, uint64_t addr);
bool posted_move(unsigned entry, uint64_t from, uint64_t to);
void posted_tell(unsigned entry, enum posted_told told);
void posted_drop(unsigned thread);

/* How many are queued. */
unsigned posted_count(void);

#endif
