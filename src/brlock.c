/* SPDX-License-Identifier: MIT */
/*
 * fw_brlock.  Contract: furwock/brlock.h.  Reasons, proofs and figures: doc/brlock.md.
 *
 * Origin: the big-reader lock of Linux 2.4 (a lock word per processor, of which a writer takes
 * all), and the reader side of its successor percpu-rwsem.  Counting inside a restartable sequence,
 * and closing all counters by one word and a fence, are ours.
 *
 * Readers count themselves in counters, one per processor (where there are any: sys/percpu.h), and
 * in stripes, by an atomic instruction.  A lock with counters has one stripe, for what cannot be
 * done in a sequence; a lock without has several, and a thread always uses the same.
 *
 * gate           meaning                      who may leave it, and how
 * -------------  ---------------------------  ------------------------------------------------------
 * 0              open: readers come and go    a thread that has the mutex: closes
 * id             closed by a writer           id: opens; a reader: adds SLEEPERS
 * id, SLEEPERS   closed, readers sleep here   id: opens, and wakes them all
 *
 * stripe         meaning                      who may leave it, and how
 * -------------  ---------------------------  ------------------------------------------------------
 * n              n readers more than have     a reader: +1, -1; a writer that has closed the gate:
 *                left here                    CLOSED, + what the counters had
 * n, CLOSED      a writer waits until n is 0  a reader: -1, or +1 and -1 at once; the writer: opens
 *
 * Legal:   SLEEPERS set when nobody sleeps; n above the number of readers while somebody who must
 *          not come in goes back (it wakes the writer, if that is asleep).
 * Illegal: to change a counter while the gate is closed, unless by the closer after the fence; to
 *          take back on another stripe than the one that was tried; to sleep at the gate without
 *          SLEEPERS.
 *
 * B1  The gate and CLOSED are set and cleared only by the holder of the mutex: in the order gate,
 *     counters, CLOSED, and back in the order CLOSED, gate.
 * B2  After the gate was closed and the fence has returned, no reader changes a counter until the
 *     gate is opened.
 * B3  Modulo 2^31, counters and stripes together count the readers inside and those who tried and
 *     will go back; without counters, each stripe does so for the threads that use it.
 * B4  So, where all counters are 0 and closed, and each stripe is 0 and CLOSED, nobody reads; and
 *     until CLOSED is cleared nobody will.
 * B5  After the instruction that lets others go on, a release does not touch the lock's memory (a
 *     wake uses the address only) or holds the mutex, which destroy takes.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <furwock/brlock.h>
#include <furwock/futex.h>
#include <furwock/mutex.h>

#include "sys/clock.h"
#include "sys/panic.h"
#include "sys/percpu.h"
#include "sys/processors.h"
#include "sys/thread.h"
#include "wait.h"

/* The gate: an identity, whose lowest byte is 1, and this. */
#define GATE_SLEEPERS UINT32_C(2)

/* A stripe: one bit and a count of 31. */
#define STRIPE_CLOSED UINT32_C(1)
#define STRIPE_READER UINT32_C(2)

#define LINE FW_PERCPU_STRIDE

/* A writer visits all stripes: 4 KiB of them, on machines with 32 processors and more. */
#define STRIPES_MAX 64u

#define COLD __attribute__((cold, noinline))

struct stripe {
    uint32_t word;
} __attribute__((aligned(LINE)));

/* What a lock has allocated; the counters lie behind the stripes. */
struct fw_brlock_lines_ {
    fw_mutex writers;
    uint32_t stripes; /* a power of two; 1 where there are counters */
    struct stripe stripe[] __attribute__((aligned(LINE)));
};

_Static_assert((FW_ID_HELD & GATE_SLEEPERS) == 0, "told apart");
_Static_assert(GATE_SLEEPERS < 1u << FW_ID_SHIFT, "beside the number");
_Static_assert(sizeof(struct stripe) == LINE, "one line each");
_Static_assert(sizeof(struct fw_brlock_lines_) == LINE, "the mutex has a line of its own");
_Static_assert(sizeof(fw_brlock) == 16, "small enough to lie anywhere");

static bool is_closed(uint32_t gate)
{
    return gate != 0;
}

static uint32_t closer_of(uint32_t gate)
{
    return gate & ~GATE_SLEEPERS;
}

