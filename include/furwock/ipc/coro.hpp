// SPDX-License-Identifier: MIT
#ifndef FURWOCK_IPC_CORO_HPP
#define FURWOCK_IPC_CORO_HPP

/*
 * furwock/coro.hpp for the locks of a region, which other processes hold (furwock/ipc/await.h).
 *
 *     co_await fw::co::lock(m)      ipc_guard; m is a fw_ipc_mutex
 *     co_await fw::co::acquire(s)   true; s is a fw_ipc_sem
 *     co_await fw::co::acquire(p)   ipc_permit; p is a fw_ipc_permits
 *     co_await fw::co::lock(rw)     ipc_exclusive_guard; rw is a fw_ipc_rwlock
 *     co_await fw::co::lock_shared(rw)   ipc_shared_guard
 *     co_await fw::co::wait(c, held)     true: signalled; c is a fw_ipc_cond, held an ipc_guard,
 *                                   which holds the mutex again; may be spurious
 *
 * And try_lock_for, try_lock_shared_for, try_acquire_for, wait_for, and ..._until, as there.
 *
 * A guard whose owner_died() is true has the lock of an owner that was killed: what it protects is
 * to be repaired, and then consistent() to be called, or nobody gets the lock any more.  (A permit
 * whose owner_died() is true needs no call.)  lock_shared throws std::system_error, EOWNERDEAD, if
 * a writer was killed: whoever locks to write repairs.  They need a loop, not an executor.
 */
#include <cerrno>
#include <cstdint>
#include <utility>

#include <furwock/bits/coro/ipc_unlock.hpp>
#include <furwock/coro.hpp>
#include <furwock/ipc/await.h>

namespace fw::co {

/* What a task holds exclusively, perhaps of an owner that was killed. */
template <class Object, int (*Unlock)(Object *, fw_task), int (*Consistent)(Object *, fw_task)>
class robust_guard {
  public:
    robust_guard() noexcept = default;

    robust_guard(Object &object, fw_task owner, bool owner_died) noexcept
        : object_(&object), owner_(owner), owner_died_(owner_died)
    {
    }

    robust_guard(robust_guard &&other) noexcept
        : object_(other.release()), owner_(other.owner_),
          owner_died_(std::exchange(other.owner_died_, false))
    {
    }

    robust_guard &operator=(robust_guard &&other) noexcept
    {
        if (this != &other) {
            unlock();
            object_ = other.release();
            owner_ = other.owner_;
            owner_died_ = std::exchange(other.owner_died_, false);
        }
        return *this;
    }

    ~robust_guard()
    {
        unlock();
    }

    /* Does nothing if it holds nothing. */
    void unlock() noexcept
    {
        owner_died_ = false;
        if (Object *const object = release())
            Unlock(object, owner_);
    }

    /* The object stays locked, and is the caller's to unlock. */
    Object *release() noexcept
    {
        return std::exchange(object_, nullptr);
    }

    [[nodiscard]] fw_task owner() const noexcept
    {
        return owner_;
    }

    [[nodiscard]] bool owns_lock() const noexcept
    {
        return object_ != nullptr;
    }

    explicit operator bool() const noexcept
    {
        return owns_lock();
    }

    /* The owner before this one was killed, and consistent() has not been called since. */
    [[nodiscard]] bool owner_died() const noexcept
    {
        return owner_died_;
    }

    /* What is protected is as it should be again.  Throws std::system_error (EINVAL, EPERM). */
    void consistent()
    {
        detail::check(Consistent(object_, owner_), "fw::co::robust_guard");
        owner_died_ = false;
    }

  private:
    Object *object_ = nullptr;
    fw_task owner_ = 0;
    bool owner_died_ = false;
};

using ipc_guard = robust_guard<fw_ipc_mutex, detail::task_ipc_unlock, fw_task_ipc_mutex_consistent>;
using ipc_exclusive_guard =
    robust_guard<fw_ipc_rwlock, detail::task_ipc_wrunlock, fw_task_ipc_rwlock_consistent>;
using ipc_shared_guard = guard<fw_ipc_rwlock, detail::task_ipc_rdunlock>;

/* A permit that a task has; empty: none. */
class ipc_permit {
  public:
    ipc_permit() noexcept = default;

    ipc_permit(fw_ipc_permits &of, std::uint32_t number, fw_task owner, bool owner_died) noexcept
        : of_(&of), number_(number), owner_(owner), owner_died_(owner_died)
    {
    }

    ipc_permit(ipc_permit &&other) noexcept
        : of_(std::exchange(other.of_, nullptr)), number_(other.number_), owner_(other.owner_),
          owner_died_(std::exchange(other.owner_died_, false))
    {
    }

    ipc_permit &operator=(ipc_permit other) noexcept
    {
        std::swap(of_, other.of_);
        std::swap(number_, other.number_);
        std::swap(owner_, other.owner_);
        std::swap(owner_died_, other.owner_died_);
        return *this;
    }

    ~ipc_permit()
    {
        give_back();
    }

    /* Does nothing if it is empty. */
    void give_back() noexcept
    {
        owner_died_ = false;
        if (fw_ipc_permits *const of = std::exchange(of_, nullptr))
            fw_task_ipc_permits_give(of, number_, owner_);
    }

    explicit operator bool() const noexcept
    {
        return of_ != nullptr;
    }

    /* Which one: from 0. */
    [[nodiscard]] std::uint32_t number() const noexcept
    {
        return number_;
    }

    /* Its previous owner was killed with it. */
    [[nodiscard]] bool owner_died() const noexcept
    {
        return owner_died_;
    }

