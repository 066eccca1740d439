/* SPDX-License-Identifier: MIT */
/*
 * Contract: sys/region_file.h.  Not by the C library's calls where those are cancellation points.
 */
#include "sys/region_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys_call_arch.h>
#include <unistd.h>

#include "sys/clock.h"
#include "sys/clock_sleep.h"

/* Where both glibc and musl have the objects of shm_open. */
#define DIRECTORY "/dev/shm"

#define PERMISSIONS 0777u

/* Unknown to old headers. */
enum { APPEND = 0x10 }; /* RWF_APPEND, Linux 4.16 */

/* A file of that name that comes and goes: at most this many looks. */
enum { TRIES = 1000 };

/* A lock that is held for three system calls: how often, and for how long we ask for it. */
#define ASK_NS 1000000
#define PATIENCE_NS UINT64_C(5000000000)

/* If signals interrupt it: this many bytes at a time. */
enum { STEP_MOST = 1 << 24, STEP_LEAST = 1 << 16 };

/* The kernel's 64-bit offsets, in one register: 64-bit machines only. */
_Static_assert(sizeof(long) == 8, "arguments of system calls");

static int answer(long result)
{
    return result < 0 ? (int)-result : 0;
}

static bool is_shm_name(const char *name)
{
    return name[0] == '/' && strchr(name + 1, '/') == NULL;
}

bool fw_shm_is_name_(const char *name)
{
    if (is_shm_name(name))
        return name[1] != '\0' && strcmp(name, "/.") != 0 && strcmp(name, "/..") != 0;
    return strchr(name, '/') != NULL;
}

/* The path of the file of that name: the name itself, or what is written to `buffer`. */
static const char *path_of(const char *name, char buffer[static PATH_MAX])
{
    size_t length = strlen(name);

    if (!is_shm_name(name))
        return name;
    if (length > NAME_MAX)
        return NULL;
    memcpy(buffer, DIRECTORY, sizeof DIRECTORY - 1);
    memcpy(buffer + sizeof DIRECTORY - 1, name, length + 1);
    return buffer;
}

static long open_by(const char *path, int flags, unsigned mode)
{
    long fd;

    do {
        fd = fw_system_call_(SYS_openat, AT_FDCWD, (long)(intptr_t)path, flags | O_CLOEXEC,
                             (long)mode, 0, 0);
    } while (fd == -EINTR);
    return fd;
}

/*
 * In two steps, and never O_CREAT on a file that may be there: a system can forbid that in a
 * directory like /dev/shm for a file of another user (fs.protected_regular).  No link is followed
 * that somebody may have put in such a directory.
 */
int fw_shm_open_(const char *name, enum fw_shm_access_ access, unsigned mode, int *fd)
{
    char buffer[PATH_MAX];
    const char *path = path_of(name, buffer);
    int flags = (access == FW_SHM_READ_ ? O_RDONLY : O_RDWR) | O_NONBLOCK | O_NOFOLLOW;

    if (path == NULL)
        return ENAMETOOLONG;
    for (unsigned i = 0; i < TRIES; i++) {
        long result = open_by(path, flags, 0);
        if (result == -ENOENT && access == FW_SHM_MAKE_)
            result = open_by(path, flags | O_CREAT | O_EXCL, mode);
        if (result != -EEXIST) {
            *fd = (int)result;
            return answer(result);
        }
    }
    return ETIMEDOUT;
}

void fw_shm_close_(int fd)
{
    fw_system_call_(SYS_close, fd, 0, 0, 0, 0, 0);
}

static int lock_file(int fd)
{
    uint64_t end = fw_clock_ns_() + PATIENCE_NS;
    int error;

    while ((error = answer(fw_system_call_(SYS_flock, fd, LOCK_EX | LOCK_NB, 0, 0, 0, 0))) != 0) {
        if (error != EWOULDBLOCK && error != EINTR)
            return error;
        if (fw_clock_ns_() > end)
            return ETIMEDOUT;
        fw_clock_sleep_for_(ASK_NS);
    }
    return 0;
}

/* Not by closing alone, since a child that was forked meanwhile has the lock, too. */
static void unlock_file(int fd)
{
    fw_system_call_(SYS_flock, fd, LOCK_UN, 0, 0, 0, 0);
}

static int status_of(const char *path, struct stat *about)
{
    return answer(fw_system_call_(SYS_newfstatat, AT_FDCWD, (long)(intptr_t)path,
                                  (long)(intptr_t)about, AT_SYMLINK_NOFOLLOW, 0, 0));
}

static bool is_name_of(const char *path, int fd)
{
    struct stat named, open;

    return status_of(path, &named) == 0 && fstat(fd, &open) == 0 && named.st_dev == open.st_dev &&
           named.st_ino == open.st_ino;
}

static int unlink_path(const char *path)
{
    return answer(fw_system_call_(SYS_unlinkat, AT_FDCWD, (long)(intptr_t)path, 0, 0, 0, 0));
}

/* A negative error where there is no file that could be a region, or it cannot be read. */
static long open_to_lock(const char *path)
{
    struct stat about;

    if (status_of(path, &about) != 0 || !S_ISREG(about.st_mode))
        return -EINVAL;
    return open_by(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW, 0);
}

/*
 * For the holder of the file's lock its name cannot become another's, since each removal takes the
 * lock first.  This one goes on without it where the lock cannot be had: a region can always be
 * removed.
 */
