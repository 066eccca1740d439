/* SPDX-License-Identifier: MIT */
/*
 * A supply of permits: fw_sem, and the automatic fw_event.  Bits: permits_word.h.  Reasons:
 * doc/design/sem.md.
 *
 * Origin: the count in a user-level word, with waiters in the kernel only, is the semaphore of
 * Franke, Russell and Kirkwood (OLS 2002, section 3).  The count of wakes under way is ours.
 *
 * value  waiters  waking  RESERVED      meaning                     left by
 * -----  -------  ------  ------------  --------------------------  -------------------------------
 * 0      0        0       no            empty, quiet                post: n; waiter: joins
 * n      0        0       no            n permits, quiet              anybody: takes; post
 * 0      m        any     no            empty, m wait               post: wakes; waiter: leaves
 * n      m        k > 0   no            n permits, k wakes on the way anybody: takes; post
 * 0      m        any     yes           one waits for its own permit  post; it: sleeps, leaves
 * n      m        any     yes           n - 1 permits for all         it: takes; anybody: if n > 1,
 *                                                                   or by take_any
 *
 * available: value, less the reserved permit.  others: waiters, less the one with the reservation.
 * RECHECKING: RESERVED, and the one with the reservation sleeps, or is about to.
 * OPERATIONS, in any state: operations are queued in the bucket (permits_queue.c); posts go there.
 *
 * Legal:   waking too low (a needless wake); RECHECKING set when nobody sleeps.
 * Illegal: waking too high while a permit is available; to sleep on the sleepers' half with an
 *          expected value in which waking is not 0; to sleep anywhere while a permit may be taken.
 *
 * PERM1  While a permit is available and others wait, waking > 0.
 * PERM2  At least min(waking, others) of the others are awake or about to be woken.  (waking rises
 *        only by as many wakes as are sent; it falls by one with each of the others that leaves;
 *        and no thread falls asleep except with waking = 0 in the word.)
 * PERM3  RESERVED implies one waiter that will take the next permit that it finds, or give the
 *        reservation up in the step in which it finds the value 0 and leaves.
 * PERM4  After the step that adds permits or takes one, the object is not touched (the wake that
 *        may follow uses the address only).
 *
 * PERM5  OPERATIONS is set and cleared inside the bucket only, and is set while an operation is
 *        queued.  Then no more permits are available than others wait: what an operation is given
 *        never appears in the value.
 *
 * From PERM1 and PERM2: whenever a permit is available and somebody waits, some waiter is awake,
 * and will look; if it takes a permit, or leaves without one, PERM1 makes it wake the next.
 */
#include <stddef.h>

#include <furwock/bits/atomic.h>
#include <furwock/futex.h>

#include "sys/fork.h"
#include "sys/panic.h"
#include "sys/thread.h"
#include "thread/permits.h"
#include "thread/permits_word.h"

/*
 * Records what the next fast path will probably find after w is stored: the waiters will have taken
 * their permits.  Before the step that stores w (PERM4).
 */
static void predict(uint64_t *state, fw_permits_word_ w)
{
    uint32_t value = permits_value(w), waiters = permits_waiters(w);

    fw_store32_relaxed((fw_half_ *)state + PERMITS_GUESS_AT / 4,
                       value >= waiters && !has_operations(w) ? value - waiters : PERMITS_NO_GUESS);
}

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* PERM1: how many more of the others are to be woken in state w, at most n. */
static uint32_t wakes_due(fw_permits_word_ w, uint32_t n)
{
    uint32_t useful = least(permits_available(w), permits_others(w));
    uint32_t waking = permits_waking(w);

    return useful > waking ? least(useful - waking, n) : 0;
}

static fw_permits_word_ with_wakes(fw_permits_word_ w, uint32_t n)
{
    return n == 0 ? w : with_waking(w, permits_waking(w) + n);
}

static void wake_others(const uint64_t *state, uint32_t n)
{
    if (n > 0)
        fw_futex_wake_bitset(permits_sleepers_word(state), n, FW_FUTEX_ANY_BIT, FW_FUTEX_PRIVATE);
}

