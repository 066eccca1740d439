/* SPDX-License-Identifier: MIT */
#ifndef FW_SYS_FILE_CALLS_H
#define FW_SYS_FILE_CALLS_H

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys_call_arch.h>

/*
 * Calls on files, as those of the C library that have their names: -1 with errno.  But not those of
 * the C library, whose functions others may have replaced, and which are cancellation points.
 */
static inline int fw_file_result_(long result)
{
    if (result >= 0)
        return (int)result;
    errno = (int)-result;
    return -1;
}

static inline int fw_file_open_(const char *path, int flags, mode_t mode)
{
    return fw_file_result_(
        fw_system_call_(SYS_openat, AT_FDCWD, (long)(intptr_t)path, flags, (long)mode, 0, 0));
}

/* An error has no consequences. */
static inline void fw_file_close_(int fd)
{
    fw_system_call_(SYS_close, fd, 0, 0, 0, 0, 0);
}

/* How many bytes: not more than INT_MAX. */
static inline int fw_file_write_(int fd, const void *bytes, size_t n)
{
    return fw_file_result_(fw_system_call_(SYS_write, fd, (long)(intptr_t)bytes, (long)n, 0, 0, 0));
}

static inline int fw_file_stat_(int fd, struct stat *about)
{
    return fw_file_result_(fw_system_call_(SYS_fstat, fd, (long)(intptr_t)about, 0, 0, 0, 0));
}

static inline int fw_file_link_(const char *from, const char *to)
{
    return fw_file_result_(fw_system_call_(SYS_linkat, AT_FDCWD, (long)(intptr_t)from, AT_FDCWD,
                                           (long)(intptr_t)to, 0, 0));
}

static inline int fw_file_unlink_(const char *path)
{
    return fw_file_result_(
        fw_system_call_(SYS_unlinkat, AT_FDCWD, (long)(intptr_t)path, 0, 0, 0, 0));
}

#endif
