// SPDX-License-Identifier: MIT
#ifndef FURWOCK_IPC_RWLOCK_HPP
#define FURWOCK_IPC_RWLOCK_HPP

#include <furwock/bits/ipc/guard.hpp>
#include <furwock/ipc/named.h>
#include <furwock/ipc/rwlock.h>

namespace fw::ipc {

namespace detail {

/* What the guards of readers share; Derived has `release`. */
template <class Derived> class [[nodiscard]] reading {
  public:
    /* Does it hold the lock? */
    [[nodiscard]] bool owns_lock() const noexcept
    {
        return lock_ != nullptr;
    }

    explicit operator bool() const noexcept
    {
        return owns_lock();
    }

    /*
     * Holds nothing because a writer died, and its data are not repaired: who wants to read has to
     * lock() exclusively, repair, and may downgrade().
     */
    [[nodiscard]] bool owner_died() const noexcept
    {
        return owner_died_;
    }

    /*
     * Releases the lock.  Throws EPERM if it holds nothing, or if another thread took the lock: it
     * still holds it then.
     */
    void unlock()
    {
        check(give_back(lock_, Derived::release), "fw::ipc::shared_mutex: unlock");
    }

    [[nodiscard]] shared_mutex *mutex() const noexcept
    {
        return lock_;
    }

  protected:
    reading() noexcept = default;
    reading(shared_mutex *lock, bool owner_died) noexcept : lock_(lock), owner_died_(owner_died) {}

    reading(reading &&other) noexcept
        : lock_(std::exchange(other.lock_, nullptr)),
          owner_died_(std::exchange(other.owner_died_, false))
    {
    }

    reading &operator=(reading &&other) noexcept
    {
        reading former(std::move(other)); /* releases what this one held */

        std::swap(lock_, former.lock_);
        std::swap(owner_died_, former.owner_died_);
        return *this;
    }

    ~reading()
    {
        if (lock_ != nullptr)
            (void)Derived::release(lock_);
    }

    static Derived taken(shared_mutex &lock, int error, const char *what)
    {
        if (error == EBUSY || error == ETIMEDOUT)
            return Derived();
        if (error != EOWNERDEAD)
            check(error, what);
        return Derived(error == 0 ? &lock : nullptr, error == EOWNERDEAD);
    }

    shared_mutex *lock_ = nullptr;
    bool owner_died_ = false;
};

} // namespace detail

/* Holds an ipc::shared_mutex shared. */
class [[nodiscard]] shared_guard : public detail::reading<shared_guard> {
  public:
    shared_guard() noexcept = default;

  private:
    friend shared_mutex;
    friend upgrade_guard;
    template <class Lock> friend class guard;
    friend detail::reading<shared_guard>;
    using reading::reading;

    static int release(shared_mutex *lock) noexcept;
};

/* Holds it upgradable: beside readers, and no other that may write. */
class [[nodiscard]] upgrade_guard : public detail::reading<upgrade_guard> {
  public:
    upgrade_guard() noexcept = default;

    /*
     * Exclusive, when the readers have left; what has been read still holds.  This guard is empty
     * then.  Throws EPERM if it holds nothing, EDEADLK if the caller also reads.
     */
    guard<shared_mutex> upgrade() &&;

    /* The same at once, or within that time; else the result holds nothing, and this one stays. */
    guard<shared_mutex> try_upgrade() &&;
    template <class Rep, class Period>
    guard<shared_mutex> try_upgrade_for(const std::chrono::duration<Rep, Period> &d) &&;

    /* Shared. */
    shared_guard downgrade() &&;

  private:
    friend shared_mutex;
    template <class Lock> friend class guard;
    friend detail::reading<upgrade_guard>;
    using reading::reading;

