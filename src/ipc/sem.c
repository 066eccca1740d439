/* SPDX-License-Identifier: MIT */
/*
 * fw_ipc_sem.  Contract: furwock/ipc/sem.h.  Reasons: doc/design/ipc-sync.md.
 *
 * Origin: the semaphore of Franke, Russell and Kirkwood (OLS 2002, section 3), and announce.h.
 *
 *   bit   63     62 ..... 32   31         30 .......... 0
 *         MADE   changes       WAITERS    value
 *
 * word                meaning                   left by
 * ------------------  ------------------------  -------------------------------------------------
 * n > 0               n permits                 any thread: takes one, n -> n - 1
 * n < maximum         more may be posted        any thread: posts k, n -> n + k
 * 0, WAITERS          and threads may sleep     the same; a post then wakes
 *
 * made_: 0, or MADE with the maximum.  Written once, before MADE is set in the word together with
 * the first permits; a thread that finds made_ and no MADE goes on where another maker died.
 * spin_: does spinning pay (adaptive_spin.h)?  Whatever is in it does no harm.
 *
 * ISEM1  The value is the number of permits, and nothing else is: each operation is one
 *        compare-and-swap of it.
 * ISEM2  What comes after that (a wake, clearing WAITERS) changes no permit.  So a thread that dies
 *        has done the operation or not begun it, and owes the others at most one wake, which the
 *        kernel gives them (wait.h).  There is no life to watch: permits have no holders here.
 * ISEM3  The value is at most the maximum; a word that says otherwise has been written over.
 */
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>

#include <furwock/ipc/sem.h>

#include "core/adaptive_spin.h"
#include "core/attributes.h"
#include "ipc/announce.h"
#include "ipc/region/participant.h"
#include "ipc/sem.h"
#include "ipc/wait.h"

#define SEM_MADE (UINT64_C(1) << 63)
#define SEM_VALUE UINT64_C(0x7fffffff)

_Static_assert(sizeof(fw_ipc_sem) == 16, "the public promise");
_Static_assert(SEM_VALUE == FW_IPC_SEM_MAX, "every value fits");
_Static_assert((SEM_MADE ^ FW_IPC_CHANGES_ ^ FW_IPC_WAITERS ^ SEM_VALUE) == UINT64_MAX,
               "the fields fill the word");

static uint32_t value_of(uint64_t w)
{
    return (uint32_t)(w & SEM_VALUE);
}

static bool is_made(uint64_t w)
{
    return (w & SEM_MADE) != 0;
}

static bool is_aligned(const fw_ipc_sem *s)
{
    return (uintptr_t)s % sizeof s->word_ == 0;
}

int fw_ipc_sem_init(fw_ipc_sem *s, uint32_t value, uint32_t max)
{
    uint32_t made = 0;
    uint64_t w;

    if (!is_aligned(s) || max == 0 || max > FW_IPC_SEM_MAX || value > max)
        return EINVAL;
    /* not made -> made with this maximum */
    if (!fw_cas32_relaxed(&s->made_, &made, FW_IPC_SEM_MADE_ | max) &&
        made != (FW_IPC_SEM_MADE_ | max))
        return EEXIST;
    w = fw_load64_relaxed(&s->word_); /* F:ipc-sem-half-made */
    while (!is_made(w)) {             /* F:ipc-sem-made-twice */
        if (value_of(w) > max - value)
            return EUCLEAN;
        /* no permits yet -> the first ones; release: made_ comes before */
        /* F:ipc-sem-made-over */
        if (fw_cas64_release(&s->word_, &w, fw_ipc_changed_(w | SEM_MADE) + value))
            break;
    }
    return 0;
}

/* 0, EAGAIN: there is none, EUCLEAN.  *w is what the word was. */
static ALWAYS_INLINE int take(fw_ipc_sem *s, uint64_t *w)
{
    *w = fw_load64_relaxed(&s->word_);
    while (value_of(*w) != 0) {
        if (value_of(*w) > fw_ipc_sem_maximum_(s))
            return EUCLEAN;
        /* F:ipc-sem-torn-take */
        if (fw_cas64_acquire(&s->word_, w, fw_ipc_changed_(*w) - 1)) /* n -> n - 1 (ISEM1) */
            return 0;
    }
    return EAGAIN;
}

int fw_ipc_sem_trywait(fw_ipc_sem *s)
{
    uint64_t w;

    return is_aligned(s) ? take(s, &w) : EINVAL;
}

/* Sleeps once, if there is still no permit: 0 -> 0, WAITERS (ANN1).  0 or ETIMEDOUT. */
static int sleep_once(fw_ipc_sem *s, uint64_t w, struct fw_ipc_wait_ *wait)
{
    if (fw_wait_blocks_(&wait->spin)) { /* F:ipc-sem-unannounced */
        uint64_t announced = fw_ipc_changed_(w | FW_IPC_WAITERS);
        if (!fw_cas64_relaxed(&s->word_, &w, announced)) /* F:ipc-sem-torn-announce */
            return 0;
        w = announced;
    }
    return fw_ipc_wait_sleep_(wait, fw_ipc_half_(&s->word_), (uint32_t)w);
}

