/* SPDX-License-Identifier: MIT */
#include <stddef.h>

#include <furwock/futex.h>

#include "core/thread_state.h"
#include "sys/clock.h"
#include "sys/fork.h"
#include "sys/thread.h"

/* What is small is in one place, and in few bytes: static TLS is short (test/api/copies.c). */
static FW_STATIC_TLS struct {
    uint32_t number;  /* the next of fw_serial_ and fw_stamp_ */
    uint16_t calls;   /* of fw_one_in_ */
    uint8_t releases; /* seen by fw_is_overdue_ */
    uint8_t failures[FW_SPINS_];
    uint8_t waits[FW_SPINS_]; /* that did not spin */
} small;

/*
 * A thread takes this many numbers at once: the word that all have them from is in one cache line.
 */
#define NUMBERS_AT_ONCE 64u

static uint32_t next_number(void)
{
    static uint32_t of_all;

    if (small.number % NUMBERS_AT_ONCE == 0) /* the next would be another's */
        small.number = __atomic_add_fetch(&of_all, NUMBERS_AT_ONCE, __ATOMIC_RELAXED);
    return small.number++;
}

uint32_t fw_serial_(void)
{
    return next_number() & 0x7fffffu;
}

/* Odd, so that all stamps differ; large, so that they look like no number that a program has. */
#define STAMP_FACTOR UINT32_C(0x9e3779b1)

uint32_t fw_stamp_(void)
{
    uint32_t next;

    do
        next = next_number();
    while (next == 0);
    return next * STAMP_FACTOR;
}

bool fw_one_in_(uint32_t n)
{
    return ++small.calls % n == 0;
}

/* Half a millisecond, as in the promise that nobody starves: doc/design/mutex.md, "Greedy". */
#define OVERDUE_NS 500000u

/* A thread that has not looked for this long knows nothing about what happened in between. */
#define FORGOTTEN_NS (2u * OVERDUE_NS)

/* One release in this many looks at the clock. */
#define RELEASES_PER_LOOK 4u

bool fw_is_overdue_(const void *lock, bool is_waking)
{
    static FW_STATIC_TLS const void *seen; /* the lock, where a wake was under way */
    static FW_STATIC_TLS uint64_t since, last;
    uint64_t now;

    if (!is_waking) {
        seen = NULL;
        return false;
    }
    if (lock == seen && ++small.releases % RELEASES_PER_LOOK != 0)
        return false;
    now = fw_clock_ns_();
    if (lock != seen || now - last > FORGOTTEN_NS) {
        seen = lock;
        since = now;
    }
    last = now;
    if (now - since < OVERDUE_NS)
        return false;
    seen = NULL;
    return true;
}

/*
 * Where spinning has failed, it is tried again at one wait in WAITS_PER_TRIAL: doc/design/cond.md.
 */
#define WAITS_PER_TRIAL 128u /* a divisor of 256: counted in a byte */

/* Failures, less what has paid since; at this count it does not pay. */
static const uint8_t failures_max[FW_SPINS_] = {[FW_SPIN_WAKE_] = 1, [FW_SPIN_AHEAD_] = 8};

bool fw_spinning_pays_(enum fw_spin_ what)
{
    return small.failures[what] < failures_max[what] || ++small.waits[what] % WAITS_PER_TRIAL == 0;
}

void fw_spinning_ended_(enum fw_spin_ what, bool has_paid)
{
    if (!has_paid)
        small.failures[what] += small.failures[what] < failures_max[what];
    else if (small.failures[what] > 0)
        small.failures[what]--;
}

/*
 * What the thread will wake, and at the release of which lock; NULL: nothing.  In a forked child
 * the thread to wake does not exist, so a wake belongs to the process that has put it off.
 */
static FW_STATIC_TLS const void *later_lock;
static FW_STATIC_TLS const uint32_t *later_word;
static FW_STATIC_TLS uint32_t later_generation;

static bool has_later_wake(void)
{
    return later_lock != NULL && later_generation == fw_fork_generation_();
}

bool fw_wake_later_(const void *lock, const uint32_t *word)
{
    if (has_later_wake())
        return false;
    later_word = word;
    later_generation = fw_fork_generation_();
    __atomic_signal_fence(__ATOMIC_RELEASE); /* a handler may release other locks */
    later_lock = lock;
    return true;
}

void fw_wake_now_(const void *lock)
{
    if (later_lock != lock)
        return;
    later_lock = NULL;
    if (later_generation == fw_fork_generation_())
        fw_futex_wake(later_word, 1, FW_FUTEX_PRIVATE);
}
