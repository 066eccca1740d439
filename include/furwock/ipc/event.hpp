// SPDX-License-Identifier: MIT
#ifndef FURWOCK_IPC_EVENT_HPP
#define FURWOCK_IPC_EVENT_HPP

#include <furwock/bits/atomic.h>
#include <furwock/event.hpp>
#include <furwock/ipc/cond.hpp>
#include <furwock/ipc/mutex.hpp>

namespace fw::ipc {

/*
 * An event between processes (as fw::event between threads): a manual one stays set until it is
 * reset, an automatic one lets one wait return for each time it is set.  It lies in a region,
 * found or made there with its kind:
 *
 *     auto &ready = region.find_or_construct<fw::ipc::event>("ready", fw::event_kind::manual);
 *
 * Rules
 *  - It is made of an ipc::mutex, an ipc::condition_variable and a word, all of it in this header.
 *    (The kind of one that exists already is not compared.)
 *  - A process that is killed in a call, at any instruction, has set (reset, taken) it or has not.
 *    Its death is never reported: one word is not found half changed.  A wake that was meant for a
 *    waiter that died goes to another one.
 *  - Setting a manual event releases all that wait at that moment, even if it is reset before they
 *    run.  Setting an event that is set changes nothing.
 *  - What was written before set() is visible to those whom it releases.
 *  - A process that is stopped in set() or reset() lets the others wait.
 *  - The waits are cancellation points.
 *
 * Errors are thrown: std::system_error with EINVAL, EAGAIN, EUCLEAN, as in furwock/ipc/cond.hpp.
 */
class event {
  public:
    constexpr event() noexcept = default;
    constexpr explicit event(event_kind kind) noexcept
        : is_automatic_(kind == event_kind::automatic)
    {
    }
    event(const event &) = delete;
    event &operator=(const event &) = delete;

    void set()
    {
        const auto held = hold();

        if ((state_ & is_set_bit) != 0)
            return;
        /* First: who dies in between has set nothing, and wakes them all the same. */
        if (is_automatic_)
            changed_.notify_one();
        else
            changed_.notify_all();
        fw_store64_release(&state_, (state_ + one_set) | is_set_bit);
    }

    void reset()
    {
        const auto held = hold();

        fw_store64_release(&state_, state_ & ~is_set_bit);
    }

    /* A snapshot. */
    [[nodiscard]] bool is_set() const noexcept
    {
        return (fw_load64_acquire(&state_) & is_set_bit) != 0;
    }

    /* True if it is set; resets an automatic one. */
    [[nodiscard]] bool try_wait()
    {
        if (!is_set())
            return false;
        if (!is_automatic_)
            return true;
        const auto held = hold();
        return take(state_);
    }

    /* Waits until it is set; resets an automatic one. */
    void wait()
    {
        if (!is_automatic_ && is_set())
            return;
        auto held = hold();
        const std::uint64_t seen = state_;

        changed_.wait(
            held, [&] { return take(seen); }, nothing);
    }

    /* The same within that time; else false. */
    template <class Rep, class Period>
    [[nodiscard]] bool wait_for(const std::chrono::duration<Rep, Period> &d)
    {
        if (!is_automatic_ && is_set())
            return true;
        auto held = hold();
        const std::uint64_t seen = state_;

        return changed_.wait_for(
            held, d, [&] { return take(seen); }, nothing);
    }

    template <class Clock, class Duration>
    [[nodiscard]] bool wait_until(const std::chrono::time_point<Clock, Duration> &at)
    {
        if (!is_automatic_ && is_set())
            return true;
        auto held = hold();
        const std::uint64_t seen = state_;

        return changed_.wait_until(
            held, at, [&] { return take(seen); }, nothing);
    }

  private:
    static constexpr std::uint64_t is_set_bit = 1, one_set = 2; /* how often it was set */

    static void nothing() noexcept {} /* what there is to repair */

    guard<mutex> hold()
    {
        return lock_.lock().repair(nothing);
    }

    /* With the lock held: does a wait that began when the state was `seen` end? */
    bool take(std::uint64_t seen) noexcept
    {
        if (!is_automatic_)
            return (state_ & is_set_bit) != 0 || state_ / one_set != seen / one_set;
        if ((state_ & is_set_bit) == 0)
            return false;
        fw_store64_release(&state_, state_ & ~is_set_bit);
        return true;
    }

    mutex lock_;
    condition_variable changed_;
    std::uint64_t state_ = 0;
    std::uint64_t is_automatic_ = 0;
};

} // namespace fw::ipc

#endif
