/* SPDX-License-Identifier: MIT */
/*
 * The locks that files have: of a process (fcntl), of an open file (OFD), and BSD's (flock).  Each
 * is granted again to whoever has it already.
 */
#include <fcntl.h>
#include <sys/file.h>

#include "bench/adapters/adapter_define.h"
#include "bench/adapters/kernel_lock.h"
#include "bench/adapters/lock_file.h"

/* 0, or EBUSY if the operation does not wait. */
static int by_fcntl(int fd, int operation, short type)
{
    struct flock range = {.l_type = type, .l_whence = SEEK_SET, .l_start = 0, .l_len = 1};

    while (fcntl(fd, operation, &range) != 0)
        if (errno != EINTR)
            return EBUSY;
    return 0;
}

static int by_flock(int fd, int operation)
{
    while (flock(fd, operation) != 0)
        if (errno != EINTR)
            return EBUSY;
    return 0;
}

/* After a call: tells a sanitizer what it means. */
static int taken(struct lock_file *f, int error)
{
    if (error == 0)
        KERNEL_LOCK_TAKEN(f);
    return error;
}

static struct lock_file *giving(struct lock_file *f)
{
    KERNEL_LOCK_GIVEN(f);
    return f;
}

ADAPTER_INIT(file, struct lock_file, lock_file_make(l))
ADAPTER_DESTROY(file, struct lock_file, lock_file_unmake(l))

#define FILE_LOCK(stem, take, try_, give)                                                \
    ADAPTER_CALLS(stem, struct lock_file, (void)taken(l, take), (void)(giving(l), give)) \
    ADAPTER_TRYLOCK(stem, struct lock_file, taken(l, try_))

#define FILE_LOCK_MEMBERS(stem)                                               \
    .family = FAMILY_RIVAL, ADAPTER_OBJECT(struct lock_file, file_init_),     \
    .destroy = file_destroy_, .lock = stem##_lock_, .unlock = stem##_unlock_, \
    .loop = stem##_loop_, .trylock = stem##_trylock_

FILE_LOCK(fcntl, by_fcntl(l->fd, F_SETLKW, F_WRLCK), by_fcntl(l->fd, F_SETLK, F_WRLCK),
          by_fcntl(l->fd, F_SETLK, F_UNLCK))
FILE_LOCK(ofd, by_fcntl(lock_file_own(l), F_OFD_SETLKW, F_WRLCK),
          by_fcntl(lock_file_own(l), F_OFD_SETLK, F_WRLCK),
          by_fcntl(lock_file_own(l), F_OFD_SETLK, F_UNLCK))
FILE_LOCK(flock, by_flock(lock_file_own(l), LOCK_EX), by_flock(lock_file_own(l), LOCK_EX | LOCK_NB),
          by_flock(lock_file_own(l), LOCK_UN))

const struct adapter adapter_fcntl = {
    .name = "fcntl",
    .about = "fcntl(F_SETLKW): a lock on a byte of a file, the process's",
    .flags = ADAPTER_SHARED | ADAPTER_PROCESSES | ADAPTER_BLOCKS,
    FILE_LOCK_MEMBERS(fcntl),
};

const struct adapter adapter_ofd = {
    .name = "ofd",
    .about = "fcntl(F_OFD_SETLKW): a lock on a byte of a file, the open file's",
    .flags = ADAPTER_SHARED | ADAPTER_PROCESSES | ADAPTER_BLOCKS,
    FILE_LOCK_MEMBERS(ofd),
};

const struct adapter adapter_flock = {
    .name = "flock",
    .about = "flock(2): a lock on a file, the open file's",
    .flags = ADAPTER_SHARED | ADAPTER_PROCESSES | ADAPTER_BLOCKS,
    FILE_LOCK_MEMBERS(flock),
};
