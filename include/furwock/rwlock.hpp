// SPDX-License-Identifier: MIT
#ifndef FURWOCK_RWLOCK_HPP
#define FURWOCK_RWLOCK_HPP

#include <furwock/bits/chrono.hpp>
#include <furwock/rwlock.h>

namespace fw {

/* Which waiters go first in a shared_mutex: furwock/rwlock.h. */
enum class preference {
    fair = FW_RWLOCK_FAIR,
    readers = FW_RWLOCK_PREFER_READERS,
    writers = FW_RWLOCK_PREFER_WRITERS,
    greedy = FW_RWLOCK_GREEDY
};

/*
 * fw_rwlock (furwock/rwlock.h) as a SharedTimedLockable; constant-initialised, 16 bytes.  The third
 * mode, upgradable, has the calls of a TimedLockable with "upgrade" in their names, and calls that
 * turn one mode into another.
 */
class FW_CAPABILITY("read-write lock") shared_mutex {
  public:
    using native_handle_type = fw_rwlock *;

    constexpr shared_mutex() noexcept = default;
    constexpr explicit shared_mutex(preference p) noexcept : l_(make(p)) {}
    shared_mutex(const shared_mutex &) = delete;
    shared_mutex &operator=(const shared_mutex &) = delete;

    void lock() noexcept FW_ACQUIRE() FW_NO_THREAD_SAFETY_ANALYSIS
    {
        fw_rwlock_wrlock(&l_);
    }

    void lock(const wait_policy &policy) noexcept FW_ACQUIRE() FW_NO_THREAD_SAFETY_ANALYSIS
    {
        (void)fw_rwlock_wrlock_policy(&l_, policy.native_handle(), nullptr);
    }

    [[nodiscard]] bool try_lock() noexcept FW_TRY_ACQUIRE(true) FW_NO_THREAD_SAFETY_ANALYSIS
    {
        return fw_rwlock_trywrlock(&l_) == 0;
    }

    template <class Rep, class Period>
    [[nodiscard]] bool try_lock_for(const std::chrono::duration<Rep, Period> &d,
                                    const wait_policy &policy = {})
        FW_TRY_ACQUIRE(true) FW_NO_THREAD_SAFETY_ANALYSIS
    {
        return detail::done_within(fw_rwlock_wrlock_policy, &l_, d, policy);
    }

    template <class Clock, class Duration>
    [[nodiscard]] bool try_lock_until(const std::chrono::time_point<Clock, Duration> &at,
                                      const wait_policy &policy = {})
        FW_TRY_ACQUIRE(true) FW_NO_THREAD_SAFETY_ANALYSIS
    {
        return detail::done_by(fw_rwlock_wrlock_policy, &l_, at, policy);
    }

    void unlock() noexcept FW_RELEASE() FW_NO_THREAD_SAFETY_ANALYSIS
    {
        fw_rwlock_wrunlock(&l_);
    }

    void lock_shared() noexcept FW_ACQUIRE_SHARED() FW_NO_THREAD_SAFETY_ANALYSIS
    {
        fw_rwlock_rdlock(&l_);
    }

    void lock_shared(const wait_policy &policy) noexcept
        FW_ACQUIRE_SHARED() FW_NO_THREAD_SAFETY_ANALYSIS
    {
        if (fw_rwlock_rdlock_policy(&l_, policy.native_handle(), nullptr) != 0)
            fw_rwlock_rdlock(&l_); /* aborts: too many read locks */
    }

    [[nodiscard]] bool try_lock_shared() noexcept
        FW_TRY_ACQUIRE_SHARED(true) FW_NO_THREAD_SAFETY_ANALYSIS
    {
        return fw_rwlock_tryrdlock(&l_) == 0;
    }

    template <class Rep, class Period>
    [[nodiscard]] bool try_lock_shared_for(const std::chrono::duration<Rep, Period> &d,
                                           const wait_policy &policy = {})
        FW_TRY_ACQUIRE_SHARED(true) FW_NO_THREAD_SAFETY_ANALYSIS
    {
        return detail::done_within(fw_rwlock_rdlock_policy, &l_, d, policy);
    }

    template <class Clock, class Duration>
    [[nodiscard]] bool try_lock_shared_until(const std::chrono::time_point<Clock, Duration> &at,
                                             const wait_policy &policy = {})
        FW_TRY_ACQUIRE_SHARED(true) FW_NO_THREAD_SAFETY_ANALYSIS
    {
        return detail::done_by(fw_rwlock_rdlock_policy, &l_, at, policy);
    }

    void unlock_shared() noexcept FW_RELEASE_SHARED() FW_NO_THREAD_SAFETY_ANALYSIS
    {
        fw_rwlock_rdunlock(&l_);
    }

    void lock_upgrade() noexcept FW_ACQUIRE_SHARED() FW_NO_THREAD_SAFETY_ANALYSIS
    {
        fw_rwlock_upgradable_lock(&l_);
    }

    void lock_upgrade(const wait_policy &policy) noexcept
        FW_ACQUIRE_SHARED() FW_NO_THREAD_SAFETY_ANALYSIS
    {
        (void)fw_rwlock_upgradable_lock_policy(&l_, policy.native_handle(), nullptr);
    }

