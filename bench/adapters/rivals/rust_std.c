/* SPDX-License-Identifier: MIT */
/* std::sync::Mutex of Rust, which knows no timed lock. */
#include "rust/rust.h"

#include "bench/adapters/adapter_define.h"

ADAPTER_INIT(std, struct rust_std, (rust_std_init(l), 0))
ADAPTER_LOCKS(std, struct rust_std, rust_std_lock(l), rust_std_unlock(l))
ADAPTER_TRYLOCK(std, struct rust_std, rust_std_trylock(l) ? 0 : EBUSY)

/* The loop is Rust's as well: a user's program is one language. */
static void std_loop_(void *lock, uint64_t n)
{
    rust_std_loop(lock, n);
}

const struct adapter adapter_rust_std = {
    .name = "rust-std",
    .about = "std::sync::Mutex of Rust",
    .family = FAMILY_RIVAL,
    .flags = ADAPTER_BLOCKS | ADAPTER_SPINS,
    ADAPTER_TYPE(std, struct rust_std),
    .trylock = std_trylock_,
};
