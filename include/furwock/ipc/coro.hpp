// SPDX-License-Identifier: MIT
#ifndef FURWOCK_IPC_CORO_HPP
#define FURWOCK_IPC_CORO_HPP

/*
 * furwock/coro.hpp for the locks of a region, which other processes hold (furwock/ipc/await.h).
 *
 *     co_await fw::co::lock(m)      ipc_guard; m is a fw_ipc_mutex; also try_lock_for, _until
 *     co_await fw::co::acquire(s)   true; s is a fw_ipc_sem; also try_acquire_for, _until
 *
 * A guard whose owner_died() is true has the mutex of an owner that was killed: what it protects is
 * to be repaired, and then consistent() to be called, or nobody gets the mutex any more.  They need
 * a loop, not an executor.
 */
#include <cerrno>
#include <utility>

#include <furwock/coro.hpp>
#include <furwock/ipc/await.h>

namespace fw::co {

class ipc_guard {
  public:
    ipc_guard() noexcept = default;

    ipc_guard(fw_ipc_mutex &m, fw_task owner, bool owner_died) noexcept
        : mutex_(&m), owner_(owner), owner_died_(owner_died)
    {
    }

    ipc_guard(ipc_guard &&other) noexcept
        : mutex_(std::exchange(other.mutex_, nullptr)), owner_(other.owner_),
          owner_died_(other.owner_died_)
    {
    }

    ipc_guard &operator=(ipc_guard &&other) noexcept
    {
        if (this != &other) {
            unlock();
            mutex_ = std::exchange(other.mutex_, nullptr);
            owner_ = other.owner_;
            owner_died_ = other.owner_died_;
        }
        return *this;
    }

    ~ipc_guard()
    {
        unlock();
    }

    /* Does nothing if it holds nothing. */
    void unlock() noexcept
    {
        if (fw_ipc_mutex *const m = std::exchange(mutex_, nullptr))
            fw_task_ipc_mutex_unlock(m, owner_);
    }

    [[nodiscard]] bool owns_lock() const noexcept
    {
        return mutex_ != nullptr;
    }

    explicit operator bool() const noexcept
    {
        return owns_lock();
    }

    [[nodiscard]] bool owner_died() const noexcept
    {
        return owner_died_;
    }

    /* What is protected is as it should be again.  Throws std::system_error (EINVAL, EPERM). */
    void consistent()
    {
        detail::check(fw_task_ipc_mutex_consistent(mutex_, owner_), "fw::co::ipc_guard");
        owner_died_ = false;
    }

  private:
    fw_ipc_mutex *mutex_ = nullptr;
    fw_task owner_ = 0;
    bool owner_died_ = false;
};

class ipc_mutex_wait : public wait_base {
  public:
    using value = ipc_guard;
    static constexpr const char *name = "fw::co::lock";

    explicit ipc_mutex_wait(fw_ipc_mutex &m) noexcept : mutex_(&m) {}

    int submit(fw_await *operation, const fw_deadline *deadline)
    {
        return fw_await_ipc_mutex(operation, mutex_, deadline);
    }

    ipc_guard granted(fw_task task, int error) noexcept
    {
        return ipc_guard(*mutex_, task, error == EOWNERDEAD);
    }

    ipc_guard missed(fw_task) noexcept
    {
        return ipc_guard();
    }

  private:
    fw_ipc_mutex *mutex_;
};

using ipc_semaphore_wait = plain_wait<fw_ipc_sem, fw_await_ipc_sem>;

[[nodiscard]] inline auto lock(fw_ipc_mutex &m) noexcept
{
    return untimed<ipc_mutex_wait>(m);
}

template <class Time> [[nodiscard]] auto try_lock_for(fw_ipc_mutex &m, const Time &d)
{
    return timed<ipc_mutex_wait>(deadline_of(d), m);
}

template <class Time> [[nodiscard]] auto try_lock_until(fw_ipc_mutex &m, const Time &at)
{
    return timed<ipc_mutex_wait>(deadline_of(at), m);
}

[[nodiscard]] inline auto acquire(fw_ipc_sem &s) noexcept
{
    return untimed<ipc_semaphore_wait>(s);
}

template <class Time> [[nodiscard]] auto try_acquire_for(fw_ipc_sem &s, const Time &d)
{
    return timed<ipc_semaphore_wait>(deadline_of(d), s);
}

template <class Time> [[nodiscard]] auto try_acquire_until(fw_ipc_sem &s, const Time &at)
{
    return timed<ipc_semaphore_wait>(deadline_of(at), s);
}

} // namespace fw::co

#endif
