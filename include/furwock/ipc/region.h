/* SPDX-License-Identifier: MIT */
#ifndef FURWOCK_IPC_REGION_H
#define FURWOCK_IPC_REGION_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <furwock/bits/api.h>
#include <furwock/ipc/mutex.h>

FW_BEGIN_DECLS

/*
 * fw_region: a shared-memory segment for crash-robust locks.
 *
 * A region is a POSIX shared-memory object, a file, a memfd, or a piece of any shared mapping of
 * the user's own.  It has a header, a directory of named objects ("the mutex called jobs"), and a
 * participant slot for each thread that uses it.  Processes may map it at different addresses, and
 * may live in different pid namespaces.
 *
 * Rules
 *  - The first process initialises the region; any number of processes may race to do so.  None
 *    waits for another; one that is killed or stopped at any instruction leaves nothing that the
 *    next one cannot finish.
 *  - In one process a region has one address.  Opening it again returns the same handle, which must
 *    be closed as many times.
 *  - A thread is assigned a participant slot on its first call on an object, and keeps it until it
 *    ends, calls exec or fw_region_leave, or the region is closed.  There is one for every 2 KiB,
 *    128 at least and 4096 at most; if none is free, calls return EAGAIN. (They may do so a few
 *    times before they find the slot of a thread whose death the kernel has not marked: each call
 *    checks only a few.)
 *  - A forked child has the regions of its parent; it is another thread, which holds nothing.
 *    After exec there are none.
 *  - Processes that can write to a region are trusted not to be malicious, but not to be bug-free:
 *    if the header, the directory, slots or objects are overwritten, others get an error (EUCLEAN).
 *    A table in doc/design/region.md says who can do what, and what others see.
 *  - A name is trusted only if no other user can have created the file or can access it: in
 *    /dev/shm anyone can create a file in advance, with any name and any permissions.
 *    fw_region_open refuses what belongs to neither the caller (its effective user) nor root, what
 *    has more permissions than were asked for, and what has a second name (EPERM), unless it is
 *    told that the region is shared with other users (FW_REGION_SHARED).
 *  - A region is not confidential: its readers can also find the addresses of its users' C library
 *    in it (the links of their robust lists).
 *  - The memory must stay: truncating the file kills its users with SIGBUS (a memfd that allows
 *    seals is sealed against it).  Storage is allocated at creation, so a lack of space is an error
 *    of that call, not a signal later on.
 *  - Nothing is made durable.  A region in a file outlives the processes, not the machine: one from
 *    before the last boot is refused (ESTALE), or replaced by a new one (FW_REGION_RENEW).  A
 *    process that removes a stale one by other means may remove what another has created in its
 *    place.
 *  - None of this in signal handlers.  No call is a cancellation point.
 *
 * Example: any number of processes count in "/tally"; whichever is first creates it
 *
 *     struct totals {
 *         long runs, errors;
 *     };
 *
 *     int count_run(const char *name, bool has_failed)
 *     {
 *         fw_region *region;
 *         fw_ipc_mutex *lock;
 *         void *memory;
 *         struct totals *totals;
 *         int error = fw_region_open(name, FW_REGION_MIN_SIZE, FW_REGION_CREATE | 0600, &region);
 *
 *         if (error != 0)
 *             return error;
 *         error = fw_region_mutex(region, "lock", FW_REGION_CREATE, &lock);
 *         if (error == 0)
 *             error = fw_region_object(region, "totals", FW_REGION_DATA, sizeof *totals,
 *                                      FW_REGION_CREATE, &memory);
 *         if (error == 0)
 *             error = fw_ipc_mutex_lock(lock);
 *         if (error == EOWNERDEAD)
 *             error = fw_ipc_mutex_consistent(lock);
 *         if (error == 0) {
 *             totals = memory;
 *             totals->runs++;
 *             totals->errors += has_failed;
 *             error = fw_ipc_mutex_unlock(lock);
 *         }
 *         fw_region_close(region);
 *         return error;
 *     }
 *
 * The layout, how it is made, and what is checked: doc/design/region.md.
 */
typedef struct fw_region fw_region;

/*
 * Flags.  The lowest nine bits are the permissions of a file that is made, as in open(2): less the
 * umask; none of them: 0600.  They are also the most that an existing file may have (if neither
 * they nor CREATE are given, it may have any).
 */
enum {
    FW_REGION_CREATE = 1 << 16,    /* create it if there is none */
    FW_REGION_EXCLUSIVE = 1 << 17, /* with CREATE: EEXIST if there is one */
    FW_REGION_STAMP = 1 << 18,     /* when created: owners record when they locked (tools) */
    FW_REGION_SHARED = 1 << 19,    /* a name: accept any owner and any permissions of the file */
    FW_REGION_RENEW = 1 << 20      /* a name, with CREATE: replace a stale region by a new one */
};

