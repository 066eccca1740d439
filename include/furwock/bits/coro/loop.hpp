// SPDX-License-Identifier: MIT
#ifndef FURWOCK_BITS_CORO_LOOP_HPP
#define FURWOCK_BITS_CORO_LOOP_HPP

#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <stop_token>

#include <furwock/bits/coro/context.hpp>
#include <furwock/bits/coro/task.hpp>
#include <furwock/mutex.hpp>

namespace fw::co {

/*
 * Runs tasks in one thread: those that were spawned here, and those that resume_on has brought.
 * All calls are for that thread, but spawn, which is for any.
 */
class loop {
  public:
    explicit loop(fw_loop_engine engine = FW_LOOP_AUTO)
    {
        const fw_loop_options options = {engine, 0};

        detail::check(fw_loop_create(&loop_, &options), "fw::co::loop");
        fw_await_init(&kick_, loop_, 0, [](fw_await *, int) {});
    }

    loop(const loop &) = delete;
    loop &operator=(const loop &) = delete;

    /* Tasks that are not over are destroyed, where they wait: with their guards, and what they were
     * granted.  No other thread may be about to spawn, or to bring one. */
    ~loop()
    {
        while (live_ != nullptr)
            root::destroy(*live_);
        (void)fw_await_cancel(&kick_);
        if (fw_loop_destroy(loop_) != 0)
            std::terminate(); /* a coroutine of another library waits here still */
    }

    /* Any thread: the task begins when the loop runs.  What it throws ends the program. */
    void spawn(task<void> t)
    {
        begin(root::make(*this, std::move(t)));
    }

    /* Begins the task, and runs the loop until it is over: its value, or what it has thrown. */
    template <class T> T run(task<T> t)
    {
        bool is_over = false;
        outcome<T> result;

        begin(root::make(*this, await_into(std::move(t), result, is_over)));
        while (!is_over)
            step();
        return result.take();
    }

    /* Runs the loop until no task is left. */
    void run()
    {
        while (tasks_.load(std::memory_order_acquire) != 0)
            step();
    }

    /* Runs the loop until it is asked to stop, whether it has tasks or not. */
    void run_until(const std::stop_token &token)
    {
        std::stop_callback kick(token, [this] { fw_loop_post(&kick_); });

        while (!token.stop_requested())
            step();
    }

    /*
     * Runs what can go on now, and returns how many did.  Never blocks: for another event loop,
     * when the descriptor is readable.
     */
    std::size_t poll()
    {
        const std::size_t n = run_ready();

        if (!ready_.is_empty())
            fw_loop_post(&kick_);
        return n;
    }

    /* Readable while poll has something to do.  Not to be read, written or closed. */
    [[nodiscard]] int descriptor() noexcept
    {
        return fw_loop_fd(loop_);
    }

    [[nodiscard]] fw_loop *native_handle() noexcept
    {
        return loop_;
    }

    /* How many tasks are not over. */
    [[nodiscard]] std::size_t tasks() const noexcept
    {
        return tasks_.load(std::memory_order_relaxed);
    }

  private:
    friend class context;
    friend class root;
    template <class...> friend class any_awaiter;
    friend class resume_on_awaiter;
    friend class yield_awaiter;

    /* Those that can go on, first come, first served. */
    class queue {
      public:
        void push(context &c) noexcept
        {
            c.next_ = nullptr;
            *end_ = &c;
            end_ = &c.next_;
        }

        context *take() noexcept
        {
            end_ = &first_;
            return std::exchange(first_, nullptr);
        }

        [[nodiscard]] bool is_empty() const noexcept
        {
            return first_ == nullptr;
        }

      private:
        context *first_ = nullptr, **end_ = &first_;
    };

    template <class T> static task<void> await_into(task<T> t, outcome<T> &result, bool &is_over)
    {
        try {
            if constexpr (std::is_void_v<T>)
                co_await std::move(t);
            else
                result.set(co_await std::move(t));
        } catch (...) {
            result.fail(std::current_exception());
        }
        is_over = true;
    }

    /* Any thread. */
    void begin(context &c) noexcept
    {
        tasks_.fetch_add(1, std::memory_order_relaxed);
        link(c);
        fw_loop_post(&c.operation_);
    }

    /* Runs what can go on; blocks if nothing can. */
    void step()
    {
        if (run_ready() == 0)
            fw_loop_wait(loop_, nullptr);
    }

    std::size_t run_ready()
    {
        std::size_t n = fw_loop_run(loop_, 0);

        for (context *c = ready_.take(); c != nullptr; n++) {
            context *const next = c->next_; /* it is ready again, or gone, after this */

            if (next != nullptr) {
                __builtin_prefetch(next->handle_.address());
                __builtin_prefetch(next->next_);
            }
            resume(*c);
            c = next;
        }
        return n;
    }

    /* The thread acts as the task while the task runs. */
    void resume(context &c)
    {
        const fw_task before = fw_task_switch(c.task());

        c.handle_.resume();
        fw_task_switch(before);
    }

    void link(context &c) noexcept
    {
        std::lock_guard<mutex> guard(mutex_);

        c.live_next_ = live_;
        if (live_ != nullptr)
            live_->live_at_ = &c.live_next_;
        c.live_at_ = &live_;
        live_ = &c;
    }

    void unlink(context &c) noexcept
    {
        std::lock_guard<mutex> guard(mutex_);

        *c.live_at_ = c.live_next_;
        if (c.live_next_ != nullptr)
            c.live_next_->live_at_ = c.live_at_;
    }

    void left(context &c) noexcept
    {
        unlink(c);
        tasks_.fetch_sub(1, std::memory_order_release);
    }

    fw_loop *loop_ = nullptr;
    queue ready_;
    mutex mutex_; /* of live_ */
    context *live_ = nullptr;
    std::atomic<std::size_t> tasks_{0};
    fw_await kick_;
};

inline context::context(loop &where) : loop_(&where)
{
    fw_await_init(&operation_, where.native_handle(), task(), done);
}

inline void context::done(fw_await *operation, int error)
{
    /* The operation is the first member. */
    context &c = *reinterpret_cast<context *>(operation);

    c.result_ = error;
    c.loop_->resume(c);
}

inline root::promise_type::~promise_type()
{
    const fw_task acting = fw_task_switch(0);

    if (acting != context_.task()) /* else it has ended by itself */
        fw_task_switch(acting);
    (void)fw_await_cancel(&context_.operation_); /* it was on its way to its loop */
    context_.where()->left(context_);
}

class yield_awaiter {
  public:
    explicit yield_awaiter(context &c) noexcept : context_(c) {}

    bool await_ready() const noexcept
    {
        return false;
    }

    void await_suspend(std::coroutine_handle<> at) noexcept
    {
        context_.handle_ = at;
        context_.loop_->ready_.push(context_);
    }

    void await_resume() const noexcept {}

  private:
    context &context_;
};

class resume_on_awaiter {
  public:
    resume_on_awaiter(loop &where, context &c) noexcept : where_(where), context_(c) {}

    bool await_ready() const noexcept
    {
        return context_.loop_ == &where_;
    }

    void await_suspend(std::coroutine_handle<> at) noexcept
    {
        context_.handle_ = at;
        context_.loop_->left(context_);
        context_.loop_ = &where_;
        fw_await_init(&context_.operation_, where_.native_handle(), context_.task(), context::done);
        where_.begin(context_);
    }

    void await_resume() const noexcept {}

  private:
    loop &where_;
    context &context_;
};

} // namespace fw::co

#endif
