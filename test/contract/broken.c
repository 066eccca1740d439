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

/* Two steps where one is needed: looks, and then takes. */
static void look_then_take(void *lock)
{
    struct base *l = lock;

    while (__atomic_load_n(&l->taken, __ATOMIC_ACQUIRE) != 0)
        doze();
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

/* One waiter in that many is never woken. */
static void acquire_or_oversleep(void *lock)
{
    struct base *l = lock;
    unsigned looks = 0;

    while (!take(l)) {
        if (++looks == 1)
            oversleep(&l->aside);
        doze();
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
        doze();
}

#define WRONG(name_, flags_, lock_, unlock_, try_, timed_)                               \
    {                                                                                    \
        .name = (name_), .about = "wrong", .family = FAMILY_RIVAL, .flags = (flags_),    \
        .size = sizeof(struct base), .align = _Alignof(struct base), .init = base_init_, \
        .lock = (lock_), .unlock = (unlock_), .loop = base_loop_, .trylock = (try_),     \
        .timedlock = (timed_)                                                            \
    }

static const struct adapter wrong[] = {
    WRONG("excludes-nobody", ADAPTER_BLOCKS, look_then_take, base_unlock_, base_trylock_,
          base_timedlock_),
    WRONG("tries-lie", ADAPTER_BLOCKS, base_lock_, base_unlock_, try_and_say_yes, base_timedlock_),
    WRONG("gives-up-early", ADAPTER_BLOCKS, base_lock_, base_unlock_, base_trylock_,
          give_up_at_once),
    WRONG("never-gives-up", ADAPTER_BLOCKS, base_lock_, base_unlock_, base_trylock_, never_give_up),
    WRONG("loses-the-lock", ADAPTER_BLOCKS, base_lock_, base_unlock_, base_trylock_,
          give_up_and_take),
    WRONG("oversleeps", ADAPTER_BLOCKS, acquire_or_oversleep, base_unlock_, base_trylock_,
          base_timedlock_),
    WRONG("touches-freed-memory", ADAPTER_BLOCKS | ADAPTER_FREEABLE, base_lock_, release_and_touch,
          base_trylock_, base_timedlock_),
    WRONG("spills", ADAPTER_BLOCKS, base_lock_, release_and_spill, base_trylock_, base_timedlock_),
    WRONG("zero-is-taken", ADAPTER_BLOCKS | ADAPTER_ZERO, acquire_from_one, base_unlock_,
          base_trylock_, base_timedlock_),
    WRONG("is-not-fair", ADAPTER_FAIR, base_lock_, base_unlock_, base_trylock_, base_timedlock_),
    WRONG("knows-no-owner", ADAPTER_BLOCKS | ADAPTER_OWNER, base_lock_, base_unlock_, base_trylock_,
          base_timedlock_),
    WRONG("polls", ADAPTER_BLOCKS, base_lock_, base_unlock_, base_trylock_, base_timedlock_),
};

const struct adapter *adapter_list[] = {
    &wrong[0], &wrong[1], &wrong[2], &wrong[3],  &wrong[4],  &wrong[5], &wrong[6],
    &wrong[7], &wrong[8], &wrong[9], &wrong[10], &wrong[11], NULL,
};

struct missing_adapter adapter_missing[] = {{NULL, NULL}};