/*
 * The format of regions: of everything that lies in one.  A process opens a region only if it has
 * the format that this header says, whichever version of furwock created it; versions of one format
 * share a region, also between C, Python and Rust.  What to do when the format changes:
 * doc/guide/versions.md.
 */
#define FW_REGION_FORMAT 1

/* The most regions that a process can have open at a time. */
#define FW_REGION_MAX_OPEN 16

/* The smallest region, in bytes; the largest is 8 GiB. */
#define FW_REGION_MIN_SIZE 65536

/*
 * Creates or joins a region.  `name` is "/name", for shm_open(3), or a file's path with another '/'
 * in it ("./jobs", "/var/lib/x/jobs").  `size` is that of a new region, in bytes, rounded up to
 * pages; an existing region keeps its own, which must be at least that (0 without CREATE: any), and
 * its STAMP flag.
 *   0           *region is the region
 *   ENOENT      there is none, and no CREATE; or only an empty file; or a part of the path is
 *               missing
 *   EEXIST      there is one, and EXCLUSIVE. Of several that create it at once, one gets 0 (or
 *               none, if that one was killed meanwhile)
 *   EINVAL      no such name; unknown flags; EXCLUSIVE or RENEW without CREATE; CREATE, and size is
 *               too small or too large
 *   EACCES      no permission to read and write it; or of the directory
 *   EPERM       there is a file of that name, and no SHARED, and: it belongs to neither the
 *               effective user nor root; or has more permissions than were asked for; or has
 *               another name beside this one (a hard link)
 *   ENOSPC      no space for it (also EDQUOT, and EFBIG: more than the process may write)
 *   EPROTO      a region of another format (FW_REGION_FORMAT), or of another byte order; or one
 *               that is smaller than `size`
 *   EUCLEAN     no region (nor zeroes, to create one in), or its header was overwritten, or the
 *               file was truncated
 *   ESTALE      created before the last boot, or on another machine, in any format, and no RENEW.
 *               With RENEW its
 *               name is removed, and a region created in a new file; processes that do so at once
 *               end up in the same one, even if some are killed.  (Errors as for fw_region_remove.)
 *               Do not use it if several machines share the file system, or containers have a
 *               boot_id of their own: what is in use elsewhere seems stale there
 *   ENOTSUP     not a file; ENODEV: the file system cannot share memory
 *   EMFILE      this process has FW_REGION_MAX_OPEN regions, or no descriptor left; ENFILE
 *   ENOMEM      no address space
 *   ETIMEDOUT   others create and remove the file all the time; or RENEW, and another process has
 *               been renewing it for five seconds: possibly it is stopped
 *   ELOOP       the name is a symbolic link: it is not followed
 *   and what open(2) says of a path: ENAMETOOLONG, ENOTDIR, EISDIR, EROFS ...
 */
FW_NODISCARD FW_API int fw_region_open(const char *name, size_t size, unsigned flags,
                                       fw_region **region) FW_ABI_NAME_(fw_region_open);

/*
 * Creates or joins a region, as fw_region_open, in an open file: a memfd, inherited or passed by
 * SCM_RIGHTS.  The descriptor is open for reading and writing, stays the caller's, and may be
 * closed afterwards.  Size 0: the file's own.  Errors as there, and
 *   EBADF       no descriptor
 *   EPERM       sealed against writing, or against growth (F_SEAL_GROW) and too short
 * It is up to the caller to check the owner (fstat(2), fw_region_owner): SHARED changes nothing.
 * RENEW is EINVAL, here and for fw_region_adopt: there is no name.
 */
FW_NODISCARD FW_API int fw_region_open_fd(int fd, size_t size, unsigned flags, fw_region **region)
    FW_ABI_NAME_(fw_region_open_fd);

/*
 * Creates or joins a region, as fw_region_open, in a shared mapping of the user's own, readable
 * and writable, page-aligned, and zeroed before a region is created there.  `size` is that of the
 * mapping: an existing region may be smaller, not larger.  The mapping must stay until
 * fw_region_close has returned 0.
 *   0, ENOENT, EEXIST, EINVAL, EPROTO, EUCLEAN, ESTALE, EMFILE as for fw_region_open
 *   EINVAL      also: memory is NULL, or not on a page
 *   EBUSY       this process has a region that overlaps with it
 */
FW_NODISCARD FW_API int fw_region_adopt(void *memory, size_t size, unsigned flags,
                                        fw_region **region) FW_ABI_NAME_(fw_region_adopt);

