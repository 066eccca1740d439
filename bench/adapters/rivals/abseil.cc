/* SPDX-License-Identifier: MIT */
/* absl::Mutex and CondVar of Abseil (abseil.io).  The mutex has no timed call of its own. */
#include <new>

#include <absl/synchronization/mutex.h>

#include "bench/adapters/cond_adapter_define.h"
#include "bench/adapters/rw_adapter_define.h"
#include "measure/clock.h"

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
RW_CALLS(abseil, absl::Mutex, l->ReaderLock(), l->ReaderUnlock(), l->Lock(), l->Unlock())
RW_TRIES(abseil, absl::Mutex, l->ReaderTryLock() ? 0 : EBUSY, l->TryLock() ? 0 : EBUSY)

struct pair {
    absl::Mutex mutex;
    absl::CondVar cond;
};

static int wait_until(pair *p, const struct timespec *at)
{
    struct timespec end = clock_realtime_of(at);

    return p->cond.WaitWithDeadline(&p->mutex, absl::TimeFromTimespec(end)) ? ETIMEDOUT : 0;
}

ADAPTER_INIT(pair, pair, (make(&l->mutex), new (&l->cond) absl::CondVar, 0))
ADAPTER_DESTROY(pair, pair, l->~pair())
COND_CALLS(pair, pair, l->mutex.Lock(), l->mutex.Unlock(), l->cond.Wait(&l->mutex),
           l->cond.Signal(), l->cond.SignalAll())
COND_TIMED(pair, pair, wait_until(l, at))

static int await(absl::Mutex *m, const absl::Condition &holds, const struct timespec *at)
{
    if (at != nullptr)
        return m->AwaitWithDeadline(holds, absl::TimeFromTimespec(clock_realtime_of(at)))
                   ? 0
                   : ETIMEDOUT;
    m->Await(holds);
    return 0;
}

COND_AWAIT(pair, pair, await(&l->mutex, absl::Condition(holds, arg), at))

extern "C" {
extern const struct adapter adapter_abseil;
extern const struct rw_adapter rw_adapter_abseil;
extern const struct cond_adapter cond_adapter_abseil;
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
    .line = nullptr,
};

const struct rw_adapter rw_adapter_abseil = {
    .name = "abseil",
    .about = "absl::Mutex of Abseil, for reading too",
    .family = FAMILY_RIVAL,
    .flags = ADAPTER_BLOCKS | ADAPTER_SPINS,
    ADAPTER_OBJECT(absl::Mutex, abseil_init_),
    .destroy = abseil_destroy_,
    .preference = RW_PREFER_NONE,
    RW_MEMBERS(abseil),
    RW_TRY_MEMBERS(abseil),
    RW_NOT_TIMED,
};

/* A wait that reports a timeout may have taken a signal: it is documented, and was seen. */
const struct cond_adapter cond_adapter_abseil = {
    .name = "abseil",
    .about = "absl::CondVar and absl::Mutex of Abseil",
    .family = FAMILY_RIVAL,
    .flags = ADAPTER_BLOCKS | ADAPTER_SPINS,
    ADAPTER_OBJECT(pair, pair_init_),
    .destroy = pair_destroy_,
    .cond_at = 0,
    .cond_size = 0,
    .destroy_cond = nullptr,
    COND_MEMBERS(pair),
    .await = pair_await_,
};
