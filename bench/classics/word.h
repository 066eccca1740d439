/* SPDX-License-Identifier: MIT */
#ifndef FW_CLASSICS_WORD_H
#define FW_CLASSICS_WORD_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

#include <furwock/futex.h>

#include "kernel_device.h"
#include "sys/panic.h"

/*
 * What the published locks do with their words.
 *
 * Both papers assume sequential consistency: that of 2002 writes for CPUs whose atomic
 * instructions are full barriers, that of 2016 says so (section 2.1).  So does every operation
 * here: sc_ stands for sequentially consistent.
 *
 * The papers' futex calls work between processes; private ones did not exist before 2007.  They
 * cost less, and today's locks between threads use them, so each lock here says beside its word who
 * uses it.  Zeroes are the lock as published.  With the papers' own kernel service (furwock.ko) in
 * place of Linux's, a lock says that there: between processes, or between threads.
 */
enum classic_scope {
    CLASSIC_SHARED = 0,
    CLASSIC_PRIVATE = 1,
    CLASSIC_KERNEL = 2,
    CLASSIC_KERNEL_PRIVATE = 3
};

static inline bool scope_is_kernel(uint32_t scope)
{
    return scope >= CLASSIC_KERNEL;
}

static inline uint32_t scope_kernel_flags(uint32_t scope)
{
    return scope == CLASSIC_KERNEL_PRIVATE ? FW_KERNEL_PRIVATE : 0;
}

static inline unsigned scope_flags(uint32_t scope)
{
    return scope == CLASSIC_PRIVATE ? FW_FUTEX_PRIVATE : FW_FUTEX_SHARED;
}

static inline uint32_t sc_load(const uint32_t *word)
{
    return __atomic_load_n(word, __ATOMIC_SEQ_CST);
}

static inline void sc_store(uint32_t *word, uint32_t value)
{
    __atomic_store_n(word, value, __ATOMIC_SEQ_CST);
}

/* The next two return the value before; addition and subtraction wrap around. */
static inline uint32_t sc_exchange(uint32_t *word, uint32_t value)
{
    return __atomic_exchange_n(word, value, __ATOMIC_SEQ_CST);
}

static inline uint32_t sc_fetch_add(uint32_t *word, uint32_t n)
{
    return __atomic_fetch_add(word, n, __ATOMIC_SEQ_CST);
}

static inline uint32_t sc_fetch_sub(uint32_t *word, uint32_t n)
{
    return __atomic_fetch_sub(word, n, __ATOMIC_SEQ_CST);
}

/* A failure stores what was seen in *expected, and is never spurious. */
static inline bool sc_cas(uint32_t *word, uint32_t *expected, uint32_t value)
{
    return __atomic_compare_exchange_n(word, expected, value, false, __ATOMIC_SEQ_CST,
                                       __ATOMIC_SEQ_CST);
}

/*
 * FUTEX_WAIT: sleeps while *word == expected.  True: "a successful return" (section 3.1.4), a
 * wake was meant for the word.  False: the word had another value, or a signal handler ran.
 * Either way the caller looks at the word again.
 */
static inline bool word_sleep(const uint32_t *word, uint32_t expected, uint32_t scope)
{
    int result = scope_is_kernel(scope)
                     ? kernel_device_wait(FW_KERNEL_WAIT, word, expected, scope_kernel_flags(scope),
                                          FW_KERNEL_NEVER)
                     : fw_futex_wait(word, expected, scope_flags(scope), NULL);
    if (result != 0 && result != -EAGAIN && result != -EINTR)
        fw_panic_errno_("wait in a classic lock", -result);
    return result == 0;
}

/*
 * FUTEX_WAKE: wakes the n longest sleepers, and tells how many there were.  The next owner may have
 * unmapped the word since it was released: -EFAULT then, and nobody to wake.  For that reason, too,
 * an unlock reads the scope before it releases.
 */
static inline uint32_t word_wake(const uint32_t *word, uint32_t n, uint32_t scope)
{
    int result = scope_is_kernel(scope)
                     ? kernel_device_wake(FW_KERNEL_WAKE, word, n, scope_kernel_flags(scope), 0)
                     : fw_futex_wake(word, n, scope_flags(scope));
    if (result < 0 && result != -EFAULT)
        fw_panic_errno_("wake in a classic lock", -result);
    return result > 0 ? (uint32_t)result : 0;
}

/* The same for one; was there one? */
static inline bool word_wake_one(const uint32_t *word, uint32_t scope)
{
    return word_wake(word, 1, scope) != 0;
}

#endif
