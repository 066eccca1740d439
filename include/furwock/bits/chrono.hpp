// SPDX-License-Identifier: MIT
#ifndef FURWOCK_BITS_CHRONO_HPP
#define FURWOCK_BITS_CHRONO_HPP

#include <cerrno>
#include <chrono>
#include <ctime>
#include <limits>
#include <type_traits>

#include <furwock/bits/deadline.h>
#include <furwock/wait.hpp>

/*
 * From the times of <chrono> to those of furwock; internal.
 *
 * steady_clock and system_clock are CLOCK_MONOTONIC and CLOCK_REALTIME, counted from the same
 * origin, so a point on one of them becomes a deadline without looking at any clock.  A point on
 * another clock becomes a time from now, and that clock is read again when that time has elapsed.
 * A fraction of a nanosecond is rounded up: nobody wakes too early.
 */
namespace fw {
namespace detail {

/* Where seconds stop to be told apart: no sum of two such times overflows. */
constexpr long double far_seconds = 4e18L;
static_assert(sizeof(std::time_t) == 8, "room for far away");

/* A time, not negative and rounded up; whatever is too long, or no number, is far away. */
template <class Rep, class Period> timespec to_timespec(const std::chrono::duration<Rep, Period> &d)
{
    using std::chrono::duration;
    using whole = duration<long long>;
    const long double seconds = duration<long double>(d).count();
    timespec t = {static_cast<std::time_t>(far_seconds), 0};

    if (seconds <= 0)
        return {0, 0};
    if (!(seconds < far_seconds))
        return t;
    const whole s = std::chrono::duration_cast<whole>(d);
    t.tv_sec = static_cast<std::time_t>(s.count());
    t.tv_nsec = static_cast<long>(std::chrono::ceil<duration<long long, std::nano>>(d - s).count());
    if (t.tv_nsec >= 1000000000) {
        t.tv_nsec -= 1000000000;
        t.tv_sec++;
    }
    return t;
}

template <class Rep, class Period> fw_deadline from_now(const std::chrono::duration<Rep, Period> &d)
{
    const timespec t = to_timespec(d);
    fw_deadline at = {{0, 0}, CLOCK_MONOTONIC};

    clock_gettime(CLOCK_MONOTONIC, &at.at);
    at.at.tv_sec += t.tv_sec;
    at.at.tv_nsec += t.tv_nsec;
    if (at.at.tv_nsec >= 1000000000) {
        at.at.tv_nsec -= 1000000000;
        at.at.tv_sec++;
    }
    return at;
}

template <class Clock>
constexpr bool is_native = std::is_same_v<Clock, std::chrono::steady_clock> ||
                           std::is_same_v<Clock, std::chrono::system_clock>;

/* The deadline for a point in time; on a foreign clock, as things are now. */
template <class Clock, class Duration>
fw_deadline to_deadline(const std::chrono::time_point<Clock, Duration> &at)
{
    if constexpr (is_native<Clock>) {
        return {to_timespec(at.time_since_epoch()), std::is_same_v<Clock, std::chrono::steady_clock>
                                                        ? CLOCK_MONOTONIC
                                                        : CLOCK_REALTIME};
    } else {
        using wide = std::chrono::duration<long double>; /* the difference cannot overflow */
        return from_now(wide(at.time_since_epoch()) - wide(Clock::now().time_since_epoch()));
    }
}

/* Has the deadline that was made of `at` come too early?  Only foreign clocks can do that. */
template <class Clock, class Duration>
bool is_early([[maybe_unused]] const std::chrono::time_point<Clock, Duration> &at)
{
    if constexpr (is_native<Clock>)
        return false;
    else
        return Clock::now() < at;
}

/* The error of call(deadline), with a deadline for that point, again while that came too early. */
template <class Call, class Clock, class Duration>
int error_by(Call call, const std::chrono::time_point<Clock, Duration> &at)
{
    for (;;) {
        const fw_deadline deadline = to_deadline(at);
        const int error = call(deadline);

        if (error != ETIMEDOUT || !is_early(at))
            return error;
    }
}

/* Calls a timed call of furwock: wait(object, deadline), or wait(object, policy, deadline). */
template <class Object>
int wait_by(int (*wait)(Object *, const fw_deadline *), Object *object, const fw_deadline &at)
{
    return wait(object, &at);
}

template <class Object>
int wait_by(int (*wait)(Object *, const fw_wait_policy *, const fw_deadline *), Object *object,
            const fw_deadline &at, const wait_policy &policy)
{
    return wait(object, policy.native_handle(), &at);
}

template <class Wait, class Object, class Rep, class Period, class... Policy>
bool done_within(Wait wait, Object *object, const std::chrono::duration<Rep, Period> &d,
                 const Policy &...policy)
{
    return wait_by(wait, object, from_now(d), policy...) == 0;
}

template <class Wait, class Object, class Clock, class Duration, class... Policy>
bool done_by(Wait wait, Object *object, const std::chrono::time_point<Clock, Duration> &at,
             const Policy &...policy)
{
    return error_by(
               [&](const fw_deadline &deadline) {
                   return wait_by(wait, object, deadline, policy...);
               },
               at) == 0;
}

} // namespace detail
} // namespace fw

#endif
