// SPDX-License-Identifier: MIT
#ifndef FURWOCK_COND_HPP
#define FURWOCK_COND_HPP

#include <cerrno>
#include <condition_variable>
#include <mutex>
#include <type_traits>

#include <furwock/bits/chrono.hpp>
#include <furwock/cond.h>
#include <furwock/mutex.hpp>

namespace fw {

/*
 * fw_cond (furwock/cond.h) with the calls of std::condition_variable, on std::unique_lock of
 * fw::mutex, or of fw::waiting<fw::mutex, ...>; constant-initialised, 8 bytes.  The waits are
 * cancellation points.  For other locks: furwock/cond_any.hpp.
 */
class condition_variable {
  public:
    using native_handle_type = fw_cond *;

    constexpr condition_variable() noexcept = default;
    condition_variable(const condition_variable &) = delete;
    condition_variable &operator=(const condition_variable &) = delete;

    void notify_one() noexcept
    {
        fw_cond_signal(&c_);
    }

    void notify_all() noexcept
    {
        fw_cond_broadcast(&c_);
    }

    template <class Mutex> void wait(std::unique_lock<Mutex> &lock) FW_NO_THREAD_SAFETY_ANALYSIS
    {
        fw_cond_wait(&c_, mutex_of(lock));
    }

    template <class Mutex>
    void wait(std::unique_lock<Mutex> &lock, const wait_policy &policy) FW_NO_THREAD_SAFETY_ANALYSIS
    {
        (void)fw_cond_wait_policy(&c_, mutex_of(lock), policy.native_handle(), nullptr);
    }

    template <class Mutex, class Predicate>
    void wait(std::unique_lock<Mutex> &lock, Predicate holds)
    {
        while (!holds())
            wait(lock);
    }

    /* On a foreign clock that is not there yet after that time, the wake is spurious. */
    template <class Mutex, class Clock, class Duration>
    std::cv_status wait_until(std::unique_lock<Mutex> &lock,
                              const std::chrono::time_point<Clock, Duration> &at)
    {
        const fw_deadline deadline = detail::to_deadline(at);

        return wait_by(lock, deadline) || detail::is_early(at) ? std::cv_status::no_timeout
                                                               : std::cv_status::timeout;
    }

    template <class Mutex, class Clock, class Duration, class Predicate>
    bool wait_until(std::unique_lock<Mutex> &lock,
                    const std::chrono::time_point<Clock, Duration> &at, Predicate holds)
    {
        while (!holds())
            if (wait_until(lock, at) == std::cv_status::timeout)
                return holds();
        return true;
    }

    template <class Mutex, class Rep, class Period>
    std::cv_status wait_for(std::unique_lock<Mutex> &lock,
                            const std::chrono::duration<Rep, Period> &d)
    {
        return wait_by(lock, detail::from_now(d)) ? std::cv_status::no_timeout
                                                  : std::cv_status::timeout;
    }

    template <class Mutex, class Rep, class Period, class Predicate>
    bool wait_for(std::unique_lock<Mutex> &lock, const std::chrono::duration<Rep, Period> &d,
                  Predicate holds)
    {
        const fw_deadline deadline = detail::from_now(d);

        while (!holds())
            if (!wait_by(lock, deadline))
                return holds();
        return true;
    }

    native_handle_type native_handle() noexcept
    {
        return &c_;
    }

  private:
    /* A lock of fw::waiting<fw::mutex> is one of fw::mutex. */
    template <class Mutex> static fw_mutex *mutex_of(const std::unique_lock<Mutex> &lock)
    {
        static_assert(std::is_base_of_v<mutex, Mutex>,
                      "with other locks: fw::condition_variable_any");
        return static_cast<mutex *>(lock.mutex())->native_handle();
    }

    /* False if it timed out. */
    template <class Mutex>
    bool wait_by(std::unique_lock<Mutex> &lock,
                 const fw_deadline &deadline) FW_NO_THREAD_SAFETY_ANALYSIS
    {
        return fw_cond_timedwait(&c_, mutex_of(lock), &deadline) != ETIMEDOUT;
    }

    fw_cond c_ = FW_COND_INIT;
};

} // namespace fw

#endif
