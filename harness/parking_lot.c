/* SPDX-License-Identifier: MIT */
/* The mutex of parking_lot, a Rust crate. */
#include "rust/rust.h"

#include "adapter_define.h"
#include "clock.h"

static int lock_until(struct rust_parking_lot *l, const struct timespec *at)
{
    uint64_t end = (uint64_t)at->tv_sec * 1000000000u + (uint64_t)at->tv_nsec;
    uint64_t now = clock_ns();

    return rust_parking_lot_lock_for(l, end > now ? end - now : 0) ? 0 : ETIMEDOUT;
}

ADAPTER_INIT(parking, struct rust_parking_lot, (rust_parking_lot_init(l), 0))
ADAPTER_LOCKS(parking, struct rust_parking_lot, rust_parking_lot_lock(l),
              rust_parking_lot_unlock(l))
ADAPTER_TRYLOCK(parking, struct rust_parking_lot, rust_parking_lot_trylock(l) ? 0 : EBUSY)
ADAPTER_TIMEDLOCK(parking, struct rust_parking_lot, lock_until(l, at))

/* The loop is Rust's as well: a user's program is one language. */
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
