// SPDX-License-Identifier: MIT
#ifndef FURWOCK_RECURSIVE_MUTEX_HPP
#define FURWOCK_RECURSIVE_MUTEX_HPP

#include <cerrno>
#include <cstdint>
#include <system_error>

#include <furwock/mutex.hpp>

namespace fw {

/*
 * A mutex that its owner may lock again, and must unlock as many times; TimedLockable,
 * constant-initialised, 16 bytes.  std::recursive_mutex and std::recursive_timed_mutex in one.
 *
 * Rules
 *  - It is an fw::mutex and a count: what furwock/mutex.h says of fairness, memory, fork and tasks
 *    holds.  Unlocking what the calling thread does not hold aborts the program with a diagnostic.
 *  - It can be locked max_depth() times at a time.  Once more, lock throws std::system_error
 *    (EAGAIN), and the other calls return false, as the standard has it.  (Code that gets there
 *    locks in a loop and forgets to unlock.)
 *  - fw::condition_variable_any waits with it and releases it once: the owner must have locked it
 *    once only.
 */
class recursive_mutex {
  public:
    constexpr recursive_mutex() noexcept = default;
    recursive_mutex(const recursive_mutex &) = delete;
    recursive_mutex &operator=(const recursive_mutex &) = delete;

    /* How many times it can be locked at a time. */
    [[nodiscard]] static constexpr std::uint32_t max_depth() noexcept
    {
        return (1u << 24) - 1;
    }

    void lock()
    {
        lock_by([this]() FW_NO_THREAD_SAFETY_ANALYSIS { m_.lock(); });
    }

    void lock(const wait_policy &policy)
    {
        lock_by([&]() FW_NO_THREAD_SAFETY_ANALYSIS { m_.lock(policy); });
    }

    [[nodiscard]] bool try_lock() noexcept
    {
        return taken_by([this] { return m_.try_lock(); });
    }

    template <class Rep, class Period>
    [[nodiscard]] bool try_lock_for(const std::chrono::duration<Rep, Period> &d,
                                    const wait_policy &policy = {})
    {
        return taken_by([&] { return m_.try_lock_for(d, policy); });
    }

    template <class Clock, class Duration>
    [[nodiscard]] bool try_lock_until(const std::chrono::time_point<Clock, Duration> &at,
                                      const wait_policy &policy = {})
    {
        return taken_by([&] { return m_.try_lock_until(at, policy); });
    }

    void unlock() noexcept FW_NO_THREAD_SAFETY_ANALYSIS
    {
        if (m_.is_held_by_me() && --depth_ != 0)
            return;
        m_.unlock(); /* aborts if the caller is not the owner */
    }

    /* Does the calling thread hold the mutex? */
    [[nodiscard]] bool is_held_by_me() const noexcept
    {
        return m_.is_held_by_me();
    }

    /* How many times the calling thread has locked it; 0 if it does not hold it. */
    [[nodiscard]] std::uint32_t depth() const noexcept
    {
        return m_.is_held_by_me() ? depth_ : 0;
    }

  private:
    template <class Lock> void lock_by(Lock lock)
    {
        if (!m_.is_held_by_me())
            lock();
        else if (depth_ == max_depth())
            throw std::system_error(EAGAIN, std::generic_category(), "fw::recursive_mutex::lock");
        depth_++;
    }

    template <class Try> bool taken_by(Try lock)
    {
        if (m_.is_held_by_me() ? depth_ == max_depth() : !lock())
            return false;
        depth_++;
        return true;
    }

    mutex m_;
    std::uint32_t depth_ = 0; /* the owner's */
};

using recursive_timed_mutex = recursive_mutex;

} // namespace fw

#endif
