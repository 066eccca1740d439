// SPDX-License-Identifier: MIT
#ifndef FURWOCK_BITS_CORO_OPERATION_HPP
#define FURWOCK_BITS_CORO_OPERATION_HPP

#include <cerrno>
#include <coroutine>
#include <type_traits>

#include <furwock/bits/chrono.hpp>
#include <furwock/bits/coro/context.hpp>

/*
 * What can be waited for.  A *wait* says how it is submitted, and what the coroutine gets:
 * granted(task), or missed() where the time was up.
 */
namespace fw::co {

/* One wait in the coroutine's frame, from submitting it to its result.  It is not moved. */
template <class Wait> class awaiter {
  public:
    awaiter(const Wait &wait, context &c) noexcept : wait_(wait), context_(c) {}

    awaiter(const awaiter &) = delete;
    awaiter &operator=(const awaiter &) = delete;

    /* The frame was destroyed while it waited: what was granted meanwhile is given back. */
    ~awaiter()
    {
        if (waits_)
            fw_await_drop(&context_.operation_);
    }

    bool await_ready()
    {
        return context_.loop_ != nullptr && !submit();
    }

    /* With an executor another thread may resume, and end, the coroutine before this returns. */
    bool await_suspend(std::coroutine_handle<> at)
    {
        const bool has_loop = context_.loop_ != nullptr;

        context_.prepare(at, Wait::is_polled);
        return has_loop || submit();
    }

    typename Wait::value await_resume()
    {
        if (waits_) {
            waits_ = false;
            context_.result_ =
                context_.loop_ != nullptr ? context_.result_ : fw_await_poll(&context_.operation_);
            wait_.end();
        }
        return finish(wait_, context_.task(), context_.result_);
    }

    static typename Wait::value finish(Wait &wait, fw_task task, int error)
    {
        if (error == ETIMEDOUT)
            return wait.missed(task);
        if constexpr (requires { wait.granted(task, error); }) {
            if (error != EOWNERDEAD)
                detail::check(error, Wait::name);
            return wait.granted(task, error);
        } else {
            detail::check(error, Wait::name);
            return wait.granted(task);
        }
    }

  private:
    /* Does it wait now? */
    bool submit()
    {
        waits_ = true; /* before, as with an executor the frame may be gone after */
        wait_.begin();
        const int error = wait_.submit(&context_.operation_);

        if (error == EINPROGRESS)
            return true;
        waits_ = false;
        wait_.end();
        context_.result_ = error;
        return false;
    }

    Wait wait_;
    context &context_;
    bool waits_ = false;
};

/* What most waits share. */
struct wait_base {
    static constexpr bool is_polled = false;

    void begin() noexcept {}
    void end() noexcept {}
};

/* A wait without a deadline, before a coroutine awaits it. */
template <class Wait> class untimed : public Wait {
  public:
    using Wait::Wait;

    int submit(fw_await *operation)
    {
        return Wait::submit(operation, nullptr);
    }

    /* For coroutines that are no fw::co::task: co_await lock(m).as(context). */
    [[nodiscard]] awaiter<untimed> as(context &c) const noexcept
    {
        return {*this, c};
    }
};

template <class Wait> class timed : public Wait {
  public:
    template <class... Arguments>
    explicit timed(const fw_deadline &deadline, Arguments &&...arguments)
        : Wait(std::forward<Arguments>(arguments)...), deadline_(deadline)
    {
    }

    int submit(fw_await *operation)
    {
        return Wait::submit(operation, &deadline_);
    }

    [[nodiscard]] awaiter<timed> as(context &c) const noexcept
    {
        return {*this, c};
    }

  private:
    fw_deadline deadline_;
};

/* The point of a time: a time from now, or a point of steady_clock or system_clock. */
template <class Rep, class Period>
fw_deadline deadline_of(const std::chrono::duration<Rep, Period> &d)
{
    return detail::from_now(d);
}

template <class Clock, class Duration>
fw_deadline deadline_of(const std::chrono::time_point<Clock, Duration> &at)
{
    static_assert(detail::is_native<Clock>, "a point of steady_clock or system_clock");
    return detail::to_deadline(at);
}

/* A lock that has an owner: the value is a guard, which holds nothing if the time was up. */
template <class Object, class Guard, int (*Submit)(fw_await *, Object *, const fw_deadline *)>
class lock_wait : public wait_base {
  public:
    using value = Guard;
    static constexpr const char *name = "fw::co::lock";

    explicit lock_wait(Object &object) noexcept : object_(&object) {}

    int submit(fw_await *operation, const fw_deadline *deadline)
    {
        return Submit(operation, object_, deadline);
    }

    Guard granted(fw_task task) noexcept
    {
        return Guard(*object_, task);
    }

    Guard missed(fw_task) noexcept
    {
        return Guard();
    }

    void give_back(fw_task task) noexcept
    {
        Guard(*object_, task).unlock();
    }

  private:
    Object *object_;
};

/* What has no owner: true, or false if the time was up. */
template <class Object, int (*Submit)(fw_await *, Object *, const fw_deadline *)>
class plain_wait : public wait_base {
  public:
    using value = bool;
    static constexpr const char *name = "fw::co::wait";

    explicit plain_wait(Object &object) noexcept : object_(&object) {}

    int submit(fw_await *operation, const fw_deadline *deadline)
    {
        return Submit(operation, object_, deadline);
    }

    bool granted(fw_task) noexcept
    {
        return true;
    }

    bool missed(fw_task) noexcept
    {
        return false;
    }

    void give_back(fw_task) noexcept
    {
        if constexpr (std::is_same_v<Object, fw_sem>)
            fw_sem_post(object_);
        else if constexpr (std::is_same_v<Object, fw_event>)
            if (object_->kind_ == FW_EVENT_AUTO)
                fw_event_set(object_);
    }

  private:
    Object *object_;
};

class sleep_wait : public wait_base {
  public:
    using value = bool;
    static constexpr const char *name = "fw::co::sleep";

    int submit(fw_await *operation, const fw_deadline *deadline)
    {
        return fw_await_timer(operation, deadline);
    }

    bool granted(fw_task) noexcept
    {
        return true;
    }

    bool missed(fw_task) noexcept
    {
        return true;
    }
};

} // namespace fw::co

#endif
