/* SPDX-License-Identifier: MIT */
/*
 * fw_barrier.  Contract: furwock/barrier.h.  Bits: barrier_word.h.  Reasons: doc/design/barrier.md.
 *
 * Origin: the counting barrier with a round number in place of the sense of Hensgen, Finkel and
 * Manber, "Two algorithms for barrier synchronization" (1988); arrive, await and drop are those of
 * C++20's std::barrier; that destroy waits for threads that are leaving is the idea of glibc's
 * pthread_barrier.
 *
 * awaited  flag      meaning                              left by
 * -------  --------  -----------------------------------  ---------------------------------------
 * n > 1    -         round r is under way                 a party: arrives (- 1)
 * n > 1    SLEEPERS  the same, and somebody may sleep     a party: arrives (- 1)
 * 1        any       the last party is missing            that party: arrives (- 1)
 * 0        any       all have arrived; r has not ended    the last to arrive: round r + 1, awaited
 *                                                         = parties, and wakes all if SLEEPERS
 * any      GOES      destroy waits for those inside       the last inside: leaves, wakes destroy
 *
 * inside   grows by 1 when a thread arrives to stay or comes with a token, shrinks when it leaves.
 *
 * Legal:   SLEEPERS set when nobody sleeps (one needless wake); SLEPT wrong in either way (spinning
 *          that does not help, or none although it would).
 * Illegal: to sleep with an expected value in which the round is not one's own, or SLEEPERS is not
 *          set; to end a round without clearing SLEEPERS and waking; to sleep in destroy on a half
 *          that the last one inside does not change.
 *
 * BAR1  A round ends once, by the thread whose arrival made awaited 0, after the next round's
 *       number of parties has been fixed; nobody else changes awaited or the round between these
 *       two.
 * BAR2  A thread that sleeps for round r has seen, or set, SLEEPERS in a word of round r; the
 *       thread that ends r sees the flag in the CAS that ends it, and wakes.
 * BAR3  A thread touches the memory only while it is inside, or while a round that needs its
 *       arrival has not ended; after its last access it uses the address only, for a wake.
 */
#include <errno.h>
#include <stddef.h>

#include <furwock/barrier.h>
#include <furwock/bits/atomic.h>
#include <furwock/bits/self.h>
#include <furwock/futex.h>

#include "core/adaptive_spin.h"
#include "core/linkable.h"
#include "core/wait.h"
#include "sys/fork.h"
#include "sys/panic.h"
#include "sys/thread.h"
#include "thread/barrier_word.h"

_Static_assert(sizeof(fw_barrier) == 16, "the public promise");

static fw_half_ *lower_half_of(fw_barrier *b)
{
    return (fw_half_ *)&b->state_;
}

static fw_half_ *upper_half_of(fw_barrier *b)
{
    return (fw_half_ *)&b->state_ + 1;
}

int fw_barrier_init(fw_barrier *b, uint32_t parties)
{
    if (parties == 0 || parties > FW_BARRIER_MAX)
        return EINVAL;
    fw_store64_relaxed(&b->state_, parties);
    fw_store32_relaxed(&b->parties_, parties);
    b->generation_ = fw_fork_generation_();
    return 0;
}

/* awaited -> awaited - n; with stay: inside + 1.  True if that makes awaited 0. */
bool fw_barrier_arrive_(fw_barrier *b, uint32_t n, bool stay, bool drop, uint32_t *phase)
{
    fw_barrier_word_ w;

    if (drop) /* before the arrival, after which the round may end: BAR1 */
        /* F:barrier-keeps-count */
        fw_add32_relaxed(&b->parties_, 0u - n);
    /* F:barrier-torn-arrival */
    w = fw_add64_acq_rel(&b->state_, (stay ? BARRIER_INSIDE_ONE : 0) - n);
    if (barrier_awaited(w) < n)
        fw_panic_("more arrivals at a barrier than it has parties", b, fw_self_(), 0);
    *phase = barrier_round(w);
    return barrier_awaited(w) == n;
}

/* round r, awaited 0 -> round r + 1, awaited = parties; with stay: inside - 1. */
void fw_barrier_open_(fw_barrier *b, bool stay)
{
    uint32_t parties = fw_load32_relaxed(&b->parties_);
    uint32_t generation = fw_fork_generation_();
    fw_barrier_word_ w = fw_load64_relaxed(&b->state_);

    if (b->generation_ != generation) /* the contract: made in this child, if by FW_BARRIER_INIT */
        b->generation_ = generation;
    /* It fails if others leave the round before, or get ready to sleep. */
    while (!fw_cas64_release(&b->state_, &w, /* F:barrier-forgets-inside */
                             barrier_next_round(w, parties) - (stay ? BARRIER_INSIDE_ONE : 0)))
        ;
    if (barrier_has_sleepers(w)) /* BAR2, BAR3  F:barrier-no-wake */
        /* F:barrier-wakes-one */
        fw_futex_wake(upper_half_of(b), FW_FUTEX_ALL, FW_FUTEX_PRIVATE);
}

