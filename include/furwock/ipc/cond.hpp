// SPDX-License-Identifier: MIT
#ifndef FURWOCK_IPC_COND_HPP
#define FURWOCK_IPC_COND_HPP

#include <furwock/ipc/cond.h>
#include <furwock/ipc/mutex.hpp>
#include <furwock/ipc/named.h>

namespace fw::ipc {

/* How a wait ended. */
enum class [[nodiscard]] wait_result{
    woken,     /* by a notification, or spuriously; with a predicate: it holds */
    timeout,   /* in time; with a predicate: and it does not hold */
    owner_died /* the guard says so, too: repair, and call its consistent() */
};

/*
 * fw_ipc_cond (furwock/ipc/cond.h): a condition variable between processes, on the guard of an
 * ipc::mutex in the same region.  It lies in the region.
 *
 * A wait can find that another process died with the mutex, and says so, since its condition may
 * have been evaluated on half changed data otherwise.  With a function that repairs the wait goes
 * on:
 *
 *     auto held = box.lock.lock().repair(rebuild);
 *     box.changed.wait(held, [&] { return box.letters != 0; }, rebuild);
 *
 * Notify while the mutex is held: a process that dies in between has changed nothing, or the next
 * owner is told.  The waits are cancellation points.
 *
 * Errors are thrown: std::system_error with EPERM (the guard holds nothing), EOWNERDEAD (the guard
 * is not consistent), EINVAL (variable and mutex lie in different regions), EAGAIN (no participant
 * slot): nothing was done, and the guard holds the mutex as before.  ENOTRECOVERABLE, EUCLEAN: it
 * holds nothing any more.
 */
class condition_variable {
  public:
    using native_handle_type = fw_ipc_cond *;

    constexpr condition_variable() noexcept = default;
    condition_variable(const condition_variable &) = delete;
    condition_variable &operator=(const condition_variable &) = delete;

    void notify_one()
    {
        detail::check(fw_ipc_cond_signal(&c_), "fw::ipc::condition_variable::notify_one");
    }

    void notify_all()
    {
        detail::check(fw_ipc_cond_broadcast(&c_), "fw::ipc::condition_variable::notify_all");
    }

    /* Releases the mutex, waits, and takes it again: woken, or owner_died. */
    wait_result wait(guard<mutex> &held)
    {
        return wait_by(held, nullptr);
    }

    /* The same until then at most. */
    template <class Clock, class Duration>
    wait_result wait_until(guard<mutex> &held, const std::chrono::time_point<Clock, Duration> &at)
    {
        const fw_deadline deadline = fw::detail::to_deadline(at);
        const wait_result result = wait_by(held, &deadline);

        return result == wait_result::timeout && fw::detail::is_early(at) ? wait_result::woken
                                                                          : result;
    }

    template <class Rep, class Period>
    wait_result wait_for(guard<mutex> &held, const std::chrono::duration<Rep, Period> &d)
    {
        const fw_deadline deadline = fw::detail::from_now(d);

        return wait_by(held, &deadline);
    }

    /* Until the predicate holds, or an owner died: it never sees data that may be broken. */
    template <class Predicate> wait_result wait(guard<mutex> &held, Predicate holds)
    {
        return loop(held, holds, [&] { return wait(held); });
    }

    template <class Clock, class Duration, class Predicate>
    wait_result wait_until(guard<mutex> &held, const std::chrono::time_point<Clock, Duration> &at,
                           Predicate holds)
    {
        return loop(held, holds, [&] { return wait_until(held, at); });
    }

    template <class Rep, class Period, class Predicate>
    wait_result wait_for(guard<mutex> &held, const std::chrono::duration<Rep, Period> &d,
                         Predicate holds)
    {
        const fw_deadline deadline = fw::detail::from_now(d);

        return loop(held, holds, [&] { return wait_by(held, &deadline); });
    }

    /* The same, and repairs (guard::repair) when an owner died: until the predicate holds. */
    template <class Predicate, class Repair>
    void wait(guard<mutex> &held, Predicate holds, Repair repair)
    {
        while (wait(held, holds) == wait_result::owner_died)
            held.repair(repair);
    }

    /* False: it does not hold at that time. */
    template <class Clock, class Duration, class Predicate, class Repair>
    [[nodiscard]] bool wait_until(guard<mutex> &held,
                                  const std::chrono::time_point<Clock, Duration> &at,
                                  Predicate holds, Repair repair)
    {
        wait_result result;

        while ((result = wait_until(held, at, holds)) == wait_result::owner_died)
            held.repair(repair);
        return result == wait_result::woken;
    }

    template <class Rep, class Period, class Predicate, class Repair>
    [[nodiscard]] bool wait_for(guard<mutex> &held, const std::chrono::duration<Rep, Period> &d,
                                Predicate holds, Repair repair)
    {
        const fw_deadline deadline = fw::detail::from_now(d);
        wait_result result;

        while ((result = loop(held, holds, [&] { return wait_by(held, &deadline); })) ==
               wait_result::owner_died)
            held.repair(repair);
        return result == wait_result::woken;
    }

    native_handle_type native_handle() noexcept
    {
        return &c_;
    }

  private:
    wait_result wait_by(guard<mutex> &held, const fw_deadline *deadline)
    {
        held.check_held();
        if (held.owner_died_)
            detail::check(EOWNERDEAD, "fw::ipc::condition_variable: not consistent");
        const int error =
            fw_ipc_cond_wait_policy(&c_, held.lock_->native_handle(), nullptr, deadline);

        switch (error) {
        case 0:
            return wait_result::woken;
        case ETIMEDOUT:
            return wait_result::timeout;
        case EOWNERDEAD:
            held.owner_died_ = true;
            return wait_result::owner_died;
        case ENOTRECOVERABLE:
        case EUCLEAN:
            held.lock_ = nullptr;
        }
        detail::check(error, "fw::ipc::condition_variable::wait");
        return wait_result::woken;
    }

    template <class Predicate, class Wait>
    static wait_result loop(guard<mutex> &held, Predicate &holds, Wait wait)
    {
        if (held.owner_died_)
            return wait_result::owner_died;
        while (!holds()) {
            const wait_result result = wait();

            if (result == wait_result::timeout)
                return holds() ? wait_result::woken : result;
            if (result == wait_result::owner_died)
                return result;
        }
        return wait_result::woken;
    }

    fw_ipc_cond c_ = FW_IPC_COND_INIT;
};

namespace detail {

template <>
struct named<condition_variable> : named_by<condition_variable, fw_ipc_cond, fw_region_cond> {
};

} // namespace detail
} // namespace fw::ipc

#endif