static bool has_readers(uint32_t stripe)
{
    return stripe >= STRIPE_READER;
}

/* Does this release leave a closed stripe empty? */
static bool was_last(uint32_t stripe)
{
    return stripe == (STRIPE_READER | STRIPE_CLOSED);
}

static bool has_counters(const fw_brlock *l)
{
    return l->counters_ != 0;
}

/* Only for a lock with counters, which has one stripe. */
static void *counters_of(const fw_brlock *l)
{
    return &l->lines_->stripe[1];
}

static uint32_t *counter_at(const fw_brlock *l, uint32_t i)
{
    return (uint32_t *)((char *)counters_of(l) + (size_t)i * FW_PERCPU_STRIDE);
}

/* The same at every call of a thread, all its life. */
static uint32_t *stripe_of_self(const fw_brlock *l)
{
    uint32_t i = has_counters(l) ? 0 : fw_self_() >> FW_ID_SHIFT & (l->lines_->stripes - 1);

    return &l->lines_->stripe[i].word;
}

/* --- Readers ------------------------------------------------------------------------------- */

/* n -> n - 1; n, CLOSED -> n - 1, CLOSED, and the last one wakes the writer (B5). */
static void leave_stripe(const fw_brlock *l, uint32_t *stripe)
{
    bool exact = !has_counters(l);
    uint32_t seen = fw_add32_release(stripe, -STRIPE_READER);

    if (was_last(seen))
        fw_futex_wake(stripe, 1, FW_FUTEX_PRIVATE);
    else if (!has_readers(seen) && (exact || (seen & STRIPE_CLOSED) != 0))
        fw_panic_("read lock released that nobody holds", l, fw_self_(), 0);
}

/* n -> n + 1; n, CLOSED -> n + 1, CLOSED -> n, CLOSED. */
static bool enter_stripe(fw_brlock *l)
{
    uint32_t *stripe = stripe_of_self(l);

    if ((fw_add32_acquire(stripe, STRIPE_READER) & STRIPE_CLOSED) == 0)
        return true;
    leave_stripe(l, stripe);
    return false;
}

/* False where the lock is closed. */
static inline bool enter(fw_brlock *l)
{
    if (has_counters(l)) {
        if (fw_percpu_add_(&l->gate_, counters_of(l), l->counters_, 1))
            return true;
        if (is_closed(fw_load32_relaxed(&l->gate_)))
            return false;
    }
    return enter_stripe(l);
}

/* Waits for its turn among the writers, for whom the gate is open before they close it (B1). */
static int enter_in_line(fw_brlock *l, const fw_wait_policy *policy, const fw_deadline *deadline)
{
    int error = fw_mutex_lock_policy(&l->lines_->writers, policy, deadline);

    if (error != 0)
        return error;
    if (!enter(l))
        fw_panic_("read-write lock closed by nobody", l, fw_self_(), l->gate_);
    fw_mutex_unlock(&l->lines_->writers);
    return 0;
}

/* id -> id, SLEEPERS; and asleep until the gate is opened. */
static int sleep_at_gate(fw_brlock *l, struct fw_wait_ *w, uint32_t gate)
{
    uint32_t wanted = gate | GATE_SLEEPERS;

    if (!is_closed(gate))
        return -EAGAIN;
    if (gate != wanted && !fw_cas32_relaxed(&l->gate_, &gate, wanted))
        return -EAGAIN;
    return fw_wait_sleep_(w, &l->gate_, wanted, FW_FUTEX_ANY_BIT, 0);
}

COLD static int rdlock_slow(fw_brlock *l, const fw_wait_policy *policy, const fw_deadline *deadline)
{
    struct fw_wait_ w;
    uint32_t gate = fw_load32_relaxed(&l->gate_);
    bool has_slept = false;
    int error;

    if (closer_of(gate) == fw_self_())
        fw_panic_("read lock asked for by the writer", l, fw_self_(), closer_of(gate));
    error = fw_wait_begin_(&w, policy, deadline);
    if (error != 0)
        return error;
    if (fw_wait_is_over_(&w))
        return ETIMEDOUT;
    for (;;) {
        gate = fw_load32_relaxed(&l->gate_);
        if (!is_closed(gate) && enter(l))
            return 0;
        if (fw_wait_poll_(&w))
            continue;
        if (has_slept) /* one writer has gone, and here is another */
            return enter_in_line(l, policy, deadline);
        error = sleep_at_gate(l, &w, gate);
        if (error == -ETIMEDOUT)
            return enter(l) ? 0 : ETIMEDOUT;
        if (error != -EAGAIN)
            fw_wait_again_(&w);
        has_slept = error == 0;
    }
}

