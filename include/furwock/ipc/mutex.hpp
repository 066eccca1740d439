// SPDX-License-Identifier: MIT
#ifndef FURWOCK_IPC_MUTEX_HPP
#define FURWOCK_IPC_MUTEX_HPP

#include <furwock/bits/ipc/guard.hpp>
#include <furwock/ipc/mutex.h>
#include <furwock/ipc/region.h>

namespace fw::ipc {

/*
 * fw_ipc_mutex (furwock/ipc/mutex.h): a mutex between processes, robust against the death of its
 * owner.  It lies in a region: found there by its name, or as a member of what is.
 *
 *     fw::ipc::mutex &m = region.find_or_construct<fw::ipc::mutex>("jobs");
 *
 * To lock it is to get a guard, which says whether the previous owner died; there is no unlock()
 * without one, and so std::lock_guard<fw::ipc::mutex>, which could not ask, does not compile.  The
 * standard's guards and std::lock work on fw::ipc::lockable.
 *
 * Errors are thrown: std::system_error with ENOTRECOVERABLE (unusable: an owner died, and the next
 * one has not declared the data consistent), EDEADLK (the caller holds it), EINVAL (not in a
 * region of this process), EAGAIN (no participant slot is left), EUCLEAN (overwritten).
 */
class FW_CAPABILITY("mutex between processes") mutex {
  public:
    using native_handle_type = fw_ipc_mutex *;

    constexpr mutex() noexcept = default;
    mutex(const mutex &) = delete;
    mutex &operator=(const mutex &) = delete;

    /* Takes the mutex, waiting for it if need be. */
    guard<mutex> lock()
    {
        return guard<mutex>::taken(*this, fw_ipc_mutex_lock(&m_), "fw::ipc::mutex::lock");
    }

    guard<mutex> lock(const wait_policy &policy)
    {
        return guard<mutex>::taken(*this,
                                   fw_ipc_mutex_lock_policy(&m_, policy.native_handle(), nullptr),
                                   "fw::ipc::mutex::lock");
    }

    /* Takes it if it is free or its owner is dead; else the guard holds nothing. */
    guard<mutex> try_lock()
    {
        return guard<mutex>::taken(*this, fw_ipc_mutex_trylock(&m_), "fw::ipc::mutex::try_lock");
    }

    /* Takes it within that time; else the guard holds nothing. */
    template <class Rep, class Period>
    guard<mutex> try_lock_for(const std::chrono::duration<Rep, Period> &d,
                              const wait_policy &policy = {})
    {
        return guard<mutex>::taken(*this, detail::within(fw_ipc_mutex_lock_policy, &m_, d, policy),
                                   "fw::ipc::mutex::try_lock_for");
    }

    template <class Clock, class Duration>
    guard<mutex> try_lock_until(const std::chrono::time_point<Clock, Duration> &at,
                                const wait_policy &policy = {})
    {
        return guard<mutex>::taken(*this, detail::by(fw_ipc_mutex_lock_policy, &m_, at, policy),
                                   "fw::ipc::mutex::try_lock_until");
    }

    /* Does the calling thread hold it? */
    [[nodiscard]] bool is_held_by_me() const noexcept
    {
        return fw_ipc_mutex_is_held_by_me(&m_);
    }

    /* Aborts the program unless it does; clang's thread safety analysis takes it as said. */
    void assert_held() const noexcept FW_ASSERT_CAPABILITY(this)
    {
        fw_ipc_mutex_assert_held(&m_);
    }

    native_handle_type native_handle() noexcept
    {
        return &m_;
    }

  private:
    fw_ipc_mutex m_ = FW_IPC_MUTEX_INIT;
};

namespace detail {

template <> struct exclusive<mutex> {
    static int unlock(fw_ipc_mutex *m) noexcept
    {
        return fw_ipc_mutex_unlock(m);
    }
    static int consistent(fw_ipc_mutex *m) noexcept
    {
        return fw_ipc_mutex_consistent(m);
    }
    static std::uint64_t generation(const fw_ipc_mutex *m) noexcept
    {
        return fw_ipc_mutex_generation(m);
    }
    static int death(const fw_ipc_mutex *m, fw_ipc_death *d) noexcept
    {
        return fw_ipc_mutex_death(m, d);
    }
};

template <> struct named<mutex> : named_by<mutex, fw_ipc_mutex, fw_region_mutex> {
};

} // namespace detail

/*
 * A T with the mutex that protects it: one object of a region, to which there is no way but
 * through lock().  While owner_died() and not yet consistent(), -> and * throw std::system_error
 * (EOWNERDEAD); unrepaired() is the way to the data for the repair.
 *
 *     auto &jobs = region.find_or_construct<fw::ipc::synchronized<table>>("jobs");
 *
 *     auto held = jobs.lock();
 *     if (held.owner_died()) {
 *         held.unrepaired().rebuild();
 *         held.consistent();
 *     }
 *     held->add(job);
 */
template <class T> class synchronized {
    using held = guard<ipc::mutex>; /* which has a member of that name */

  public:
    /* A guard through which the data can be reached. */
    class [[nodiscard]] access : public held {
      public:
        T &operator*() const
        {
            detail::check(!this->owns_lock()   ? EPERM
                          : this->owner_died() ? EOWNERDEAD
                                               : 0,
                          "fw::ipc::synchronized");
            return *value_;
        }

        T *operator->() const
        {
            return &**this;
        }

        /* The data as the dead owner left them, if it did.  Throws EPERM if nothing is held. */
        T &unrepaired() const
        {
            detail::check(this->owns_lock() ? 0 : EPERM, "fw::ipc::synchronized");
            return *value_;
        }

      private:
        friend synchronized;
        access(held &&g, T &value) noexcept : held(std::move(g)), value_(&value) {}

        T *value_;
    };

    template <class... Args>
    explicit synchronized(Args &&...args) : value_{std::forward<Args>(args)...}
    {
    }
    synchronized(const synchronized &) = delete;
    synchronized &operator=(const synchronized &) = delete;

    /* As those of ipc::mutex. */
    access lock()
    {
        return access(lock_.lock(), value_);
    }

    access try_lock()
    {
        return access(lock_.try_lock(), value_);
    }

    template <class Rep, class Period>
    access try_lock_for(const std::chrono::duration<Rep, Period> &d, const wait_policy &policy = {})
    {
        return access(lock_.try_lock_for(d, policy), value_);
    }

    template <class Clock, class Duration>
    access try_lock_until(const std::chrono::time_point<Clock, Duration> &at,
                          const wait_policy &policy = {})
    {
        return access(lock_.try_lock_until(at, policy), value_);
    }

  private:
    mutex lock_;
    T value_;
};

} // namespace fw::ipc

#endif
