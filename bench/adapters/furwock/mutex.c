/* SPDX-License-Identifier: MIT */
/* furwock/mutex.h: as it comes, with the fair unlock, and with each wait policy. */
#include <furwock/mutex.h>

#include "bench/adapters/adapter_define.h"
#include "measure/deadline.h"
#include "thread/mutex_word.h"

/* The paper's spin variants poll for that long (Franke, Russell and Kirkwood, section 4.1). */
enum { PAPER_SPIN_NS = 3000 };

static const fw_wait_policy wait_block = {FW_WAIT_BLOCK, 0};
static const fw_wait_policy wait_spin3 = {FW_WAIT_SPIN_THEN_BLOCK, PAPER_SPIN_NS};
/* What the default polls for where it is not known whether the owner runs. */
static const fw_wait_policy wait_spin7 = {FW_WAIT_SPIN_THEN_BLOCK, 7000};
static const fw_wait_policy wait_spin = {FW_WAIT_SPIN, 0};
static const fw_wait_policy wait_yield = {FW_WAIT_YIELD, 0};

ADAPTER_ZERO_IS_FREE(mutex)
ADAPTER_TRYLOCK(mutex, fw_mutex, fw_mutex_trylock(l))
ADAPTER_UNLOCK_FAIR(mutex, fw_mutex, fw_mutex_unlock_fair(l))

static uint64_t mutex_line_(const void *lock)
{
    return fw_load64_relaxed(&((const fw_mutex *)lock)->state_) / MUTEX_WAITER;
}

/* What the variants have in common: everything but how they lock and unlock. */
#define MUTEX_FLAGS (ADAPTER_OWNER | ADAPTER_FREEABLE | ADAPTER_SIGNAL | ADAPTER_ZERO)
#define MUTEX_VARIANT(stem)                                                                       \
    .family = FAMILY_FURWOCK, .size = sizeof(fw_mutex), .align = _Alignof(fw_mutex),              \
    .init = mutex_init_, .lock = stem##_lock_, .unlock = stem##_unlock_, .loop = stem##_loop_,    \
    .trylock = mutex_trylock_, .timedlock = stem##_timedlock_, .unlock_fair = mutex_unlock_fair_, \
    .line = mutex_line_

#define MUTEX_POLICY(stem, policy)                                              \
    ADAPTER_CALLS(stem, fw_mutex, (void)!fw_mutex_lock_policy(l, policy, NULL), \
                  fw_mutex_unlock(l))                                           \
    ADAPTER_TIMEDLOCK(stem, fw_mutex, fw_mutex_lock_policy(l, policy, DEADLINE(at)))

ADAPTER_CALLS(plain, fw_mutex, fw_mutex_lock(l), fw_mutex_unlock(l))
ADAPTER_TIMEDLOCK(plain, fw_mutex, fw_mutex_timedlock(l, DEADLINE(at)))
ADAPTER_CALLS(fair, fw_mutex, fw_mutex_lock(l), fw_mutex_unlock_fair(l))
ADAPTER_TIMEDLOCK(fair, fw_mutex, fw_mutex_timedlock(l, DEADLINE(at)))
MUTEX_POLICY(block, &wait_block)
MUTEX_POLICY(spin3, &wait_spin3)
MUTEX_POLICY(spin7, &wait_spin7)
MUTEX_POLICY(spin, &wait_spin)
MUTEX_POLICY(yield, &wait_yield)

const struct adapter adapter_furwock = {
    .name = "furwock",
    .about = "fw_mutex with the default wait policy",
    .flags = MUTEX_FLAGS | ADAPTER_BLOCKS | ADAPTER_SPINS,
    MUTEX_VARIANT(plain),
};

const struct adapter adapter_furwock_fair = {
    .name = "furwock-fair",
    .about = "fw_mutex, always released by fw_mutex_unlock_fair",
    .flags = MUTEX_FLAGS | ADAPTER_FAIR | ADAPTER_BLOCKS | ADAPTER_SPINS,
    MUTEX_VARIANT(fair),
};

const struct adapter adapter_furwock_block = {
    .name = "furwock-block",
    .about = "fw_mutex, waiters sleep at once",
    .flags = MUTEX_FLAGS | ADAPTER_BLOCKS,
    MUTEX_VARIANT(block),
};

const struct adapter adapter_furwock_spin3 = {
    .name = "furwock-spin3",
    .about = "fw_mutex, waiters poll for 3 us, then sleep",
    .flags = MUTEX_FLAGS | ADAPTER_BLOCKS | ADAPTER_SPINS,
    MUTEX_VARIANT(spin3),
};

const struct adapter adapter_furwock_spin7 = {
    .name = "furwock-spin7",
    .about = "fw_mutex, waiters poll for 7 us, then sleep",
    .flags = MUTEX_FLAGS | ADAPTER_BLOCKS | ADAPTER_SPINS,
    MUTEX_VARIANT(spin7),
};

const struct adapter adapter_furwock_spin = {
    .name = "furwock-spin",
    .about = "fw_mutex, waiters poll and never sleep",
    .flags = MUTEX_FLAGS | ADAPTER_SPINS,
    MUTEX_VARIANT(spin),
};

const struct adapter adapter_furwock_yield = {
    .name = "furwock-yield",
    .about = "fw_mutex, waiters yield the CPU and never sleep",
    .flags = MUTEX_FLAGS | ADAPTER_SPINS,
    MUTEX_VARIANT(yield),
};
