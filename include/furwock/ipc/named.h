/* SPDX-License-Identifier: MIT */
#ifndef FURWOCK_IPC_NAMED_H
#define FURWOCK_IPC_NAMED_H

#include <stddef.h>
#include <stdint.h>

#include <furwock/ipc/barrier.h>
#include <furwock/ipc/cond.h>
#include <furwock/ipc/journal.h>
#include <furwock/ipc/once.h>
#include <furwock/ipc/permits.h>
#include <furwock/ipc/region.h>
#include <furwock/ipc/rwlock.h>
#include <furwock/ipc/sem.h>

FW_BEGIN_DECLS

/*
 * Named objects of a region, by type: each call finds the object of that name, or creates it with
 * FW_REGION_CREATE, ready for use before others can find it.  Errors are those of fw_region_object
 * and of the object's own init; *object is NULL then.  (For a mutex: fw_region_mutex in
 * furwock/ipc/region.h.)
 *
 * Example: a pool of slots that any process can use; the first one creates it
 *
 *     int use_place(fw_region *region, int (*use)(void))
 *     {
 *         fw_ipc_permits *places;
 *         int error = fw_region_permits(region, "places", 4, FW_REGION_CREATE, &places);
 *
 *         if (error == 0)
 *             error = fw_ipc_permits_wait(places);
 *         if (error != 0)
 *             return error;
 *         error = use();
 *         fw_ipc_permits_post(places);
 *         return error;
 *     }
 */

/* The read-write lock of that name.  Errors as for fw_region_object; *l is NULL then. */
FW_NODISCARD FW_API int fw_region_rwlock(fw_region *region, const char *name, unsigned flags,
                                         fw_ipc_rwlock **l);

/* The condition variable of that name.  Errors as for fw_region_object; *c is NULL then. */
FW_NODISCARD FW_API int fw_region_cond(fw_region *region, const char *name, unsigned flags,
                                       fw_ipc_cond **c);

/* The once object of that name.  Errors as for fw_region_object; *o is NULL then. */
FW_NODISCARD FW_API int fw_region_once(fw_region *region, const char *name, unsigned flags,
                                       fw_ipc_once **o);

/*
 * Objects with parameters.  Those of an existing object must equal the ones passed.  Pass 0 to find
 * an object with any parameters.
 *   EPROTO   there is one with other parameters
 */

/*
 * A semaphore of at most `max` units, `value` of them at creation.  (An existing object may have
 * been created with another value: that is not recorded.)
 */
FW_NODISCARD FW_API int fw_region_sem(fw_region *region, const char *name, uint32_t value,
                                      uint32_t max, unsigned flags, fw_ipc_sem **s);

/*
 * n permits, all free at creation.  EPROTO also: there are permits of that name, of another
 * number.
 */
FW_NODISCARD FW_API int fw_region_permits(fw_region *region, const char *name, uint32_t n,
                                          unsigned flags, fw_ipc_permits **u);

/* A barrier for that many participants, with that mode (ignored if parties is 0). */
FW_NODISCARD FW_API int fw_region_barrier(fw_region *region, const char *name, uint32_t parties,
                                          fw_ipc_barrier_mode mode, unsigned flags,
                                          fw_ipc_barrier **b);

/* A journal with that capacity, which is rounded up to a multiple of eight. */
FW_NODISCARD FW_API int fw_region_journal(fw_region *region, const char *name, size_t capacity,
                                          unsigned flags, fw_ipc_journal **j);

/*
 * A mutex that is made together with its journal, in one step: whoever finds the one has the other,
 * attached, and there is no moment at which a process could be killed between the two.  Whatever a
 * dead holder had recorded is undone by the next lock, from the first lock on.  `capacity` is that
 * of the journal (0: whatever it has; only to find it).  fw_region_mutex finds the mutex, too.
 *   EPROTO   there is such a mutex, made with another capacity or without a journal
 * *m and *j are NULL after an error.
 */
FW_NODISCARD FW_API int fw_region_mutex_with_journal(fw_region *region, const char *name,
                                                     size_t capacity, unsigned flags,
                                                     fw_ipc_mutex **m, fw_ipc_journal **j);

/*
 * A read-write lock that is made together with its journal, in one step, as
 * fw_region_mutex_with_journal; for what its writers change.  fw_region_rwlock finds the lock,
 * too.
 */
FW_NODISCARD FW_API int fw_region_rwlock_with_journal(fw_region *region, const char *name,
                                                      size_t capacity, unsigned flags,
                                                      fw_ipc_rwlock **l, fw_ipc_journal **j);

FW_END_DECLS

#endif
