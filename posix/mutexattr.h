/* SPDX-License-Identifier: MIT */
#ifndef FW_PRELOAD_MUTEXATTR_H
#define FW_PRELOAD_MUTEXATTR_H

#include <pthread.h>
#include <stdint.h>

/*
 * What a pthread_mutexattr_t is: one word, as the C library has it, which may have made it.
 *
 *   bits 0-11   the type, and FW_ATTR_NO_ELISION
 *   bits 12-23  the ceiling, 0: the lowest
 *   bits 28-29  the protocol
 *   bit 30      robust
 *   bit 31      process-shared
 */
struct fw_posix_mutexattr_ {
    uint32_t word;
};

_Static_assert(sizeof(struct fw_posix_mutexattr_) <= sizeof(pthread_mutexattr_t), "fits");

#define FW_ATTR_TYPE UINT32_C(0x00000fff)
#define FW_ATTR_CEILING UINT32_C(0x00fff000)
#define FW_ATTR_CEILING_SHIFT 12
#define FW_ATTR_PROTOCOL UINT32_C(0x30000000)
#define FW_ATTR_PROTOCOL_SHIFT 28
#define FW_ATTR_ROBUST UINT32_C(0x40000000)
#define FW_ATTR_SHARED UINT32_C(0x80000000)

/* In the type: it was set to normal, and so is not the default.  Only for the C library's eyes. */
#define FW_ATTR_NO_ELISION UINT32_C(0x200)

/* pthread_mutexattr_*. */
int fw_posix_mutexattr_init_(pthread_mutexattr_t *a);
int fw_posix_mutexattr_destroy_(pthread_mutexattr_t *a);
int fw_posix_mutexattr_gettype_(const pthread_mutexattr_t *a, int *type);
int fw_posix_mutexattr_settype_(pthread_mutexattr_t *a, int type);
int fw_posix_mutexattr_getpshared_(const pthread_mutexattr_t *a, int *shared);
int fw_posix_mutexattr_setpshared_(pthread_mutexattr_t *a, int shared);
int fw_posix_mutexattr_getrobust_(const pthread_mutexattr_t *a, int *robust);
int fw_posix_mutexattr_setrobust_(pthread_mutexattr_t *a, int robust);
int fw_posix_mutexattr_getprotocol_(const pthread_mutexattr_t *a, int *protocol);
int fw_posix_mutexattr_setprotocol_(pthread_mutexattr_t *a, int protocol);
int fw_posix_mutexattr_getprioceiling_(const pthread_mutexattr_t *a, int *ceiling);
int fw_posix_mutexattr_setprioceiling_(pthread_mutexattr_t *a, int ceiling);

#endif
