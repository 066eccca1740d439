// SPDX-License-Identifier: MIT
#ifndef FURWOCK_WAIT_HPP
#define FURWOCK_WAIT_HPP

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <system_error>
#include <type_traits>
#include <utility>

#include <furwock/thread_safety.h>
#include <furwock/wait.h>

namespace fw {

/*
 * fw_wait_policy (furwock/wait.h): how a thread waits.  An argument of single calls, after the
 * others; or a part of a lock, in its type or in its value, by fw::waiting.
 *
 *     mutex.lock(fw::wait_policy::block());
 *     semaphore.try_acquire_for(1s, fw::wait_policy::spin_then_block(20us));
 */
class wait_policy {
  public:
    /* The default policy of the process. */
    constexpr wait_policy() noexcept = default;

    /* Sleeps in the kernel at once. */
    [[nodiscard]] static constexpr wait_policy block() noexcept
    {
        return wait_policy(FW_WAIT_BLOCK, 0);
    }

    /* Spins until granted, and never sleeps. */
    [[nodiscard]] static constexpr wait_policy spin() noexcept
    {
        return wait_policy(FW_WAIT_SPIN, 0);
    }

    /* Yields the CPU between checks, and never sleeps. */
    [[nodiscard]] static constexpr wait_policy yield() noexcept
    {
        return wait_policy(FW_WAIT_YIELD, 0);
    }

    /*
     * Spins for that long, then sleeps.  A negative time, or one of more than a second
     * (FW_WAIT_SPIN_MAX_NS), throws std::system_error (EINVAL); a constant one does not compile.
     */
    template <class Rep, class Period>
    [[nodiscard]] static constexpr wait_policy
    spin_then_block(const std::chrono::duration<Rep, Period> &d)
    {
        return wait_policy(FW_WAIT_SPIN_THEN_BLOCK, nanoseconds(d));
    }

    /* Spins while the owner runs, or for that long if this is not known, then sleeps. */
    template <class Rep, class Period>
    [[nodiscard]] static constexpr wait_policy adaptive(const std::chrono::duration<Rep, Period> &d)
    {
        return wait_policy(FW_WAIT_ADAPTIVE, nanoseconds(d));
    }

    /* The C object, for calls of C. */
    [[nodiscard]] constexpr const fw_wait_policy *native_handle() const noexcept
    {
        return &p_;
    }

  private:
    constexpr wait_policy(fw_wait_kind kind, std::uint32_t ns) noexcept : p_{kind, ns} {}

    template <class Rep, class Period>
    static constexpr std::uint32_t nanoseconds(const std::chrono::duration<Rep, Period> &d)
    {
        const long double ns = std::chrono::duration<long double, std::nano>(d).count();

        if (!(ns >= 0 && ns <= FW_WAIT_SPIN_MAX_NS))
            throw std::system_error(EINVAL, std::generic_category(), "fw::wait_policy");
        return static_cast<std::uint32_t>(ns);
    }

    fw_wait_policy p_ = {FW_WAIT_DEFAULT, 0};
};

/* Policies as types: empty classes that convert to the policy they are named after. */
struct block_policy {
    constexpr operator wait_policy() const noexcept
    {
        return wait_policy::block();
    }
};

struct spin_policy {
    constexpr operator wait_policy() const noexcept
    {
        return wait_policy::spin();
    }
};

struct yield_policy {
    constexpr operator wait_policy() const noexcept
    {
        return wait_policy::yield();
    }
};

template <std::uint32_t Nanoseconds> struct spin_then_block_policy {
    static_assert(Nanoseconds <= FW_WAIT_SPIN_MAX_NS, "spins for at most a second");

    constexpr operator wait_policy() const noexcept
    {
        return wait_policy::spin_then_block(std::chrono::nanoseconds(Nanoseconds));
    }
};

/*
 * A lock (fw::mutex, fw::shared_mutex, fw::brlock) all of whose calls that wait do so with a
 * policy, so that the guards of the standard library do, too.
 *
 *     fw::waiting<fw::mutex, fw::spin_policy> here;              // 8 bytes: it is in the type
 *     fw::waiting<fw::mutex> there(fw::wait_policy::block());    // 16 bytes: it is in the lock
 *
 * A Policy is wait_policy, or a class that converts to it.  What the lock's constructor takes
 * follows the policy.  fw::condition_variable waits with std::unique_lock of it, too; the mutex is
 * locked again with the default policy then.
 */
template <class Lock, class Policy = wait_policy>
class FW_CAPABILITY("lock") waiting : public Lock, private Policy {
    static_assert(std::is_convertible_v<const Policy &, wait_policy>);

