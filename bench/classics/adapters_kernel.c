/* SPDX-License-Identifier: MIT */
/*
 * Locks on the papers' own kernel service (kmod/), where its module is loaded.  The classics are
 * the same sources as beside, in another scope (word.h).
 */
#include "bench/classics/drepper.h"
#include "bench/classics/kernel_locks.h"
#include "bench/classics/requeue.h"
#include "bench/classics/ulock.h"
#include "bench/classics/ulock_fair.h"
#include "bench/classics/ulock_shared.h"
#include "bench/classics/usema.h"

#include "bench/adapters/cond_adapter_define.h"
#include "bench/adapters/rw_adapter_define.h"
#include "bench/adapters/sync_adapter_define.h"
#include "measure/clock.h"

enum { KERNEL = ADAPTER_KERNEL | ADAPTER_SHARED | ADAPTER_BLOCKS };

#define SCOPE(shared) ((shared) ? CLASSIC_KERNEL : CLASSIC_KERNEL_PRIVATE)
#define CALL_FLAGS(shared) scope_kernel_flags(SCOPE(shared))

/* --- WAIT and WAKE (section 3.1.3) ------------------------------------------------------------ */

ADAPTER_INIT(wait, classic_drepper, (l->scope = SCOPE(shared), 0))
ADAPTER_CALLS(wait, classic_drepper, classic_drepper_lock(l), classic_drepper_unlock(l))
ADAPTER_TRYLOCK(wait, classic_drepper, classic_drepper_trylock(l))

/* --- usema and ulocks on kernel semaphores (section 3) ---------------------------------------- */

ADAPTER_INIT(usema, classic_usema, (*l = (classic_usema){1, 0, SCOPE(shared)}, 0))
ADAPTER_CALLS(usema, classic_usema, classic_usema_down(l), classic_usema_up(l))
ADAPTER_TRYLOCK(usema, classic_usema, classic_usema_trydown(l))

ADAPTER_INIT(ulock, classic_ulock, (l->queue.scope = SCOPE(shared), 0))
ADAPTER_CALLS(ulock, classic_ulock, classic_ulock_lock(l), classic_ulock_unlock(l))
ADAPTER_TRYLOCK(ulock, classic_ulock, classic_ulock_trylock(l))

ADAPTER_INIT(ulock_fair, classic_ulock_fair,
             (*l = (classic_ulock_fair){ULOCK_FAIR_FREE, {0, SCOPE(shared)}}, 0))
ADAPTER_CALLS(ulock_fair, classic_ulock_fair, classic_ulock_fair_lock(l),
              classic_ulock_fair_unlock(l))
ADAPTER_TRYLOCK(ulock_fair, classic_ulock_fair, classic_ulock_fair_trylock(l))

ADAPTER_INIT(ulock_shared, classic_ulock_shared,
             (l->writers.scope = l->readers.scope = SCOPE(shared), 0))
RW_CALLS(ulock_shared, classic_ulock_shared, classic_ulock_shared_rdlock(l),
         classic_ulock_shared_rdunlock(l), classic_ulock_shared_wrlock(l),
         classic_ulock_shared_wrunlock(l))
RW_TRIES(ulock_shared, classic_ulock_shared, classic_ulock_shared_tryrdlock(l),
         classic_ulock_shared_trywrlock(l))

/* --- UP and DOWN of Linux 2.5.7 (section 3.1.1) ----------------------------------------------- */

#define UPDOWN_CALLS(stem, policy)                                                           \
    ADAPTER_CALLS(stem, classic_updown, (void)classic_updown_down_until(l, FW_KERNEL_NEVER), \
                  (void)classic_updown_up(l, policy))                                        \
    ADAPTER_UNLOCK_FAIR(stem, classic_updown, (void)classic_updown_up(l, FW_KERNEL_FAIR))