static int wait_slow_(fw_ipc_sem *s, struct fw_ipc_wait_ *wait, const fw_wait_policy *policy)
{
    bool learns = fw_adaptive_spin_begin_(&s->spin_, &wait->spin, policy);
    uint64_t w;
    int error = EAGAIN;

    while (error == EAGAIN && fw_ipc_wait_spin_(wait))
        error = take(s, &w);
    if (learns)
        fw_adaptive_spin_end_(&s->spin_, error == 0);
    while (error == EAGAIN && (error = take(s, &w)) == EAGAIN)
        if (sleep_once(s, w, wait) == ETIMEDOUT)
            return take(s, &w) == 0 ? 0 : ETIMEDOUT; /* F:ipc-sem-late-unit */
    return error;
}

int fw_ipc_sem_attempt_(fw_ipc_sem *s, uint32_t *expected)
{
    uint64_t w, announced;
    int error;

    while ((error = take(s, &w)) == EAGAIN) {
        announced = fw_ipc_changed_(w | FW_IPC_WAITERS);
        if (!fw_cas64_relaxed(&s->word_, &w, announced)) /* 0 -> 0, WAITERS (ANN1) */
            continue;
        *expected = (uint32_t)announced;
        return EBUSY;
    }
    return error;
}

static NOINLINE int wait_for_unit(fw_ipc_sem *s, const fw_wait_policy *policy,
                                  const fw_deadline *deadline)
{
    struct fw_ipc_wait_ wait;
    struct fw_ipc_me_ me;
    int error = fw_ipc_enter_(s, &me);

    if (error == 0)
        error = fw_ipc_wait_begin_(&wait, &me, s, FW_IPC_WAITS_ELSE, policy, deadline);
    if (error != 0)
        return error;
    error = wait_slow_(s, &wait, policy);
    return fw_ipc_wait_finish_(&wait, error);
}

int fw_ipc_sem_wait_policy(fw_ipc_sem *s, const fw_wait_policy *policy, const fw_deadline *deadline)
{
    uint64_t w;
    int error = is_aligned(s) ? take(s, &w) : EINVAL;

    return __builtin_expect(error == EAGAIN, 0) ? wait_for_unit(s, policy, deadline) : error;
}

int fw_ipc_sem_wait(fw_ipc_sem *s)
{
    return fw_ipc_sem_wait_policy(s, NULL, NULL);
}

int fw_ipc_sem_timedwait(fw_ipc_sem *s, const fw_deadline *deadline)
{
    return fw_ipc_sem_wait_policy(s, NULL, deadline);
}

/* If nobody waits; EBUSY: a thread does. */
static int post_fast(fw_ipc_sem *s, uint32_t n, uint64_t *w)
{
    uint32_t max = fw_ipc_sem_maximum_(s);

    do {
        if (value_of(*w) > max)
            return EUCLEAN;
        if (n > max - value_of(*w)) /* F:ipc-sem-overflows */
            return EOVERFLOW;
        if (fw_ipc_has_waiters_(*w)) /* F:ipc-sem-torn-post */
            return EBUSY;
        /* F:ipc-sem-torn-post-2 */
    } while (!fw_cas64_release(&s->word_, w, fw_ipc_changed_(*w) + n)); /* v -> v + n (ISEM1) */
    return 0;
}

/* If a thread waits.  EBUSY: no longer. */
static int post_slow_(fw_ipc_sem *s, uint32_t n, uint64_t *w)
{
    const struct fw_ipc_mapping_ *mapping = fw_ipc_mapping_of_(s);
    uint64_t more = fw_ipc_changed_(*w) + n; /* F:ipc-sem-clears-first */
    struct fw_robust_ debt = {0};
    bool posted;

    if (mapping != NULL) /* else nobody can have entered it to wait */
        fw_ipc_debt_begin_(&debt, mapping);
    posted = fw_cas64_release(&s->word_, w, more); /* v -> v + n (ISEM1) */
    /* F:ipc-sem-no-wake */
    if (posted && n != 0)
        fw_ipc_wake_announced_(&s->word_, more, n); /* F:ipc-sem-wakes-one */
    if (mapping != NULL)
        fw_ipc_debt_end_(&debt);
    return posted ? 0 : EBUSY;
}

/* A thread waits.  The word was w. */
static NOINLINE int post_to_waiters(fw_ipc_sem *s, uint32_t n, uint64_t w)
{
    int error;

    do {
        error = post_slow_(s, n, &w);
        if (error == EBUSY)
            error = post_fast(s, n, &w);
    } while (error == EBUSY);
    return error;
}

int fw_ipc_sem_post_n(fw_ipc_sem *s, uint32_t n)
{
    uint64_t w;
    int error;

    if (!is_aligned(s))
        return EINVAL;
    w = fw_load64_relaxed(&s->word_);
    error = post_fast(s, n, &w);
    return __builtin_expect(error == EBUSY, 0) ? post_to_waiters(s, n, w) : error;
}

int fw_ipc_sem_post(fw_ipc_sem *s)
{
    return fw_ipc_sem_post_n(s, 1);
}

uint32_t fw_ipc_sem_value(const fw_ipc_sem *s)
{
    return value_of(fw_load64_relaxed(&s->word_));
}
