/* SPDX-License-Identifier: MIT */
/* Contract: sys/count_file.h. */
#include "sys/count_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys_call_arch.h>

#include "sys/map.h"

/* Unknown to old headers. */
enum { POPULATE_WRITE = 23 }; /* MADV_POPULATE_WRITE, Linux 5.14 */

/* On the caller's stack, which may be a small one. */
enum { PIECE = 1024 };

static long open_file(const char *path, int flags)
{
    long fd;

    do {
        fd = fw_system_call_(SYS_openat, AT_FDCWD, (long)(intptr_t)path, flags | O_CLOEXEC, 0600, 0,
                             0);
    } while (fd == -EINTR);
    return fd;
}

static void close_file(long fd)
{
    fw_system_call_(SYS_close, fd, 0, 0, 0, 0, 0);
}

int fw_count_file_make_(const char *path, size_t size, void **base)
{
    long fd = open_file(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW);
    long error;

    if (fd < 0)
        return (int)-fd;
    error = -fw_system_call_(SYS_ftruncate, fd, (long)size, 0, 0, 0, 0);
    if (error == 0)
        error = fw_map_(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, base);
    close_file(fd);
    return (int)error;
}

void fw_count_file_remove_(const char *path, void *base, size_t size)
{
    fw_unmap_(base, size);
    fw_system_call_(SYS_unlinkat, AT_FDCWD, (long)(intptr_t)path, 0, 0, 0, 0);
}

int fw_count_file_reserve_(void *base, size_t size)
{
    long error;

    do {
        error = -fw_system_call_(SYS_madvise, (long)(intptr_t)base, (long)size, POPULATE_WRITE, 0,
                                 0, 0);
    } while (error == EINTR || error == EAGAIN);
    return error == EINVAL || error == ENOSYS ? 0 : (int)error;
}

static long write_all(long fd, const char *bytes, long n)
{
    while (n > 0) {
        long done = fw_system_call_(SYS_write, fd, (long)(intptr_t)bytes, n, 0, 0, 0);

        if (done < 0 && done != -EINTR)
            return done;
        bytes += done > 0 ? done : 0;
        n -= done > 0 ? done : 0;
    }
    return 0;
}

static int copy(long in, long out, void (*see)(const char *bytes, size_t n, void *arg), void *arg)
{
    char piece[PIECE];
    long n;

    while ((n = fw_system_call_(SYS_read, in, (long)(intptr_t)piece, PIECE, 0, 0, 0)) != 0) {
        if (n == -EINTR)
            continue;
        if (n < 0)
            return (int)-n;
        see(piece, (size_t)n, arg);
        long error = write_all(out, piece, n);
        if (error != 0)
            return (int)-error;
    }
    return 0;
}

int fw_count_file_append_(const char *from, const char *to,
                          void (*see)(const char *bytes, size_t n, void *arg), void *arg)
{
    long in = open_file(from, O_RDONLY), out;
    int error;

    if (in < 0)
        return (int)-in;
    out = open_file(to, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW);
    error = out < 0 ? (int)-out : copy(in, out, see, arg);
    if (out >= 0)
        close_file(out);
    close_file(in);
    return error;
}

void fw_thread_name_(char name[static 16])
{
    name[0] = '\0';
    fw_system_call_(SYS_prctl, PR_GET_NAME, (long)(intptr_t)name, 0, 0, 0, 0);
}
