/* SPDX-License-Identifier: MIT */
/*
 * The futex paper's blocking locks with futex calls that work between processes, whoever uses them:
 * between threads, too, they look up the memory behind the address, as those of 2002 did (Franke,
 * Russell and Kirkwood, section 3.1.1).  Beside the plain ones, that shows what private calls save.
 */
#include "bench/classics/futex.h"
#include "bench/classics/ulock.h"
#include "bench/classics/ulock_fair.h"

#include "bench/adapters/adapter_define.h"

ADAPTER_INIT(futex, classic_futex, (*l = (classic_futex)CLASSIC_FUTEX_INIT, 0))
ADAPTER_TRYLOCK(futex, classic_futex, classic_futex_trydown(l))
ADAPTER_CALLS(futex, classic_futex, classic_futex_down(l), classic_futex_up(l))
ADAPTER_CALLS(futex_fair, classic_futex, classic_futex_down(l), classic_futex_up_fair(l))

ADAPTER_INIT(ulock, classic_ulock, (*l = (classic_ulock)CLASSIC_ULOCK_INIT, 0))
ADAPTER_TRYLOCK(ulock, classic_ulock, classic_ulock_trylock(l))
ADAPTER_CALLS(ulock, classic_ulock, classic_ulock_lock(l), classic_ulock_unlock(l))

ADAPTER_INIT(ulock_fair, classic_ulock_fair, (*l = (classic_ulock_fair)CLASSIC_ULOCK_FAIR_INIT, 0))
ADAPTER_TRYLOCK(ulock_fair, classic_ulock_fair, classic_ulock_fair_trylock(l))
ADAPTER_CALLS(ulock_fair, classic_ulock_fair, classic_ulock_fair_lock(l),
              classic_ulock_fair_unlock(l))

#define BLOCKING (ADAPTER_SHARED | ADAPTER_BLOCKS)
const struct adapter adapter_futex_pshared = {
    .name = "futex-pshared",
    .about = "futex, its futex calls process-shared between threads too",
    .family = FAMILY_CLASSIC,
    .flags = BLOCKING | ADAPTER_FREEABLE,
    ADAPTER_VARIANT(futex, classic_futex, futex),
};

const struct adapter adapter_futex_fair_pshared = {
    .name = "futex-fair-pshared",
    .about = "futex-fair, its futex calls process-shared between threads too",
    .family = FAMILY_CLASSIC,
    .flags = BLOCKING | ADAPTER_FAIR,
    ADAPTER_VARIANT(futex_fair, classic_futex, futex),
};

const struct adapter adapter_ulock_pshared = {
    .name = "ulock-pshared",
    .about = "ulock, its futex calls process-shared between threads too",
    .family = FAMILY_CLASSIC,
    .flags = BLOCKING,
    ADAPTER_VARIANT(ulock, classic_ulock, ulock),
};

const struct adapter adapter_ulock_fair_pshared = {
    .name = "ulock-fair-pshared",
    .about = "ulock-fair, its futex calls process-shared between threads too",
    .family = FAMILY_CLASSIC,
    .flags = BLOCKING | ADAPTER_FAIR,
    ADAPTER_VARIANT(ulock_fair, classic_ulock_fair, ulock_fair),
};
