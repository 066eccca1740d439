/* SPDX-License-Identifier: MIT */
/* furwock/cond.h, with the mutex that belongs to it. */
#include <furwock/cond.h>
#include <furwock/mutex.h>

#include "bench/adapters/cond_adapter_define.h"
#include "measure/deadline.h"

struct pair {
    fw_mutex mutex;
    fw_cond cond;
};

ADAPTER_ZERO_IS_FREE(pair)
COND_CALLS(pair, struct pair, fw_mutex_lock(&l->mutex), fw_mutex_unlock(&l->mutex),
           fw_cond_wait(&l->cond, &l->mutex), fw_cond_signal(&l->cond), fw_cond_broadcast(&l->cond))
COND_TIMED(pair, struct pair, fw_cond_timedwait(&l->cond, &l->mutex, DEADLINE(at)))

static int await(fw_mutex *m, bool (*holds)(void *arg), void *arg, const struct timespec *at)
{
    if (at != NULL)
        return fw_mutex_timedawait(m, holds, arg, DEADLINE(at));
    fw_mutex_await(m, holds, arg);
    return 0;
}

COND_AWAIT(pair, struct pair, await(&l->mutex, holds, arg, at))

const struct cond_adapter cond_adapter_furwock = {
    .name = "furwock",
    .about = "fw_cond on fw_mutex: one is woken, the others are moved to the mutex",
    .family = FAMILY_FURWOCK,
    .flags = ADAPTER_BLOCKS | ADAPTER_SPINS | ADAPTER_OWNER | ADAPTER_FREEABLE | ADAPTER_ZERO |
             ADAPTER_CANCEL | ADAPTER_EXACT,
    ADAPTER_OBJECT(struct pair, pair_init_),
    COND_PLACE(struct pair, cond),
    COND_MEMBERS(pair),
    .await = pair_await_,
};