  private:
    fw_ipc_permits *of_ = nullptr;
    std::uint32_t number_ = 0;
    fw_task owner_ = 0;
    bool owner_died_ = false;
};

/* A lock that a guard holds, perhaps of a dead owner. */
template <class Object, class Guard, int (*Await)(fw_await *, Object *, const fw_deadline *)>
class robust_wait : public wait_base {
  public:
    using value = Guard;
    static constexpr const char *name = "fw::co::lock";

    explicit robust_wait(Object &object) noexcept : object_(&object) {}

    int submit(fw_await *operation, const fw_deadline *deadline)
    {
        return Await(operation, object_, deadline);
    }

    Guard granted(fw_task task, int error) noexcept
    {
        return Guard(*object_, task, error == EOWNERDEAD);
    }

    Guard missed(fw_task) noexcept
    {
        return Guard();
    }

  private:
    Object *object_;
};

using ipc_mutex_wait = robust_wait<fw_ipc_mutex, ipc_guard, fw_await_ipc_mutex>;
using ipc_exclusive_wait = robust_wait<fw_ipc_rwlock, ipc_exclusive_guard, fw_await_ipc_wrlock>;
using ipc_shared_wait = lock_wait<fw_ipc_rwlock, ipc_shared_guard, fw_await_ipc_rdlock>;

class ipc_permit_wait : public wait_base {
  public:
    using value = ipc_permit;
    static constexpr const char *name = "fw::co::acquire";

    explicit ipc_permit_wait(fw_ipc_permits &of) noexcept : of_(&of) {}

    int submit(fw_await *operation, const fw_deadline *deadline)
    {
        operation_ = operation;
        return fw_await_ipc_permits(operation, of_, deadline);
    }

    ipc_permit granted(fw_task task, int error) noexcept
    {
        return ipc_permit(*of_, fw_await_ipc_permit(operation_), task, error == EOWNERDEAD);
    }

    ipc_permit missed(fw_task) noexcept
    {
        return ipc_permit();
    }

  private:
    fw_ipc_permits *of_;
    fw_await *operation_ = nullptr;
};

/* A condition variable: while it waits, the guard holds nothing; then the mutex again. */
class ipc_cond_wait : public wait_base {
  public:
    using value = bool;
    static constexpr const char *name = "fw::co::wait";
    static constexpr bool is_polled = true; /* it takes more than one step */

    ipc_cond_wait(fw_ipc_cond &cond, ipc_guard &held) noexcept : cond_(&cond), held_(&held) {}

    int submit(fw_await *operation, const fw_deadline *deadline)
    {
        const int error =
            mutex_ == nullptr ? EPERM : fw_await_ipc_cond(operation, cond_, mutex_, deadline);

        if (error != EINPROGRESS && mutex_ != nullptr) /* it was not given up */
            *held_ = ipc_guard(*std::exchange(mutex_, nullptr), held_->owner(), had_died_);
        return error;
    }

    void begin() noexcept
    {
        had_died_ = held_->owner_died();
        mutex_ = held_->release();
    }

    bool granted(fw_task, int error) noexcept
    {
        take(error == EOWNERDEAD);
        return true;
    }

    bool missed(fw_task) noexcept
    {
        take(false);
        return false;
    }

  private:
    void take(bool owner_died) noexcept
    {
        if (mutex_ != nullptr)
            *held_ = ipc_guard(*mutex_, held_->owner(), owner_died);
    }

    fw_ipc_cond *cond_;
    ipc_guard *held_;
    fw_ipc_mutex *mutex_ = nullptr;
    bool had_died_ = false;
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

[[nodiscard]] inline auto acquire(fw_ipc_permits &o) noexcept
{
    return untimed<ipc_permit_wait>(o);
}

template <class Time> [[nodiscard]] auto try_acquire_for(fw_ipc_permits &o, const Time &d)
{
    return timed<ipc_permit_wait>(deadline_of(d), o);
}

template <class Time> [[nodiscard]] auto try_acquire_until(fw_ipc_permits &o, const Time &at)
{
    return timed<ipc_permit_wait>(deadline_of(at), o);
}

[[nodiscard]] inline auto lock(fw_ipc_rwlock &o) noexcept
{
    return untimed<ipc_exclusive_wait>(o);
}

template <class Time> [[nodiscard]] auto try_lock_for(fw_ipc_rwlock &o, const Time &d)
{
    return timed<ipc_exclusive_wait>(deadline_of(d), o);
}

template <class Time> [[nodiscard]] auto try_lock_until(fw_ipc_rwlock &o, const Time &at)
{
    return timed<ipc_exclusive_wait>(deadline_of(at), o);
}

[[nodiscard]] inline auto lock_shared(fw_ipc_rwlock &o) noexcept
{
    return untimed<ipc_shared_wait>(o);
}

template <class Time> [[nodiscard]] auto try_lock_shared_for(fw_ipc_rwlock &o, const Time &d)
{
    return timed<ipc_shared_wait>(deadline_of(d), o);
}

template <class Time> [[nodiscard]] auto try_lock_shared_until(fw_ipc_rwlock &o, const Time &at)
{
    return timed<ipc_shared_wait>(deadline_of(at), o);
}

/* The guard must hold the mutex (EPERM), and is not to be moved meanwhile. */
[[nodiscard]] inline auto wait(fw_ipc_cond &c, ipc_guard &held) noexcept
{
    return untimed<ipc_cond_wait>(c, held);
}

template <class Time> [[nodiscard]] auto wait_for(fw_ipc_cond &c, ipc_guard &held, const Time &d)
{
    return timed<ipc_cond_wait>(deadline_of(d), c, held);
}

template <class Time> [[nodiscard]] auto wait_until(fw_ipc_cond &c, ipc_guard &held, const Time &at)
{
    return timed<ipc_cond_wait>(deadline_of(at), c, held);
}

} // namespace fw::co

#endif
