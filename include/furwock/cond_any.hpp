// SPDX-License-Identifier: MIT
#ifndef FURWOCK_COND_ANY_HPP
#define FURWOCK_COND_ANY_HPP

#include <atomic>
#include <condition_variable>
#include <mutex>
#if defined(__has_include)
#if __cplusplus >= 202002L && __has_include(<stop_token>)
#include <stop_token>
#endif
#endif

#include <furwock/bits/chrono.hpp>
#include <furwock/cond.hpp>
#include <furwock/event.hpp>
#include <furwock/mutex.hpp>

namespace fw {
namespace detail {

/* A thread that waits: on its stack, and in the queue of its condition variable. */
struct any_waiter {
    /*
     * WAITING    in the queue -> NOTIFIED by a notification, -> LEAVING by the waiter or a stop
     * NOTIFIED   taken from the queue; `wake` is set, or about to be
     * LEAVING    timed out or stopped; in the queue until the waiter takes itself out
     */
    enum state_kind { WAITING, NOTIFIED, LEAVING };

    bool becomes(state_kind then) noexcept
    {
        state_kind now = WAITING;

        return state.compare_exchange_strong(now, then);
    }

    std::atomic<state_kind> state = WAITING;
    event wake;
    any_waiter *next = nullptr;
};

} // namespace detail

/*
 * A condition variable with any lock that has lock() and unlock(): std::unique_lock of any mutex,
 * also std::mutex; std::shared_lock, so that readers can wait; fw::shared_mutex itself;
 * fw::recursive_mutex, which is released once.  It has the calls of std::condition_variable_any,
 * and its waits with a std::stop_token, in C++20.  With fw::mutex, fw::condition_variable is
 * better: a thread that it wakes does not find the mutex taken.
 *
 * Rules
 *  - A wait enters the queue and releases the lock in one step: no notification can come in
 *    between.  Then it sleeps until it is notified, and takes the lock again.
 *  - First come, first served: notify_one ends the wait that has lasted longest.  No wake is
 *    spurious, none is lost: a wait that timed out or was stopped has consumed no notification.
 *  - It may be destroyed when all waits have been notified, have timed out or were stopped; their
 *    threads may still be on the way to their locks.  (The destructor waits for those that timed
 *    out to leave the queue.)
 *  - It is constant-initialised, allocates nothing, and takes 32 bytes.
 *  - If lock() throws after a wait, std::terminate is called, as the standard has it.  If unlock()
 *    throws, there is no wait, and the exception is the caller's.
 *  - The waits are no cancellation points.  Not between processes: furwock/ipc/cond.hpp.
 */
class condition_variable_any {
  public:
    constexpr condition_variable_any() noexcept = default;
    condition_variable_any(const condition_variable_any &) = delete;
    condition_variable_any &operator=(const condition_variable_any &) = delete;

    ~condition_variable_any()
    {
        std::unique_lock hold(queue_mutex_);

        while (first_.load(std::memory_order_relaxed) != nullptr)
            left_.wait(hold);
    }

    /* Ends the wait that has lasted longest, if there is one. */
    void notify_one() noexcept
    {
        notify(false);
    }

    /* Ends all waits. */
    void notify_all() noexcept
    {
        notify(true);
    }

    template <class Lock> void wait(Lock &lock)
    {
        detail::any_waiter me;
        const relock_later<Lock> relock(*this, me, lock);

        me.wake.wait();
    }

    template <class Lock, class Predicate> void wait(Lock &lock, Predicate holds)
    {
        while (!holds())
            wait(lock);
    }

    /* On a foreign clock that is not there yet after that time, the wake is spurious. */
    template <class Lock, class Clock, class Duration>
    std::cv_status wait_until(Lock &lock, const std::chrono::time_point<Clock, Duration> &at)
    {
        return wait_by(lock, detail::to_deadline(at)) || detail::is_early(at)
                   ? std::cv_status::no_timeout
                   : std::cv_status::timeout;
    }

    template <class Lock, class Clock, class Duration, class Predicate>
    bool wait_until(Lock &lock, const std::chrono::time_point<Clock, Duration> &at, Predicate holds)
    {
        while (!holds())
            if (wait_until(lock, at) == std::cv_status::timeout)
                return holds();
        return true;
    }

    template <class Lock, class Rep, class Period>
    std::cv_status wait_for(Lock &lock, const std::chrono::duration<Rep, Period> &d)
    {
        return wait_by(lock, detail::from_now(d)) ? std::cv_status::no_timeout
                                                  : std::cv_status::timeout;
    }

    template <class Lock, class Rep, class Period, class Predicate>
    bool wait_for(Lock &lock, const std::chrono::duration<Rep, Period> &d, Predicate holds)
    {
        const fw_deadline deadline = detail::from_now(d);

        while (!holds())
            if (!wait_by(lock, deadline))
                return holds();
        return true;
    }

#ifdef __cpp_lib_jthread
    /* Until the predicate holds, or a stop is requested: returns whether it holds. */
    template <class Lock, class Predicate>
    bool wait(Lock &lock, std::stop_token stop, Predicate holds)
    {
        while (!stop.stop_requested()) {
            if (holds())
                return true;
            (void)wait_unless(lock, stop, nullptr);
        }
        return holds();
    }

