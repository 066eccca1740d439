// SPDX-License-Identifier: MIT
#ifndef FURWOCK_UPGRADE_HPP
#define FURWOCK_UPGRADE_HPP

#include <cerrno>
#include <chrono>
#include <mutex>
#include <shared_mutex>
#include <system_error>
#include <utility>

#include <furwock/rwlock.hpp>
#include <furwock/thread_safety.h>

namespace fw {

/*
 * Guards for the upgradable mode of fw::shared_mutex, as Boost has them; fw::shared_mutex also
 * works with Boost's own (boost::upgrade_lock, boost::upgrade_to_unique_lock), and these with
 * boost::upgrade_mutex.
 *
 *     fw::upgrade_lock reading(table_lock);       // beside readers, and no other that may write
 *     if (must_change(table)) {
 *         fw::upgrade_to_unique_lock writing(reading);   // waits for the readers to leave
 *         change(table);
 *     }                                           // upgradable again: what was read still holds
 *
 * upgrade_lock has the members of std::unique_lock, with the mode's calls.  Those that need a mutex
 * throw std::system_error: EPERM if there is none, or it is not held; EDEADLK if it is held.
 */
template <class Mutex> class upgrade_lock {
  public:
    using mutex_type = Mutex;

    upgrade_lock() noexcept = default;

    explicit upgrade_lock(Mutex &m) FW_NO_THREAD_SAFETY_ANALYSIS : upgrade_lock(m, std::defer_lock)
    {
        lock();
    }

    upgrade_lock(Mutex &m, std::defer_lock_t) noexcept FW_NO_THREAD_SAFETY_ANALYSIS : mutex_(&m) {}

    upgrade_lock(Mutex &m, std::try_to_lock_t) FW_NO_THREAD_SAFETY_ANALYSIS
        : mutex_(&m),
          is_held_(m.try_lock_upgrade())
    {
    }

    /* The calling thread holds it upgradable. */
    upgrade_lock(Mutex &m, std::adopt_lock_t) noexcept FW_NO_THREAD_SAFETY_ANALYSIS : mutex_(&m),
                                                                                      is_held_(true)
    {
    }

    template <class Rep, class Period>
    upgrade_lock(Mutex &m, const std::chrono::duration<Rep, Period> &d) FW_NO_THREAD_SAFETY_ANALYSIS
        : mutex_(&m),
          is_held_(m.try_lock_upgrade_for(d))
    {
    }

    template <class Clock, class Duration>
    upgrade_lock(Mutex &m,
                 const std::chrono::time_point<Clock, Duration> &at) FW_NO_THREAD_SAFETY_ANALYSIS
        : mutex_(&m),
          is_held_(m.try_lock_upgrade_until(at))
    {
    }

    /* From exclusive to upgradable. */
    explicit upgrade_lock(std::unique_lock<Mutex> &&other) FW_NO_THREAD_SAFETY_ANALYSIS
        : mutex_(other.mutex()),
          is_held_(other.owns_lock())
    {
        if (is_held_)
            mutex_->unlock_and_lock_upgrade();
        other.release();
    }

    upgrade_lock(upgrade_lock &&other) noexcept
        : mutex_(std::exchange(other.mutex_, nullptr)),
          is_held_(std::exchange(other.is_held_, false))
    {
    }

    upgrade_lock &operator=(upgrade_lock &&other) noexcept
    {
        upgrade_lock(std::move(other)).swap(*this);
        return *this;
    }

    ~upgrade_lock() FW_NO_THREAD_SAFETY_ANALYSIS
    {
        if (is_held_)
            mutex_->unlock_upgrade();
    }

    void lock() FW_NO_THREAD_SAFETY_ANALYSIS
    {
        check_free();
        mutex_->lock_upgrade();
        is_held_ = true;
    }

    [[nodiscard]] bool try_lock() FW_NO_THREAD_SAFETY_ANALYSIS
    {
        check_free();
        return is_held_ = mutex_->try_lock_upgrade();
    }

    template <class Rep, class Period>
    [[nodiscard]] bool
    try_lock_for(const std::chrono::duration<Rep, Period> &d) FW_NO_THREAD_SAFETY_ANALYSIS
    {
        check_free();
        return is_held_ = mutex_->try_lock_upgrade_for(d);
    }

    template <class Clock, class Duration>
    [[nodiscard]] bool
    try_lock_until(const std::chrono::time_point<Clock, Duration> &at) FW_NO_THREAD_SAFETY_ANALYSIS
    {
        check_free();
        return is_held_ = mutex_->try_lock_upgrade_until(at);
    }

    void unlock() FW_NO_THREAD_SAFETY_ANALYSIS
    {
        check_held();
        is_held_ = false;
        mutex_->unlock_upgrade();
    }

    /* Ends this guard; the result holds the mutex in the other mode (if this one held it). */
    [[nodiscard]] std::unique_lock<Mutex> upgrade() && FW_NO_THREAD_SAFETY_ANALYSIS
    {
        check_held();
        mutex_->unlock_upgrade_and_lock();
        is_held_ = false;
        return std::unique_lock<Mutex>(*std::exchange(mutex_, nullptr), std::adopt_lock);
    }

    [[nodiscard]] std::shared_lock<Mutex> downgrade() && FW_NO_THREAD_SAFETY_ANALYSIS
    {
        check_held();
        mutex_->unlock_upgrade_and_lock_shared();
        is_held_ = false;
        return std::shared_lock<Mutex>(*std::exchange(mutex_, nullptr), std::adopt_lock);
    }

    void swap(upgrade_lock &other) noexcept
    {
        std::swap(mutex_, other.mutex_);
        std::swap(is_held_, other.is_held_);
    }

    /* Forgets the mutex, without releasing it. */
    Mutex *release() noexcept
    {
        is_held_ = false;
        return std::exchange(mutex_, nullptr);
    }

    [[nodiscard]] bool owns_lock() const noexcept
    {
        return is_held_;
    }

    explicit operator bool() const noexcept
    {
        return is_held_;
    }

    [[nodiscard]] Mutex *mutex() const noexcept
    {
        return mutex_;
    }

  private:
    [[noreturn]] static void fail(int error)
    {
        throw std::system_error(error, std::generic_category(), "fw::upgrade_lock");
    }

    void check_free() const
    {
        if (mutex_ == nullptr)
            fail(EPERM);
        if (is_held_)
            fail(EDEADLK);
    }

    void check_held() const
    {
        if (!is_held_)
            fail(EPERM);
    }

    Mutex *mutex_ = nullptr;
    bool is_held_ = false;
};

/*
 * While it lives, what its upgrade_lock holds upgradable is held exclusively.  The constructor
 * waits for the readers to leave; the other one does so for that long at most, and owns_lock()
 * says whether they did.  An upgrade_lock that holds nothing throws std::system_error (EPERM).
 */
template <class Mutex> class upgrade_to_unique_lock {
  public:
    using mutex_type = Mutex;

    explicit upgrade_to_unique_lock(upgrade_lock<Mutex> &lock) FW_NO_THREAD_SAFETY_ANALYSIS
        : mutex_(held(lock))
    {
        mutex_->unlock_upgrade_and_lock();
        is_held_ = true;
    }

    template <class Rep, class Period>
    upgrade_to_unique_lock(upgrade_lock<Mutex> &lock,
                           const std::chrono::duration<Rep, Period> &d) FW_NO_THREAD_SAFETY_ANALYSIS
        : mutex_(held(lock)),
          is_held_(mutex_->try_unlock_upgrade_and_lock_for(d))
    {
    }

    upgrade_to_unique_lock(const upgrade_to_unique_lock &) = delete;
    upgrade_to_unique_lock &operator=(const upgrade_to_unique_lock &) = delete;

    ~upgrade_to_unique_lock() FW_NO_THREAD_SAFETY_ANALYSIS
    {
        if (is_held_)
            mutex_->unlock_and_lock_upgrade();
    }

    [[nodiscard]] bool owns_lock() const noexcept
    {
        return is_held_;
    }

    explicit operator bool() const noexcept
    {
        return is_held_;
    }

  private:
    static Mutex *held(const upgrade_lock<Mutex> &lock)
    {
        if (!lock.owns_lock())
            throw std::system_error(EPERM, std::generic_category(), "fw::upgrade_to_unique_lock");
        return lock.mutex();
    }

    Mutex *mutex_;
    bool is_held_ = false;
};

} // namespace fw

#endif
