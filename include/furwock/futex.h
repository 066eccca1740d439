/* SPDX-License-Identifier: MIT */
#ifndef FURWOCK_FUTEX_H
#define FURWOCK_FUTEX_H

#include <stdint.h>

#include <furwock/bits/api.h>
#include <furwock/bits/deadline.h>

FW_BEGIN_DECLS

/*
 * futex: sleep on a 32-bit word, and wake its sleepers.
 *
 * This is the public face of furwock's kernel boundary, the service of Franke, Russell and
 * Kirkwood, "Fuss, Futexes and Furwocks" (OLS 2002), section 3.1.3, as Linux has it today.
 * Furwock's own locks use these calls and no others.
 *
 * Rules
 *  - A word is 32 bits wide and aligned to 4 bytes.
 *  - A wait compares and goes to sleep in one step: it sleeps only if the word still has the value
 *    that the caller expects.
 *  - A wait may end without a wake (a "spurious" wake): the memory of a lock that was freed may
 *    have been reused, and then a late wake reaches the new user. Always check the word again, in a
 *    loop.
 *  - FW_FUTEX_PRIVATE words are for the threads of one process, FW_FUTEX_SHARED ones may lie in
 *    memory that several processes map.  Waiters and wakers must agree.
 *
 * Errors are negative errno values; errno itself is not touched.  All calls are async-signal-safe,
 * work in a forked child, and are not cancellation points.
 *
 * Example: wait until a flag is non-zero, or until the deadline `d`
 *
 *     static uint32_t flag;
 *
 *     int await_flag(const fw_deadline *d)
 *     {
 *         while (__atomic_load_n(&flag, __ATOMIC_ACQUIRE) == 0)
 *             if (fw_futex_wait(&flag, 0, FW_FUTEX_PRIVATE, d) == -ETIMEDOUT)
 *                 return ETIMEDOUT;
 *         return 0;
 *     }
 *
 *     void raise_flag(void)
 *     {
 *         __atomic_store_n(&flag, 1, __ATOMIC_RELEASE);
 *         fw_futex_wake(&flag, FW_FUTEX_ALL, FW_FUTEX_PRIVATE);
 *     }
 */
enum { FW_FUTEX_PRIVATE = 0, FW_FUTEX_SHARED = 1 };

/* As a number of waiters: all of them. */
#define FW_FUTEX_ALL 0x7fffffff

/* As a set of bits: matches every waiter. */
#define FW_FUTEX_ANY_BIT 0xffffffffu

/* Most words that fw_futex_wait_any() takes. */
#define FW_FUTEX_WAIT_ANY_MAX 128

/*
 * Sleeps while *word == expected, until woken or until the deadline (NULL: none).
 *   0           woken, or spurious
 *   -EAGAIN     *word was not `expected`
 *   -EINTR      a signal handler ran; not without a deadline if it was installed with SA_RESTART
 *   -ETIMEDOUT  the deadline passed
 *   -EINVAL     misaligned word, bad flags, clock or tv_nsec
 *   -EFAULT     the word cannot be read
 */
FW_API int fw_futex_wait(const uint32_t *word, uint32_t expected, unsigned flags,
                         const fw_deadline *deadline);

/*
 * Sleeps as fw_futex_wait, woken only by wakes that share a bit with `bits`.  -EINVAL also if bits
 * is 0.
 */
FW_API int fw_futex_wait_bitset(const uint32_t *word, uint32_t expected, uint32_t bits,
                                unsigned flags, const fw_deadline *deadline);

/*
 * Wakes at most n waiters, the longest waiting first (among equal priorities).
 *   >= 0     how many were woken
 *   -EINVAL  misaligned word, bad flags, n above FW_FUTEX_ALL
 *   -EFAULT  no such memory (a private word is looked up by address only: freed memory is no error)
 */
FW_API int fw_futex_wake(const uint32_t *word, unsigned n, unsigned flags);

/*
 * Wakes at most n of the waiters whose bits overlap with `bits`, as fw_futex_wake.  -EINVAL also
 * if bits is 0.
 */
FW_API int fw_futex_wake_bitset(const uint32_t *word, unsigned n, uint32_t bits, unsigned flags);

/*
 * Wakes at most n_wake of the waiters on `from`, then requeues at most n_move others to `to`,
 * where they go on sleeping.
 *   >= 0               how many were woken or moved
 *   -EINVAL, -EFAULT   as for fw_futex_wake
 */
FW_API int fw_futex_requeue(const uint32_t *from, unsigned n_wake, const uint32_t *to,
                            unsigned n_move, unsigned flags);

/*
 * Wakes and moves waiters as fw_futex_requeue, if *from is `expected`; else -EAGAIN: none was
 * woken or moved.
 */
FW_API int fw_futex_cmp_requeue(const uint32_t *from, uint32_t expected, unsigned n_wake,
                                const uint32_t *to, unsigned n_move, unsigned flags);

/* One word of a wait for any of several. */
typedef struct fw_futex_any {
    const uint32_t *word;
    uint32_t expected;
    unsigned flags;
} fw_futex_any;

/*
 * Sleeps until one of n words is woken (Linux 5.16 and later: futex_waitv).
 *   >= 0        the index of a word that was woken
 *   -EAGAIN     one of the words did not have its expected value
 *   -EINTR, -ETIMEDOUT, -EFAULT as above
 *   -EINVAL     n is 0 or above FW_FUTEX_WAIT_ANY_MAX, or as above
 *   -ENOSYS     the kernel is too old
 *   -ENOMEM     the kernel has no memory for the wait
 */
FW_API int fw_futex_wait_any(const fw_futex_any *words, unsigned n, const fw_deadline *deadline);

FW_END_DECLS

#endif
