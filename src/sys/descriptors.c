/* SPDX-License-Identifier: MIT */
/* Contract: sys/descriptors.h. */
#include "sys/descriptors.h"

#include <errno.h>
#include <poll.h>
#include <stddef.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys_call_arch.h>

#include "sys/panic.h"

static long address(const void *p)
{
    return (long)(intptr_t)p;
}

int fw_event_make_(void)
{
    return (int)fw_system_call_(SYS_eventfd2, 0, EFD_CLOEXEC | EFD_NONBLOCK, 0, 0, 0, 0);
}

int fw_timer_make_(clockid_t clock)
{
    return (int)fw_system_call_(SYS_timerfd_create, clock, TFD_CLOEXEC | TFD_NONBLOCK, 0, 0, 0, 0);
}

int fw_poll_make_(void)
{
    return (int)fw_system_call_(SYS_epoll_create1, EPOLL_CLOEXEC, 0, 0, 0, 0, 0);
}

void fw_descriptor_close_(int fd)
{
    fw_system_call_(SYS_close, fd, 0, 0, 0, 0, 0);
}

void fw_event_write_(int event)
{
    const uint64_t one = 1;
    long n;

    do
        n = fw_system_call_(SYS_write, event, address(&one), sizeof one, 0, 0, 0);
    while (n == -EINTR);
    if (n != sizeof one)
        fw_panic_errno_("write to the descriptor of a loop, which somebody has closed", (int)-n);
}

bool fw_event_read_(int event)
{
    uint64_t n = 0;

    return fw_system_call_(SYS_read, event, address(&n), sizeof n, 0, 0, 0) == sizeof n;
}

void fw_timer_set_(int timer, const struct timespec *at)
{
    struct itimerspec when = {.it_value = {0, 0}};
    long error;

    if (at != NULL)
        when.it_value = *at;
    if (at != NULL && (at->tv_sec < 0 || (at->tv_sec == 0 && at->tv_nsec == 0)))
        when.it_value = (struct timespec){0, 1}; /* zero would mean never */
    error = fw_system_call_(SYS_timerfd_settime, timer, TFD_TIMER_ABSTIME, address(&when), 0, 0, 0);
    if (error != 0)
        fw_panic_errno_("timer of a loop, whose descriptor somebody has closed", (int)-error);
}

int fw_poll_add_(int poll, int fd)
{
    struct epoll_event wanted = {.events = EPOLLIN, .data.fd = fd};

    return (int)-fw_system_call_(SYS_epoll_ctl, poll, EPOLL_CTL_ADD, fd, address(&wanted), 0, 0);
}

void fw_poll_remove_(int poll, int fd)
{
    fw_system_call_(SYS_epoll_ctl, poll, EPOLL_CTL_DEL, fd, 0, 0, 0);
}

int fw_poll_wait_(int poll, uint64_t ns)
{
    struct pollfd wanted = {.fd = poll, .events = POLLIN};
    struct timespec left = {(time_t)(ns / 1000000000u), (long)(ns % 1000000000u)};
    long n = fw_system_call_(SYS_ppoll, address(&wanted), 1,
                             ns == FW_POLL_FOREVER_ ? 0 : address(&left), 0, 0, 0);

    if (n == -EINTR)
        return EINTR;
    if (n < 0 && n != -ENOMEM)
        fw_panic_errno_("poll of a loop, whose descriptor somebody has closed", (int)-n);
    return n == 1 ? 0 : ETIMEDOUT;
}