/* A waiter without a reservation leaves: one waiter and, maybe, one wake less. */
static fw_permits_word_ dequeued(fw_permits_word_ w)
{
    uint32_t waking = permits_waking(w);

    return without_waiter(waking > 0 ? with_waking(w, waking - 1) : w); /* F:sem-keeps-wake */
}

/* The word without stale waiters of a fork; mostly there are none, and nothing is asked. */
static fw_permits_word_ of_this_process(fw_permits_word_ w)
{
    /* F:sem-sees-stale */
    return is_quiet(w) ? w : without_stale(w, fw_fork_generation_());
}

/* The value is 0 again, and the waiter with the reservation may be about to sleep: no change. */
static fw_permits_word_ recheck_on(fw_permits_word_ w)
{
    return is_reserved(w) ? w | PERMITS_RECHECKING : w;
}

bool fw_permits_take_(uint64_t *state)
{
    fw_permits_word_ seen = fw_load64_relaxed(state);
    fw_permits_word_ w;

    do {
        w = of_this_process(seen);
        if (permits_available(w) == 0)
            return false;
        predict(state, w - 1);
    } while (!fw_cas64_acquire(state, &seen, w - 1)); /* n -> n - 1 */
    return true;
}

bool fw_permits_take_any_(uint64_t *state)
{
    fw_permits_word_ seen = fw_load64_relaxed(state);
    fw_permits_word_ w, left;

    do {
        w = of_this_process(seen);
        if (permits_value(w) == 0)
            return false;
        left = permits_value(w) > 1 ? w - 1 : recheck_on(w - 1); /* F:sem-takes-quietly */
        predict(state, left);
    } while (!fw_cas64_acquire(state, &seen, left)); /* n -> n - 1 */
    return true;
}

/* n -> n + m, with their wakes. */
static fw_permits_word_ added(fw_permits_word_ w, uint32_t n, uint32_t *wakes)
{
    fw_permits_word_ left = (w + n) & ~(n > 0 ? PERMITS_RECHECKING : 0);

    *wakes = wakes_due(left, n);
    left = with_wakes(left, *wakes); /* F:sem-uncounted-wake */
    return left;
}

/* After that step. */
static void wake_for(const uint64_t *state, fw_permits_word_ w, fw_permits_word_ left,
                     uint32_t wakes)
{
    wake_others(state, wakes);                    /* F:sem-touches-after */
    if (is_rechecking(w) && !is_rechecking(left)) /* F:sem-recheck-goes-on */
        fw_futex_wake(permits_value_word(state), 1, FW_FUTEX_PRIVATE);
}

bool fw_permits_post_(uint64_t *state, uint32_t n, uint32_t max)
{
    fw_permits_word_ seen = fw_load64_relaxed(state);
    fw_permits_word_ w, left;
    uint32_t wakes = 0;
    bool fits;

    /* n -> n + m, with their wakes; beyond the maximum n -> n, so that it synchronises. */
    do {
        w = of_this_process(seen);
        if (has_operations(w)) /* F:sem-past-operations */
            return fw_permits_post_queued_(state, n, max);
        fits = permits_value(w) <= max && n <= max - permits_value(w);
        left = fits ? added(w, n, &wakes) : w;
        predict(state, left); /* F:sem-wakes-first */
    } while (!fw_cas64_release(state, &seen, left));
    wake_for(state, w, left, wakes);
    return fits;
}

uint32_t fw_permits_add_(uint64_t *state, uint32_t n, bool empties)
{
    fw_permits_word_ seen = fw_load64_relaxed(state);
    fw_permits_word_ w, left;
    uint32_t wakes, fit;

    /* n -> n + m, with their wakes; OPERATIONS -> none */
    do {
        w = of_this_process(seen);
        fit = empties ? n : least(n, permits_lacking(w));
        left = added(empties ? without_operations(w) : w, fit, &wakes);
        predict(state, left);
    } while (!fw_cas64_acq_rel(state, &seen, left));
    wake_for(state, w, left, wakes);
    return n - fit;
}