int fw_brlock_tryrdlock(fw_brlock *l)
{
    return enter(l) ? 0 : EBUSY;
}

void fw_brlock_rdlock(fw_brlock *l)
{
    if (__builtin_expect(!enter(l), 0))
        rdlock_slow(l, NULL, NULL); /* cannot fail: no deadline, and the default policy is valid */
}

int fw_brlock_timedrdlock(fw_brlock *l, const fw_deadline *deadline)
{
    return fw_brlock_rdlock_policy(l, NULL, deadline);
}

int fw_brlock_rdlock_policy(fw_brlock *l, const fw_wait_policy *policy, const fw_deadline *deadline)
{
    return __builtin_expect(enter(l), 1) ? 0 : rdlock_slow(l, policy, deadline);
}

void fw_brlock_rdunlock(fw_brlock *l)
{
    if (has_counters(l) &&
        __builtin_expect(fw_percpu_add_(&l->gate_, counters_of(l), l->counters_, -UINT32_C(1)), 1))
        return;
    leave_stripe(l, stripe_of_self(l));
}

/* --- Writers ------------------------------------------------------------------------------- */

/* Where there are counters: sends readers elsewhere, and returns how many are inside (B2). */
static uint32_t close_counters(fw_brlock *l)
{
    uint32_t readers = 0;
    int error;

    while ((error = fw_percpu_fence_()) == -ENOMEM)
        fw_yield_();
    if (error != 0)
        fw_panic_errno_("big-reader lock: membarrier is refused", -error);
    for (uint32_t i = 0; i < l->counters_; i++) {
        uint32_t *counter = counter_at(l, i);
        uint32_t n = fw_load32_relaxed(counter);

        readers += n;
        if (n != 0)
            fw_store32_relaxed(counter, 0);
    }
    return readers;
}

/* 0 -> id; then n -> n + what the counters had, CLOSED.  The caller has the mutex. */
static void close_gate(fw_brlock *l)
{
    uint32_t readers = 0;

    fw_store32_relaxed(&l->gate_, fw_self_());
    if (has_counters(l))
        readers = close_counters(l);
    for (uint32_t i = 0; i < l->lines_->stripes; i++) {
        fw_add32_acq_rel(&l->lines_->stripe[i].word, readers * STRIPE_READER + STRIPE_CLOSED);
        readers = 0;
    }
}

/* n, CLOSED -> n; then id -> 0, and wakes those who sleep there. */
static void open_gate(fw_brlock *l)
{
    for (uint32_t i = 0; i < l->lines_->stripes; i++)
        fw_add32_release(&l->lines_->stripe[i].word, -STRIPE_CLOSED);
    if ((fw_xchg32_release(&l->gate_, 0) & GATE_SLEEPERS) != 0)
        fw_futex_wake(&l->gate_, FW_FUTEX_ALL, FW_FUTEX_PRIVATE);
}

/* Waits until nobody is counted in a closed stripe, or the time is over. */
static int drain_stripe(const uint32_t *stripe, struct fw_wait_ *w)
{
    uint32_t seen;
    int error;

    while (has_readers(seen = fw_load32_acquire(stripe))) {
        if (fw_wait_poll_(w))
            continue;
        error = fw_wait_sleep_(w, stripe, seen, FW_FUTEX_ANY_BIT, 0);
        if (error == -ETIMEDOUT)
            return has_readers(fw_load32_acquire(stripe)) ? ETIMEDOUT : 0;
        if (error != -EAGAIN)
            fw_wait_again_(w);
    }
    return 0;
}

/* Is anybody inside?  Exact where the lock is closed; else, whoever is seen was inside just now. */
static bool is_read(const fw_brlock *l)
{
    uint32_t readers = 0;

    for (uint32_t i = 0; i < l->counters_; i++)
        readers += fw_load32_relaxed(counter_at(l, i));
    readers *= STRIPE_READER;
    for (uint32_t i = 0; i < l->lines_->stripes; i++)
        readers += fw_load32_acquire(&l->lines_->stripe[i].word) & ~STRIPE_CLOSED;
    return readers != 0;
}

