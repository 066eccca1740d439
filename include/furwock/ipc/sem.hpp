// SPDX-License-Identifier: MIT
#ifndef FURWOCK_IPC_SEM_HPP
#define FURWOCK_IPC_SEM_HPP

#include <furwock/bits/ipc/error.hpp>
#include <furwock/ipc/named.h>
#include <furwock/ipc/sem.h>

namespace fw::ipc {

/*
 * fw_ipc_sem (furwock/ipc/sem.h): a counting semaphore between processes.  Units have no owners:
 * what a process took and would have given back is lost with it.  For units that come back:
 * furwock/ipc/permits.hpp.  It lies in a region, and is found or made there with two numbers, its
 * value at first and its maximum:
 *
 *     auto &jobs = region.find_or_construct<fw::ipc::semaphore>("jobs", 0);
 *
 * Errors are thrown: std::system_error with EINVAL (not in a region of this process), EAGAIN (no
 * participant slot), EUCLEAN (overwritten).
 */
class semaphore {
  public:
    using native_handle_type = fw_ipc_sem *;

    semaphore(const semaphore &) = delete;
    semaphore &operator=(const semaphore &) = delete;

    /* Adds n units, all or none: EOVERFLOW beyond the maximum. */
    void release(std::ptrdiff_t n = 1)
    {
        detail::check(fw_ipc_sem_post_n(&s_, fw::detail::clamped(n)),
                      "fw::ipc::semaphore::release");
    }

    /* Takes a unit, waiting for one if need be. */
    void acquire(const wait_policy &policy = {})
    {
        detail::check(fw_ipc_sem_wait_policy(&s_, policy.native_handle(), nullptr),
                      "fw::ipc::semaphore::acquire");
    }

    /* Takes a unit if there is one; or within that time. */
    [[nodiscard]] bool try_acquire()
    {
        return detail::is_taken(fw_ipc_sem_trywait(&s_), "fw::ipc::semaphore::try_acquire");
    }

    template <class Rep, class Period>
    [[nodiscard]] bool try_acquire_for(const std::chrono::duration<Rep, Period> &d,
                                       const wait_policy &policy = {})
    {
        return is_taken(detail::within(fw_ipc_sem_wait_policy, &s_, d, policy));
    }

    template <class Clock, class Duration>
    [[nodiscard]] bool try_acquire_until(const std::chrono::time_point<Clock, Duration> &at,
                                         const wait_policy &policy = {})
    {
        return is_taken(detail::by(fw_ipc_sem_wait_policy, &s_, at, policy));
    }

    /* A snapshot of the number of units. */
    [[nodiscard]] std::uint32_t value() const noexcept
    {
        return fw_ipc_sem_value(&s_);
    }

    native_handle_type native_handle() noexcept
    {
        return &s_;
    }

  private:
    static bool is_taken(int error)
    {
        if (error == ETIMEDOUT)
            return false;
        detail::check(error, "fw::ipc::semaphore::try_acquire_for");
        return true;
    }

    fw_ipc_sem s_;
};

namespace detail {

template <> struct named<semaphore> {
    static int get(fw_region *region, const char *name, unsigned flags, semaphore **object,
                   std::uint32_t value, std::uint32_t max = FW_IPC_SEM_MAX)
    {
        fw_ipc_sem *s = nullptr;
        const int error = fw_region_sem(region, name, value, max, flags, &s);

        *object = as<semaphore>(s);
        return error;
    }
    static int find(fw_region *region, const char *name, semaphore **object)
    {
        return get(region, name, 0, object, 0, 0);
    }
};

} // namespace detail
} // namespace fw::ipc

#endif