void fw_permits_clear_(uint64_t *state)
{
    fw_permits_word_ w = fw_load64_relaxed(state);

    /* n -> 0 */
    /* F:sem-clears-quietly */
    while (permits_value(w) > 0 && !fw_cas64_acq_rel(state, &w, recheck_on(w & ~PERMITS_VALUE_MAX)))
        ;
}

uint32_t fw_permits_value_(const uint64_t *state)
{
    return permits_value(fw_load64_acquire(state));
}

/* empty, m waiters -> m + 1 waiters. */
bool fw_permits_join_(uint64_t *state, fw_permits_word_ *joined)
{
    uint32_t generation = fw_fork_generation_();
    fw_permits_word_ seen = fw_load64_relaxed(state);
    fw_permits_word_ w = without_stale(seen, generation);

    if (permits_available(w) > 0)
        return false;
    if (permits_waiters(w) == PERMITS_WAITERS_MAX)
        fw_panic_("too many waiters", state, fw_self_(), 0);
    w = (w & ~PERMITS_GENERATION) | (fw_permits_word_)generation << PERMITS_GENERATION_SHIFT;
    *joined = w + PERMITS_WAITER;
    predict(state, *joined);
    return fw_cas64_relaxed(state, &seen, *joined);
}

/* n permits, m waiters, k wakes -> n - 1, m - 1, k - 1; and sends wakes on if k was 1. */
bool fw_permits_take_waiting_(uint64_t *state, fw_permits_word_ w)
{
    fw_permits_word_ left = dequeued(w - 1);
    uint32_t wakes = permits_waking(left) == 0 ? wakes_due(left, PERMITS_WAKING_MAX) : 0;

    predict(state, left);
    if (!fw_cas64_acquire(state, &w, with_wakes(left, wakes)))
        return false;
    wake_others(state, wakes);
    return true;
}

/* The same without a permit: the one that this waiter was woken for goes to another (PERM1). */
bool fw_permits_leave_(uint64_t *state, fw_permits_word_ w)
{
    fw_permits_word_ left = dequeued(w); /* F:sem-swallows-unit */
    uint32_t wakes = wakes_due(left, 1); /* F:sem-swallows-wake */

    if (has_operations(left) && permits_available(left) > permits_others(left)) /* PERM5 */
        return fw_permits_leave_queued_(state, w, left - 1);
    if (!fw_cas64_relaxed(state, &w, with_wakes(left, wakes)))
        return false;
    wake_others(state, wakes);
    return true;
}

bool fw_permits_any_try_(uint64_t *state, struct fw_any_registration_ *p)
{
    fw_permits_word_ w;

    if (!p->is_registered)
        return fw_permits_take_(state);
    do {
        w = fw_load64_relaxed(state);
        if (permits_available(w) == 0)
            return false;
    } while (!fw_permits_take_waiting_(state, w));
    p->is_registered = false;
    return true;
}

bool fw_permits_any_prepare_(uint64_t *state, struct fw_any_registration_ *p, fw_futex_any *sleep)
{
    fw_permits_word_ w = fw_load64_relaxed(state);
    fw_permits_word_ wanted;

    if (!p->is_registered && !fw_permits_join_(state, &w))
        return false;
    p->is_registered = true;
    if (permits_available(w) > 0)
        return false;
    wanted = with_waking(w, 0); /* F:any-stale-wakes */
    if (wanted != w && !fw_cas64_relaxed(state, &w, wanted))
        return false;
    *sleep = (fw_futex_any){permits_sleepers_word(state), sleepers_half(wanted), FW_FUTEX_PRIVATE};
    return true;
}

void fw_permits_any_leave_(uint64_t *state, struct fw_any_registration_ *p)
{
    while (!fw_permits_leave_(state, fw_load64_relaxed(state)))
        ;
    p->is_registered = false;
}
