// SPDX-License-Identifier: MIT
#ifndef FURWOCK_NOTE_HPP
#define FURWOCK_NOTE_HPP

#include <cstddef>
#include <mutex>
#include <optional>

#include <furwock/any.hpp>
#include <furwock/bits/chrono.hpp>
#include <furwock/bits/error.hpp>
#include <furwock/cond.hpp>
#include <furwock/event.hpp>
#include <furwock/latch.hpp>
#include <furwock/mutex.hpp>
#include <furwock/note.h>
#include <furwock/sem.hpp>

namespace fw {

/*
 * fw_note (furwock/note.h): a request to stop, which ends the waits that are made with it.  It must
 * outlive its children and its waits; one without a parent and a deadline is constant-initialised.
 *
 *     fw::note server;
 *     ...
 *     fw::note request(&server, 2s);            // ends with the server, or in two seconds
 *     if (!request.acquire(items))
 *         return;                               // nothing was taken
 *
 * Waits return true if they got what they were for, which comes first if both are there.  They take
 * a time as their last argument, a duration or a point on any clock; false: the note was notified,
 * which is_notified() tells, or that time has passed.  No wait is a cancellation point.
 */
class note {
  public:
    using native_handle_type = fw_note *;

    constexpr note() noexcept = default;
    /*
     * Notified with its parent too (nullptr: it has none); at a point on steady_clock or
     * system_clock, or that much later than now.  std::system_error (EINVAL): the tree is deeper
     * than FW_NOTE_DEPTH_MAX, or a parent's deadline is on another clock.
     */
    explicit note(const note *parent)
    {
        make(parent, nullptr);
    }
    template <class Clock, class Duration>
    note(const note *parent, const std::chrono::time_point<Clock, Duration> &at)
    {
        static_assert(detail::is_native<Clock>, "a note ends by steady_clock or system_clock");
        const fw_deadline deadline = detail::to_deadline(at);

        make(parent, &deadline);
    }
    template <class Rep, class Period>
    note(const note *parent, const std::chrono::duration<Rep, Period> &d)
    {
        const fw_deadline deadline = detail::from_now(d);

        make(parent, &deadline);
    }
    note(const note &) = delete;
    note &operator=(const note &) = delete;

    void notify() noexcept
    {
        fw_note_notify(&n_);
    }

    [[nodiscard]] bool is_notified() const noexcept
    {
        return fw_note_is_notified(&n_);
    }

    /* Waits until it is notified. */
    void wait() const noexcept
    {
        (void)fw_note_wait(&n_, nullptr);
    }

    /* The same until that time at most: is it notified? */
    template <class Time> bool wait(const Time &time) const
    {
        return done([&](const fw_deadline *d) { return fw_note_wait(&n_, d); }, time);
    }

    /* Takes a unit. */
    template <std::ptrdiff_t Max, class... Time>
    [[nodiscard]] bool acquire(counting_semaphore<Max> &s, const Time &...time) const
    {
        return done(
            [&](const fw_deadline *d) { return fw_note_sem_wait(s.native_handle(), &n_, d); },
            time...);
    }

    /* Waits until the event is set, and resets an automatic one. */
    template <class... Time> [[nodiscard]] bool wait(event &e, const Time &...time) const
    {
        return done(
            [&](const fw_deadline *d) { return fw_note_event_wait(e.native_handle(), &n_, d); },
            time...);
    }

    /* Waits until the latch is open. */
    template <class... Time> [[nodiscard]] bool wait(latch &l, const Time &...time) const
    {
        return done(
            [&](const fw_deadline *d) { return fw_note_latch_wait(l.native_handle(), &n_, d); },
            time...);
    }

    /* Takes the mutex: for a guard with std::adopt_lock. */
    template <class... Time>
    [[nodiscard]] bool lock(mutex &m, const Time &...time) const
        FW_TRY_ACQUIRE(true, m) FW_NO_THREAD_SAFETY_ANALYSIS
    {
        return done(
            [&](const fw_deadline *d) FW_NO_THREAD_SAFETY_ANALYSIS {
                return fw_note_mutex_lock(m.native_handle(), &n_, d);
            },
            time...);
    }

    /* Waits, with the lock held on return, until holds(), which is what it returns. */
    template <class Mutex, class Predicate, class... Time>
    [[nodiscard]] bool wait(condition_variable &c, std::unique_lock<Mutex> &lock, Predicate holds,
                            const Time &...time) const
    {
        static_assert(std::is_base_of_v<mutex, Mutex>, "with fw::mutex");
        fw_mutex *const m = static_cast<mutex *>(lock.mutex())->native_handle();

        return done(
            [&](const fw_deadline *d) FW_NO_THREAD_SAFETY_ANALYSIS {
                int error = 0;

                while (!holds() && error == 0)
                    error = fw_note_cond_wait(c.native_handle(), m, &n_, d);
                return error != 0 && holds() ? 0 : error;
            },
            time...);
    }

    /* The index of the object that was ready, as fw::wait_any; nothing: it is notified. */
    template <class... Objects, class = detail::if_waitable<Objects...>>
    [[nodiscard]] std::optional<std::size_t> wait_any(Objects &...objects) const
    {
        static_assert(sizeof...(Objects) >= 1 &&
                          sizeof...(Objects) <= FW_ANY_MAX - FW_NOTE_DEPTH_MAX,
                      "1 to FW_ANY_MAX - FW_NOTE_DEPTH_MAX objects");
        const any_waitable list[] = {any_waitable(objects)...};
        unsigned which = 0;

        if (fw_note_wait_any(list[0].native_handle(), sizeof...(Objects), &n_, nullptr, &which) !=
            0)
            return std::nullopt;
        return which;
    }

    native_handle_type native_handle() noexcept
    {
        return &n_;
    }

  private:
    void make(const note *parent, const fw_deadline *deadline)
    {
        detail::check(fw_note_init(&n_, parent != nullptr ? &parent->n_ : nullptr, deadline),
                      "fw::note");
    }

    template <class Call> static bool done(Call call)
    {
        return call(nullptr) == 0;
    }

    template <class Call, class Rep, class Period>
    static bool done(Call call, const std::chrono::duration<Rep, Period> &d)
    {
        const fw_deadline deadline = detail::from_now(d);

        return call(&deadline) == 0;
    }

    template <class Call, class Clock, class Duration>
    static bool done(Call call, const std::chrono::time_point<Clock, Duration> &at)
    {
        return detail::error_by([&](const fw_deadline &deadline) { return call(&deadline); }, at) ==
               0;
    }

    fw_note n_ = {};
};

} // namespace fw

#endif
