/* SPDX-License-Identifier: MIT */
#ifndef FWPY_SLOTS_H
#define FWPY_SLOTS_H

/*
 * The allocator of anonymous objects: slots of 64 bytes in one data object of the region.
 *
 * Python makes and drops locks all the time, while objects of a region's directory stay forever.
 * So who uses a slot is recorded per process, in a row: a bitmap of the slots to which that process
 * has references.  A slot is free if no row of a living process has its bit.
 *
 *   PYS1  A row is alive as long as its process has a certain file mapped: an open file description
 *         of its own, which holds a lock (fcntl, F_OFD_SETLK) on the row's byte.  The kernel drops
 *         the lock with the mapping: at exit, kill -9 and exec; in all pid namespaces; and not if
 *         the program closes all its descriptors.  (Row 0 is pinned: always alive.)
 *   PYS2  A process sets the bit of a slot in its row before it hands out the slot, and clears it
 *         when its last reference is gone.
 *   PYS3  `used` is the union of the living rows, and nothing that cannot be computed anew.  A
 *         process that is killed while it changes something leaves bits too many, no bit too few;
 *         the next one gets EOWNERDEAD from the table's lock and computes `used` again.
 *   PYS4  A fork makes the child's row before there is a child: a copy of the parent's, held by a
 *         mapping that the child inherits and the parent unmaps.  If the fork fails, or the child
 *         is killed at once, the mapping is gone, and the row dead.
 *   PYS5  A slot's tag changes with each allocation: a handle of one that was freed finds nothing.
 *
 * All that is in the table is protected by its lock, except for the pinned row, in which bits are
 * only ever set, by atomic operations.
 *
 * In these functions: no Python; 0 or an errno value.  The caller has fwpy_enter in force.
 */
#include "fwpy.h"

enum { FWPY_SLOT = 64 };

/*
 * The lock of what this process knows of its regions (fwpy_region and all that hangs on it).  Taken
 * with the GIL held, which is released if it has to be waited for.
 */
void fwpy_enter(void);
/* Releases the GIL until fwpy_leave, before what may take long. */
void fwpy_let_go(void);
void fwpy_leave(void);
/* The same for a fork, which holds it. */
void fwpy_lock_for_fork(void);
void fwpy_unlock_after_fork(void);

/* Opens the table of the region, or makes it, and takes a row for this process. */
int fwpy_slots_open(struct fwpy_region *r);
void fwpy_slots_close(struct fwpy_region *r);

/*
 * Allocates an object: zeroed memory of `size` bytes, aligned to 64, made by `init` (NULL: zeroes).
 * The cell has one reference.
 *   ENOSPC       no slots left, also after those of the dead were taken back
 *   ENFILE       no row left: too many processes use the region
 *   ETIMEDOUT    another process has had the table's lock for five seconds: possibly stopped
 */
int fwpy_slots_new(struct fwpy_region *r, const struct fwpy_kind *kind, const uint32_t *parameters,
                   struct fwpy_cell **cell);

/*
 * One more reference to an object that exists.
 *   ESTALE    it has been freed
 *   EINVAL    that is no object of the table
 */
int fwpy_slots_attach(struct fwpy_region *r, uint64_t at, uint32_t slots, uint32_t tag,
                      struct fwpy_cell **cell);

/* The cell of an object in the directory: one more reference. */
int fwpy_cell_of(struct fwpy_region *r, uint64_t at, struct fwpy_cell **cell);

/*
 * One reference less.  The slots of an object without any are freed now, or, if another thread has
 * the table's lock, by a later call.
 */
void fwpy_cell_drop(struct fwpy_region *r, struct fwpy_cell *cell);

/* Takes back what dead processes had: how many slots are free more than before. */
int fwpy_slots_collect(struct fwpy_region *r, size_t *freed);

/* How many slots there are, and how many are used. */
int fwpy_slots_count(struct fwpy_region *r, size_t *total, size_t *used);

/* fork.c: before a fork, and after it on both sides. */
void fwpy_slots_before_fork(struct fwpy_region *r);
void fwpy_slots_after_fork_parent(struct fwpy_region *r);
void fwpy_slots_after_fork_child(struct fwpy_region *r);

/* liveness.c: what holds a row (PYS1). */

/*
 * Takes the row's lock through a new open file description of fd's file, and maps that.
 *   EAGAIN    another holds it
 */
int fwpy_life_take(int fd, unsigned row, void **life);
void fwpy_life_drop(void *life);
/* A child of this process is not to inherit it. */
void fwpy_life_keep_from_children(void *life);
/* Does any process hold the row?  -1: cannot be told. */
int fwpy_life_is_held(int fd, unsigned row);

/* region.c: all regions of this process. */
extern struct fwpy_region *fwpy_regions;

/* region.c: the descriptor of the region's file, opened if need be; -1 with errno. */
int fwpy_region_fd(struct fwpy_region *r);

#endif
