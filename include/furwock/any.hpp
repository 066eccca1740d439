// SPDX-License-Identifier: MIT
#ifndef FURWOCK_ANY_HPP
#define FURWOCK_ANY_HPP

#include <cstddef>
#include <optional>
#include <type_traits>

#include <furwock/any.h>
#include <furwock/bits/chrono.hpp>
#include <furwock/bits/error.hpp>
#include <furwock/event.hpp>
#include <furwock/latch.hpp>
#include <furwock/sem.hpp>

namespace fw {

/* One of the objects of a wait_any: a semaphore, an event or a latch, which must outlive it. */
class any_waitable {
  public:
    template <std::ptrdiff_t Max>
    any_waitable(counting_semaphore<Max> &s) noexcept : a_{FW_ANY_SEM, s.native_handle()}
    {
    }
    any_waitable(event &e) noexcept : a_{FW_ANY_EVENT, e.native_handle()} {}
    any_waitable(latch &l) noexcept : a_{FW_ANY_LATCH, l.native_handle()} {}

    [[nodiscard]] const fw_any *native_handle() const noexcept
    {
        return &a_;
    }

  private:
    fw_any a_;
};

/* At most as many as this in one call. */
constexpr std::size_t wait_any_max = FW_ANY_MAX;

namespace detail {

static_assert(sizeof(any_waitable) == sizeof(fw_any), "an array of them is one of fw_any");

inline std::optional<std::size_t> wait_any(const any_waitable *objects, std::size_t n,
                                           const fw_deadline *deadline)
{
    unsigned which = 0;
    const int error = fw_wait_any(n != 0 && objects != nullptr ? objects->native_handle() : nullptr,
                                  clamped(static_cast<std::ptrdiff_t>(n)), deadline, &which);

    if (error == ETIMEDOUT)
        return std::nullopt;
    check(error, "fw::wait_any");
    return which;
}

template <class Clock, class Duration>
std::optional<std::size_t> wait_any_until(const std::chrono::time_point<Clock, Duration> &at,
                                          const any_waitable *objects, std::size_t n)
{
    for (;;) {
        const fw_deadline deadline = to_deadline(at);
        const std::optional<std::size_t> which = wait_any(objects, n, &deadline);

        if (which || !is_early(at))
            return which;
    }
}

/* Not an array and its length: those have functions of their own. */
template <class... Objects>
using if_waitable = std::enable_if_t<(std::is_constructible_v<any_waitable, Objects &> && ...)>;

template <class... Objects> constexpr void check_number()
{
    static_assert(sizeof...(Objects) >= 1 && sizeof...(Objects) <= FW_ANY_MAX,
                  "1 to fw::wait_any_max objects");
}

} // namespace detail

/*
 * fw_wait_any (furwock/any.h): waits until one of the objects is ready, takes from it what its own
 * wait would take, and returns its index.  If several are ready, the first of them.
 *
 *     switch (fw::wait_any(stop, items)) ...
 */
template <class... Objects, class = detail::if_waitable<Objects...>>
[[nodiscard]] std::size_t wait_any(Objects &...objects)
{
    detail::check_number<Objects...>();
    const any_waitable list[] = {any_waitable(objects)...};

    return *detail::wait_any(list, sizeof...(Objects), nullptr);
}

/* The same until then at most: nothing, if that has passed and nothing was taken. */
template <class Clock, class Duration, class... Objects, class = detail::if_waitable<Objects...>>
[[nodiscard]] std::optional<std::size_t>
wait_any_until(const std::chrono::time_point<Clock, Duration> &at, Objects &...objects)
{
    detail::check_number<Objects...>();
    const any_waitable list[] = {any_waitable(objects)...};

    return detail::wait_any_until(at, list, sizeof...(Objects));
}

template <class Rep, class Period, class... Objects, class = detail::if_waitable<Objects...>>
[[nodiscard]] std::optional<std::size_t> wait_any_for(const std::chrono::duration<Rep, Period> &d,
                                                      Objects &...objects)
{
    detail::check_number<Objects...>();
    const any_waitable list[] = {any_waitable(objects)...};
    const fw_deadline deadline = detail::from_now(d);

    return detail::wait_any(list, sizeof...(Objects), &deadline);
}

/*
 * The same with a number of objects that is not known when the program is compiled: n in a row, 1
 * to wait_any_max, else std::system_error (EINVAL) is thrown.
 */
[[nodiscard]] inline std::size_t wait_any(const any_waitable *objects, std::size_t n)
{
    return *detail::wait_any(objects, n, nullptr);
}

template <class Clock, class Duration>
[[nodiscard]] std::optional<std::size_t>
wait_any_until(const std::chrono::time_point<Clock, Duration> &at, const any_waitable *objects,
               std::size_t n)
{
    return detail::wait_any_until(at, objects, n);
}

template <class Rep, class Period>
[[nodiscard]] std::optional<std::size_t> wait_any_for(const std::chrono::duration<Rep, Period> &d,
                                                      const any_waitable *objects, std::size_t n)
{
    const fw_deadline deadline = detail::from_now(d);

    return detail::wait_any(objects, n, &deadline);
}

} // namespace fw

#endif