  public:
    constexpr waiting() = default;

    template <class... Args>
    constexpr explicit waiting(Policy policy, Args &&...args)
        : Lock(std::forward<Args>(args)...), Policy(policy)
    {
    }

    [[nodiscard]] constexpr wait_policy policy() const noexcept
    {
        return static_cast<const Policy &>(*this);
    }

    void lock() noexcept FW_ACQUIRE() FW_NO_THREAD_SAFETY_ANALYSIS
    {
        Lock::lock(policy());
    }

    template <class Time>
    [[nodiscard]] bool try_lock_for(const Time &d) FW_TRY_ACQUIRE(true) FW_NO_THREAD_SAFETY_ANALYSIS
    {
        return Lock::try_lock_for(d, policy());
    }

    template <class Time>
    [[nodiscard]] bool try_lock_until(const Time &at)
        FW_TRY_ACQUIRE(true) FW_NO_THREAD_SAFETY_ANALYSIS
    {
        return Lock::try_lock_until(at, policy());
    }

    /* Where the lock has this mode. */
    template <class L = Lock, class = decltype(std::declval<L &>().lock_shared())>
    void lock_shared() noexcept FW_ACQUIRE_SHARED() FW_NO_THREAD_SAFETY_ANALYSIS
    {
        L::lock_shared(policy());
    }

    template <class Time, class L = Lock,
              class = decltype(std::declval<L &>().try_lock_shared_for(std::declval<Time>()))>
    [[nodiscard]] bool try_lock_shared_for(const Time &d)
        FW_TRY_ACQUIRE_SHARED(true) FW_NO_THREAD_SAFETY_ANALYSIS
    {
        return L::try_lock_shared_for(d, policy());
    }

    template <class Time, class L = Lock,
              class = decltype(std::declval<L &>().try_lock_shared_until(std::declval<Time>()))>
    [[nodiscard]] bool try_lock_shared_until(const Time &at)
        FW_TRY_ACQUIRE_SHARED(true) FW_NO_THREAD_SAFETY_ANALYSIS
    {
        return L::try_lock_shared_until(at, policy());
    }

    template <class L = Lock, class = decltype(std::declval<L &>().lock_upgrade())>
    void lock_upgrade() noexcept FW_ACQUIRE_SHARED() FW_NO_THREAD_SAFETY_ANALYSIS
    {
        L::lock_upgrade(policy());
    }

    template <class Time, class L = Lock,
              class = decltype(std::declval<L &>().try_lock_upgrade_for(std::declval<Time>()))>
    [[nodiscard]] bool try_lock_upgrade_for(const Time &d)
        FW_TRY_ACQUIRE_SHARED(true) FW_NO_THREAD_SAFETY_ANALYSIS
    {
        return L::try_lock_upgrade_for(d, policy());
    }

    template <class Time, class L = Lock,
              class = decltype(std::declval<L &>().try_lock_upgrade_until(std::declval<Time>()))>
    [[nodiscard]] bool try_lock_upgrade_until(const Time &at)
        FW_TRY_ACQUIRE_SHARED(true) FW_NO_THREAD_SAFETY_ANALYSIS
    {
        return L::try_lock_upgrade_until(at, policy());
    }
};

} // namespace fw

#endif
