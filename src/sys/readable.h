/* SPDX-License-Identifier: MIT */
#ifndef FW_SYS_READABLE_H
#define FW_SYS_READABLE_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <sys_call_arch.h>
#include <time.h>

/* Is the descriptor readable, or becomes so within `ns` (less than a second)?  Signals end it. */
static inline bool fw_readable_within_(int fd, long ns)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};
    struct timespec within = {.tv_nsec = ns};

    return fw_system_call_(SYS_ppoll, (long)(intptr_t)&p, 1, (long)(intptr_t)&within, 0, 0, 0) ==
               1 &&
           (p.revents & POLLIN) != 0;
}

#endif
