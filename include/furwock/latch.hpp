// SPDX-License-Identifier: MIT
#ifndef FURWOCK_LATCH_HPP
#define FURWOCK_LATCH_HPP

#include <furwock/bits/chrono.hpp>
#include <furwock/bits/error.hpp>
#include <furwock/latch.h>

namespace fw {

/*
 * fw_latch (furwock/latch.h) with the calls of std::latch, and timed ones; constant-initialised,
 * 4 bytes.  An expected count that is negative or above max() throws std::system_error; counting
 * below zero aborts the program.
 */
class latch {
  public:
    using native_handle_type = fw_latch *;

    static constexpr std::ptrdiff_t(max)() noexcept
    {
        return FW_LATCH_MAX;
    }

    constexpr explicit latch(std::ptrdiff_t expected)
        : l_{detail::checked(expected, 0, FW_LATCH_MAX, "fw::latch")}
    {
    }
    latch(const latch &) = delete;
    latch &operator=(const latch &) = delete;

    void count_down(std::ptrdiff_t n = 1) noexcept
    {
        fw_latch_count_down(&l_, detail::clamped(n));
    }

    [[nodiscard]] bool try_wait() const noexcept
    {
        return fw_latch_trywait(&l_) == 0;
    }

    void wait() const noexcept
    {
        fw_latch_wait(&l_);
    }

    void wait(const wait_policy &policy) const noexcept
    {
        (void)fw_latch_wait_policy(&l_, policy.native_handle(), nullptr);
    }

    template <class Rep, class Period>
    [[nodiscard]] bool wait_for(const std::chrono::duration<Rep, Period> &d,
                                const wait_policy &policy = {}) const
    {
        return detail::done_within(fw_latch_wait_policy, &l_, d, policy);
    }

    template <class Clock, class Duration>
    [[nodiscard]] bool wait_until(const std::chrono::time_point<Clock, Duration> &at,
                                  const wait_policy &policy = {}) const
    {
        return detail::done_by(fw_latch_wait_policy, &l_, at, policy);
    }

    void arrive_and_wait(std::ptrdiff_t n = 1) noexcept
    {
        fw_latch_arrive_and_wait(&l_, detail::clamped(n));
    }

    native_handle_type native_handle() noexcept
    {
        return &l_;
    }

  private:
    mutable fw_latch l_; /* who waits says so in the word */
};

} // namespace fw

#endif
