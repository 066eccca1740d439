// SPDX-License-Identifier: MIT
#ifndef FURWOCK_BITS_IPC_GUARD_HPP
#define FURWOCK_BITS_IPC_GUARD_HPP

#include <optional>
#include <utility>

#include <furwock/bits/ipc/error.hpp>

namespace fw::ipc {

class mutex;
class shared_mutex;
class condition_variable;
class shared_guard;
class upgrade_guard;

namespace detail {

/* The calls of C behind a guard: specialised for each lock. */
template <class Lock> struct exclusive;

} // namespace detail

/*
 * Holds an ipc::mutex, or an ipc::shared_mutex exclusively, and releases it in the end; moved, not
 * copied.  It says whether the owner before this one died, which may have left the data half
 * changed:
 *
 *     auto held = table.lock.lock();
 *     if (held.owner_died()) {
 *         table.rebuild();
 *         held.consistent();
 *     }
 *
 * A guard that is released, or waits, without consistent() although owner_died(), makes the lock
 * unusable: all calls throw ENOTRECOVERABLE from then on.  So a program that forgets to ask does
 * not work on broken data for long.
 */
template <class Lock> class [[nodiscard]] guard {
  public:
    /* Holds nothing. */
    guard() noexcept = default;

    guard(guard &&other) noexcept
        : lock_(std::exchange(other.lock_, nullptr)),
          owner_died_(std::exchange(other.owner_died_, false))
    {
    }

    guard &operator=(guard &&other) noexcept
    {
        guard(std::move(other)).swap(*this);
        return *this;
    }

    ~guard()
    {
        if (lock_ != nullptr)
            (void)calls::unlock(lock_->native_handle());
    }

    /* Does it hold the lock?  (Not after a try that failed, or an unlock.) */
    [[nodiscard]] bool owns_lock() const noexcept
    {
        return lock_ != nullptr;
    }

    explicit operator bool() const noexcept
    {
        return owns_lock();
    }

    /* Did the owner before this one die, and has consistent() not been called since? */
    [[nodiscard]] bool owner_died() const noexcept
    {
        return owner_died_;
    }

    /* The data are as they should be.  Throws EPERM (it holds nothing), EINVAL (no owner died). */
    void consistent()
    {
        check_held();
        detail::check(calls::consistent(lock_->native_handle()), "fw::ipc::guard::consistent");
        owner_died_ = false;
    }

    /*
     * If the owner died: calls f(death), or f(), and then consistent().  If f throws, the data are
     * not declared consistent.  For a chain: auto held = m.lock().repair(rebuild);
     */
    template <class F> guard &repair(F &&f) &
    {
        if (owner_died_) {
            if constexpr (std::is_invocable_v<F &, const death &>)
                f(last_death().value_or(death{}));
            else
                f();
            consistent();
        }
        return *this;
    }

    template <class F> guard repair(F &&f) &&
    {
        repair(std::forward<F>(f));
        return std::move(*this);
    }

    /*
     * Releases the lock.  Throws EPERM (it holds nothing, or another thread took the lock: the
     * guard still holds it); EUCLEAN if its journal was overwritten: it is released then.
     */
    void unlock()
    {
        const int error = detail::give_back(
            lock_, [](Lock *held) { return calls::unlock(held->native_handle()); });

        owner_died_ = owner_died_ && lock_ != nullptr;
        detail::check(error, "fw::ipc::guard::unlock");
    }

    /* The number of this acquisition: greater than all before, a fencing token.  0: not held. */
    [[nodiscard]] std::uint64_t generation() const noexcept
    {
        return lock_ != nullptr ? calls::generation(lock_->native_handle()) : 0;
    }

    /* The last owner that died, if any has. */
    [[nodiscard]] std::optional<death> last_death() const noexcept
    {
        death d = {};

        if (lock_ == nullptr || calls::death(lock_->native_handle(), &d) != 0)
            return std::nullopt;
        return d;
    }

    /* The lock that is held, or nullptr. */
    [[nodiscard]] Lock *mutex() const noexcept
    {
        return lock_;
    }

    void swap(guard &other) noexcept
    {
        std::swap(lock_, other.lock_);
        std::swap(owner_died_, other.owner_died_);
    }

    /* From exclusive to another mode of a shared_mutex: see furwock/ipc/rwlock.hpp. */
    shared_guard downgrade() &&;
    upgrade_guard downgrade_upgradable() &&;

  private:
    friend Lock;
    friend upgrade_guard;
    friend condition_variable;
    template <class L, class Repair> friend class lockable;
    using calls = detail::exclusive<Lock>;

    guard(Lock &lock, bool owner_died) noexcept : lock_(&lock), owner_died_(owner_died) {}

    /* What a call of C has taken.  Errors that mean "not now" make a guard that holds nothing. */
    static guard taken(Lock &lock, int error, const char *what)
    {
        if (error == EBUSY || error == ETIMEDOUT)
            return guard();
        if (error != EOWNERDEAD)
            detail::check(error, what);
        return guard(lock, error == EOWNERDEAD);
    }

    /* Leaves the lock held.  True if it was. */
    bool release_() noexcept
    {
        return std::exchange(lock_, nullptr) != nullptr;
    }

    void check_held() const
    {
        detail::check(lock_ != nullptr ? 0 : EPERM, "fw::ipc::guard: holds nothing");
    }

    Lock *lock_ = nullptr;
    bool owner_died_ = false;
};

/*
 * A *Lockable* of the standard in front of an ipc::mutex or ipc::shared_mutex, for std::lock_guard,
 * std::unique_lock, std::scoped_lock and std::lock, which have no way to say that an owner died.
 * So it has the function that repairs: called as repair(death), or repair(), with the lock held,
 * before lock() returns.  If that throws, the lock is released and unusable, and the exception is
 * the caller's.
 *
 *     fw::ipc::lockable jobs(shared.jobs_lock, [&] { shared.recount(); });
 *     fw::ipc::lockable log(shared.log_lock, [&] { shared.truncate_log(); });
 *     std::scoped_lock both(jobs, log);
 *
 * One for each thread, or one for all: it has no state of its own.
 */
template <class Lock, class Repair> class lockable {
  public:
    lockable(Lock &m, Repair repair) : lock_(&m), repair_(std::move(repair)) {}
    lockable(const lockable &) = delete;
    lockable &operator=(const lockable &) = delete;

    void lock()
    {
        keep(lock_->lock());
    }

    [[nodiscard]] bool try_lock()
    {
        return keep(lock_->try_lock());
    }

    template <class Rep, class Period>
    [[nodiscard]] bool try_lock_for(const std::chrono::duration<Rep, Period> &d)
    {
        return keep(lock_->try_lock_for(d));
    }

    template <class Clock, class Duration>
    [[nodiscard]] bool try_lock_until(const std::chrono::time_point<Clock, Duration> &at)
    {
        return keep(lock_->try_lock_until(at));
    }

    void unlock()
    {
        detail::check(detail::exclusive<Lock>::unlock(lock_->native_handle()),
                      "fw::ipc::lockable::unlock");
    }

  private:
    bool keep(guard<Lock> held)
    {
        held.repair(repair_);
        return held.release_();
    }

    Lock *lock_;
    Repair repair_;
};

} // namespace fw::ipc

#endif
