/* SPDX-License-Identifier: MIT */
/* The locks of parking_lot, a Rust crate.  Their loops are Rust's as well: a user's program is one
 * language. */
#include "rust/rust.h"

#include "bench/adapters/cond_adapter_define.h"
#include "bench/adapters/rw_adapter_define.h"
#include "measure/clock.h"

static uint64_t until(const struct timespec *at)
{
    uint64_t end = clock_ns_of(at), now = clock_ns();

    return end > now ? end - now : 0;
}

ADAPTER_INIT(parking, struct rust_parking_lot, (rust_parking_lot_init(l), 0))
ADAPTER_LOCKS(parking, struct rust_parking_lot, rust_parking_lot_lock(l),
              rust_parking_lot_unlock(l))
ADAPTER_TRYLOCK(parking, struct rust_parking_lot, rust_parking_lot_trylock(l) ? 0 : EBUSY)
ADAPTER_TIMEDLOCK(parking, struct rust_parking_lot,
                  rust_parking_lot_lock_for(l, until(at)) ? 0 : ETIMEDOUT)

static void parking_loop_(void *lock, uint64_t n)
{
    rust_parking_lot_loop(lock, n);
}

const struct adapter adapter_parking_lot = {
    .name = "parking_lot",
    .about = "parking_lot::Mutex, a Rust crate",
    .family = FAMILY_RIVAL,
    .flags = ADAPTER_BLOCKS | ADAPTER_SPINS,
    ADAPTER_TYPE(parking, struct rust_parking_lot),
    .trylock = parking_trylock_,
    .timedlock = parking_timedlock_,
};

typedef struct rust_parking_rw parking_rw;

ADAPTER_INIT(rw, parking_rw, (rust_parking_rw_init(l), 0))
ADAPTER_LOCKS(rw_rd, parking_rw, rust_parking_rw_rdlock(l), rust_parking_rw_rdunlock(l))
ADAPTER_LOCKS(rw_wr, parking_rw, rust_parking_rw_wrlock(l), rust_parking_rw_wrunlock(l))
RW_TRIES(rw, parking_rw, rust_parking_rw_tryrdlock(l) ? 0 : EBUSY,
         rust_parking_rw_trywrlock(l) ? 0 : EBUSY)
RW_TIMED(rw, parking_rw, rust_parking_rw_rdlock_for(l, until(at)) ? 0 : ETIMEDOUT,
         rust_parking_rw_wrlock_for(l, until(at)) ? 0 : ETIMEDOUT)

static void rw_rd_loop_(void *lock, uint64_t n)
{
    rust_parking_rw_rdloop(lock, n);
}

static void rw_wr_loop_(void *lock, uint64_t n)
{
    rust_parking_rw_wrloop(lock, n);
}

/*
 * Fair in the long run, but not phase-fair: a writer that unlocks and locks again at once was seen
 * to come in once more before a reader that waited.
 */
const struct rw_adapter rw_adapter_parking_lot = {
    .name = "parking_lot",
    .about = "parking_lot::RwLock, a Rust crate",
    .family = FAMILY_RIVAL,
    .flags = ADAPTER_BLOCKS | ADAPTER_SPINS,
    ADAPTER_OBJECT(parking_rw, rw_init_),
    .preference = RW_PREFER_NONE,
    RW_MEMBERS(rw),
    RW_TRY_MEMBERS(rw),
    RW_TIMED_MEMBERS(rw),
};

typedef struct rust_parking_cond parking_cond;

ADAPTER_INIT(pair, parking_cond, (rust_parking_cond_init(l), 0))
COND_CALLS(pair, parking_cond, rust_parking_cond_lock(l), rust_parking_cond_unlock(l),
           rust_parking_cond_wait(l), rust_parking_cond_signal(l), rust_parking_cond_broadcast(l))
COND_TIMED(pair, parking_cond, rust_parking_cond_wait_for(l, until(at)) ? ETIMEDOUT : 0)

const struct cond_adapter cond_adapter_parking_lot = {
    .name = "parking_lot",
    .about = "parking_lot::Condvar and Mutex, a Rust crate",
    .family = FAMILY_RIVAL,
    .flags = ADAPTER_BLOCKS | ADAPTER_SPINS,
    ADAPTER_OBJECT(parking_cond, pair_init_),
    COND_MEMBERS(pair),
};
