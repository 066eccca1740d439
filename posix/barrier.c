/* SPDX-License-Identifier: MIT */
/*
 * pthread_barrier_*.  Contract and layout: barrier.h.
 *
 * Origin: arrivals draw numbers, as customers do at a counter; the number says which round one
 * belongs to.  That departures are counted, and destroy waits for the last, is the C library's.
 *
 * `in` and `count` say all about arrivals: the round of arrival number t is t / count, and the last
 * of a round is the one with t % count == count - 1.  `done`:
 *
 *   bit   31 ....... 2   1      0
 *         rounds ended   SLEPT  SLEEPERS
 *
 * done              meaning                                left by
 * ----------------  -------------------------------------  ------------------------------------
 * r rounds ended    round r is under way                   the last of round r, or of a later one
 *                                                          that was quicker: more rounds ended
 * SLEEPERS          somebody may sleep until more have     the same: clears it, sets SLEPT, and
 *                   ended                                  wakes all
 * SLEPT             somebody slept in the last round       the same
 *
 * out               n departures; GOES: somebody is in destroy, and those that leave wake it
 *
 * Legal:   SLEEPERS set when nobody sleeps (one needless wake); SLEPT wrong in either way (spinning
 *          that does not help, or none where it would); rounds that end in one step.
 * Illegal: to sleep with an expected value without SLEEPERS, or in which one's own round has ended;
 *          to end a round before its last has arrived.
 *
 * PBAR1  A round is said to have ended after all of it have arrived: its last, or that of a later
 *        round, has drawn its number behind all of theirs.  `done` never goes back.
 * PBAR2  A thread that changes `done` while SLEEPERS is set clears it, and wakes.
 * PBAR3  A thread touches the barrier until it has added its departure, and then uses the address
 *        only, for a wake.  So when as many have left as have come, nobody is inside.
 */
#include "barrier.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include <furwock/bits/atomic.h>
#include <furwock/futex.h>

#include "core/adaptive_spin.h"
#include "core/sleep.h"
#include "core/wait.h"
#include "export.h"
#include "foreign.h"
#include "stat.h"

#define MAGIC UINT32_C(0x72626677)   /* "wfbr" */
#define COUNT_MAX (UINT_MAX / 2 - 1) /* the C library's limit */

#define GOES (UINT64_C(1) << 63)
#define SLEEPERS UINT32_C(1)
#define SLEPT UINT32_C(2)
#define ROUND_SHIFT 2

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the lower half comes first");

typedef struct fw_posix_barrier_ barrier;

static barrier *barrier_of(pthread_barrier_t *p)
{
    barrier *b = (barrier *)p;

    if (b->magic != MAGIC)
        fw_posix_foreign_("barrier", b);
    return b;
}

static const fw_half_ *lower_half_of(const uint64_t *word)
{
    return (const fw_half_ *)word;
}

static unsigned futex_flags(const barrier *b)
{
    return b->shared != 0 ? FW_FUTEX_SHARED : FW_FUTEX_PRIVATE;
}

/* Has round r ended?  Numbers go round; no thread lags by half of all. */
static bool has_ended(uint32_t done, uint32_t r)
{
    return (int32_t)((done & ~(SLEEPERS | SLEPT)) - (r << ROUND_SHIFT)) > 0; /* F:pbar-no-wrap */
}

int fw_posix_barrier_init_(pthread_barrier_t *p, const pthread_barrierattr_t *attr, unsigned count)
{
    barrier *b = (barrier *)p;

    if (count == 0 || count > COUNT_MAX)
        return EINVAL;
    *b = (barrier){
        .count = count,
        .shared = attr != NULL && *(const int *)attr != PTHREAD_PROCESS_PRIVATE,
        .magic = MAGIC,
    };
    return 0;
}
FW_EXPORT(fw_posix_barrier_init_, pthread_barrier_init, GLIBC_2_34);
FW_EXPORT_OLD(fw_posix_barrier_init_, pthread_barrier_init, GLIBC_2_2_5);

/* Round r has ended, and with it all before. */
static void end_round(barrier *b, uint32_t r)
{
    unsigned flags = futex_flags(b);
    uint32_t done = fw_load32_relaxed(&b->done);
    uint32_t next;

    do {
        if (has_ended(done, r)) /* F:pbar-goes-back */
            return;
        next = ((r + 1) << ROUND_SHIFT) | ((done & SLEEPERS) != 0 ? SLEPT : 0);
    } while (!fw_cas32_release(&b->done, &done, next));
    if ((done & SLEEPERS) != 0) /* PBAR2  F:pbar-no-wake */
        /* F:pbar-wakes-one */
        fw_futex_wake(&b->done, FW_FUTEX_ALL, flags);
}

/*
 * Spins, then sleeps, until round r has ended.  Nobody spins beside a sleeper: the round will not
 * end without the kernel's help anyway.
 */
