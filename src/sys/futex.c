/* SPDX-License-Identifier: MIT */
/*
 * The only futex system calls in the tree.  Contract and errors: furwock/futex.h.
 */
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <sys_call_arch.h>

#include <furwock/futex.h>

#include "sys/call_waitv.h"
#include "sys/clock.h"

_Static_assert(FW_FUTEX_ALL == INT_MAX, "the kernel counts waiters in an int");
_Static_assert(FW_FUTEX_ANY_BIT == FUTEX_BITSET_MATCH_ANY, "the kernel's set of all bits");

/* Flags of futex_waitv. */
enum { FUTEX_WORD_32 = 0x02, FUTEX_WORD_PRIVATE = FUTEX_PRIVATE_FLAG };

struct waitv_entry {
    uint64_t val;
    uint64_t uaddr;
    uint32_t flags;
    uint32_t reserved;
};

static int private_flag(unsigned flags)
{
    return flags == FW_FUTEX_SHARED ? 0 : FUTEX_PRIVATE_FLAG;
}

static int flags_are_valid(unsigned flags)
{
    return flags == FW_FUTEX_PRIVATE || flags == FW_FUTEX_SHARED;
}

/* The kernel refuses negative seconds; such a deadline passed long ago on either clock. */
static int is_before_the_epoch(const fw_deadline *d)
{
    return d != NULL && d->at.tv_sec < 0;
}

/* futex(2); value is a number or the address of a time. */
static int call(const uint32_t *word, int op, uint32_t n, long value, const uint32_t *other,
                uint32_t last)
{
    return (int)fw_system_call_(SYS_futex, (long)(intptr_t)word, op, n, value,
                                (long)(intptr_t)other, last);
}

int fw_futex_wait_bitset(const uint32_t *word, uint32_t expected, uint32_t bits, unsigned flags,
                         const fw_deadline *deadline)
{
    int op = FUTEX_WAIT_BITSET | private_flag(flags);
    const struct timespec *at = deadline != NULL ? &deadline->at : NULL;

    if (!flags_are_valid(flags) || !fw_deadline_is_valid_(deadline))
        return -EINVAL;
    if (is_before_the_epoch(deadline)) {
        static const struct timespec epoch = {0, 0};
        at = &epoch;
    }
    if (deadline != NULL && deadline->clock == CLOCK_REALTIME)
        op |= FUTEX_CLOCK_REALTIME;
    return call(word, op, expected, (long)(intptr_t)at, NULL, bits);
}

int fw_futex_wait(const uint32_t *word, uint32_t expected, unsigned flags,
                  const fw_deadline *deadline)
{
    return fw_futex_wait_bitset(word, expected, FW_FUTEX_ANY_BIT, flags, deadline);
}

int fw_futex_wake_bitset(const uint32_t *word, unsigned n, uint32_t bits, unsigned flags)
{
    int op = FUTEX_WAKE_BITSET | private_flag(flags);

    if (!flags_are_valid(flags) || n > FW_FUTEX_ALL)
        return -EINVAL;
    if (n == 0) /* the kernel would wake one */
        return 0;
    return call(word, op, n, 0, NULL, bits);
}

int fw_futex_wake(const uint32_t *word, unsigned n, unsigned flags)
{
    return fw_futex_wake_bitset(word, n, FW_FUTEX_ANY_BIT, flags);
}

int fw_futex_requeue(const uint32_t *from, unsigned n_wake, const uint32_t *to, unsigned n_move,
                     unsigned flags)
{
    int op = FUTEX_REQUEUE | private_flag(flags);

    if (!flags_are_valid(flags) || n_wake > FW_FUTEX_ALL || n_move > FW_FUTEX_ALL)
        return -EINVAL;
    return call(from, op, n_wake, (long)n_move, to, 0);
}

int fw_futex_cmp_requeue(const uint32_t *from, uint32_t expected, unsigned n_wake,
                         const uint32_t *to, unsigned n_move, unsigned flags)
{
    int op = FUTEX_CMP_REQUEUE | private_flag(flags);

    if (!flags_are_valid(flags) || n_wake > FW_FUTEX_ALL || n_move > FW_FUTEX_ALL)
        return -EINVAL;
    return call(from, op, n_wake, (long)n_move, to, expected);
}

/*
 * A thread may be cancelled in it.  AddressSanitizer would not notice that the frame is gone, and
 * take its surroundings for what must not be touched.
 */
__attribute__((no_sanitize("address"))) int fw_futex_wait_any(const fw_futex_any *words, unsigned n,
                                                              const fw_deadline *deadline)
{
    struct waitv_entry entries[FW_FUTEX_WAIT_ANY_MAX];
    struct timespec at = {0, 0};
    clockid_t clock = deadline != NULL ? deadline->clock : CLOCK_MONOTONIC;

    if (n == 0 || n > FW_FUTEX_WAIT_ANY_MAX || !fw_deadline_is_valid_(deadline))
        return -EINVAL;
    for (unsigned i = 0; i < n; i++) {
        if (!flags_are_valid(words[i].flags))
            return -EINVAL;
        entries[i] = (struct waitv_entry){
            .val = words[i].expected,
            .uaddr = (uintptr_t)words[i].word,
            .flags = FUTEX_WORD_32 |
                     (words[i].flags == FW_FUTEX_PRIVATE ? (uint32_t)FUTEX_WORD_PRIVATE : 0),
        };
    }
    if (deadline != NULL && !is_before_the_epoch(deadline))
        at = deadline->at;
    return (int)fw_system_call_(FW_CALL_FUTEX_WAITV_, (long)(intptr_t)entries, n, 0,
                                deadline != NULL ? (long)(intptr_t)&at : 0, clock, 0);
}
