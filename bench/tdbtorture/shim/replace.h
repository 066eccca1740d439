/* SPDX-License-Identifier: MIT */
#ifndef FW_TDBTORTURE_REPLACE_H
#define FW_TDBTORTURE_REPLACE_H

/*
 * What TDB expects of Samba's library for old systems, on a system that is not: standard headers,
 * and a few macros.  So neither that library nor its configuration is needed.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <utime.h>

#include "bench/common/pin.h"

#define HAVE_FDATASYNC 1
#define HAVE_GETOPT_H 1
#define HAVE_GETPAGESIZE 1
#define HAVE_MMAP 1
#define HAVE_POSIX_FALLOCATE 1
#define HAVE_SIGACTION 1
#define HAVE_UTIME 1
#define HAVE___ATOMIC_ADD_FETCH 1
#define HAVE___ATOMIC_ADD_LOAD 1
#define USE_TDB_MUTEX_LOCKING 1

#define _PUBLIC_
#define PRINTF_ATTRIBUTE(text, first) __attribute__((format(printf, text, first)))
#define FALL_THROUGH __attribute__((fallthrough))
#define STRING_(x) #x
#define STRING(x) STRING_(x)
#define __location__ __FILE__ ":" STRING(__LINE__)
#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

#define ZERO_STRUCT(x) memset(&(x), 0, sizeof(x))
#define ZERO_STRUCTP(x) memset((x), 0, sizeof(*(x)))
#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define ARRAY_DEL_ELEMENT(a, i, n) \
    memmove(&(a)[i], &(a)[(i) + 1], sizeof(*(a)) * (size_t)((n) - (i)-1))
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define discard_const(p) ((void *)(uintptr_t)(p))
#define discard_const_p(type, p) ((type *)discard_const(p))

/* The tool forks its processes one after the other; with --pin each stays on a CPU. */
static inline pid_t tdbtorture_fork(void)
{
    static unsigned forked;
    pid_t pid = fork();

    if (pid == 0)
        pin_if_wanted(forked);
    forked++;
    return pid;
}
#define fork tdbtorture_fork

#endif
