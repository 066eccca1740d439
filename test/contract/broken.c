/* SPDX-License-Identifier: MIT */
/*
 * Locks that are wrong, each in one way: the contract tests have to fail on them, or they prove
 * nothing.
 */
#include "broken.h"

ADAPTER_ZERO_IS_FREE(base)
ADAPTER_CALLS(base, struct base, acquire(l), release(l))
ADAPTER_TRYLOCK(base, struct base, take(l) ? 0 : EBUSY)
ADAPTER_TIMEDLOCK(base, struct base, take_until(l, at))

#define WRONG(lock_, unlock_, try_, timed_)                                               \
    .about = "wrong", .family = FAMILY_RIVAL, .size = sizeof(struct base),                \
    .align = _Alignof(struct base), .init = base_init_, .lock = lock_, .unlock = unlock_, \
    .loop = base_loop_, .trylock = try_, .timedlock = timed_

/* Two steps where one is needed: looks, and then takes. */
static void look_then_take(void *lock)
{
    struct base *l = lock;

    while (__atomic_load_n(&l->taken, __ATOMIC_ACQUIRE) != 0)
        sched_yield();
    sched_yield();
    __atomic_store_n(&l->taken, 1, __ATOMIC_RELAXED);
}

static int try_and_say_yes(void *lock)
{
    take(lock);
    return 0;
}

static int give_up_at_once(void *lock, const struct timespec *at)
{
    (void)at;
    return take(lock) ? 0 : ETIMEDOUT;
}

static int never_give_up(void *lock, const struct timespec *at)
{
    (void)at;
    acquire(lock);
    return 0;
}

/* Gives up, and takes the lock with it, now and then. */
static int give_up_and_take(void *lock, const struct timespec *at)
{
    int answer = take_until(lock, at);

    return answer == 0 && at->tv_nsec % 64 == 0 ? ETIMEDOUT : answer;
}

/* One waiter in so many is never woken. */
static void acquire_or_oversleep(void *lock)
{
    struct base *l = lock;
    unsigned looks = 0;

    while (!take(l)) {
        if (++looks == 1)
            oversleep(&l->aside);
        sched_yield();
    }
}

static void release_and_touch(void *lock)
{
    struct base *l = lock;

    release(l);
    touch(&l->aside);
}

static void release_and_spill(void *lock)
{
    ((struct base *)lock)[1].taken = 1;
    release(lock);
}

static void acquire_from_one(void *lock)
{
    struct base *l = lock;
    uint32_t one = 1;

    for (; !__atomic_compare_exchange_n(&l->taken, &one, 0, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
         one = 1)
        sched_yield();
}

static const struct adapter excludes_nobody = {
    .name = "excludes-nobody",
    .flags = ADAPTER_BLOCKS,
    WRONG(look_then_take, base_unlock_, base_trylock_, base_timedlock_),
};

static const struct adapter tries_lie = {
    .name = "tries-lie",
    .flags = ADAPTER_BLOCKS,
    WRONG(base_lock_, base_unlock_, try_and_say_yes, base_timedlock_),
};

static const struct adapter gives_up_early = {
    .name = "gives-up-early",
    .flags = ADAPTER_BLOCKS,
    WRONG(base_lock_, base_unlock_, base_trylock_, give_up_at_once),
};

static const struct adapter never_gives_up = {
    .name = "never-gives-up",
    .flags = ADAPTER_BLOCKS,
    WRONG(base_lock_, base_unlock_, base_trylock_, never_give_up),
};

static const struct adapter loses_the_lock = {
    .name = "loses-the-lock",
    .flags = ADAPTER_BLOCKS,
    WRONG(base_lock_, base_unlock_, base_trylock_, give_up_and_take),
};

static const struct adapter oversleeps = {
    .name = "oversleeps",
    .flags = ADAPTER_BLOCKS,
    WRONG(acquire_or_oversleep, base_unlock_, base_trylock_, base_timedlock_),
};

static const struct adapter touches_freed_memory = {
    .name = "touches-freed-memory",
    .flags = ADAPTER_BLOCKS | ADAPTER_FREEABLE,
    WRONG(base_lock_, release_and_touch, base_trylock_, base_timedlock_),
};

static const struct adapter spills = {
    .name = "spills",
    .flags = ADAPTER_BLOCKS,
    WRONG(base_lock_, release_and_spill, base_trylock_, base_timedlock_),
};

static const struct adapter zero_is_taken = {
    .name = "zero-is-taken",
    .flags = ADAPTER_BLOCKS | ADAPTER_ZERO,
    WRONG(acquire_from_one, base_unlock_, base_trylock_, base_timedlock_),
};

static const struct adapter is_not_fair = {
    .name = "is-not-fair",
    .flags = ADAPTER_FAIR,
    WRONG(base_lock_, base_unlock_, base_trylock_, base_timedlock_),
};

static const struct adapter knows_no_owner = {
    .name = "knows-no-owner",
    .flags = ADAPTER_BLOCKS | ADAPTER_OWNER,
    WRONG(base_lock_, base_unlock_, base_trylock_, base_timedlock_),
};

static const struct adapter polls = {
    .name = "polls",
    .flags = ADAPTER_BLOCKS,
    WRONG(base_lock_, base_unlock_, base_trylock_, base_timedlock_),
};

const struct adapter *const adapter_list[] = {
    &excludes_nobody,
    &tries_lie,
    &gives_up_early,
    &never_gives_up,
    &loses_the_lock,
    &oversleeps,
    &touches_freed_memory,
    &spills,
    &zero_is_taken,
    &is_not_fair,
    &knows_no_owner,
    &polls,
    NULL,
};

const struct missing_adapter adapter_missing[] = {{NULL, NULL}};