    static int release(shared_mutex *lock) noexcept;
    guard<shared_mutex> upgraded(int error);
};

/*
 * fw_ipc_rwlock (furwock/ipc/rwlock.h): many readers or one writer, of any processes, robust
 * against their death.  As with ipc::mutex, to lock it is to get a guard: for the exclusive mode
 * one that says whether the writer before died; for the others one that holds nothing then.
 *
 *     auto reading = prices.lock_shared();
 *     if (reading.owner_died()) {             // holds nothing
 *         auto writing = prices.lock();
 *         writing.repair([&] { fetch_again(); });
 *         reading = std::move(writing).downgrade();
 *     }
 *
 * Errors are thrown: std::system_error with ENOTRECOVERABLE, EDEADLK, EINVAL, EUCLEAN and EAGAIN
 * (also: the thread has FW_IPC_SHARES_MAX shared locks in the region), as the C header explains.
 */
class shared_mutex {
  public:
    using native_handle_type = fw_ipc_rwlock *;

    constexpr shared_mutex() noexcept = default;
    shared_mutex(const shared_mutex &) = delete;
    shared_mutex &operator=(const shared_mutex &) = delete;

    /* Exclusive: waits, tries at once, or within a time. */
    guard<shared_mutex> lock(const wait_policy &policy = {})
    {
        return guard<shared_mutex>::taken(
            *this, fw_ipc_rwlock_wrlock_policy(&l_, policy.native_handle(), nullptr),
            "fw::ipc::shared_mutex::lock");
    }

    guard<shared_mutex> try_lock()
    {
        return guard<shared_mutex>::taken(*this, fw_ipc_rwlock_trywrlock(&l_),
                                          "fw::ipc::shared_mutex::try_lock");
    }

    template <class Rep, class Period>
    guard<shared_mutex> try_lock_for(const std::chrono::duration<Rep, Period> &d,
                                     const wait_policy &policy = {})
    {
        return guard<shared_mutex>::taken(
            *this, detail::within(fw_ipc_rwlock_wrlock_policy, &l_, d, policy),
            "fw::ipc::shared_mutex::try_lock_for");
    }

    template <class Clock, class Duration>
    guard<shared_mutex> try_lock_until(const std::chrono::time_point<Clock, Duration> &at,
                                       const wait_policy &policy = {})
    {
        return guard<shared_mutex>::taken(*this,
                                          detail::by(fw_ipc_rwlock_wrlock_policy, &l_, at, policy),
                                          "fw::ipc::shared_mutex::try_lock_until");
    }

    /* Shared. */
    shared_guard lock_shared(const wait_policy &policy = {})
    {
        return shared_guard::taken(
            *this, fw_ipc_rwlock_rdlock_policy(&l_, policy.native_handle(), nullptr),
            "fw::ipc::shared_mutex::lock_shared");
    }

    shared_guard try_lock_shared()
    {
        return shared_guard::taken(*this, fw_ipc_rwlock_tryrdlock(&l_),
                                   "fw::ipc::shared_mutex::try_lock_shared");
    }

    template <class Rep, class Period>
    shared_guard try_lock_shared_for(const std::chrono::duration<Rep, Period> &d,
                                     const wait_policy &policy = {})
    {
        return shared_guard::taken(*this,
                                   detail::within(fw_ipc_rwlock_rdlock_policy, &l_, d, policy),
                                   "fw::ipc::shared_mutex::try_lock_shared_for");
    }

    template <class Clock, class Duration>
    shared_guard try_lock_shared_until(const std::chrono::time_point<Clock, Duration> &at,
                                       const wait_policy &policy = {})
    {
        return shared_guard::taken(*this, detail::by(fw_ipc_rwlock_rdlock_policy, &l_, at, policy),
                                   "fw::ipc::shared_mutex::try_lock_shared_until");
    }

    /* Upgradable. */
    upgrade_guard lock_upgrade(const wait_policy &policy = {})
    {
        return upgrade_guard::taken(
            *this, fw_ipc_rwlock_upgradable_lock_policy(&l_, policy.native_handle(), nullptr),
            "fw::ipc::shared_mutex::lock_upgrade");
    }

    upgrade_guard try_lock_upgrade()
    {
        return upgrade_guard::taken(*this, fw_ipc_rwlock_upgradable_trylock(&l_),
                                    "fw::ipc::shared_mutex::try_lock_upgrade");
    }

