/* SPDX-License-Identifier: MIT */
#ifndef FW_SYS_REGION_FILE_H
#define FW_SYS_REGION_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Files as memory that processes share.  Every call returns 0 or a positive errno, is no
 * cancellation point, and tries again where a signal has interrupted it.
 *
 * A name is "/name", as shm_open(3) has them, or a path with another '/' in it.
 */

/* Is this a name at all? */
bool fw_shm_is_name_(const char *name);

enum fw_shm_access_ { FW_SHM_READ_, FW_SHM_WRITE_, FW_SHM_MAKE_ };

/*
 * Opens for reading, or for both; MAKE: makes the file where there is none, with that mode less the
 * process's umask.  The errors of open(2), ETIMEDOUT: somebody else makes and removes it all the
 * time.
 */
int fw_shm_open_(const char *name, enum fw_shm_access_ access, unsigned mode, int *fd);
void fw_shm_close_(int fd);

/*
 * Removes the name of the file that has it when the call begins.  A replacement of that file under
 * way is waited for, for five seconds at most, where the caller may read the file.
 *   ENOENT      there is none, or another call has removed it meanwhile
 *   EACCES, EPERM, EISDIR ...: unlink(2)
 */
int fw_shm_remove_(const char *name);

/*
 * Removes the name if it is that of the open file, which only this call and the one above remove;
 * if it is another's by now, or nobody's, nothing is done.  Of many who do so for the same file,
 * one removes it, and never what has been made in its place.
 *   EACCES, EPERM ...: unlink(2)
 *   ETIMEDOUT   somebody has been at it for five seconds
 */
int fw_shm_replace_(const char *name, int fd);

struct fw_shm_about_ {
    uint64_t size, device, inode;
    uint32_t owner;
    uint32_t permissions; /* nine bits; with an access control list, the most that it gives */
    uint32_t names;       /* 0: removed meanwhile */
};

/* ENOTSUP: not a regular file (a memfd is one); EBADF. */
int fw_shm_about_(int fd, struct fw_shm_about_ *about);

/*
 * Can nobody but the effective user, root, and whom these permissions let in have made the file, or
 * have access to it?
 */
bool fw_shm_is_private_(const struct fw_shm_about_ *about, unsigned permissions);

/* The first bytes of the file; behind its end, zeroes.  EBADF, EIO; EACCES: not for reading. */
int fw_shm_read_(int fd, void *bytes, size_t size);

/*
 * Sees to it that the first `size` bytes exist, as zeroes where there was nothing, and have their
 * storage: that a later access is not ended by SIGBUS for want of space.  What is there stays, and
 * any number of processes may do it at once.
 *   ENOSPC, EDQUOT
 *   EFBIG            above what the file system or the process's limit (RLIMIT_FSIZE) allows
 *   EACCES           the descriptor is not open for writing
 *   EPERM            the file is sealed against growth
 */
int fw_shm_grow_(int fd, uint64_t size);

/* The same, for file systems without fallocate(2): zeroes are appended until it is long enough. */
int fw_shm_append_(int fd, uint64_t size);

/* Against being cut short; where that cannot be had, nothing is done. */
void fw_shm_seal_(int fd);

/* ENOMEM, EACCES, EPERM, ENODEV: the file system has no shared mappings. */
int fw_shm_map_(int fd, size_t size, bool can_write, void **base);
void fw_shm_unmap_(void *base, size_t size);

/* Of the system's memory, in bytes. */
size_t fw_shm_page_(void);

#endif
