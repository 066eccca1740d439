/* SPDX-License-Identifier: MIT */
#ifndef FW_PRELOAD_OBJECT_H
#define FW_PRELOAD_OBJECT_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <furwock/mutex.h>

#include "foreign.h"

/*
 * What a pthread_mutex_t is made of here.  The kind, and all that other processes or the kernel may
 * see, is where the C library has it: static initialisers are bytes in programs that were compiled
 * long ago, and a mutex may be shared with a process that runs without this library.
 *
 *   byte        0        4        8       12      16     20     24 ........ 40
 *   private     [ fw_mutex      ]  -      users   kind   count  site, late
 *   the others  word     count    owner   users   kind   -      robust list (two pointers)
 *
 *   kind    FW_KIND_*, below
 *   users   private: how many wait on a condition variable and will want the mutex back; guarded by
 *           the mutex.  The others: as the C library counts, one for the owner as well.
 *   count   how often a recursive mutex is held beyond what the word says
 *   owner   thread id, 0: nobody
 *   site    where the owner took it, kept only by the library that counts (fw_stat.h)
 *   late    of src/thread/mutex_requeue.h: a wake that the next release is to make, 0: none
 */
struct fw_posix_mutex_ {
    union {
        fw_mutex lock;
        struct {
            uint32_t word;
            uint32_t shared_count;
        };
    };
    uint32_t owner;
    uint32_t users;
    int32_t kind;
    uint32_t count;
    union {
        struct {
            void *prev; /* glibc's list: the kernel's link is the second pointer */
            void *next;
        };
        struct {
            const void *site;
            uint64_t late;
        };
    };
};

_Static_assert(sizeof(struct fw_posix_mutex_) <= sizeof(pthread_mutex_t), "fits");
_Static_assert(_Alignof(struct fw_posix_mutex_) <= _Alignof(pthread_mutex_t), "fits");

/*
 * The kind, in the C library's numbers: the type in the two lowest bits, and what else there is.
 * Bits that the C library uses for what does not concern us (lock elision) are ignored.
 */
#define FW_KIND_NORMAL 0
#define FW_KIND_RECURSIVE 1
#define FW_KIND_ERRORCHECK 2
#define FW_KIND_ADAPTIVE 3
#define FW_KIND_TYPE 3
#define FW_KIND_ROBUST 16
#define FW_KIND_INHERIT 32
#define FW_KIND_PROTECT 64
#define FW_KIND_SHARED 128
#define FW_KIND_SPECIAL (FW_KIND_ROBUST | FW_KIND_INHERIT | FW_KIND_PROTECT | FW_KIND_SHARED)

static inline int fw_kind_type_(int kind)
{
    return kind & FW_KIND_TYPE;
}

/* Private, neither robust nor with a protocol: an fw_mutex. */
static inline bool fw_kind_is_plain_(int kind)
{
    return (kind & FW_KIND_SPECIAL) == 0;
}

/* Which of the files mutex_*.c it belongs to.  What inherits or protects may be robust or shared
 * as well; what is robust may be shared. */
enum fw_family_ {
    FW_FAMILY_PLAIN,   /* mutex.c */
    FW_FAMILY_SHARED,  /* mutex_shared.c */
    FW_FAMILY_ROBUST,  /* mutex_robust.c */
    FW_FAMILY_INHERIT, /* mutex_pi.c */
    FW_FAMILY_PROTECT  /* mutex_protect.c */
};

static inline enum fw_family_ fw_family_of_(int kind)
{
    if (fw_kind_is_plain_(kind))
        return FW_FAMILY_PLAIN;
    if ((kind & FW_KIND_INHERIT) != 0)
        return FW_FAMILY_INHERIT;
    if ((kind & FW_KIND_PROTECT) != 0)
        return FW_FAMILY_PROTECT;
    return (kind & FW_KIND_ROBUST) != 0 ? FW_FAMILY_ROBUST : FW_FAMILY_SHARED;
}

static inline struct fw_posix_mutex_ *fw_posix_mutex_(pthread_mutex_t *m)
{
    return (struct fw_posix_mutex_ *)m;
}

#endif
