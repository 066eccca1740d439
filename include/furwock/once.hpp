// SPDX-License-Identifier: MIT
#ifndef FURWOCK_ONCE_HPP
#define FURWOCK_ONCE_HPP

#include <functional>
#include <utility>

#include <furwock/once.h>

namespace fw {

class once_flag;
template <class F, class... Args> void call_once(once_flag &flag, F &&f, Args &&...args);

/* fw_once (furwock/once.h) as std::once_flag; constant-initialised, 4 bytes. */
class once_flag {
  public:
    constexpr once_flag() noexcept = default;
    once_flag(const once_flag &) = delete;
    once_flag &operator=(const once_flag &) = delete;

  private:
    template <class F, class... Args> friend void call_once(once_flag &flag, F &&f, Args &&...args);

    fw_once o_ = FW_ONCE_INIT;
};

namespace detail {

/* Ends an attempt however it is left: by return, by an exception, by cancellation. */
class attempt {
  public:
    explicit attempt(fw_once *o) : o_(o) {}
    attempt(const attempt &) = delete;
    attempt &operator=(const attempt &) = delete;
    ~attempt()
    {
        fw_once_end_(o_, succeeded);
    }

    bool succeeded = false;

  private:
    fw_once *o_;
};

} // namespace detail

/*
 * Calls f(args...) unless that has succeeded before; waits while another thread does so.  An
 * exception goes to the caller whose f it was, and another thread, or a later call, tries again.
 */
template <class F, class... Args> void call_once(once_flag &flag, F &&f, Args &&...args)
{
    if (fw_once_is_done(&flag.o_) || !fw_once_begin_(&flag.o_))
        return;
    detail::attempt attempt(&flag.o_);
    std::invoke(std::forward<F>(f), std::forward<Args>(args)...);
    attempt.succeeded = true;
}

} // namespace fw

#endif
