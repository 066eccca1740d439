// SPDX-License-Identifier: MIT
#ifndef FURWOCK_BITS_CORO_GUARD_HPP
#define FURWOCK_BITS_CORO_GUARD_HPP

#include <utility>

#include <furwock/await.h>
#include <furwock/bits/error.hpp>

/* One type in all of a program, also where the calls are macros (bits/annotated/await.h). */
namespace fw::detail {

inline void task_unlock(fw_mutex *m, fw_task task)
{
    fw_task_mutex_unlock(m, task);
}

inline void task_rdunlock(fw_rwlock *l, fw_task task)
{
    fw_task_rwlock_rdunlock(l, task);
}

inline void task_wrunlock(fw_rwlock *l, fw_task task)
{
    fw_task_rwlock_wrunlock(l, task);
}

} // namespace fw::detail

namespace fw::co {

/* The owner of what is locked: a number, as long as this lives.  Throws EAGAIN: 4 million live. */
class identity {
  public:
    identity()
    {
        detail::check(fw_task_begin(&task_), "fw::co::identity");
    }

    identity(const identity &) = delete;
    identity &operator=(const identity &) = delete;

    ~identity()
    {
        fw_task_end(task_);
    }

    [[nodiscard]] fw_task get() const noexcept
    {
        return task_;
    }

  private:
    fw_task task_ = 0;
};

/*
 * What a task holds; it gives it back at the end of its life, whichever thread that is.  It knows
 * the task that is the owner, and must not outlive it.
 */
template <class Object, void (*Unlock)(Object *, fw_task)> class guard {
  public:
    guard() noexcept = default;

    guard(Object &object, fw_task owner) noexcept : object_(&object), owner_(owner) {}

    guard(guard &&other) noexcept
        : object_(std::exchange(other.object_, nullptr)), owner_(other.owner_)
    {
    }

    guard &operator=(guard &&other) noexcept
    {
        guard(std::move(other)).swap(*this);
        return *this;
    }

    ~guard()
    {
        unlock();
    }

    /* Does nothing if it holds nothing. */
    void unlock() noexcept
    {
        if (Object *const object = release())
            Unlock(object, owner_);
    }

    /* The object stays locked, and is the caller's to unlock. */
    Object *release() noexcept
    {
        return std::exchange(object_, nullptr);
    }

    [[nodiscard]] bool owns_lock() const noexcept
    {
        return object_ != nullptr;
    }

    explicit operator bool() const noexcept
    {
        return owns_lock();
    }

    /* What is held; null: nothing. */
    [[nodiscard]] Object *object() const noexcept
    {
        return object_;
    }

    [[nodiscard]] fw_task owner() const noexcept
    {
        return owner_;
    }

    void swap(guard &other) noexcept
    {
        std::swap(object_, other.object_);
        std::swap(owner_, other.owner_);
    }

  private:
    Object *object_ = nullptr;
    fw_task owner_ = 0;
};

using mutex_guard = guard<fw_mutex, detail::task_unlock>;
using shared_guard = guard<fw_rwlock, detail::task_rdunlock>;
using exclusive_guard = guard<fw_rwlock, detail::task_wrunlock>;

} // namespace fw::co

#endif
