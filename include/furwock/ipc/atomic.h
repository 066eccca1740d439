/* SPDX-License-Identifier: MIT */
#ifndef FURWOCK_IPC_ATOMIC_H
#define FURWOCK_IPC_ATOMIC_H

#include <stddef.h>

#include <furwock/bits/api.h>

FW_BEGIN_DECLS

/*
 * ipc atomic: atomic objects of any size in memory that several processes share.
 *
 * Compilers inline what the CPU supports, which works between processes as well; everything else (a
 * struct of 24 bytes, a load of 12) they leave to a library, whose locks are private to the
 * process. libfurwock-atomic-ipc is that library with the same functions, and with locks in the
 * shared memory itself, for the regions that the program registers.  Nothing else changes: the
 * program uses _Atomic and std::atomic.
 *
 * Rules
 *  - A region is memory that several processes map, at any address: a file, memfd_create, shm_open,
 *    or anonymous shared memory and fork.  Its first fw_ipc_atomic_space(largest) bytes are the
 *    library's table; the rest is the program's.  One process creates the table, in memory that is
 *    all zeroes (as a new file is); the others join.
 *  - All processes that use an object in a region have joined the region, and map the same bytes of
 *    it.  They link libfurwock-atomic-ipc before any other library for atomics.
 *  - `largest` is the size in bytes of the largest object in the region that needs the table.  An
 *    operation on a larger one, on one that lies in the table, or on one that crosses the end of
 *    the region, aborts the program with a diagnostic on standard error.
 *  - Objects outside of all joined regions have the locks of the process, as in libfurwock-atomic.
 *  - A process or a thread may die anywhere (SIGKILL, a crash, exec): an operation that it was
 *    inside has completed or had no effect, and the others go on: at once, or in rare races after
 *    50 ms.  The others wait for one that is stopped (SIGSTOP) inside an operation.
 *  - No operation on a region's object in a signal handler that may have interrupted another one
 *    (unless atomic_is_lock_free says otherwise), as C11 has it; and a child that such a handler
 *    forks must not return from the handler.
 *  - A forked child has joined what its parent has.  All processes are of one pid namespace: the
 *    locks hold thread ids.  Processes that can write to the region are trusted.
 *  - The memory must stay: truncating the file kills its users with SIGBUS.  Nothing is made
 *    durable: after a crash of the machine the region must be made anew.
 *
 * Example: the state of a machine in a file that several processes map
 *
 *     struct state {
 *         long done, failed, next;
 *     };
 *
 *     struct plant {
 *         _Alignas(64) char table[FW_IPC_ATOMIC_SPACE(sizeof(struct state))];
 *         _Atomic(struct state) state;
 *     };
 *
 *     struct plant *plant_open(int fd)
 *     {
 *         struct plant *p;
 *         int error;
 *
 *         if (ftruncate(fd, sizeof *p) != 0)
 *             return NULL;
 *         p = mmap(NULL, sizeof *p, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
 *         if (p == MAP_FAILED)
 *             return NULL;
 *         error = fw_ipc_atomic_create(p, sizeof *p, sizeof p->state);
 *         if (error == EEXIST)
 *             error = fw_ipc_atomic_join(p, sizeof *p);
 *         return error == 0 ? p : NULL;
 *     }
 *
 *     void plant_count(struct plant *p, bool good)
 *     {
 *         struct state now = atomic_load(&p->state);
 *         struct state then;
 *
 *         do {
 *             then = now;
 *             then.done += good;
 *             then.failed += !good;
 *             then.next++;
 *         } while (!atomic_compare_exchange_weak(&p->state, &now, then));
 *     }
 *
 * doc/design/atomics-ipc.md has the recovery and its proof; the lock word is that of the kernel's
 * robust futexes (set_robust_list(2)).
 */

/* The most regions that a process can have joined at a time. */
#define FW_IPC_ATOMIC_REGIONS 16

/* The most that `largest` can be, in bytes. */
#define FW_IPC_ATOMIC_LARGEST (1u << 20)

/* Where a region can begin: a multiple of this. */
#define FW_IPC_ATOMIC_ALIGNMENT 64

/* Internal: the table's head, the number of its stripes, and what a stripe has beside its log. */
#define FW_IPC_ATOMIC_HEAD_ 128
#define FW_IPC_ATOMIC_STRIPES_ 128
#define FW_IPC_ATOMIC_STRIPE_ 24

/* fw_ipc_atomic_space as a constant, for a `largest` that is in range. */
#define FW_IPC_ATOMIC_SPACE(largest) \
    (FW_IPC_ATOMIC_HEAD_ +           \
     FW_IPC_ATOMIC_STRIPES_ * (((size_t)(largest) + FW_IPC_ATOMIC_STRIPE_ + 63) / 64 * 64))

/*
 * How many bytes at a region's beginning its table needs; a multiple of 64.  0 where `largest` is
 * 0 or above FW_IPC_ATOMIC_LARGEST.
 */
FW_API size_t fw_ipc_atomic_space(size_t largest);

/*
 * Creates the table at `base`, in a region of `size` bytes, and joins it.  If several processes
 * call it at once, one creates the table and the others wait until that is done; if that one dies
 * meanwhile, the next one starts again.
 *   0          made, and joined
 *   EEXIST     there is a table already: join it
 *   EINVAL     base is NULL or no multiple of FW_IPC_ATOMIC_ALIGNMENT; the region does not end
 *              within the address space; `largest` is 0 or above FW_IPC_ATOMIC_LARGEST
 *   ENOSPC     size is less than fw_ipc_atomic_space(largest)
 *   EBUSY      this process has joined a region that overlaps with this one
 *   EMFILE     this process has joined FW_IPC_ATOMIC_REGIONS regions
 *   EUCLEAN    the table's memory is neither zeroes nor an unfinished table, or the table is
 *              corrupt.  The memory is left as it is
 *   ETIMEDOUT  another process has been creating the table for five seconds: possibly it is stopped
 *   ENOTSUP    the pid namespace cannot be determined (there is no /proc)
 * Not in signal handlers.  The same goes for the two calls below.
 */
FW_API int fw_ipc_atomic_create(void *base, size_t size, size_t largest);

/*
 * Joins the region at `base`, whose table exists.  Never waits.
 *   0          joined
 *   ENOENT     there is no table: not created yet, or its creator died before it was done
 *   EINVAL     base as above, or size is not that of the region as it was created
 *   EBUSY, EMFILE, EUCLEAN, ENOTSUP   as above
 *   EPROTO     a table of another version of the library, or of another byte order
 *   ENODEV     the process that made it handles other objects by instructions: another build of the
 *              library, or an emulated CPU (16 bytes are lock-free there, and not here)
 *   EXDEV      it was made in another pid namespace
 *   ESTALE     it was made before the machine was last started
 */
FW_API int fw_ipc_atomic_join(void *base, size_t size);

/*
 * Leaves the region that begins at `base`, before its memory is unmapped.  No thread of the process
 * is inside an operation on its objects, or will begin one.  The table stays as it is, for others.
 *   0          left
 *   ENOENT     no region that this process has joined begins there
 */
FW_API int fw_ipc_atomic_leave(void *base);

FW_END_DECLS

#endif
