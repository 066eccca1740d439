// SPDX-License-Identifier: MIT
#ifndef FURWOCK_BITS_ERROR_HPP
#define FURWOCK_BITS_ERROR_HPP

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <system_error>

/* Errors and numbers of furwock's C++ headers; internal. */
namespace fw {
namespace detail {

inline void check(int error, const char *what)
{
    if (error != 0)
        throw std::system_error(error, std::generic_category(), what);
}

/* A number from min to max, where it begins something; else an exception. */
constexpr std::uint32_t checked(std::ptrdiff_t n, std::ptrdiff_t min, std::ptrdiff_t max,
                                const char *what)
{
    if (n < min || n > max)
        throw std::system_error(EINVAL, std::generic_category(), what);
    return static_cast<std::uint32_t>(n);
}

/* A number of things that are done; what is no such number becomes one that is always too large. */
constexpr std::uint32_t clamped(std::ptrdiff_t n)
{
    return n < 0 || n > std::ptrdiff_t{UINT32_MAX} ? UINT32_MAX : static_cast<std::uint32_t>(n);
}

} // namespace detail
} // namespace fw

#endif
