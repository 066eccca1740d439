// SPDX-License-Identifier: MIT
#ifndef FURWOCK_MUTEX_HPP
#define FURWOCK_MUTEX_HPP

#include <memory>
#include <type_traits>

#include <furwock/bits/chrono.hpp>
#include <furwock/mutex.h>

namespace fw {
namespace detail {

/* A predicate as C calls it, and what it is given. */
template <class Predicate> bool predicate_of(void *holds) noexcept
{
    return static_cast<bool>((*static_cast<std::remove_reference_t<Predicate> *>(holds))());
}

template <class Predicate> void *argument_of(Predicate &holds) noexcept
{
    return const_cast<void *>(static_cast<const void *>(std::addressof(holds)));
}

} // namespace detail

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

    /*
     * A conditional critical section (fw_mutex_await): waits, with the mutex, which the caller
     * holds, until holds() is true.  Other threads call it when they release the mutex: it must not
     * throw (std::terminate), and keeps to what furwock/mutex.h asks of a predicate.  A
     * cancellation point.
     *
     *     std::unique_lock lock(mutex_);
     *     mutex_.await([&] { return closed_ || !items_.empty(); });
     */
    template <class Predicate> void await(Predicate &&holds) FW_REQUIRES(this)
    {
        fw_mutex_await(&m_, detail::predicate_of<Predicate>, detail::argument_of(holds));
    }

    /* The same until then at most: holds().  The mutex is held in each case. */
    template <class Rep, class Period, class Predicate>
    [[nodiscard]] bool await_for(const std::chrono::duration<Rep, Period> &d, Predicate &&holds)
        FW_REQUIRES(this)
    {
        return error_by_await(detail::from_now(d), holds) == 0;
    }

    template <class Clock, class Duration, class Predicate>
    [[nodiscard]] bool await_until(const std::chrono::time_point<Clock, Duration> &at,
                                   Predicate &&holds) FW_REQUIRES(this)
    {
        return detail::error_by(
                   [&](const fw_deadline &deadline)
                       FW_NO_THREAD_SAFETY_ANALYSIS { return error_by_await(deadline, holds); },
                   at) == 0;
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
    template <class Predicate>
    int error_by_await(const fw_deadline &deadline, Predicate &holds) FW_REQUIRES(this)
    {
        return fw_mutex_timedawait(&m_, detail::predicate_of<Predicate>, detail::argument_of(holds),
                                   &deadline);
    }

    fw_mutex m_ = FW_MUTEX_INIT;
};

} // namespace fw

#endif
