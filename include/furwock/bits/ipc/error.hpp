// SPDX-License-Identifier: MIT
#ifndef FURWOCK_BITS_IPC_ERROR_HPP
#define FURWOCK_BITS_IPC_ERROR_HPP

#include <cerrno>
#include <chrono>
#include <cstddef>
#include <type_traits>

#include <furwock/bits/chrono.hpp>
#include <furwock/bits/error.hpp>
#include <furwock/ipc/mutex.h>
#include <furwock/ipc/region.h>

/* What the classes of fw::ipc share; internal. */
namespace fw::ipc {

/* An owner that died: process, thread and generation. */
using death = fw_ipc_death;

namespace detail {

using fw::detail::check;

/* The error of a call with a policy and a deadline: call(object, policy, deadline). */
template <class Call, class Object, class Rep, class Period>
int within(Call call, Object *object, const std::chrono::duration<Rep, Period> &d,
           const wait_policy &policy)
{
    const fw_deadline at = fw::detail::from_now(d);

    return call(object, policy.native_handle(), &at);
}

template <class Call, class Object, class Clock, class Duration>
int by(Call call, Object *object, const std::chrono::time_point<Clock, Duration> &at,
       const wait_policy &policy)
{
    return fw::detail::error_by(
        [&](const fw_deadline &deadline) {
            return call(object, policy.native_handle(), &deadline);
        },
        at);
}

/* False: not now, or not in time.  Other errors are thrown. */
inline bool is_taken(int error, const char *what)
{
    if (error == EBUSY || error == EAGAIN || error == ETIMEDOUT)
        return false;
    check(error, what);
    return true;
}

/*
 * The error of release(), after which nothing is held; but if it is another thread that has it
 * (EPERM), it is still held, and that thread can release it.
 */
template <class Held, class Release> int give_back(Held *&held, Release release)
{
    const int error = held != nullptr ? release(held) : EPERM;

    if (error != EPERM)
        held = nullptr;
    return error;
}

/* The class of a C object in a region: it is its only member. */
template <class T, class Handle> T *as(Handle *handle)
{
    static_assert(std::is_standard_layout_v<T> && sizeof(T) == sizeof(Handle));
    return reinterpret_cast<T *>(handle);
}

/* How an object of type T is found or made: specialised for each class with a call of its own. */
template <class T> struct named;

/* The same of a class around an Object, which Get finds or makes without more arguments. */
template <class T, class Object, int (*Get)(fw_region *, const char *, unsigned, Object **)>
struct named_by {
    static int get(fw_region *region, const char *name, unsigned flags, T **object)
    {
        Object *o = nullptr;
        const int error = Get(region, name, flags, &o);

        *object = as<T>(o);
        return error;
    }
    static int find(fw_region *region, const char *name, T **object)
    {
        return get(region, name, 0, object);
    }
};

} // namespace detail
} // namespace fw::ipc

#endif
