// SPDX-License-Identifier: MIT
#ifndef FURWOCK_CORO_HPP
#define FURWOCK_CORO_HPP

/*
 * furwock for coroutines, C++20: waits for fw::mutex, fw::shared_mutex, fw::counting_semaphore,
 * fw::event, fw::latch and fw::condition_variable that block no thread.  Tasks and threads wait for
 * the same objects, in the order that furwock/await.h states.
 *
 * In namespace fw::co, and what co_await gives:
 *
 *     lock(m)              mutex_guard; of a shared_mutex exclusive_guard
 *     lock_shared(rw)      shared_guard
 *     acquire(s)           true: one unit
 *     wait(x)              true; x is an event or a latch
 *     wait(c, held)        true: signalled; the mutex is held again; may be spurious
 *     sleep_for(d)         true; sleep_until(t) too
 *     when_any(a, b, ...)  std::variant of the values: index() says which was first
 *     yield()              goes on behind the other tasks of the loop
 *     resume_on(loop)      goes on in another loop; may hold locks meanwhile
 *
 * try_lock_for, try_lock_shared_for, try_acquire_for, wait_for take a duration as well, and
 * ..._until a point of steady_clock or system_clock: the value is an empty guard, or false, if the
 * time was up.  (After wait_for(c, held, d) the mutex is held in any case.)
 *
 * Rules
 *  - Owners.  A guard knows the task that owns what it holds: a task may hold it across threads,
 *    and its guard unlocks it from any.  A guard must not outlive its task.  Locking what the task
 *    holds is an error that ends the program, as everywhere in the library.
 *  - No coroutine is ever resumed in an unlock, a release or a set: it goes on in its loop (or
 *    where its executor puts it).  A loop that does not run holds what its tasks were granted.
 *  - Cancellation is destruction: a task that is destroyed where it waits either never had the
 *    lock, or gives it back.  when_any cancels those that were not the first.  (Where a callable
 *    resumes, below: a coroutine that waits is destroyed only while nobody can release what it
 *    waits for.  What was released has posted its handle, or is about to.)
 *  - fw::co::task<T> begins when it is awaited, or when a loop is given it: spawn, or run.  While
 *    it runs, its thread acts as the task (fw_task_switch): blocking calls of the library in it
 *    check owners by the task, too.
 *  - Coroutines of other libraries: a fw::co::context says who they are and where they go on, and
 *    they say co_await fw::co::lock(m).as(context).  It is made of a fw::co::loop, whose thread is
 *    to run them; or of a callable that posts a coroutine_handle to their own scheduler: then they
 *    go on there, no loop is needed, and there are no deadlines.  One context for each coroutine
 *    that waits, for as long as it waits or holds something.
 *  - Another event loop runs fw::co::loop::poll() when descriptor() is readable.
 *  - std::system_error is thrown for what furwock/await.h calls an error, but not for ETIMEDOUT.
 *
 * Example: transfers that wait for two accounts, each by its own lock
 *
 *     struct account {
 *         fw::mutex lock;
 *         long balance = 0;
 *     };
 *
 *     fw::co::task<bool> transfer(account &from, account &to, long amount, fw::latch &finished)
 *     {
 *         account &first = &from < &to ? from : to, &second = &from < &to ? to : from;
 *         auto one = co_await fw::co::lock(first.lock);
 *         auto other = co_await fw::co::lock(second.lock);
 *         const bool is_covered = from.balance >= amount;
 *
 *         if (is_covered) {
 *             from.balance -= amount;
 *             to.balance += amount;
 *         }
 *         finished.count_down();
 *         co_return is_covered;
 *     }
 */
#if !defined __cpp_lib_coroutine && !__has_include(<coroutine>) || __cplusplus < 202002L
#error "furwock/coro.hpp needs C++20"
#endif

#include <furwock/bits/coro/any.hpp>
#include <furwock/bits/coro/cond.hpp>
#include <furwock/bits/coro/context.hpp>
#include <furwock/bits/coro/guard.hpp>
#include <furwock/bits/coro/loop.hpp>
#include <furwock/bits/coro/operation.hpp>
#include <furwock/bits/coro/task.hpp>
#include <furwock/cond.hpp>
#include <furwock/event.hpp>
#include <furwock/latch.hpp>
#include <furwock/mutex.hpp>
#include <furwock/rwlock.hpp>
#include <furwock/sem.hpp>

