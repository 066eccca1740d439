// SPDX-License-Identifier: MIT
#ifndef FURWOCK_IPC_ONCE_HPP
#define FURWOCK_IPC_ONCE_HPP

#include <functional>
#include <tuple>
#include <utility>

#include <furwock/bits/ipc/error.hpp>
#include <furwock/ipc/named.h>
#include <furwock/ipc/once.h>

namespace fw::ipc {

/*
 * fw_ipc_once (furwock/ipc/once.h): one-time initialisation in a region by the first process that
 * needs it; if that one dies, by the next.
 */
class once_flag {
  public:
    using native_handle_type = fw_ipc_once *;

    constexpr once_flag() noexcept = default;
    once_flag(const once_flag &) = delete;
    once_flag &operator=(const once_flag &) = delete;

    /* Has it been done?  Its effects are visible then. */
    [[nodiscard]] bool is_done() const noexcept
    {
        return fw_ipc_once_is_done(&o_);
    }

    /* For the initialiser: did one before it die half-way? */
    [[nodiscard]] bool is_left() const noexcept
    {
        return fw_ipc_once_is_left(&o_);
    }

    native_handle_type native_handle() noexcept
    {
        return &o_;
    }

  private:
    fw_ipc_once o_ = FW_IPC_ONCE_INIT;
};

/*
 * Calls f(args...) unless that has succeeded before; waits while another thread does so.  An
 * exception goes to the caller whose f it was, and another process, or a later call, tries again.
 * Throws std::system_error: EDEADLK (from its own initialiser), EPERM (the child of a fork in the
 * initialiser), EINVAL, EAGAIN, EUCLEAN.
 */
template <class F, class... Args> void call_once(once_flag &flag, F &&f, Args &&...args)
{
    auto call = [&] { std::invoke(std::forward<F>(f), std::forward<Args>(args)...); };
    const auto invoke = [](void *arg) {
        (*static_cast<decltype(call) *>(arg))();
        return 0;
    };

    detail::check(fw_ipc_once_call(flag.native_handle(), invoke, &call), "fw::ipc::call_once");
}

namespace detail {

template <> struct named<once_flag> : named_by<once_flag, fw_ipc_once, fw_region_once> {
};

} // namespace detail
} // namespace fw::ipc

#endif
