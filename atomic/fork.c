/* SPDX-License-Identifier: MIT */
/*
 * A fork among operations.  Contract: fork.h.
 *
 *   AFORK1  `forking` is held by the forking thread from its prepare handler to its parent or child
 *           handler; `depth` counts forks that its signal handlers made meanwhile.
 *   AFORK2  A bit of `taken` belongs to the thread that clears it: from then on it has the stripe.
 *   AFORK3  No thread waits for long for a stripe that is held for a fork: one that registers after
 *           the fork has begun sleeps in re-check intervals, and of those that were asleep before
 *           one is woken, or they wake up by themselves.
 *   AFORK4  What a fork could not take in time is held by no thread in the child: handlers that run
 *           there before ours get it at once.
 */
#include "fork.h"

#include <stdint.h>
#include <unistd.h>

#include <furwock/bits/atomic.h>

#include "stripe.h"
#include "sys/clock.h"
#include "sys/single_threaded.h"

#define TAKEN_WORDS ((FW_STRIPES_ + 63) / 64)

static fw_word_lock forking = FW_WORD_LOCK_INIT;
static uint64_t taken[TAKEN_WORDS];
static uint32_t is_on;
static pid_t taker_process;

/* In the thread's static memory: fork may be called where malloc must not. */
static _Thread_local bool is_taker __attribute__((tls_model("initial-exec")));
static _Thread_local unsigned depth __attribute__((tls_model("initial-exec")));

static bool lock_by(fw_word_lock *l, uint64_t latest_ns)
{
    while (fw_word_lock_trylock_(l) != 0) {
        if (fw_clock_ns_() >= latest_ns)
            return false;
        fw_yield_();
    }
    return true;
}

static bool is_taken(unsigned i)
{
    return (fw_load64_relaxed(&taken[i / 64]) >> i % 64 & 1) != 0;
}

/* AFORK2: was it the caller that cleared it? */
static bool claim(unsigned i)
{
    uint64_t bit = UINT64_C(1) << i % 64;
    return (fw_and64_acquire(&taken[i / 64], ~bit) & bit) != 0;
}

bool fw_fork_is_on_(void)
{
    return fw_load32_relaxed(&is_on) != 0;
}

bool fw_fork_gives_(const fw_word_lock *l, unsigned rechecks)
{
    const struct fw_stripe_ *s = (const struct fw_stripe_ *)(const void *)l;

    if (!fw_fork_is_on_() || s < fw_stripes_ || s >= fw_stripes_ + FW_STRIPES_)
        return false;
    if (!is_taker && rechecks < FW_FORK_RECHECKS_)
        return false;
    /* AFORK4.  By the process id: a handler that ran already cannot count on ours (sys/fork.h). */
    return claim((unsigned)(s - fw_stripes_)) || (is_taker && taker_process != getpid());
}

/* Takes the free ones of the stripes that it does not have.  How many it still does not have. */
static unsigned take_free(void)
{
    unsigned missing = 0;

    for (unsigned i = 0; i < FW_STRIPES_; i++) {
        if (is_taken(i))
            continue;
        if (fw_word_lock_trylock_(&fw_stripes_[i].lock) != 0) {
            missing++;
            continue;
        }
        fw_or64_release(&taken[i / 64], UINT64_C(1) << i % 64);
        fw_word_lock_name_successor_(&fw_stripes_[i].lock); /* AFORK3 */
    }
    return missing;
}

void fw_fork_prepare_(void)
{
    uint64_t latest;

    if (is_taker) {
        depth++;
        return;
    }
    if (fw_is_single_threaded_())
        return;
    latest = fw_clock_ns_() + FW_FORK_PATIENCE_NS_;
    if (!lock_by(&forking, latest))
        return;
    is_taker = true;
    taker_process = getpid();
    fw_store32_relaxed(&is_on, 1);
    fw_fence_release(); /* a thread that registers with a lock taken below sees it */
    while (take_free() != 0 && fw_clock_ns_() < latest)
        fw_yield_();
}

void fw_fork_parent_(void)
{
    if (!is_taker)
        return;
    if (depth != 0) {
        depth--;
        return;
    }
    for (unsigned i = 0; i < FW_STRIPES_; i++)
        if (is_taken(i) && claim(i))
            fw_word_lock_unlock_(&fw_stripes_[i].lock);
    fw_store32_relaxed(&is_on, 0);
    is_taker = false;
    fw_word_lock_unlock_(&forking);
}

/*
 * Alone: stripes are held and waited for only by this thread, below a signal handler.  Of a
 * fork that such a handler made inside the prepare handler, the child goes on with that one.
 */
void fw_fork_child_(void)
{
    bool is_nested = depth != 0;

    for (unsigned i = 0; i < FW_STRIPES_; i++) {
        struct fw_stripe_ *s = &fw_stripes_[i];
        uint64_t sequence = fw_load64_relaxed(&s->sequence);
        uint32_t word = is_nested && is_taken(i) ? FW_WORD_LOCK_HELD_ : 0;
        if (fw_load32_relaxed(&s->lock.word) != word)
            fw_store32_relaxed(&s->lock.word, word); /* F:fork-keeps-word */
        if ((sequence & 1) != 0)
            fw_store64_relaxed(&s->sequence, sequence + 1); /* F:fork-keeps-odd */
    }
    if (is_nested) {
        depth--;
        return;
    }
    for (unsigned i = 0; i < TAKEN_WORDS; i++)
        if (fw_load64_relaxed(&taken[i]) != 0)
            fw_store64_relaxed(&taken[i], 0);
    fw_store32_relaxed(&is_on, 0);
    is_taker = false;
    fw_store32_relaxed(&forking.word, 0);
}
