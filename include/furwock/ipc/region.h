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
 * fw_region: memory that processes share, in which locks lie that nothing can lose.
 *
 * A region is a POSIX shared-memory object, a file, a memfd, or a piece of any shared mapping of
 * the user's own.  It has a head, a directory of named objects ("the mutex called jobs"), and a
 * line for each thread that uses it.  Processes may have it at different addresses, and may live in
 * different pid namespaces.
 *
 * Rules
 *  - Whoever comes first makes the region, and any number of processes may come first at once.  No
 *    maker waits for another; one that is killed or stopped at any instruction leaves nothing that
 *    the next one could not finish.
 *  - In one process a region has one address.  Opening it again gives the same handle, which is to
 *    be closed as often.
 *  - A thread takes a line at its first call on an object, and has it until it ends, calls exec or
 *    fw_region_leave, or the region is closed.  There is one for every 2 KiB, 128 at least and 4096
 *    at most; a thread that finds none free is answered EAGAIN.  (So it may be some times, before
 *    it finds that of a thread whose death the kernel has not marked: each call looks at a few.)
 *  - A forked child has the regions of its parent; it is another thread, which holds nothing.
 *    After exec there are none.
 *  - Who can write to a region is trusted not to do harm, but not to be free of errors: whatever is
 *    written over a head, the directory, lines or objects, others are answered an error (EUCLEAN).
 *    Who can do what, and what others are told: a table in doc/design/region.md.
 *  - A name is believed only if nobody else can have made the file, or let others in: in /dev/shm
 *    anybody can make a file in advance, of any name and with any permissions.  fw_region_open
 *    refuses what belongs to neither the caller (its effective user) nor root, what has more
 *    permissions than were asked for, and what has a second name (EPERM), unless it is told that
 *    the region is shared with other users (FW_REGION_SHARED).
 *  - Whoever may read the file can also find in it where its users have the C library (the links of
 *    their robust lists): a region is no secret among those who may read it.
 *  - The memory must stay: a file that is cut short ends its users by SIGBUS (a memfd that allows
 *    seals is sealed against it).  A region has its storage from the beginning, so a lack of space
 *    is an error of the maker's call, and no signal later on.
 *  - Nothing is made durable.  A region in a file outlives the processes, not the machine: one from
 *    before the last start is refused (ESTALE), or replaced by a new one (FW_REGION_RENEW).  Who
 *    removes a stale one by himself may remove what another process has made in its place.
 *  - None of this in signal handlers.  No call is a cancellation point.
 *
 * Example: as many processes as one likes count in "/tally", none of them the first one
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
 * umask; none of them: 0600.  They are also the most that a file may have that is there already (if
 * neither they nor CREATE are given, it may have any).
 */
enum {
    FW_REGION_CREATE = 1 << 16,    /* make it where there is none */
    FW_REGION_EXCLUSIVE = 1 << 17, /* with CREATE: EEXIST where there is one */
    FW_REGION_STAMP = 1 << 18,     /* when made: holders note when they began (for tools) */
    FW_REGION_SHARED = 1 << 19,    /* a name: whoever owns the file, and whatever its permissions */
    FW_REGION_RENEW = 1 << 20      /* a name, with CREATE: a stale region gives way to a new one */
};

/* At most so many regions at a time in one process. */
#define FW_REGION_MAX_OPEN 16

/* The smallest region, in bytes; the largest is 8 GiB. */
#define FW_REGION_MIN_SIZE 65536

/*
 * Makes or joins a region.  `name` is "/name", for shm_open(3), or a file's path with another '/'
 * in it ("./jobs", "/var/lib/x/jobs").  `size` is that of a region that is made, in bytes, rounded
 * up to pages; a region that is there keeps its own, which must be at least that (0 without CREATE:
 * whatever it is), and keeps STAMP or does without.
 *   0           *region is the region
 *   ENOENT      there is none, and no CREATE; or only an empty file; or a part of the path is
 *               missing
 *   EEXIST      there is one, and EXCLUSIVE.  Of many who make it at once, one is answered 0 (or
 *               none, where that one was killed over it)
 *   EINVAL      no such name; unknown flags; EXCLUSIVE or RENEW without CREATE; CREATE, and size
 *               is too small or too large
 *   EACCES      no permission to read and write it; or of the directory
 *   EPERM       there is a file of that name, and no SHARED, and: it belongs to neither the
 *               effective user nor root; or has more permissions than were asked for; or has
 *               another name beside this one (a hard link)
 *   ENOSPC      no space for it (also EDQUOT, and EFBIG: more than the process may write)
 *   EPROTO      a region of another version of the library, or of another byte order; or one that
 *               is smaller than `size`
 *   EUCLEAN     no region (and no zeroes, to make one of), or its head was written over, or the
 *               file was cut short
 *   ESTALE      made before the machine was last started, or on another machine, and no RENEW.
 *               With RENEW its name is removed, and a region made in a new file; however many do
 *               that at once, and whoever of them is killed, they end in the same one.  (Errors as
 *               of fw_region_remove.)  Not where several machines share the file system, or where
 *               containers have a boot_id of their own: what is alive elsewhere seems stale there
 *   ENOTSUP     not a file; ENODEV: the file system cannot share memory
 *   EMFILE      this process has FW_REGION_MAX_OPEN regions, or no descriptor left; ENFILE
 *   ENOMEM      no address space
 *   ETIMEDOUT   others make and remove the file all the time; or RENEW, and somebody else has been
 *               renewing it for five seconds: he is stopped, perhaps
 *   ELOOP       the name is a symbolic link: it is not followed
 *   and what open(2) says of a path: ENAMETOOLONG, ENOTDIR, EISDIR, EROFS ...
 */
