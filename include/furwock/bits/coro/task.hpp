// SPDX-License-Identifier: MIT
#ifndef FURWOCK_BITS_CORO_TASK_HPP
#define FURWOCK_BITS_CORO_TASK_HPP

#include <coroutine>
#include <exception>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

#include <furwock/bits/coro/context.hpp>

namespace fw::co {

/* How a task has ended. */
template <class T> class outcome {
  public:
    void set(T value)
    {
        result_.template emplace<1>(std::move(value));
    }

    void fail(std::exception_ptr thrown) noexcept
    {
        result_.template emplace<2>(std::move(thrown));
    }

    T take()
    {
        if (result_.index() == 2)
            std::rethrow_exception(std::get<2>(std::move(result_)));
        return std::get<1>(std::move(result_));
    }

  private:
    std::variant<std::monostate, T, std::exception_ptr> result_;
};

template <> class outcome<void> {
  public:
    void fail(std::exception_ptr thrown) noexcept
    {
        thrown_ = std::move(thrown);
    }

    void take()
    {
        if (thrown_)
            std::rethrow_exception(std::move(thrown_));
    }

  private:
    std::exception_ptr thrown_;
};

template <class T> class task;

/* What the promises of task<T> share. */
class promise_base {
  public:
    std::suspend_always initial_suspend() const noexcept
    {
        return {};
    }

    /* The one that awaits it goes on at once. */
    auto final_suspend() const noexcept
    {
        struct transfer {
            std::coroutine_handle<> to;

            bool await_ready() const noexcept
            {
                return false;
            }

            std::coroutine_handle<> await_suspend(std::coroutine_handle<>) const noexcept
            {
                return to;
            }

            void await_resume() const noexcept {}
        };

        return transfer{continuation_};
    }

    /* What this header can wait for waits as this task; anything else is awaited as it is. */
    template <class Awaitable> decltype(auto) await_transform(Awaitable &&a)
    {
        if constexpr (requires { std::forward<Awaitable>(a).as(*context_); })
            return std::forward<Awaitable>(a).as(*context_);
        else
            return std::forward<Awaitable>(a);
    }

    context *context_ = nullptr;
    std::coroutine_handle<> continuation_;
};

template <class T> class promise : public promise_base {
  public:
    task<T> get_return_object() noexcept;

    template <class Value> void return_value(Value &&value)
    {
        outcome_.set(std::forward<Value>(value));
    }

    void unhandled_exception() noexcept
    {
        outcome_.fail(std::current_exception());
    }

    outcome<T> outcome_;
};

template <> class promise<void> : public promise_base {
  public:
    task<void> get_return_object() noexcept;

    void return_void() const noexcept {}

    void unhandled_exception() noexcept
    {
        outcome_.fail(std::current_exception());
    }

    outcome<void> outcome_;
};

/*
 * A coroutine that begins when another task awaits it, which is then suspended until it is over; or
 * when a loop is given it.  Destroyed before that, it is destroyed where it waits.
 */
template <class T = void> class [[nodiscard]] task {
  public:
    using promise_type = promise<T>;

    task(task &&other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}

    task &operator=(task &&other) noexcept
    {
        std::swap(handle_, other.handle_);
        return *this;
    }

    ~task()
    {
        if (handle_)
            handle_.destroy();
    }

    /* In the context of the caller. */
    auto as(context &c) &&noexcept
    {
        struct child {
            std::coroutine_handle<promise_type> handle;

            bool await_ready() const noexcept
            {
                return false;
            }

            std::coroutine_handle<> await_suspend(std::coroutine_handle<> parent) const noexcept
            {
                handle.promise().continuation_ = parent;
                return handle;
            }

            T await_resume() const
            {
                return handle.promise().outcome_.take();
            }
        };

        handle_.promise().context_ = &c;
        return child{handle_};
    }

  private:
    friend promise_type;

    explicit task(std::coroutine_handle<promise_type> handle) noexcept : handle_(handle) {}

    std::coroutine_handle<promise_type> handle_;
};

template <class T> task<T> promise<T>::get_return_object() noexcept
{
    return task<T>(std::coroutine_handle<promise<T>>::from_promise(*this));
}

inline task<void> promise<void>::get_return_object() noexcept
{
    return task<void>(std::coroutine_handle<promise<void>>::from_promise(*this));
}

/* A task that nobody awaits: it has a context of its own, and destroys itself when it is over. */
class root {
  public:
    class promise_type {
      public:
        promise_type(loop &where, task<void> &) : context_(where) {}

        ~promise_type();

        root get_return_object() noexcept
        {
            return root(std::coroutine_handle<promise_type>::from_promise(*this));
        }

        std::suspend_always initial_suspend() const noexcept
        {
            return {};
        }

        std::suspend_never final_suspend() const noexcept
        {
            return {};
        }

        void return_void() const noexcept {}

        void unhandled_exception() const noexcept
        {
            std::terminate();
        }

        auto await_transform(task<void> &&t) noexcept
        {
            return std::move(t).as(context_);
        }

        context context_;
    };

    /* It is begun by its context's operation. */
    static context &make(loop &where, task<void> t)
    {
        const root made = body(where, std::move(t));
        context &c = made.handle_.promise().context_;

        c.prepare(made.handle_);
        return c;
    }

    static void destroy(context &c)
    {
        /* The context is the promise's first member. */
        auto &p = *reinterpret_cast<promise_type *>(&c);

        std::coroutine_handle<promise_type>::from_promise(p).destroy();
    }

  private:
    explicit root(std::coroutine_handle<promise_type> handle) noexcept : handle_(handle) {}

    static root body(loop &, task<void> t)
    {
        co_await std::move(t);
    }

    std::coroutine_handle<promise_type> handle_;
};

} // namespace fw::co

#endif
