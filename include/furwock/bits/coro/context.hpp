// SPDX-License-Identifier: MIT
#ifndef FURWOCK_BITS_CORO_CONTEXT_HPP
#define FURWOCK_BITS_CORO_CONTEXT_HPP

#include <cerrno>
#include <coroutine>
#include <type_traits>
#include <utility>

#include <furwock/await.h>
#include <furwock/bits/coro/guard.hpp>

namespace fw::co {

class loop;

/*
 * The identity of a coroutine, and where it goes on once it has what it waited for: in a loop, or
 * through an executor.  It waits for one thing at a time, with one operation, which is kept here.
 * fw::co::task has one; for another library's coroutines the user makes one (coro.hpp).
 */
class context {
  public:
    /* The coroutine goes on in the loop, whose thread also resumes it the first time. */
    explicit context(loop &where);

    /*
     * The coroutine goes on where `resume` puts it: a callable of std::coroutine_handle<>, which is
     * called by the thread that released the lock.  It must hand the coroutine over to another
     * place (post it), and neither run it nor block.  No deadlines.  The callable is not copied.
     */
    template <class Resume>
    requires std::is_invocable_v<Resume &, std::coroutine_handle<>>
    explicit context(Resume &resume)
        : resume_(&resume), wake_([](void *self) { wake<Resume>(static_cast<context *>(self)); })
    {
    }

    context(const context &) = delete;
    context &operator=(const context &) = delete;

    [[nodiscard]] fw_task task() const noexcept
    {
        return identity_.get();
    }

    /* Null: an executor. */
    [[nodiscard]] loop *where() const noexcept
    {
        return loop_;
    }

  private:
    friend class loop;
    friend class root;
    template <class> friend class awaiter;
    template <class...> friend class any_awaiter;
    friend class resume_on_awaiter;
    friend class yield_awaiter;

    /* Where there is an executor: called by the releaser, outside of all locks of the library. */
    template <class Resume> static void wake(context *self)
    {
        Resume &resume = *static_cast<Resume *>(self->resume_);
        const std::coroutine_handle<> handle = self->handle_;

        /* A condition's signal: the task is queued for the mutex now, and woken once more. */
        if (self->is_polled_ &&
            fw_await_set_waker(&self->operation_, self->wake_, self, nullptr) == EINPROGRESS)
            return;
        resume(handle); /* it may be over before this returns */
    }

    static void done(fw_await *operation, int error);

    /* Prepares the operation; `at` goes on. */
    void prepare(std::coroutine_handle<> at, bool is_polled = false) noexcept
    {
        handle_ = at;
        if (loop_ == nullptr) {
            is_polled_ = is_polled;
            fw_await_init_waker(&operation_, task(), wake_, this);
        }
    }

    fw_await operation_;
    identity identity_;
    int result_ = 0;
    loop *loop_ = nullptr;
    std::coroutine_handle<> handle_;
    union {
        context *next_ = nullptr; /* in the loop's queue of what is ready */
        void *resume_;
    };
    union {
        context *live_next_ = nullptr; /* among the loop's tasks */
        void (*wake_)(void *);
    };
    context **live_at_ = nullptr; /* what points to this one */
    bool is_polled_ = false;
};

} // namespace fw::co

#endif
