/* SPDX-License-Identifier: MIT */
/* The papers' read-write locks, and a condition variable to compare with (classics/). */
#include "bench/classics/furwock.h"
#include "bench/classics/ulock_shared.h"
#include "bench/classics/wake_all.h"

#include "bench/adapters/cond_adapter_define.h"
#include "bench/adapters/rw_adapter_define.h"
#include "measure/deadline.h"

static int furwock_init_(void *lock, bool shared)
{
    classic_furwock *l = lock;

    *l = (classic_furwock)CLASSIC_FURWOCK_INIT;
    l->entry.scope = l->drained.scope = shared ? CLASSIC_SHARED : CLASSIC_PRIVATE;
    return 0;
}

RW_CALLS(furwock, classic_furwock, classic_furwock_read_down(l), classic_furwock_read_up(l),
         classic_furwock_write_down(l), classic_furwock_write_up(l))
RW_TRIES(furwock, classic_furwock, classic_furwock_read_trydown(l),
         classic_furwock_write_trydown(l))

const struct rw_adapter rw_adapter_furwock_classic = {
    .name = "furwock-classic",
    .about = "Mackerras's furwock, two futexes and a count (Franke et al. 2002, section 3.1.2)",
    .family = FAMILY_CLASSIC,
    .flags = ADAPTER_SHARED | ADAPTER_BLOCKS | ADAPTER_FREEABLE,
    ADAPTER_OBJECT(classic_furwock, furwock_init_),
    .preference = RW_PREFER_NONE, /* the entry is greedy */
    RW_MEMBERS(furwock),
    RW_TRY_MEMBERS(furwock),
};

static int ulock_init_(void *lock, bool shared)
{
    classic_ulock_shared *l = lock;

    l->writers.scope = l->readers.scope = shared ? CLASSIC_SHARED : CLASSIC_PRIVATE;
    return 0;
}

RW_CALLS(ulock, classic_ulock_shared, classic_ulock_shared_rdlock(l),
         classic_ulock_shared_rdunlock(l), classic_ulock_shared_wrlock(l),
         classic_ulock_shared_wrunlock(l))
RW_TRIES(ulock, classic_ulock_shared, classic_ulock_shared_tryrdlock(l),
         classic_ulock_shared_trywrlock(l))

const struct rw_adapter rw_adapter_ulock_shared = {
    .name = "ulock-shared",
    .about = "shared ulock, three fields and two queues (Franke et al. 2002, section 3)",
    .family = FAMILY_CLASSIC,
    .flags = ADAPTER_SHARED | ADAPTER_BLOCKS | ADAPTER_ZERO,
    ADAPTER_OBJECT(classic_ulock_shared, ulock_init_),
    .preference = RW_PREFER_READERS,
    RW_MEMBERS(ulock),
    RW_TRY_MEMBERS(ulock),
};

struct pair {
    fw_mutex mutex;
    classic_wake_all cond;
};

ADAPTER_ZERO_IS_FREE(pair)
COND_CALLS(pair, struct pair, fw_mutex_lock(&l->mutex), fw_mutex_unlock(&l->mutex),
           (void)classic_wake_all_wait(&l->cond, &l->mutex, NULL),
           classic_wake_all_signal(&l->cond), classic_wake_all_broadcast(&l->cond))
COND_TIMED(pair, struct pair, classic_wake_all_wait(&l->cond, &l->mutex, DEADLINE(at)))

const struct cond_adapter cond_adapter_wake_all = {
    .name = "wake-all",
    .about = "fw_mutex with a condition variable whose broadcast wakes everybody",
    .family = FAMILY_CLASSIC,
    .flags = ADAPTER_BLOCKS | ADAPTER_ZERO | ADAPTER_EXACT,
    ADAPTER_OBJECT(struct pair, pair_init_),
    COND_MEMBERS(pair),
};