/*
 * Ends the use of a region by the whole process, if it is closed for the last time: no thread is in
 * a call on its objects or will begin one.  What the calling thread holds is released as by its
 * death, at once; what other threads hold, when they end. While such threads still have slots, the
 * memory stays mapped, since the kernel will write there, until a region is opened or closed after
 * they have ended; if this one is opened again before that, they still have their slots.  Repair
 * functions that were registered (fw_ipc_mutex_on_death) are forgotten.
 *   0
 *   EINVAL      no region
 *   EBUSY       an adopted region, and other threads of this process have slots: the mapping must
 *               stay.  Nothing was done
 *   EUCLEAN     closed, but the thread's slot was overwritten, or may have been (it joined this
 *               region while it held a robust mutex that it had locked after it joined another one,
 *               which it is still in, and has unlocked since): an adopted mapping must stay until
 *               the calling thread has ended
 */
FW_API int fw_region_close(fw_region *region);

/*
 * Gives back the calling thread's participant slot.  What it holds in the region is released as by
 * its death.  Its next call on an object takes a slot again. 0, EINVAL.
 */
FW_API int fw_region_leave(fw_region *region);

/*
 * Removes the name; processes that have the region open keep it.  Only the name counts, not what
 * the file is.  It waits for a renewal of that file (FW_REGION_RENEW) that is under way, for five
 * seconds at most, and does not remove the region that results: ENOENT.  0, EINVAL, ENOENT, EACCES,
 * EPERM, and what unlink(2) says.
 */
FW_API int fw_region_remove(const char *name);

/*
 * Why the calling thread's last fw_region_open, open_fd, adopt, object, or call for an object of
 * some type (fw_region_mutex ...) failed: one sentence for people, as "a region of format 2:
 * furwock 0.2.0 has format 1"; "" after success.  It is valid until the thread's next such call.
 */
FW_API const char *fw_region_strerror(void);

/* Where the region begins, in this process; NULL if it is no region. */
FW_API void *fw_region_base(const fw_region *region);

/* The region's size in bytes; 0 if it is no region. */
FW_API size_t fw_region_size(const fw_region *region);

/*
 * The user who owned the file when it was opened, and who may change its permissions, truncate it,
 * and read and write everything in it.
 *   0         *owner is the user
 *   EINVAL    no region, or owner is NULL
 *   ENOTSUP   adopted memory: its file is not known
 */
FW_API int fw_region_owner(const fw_region *region, uid_t *owner);

/* What an object in the directory is. */
typedef enum fw_region_kind {
    FW_REGION_DATA = 1,
    FW_REGION_MUTEX = 2,
    FW_REGION_RWLOCK = 3,
    FW_REGION_COND = 4,
    FW_REGION_SEM = 5,
    FW_REGION_PERMITS = 6,
    FW_REGION_BARRIER = 7,
    FW_REGION_ONCE = 8,
    FW_REGION_JOURNAL = 9
} fw_region_kind;

/* The longest name of an object, in bytes, without the 0 at its end. */
#define FW_REGION_NAME_MAX 39

/*
 * Finds the object of that name, or creates it (zeroes, `size` bytes, aligned to 64) with
 * FW_REGION_CREATE. An object exists for as long as its region.
 *   0           *object is the object, in this process
 *   ENOENT      there is none, and no CREATE
 *   EEXIST      there is one, and EXCLUSIVE
 *   EPROTO      there is one of another kind, or smaller than `size`
 *   EINVAL      no region; no name, or one that is too long; no such kind or flags; CREATE, and
 *               size 0
 *   ENOSPC      no space for the object, or in the directory (an entry for every 4 KiB, 64 at least
 *               and 4096 at most)
 *   EUCLEAN     the directory, or the lock that protects it, was overwritten
 *   ETIMEDOUT   another thread has been changing the directory for five seconds: possibly stopped
 *   EAGAIN      no participant slot left for this thread (finding an object needs none)
 */
FW_NODISCARD FW_API int fw_region_object(fw_region *region, const char *name, fw_region_kind kind,
                                         size_t size, unsigned flags, void **object);

/*
 * Finds or creates an object, as fw_region_object; `init` initialises a new one before others can
 * find it.  If the process dies meanwhile, there is no object, and the next one starts again, with
 * zeroes.  A result of init other than 0 is returned, and there is no object either.  init must
 * not create objects in the same region (EDEADLK).
 */
FW_API int fw_region_object_init(fw_region *region, const char *name, fw_region_kind kind,
                                 size_t size, unsigned flags, int (*init)(void *object, void *arg),
                                 void *arg, void **object);

/* The mutex of that name; *m is NULL after an error. */
FW_NODISCARD FW_API int fw_region_mutex(fw_region *region, const char *name, unsigned flags,
                                        fw_ipc_mutex **m);

FW_END_DECLS

#endif