/* inside -> inside - 1: the last access of a thread that has waited. */
static void leave(fw_barrier *b)
{
    fw_barrier_word_ w = fw_add64_release(&b->state_, 0u - BARRIER_INSIDE_ONE);

    if (barrier_goes(w) && barrier_inside(w) == 1) /* BAR3  F:barrier-quiet-leaver */
        fw_futex_wake(lower_half_of(b), 1, FW_FUTEX_PRIVATE);
}

/* Did nobody have to sleep in the last round, or is it time for another try? */
static bool spinning_helps(fw_barrier_word_ w)
{
    return fw_adaptive_spin_round_(barrier_slept(w), barrier_round(w));
}

/*
 * Spins, then sleeps, until the round is another one.  Where the barrier decides how to wait,
 * nobody spins beside a sleeper: the round will not end without the kernel's help anyway.
 */
static void wait_for_end(fw_barrier *b, uint32_t phase, struct fw_wait_ *wait, bool decides)
{
    fw_barrier_word_ w = fw_load64_acquire(&b->state_);
    bool spins = !decides || spinning_helps(w);

    for (; barrier_round(w) == phase; w = fw_load64_acquire(&b->state_)) {
        if (decides && barrier_has_sleepers(w))
            spins = false;
        if (spins && fw_wait_spin_(wait))
            continue;
        spins = false;
        if (fw_wait_blocks_(wait) && !barrier_has_sleepers(w)) { /* F:barrier-sleeps-unannounced */
            /* !SLEEPERS -> SLEEPERS; relaxed: it transfers no data */
            w = fw_or64_relaxed(&b->state_, BARRIER_SLEEPERS) | BARRIER_SLEEPERS;
            if (barrier_round(w) != phase) /* F:barrier-stale-round */
                continue;
        }
        fw_wait_sleep_(wait, upper_half_of(b), barrier_upper_half(w), FW_FUTEX_ANY_BIT, 0);
    }
}

void fw_barrier_stay_(fw_barrier *b, uint32_t phase)
{
    struct fw_wait_ wait;

    fw_wait_begin_(&wait, NULL, NULL); /* cannot fail */
    wait_for_end(b, phase, &wait, true);
    leave(b);
}

int fw_barrier_wait_policy(fw_barrier *b, const fw_wait_policy *policy)
{
    struct fw_wait_ wait;
    uint32_t phase;

    if (fw_wait_begin_(&wait, policy, NULL) != 0)
        return EINVAL;
    if (fw_barrier_arrive_(b, 1, true, false, &phase)) {
        fw_barrier_open_(b, true);
        return FW_BARRIER_SERIAL;
    }
    wait_for_end(b, phase, &wait, policy == NULL);
    leave(b);
    return 0; /* F:barrier-serial-all */
}

int fw_barrier_wait(fw_barrier *b)
{
    return fw_barrier_wait_policy(b, NULL);
}
FW_LINKABLE_(fw_barrier_wait);

uint32_t fw_barrier_arrive(fw_barrier *b)
{
    uint32_t phase;

    if (fw_barrier_arrive_(b, 1, false, false, &phase))
        fw_barrier_open_(b, false);
    return phase;
}

void fw_barrier_await(fw_barrier *b, uint32_t phase)
{
    fw_add64_acquire(&b->state_, BARRIER_INSIDE_ONE);
    fw_barrier_stay_(b, phase);
}

void fw_barrier_drop(fw_barrier *b)
{
    uint32_t phase;

    if (fw_barrier_arrive_(b, 1, false, true, &phase)) /* F:barrier-drops-late */
        fw_barrier_open_(b, false);
}

/* Threads have arrived for a round that will not end, and wait for it. */
static bool is_waited_at(const fw_barrier *b, fw_barrier_word_ w)
{
    return barrier_inside(w) != 0 && barrier_awaited(w) != fw_load32_relaxed(&b->parties_);
}

int fw_barrier_trydestroy(fw_barrier *b)
{
    fw_barrier_word_ w = fw_load64_relaxed(&b->state_);

    if (is_waited_at(b, w))
        return EBUSY;
    if (barrier_inside(w) != 0 && b->generation_ != fw_fork_generation_())
        return EBUSY; /* who was on the way out at a fork does not exist here */
    fw_barrier_destroy(b);
    return 0;
}

void fw_barrier_destroy(fw_barrier *b)
{
    fw_barrier_word_ w;
    struct fw_wait_ wait;

    fw_or64_relaxed(&b->state_, BARRIER_GOES);
    w = fw_load64_acquire(&b->state_); /* what follows (free) comes after what the last one did */
    if (is_waited_at(b, w))
        fw_panic_("barrier destroyed while threads wait at it", b, fw_self_(), 0);
    fw_wait_begin_(&wait, NULL, NULL); /* cannot fail */
    /* F:barrier-hasty-destroy */
    for (; barrier_inside(w) != 0; w = fw_load64_acquire(&b->state_))
        if (!fw_wait_spin_(&wait))
            /* F:barrier-destroy-upper */
            fw_wait_sleep_(&wait, lower_half_of(b), barrier_lower_half(w), FW_FUTEX_ANY_BIT, 0);
    fw_store64_relaxed(&b->state_, 0); /* who comes now, panics */
}
