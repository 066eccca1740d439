/* SPDX-License-Identifier: MIT */
/*
 * A library as tools for tracing, faking the time, and allocating are: it comes before the C
 * library, and each of its functions takes a mutex before it does what the C library's does.
 *
 * While a thread is at that mutex it must not come here again: a lock that called one of these
 * functions would call itself, without end where the mutex is contended.  So that is said, and ends
 * the program, the first time that it happens.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

/* Long enough for other threads to find the mutex held, on any machine, now and then. */
enum { TURNS = 2000 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static __thread const char *inside __attribute__((tls_model("initial-exec")));

/* Stores where the C library's function is in a pointer to it. */
static void find_next(const char *name, void *pointer)
{
    void *function = dlsym(RTLD_NEXT, name);

    if (function == NULL)
        _exit(3);
    memcpy(pointer, &function, sizeof function);
}

static void refuse(const char *name)
{
    ssize_t (*write_all)(int, const struct iovec *, int);
    struct iovec parts[] = {{(char *)(uintptr_t)name, strlen(name)},
                            {" was called while a lock was taken within ", 42},
                            {(char *)(uintptr_t)inside, strlen(inside)},
                            {"\n", 1}};

    find_next("writev", &write_all);
    write_all(STDERR_FILENO, parts, 4);
    _exit(1);
}

static void take_turn(const char *name)
{
    if (inside != NULL)
        refuse(name);
    inside = name;
    pthread_mutex_lock(&mutex);
    for (volatile int i = 0; i < TURNS; i++)
        ;
    pthread_mutex_unlock(&mutex);
    inside = NULL;
}

/* What has other arguments is written out below. */
#define INTERPOSED(result, name, parameters, arguments)           \
    __attribute__((visibility("default"))) result name parameters \
    {                                                             \
        result(*next) parameters;                                 \
                                                                  \
        take_turn(#name);                                         \
        find_next(#name, &next);                                  \
        return next arguments;                                    \
    }

INTERPOSED(int, clock_gettime, (clockid_t clock, struct timespec *now), (clock, now))
INTERPOSED(int, clock_nanosleep,
           (clockid_t clock, int flags, const struct timespec *for_, struct timespec *left),
           (clock, flags, for_, left))
INTERPOSED(int, nanosleep, (const struct timespec *for_, struct timespec *left), (for_, left))
INTERPOSED(int, sched_yield, (void), ())
INTERPOSED(int, sched_getcpu, (void), ())
INTERPOSED(pid_t, getpid, (void), ())
INTERPOSED(pid_t, gettid, (void), ())
INTERPOSED(long, sysconf, (int name), (name))
INTERPOSED(void *, mmap, (void *at, size_t n, int prot, int flags, int fd, off_t offset),
           (at, n, prot, flags, fd, offset))
INTERPOSED(int, munmap, (void *at, size_t n), (at, n))
INTERPOSED(int, madvise, (void *at, size_t n, int advice), (at, n, advice))
INTERPOSED(int, stat, (const char *path, struct stat *about), (path, about))
INTERPOSED(int, fstat, (int fd, struct stat *about), (fd, about))
INTERPOSED(int, faccessat, (int at, const char *path, int mode, int flags), (at, path, mode, flags))
INTERPOSED(int, close, (int fd), (fd))
INTERPOSED(ssize_t, read, (int fd, void *bytes, size_t n), (fd, bytes, n))
INTERPOSED(ssize_t, write, (int fd, const void *bytes, size_t n), (fd, bytes, n))
INTERPOSED(ssize_t, writev, (int fd, const struct iovec *parts, int n), (fd, parts, n))
INTERPOSED(int, unlink, (const char *path), (path))

/* The rest goes on to what the C library has under a name of its own. */
void *__libc_malloc(size_t n);
void __libc_free(void *p);

__attribute__((visibility("default"))) void *malloc(size_t n)
{
    take_turn("malloc");
    return __libc_malloc(n);
}

__attribute__((visibility("default"))) void free(void *p)
{
    take_turn("free");
    __libc_free(p);
}

__attribute__((visibility("default"))) long syscall(long number, ...)
{
    long (*next)(long, ...);
    long a[6];
    va_list rest;

    va_start(rest, number);
    for (int i = 0; i < 6; i++)
        a[i] = va_arg(rest, long);
    va_end(rest);
    take_turn("syscall");
    find_next("syscall", &next);
    return next(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

__attribute__((visibility("default"))) int prctl(int option, ...)
{
    int (*next)(int, ...);
    unsigned long a[4];
    va_list rest;

    va_start(rest, option);
    for (int i = 0; i < 4; i++)
        a[i] = va_arg(rest, unsigned long);
    va_end(rest);
    take_turn("prctl");
    find_next("prctl", &next);
    return next(option, a[0], a[1], a[2], a[3]);
}

static int open_next(const char *name, const char *path, int flags, mode_t mode)
{
    int (*next)(const char *, int, ...);

    take_turn(name);
    find_next(name, &next);
    return next(path, flags, mode);
}

__attribute__((visibility("default"))) int open(const char *path, int flags, ...)
{
    va_list rest;
    mode_t mode;

    va_start(rest, flags);
    mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(rest, mode_t) : 0;
    va_end(rest);
    return open_next("open", path, flags, mode);
}
