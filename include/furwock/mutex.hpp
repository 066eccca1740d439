// SPDX-License-Identifier: MIT
#ifndef FURWOCK_MUTEX_HPP
#define FURWOCK_MUTEX_HPP

#include <furwock/bits/chrono.hpp>
#include <furwock/mutex.h>

namespace fw {

/* fw_mutex (furwock/mutex.h) as a Lockable and TimedLockable; constant-initialised, 8 bytes. */
class FW_CAPABILITY("mutex") mutex {
  public:
    using native_handle_type = fw_mutex *;

    constexpr mutex() noexcept = default;
    mutex(const mutex &) = delete;
    mutex &operator=(const mutex &) = delete;

    void lock() noexcept FW_ACQUIRE() FW_NO_THREAD_SAFETY_ANALYSIS
    {
        fw_mutex_lock(&m_);
    }

    void lock(const wait_policy &policy) noexcept FW_ACQUIRE() FW_NO_THREAD_SAFETY_ANALYSIS
    {
        (void)fw_mutex_lock_policy(&m_, policy.native_handle(), nullptr);
    }

    [[nodiscard]] bool try_lock() noexcept FW_TRY_ACQUIRE(true) FW_NO_THREAD_SAFETY_ANALYSIS
    {
        return fw_mutex_trylock(&m_) == 0;
    }

    template <class Rep, class Period>
    [[nodiscard]] bool try_lock_for(const std::chrono::duration<Rep, Period> &d,
                                    const wait_policy &policy = {})
        FW_TRY_ACQUIRE(true) FW_NO_THREAD_SAFETY_ANALYSIS
    {
        return detail::done_within(fw_mutex_lock_policy, &m_, d, policy);
    }

    template <class Clock, class Duration>
    [[nodiscard]] bool try_lock_until(const std::chrono::time_point<Clock, Duration> &at,
                                      const wait_policy &policy = {})
        FW_TRY_ACQUIRE(true) FW_NO_THREAD_SAFETY_ANALYSIS
    {
        return detail::done_by(fw_mutex_lock_policy, &m_, at, policy);
    }

    void unlock() noexcept FW_RELEASE() FW_NO_THREAD_SAFETY_ANALYSIS
    {
        fw_mutex_unlock(&m_);
    }

    /* Hands the mutex to the longest waiter, if there is one. */
    void unlock_fair() noexcept FW_RELEASE() FW_NO_THREAD_SAFETY_ANALYSIS
    {
        fw_mutex_unlock_fair(&m_);
    }

    /* Does the calling thread hold the mutex? */
    [[nodiscard]] bool is_held_by_me() const noexcept
    {
        return fw_mutex_is_held_by_me(&m_);
    }

    native_handle_type native_handle() noexcept
    {
        return &m_;
    }

  private:
    fw_mutex m_ = FW_MUTEX_INIT;
};

} // namespace fw

#endif
