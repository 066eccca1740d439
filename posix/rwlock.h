/* SPDX-License-Identifier: MIT */
#ifndef FW_PRELOAD_RWLOCK_H
#define FW_PRELOAD_RWLOCK_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <furwock/bits/deadline.h>
#include <furwock/rwlock.h>

/*
 * What a pthread_rwlock_t is made of here.  The kind is where the C library has it: static
 * initialisers are bytes in programs that were compiled long ago.
 *
 *   byte        0       8   16      24       28       32   40        48
 *   private     -       -   -       -        0        -    [ fw_rwlock       ]
 *   shared      word    -   magic   writer   not 0    -    held      kind
 *
 *   kind     0, 1, 2: rwlock_kind.h says what that means.  It is the lowest bits of an fw_rwlock's
 *            second word.
 *   shared   process-shared: rwlock_shared.h
 *   magic    was made by this library; the C library has zeroes there
 *   writer   thread id, 0: nobody
 *   held     FW_POSIX_RWLOCK_ELSEWHERE_: what is looked for here is at byte 0
 */
struct fw_posix_rwlock_ {
    uint64_t word;
    uint64_t spare[1];
    uint64_t magic;
    uint32_t writer;
    uint32_t shared;
    uint64_t unused;
    union {
        fw_rwlock lock;
        struct {
            uint64_t nothing;
            uint32_t kind;
        };
    };
};

/* A word that no fw_rwlock has, and that nobody can take. */
#define FW_POSIX_RWLOCK_ELSEWHERE_ UINT64_MAX

_Static_assert(sizeof(struct fw_posix_rwlock_) == sizeof(pthread_rwlock_t), "fits");
_Static_assert(_Alignof(struct fw_posix_rwlock_) <= _Alignof(pthread_rwlock_t), "fits");
_Static_assert(offsetof(struct fw_posix_rwlock_, kind) ==
                   offsetof(pthread_rwlock_t, __data.__flags),
               "initialisers of programs say so");
_Static_assert(offsetof(struct fw_posix_rwlock_, shared) ==
                   offsetof(pthread_rwlock_t, __data.__shared),
               "as the C library has it");

/*
 * pthread_rwlock_*, under names of our own.  Contracts: POSIX.1-2024, and the C library where that
 * goes further: EDEADLK for the writer that asks again, EINVAL for a bad deadline in any case, and
 * a lock may be released by any thread.  None is a cancellation point; none fails with EINTR.
 */
int fw_posix_rwlock_init_(pthread_rwlock_t *p, const pthread_rwlockattr_t *attr);
int fw_posix_rwlock_destroy_(pthread_rwlock_t *p);
int fw_posix_rwlock_tryrdlock_(pthread_rwlock_t *p);
int fw_posix_rwlock_rdlock_(pthread_rwlock_t *p);
int fw_posix_rwlock_timedrdlock_(pthread_rwlock_t *p, const struct timespec *at);
int fw_posix_rwlock_clockrdlock_(pthread_rwlock_t *p, clockid_t clock, const struct timespec *at);
int fw_posix_rwlock_trywrlock_(pthread_rwlock_t *p);
int fw_posix_rwlock_wrlock_(pthread_rwlock_t *p);
int fw_posix_rwlock_timedwrlock_(pthread_rwlock_t *p, const struct timespec *at);
int fw_posix_rwlock_clockwrlock_(pthread_rwlock_t *p, clockid_t clock, const struct timespec *at);
int fw_posix_rwlock_unlock_(pthread_rwlock_t *p);

/* The two that wait, with the place in the program that asks.  NULL: no deadline. */
enum fw_posix_rwlock_want_ { FW_POSIX_RWLOCK_READ, FW_POSIX_RWLOCK_WRITE };
int fw_posix_rwlock_lock_until_(pthread_rwlock_t *p, enum fw_posix_rwlock_want_ want,
                                const fw_deadline *deadline, const void *site);

int fw_posix_rwlockattr_init_(pthread_rwlockattr_t *a);
int fw_posix_rwlockattr_destroy_(pthread_rwlockattr_t *a);
int fw_posix_rwlockattr_getpshared_(const pthread_rwlockattr_t *a, int *shared);
int fw_posix_rwlockattr_setpshared_(pthread_rwlockattr_t *a, int shared);
int fw_posix_rwlockattr_getkind_(const pthread_rwlockattr_t *a, int *kind);
int fw_posix_rwlockattr_setkind_(pthread_rwlockattr_t *a, int kind);

/* The attributes, where the C library has them. */
struct fw_posix_rwlockattr_ {
    int kind;
    int shared;
};

_Static_assert(sizeof(struct fw_posix_rwlockattr_) <= sizeof(pthread_rwlockattr_t), "fits");

#endif
