/* SPDX-License-Identifier: MIT */
/*
 * Calls that may sleep, on their way to the C library: with --hold=MS, those that took that long
 * while the thread held a lock are reported.  Without it, or without a lock, this costs one jump.
 *
 * What the C library calls itself (stdio's write, say) does not come here.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "check.h"
#include "export.h"
#include "lock.h"
#include "next.h"
#include "stat.h"
#include "sys/clock.h"

static inline bool is_asked(void)
{
    const struct fw_check_thread_ *t = fw_check_me_;

    return __builtin_expect(fw_check_hold_ns_ != 0, 0) && t != NULL && t->count != 0 && !t->is_busy;
}

static const struct fw_check_held_ *latest(const struct fw_check_thread_ *t)
{
    for (uint32_t i = t->count; i-- > 0;)
        if (t->held[i].object != NULL)
            return &t->held[i];
    return NULL;
}

void fw_check_blocked_(uint64_t began_ns, const void *site)
{
    uint64_t ns = fw_clock_ns_() - began_ns;
    const struct fw_check_thread_ *t = fw_check_me_;
    const struct fw_check_held_ *h = t != NULL ? latest(t) : NULL;

    if (ns >= fw_check_hold_ns_ && h != NULL)
        fw_check_report_timed_(FW_CHECK_BLOCKED, h->object, site, h, ns);
}

#define BLOCKING(name, version, result, parameters, arguments)                   \
    static void *known_##name;                                                   \
    /* A signal handler may be the first to call it, and must not look it up. */ \
    __attribute__((constructor)) static void find_##name(void)                   \
    {                                                                            \
        fw_next_(&known_##name, #name);                                          \
    }                                                                            \
    static result blocking_##name parameters                                     \
    {                                                                            \
        union {                                                                  \
            void *address;                                                       \
            result(*function) parameters;                                        \
        } to = {fw_next_(&known_##name, #name)};                                 \
        uint64_t began_ns;                                                       \
        result r;                                                                \
                                                                                 \
        if (!is_asked())                                                         \
            return to.function arguments;                                        \
        began_ns = fw_clock_ns_();                                               \
        r = to.function arguments;                                               \
        fw_check_blocked_(began_ns, FW_SITE_);                                   \
        return r;                                                                \
    }                                                                            \
    FW_EXPORT(blocking_##name, name, version)

BLOCKING(sleep, GLIBC_2_2_5, unsigned, (unsigned seconds), (seconds));
BLOCKING(usleep, GLIBC_2_2_5, int, (useconds_t us), (us));
BLOCKING(nanosleep, GLIBC_2_2_5, int, (const struct timespec *time, struct timespec *left),
         (time, left));
BLOCKING(clock_nanosleep, GLIBC_2_17, int,
         (clockid_t clock, int flags, const struct timespec *time, struct timespec *left),
         (clock, flags, time, left));
BLOCKING(poll, GLIBC_2_2_5, int, (struct pollfd * fds, nfds_t n, int ms), (fds, n, ms));
BLOCKING(select, GLIBC_2_2_5, int,
         (int n, fd_set *in, fd_set *out, fd_set *other, struct timeval *time),
         (n, in, out, other, time));
BLOCKING(epoll_wait, GLIBC_2_3_2, int, (int fd, struct epoll_event *events, int n, int ms),
         (fd, events, n, ms));
BLOCKING(read, GLIBC_2_2_5, ssize_t, (int fd, void *to_, size_t n), (fd, to_, n));
BLOCKING(write, GLIBC_2_2_5, ssize_t, (int fd, const void *from, size_t n), (fd, from, n));
BLOCKING(pread, GLIBC_2_2_5, ssize_t, (int fd, void *to_, size_t n, off_t at), (fd, to_, n, at));
BLOCKING(pread64, GLIBC_2_2_5, ssize_t, (int fd, void *to_, size_t n, off64_t at),
         (fd, to_, n, at));
BLOCKING(pwrite, GLIBC_2_2_5, ssize_t, (int fd, const void *from, size_t n, off_t at),
         (fd, from, n, at));
BLOCKING(pwrite64, GLIBC_2_2_5, ssize_t, (int fd, const void *from, size_t n, off64_t at),
         (fd, from, n, at));
BLOCKING(recv, GLIBC_2_2_5, ssize_t, (int fd, void *to_, size_t n, int flags), (fd, to_, n, flags));
BLOCKING(send, GLIBC_2_2_5, ssize_t, (int fd, const void *from, size_t n, int flags),
         (fd, from, n, flags));
BLOCKING(recvmsg, GLIBC_2_2_5, ssize_t, (int fd, struct msghdr *message, int flags),
         (fd, message, flags));
BLOCKING(sendmsg, GLIBC_2_2_5, ssize_t, (int fd, const struct msghdr *message, int flags),
         (fd, message, flags));
BLOCKING(connect, GLIBC_2_2_5, int, (int fd, const struct sockaddr *to_, socklen_t n),
         (fd, to_, n));
BLOCKING(accept, GLIBC_2_2_5, int, (int fd, struct sockaddr *from, socklen_t *n), (fd, from, n));
BLOCKING(fsync, GLIBC_2_2_5, int, (int fd), (fd));
BLOCKING(fdatasync, GLIBC_2_2_5, int, (int fd), (fd));
BLOCKING(waitpid, GLIBC_2_2_5, pid_t, (pid_t pid, int *status, int options),
         (pid, status, options));
