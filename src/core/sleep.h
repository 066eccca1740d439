/* SPDX-License-Identifier: MIT */
#ifndef FW_CORE_SLEEP_H
#define FW_CORE_SLEEP_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

#include <furwock/bits/deadline.h>
#include <furwock/futex.h>

#include "core/recheck.h"
#include "sys/back_off.h"
#include "sys/cancel.h"
#include "sys/clock.h"
#include "sys/panic.h"

/*
 * Sleeping on a word: what every wait comes to in the end, after spinning (wait.h) or without it.
 * Outside of src/core nobody calls the kernel's waits.  The results are
 *   0           woken, or a spurious wake
 *   -EAGAIN     the word is not as expected
 *   -EINTR      a signal handler ran, or a re-check interval has passed: look again
 *   -ETIMEDOUT  the deadline has passed
 * Anything else that the kernel may say is a panic.
 */
static inline int fw_sleep_result_(int error)
{
    if (error < 0 && error != -EAGAIN && error != -EINTR && error != -ETIMEDOUT)
        fw_panic_errno_("futex wait", -error);
    return error;
}

/* Sleeps until woken, or until the deadline.  flags: FW_FUTEX_PRIVATE or FW_FUTEX_SHARED. */
static inline int fw_sleep_(const uint32_t *word, uint32_t expected, unsigned flags,
                            const fw_deadline *deadline)
{
    return fw_sleep_result_(fw_futex_wait(word, expected, flags, deadline));
}

/*
 * The same as a cancellation point: on_cancel(arg) is called if the thread is cancelled, and the
 * call does not return then.
 */
static inline int fw_sleep_cancellable_(const uint32_t *word, uint32_t expected, unsigned flags,
                                        const fw_deadline *deadline, void (*on_cancel)(void *),
                                        void *arg)
{
    return fw_sleep_result_(fw_futex_wait_cancellable_(word, expected, FW_FUTEX_ANY_BIT, flags,
                                                       deadline, on_cancel, arg));
}

/* For several words: the kernel has no memory, or no such call, or a filter refuses it. */
static inline bool fw_cannot_sleep_any_(int error)
{
    return error == -ENOMEM || error == -ENOSYS || error == -EPERM;
}

/* Sleeps on n words at once: >= 0: one of which was woken, or as above, or fw_cannot_sleep_any_. */
static inline int fw_sleep_any_(const fw_futex_any *words, unsigned n, const fw_deadline *deadline)
{
    int result = fw_futex_wait_any(words, n, deadline);

    return fw_cannot_sleep_any_(result) ? result : fw_sleep_result_(result);
}

/* The same on words of which one may be gone: also -EFAULT. */
static inline int fw_sleep_any_gone_(const fw_futex_any *words, unsigned n,
                                     const fw_deadline *deadline)
{
    int result = fw_futex_wait_any(words, n, deadline);

    return fw_cannot_sleep_any_(result) || result == -EFAULT ? result : fw_sleep_result_(result);
}

/* The same as a cancellation point. */
static inline int fw_sleep_any_cancellable_(const fw_futex_any *words, unsigned n,
                                            const fw_deadline *deadline, void (*on_cancel)(void *),
                                            void *arg)
{
    int result = fw_futex_wait_any_cancellable_(words, n, deadline, on_cancel, arg);

    return fw_cannot_sleep_any_(result) ? result : fw_sleep_result_(result);
}

/*
 * Words `from` to `to` - 1 of a table are compared once more, behind the n that it has: as futexes
 * of the process, on which nobody is woken.  As far as there is room for `most` words; how many the
 * table has then.
 */
static inline uint32_t fw_compare_again_(fw_futex_any *words, uint32_t from, uint32_t to,
                                         uint32_t n, uint32_t most)
{
    for (uint32_t i = from; i < to && n < most; i++)
        words[n++] = (fw_futex_any){words[i].word, words[i].expected, FW_FUTEX_PRIVATE};
    return n;
}

/* Sleeps until the deadline, whoever wakes whom; NULL: for good. */
static inline void fw_sleep_until_(const fw_deadline *deadline)
{
    static const uint32_t nobody_wakes;

    while (fw_sleep_(&nobody_wakes, 0, FW_FUTEX_PRIVATE, deadline) != -ETIMEDOUT)
        ;
}

/*
 * A wait that sleeps for a bounded time and checks for itself, because the process that was to wake
 * it may have been killed: `recheck_ns` is the first interval (recheck.h), and then the present.
 */
struct fw_bounded_sleep_ {
    unsigned flags;
    uint64_t recheck_ns;
    const fw_deadline *deadline;
};

/* The next interval ends now, or earlier with the deadline. */
static inline fw_deadline fw_bounded_end_(const struct fw_bounded_sleep_ *s)
{
    return fw_deadline_recheck_(s->deadline, s->recheck_ns);
}

/* What the kernel said about an interval. */
static inline int fw_bounded_result_(struct fw_bounded_sleep_ *s, int error)
{
    s->recheck_ns = fw_recheck_after_(s->recheck_ns, error, s->deadline);
    if (error == -ETIMEDOUT && !fw_deadline_is_over_(s->deadline))
        return -EINTR;
    return fw_sleep_result_(error);
}

/* Sleeps for one interval at most; woken only by wakes that share a bit with `bits`. */
static inline int fw_sleep_bounded_(struct fw_bounded_sleep_ *s, const uint32_t *word,
                                    uint32_t expected, uint32_t bits)
{
    fw_deadline end = fw_bounded_end_(s);
    /* F:sleep-unbounded */
    int error = fw_futex_wait_bitset(word, expected, bits, s->flags, &end);

    return fw_bounded_result_(s, error);
}

/* The same as a cancellation point; also returns -EFAULT: the word is gone. */
static inline int fw_sleep_bounded_cancellable_(struct fw_bounded_sleep_ *s, const uint32_t *word,
                                                uint32_t expected, uint32_t bits,
                                                void (*on_cancel)(void *), void *arg)
{
    fw_deadline end = fw_bounded_end_(s);
    int error = fw_futex_wait_cancellable_(word, expected, bits, s->flags, &end, on_cancel, arg);

    return error == -EFAULT ? error : fw_bounded_result_(s, error);
}

#endif
