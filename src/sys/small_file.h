/* SPDX-License-Identifier: MIT */
#ifndef FW_SYS_SMALL_FILE_H
#define FW_SYS_SMALL_FILE_H

#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <sys_call_arch.h>

/*
 * Reads the beginning of a file: how many bytes, or -errno.  Not by the C library's calls, which
 * are cancellation points: a thread that is cancelled must not be unwound out of an operation.
 */
static inline long fw_small_file_(const char *path, void *bytes, size_t size)
{
    long length;
    long fd =
        fw_system_call_(SYS_openat, AT_FDCWD, (long)(intptr_t)path, O_RDONLY | O_CLOEXEC, 0, 0, 0);

    if (fd < 0)
        return fd;
    length = fw_system_call_(SYS_read, fd, (long)(intptr_t)bytes, (long)size, 0, 0, 0);
    fw_system_call_(SYS_close, fd, 0, 0, 0, 0, 0);
    return length;
}

#endif
