/* SPDX-License-Identifier: MIT */
#ifndef FURWOCK_IPC_REGION_H
#define FURWOCK_IPC_REGION_H

#include <stddef.h>
#include <stdint.h>

#include <furwock/bits/api.h>

FW_BEGIN_DECLS

/*
 * fw_region: memory that processes share, in which locks lie that nothing can lose.
 *
 * A region is a POSIX shared-memory object, a file, a memfd, or a piece of any shared mapping of
 * the user's own.  It has a head, a directory of named objects ("the mutex called jobs"), and a
 * line for each thread that uses it.  Processes may have it at different addresses, and may live in
 * different pid namespaces.
 */
typedef struct fw_region fw_region;

/*
 * Flags; the lowest nine bits are the permissions of a region that is made, as in open(2).
 */
enum {
    FW_REGION_CREATE = 1 << 16,    /* make it where there is none */
    FW_REGION_EXCLUSIVE = 1 << 17, /* with CREATE: EEXIST where there is one */
    FW_REGION_STAMP = 1 << 18      /* when made: holders note when they began (for tools) */
};

/* At most so many regions at a time in one process. */
#define FW_REGION_MOST 16

/*
 * Makes or joins a region.  `name` is "/name", for shm_open(3), or a file's path with another '/'
 * in it ("./jobs", "/var/lib/x/jobs").  `size` is that of a region that is made, in bytes, at least
 * FW_REGION_LEAST, rounded up to pages; a region that is there keeps its own (0: whatever it is).
 */
#define FW_REGION_LEAST 65536
FW_API int fw_region_open(const char *name, size_t size, unsigned flags, fw_region **region);

/* The same in an open file: a memfd, handed on to relatives or by SCM_RIGHTS. */
FW_API int fw_region_open_fd(int fd, size_t size, unsigned flags, fw_region **region);

/* The same in a shared mapping of the user's own, page-aligned, zeroes before it is made. */
FW_API int fw_region_adopt(void *memory, size_t size, unsigned flags, fw_region **region);

FW_API int fw_region_close(fw_region *region);
FW_API int fw_region_remove(const char *name);

FW_API void *fw_region_base(const fw_region *region);
FW_API size_t fw_region_size(const fw_region *region);

/* What an object in the directory is. */
typedef enum fw_region_kind {
    FW_REGION_DATA = 1,
    FW_REGION_MUTEX = 2,
    FW_REGION_RWLOCK = 3,
    FW_REGION_COND = 4,
    FW_REGION_SEM = 5,
    FW_REGION_UNITS = 6,
    FW_REGION_BARRIER = 7,
    FW_REGION_ONCE = 8,
    FW_REGION_JOURNAL = 9
} fw_region_kind;

/*
 * Finds the object of that name, or makes it (zeroes, `size` bytes, aligned to 64) with
 * FW_REGION_CREATE.
 */
FW_API int fw_region_object(fw_region *region, const char *name, fw_region_kind kind, size_t size,
                            unsigned flags, void **object);

FW_END_DECLS

#endif
