/* SPDX-License-Identifier: MIT */
/* absl::Mutex of Abseil (abseil.io).  It has no timed call without a condition. */
#include <new>

#include <absl/synchronization/mutex.h>

#include "adapter_define.h"

/* Where the library was built without NDEBUG, each lock looks for deadlocks, unless told not to. */
static int make(absl::Mutex *m)
{
    absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore);
    new (m) absl::Mutex;
    return 0;
}

ADAPTER_INIT(abseil, absl::Mutex, make(l))
ADAPTER_DESTROY(abseil, absl::Mutex, l->~Mutex())
ADAPTER_CALLS(abseil, absl::Mutex, l->Lock(), l->Unlock())
ADAPTER_TRYLOCK(abseil, absl::Mutex, l->TryLock() ? 0 : EBUSY)

extern "C" {
extern const struct adapter adapter_abseil;
}

const struct adapter adapter_abseil = {
    .name = "abseil",
    .about = "absl::Mutex of Abseil",
    .family = FAMILY_RIVAL,
    .flags = ADAPTER_BLOCKS | ADAPTER_SPINS,
    .size = sizeof(absl::Mutex),
    .align = alignof(absl::Mutex),
    .init = abseil_init_,
    .destroy = abseil_destroy_,
    .lock = abseil_lock_,
    .unlock = abseil_unlock_,
    .trylock = abseil_trylock_,
    .timedlock = nullptr,
    .unlock_fair = nullptr,
    .loop = abseil_loop_,
};