ADAPTER_INIT(updown, classic_updown, (*l = (classic_updown){1, CALL_FLAGS(shared)}, 0))
ADAPTER_TRYLOCK(updown, classic_updown, classic_updown_trydown(l) == 0 ? 0 : EBUSY)
ADAPTER_TIMEDLOCK(updown, classic_updown, classic_updown_down_until(l, (int64_t)clock_ns_of(at)))
UPDOWN_CALLS(updown, 0)
UPDOWN_CALLS(updown_fair, FW_KERNEL_FAIR)
UPDOWN_CALLS(updown_random, FW_KERNEL_RANDOM)

/* --- FUTEX_LOCK (Hart 2010) ------------------------------------------------------------------- */

#define OWNER_CALLS(stem, adaptive)                                             \
    ADAPTER_CALLS(stem, classic_owner,                                          \
                  (void)classic_owner_lock_until(l, adaptive, FW_KERNEL_NEVER), \
                  classic_owner_unlock(l, 0))                                   \
    ADAPTER_TIMEDLOCK(stem, classic_owner,                                      \
                      classic_owner_lock_until(l, adaptive, (int64_t)clock_ns_of(at)))

ADAPTER_INIT(owner, classic_owner, (l->flags = CALL_FLAGS(shared), 0))
ADAPTER_TRYLOCK(owner, classic_owner, classic_owner_trylock(l))
ADAPTER_UNLOCK_FAIR(owner, classic_owner, classic_owner_unlock(l, FW_KERNEL_FAIR))
OWNER_CALLS(owner, 0)
OWNER_CALLS(owner_adaptive, FW_KERNEL_ADAPTIVE)

/* --- REQUEUE (Molnar 2003) -------------------------------------------------------------------- */

struct pair {
    classic_drepper mutex;
    classic_requeue cond;
};

ADAPTER_INIT(pair, struct pair, (l->mutex.scope = SCOPE(shared), 0))
COND_CALLS(pair, struct pair, classic_drepper_lock(&l->mutex), classic_drepper_unlock(&l->mutex),
           (void)classic_requeue_wait(&l->cond, &l->mutex, FW_KERNEL_NEVER),
           classic_requeue_signal(&l->cond, &l->mutex),
           classic_requeue_broadcast(&l->cond, &l->mutex))
COND_TIMED(pair, struct pair, classic_requeue_wait(&l->cond, &l->mutex, (int64_t)clock_ns_of(at)))

/* --- The list: the order in which tables show them -------------------------------------------- */

const struct adapter adapter_kernel_wait = {
    .name = "kernel-wait",
    .about = "three-state mutex on furwock.ko's WAIT and WAKE (Franke et al. 2002, 3.1.3)",
    .family = FAMILY_CLASSIC,
    .flags = KERNEL | ADAPTER_FREEABLE,
    ADAPTER_VARIANT(wait, classic_drepper, wait),
};

const struct adapter adapter_kernel_usema = {
    .name = "kernel-usema",
    .about = "user semaphore on furwock.ko's WAIT and WAKE (Franke et al. 2002, section 3)",
    .family = FAMILY_CLASSIC,
    .flags = KERNEL,
    ADAPTER_VARIANT(usema, classic_usema, usema),
};

const struct adapter adapter_kernel_ulock = {
    .name = "kernel-ulock",
    .about = "ulock on a kernel semaphore of furwock.ko (Franke et al. 2002, section 3)",
    .family = FAMILY_CLASSIC,
    .flags = KERNEL,
    ADAPTER_VARIANT(ulock, classic_ulock, ulock),
};

const struct adapter adapter_kernel_ulock_fair = {
    .name = "kernel-ulock-fair",
    .about = "the same, granted to the longest waiter (Franke et al. 2002, section 3)",
    .family = FAMILY_CLASSIC,
    .flags = KERNEL | ADAPTER_FAIR,
    ADAPTER_VARIANT(ulock_fair, classic_ulock_fair, ulock_fair),
};

const struct adapter adapter_kernel_updown = {
    .name = "kernel-updown",
    .about = "UP and DOWN of Linux 2.5.7, greedy, by furwock.ko (Franke et al. 2002, 3.1.1)",
    .family = FAMILY_CLASSIC,
    .flags = KERNEL,
    ADAPTER_VARIANT(updown, classic_updown, updown),
    .timedlock = updown_timedlock_,
    .unlock_fair = updown_unlock_fair_,
};