    [[nodiscard]] bool try_lock_upgrade() noexcept
        FW_TRY_ACQUIRE_SHARED(true) FW_NO_THREAD_SAFETY_ANALYSIS
    {
        return fw_rwlock_upgradable_trylock(&l_) == 0;
    }

    template <class Rep, class Period>
    [[nodiscard]] bool try_lock_upgrade_for(const std::chrono::duration<Rep, Period> &d,
                                            const wait_policy &policy = {})
        FW_TRY_ACQUIRE_SHARED(true) FW_NO_THREAD_SAFETY_ANALYSIS
    {
        return detail::done_within(fw_rwlock_upgradable_lock_policy, &l_, d, policy);
    }

    template <class Clock, class Duration>
    [[nodiscard]] bool try_lock_upgrade_until(const std::chrono::time_point<Clock, Duration> &at,
                                              const wait_policy &policy = {})
        FW_TRY_ACQUIRE_SHARED(true) FW_NO_THREAD_SAFETY_ANALYSIS
    {
        return detail::done_by(fw_rwlock_upgradable_lock_policy, &l_, at, policy);
    }

    void unlock_upgrade() noexcept FW_RELEASE_SHARED() FW_NO_THREAD_SAFETY_ANALYSIS
    {
        fw_rwlock_upgradable_unlock(&l_);
    }

    /* Upgradable -> exclusive.  Where it fails, the caller still has the lock upgradable. */
    void upgrade() noexcept FW_RELEASE_SHARED() FW_ACQUIRE() FW_NO_THREAD_SAFETY_ANALYSIS
    {
        fw_rwlock_upgrade(&l_);
    }

    [[nodiscard]] bool try_upgrade() noexcept
    {
        return fw_rwlock_tryupgrade(&l_) == 0;
    }

    template <class Rep, class Period>
    [[nodiscard]] bool try_upgrade_for(const std::chrono::duration<Rep, Period> &d)
    {
        return detail::done_within(fw_rwlock_timedupgrade, &l_, d);
    }

    template <class Clock, class Duration>
    [[nodiscard]] bool try_upgrade_until(const std::chrono::time_point<Clock, Duration> &at)
    {
        return detail::done_by(fw_rwlock_timedupgrade, &l_, at);
    }

    /* Exclusive or upgradable -> shared. */
    void downgrade() noexcept FW_RELEASE_GENERIC() FW_ACQUIRE_SHARED() FW_NO_THREAD_SAFETY_ANALYSIS
    {
        fw_rwlock_downgrade(&l_);
    }

    /* Exclusive -> upgradable. */
    void downgrade_upgradable() noexcept FW_RELEASE()
        FW_ACQUIRE_SHARED() FW_NO_THREAD_SAFETY_ANALYSIS
    {
        fw_rwlock_downgrade_upgradable(&l_);
    }

    /* The same under the names that Boost's guards use: see furwock/upgrade.hpp. */
    void unlock_upgrade_and_lock() noexcept FW_RELEASE_SHARED()
        FW_ACQUIRE() FW_NO_THREAD_SAFETY_ANALYSIS
    {
        upgrade();
    }

    [[nodiscard]] bool try_unlock_upgrade_and_lock() noexcept
    {
        return try_upgrade();
    }

    template <class Rep, class Period>
    [[nodiscard]] bool try_unlock_upgrade_and_lock_for(const std::chrono::duration<Rep, Period> &d)
    {
        return try_upgrade_for(d);
    }

    template <class Clock, class Duration>
    [[nodiscard]] bool
    try_unlock_upgrade_and_lock_until(const std::chrono::time_point<Clock, Duration> &at)
    {
        return try_upgrade_until(at);
    }

    void unlock_and_lock_upgrade() noexcept FW_RELEASE()
        FW_ACQUIRE_SHARED() FW_NO_THREAD_SAFETY_ANALYSIS
    {
        downgrade_upgradable();
    }

    void unlock_and_lock_shared() noexcept FW_RELEASE()
        FW_ACQUIRE_SHARED() FW_NO_THREAD_SAFETY_ANALYSIS
    {
        downgrade();
    }

    void unlock_upgrade_and_lock_shared() noexcept FW_RELEASE_SHARED()
        FW_ACQUIRE_SHARED() FW_NO_THREAD_SAFETY_ANALYSIS
    {
        downgrade();
    }

    /* Does the calling thread hold it for writing, or upgradable? */
    [[nodiscard]] bool is_held_by_me() const noexcept
    {
        return fw_rwlock_is_held_by_me(&l_);
    }

    native_handle_type native_handle() noexcept
    {
        return &l_;
    }

  private:
    static constexpr fw_rwlock make(preference p) noexcept
    {
        fw_rwlock fair = FW_RWLOCK_INIT;
        fw_rwlock readers = FW_RWLOCK_INIT_READERS;
        fw_rwlock writers = FW_RWLOCK_INIT_WRITERS;
        fw_rwlock greedy = FW_RWLOCK_INIT_GREEDY;

        return p == preference::readers   ? readers
               : p == preference::writers ? writers
               : p == preference::greedy  ? greedy
                                          : fair;
    }

    fw_rwlock l_ = FW_RWLOCK_INIT;
};

} // namespace fw

#endif
