// SPDX-License-Identifier: MIT
#ifndef FURWOCK_BRLOCK_HPP
#define FURWOCK_BRLOCK_HPP

#include <furwock/bits/chrono.hpp>
#include <furwock/bits/error.hpp>
#include <furwock/brlock.h>

namespace fw {

/*
 * fw_brlock (furwock/brlock.h) as a SharedTimedLockable.  The constructor allocates, and throws
 * std::system_error where there is no memory.
 *
 * The destructor of a lock that somebody holds leaves it as it is, and its memory allocated: so a
 * process can exit while detached threads read what a global lock protects, and so can a child of
 * fork whose parent's threads had it.  A global that threads still *ask for* while the process
 * exits is to be leaked: fw::brlock &table = *new fw::brlock;
 */
class FW_CAPABILITY("read-write lock") brlock {
  public:
    using native_handle_type = fw_brlock *;

    brlock()
    {
        detail::check(fw_brlock_init(&l_), "fw::brlock");
    }
    brlock(const brlock &) = delete;
    brlock &operator=(const brlock &) = delete;
    ~brlock()
    {
        (void)fw_brlock_trydestroy(&l_);
    }

    void lock() noexcept FW_ACQUIRE() FW_NO_THREAD_SAFETY_ANALYSIS
    {
        fw_brlock_wrlock(&l_);
    }

    void lock(const wait_policy &policy) noexcept FW_ACQUIRE() FW_NO_THREAD_SAFETY_ANALYSIS
    {
        (void)fw_brlock_wrlock_policy(&l_, policy.native_handle(), nullptr);
    }

    [[nodiscard]] bool try_lock() noexcept FW_TRY_ACQUIRE(true) FW_NO_THREAD_SAFETY_ANALYSIS
    {
        return fw_brlock_trywrlock(&l_) == 0;
    }

    template <class Rep, class Period>
    [[nodiscard]] bool try_lock_for(const std::chrono::duration<Rep, Period> &d,
                                    const wait_policy &policy = {})
        FW_TRY_ACQUIRE(true) FW_NO_THREAD_SAFETY_ANALYSIS
    {
        return detail::done_within(fw_brlock_wrlock_policy, &l_, d, policy);
    }

    template <class Clock, class Duration>
    [[nodiscard]] bool try_lock_until(const std::chrono::time_point<Clock, Duration> &at,
                                      const wait_policy &policy = {})
        FW_TRY_ACQUIRE(true) FW_NO_THREAD_SAFETY_ANALYSIS
    {
        return detail::done_by(fw_brlock_wrlock_policy, &l_, at, policy);
    }

    void unlock() noexcept FW_RELEASE() FW_NO_THREAD_SAFETY_ANALYSIS
    {
        fw_brlock_wrunlock(&l_);
    }

    void lock_shared() noexcept FW_ACQUIRE_SHARED() FW_NO_THREAD_SAFETY_ANALYSIS
    {
        fw_brlock_rdlock(&l_);
    }

    void lock_shared(const wait_policy &policy) noexcept
        FW_ACQUIRE_SHARED() FW_NO_THREAD_SAFETY_ANALYSIS
    {
        if (fw_brlock_rdlock_policy(&l_, policy.native_handle(), nullptr) != 0)
            fw_brlock_rdlock(&l_); /* aborts: too many read locks */
    }

    [[nodiscard]] bool try_lock_shared() noexcept
        FW_TRY_ACQUIRE_SHARED(true) FW_NO_THREAD_SAFETY_ANALYSIS
    {
        return fw_brlock_tryrdlock(&l_) == 0;
    }

    template <class Rep, class Period>
    [[nodiscard]] bool try_lock_shared_for(const std::chrono::duration<Rep, Period> &d,
                                           const wait_policy &policy = {})
        FW_TRY_ACQUIRE_SHARED(true) FW_NO_THREAD_SAFETY_ANALYSIS
    {
        return detail::done_within(fw_brlock_rdlock_policy, &l_, d, policy);
    }

    template <class Clock, class Duration>
    [[nodiscard]] bool try_lock_shared_until(const std::chrono::time_point<Clock, Duration> &at,
                                             const wait_policy &policy = {})
        FW_TRY_ACQUIRE_SHARED(true) FW_NO_THREAD_SAFETY_ANALYSIS
    {
        return detail::done_by(fw_brlock_rdlock_policy, &l_, at, policy);
    }

    void unlock_shared() noexcept FW_RELEASE_SHARED() FW_NO_THREAD_SAFETY_ANALYSIS
    {
        fw_brlock_rdunlock(&l_);
    }

    /* Does the calling thread hold it for writing? */
    [[nodiscard]] bool is_held_by_me() const noexcept
    {
        return fw_brlock_is_held_by_me(&l_);
    }

    native_handle_type native_handle() noexcept
    {
        return &l_;
    }

  private:
    fw_brlock l_;
};

} // namespace fw

#endif
