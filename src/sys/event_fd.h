/* SPDX-License-Identifier: MIT */
#ifndef FW_SYS_EVENT_FD_H
#define FW_SYS_EVENT_FD_H

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <sys_call_arch.h>

/* A descriptor that is readable from each raise until the next clear.  Errors are positive. */
static inline int fw_event_fd_open_(int *fd)
{
    long result = fw_system_call_(SYS_eventfd2, 0, EFD_CLOEXEC | EFD_NONBLOCK, 0, 0, 0, 0);

    *fd = result < 0 ? -1 : (int)result;
    return result < 0 ? (int)-result : 0;
}

/* Any thread, also in a signal handler.  At its maximum it is readable as it is. */
static inline void fw_event_fd_raise_(int fd)
{
    static const uint64_t one = 1;

    fw_system_call_(SYS_write, fd, (long)(intptr_t)&one, sizeof one, 0, 0, 0);
}

static inline void fw_event_fd_clear_(int fd)
{
    uint64_t count;

    fw_system_call_(SYS_read, fd, (long)(intptr_t)&count, sizeof count, 0, 0, 0);
}

static inline void fw_event_fd_close_(int fd)
{
    if (fd >= 0)
        fw_system_call_(SYS_close, fd, 0, 0, 0, 0, 0);
}

#endif