const struct adapter adapter_kernel_updown_fair = {
    .name = "kernel-updown-fair",
    .about = "the same, handed to the longest waiter (Franke et al. 2002, 3.1.1)",
    .family = FAMILY_CLASSIC,
    .flags = KERNEL | ADAPTER_FAIR,
    ADAPTER_VARIANT(updown_fair, classic_updown, updown),
    .timedlock = updown_timedlock_,
    .unlock_fair = updown_fair_unlock_fair_,
};

const struct adapter adapter_kernel_updown_random = {
    .name = "kernel-updown-random",
    .about = "the same, freed, and all waiters woken (Franke et al. 2002, section 2)",
    .family = FAMILY_CLASSIC,
    .flags = KERNEL,
    ADAPTER_VARIANT(updown_random, classic_updown, updown),
    .timedlock = updown_timedlock_,
    .unlock_fair = updown_random_unlock_fair_,
};

const struct adapter adapter_kernel_lock = {
    .name = "kernel-lock",
    .about = "FUTEX_LOCK without spinning, by furwock.ko (Hart 2010)",
    .family = FAMILY_CLASSIC,
    .flags = KERNEL | ADAPTER_OWNER | ADAPTER_ZERO,
    ADAPTER_VARIANT(owner, classic_owner, owner),
    .timedlock = owner_timedlock_,
    .unlock_fair = owner_unlock_fair_,
};

const struct adapter adapter_kernel_lock_adaptive = {
    .name = "kernel-lock-adaptive",
    .about = "FUTEX_LOCK, which polls in the kernel while the owner runs (Hart 2010)",
    .family = FAMILY_CLASSIC,
    .flags = KERNEL | ADAPTER_OWNER | ADAPTER_ZERO | ADAPTER_SPINS,
    ADAPTER_VARIANT(owner_adaptive, classic_owner, owner),
    .timedlock = owner_adaptive_timedlock_,
    .unlock_fair = owner_unlock_fair_,
};

const struct rw_adapter rw_adapter_kernel_ulock_shared = {
    .name = "kernel-ulock-shared",
    .about = "the ulocks' read-write lock on kernel semaphores (Franke et al. 2002, section 3)",
    .family = FAMILY_CLASSIC,
    .flags = KERNEL,
    ADAPTER_OBJECT(classic_ulock_shared, ulock_shared_init_),
    .preference = RW_PREFER_READERS,
    RW_MEMBERS(ulock_shared),
    RW_TRY_MEMBERS(ulock_shared),
    RW_NOT_TIMED,
};

const struct cond_adapter cond_adapter_kernel_requeue = {
    .name = "kernel-requeue",
    .about = "a broadcast that requeues, on furwock.ko's CMP_REQUEUE (Molnar 2003)",
    .family = FAMILY_CLASSIC,
    .flags = KERNEL,
    ADAPTER_OBJECT(struct pair, pair_init_),
    COND_PLACE(struct pair, cond),
    COND_MEMBERS(pair),
};

ADAPTER_INIT(units_full, classic_updown, (*l = (classic_updown){INT32_MAX, CALL_FLAGS(shared)}, 0))
ADAPTER_INIT(units, classic_updown, (l->flags = CALL_FLAGS(shared), 0))
SEM_CALLS(units, classic_updown, (void)classic_updown_down_until(l, FW_KERNEL_NEVER),
          classic_updown_trydown(l), classic_updown_up(l, 0), classic_updown_value(l))
ADAPTER_UNTIL(units_timedwait_, classic_updown,
              classic_updown_down_until(l, (int64_t)clock_ns_of(at)))

const struct sem_adapter sem_adapter_kernel_updown = {
    .name = "kernel-updown",
    .about = "UP and DOWN of Linux 2.5.7, counting, by furwock.ko (Franke et al. 2002, 3.1.1)",
    .family = FAMILY_CLASSIC,
    .flags = KERNEL,
    ADAPTER_OBJECT(classic_updown, units_init_),
    SEM_MEMBERS(units),
    .timedwait = units_timedwait_,
};