FW_API int fw_region_open(const char *name, size_t size, unsigned flags, fw_region **region);

/*
 * The same in an open file: a memfd, handed on to relatives or by SCM_RIGHTS.  The descriptor is
 * open for reading and writing, stays the caller's, and may be closed afterwards.  Size 0: the
 * file's own.  As above, and
 *   EBADF       no descriptor
 *   EPERM       sealed against writing, or against growth (F_SEAL_GROW) and too short
 * Whose file it is, is the caller's to judge (fstat(2), fw_region_owner): SHARED changes nothing.
 * RENEW is EINVAL, here and for fw_region_adopt: there is no name.
 */
FW_API int fw_region_open_fd(int fd, size_t size, unsigned flags, fw_region **region);

/*
 * The same in a shared mapping of the user's own, for reading and writing, which begins on a page;
 * zeroes before a region is made there.  `size` is that of the mapping: a region that is there may
 * be smaller, not larger.  The mapping stays until fw_region_close has answered 0.
 *   0, ENOENT, EEXIST, EINVAL, EPROTO, EUCLEAN, ESTALE, EMFILE as above
 *   EINVAL      also: memory is NULL, or not on a page
 *   EBUSY       this process has a region that overlaps with it
 */
FW_API int fw_region_adopt(void *memory, size_t size, unsigned flags, fw_region **region);

/*
 * Ends the use of a region by the whole process, if it is closed for the last time: no thread is in
 * a call on its objects or will begin one.  What the calling thread holds is left to others as by a
 * death, at once; what other threads hold, when they end.  Where such threads have lines still,
 * the memory stays mapped, since the kernel will write there, until a region is opened or closed
 * after they have ended; if this one is opened again before, they have their lines still.  Repair
 * functions that were registered (fw_ipc_mutex_on_death) are forgotten.
 *   0
 *   EINVAL      no region
 *   EBUSY       an adopted region, and other threads of this process have lines: the mapping must
 *               stay.  Nothing was done
 *   EUCLEAN     closed, but the thread's line was written over, or may have been (it joined this
 *               region while it held a robust mutex that it had locked after it joined another one,
 *               which it is still in, and has unlocked since): an adopted mapping must stay until
 *               the calling thread has ended
 */
FW_API int fw_region_close(fw_region *region);

/*
 * Gives back the calling thread's line.  What it holds in the region is left to others as by a
 * death.  Its next call on an object takes a line again.  0, EINVAL.
 */
FW_API int fw_region_leave(fw_region *region);

/*
 * Removes the name; whoever has the region open keeps it.  Looks at the name only, not at what the
 * file is.  A renewal of that file that is under way (FW_REGION_RENEW) is waited for, for five
 * seconds at most, and the region that it makes is not removed: ENOENT.
 * 0, EINVAL, ENOENT, EACCES, EPERM, and what unlink(2) says.
 */
FW_API int fw_region_remove(const char *name);

/* Where it begins, and its size.  NULL and 0: no region. */
FW_API void *fw_region_base(const fw_region *region);
FW_API size_t fw_region_size(const fw_region *region);

/*
 * The user to whom the file belonged when it was opened: who may change its permissions, cut it
 * short, and read and write all that is in it.
 *   0         *owner is the user
 *   EINVAL    no region, or owner is NULL
 *   ENOTSUP   adopted memory: of its file, nothing is known
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
#define FW_REGION_NAME_MOST 39

/*
 * Finds the object of that name, or makes it (zeroes, `size` bytes, aligned to 64) with
 * FW_REGION_CREATE.  An object stays for as long as its region.
 *   0           *object is the object, in this process
 *   ENOENT      there is none, and no CREATE
 *   EEXIST      there is one, and EXCLUSIVE
 *   EPROTO      there is one of another kind, or smaller than `size`
 *   EINVAL      no region; no name, or one that is too long; no such kind or flags; CREATE, and
 *               size 0
 *   ENOSPC      no room for the object, or none in the directory (an entry for every 4 KiB, 64 at
 *               least and 4096 at most)
 *   EUCLEAN     the directory, or the lock of those who change it, was written over
 *   ETIMEDOUT   somebody has been changing the directory for five seconds: he is stopped, perhaps
 *   EAGAIN      no line left for this thread (to find an object needs none)
 */
FW_API int fw_region_object(fw_region *region, const char *name, fw_region_kind kind, size_t size,
                            unsigned flags, void **object);

/*
 * The same; one that is made is made ready by `init` before anybody can find it.  If the process
 * dies over that, there is no object, and the next one begins anew, with zeroes.  What init answers
 * other than 0 is the answer, and there is no object either.  In init, no call that makes an object
 * in the same region (EDEADLK).
 */
FW_API int fw_region_object_init(fw_region *region, const char *name, fw_region_kind kind,
                                 size_t size, unsigned flags, int (*init)(void *object, void *arg),
                                 void *arg, void **object);

/* The mutex of that name; *m is NULL after an error. */
static inline int fw_region_mutex(fw_region *region, const char *name, unsigned flags,
                                  fw_ipc_mutex **m)
{
    void *object = NULL;
    int error =
        fw_region_object(region, name, FW_REGION_MUTEX, sizeof(fw_ipc_mutex), flags, &object);

    *m = (fw_ipc_mutex *)object;
    return error;
}

FW_END_DECLS

#endif
