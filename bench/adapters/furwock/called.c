/* SPDX-License-Identifier: MIT */
/*
 * The same locks by calls alone: a fast path that the headers compile into the caller is here the
 * library's linkable copy of it, as a program has it that does not compile the headers (ctypes,
 * a foreign function interface).  Beside rivals that are called, this is the lock without the
 * advantage of being compiled in.
 */
#include <furwock/mutex.h>
#include <furwock/rwlock.h>

#include "bench/adapters/adapter_define.h"
#include "bench/adapters/rw_adapter_define.h"
#include "measure/deadline.h"

/* Another name for the exported function: that of the header is an inline one. */
#define CALLED(called, function, type) void called(type *) __asm__(#function)

CALLED(mutex_lock_called, fw_mutex_lock, fw_mutex);
CALLED(rdlock_called, fw_rwlock_rdlock, fw_rwlock);
CALLED(rdunlock_called, fw_rwlock_rdunlock, fw_rwlock);
CALLED(wrlock_called, fw_rwlock_wrlock, fw_rwlock);
CALLED(wrunlock_called, fw_rwlock_wrunlock, fw_rwlock);

ADAPTER_ZERO_IS_FREE(called)

ADAPTER_CALLS(mutex, fw_mutex, mutex_lock_called(l), fw_mutex_unlock(l))
ADAPTER_TRYLOCK(mutex, fw_mutex, fw_mutex_trylock(l))
ADAPTER_TIMEDLOCK(mutex, fw_mutex, fw_mutex_timedlock(l, DEADLINE(at)))
ADAPTER_UNLOCK_FAIR(mutex, fw_mutex, fw_mutex_unlock_fair(l))

const struct adapter adapter_furwock_called = {
    .name = "furwock-called",
    .about = "fw_mutex by the library's functions, none compiled into the caller",
    .family = FAMILY_FURWOCK,
    .flags = ADAPTER_OWNER | ADAPTER_FREEABLE | ADAPTER_SIGNAL | ADAPTER_ZERO | ADAPTER_BLOCKS |
             ADAPTER_SPINS,
    ADAPTER_OBJECT(fw_mutex, called_init_),
    .lock = mutex_lock_,
    .unlock = mutex_unlock_,
    .loop = mutex_loop_,
    .trylock = mutex_trylock_,
    .timedlock = mutex_timedlock_,
    .unlock_fair = mutex_unlock_fair_,
};

RW_CALLS(rwlock, fw_rwlock, rdlock_called(l), rdunlock_called(l), wrlock_called(l),
         wrunlock_called(l))
RW_TRIES(rwlock, fw_rwlock, fw_rwlock_tryrdlock(l), fw_rwlock_trywrlock(l))
RW_TIMED(rwlock, fw_rwlock, fw_rwlock_timedrdlock(l, DEADLINE(at)),
         fw_rwlock_timedwrlock(l, DEADLINE(at)))

const struct rw_adapter rw_adapter_furwock_called = {
    .name = "furwock-rw-called",
    .about = "fw_rwlock, phase-fair, by the library's functions, none compiled into the caller",
    .family = FAMILY_FURWOCK,
    .flags = ADAPTER_BLOCKS | ADAPTER_SPINS | ADAPTER_OWNER | ADAPTER_FREEABLE | ADAPTER_ZERO,
    ADAPTER_OBJECT(fw_rwlock, called_init_),
    .preference = RW_PREFER_FAIR,
    RW_MEMBERS(rwlock),
    RW_TRY_MEMBERS(rwlock),
    RW_TIMED_MEMBERS(rwlock),
};
