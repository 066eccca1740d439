/* SPDX-License-Identifier: MIT */
/* nsync_mu and nsync_cv of nsync (Mike Burrows; github.com/google/nsync). */
#include <nsync.h>

#include "bench/adapters/cond_adapter_define.h"
#include "bench/adapters/rw_adapter_define.h"
#include "measure/clock.h"

ADAPTER_INIT(nsync, nsync_mu, (nsync_mu_init(l), 0))
ADAPTER_CALLS(nsync, nsync_mu, nsync_mu_lock(l), nsync_mu_unlock(l))
ADAPTER_TRYLOCK(nsync, nsync_mu, nsync_mu_trylock(l) ? 0 : EBUSY)

const struct adapter adapter_nsync = {
    .name = "nsync",
    .about = "nsync_mu of nsync",
    .family = FAMILY_RIVAL,
    .flags = ADAPTER_BLOCKS | ADAPTER_ZERO,
    ADAPTER_TYPE(nsync, nsync_mu),
    .trylock = nsync_trylock_,
};

RW_CALLS(nsync, nsync_mu, nsync_mu_rlock(l), nsync_mu_runlock(l), nsync_mu_lock(l),
         nsync_mu_unlock(l))
RW_TRIES(nsync, nsync_mu, nsync_mu_rtrylock(l) ? 0 : EBUSY, nsync_mu_trylock(l) ? 0 : EBUSY)

const struct rw_adapter rw_adapter_nsync = {
    .name = "nsync",
    .about = "nsync_mu of nsync, for reading too",
    .family = FAMILY_RIVAL,
    .flags = ADAPTER_BLOCKS | ADAPTER_ZERO,
    ADAPTER_OBJECT(nsync_mu, nsync_init_),
    .preference = RW_PREFER_NONE,
    RW_MEMBERS(nsync),
    RW_TRY_MEMBERS(nsync),
    RW_NOT_TIMED,
};

struct pair {
    nsync_mu mu;
    nsync_cv cv;
};

ADAPTER_ZERO_IS_FREE(pair)
COND_CALLS(pair, struct pair, nsync_mu_lock(&l->mu), nsync_mu_unlock(&l->mu),
           nsync_cv_wait(&l->cv, &l->mu), nsync_cv_signal(&l->cv), nsync_cv_broadcast(&l->cv))
/* Its deadlines are on CLOCK_REALTIME. */
COND_TIMED(pair, struct pair,
           nsync_cv_wait_with_deadline(&l->cv, &l->mu, clock_realtime_of(at), NULL))

struct predicate {
    bool (*holds)(void *arg);
    void *arg;
};

static int evaluate(const void *predicate)
{
    const struct predicate *p = predicate;

    return p->holds(p->arg);
}

static int await(nsync_mu *mu, const struct predicate *p, const struct timespec *at)
{
    return nsync_mu_wait_with_deadline(
        mu, evaluate, p, NULL, at != NULL ? clock_realtime_of(at) : nsync_time_no_deadline, NULL);
}

COND_AWAIT(pair, struct pair, await(&l->mu, &(const struct predicate){holds, arg}, at))

const struct cond_adapter cond_adapter_nsync = {
    .name = "nsync",
    .about = "nsync_cv and nsync_mu of nsync",
    .family = FAMILY_RIVAL,
    .flags = ADAPTER_BLOCKS | ADAPTER_ZERO,
    ADAPTER_OBJECT(struct pair, pair_init_),
    COND_MEMBERS(pair),
    .await = pair_await_,
};
