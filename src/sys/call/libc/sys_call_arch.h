/* SPDX-License-Identifier: MIT */
#ifndef FW_SYS_CALL_ARCH_H
#define FW_SYS_CALL_ARCH_H

#include <errno.h>
#include <unistd.h>

/* A system call through the C library: the result, or -errno; errno stays as it was. */
static inline long fw_system_call_(long number, long a, long b, long c, long d, long e, long f)
{
    int saved_errno = errno;
    long result = syscall(number, a, b, c, d, e, f);

    if (result == -1) {
        result = -errno;
        errno = saved_errno;
    }
    return result;
}

#endif