namespace fw::co {

using mutex_wait = lock_wait<fw_mutex, mutex_guard, fw_await_mutex>;
using shared_wait = lock_wait<fw_rwlock, shared_guard, fw_await_rdlock>;
using exclusive_wait = lock_wait<fw_rwlock, exclusive_guard, fw_await_wrlock>;
using semaphore_wait = plain_wait<fw_sem, fw_await_sem>;
using event_wait = plain_wait<fw_event, fw_await_event>;
using latch_wait = plain_wait<fw_latch, fw_await_latch>;

[[nodiscard]] inline auto lock(mutex &m) noexcept
{
    return untimed<mutex_wait>(*m.native_handle());
}

template <class Time> [[nodiscard]] auto try_lock_for(mutex &m, const Time &d)
{
    return timed<mutex_wait>(deadline_of(d), *m.native_handle());
}

template <class Time> [[nodiscard]] auto try_lock_until(mutex &m, const Time &at)
{
    return timed<mutex_wait>(deadline_of(at), *m.native_handle());
}

[[nodiscard]] inline auto lock(shared_mutex &m) noexcept
{
    return untimed<exclusive_wait>(*m.native_handle());
}

template <class Time> [[nodiscard]] auto try_lock_for(shared_mutex &m, const Time &d)
{
    return timed<exclusive_wait>(deadline_of(d), *m.native_handle());
}

template <class Time> [[nodiscard]] auto try_lock_until(shared_mutex &m, const Time &at)
{
    return timed<exclusive_wait>(deadline_of(at), *m.native_handle());
}

[[nodiscard]] inline auto lock_shared(shared_mutex &m) noexcept
{
    return untimed<shared_wait>(*m.native_handle());
}

template <class Time> [[nodiscard]] auto try_lock_shared_for(shared_mutex &m, const Time &d)
{
    return timed<shared_wait>(deadline_of(d), *m.native_handle());
}

template <class Time> [[nodiscard]] auto try_lock_shared_until(shared_mutex &m, const Time &at)
{
    return timed<shared_wait>(deadline_of(at), *m.native_handle());
}

template <std::ptrdiff_t Max> [[nodiscard]] auto acquire(counting_semaphore<Max> &s) noexcept
{
    return untimed<semaphore_wait>(*s.native_handle());
}

template <std::ptrdiff_t Max, class Time>
[[nodiscard]] auto try_acquire_for(counting_semaphore<Max> &s, const Time &d)
{
    return timed<semaphore_wait>(deadline_of(d), *s.native_handle());
}

template <std::ptrdiff_t Max, class Time>
[[nodiscard]] auto try_acquire_until(counting_semaphore<Max> &s, const Time &at)
{
    return timed<semaphore_wait>(deadline_of(at), *s.native_handle());
}

[[nodiscard]] inline auto wait(event &e) noexcept
{
    return untimed<event_wait>(*e.native_handle());
}

template <class Time> [[nodiscard]] auto wait_for(event &e, const Time &d)
{
    return timed<event_wait>(deadline_of(d), *e.native_handle());
}

template <class Time> [[nodiscard]] auto wait_until(event &e, const Time &at)
{
    return timed<event_wait>(deadline_of(at), *e.native_handle());
}

[[nodiscard]] inline auto wait(latch &l) noexcept
{
    return untimed<latch_wait>(*l.native_handle());
}

template <class Time> [[nodiscard]] auto wait_for(latch &l, const Time &d)
{
    return timed<latch_wait>(deadline_of(d), *l.native_handle());
}

template <class Time> [[nodiscard]] auto wait_until(latch &l, const Time &at)
{
    return timed<latch_wait>(deadline_of(at), *l.native_handle());
}

/* The guard must hold the mutex (EPERM), and is not to be moved meanwhile. */
[[nodiscard]] inline auto wait(condition_variable &c, mutex_guard &held) noexcept
{
    return untimed<cond_wait>(*c.native_handle(), held);
}

template <class Time>
[[nodiscard]] auto wait_for(condition_variable &c, mutex_guard &held, const Time &d)
{
    return timed<cond_wait>(deadline_of(d), *c.native_handle(), held);
}

template <class Time>
[[nodiscard]] auto wait_until(condition_variable &c, mutex_guard &held, const Time &at)
{
    return timed<cond_wait>(deadline_of(at), *c.native_handle(), held);
}

template <class Rep, class Period>
[[nodiscard]] auto sleep_for(const std::chrono::duration<Rep, Period> &d)
{
    return timed<sleep_wait>(deadline_of(d));
}

template <class Clock, class Duration>
[[nodiscard]] auto sleep_until(const std::chrono::time_point<Clock, Duration> &at)
{
    return timed<sleep_wait>(deadline_of(at));
}

/* Of any of the above, but a condition variable. */
template <class... Waits>
requires(sizeof...(Waits) > 0 && (!Waits::is_polled && ...))
    [[nodiscard]] auto when_any(const Waits &...waits)
{
    return first_of<Waits...>(waits...);
}

struct yield_wait {
    [[nodiscard]] yield_awaiter as(context &c) const noexcept
    {
        return yield_awaiter(c);
    }
};

/* In a loop only.  Another library's coroutine is not destroyed before it goes on. */
[[nodiscard]] inline yield_wait yield() noexcept
{
    return {};
}

struct resume_on_wait {
    loop *where;

    [[nodiscard]] resume_on_awaiter as(context &c) const noexcept
    {
        return resume_on_awaiter(*where, c);
    }
};

/* For a task that a loop was given. */
[[nodiscard]] inline resume_on_wait resume_on(loop &where) noexcept
{
    return {&where};
}

} // namespace fw::co

#endif