/* Waits for the readers inside (B4). */
static int drain(fw_brlock *l, const fw_wait_policy *policy, const fw_deadline *deadline)
{
    struct fw_wait_ w;
    int error;

    if (!is_read(l))
        return 0;
    error = fw_wait_begin_(&w, policy, deadline);
    if (error == 0 && fw_wait_is_over_(&w))
        error = ETIMEDOUT;
    for (uint32_t i = 0; i < l->lines_->stripes && error == 0; i++)
        error = drain_stripe(&l->lines_->stripe[i].word, &w);
    return error;
}

static void give_up(fw_brlock *l)
{
    open_gate(l);
    fw_mutex_unlock(&l->lines_->writers);
}

int fw_brlock_trywrlock(fw_brlock *l)
{
    if (is_closed(fw_load32_relaxed(&l->gate_)) || is_read(l))
        return EBUSY;
    if (fw_mutex_trylock(&l->lines_->writers) != 0)
        return EBUSY;
    close_gate(l);
    if (!is_read(l))
        return 0;
    give_up(l);
    return EBUSY;
}

void fw_brlock_wrlock(fw_brlock *l)
{
    fw_brlock_wrlock_policy(l, NULL, NULL);
}

int fw_brlock_timedwrlock(fw_brlock *l, const fw_deadline *deadline)
{
    return fw_brlock_wrlock_policy(l, NULL, deadline);
}

int fw_brlock_wrlock_policy(fw_brlock *l, const fw_wait_policy *policy, const fw_deadline *deadline)
{
    uint32_t gate = fw_load32_relaxed(&l->gate_);
    int error;

    if (closer_of(gate) == fw_self_())
        fw_panic_("write lock asked for again by its owner", l, fw_self_(), closer_of(gate));
    error = fw_mutex_lock_policy(&l->lines_->writers, policy, deadline);
    if (error != 0)
        return error;
    close_gate(l);
    error = drain(l, policy, deadline);
    if (error != 0)
        give_up(l);
    return error;
}

void fw_brlock_wrunlock(fw_brlock *l)
{
    uint32_t gate = fw_load32_relaxed(&l->gate_);

    if (closer_of(gate) != fw_self_())
        fw_panic_("write lock released by a thread that does not own it", l, fw_self_(),
                  closer_of(gate));
    open_gate(l);
    fw_mutex_unlock(&l->lines_->writers);
}

pid_t fw_brlock_owner(const fw_brlock *l)
{
    return fw_id_number_(fw_load32_relaxed(&l->gate_));
}

/* --- From birth to death ------------------------------------------------------------------- */

/* Enough that threads which run at the same time seldom share one. */
static uint32_t stripes_wanted(void)
{
    uint32_t n = 1;

    while (n < 2 * fw_processors_() && n < STRIPES_MAX)
        n *= 2;
    return n;
}

int fw_brlock_init(fw_brlock *l)
{
    uint32_t counters = fw_percpu_count_();
    uint32_t stripes = counters != 0 ? 1 : stripes_wanted();
    size_t size = sizeof *l->lines_ + ((size_t)stripes + counters) * LINE;
    struct fw_brlock_lines_ *lines = aligned_alloc(LINE, size);

    memset(l, 0, sizeof *l);
    if (lines == NULL)
        return ENOMEM;
    memset(lines, 0, size);
    lines->stripes = stripes;
    l->counters_ = counters;
    l->lines_ = lines;
    return 0;
}

void fw_brlock_destroy(fw_brlock *l)
{
    uint32_t gate = fw_load32_relaxed(&l->gate_);

    if (closer_of(gate) == fw_self_())
        fw_panic_("read-write lock destroyed by its owner", l, fw_self_(), closer_of(gate));
    fw_mutex_lock(&l->lines_->writers); /* a writer may still be on its way out (B5) */
    if (is_read(l))
        fw_panic_("read-write lock destroyed while it is read", l, fw_self_(), 0);
    fw_mutex_unlock(&l->lines_->writers);
    free(l->lines_);
    memset(l, 0, sizeof *l);
}
