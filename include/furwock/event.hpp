// SPDX-License-Identifier: MIT
#ifndef FURWOCK_EVENT_HPP
#define FURWOCK_EVENT_HPP

#include <furwock/bits/chrono.hpp>
#include <furwock/event.h>

namespace fw {

/* Does an event stay set, or let one pass?  furwock/event.h. */
enum class event_kind { manual = FW_EVENT_MANUAL, automatic = FW_EVENT_AUTO };

/* fw_event (furwock/event.h); constant-initialised and not set, 16 bytes. */
class event {
  public:
    using native_handle_type = fw_event *;

    constexpr event() noexcept = default;
    constexpr explicit event(event_kind k) noexcept : e_(make(k)) {}
    event(const event &) = delete;
    event &operator=(const event &) = delete;

    void set() noexcept
    {
        fw_event_set(&e_);
    }

    void reset() noexcept
    {
        fw_event_reset(&e_);
    }

    [[nodiscard]] bool is_set() const noexcept
    {
        return fw_event_is_set(&e_);
    }

    void wait() noexcept
    {
        fw_event_wait(&e_);
    }

    void wait(const wait_policy &policy) noexcept
    {
        (void)fw_event_wait_policy(&e_, policy.native_handle(), nullptr);
    }

    [[nodiscard]] bool try_wait() noexcept
    {
        return fw_event_trywait(&e_) == 0;
    }

    template <class Rep, class Period>
    [[nodiscard]] bool wait_for(const std::chrono::duration<Rep, Period> &d,
                                const wait_policy &policy = {})
    {
        return detail::done_within(fw_event_wait_policy, &e_, d, policy);
    }

    template <class Clock, class Duration>
    [[nodiscard]] bool wait_until(const std::chrono::time_point<Clock, Duration> &at,
                                  const wait_policy &policy = {})
    {
        return detail::done_by(fw_event_wait_policy, &e_, at, policy);
    }

    native_handle_type native_handle() noexcept
    {
        return &e_;
    }

  private:
    static constexpr fw_event make(event_kind k) noexcept
    {
        fw_event manual = FW_EVENT_INIT, automatic = FW_EVENT_INIT_AUTO;

        return k == event_kind::automatic ? automatic : manual;
    }

    fw_event e_ = FW_EVENT_INIT;
};

} // namespace fw

#endif