    /* The same until then at most. */
    template <class Lock, class Clock, class Duration, class Predicate>
    bool wait_until(Lock &lock, std::stop_token stop,
                    const std::chrono::time_point<Clock, Duration> &at, Predicate holds)
    {
        while (!stop.stop_requested()) {
            if (holds())
                return true;
            const fw_deadline deadline = detail::to_deadline(at);
            if (!wait_unless(lock, stop, &deadline) && !detail::is_early(at))
                break;
        }
        return holds();
    }

    template <class Lock, class Rep, class Period, class Predicate>
    bool wait_for(Lock &lock, std::stop_token stop, const std::chrono::duration<Rep, Period> &d,
                  Predicate holds)
    {
        const fw_deadline deadline = detail::from_now(d);

        while (!stop.stop_requested()) {
            if (holds())
                return true;
            if (!wait_unless(lock, stop, &deadline))
                break;
        }
        return holds();
    }
#endif

  private:
    using waiter = detail::any_waiter;

    /* Releases the caller's lock when `me` is in the queue, and takes it again at the end. */
    template <class Lock> class relock_later {
      public:
        relock_later(condition_variable_any &c, waiter &me, Lock &lock) : lock_(lock)
        {
            std::lock_guard hold(c.queue_mutex_);

            c.append(me);
            try {
                lock.unlock();
            } catch (...) {
                c.take_out(me); /* no notification can have seen it */
                throw;
            }
        }
        relock_later(const relock_later &) = delete;
        relock_later &operator=(const relock_later &) = delete;
        ~relock_later() /* noexcept: a lock that throws ends in std::terminate */
        {
            lock_.lock();
        }

      private:
        Lock &lock_;
    };

    /* False if it timed out. */
    template <class Lock> bool wait_by(Lock &lock, const fw_deadline &deadline)
    {
        waiter me;
        const relock_later<Lock> relock(*this, me, lock);

        return fw_event_timedwait(me.wake.native_handle(), &deadline) == 0 || !leave(me);
    }

#ifdef __cpp_lib_jthread
    /* False if it timed out or was stopped. */
    template <class Lock>
    bool wait_unless(Lock &lock, const std::stop_token &stop, const fw_deadline *deadline)
    {
        waiter me;
        const relock_later<Lock> relock(*this, me, lock);
        const auto end = [&me] {
            if (me.becomes(waiter::LEAVING))
                me.wake.set();
        };
        {
            /* Its destructor waits until `end` has returned, if it runs in another thread. */
            std::stop_callback<decltype(end)> when_stopped(stop, end);
            (void)fw_event_wait_policy(me.wake.native_handle(), nullptr, deadline);
        }
        return !leave(me);
    }
#endif

    /* At the end of the queue; with queue_mutex_ held. */
    void append(waiter &me) noexcept
    {
        if (first_.load(std::memory_order_relaxed) == nullptr)
            first_.store(&me, std::memory_order_relaxed);
        else
            last_->next = &me;
        last_ = &me;
    }

    /*
     * The waiter goes.  False if it was notified: it is in the queue no more, and the condition
     * variable may exist no more.
     */
    bool leave(waiter &me) noexcept
    {
        if (!me.becomes(waiter::LEAVING) && me.state.load() == waiter::NOTIFIED) {
            me.wake.wait(); /* the notification is about to be done with this waiter */
            return false;
        }
        std::lock_guard hold(queue_mutex_);

        take_out(me);
        if (first_.load(std::memory_order_relaxed) == nullptr)
            left_.notify_all(); /* the destructor waits, or no thread does */
        return true;
    }

    void take_out(waiter &me) noexcept
    {
        waiter *before = nullptr;

        for (waiter *w = first_.load(std::memory_order_relaxed); w != &me; w = w->next)
            before = w;
        take_out(before, me);
    }

    void take_out(waiter *before, waiter &w) noexcept
    {
        if (before != nullptr)
            before->next = w.next;
        else
            first_.store(w.next, std::memory_order_relaxed);
        if (last_ == &w)
            last_ = before;
    }

    void notify(bool all) noexcept
    {
        waiter *woken = nullptr, **end = &woken;

        /* Relaxed: a waiter that released its lock before the caller took it is seen by that. */
        if (first_.load(std::memory_order_relaxed) == nullptr)
            return;
        {
            std::lock_guard hold(queue_mutex_);
            waiter *before = nullptr, *next;

            for (waiter *w = first_.load(std::memory_order_relaxed); w != nullptr; w = next) {
                next = w->next;
                if (!w->becomes(waiter::NOTIFIED)) {
                    before = w; /* LEAVING: takes itself out */
                    continue;
                }
                take_out(before, *w);
                w->next = nullptr;
                *end = w;
                end = &w->next;
                if (!all)
                    break;
            }
        }
        while (woken != nullptr) {
            waiter *w = woken;

            woken = w->next;
            w->wake.set(); /* from here on it may be gone */
        }
    }

    mutex queue_mutex_;
    std::atomic<waiter *> first_ = nullptr;
    waiter *last_ = nullptr;
    condition_variable left_;
};

} // namespace fw

#endif
