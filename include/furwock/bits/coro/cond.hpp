// SPDX-License-Identifier: MIT
#ifndef FURWOCK_BITS_CORO_COND_HPP
#define FURWOCK_BITS_CORO_COND_HPP

#include <furwock/bits/coro/operation.hpp>
#include <furwock/cond.h>

namespace fw::co {

/* A condition variable: while it waits, the guard holds nothing; then the mutex again. */
class cond_wait : public wait_base {
  public:
    using value = bool;
    static constexpr const char *name = "fw::co::wait";
    static constexpr bool is_polled = true;

    cond_wait(fw_cond &cond, mutex_guard &held) noexcept : cond_(&cond), held_(&held) {}

    int submit(fw_await *operation, const fw_deadline *deadline)
    {
        return mutex_ == nullptr ? EPERM : fw_await_cond(operation, cond_, mutex_, deadline);
    }

    void begin() noexcept
    {
        mutex_ = held_->release();
    }

    void end() noexcept
    {
        if (mutex_ != nullptr)
            *held_ = mutex_guard(*mutex_, held_->owner());
    }

    bool granted(fw_task) noexcept
    {
        return true;
    }

    bool missed(fw_task) noexcept
    {
        return false;
    }

  private:
    fw_cond *cond_;
    mutex_guard *held_;
    fw_mutex *mutex_ = nullptr;
};

} // namespace fw::co

#endif
