// SPDX-License-Identifier: MIT
#ifndef FURWOCK_SEM_HPP
#define FURWOCK_SEM_HPP

#include <furwock/bits/chrono.hpp>
#include <furwock/bits/error.hpp>
#include <furwock/sem.h>

namespace fw {

/*
 * fw_sem (furwock/sem.h) with the calls of std::counting_semaphore; constant-initialised, 16 bytes.
 * A desired value that is negative or above Max, and a release past Max, throw std::system_error.
 */
template <std::ptrdiff_t Max = FW_SEM_MAX> class counting_semaphore {
    static_assert(Max >= 1 && Max <= std::ptrdiff_t{FW_SEM_MAX}, "a maximum that fw_sem can have");

  public:
    using native_handle_type = fw_sem *;

    static constexpr std::ptrdiff_t(max)() noexcept
    {
        return Max;
    }

    constexpr explicit counting_semaphore(std::ptrdiff_t desired)
        : s_(make(detail::checked(desired, 0, Max, "fw::counting_semaphore")))
    {
    }
    counting_semaphore(const counting_semaphore &) = delete;
    counting_semaphore &operator=(const counting_semaphore &) = delete;

    void release(std::ptrdiff_t n = 1)
    {
        detail::check(n == 1 ? fw_sem_post(&s_) : fw_sem_post_n(&s_, detail::clamped(n)),
                      "fw::counting_semaphore::release");
    }

    void acquire() noexcept
    {
        fw_sem_wait(&s_);
    }

    void acquire(const wait_policy &policy) noexcept
    {
        (void)fw_sem_wait_policy(&s_, policy.native_handle(), nullptr);
    }

    [[nodiscard]] bool try_acquire() noexcept
    {
        return fw_sem_trywait(&s_) == 0;
    }

    template <class Rep, class Period>
    [[nodiscard]] bool try_acquire_for(const std::chrono::duration<Rep, Period> &d,
                                       const wait_policy &policy = {})
    {
        return detail::done_within(fw_sem_wait_policy, &s_, d, policy);
    }

    template <class Clock, class Duration>
    [[nodiscard]] bool try_acquire_until(const std::chrono::time_point<Clock, Duration> &at,
                                         const wait_policy &policy = {})
    {
        return detail::done_by(fw_sem_wait_policy, &s_, at, policy);
    }

    native_handle_type native_handle() noexcept
    {
        return &s_;
    }

  private:
    static constexpr fw_sem make(std::uint32_t value) noexcept
    {
        fw_sem s = FW_SEM_INIT(value);

        s.limit_ = static_cast<std::uint32_t>(FW_SEM_MAX ^ Max); /* as fw_sem_init has it */
        return s;
    }

    fw_sem s_;
};

using binary_semaphore = counting_semaphore<1>;

} // namespace fw

#endif
