/* SPDX-License-Identifier: MIT */
/* mtx_t and cnd_t of <threads.h>: their deadlines are on CLOCK_REALTIME. */
#include <threads.h>

#include "bench/adapters/cond_adapter_define.h"
#include "measure/clock.h"

ADAPTER_INIT(mtx, mtx_t, mtx_init(l, mtx_timed) == thrd_success ? 0 : ENOMEM)
ADAPTER_DESTROY(mtx, mtx_t, mtx_destroy(l))
ADAPTER_CALLS(mtx, mtx_t, mtx_lock(l), mtx_unlock(l))
ADAPTER_TRYLOCK(mtx, mtx_t, mtx_trylock(l) == thrd_success ? 0 : EBUSY)

const struct adapter adapter_c11_mtx = {
    .name = "c11-mtx",
    .about = "mtx_t of C11, as the C library has it",
    .family = FAMILY_RIVAL,
    .flags = ADAPTER_BLOCKS,
    ADAPTER_TYPE(mtx, mtx_t),
    .destroy = mtx_destroy_,
    .trylock = mtx_trylock_,
};

struct pair {
    mtx_t mtx;
    cnd_t cnd;
};

static int pair_make(struct pair *p)
{
    if (mtx_init(&p->mtx, mtx_plain) != thrd_success)
        return ENOMEM;
    return cnd_init(&p->cnd) == thrd_success ? 0 : ENOMEM;
}

static int pair_wait_until(struct pair *p, const struct timespec *at)
{
    struct timespec end = clock_realtime_of(at);

    return cnd_timedwait(&p->cnd, &p->mtx, &end) == thrd_timedout ? ETIMEDOUT : 0;
}

ADAPTER_INIT(pair, struct pair, pair_make(l))
ADAPTER_DESTROY(pair, struct pair, (cnd_destroy(&l->cnd), mtx_destroy(&l->mtx)))
COND_CALLS(pair, struct pair, mtx_lock(&l->mtx), mtx_unlock(&l->mtx), cnd_wait(&l->cnd, &l->mtx),
           cnd_signal(&l->cnd), cnd_broadcast(&l->cnd))
ADAPTER_DO(pair_destroy_cond_, struct pair, cnd_destroy(&l->cnd))
COND_TIMED(pair, struct pair, pair_wait_until(l, at))

const struct cond_adapter cond_adapter_c11_cnd = {
    .name = "c11-cnd",
    .about = "cnd_t and mtx_t of C11, as the C library has them",
    .family = FAMILY_RIVAL,
    .flags = ADAPTER_BLOCKS | ADAPTER_FREEABLE,
    ADAPTER_OBJECT(struct pair, pair_init_),
    .destroy = pair_destroy_,
    COND_PLACE(struct pair, cnd),
    .destroy_cond = pair_destroy_cond_,
    COND_MEMBERS(pair),
};