    template <class Rep, class Period>
    upgrade_guard try_lock_upgrade_for(const std::chrono::duration<Rep, Period> &d,
                                       const wait_policy &policy = {})
    {
        return upgrade_guard::taken(
            *this, detail::within(fw_ipc_rwlock_upgradable_lock_policy, &l_, d, policy),
            "fw::ipc::shared_mutex::try_lock_upgrade_for");
    }

    /* What the calling thread holds: the strongest mode, if it holds several. */
    [[nodiscard]] fw_ipc_rwlock_mode held_by_me() const noexcept
    {
        return fw_ipc_rwlock_held_by_me(&l_);
    }

    native_handle_type native_handle() noexcept
    {
        return &l_;
    }

  private:
    fw_ipc_rwlock l_ = FW_IPC_RWLOCK_INIT;
};

namespace detail {

template <> struct exclusive<shared_mutex> {
    static int unlock(fw_ipc_rwlock *l) noexcept
    {
        return fw_ipc_rwlock_wrunlock(l);
    }
    static int consistent(fw_ipc_rwlock *l) noexcept
    {
        return fw_ipc_rwlock_consistent(l);
    }
    static std::uint64_t generation(const fw_ipc_rwlock *l) noexcept
    {
        return fw_ipc_rwlock_generation(l);
    }
    static int death(const fw_ipc_rwlock *l, fw_ipc_death *d) noexcept
    {
        return fw_ipc_rwlock_death(l, d);
    }
};

template <> struct named<shared_mutex> : named_by<shared_mutex, fw_ipc_rwlock, fw_region_rwlock> {
};

} // namespace detail

inline int shared_guard::release(shared_mutex *lock) noexcept
{
    return fw_ipc_rwlock_rdunlock(lock->native_handle());
}

inline int upgrade_guard::release(shared_mutex *lock) noexcept
{
    return fw_ipc_rwlock_upgradable_unlock(lock->native_handle());
}

inline guard<shared_mutex> upgrade_guard::upgraded(int error)
{
    if (error == EBUSY || error == ETIMEDOUT)
        return {};
    detail::check(error, "fw::ipc::upgrade_guard::upgrade");
    return guard<shared_mutex>(*std::exchange(lock_, nullptr), false);
}

inline guard<shared_mutex> upgrade_guard::upgrade() &&
{
    return upgraded(lock_ != nullptr ? fw_ipc_rwlock_upgrade(lock_->native_handle()) : EPERM);
}

inline guard<shared_mutex> upgrade_guard::try_upgrade() &&
{
    return upgraded(lock_ != nullptr ? fw_ipc_rwlock_tryupgrade(lock_->native_handle()) : EPERM);
}

template <class Rep, class Period>
guard<shared_mutex> upgrade_guard::try_upgrade_for(const std::chrono::duration<Rep, Period> &d) &&
{
    const fw_deadline at = fw::detail::from_now(d);

    return upgraded(lock_ != nullptr ? fw_ipc_rwlock_timedupgrade(lock_->native_handle(), &at)
                                     : EPERM);
}

inline shared_guard upgrade_guard::downgrade() &&
{
    detail::check(lock_ != nullptr ? fw_ipc_rwlock_downgrade(lock_->native_handle()) : EPERM,
                  "fw::ipc::upgrade_guard::downgrade");
    return shared_guard(std::exchange(lock_, nullptr), false);
}

/*
 * From exclusive to shared or upgradable, without a release in between; this guard is empty then.
 * Throws EOWNERDEAD if the writer before died, and consistent() has not been called.
 */
template <> inline shared_guard guard<shared_mutex>::downgrade() &&
{
    check_held();
    detail::check(fw_ipc_rwlock_downgrade(lock_->native_handle()), "fw::ipc::guard::downgrade");
    return shared_guard(std::exchange(lock_, nullptr), false);
}

template <> inline upgrade_guard guard<shared_mutex>::downgrade_upgradable() &&
{
    check_held();
    detail::check(fw_ipc_rwlock_downgrade_upgradable(lock_->native_handle()),
                  "fw::ipc::guard::downgrade_upgradable");
    return upgrade_guard(std::exchange(lock_, nullptr), false);
}

} // namespace fw::ipc

#endif