static void wait_for_end(barrier *b, uint32_t r, const fw_wait_policy *policy)
{
    uint32_t done = fw_load32_acquire(&b->done);
    bool spins = fw_adaptive_spin_round_((done & SLEPT) != 0, r);
    struct fw_wait_ wait;

    fw_wait_begin_(&wait, policy, NULL); /* cannot fail */
    for (; !has_ended(done, r); done = fw_load32_acquire(&b->done)) {
        bool sleeps = fw_wait_blocks_(&wait);

        spins &= (done & SLEEPERS) == 0;
        if ((spins || !sleeps) && fw_wait_spin_(&wait))
            continue;
        spins = false;
        /* !SLEEPERS -> SLEEPERS; relaxed: it transfers no data */
        if (sleeps && /* F:pbar-unannounced */
            ((done & SLEEPERS) != 0 || fw_cas32_relaxed(&b->done, &done, done | SLEEPERS)))
            /* F:pbar-unannounced-2 */
            fw_sleep_(&b->done, done | SLEEPERS, futex_flags(b), NULL);
    }
}

/* The last access of a thread that has waited (PBAR3). */
static void leave(barrier *b)
{
    unsigned flags = futex_flags(b);

    if ((fw_add64_release(&b->out, 1) & GOES) != 0) /* F:pbar-quiet-leaver */
        fw_futex_wake(lower_half_of(&b->out), FW_FUTEX_ALL, flags);
}

int fw_posix_barrier_wait_by_(barrier *b, const fw_wait_policy *policy, const void *site)
{
    uint32_t count = b->count;
    uint64_t t = fw_add64_acq_rel(&b->in, 1); /* F:pbar-torn-arrival */
    uint32_t r = (uint32_t)(t / count);
    bool is_last = t % count == count - 1; /* F:pbar-ends-early */

    if (is_last) {
        end_round(b, r);
    } else {
        struct fw_stat_ stat;

        fw_stat_begin_(&stat, FW_STAT_BARRIER, b, site);
        wait_for_end(b, r, policy);
        fw_stat_end_(&stat, 0);
    }
    leave(b);                                           /* F:pbar-stays */
    return is_last ? PTHREAD_BARRIER_SERIAL_THREAD : 0; /* F:pbar-serial-all */
}

int fw_posix_barrier_wait_(pthread_barrier_t *p)
{
    return fw_posix_barrier_wait_by_(barrier_of(p), NULL, FW_SITE_);
}
FW_EXPORT(fw_posix_barrier_wait_, pthread_barrier_wait, GLIBC_2_34);
FW_EXPORT_OLD(fw_posix_barrier_wait_, pthread_barrier_wait, GLIBC_2_2_5);

int fw_posix_barrier_destroy_(pthread_barrier_t *p)
{
    barrier *b = barrier_of(p);
    uint64_t in = fw_load64_relaxed(&b->in); /* nobody comes any more */
    struct fw_wait_ wait;
    uint64_t out;

    if (in % b->count != 0)
        return EBUSY;
    fw_or64_relaxed(&b->out, GOES);
    fw_wait_begin_(&wait, NULL, NULL); /* cannot fail */
    /* F:pbar-hasty-destroy */
    while ((out = fw_load64_acquire(&b->out)) != (in | GOES))
        if (!fw_wait_spin_(&wait))
            fw_sleep_(lower_half_of(&b->out), (uint32_t)out, futex_flags(b), NULL);
    fw_store64_relaxed(&b->out, in);
    return 0;
}
FW_EXPORT(fw_posix_barrier_destroy_, pthread_barrier_destroy, GLIBC_2_34);
FW_EXPORT_OLD(fw_posix_barrier_destroy_, pthread_barrier_destroy, GLIBC_2_2_5);

int fw_posix_barrierattr_init_(pthread_barrierattr_t *a)
{
    *(int *)a = PTHREAD_PROCESS_PRIVATE;
    return 0;
}
FW_EXPORT(fw_posix_barrierattr_init_, pthread_barrierattr_init, GLIBC_2_34);
FW_EXPORT_OLD(fw_posix_barrierattr_init_, pthread_barrierattr_init, GLIBC_2_2_5);

int fw_posix_barrierattr_destroy_(pthread_barrierattr_t *a)
{
    (void)a;
    return 0;
}
FW_EXPORT(fw_posix_barrierattr_destroy_, pthread_barrierattr_destroy, GLIBC_2_34);
FW_EXPORT_OLD(fw_posix_barrierattr_destroy_, pthread_barrierattr_destroy, GLIBC_2_2_5);

int fw_posix_barrierattr_getpshared_(const pthread_barrierattr_t *a, int *shared)
{
    *shared = *(const int *)a;
    return 0;
}
FW_EXPORT(fw_posix_barrierattr_getpshared_, pthread_barrierattr_getpshared, GLIBC_2_34);
FW_EXPORT_OLD(fw_posix_barrierattr_getpshared_, pthread_barrierattr_getpshared, GLIBC_2_3_3);

int fw_posix_barrierattr_setpshared_(pthread_barrierattr_t *a, int shared)
{
    if (shared != PTHREAD_PROCESS_PRIVATE && shared != PTHREAD_PROCESS_SHARED)
        return EINVAL;
    *(int *)a = shared;
    return 0;
}
FW_EXPORT(fw_posix_barrierattr_setpshared_, pthread_barrierattr_setpshared, GLIBC_2_34);
FW_EXPORT_OLD(fw_posix_barrierattr_setpshared_, pthread_barrierattr_setpshared, GLIBC_2_2_5);