int fw_shm_remove_(const char *name)
{
    char buffer[PATH_MAX];
    const char *path = path_of(name, buffer);
    long fd;
    int error;

    if (path == NULL)
        return ENAMETOOLONG;
    fd = open_to_lock(path);
    if (fd < 0)
        return unlink_path(path);
    error = lock_file((int)fd) == 0 && !is_name_of(path, (int)fd) ? ENOENT : unlink_path(path);
    unlock_file((int)fd);
    fw_shm_close_((int)fd);
    return error;
}

int fw_shm_replace_(const char *name, int fd)
{
    char buffer[PATH_MAX];
    const char *path = path_of(name, buffer);
    int error = path == NULL ? ENAMETOOLONG : lock_file(fd);

    if (error != 0)
        return error;
    if (is_name_of(path, fd))
        error = unlink_path(path);
    unlock_file(fd);
    return error == ENOENT ? 0 : error;
}

int fw_shm_about_(int fd, struct fw_shm_about_ *about)
{
    struct stat file;

    if (fstat(fd, &file) != 0)
        return errno;
    if (!S_ISREG(file.st_mode))
        return ENOTSUP;
    *about = (struct fw_shm_about_){.size = (uint64_t)file.st_size,
                                    .device = file.st_dev,
                                    .inode = file.st_ino,
                                    .owner = file.st_uid,
                                    .permissions = file.st_mode & PERMISSIONS,
                                    .names = (uint32_t)file.st_nlink};
    return 0;
}

/* A second name: somebody may have linked a file of ours, which is for something else, to this. */
bool fw_shm_is_private_(const struct fw_shm_about_ *about, unsigned permissions)
{
    uid_t me = (uid_t)fw_system_call_(SYS_geteuid, 0, 0, 0, 0, 0, 0);

    return (about->owner == me || about->owner == 0) && (about->permissions & ~permissions) == 0 &&
           about->names <= 1;
}

/* A descriptor that is open, but not for this. */
static int access_error(int error, int fd)
{
    return error == EBADF && fcntl(fd, F_GETFL) >= 0 ? EACCES : error;
}

int fw_shm_read_(int fd, void *bytes, size_t size)
{
    size_t done = 0;

    while (done < size) {
        long n = fw_system_call_(SYS_pread64, fd, (long)(intptr_t)bytes + (long)done,
                                 (long)(size - done), (long)done, 0, 0);
        if (n == 0)
            break;
        if (n < 0 && n != -EINTR)
            return access_error((int)-n, fd);
        done += n > 0 ? (size_t)n : 0;
    }
    memset((char *)bytes + done, 0, size - done);
    return 0;
}

/* Beyond this limit the kernel sends SIGXFSZ, which ends the process. */
static bool is_beyond_limit(uint64_t size)
{
    struct rlimit limit;

    return getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
           size > limit.rlim_cur;
}

int fw_shm_append_(int fd, uint64_t size)
{
    static const char zeroes[4096];
    struct fw_shm_about_ about = {0};
    int error;

    while ((error = fw_shm_about_(fd, &about)) == 0 && about.size < size) { /* others append, too */
        struct iovec bytes = {(void *)(uintptr_t)zeroes,
                              sizeof zeroes - about.size % sizeof zeroes};
        long n = fw_system_call_(SYS_pwritev2, fd, (long)(intptr_t)&bytes, 1, 0, 0, APPEND);
        if (n < 0 && n != -EINTR)
            return access_error((int)-n, fd);
    }
    return error;
}

static int reserve(int fd, uint64_t at, uint64_t size)
{
    return answer(fw_system_call_(SYS_fallocate, fd, 0, (long)at, (long)size, 0, 0));
}

/* Smaller ones whenever a signal was faster: any step but the least has a chance in the end. */
static int reserve_by_steps(int fd, uint64_t size)
{
    uint64_t step = STEP_MOST;

    for (uint64_t done = 0; done < size;) {
        uint64_t part = size - done < step ? size - done : step;
        int error = reserve(fd, done, part);
        if (error == 0)
            done += part;
        else if (error != EINTR)
            return error;
        else if (step > STEP_LEAST)
            step /= 2;
    }
    return 0;
}

/* All at once, since the kernel gives back what it has when it cannot have all; or by steps. */
int fw_shm_grow_(int fd, uint64_t size)
{
    struct fw_shm_about_ about = {0};
    int error = fw_shm_about_(fd, &about);

    if (error != 0)
        return error;
    if (about.size < size && is_beyond_limit(size))
        return EFBIG;
    error = reserve(fd, 0, size);
    if (error == EINTR)
        error = reserve_by_steps(fd, size);
    return error == EOPNOTSUPP ? fw_shm_append_(fd, size) : access_error(error, fd);
}

void fw_shm_seal_(int fd)
{
    fw_system_call_(SYS_fcntl, fd, F_ADD_SEALS, F_SEAL_SHRINK, 0, 0, 0);
}

int fw_shm_map_(int fd, size_t size, bool can_write, void **base)
{
    void *memory =
        mmap(NULL, size, can_write ? PROT_READ | PROT_WRITE : PROT_READ, MAP_SHARED, fd, 0);

    if (memory == MAP_FAILED)
        return errno;
    *base = memory;
    return 0;
}

void fw_shm_unmap_(void *base, size_t size)
{
    munmap(base, size);
}

size_t fw_shm_page_(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}
