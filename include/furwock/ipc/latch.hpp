// SPDX-License-Identifier: MIT
#ifndef FURWOCK_IPC_LATCH_HPP
#define FURWOCK_IPC_LATCH_HPP

#include <furwock/bits/atomic.h>
#include <furwock/ipc/cond.hpp>
#include <furwock/ipc/mutex.hpp>

namespace fw::ipc {

/*
 * A single-use count-down latch between processes (as fw::latch between threads).  It lies in a
 * region, found or made there with its count:
 *
 *     auto &started = region.find_or_construct<fw::ipc::latch>("started", 4);
 *
 * Rules
 *  - It is made of an ipc::mutex, an ipc::condition_variable and a word, all of it in this header.
 *    (The count of one that exists already is not compared.)
 *  - A process that is killed in count_down(), at any instruction, has counted or has not; its
 *    death is not reported.  A process that dies before it has counted is missing: wait with a
 *    time, or use an ipc::barrier, which knows its participants.
 *  - What was done before each count-down is visible to those who have waited.
 *  - A process that is stopped in count_down() lets the others wait.
 *  - The waits are cancellation points.
 *
 * Errors are thrown: std::system_error with EINVAL, EAGAIN, EUCLEAN, as in furwock/ipc/cond.hpp.
 */
class latch {
  public:
    /* The largest count. */
    [[nodiscard]] static constexpr std::ptrdiff_t(max)() noexcept
    {
        return INT32_MAX;
    }

    /* EINVAL: a count that is negative, or above max(). */
    constexpr explicit latch(std::ptrdiff_t expected)
        : count_(fw::detail::checked(expected, 0, INT32_MAX, "fw::ipc::latch"))
    {
    }
    latch(const latch &) = delete;
    latch &operator=(const latch &) = delete;

    /* Counts n down.  EINVAL: n is negative, or more than is left; nothing was counted. */
    void count_down(std::ptrdiff_t n = 1)
    {
        const auto held = lock_.lock().repair(nothing);

        count(n);
    }

    /* True if the count is zero. */
    [[nodiscard]] bool try_wait() const noexcept
    {
        return fw_load64_acquire(&count_) == 0;
    }

    /* Waits until the count is zero. */
    void wait()
    {
        if (try_wait())
            return;
        auto held = lock_.lock().repair(nothing);

        opened_.wait(
            held, [this] { return count_ == 0; }, nothing);
    }

    /* The same within that time; else false. */
    template <class Rep, class Period>
    [[nodiscard]] bool wait_for(const std::chrono::duration<Rep, Period> &d)
    {
        if (try_wait())
            return true;
        auto held = lock_.lock().repair(nothing);

        return opened_.wait_for(
            held, d, [this] { return count_ == 0; }, nothing);
    }

    template <class Clock, class Duration>
    [[nodiscard]] bool wait_until(const std::chrono::time_point<Clock, Duration> &at)
    {
        if (try_wait())
            return true;
        auto held = lock_.lock().repair(nothing);

        return opened_.wait_until(
            held, at, [this] { return count_ == 0; }, nothing);
    }

    /* Counts down, and waits. */
    void arrive_and_wait(std::ptrdiff_t n = 1)
    {
        auto held = lock_.lock().repair(nothing);

        count(n);
        opened_.wait(
            held, [this] { return count_ == 0; }, nothing);
    }

  private:
    static void nothing() noexcept {} /* what there is to repair */

    /* With the lock held. */
    void count(std::ptrdiff_t n)
    {
        const std::uint64_t by = static_cast<std::uint64_t>(n);

        detail::check(n < 0 || by > count_ ? EINVAL : 0, "fw::ipc::latch::count_down");
        if (by == 0)
            return;
        if (by == count_)
            opened_.notify_all(); /* first: who dies in between has not counted, and wakes them */
        fw_store64_release(&count_, count_ - by);
    }

    mutex lock_;
    condition_variable opened_;
    std::uint64_t count_;
};

} // namespace fw::ipc

#endif
