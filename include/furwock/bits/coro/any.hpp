// SPDX-License-Identifier: MIT
#ifndef FURWOCK_BITS_CORO_ANY_HPP
#define FURWOCK_BITS_CORO_ANY_HPP

#include <array>
#include <atomic>
#include <optional>
#include <tuple>
#include <variant>

#include <furwock/bits/coro/loop.hpp>
#include <furwock/bits/coro/operation.hpp>

namespace fw::co {

/* The first of several waits. */
template <class... Waits> class any_awaiter {
  public:
    using value = std::variant<typename Waits::value...>;

    any_awaiter(const std::tuple<Waits...> &waits, context &c) : waits_(waits), context_(c)
    {
        fw_await_group_init(&group_);
        for (slot &each : slots_) {
            each.owner = this;
            if (c.loop_ != nullptr)
                fw_await_init(&each.operation, c.loop_->native_handle(), c.task(), done);
            else
                fw_await_init_waker(&each.operation, c.task(), wake, this);
            fw_await_group_add(&group_, &each.operation);
        }
    }

    any_awaiter(const any_awaiter &) = delete;
    any_awaiter &operator=(const any_awaiter &) = delete;

    /* The frame was destroyed while it waited. */
    ~any_awaiter()
    {
        if (waits_now_)
            for (slot &each : slots_)
                fw_await_drop(&each.operation);
    }

    bool await_ready() const noexcept
    {
        return false;
    }

    bool await_suspend(std::coroutine_handle<> at)
    {
        context_.handle_ = at;
        waits_now_ = true;
        submit_all(std::index_sequence_for<Waits...>());
        if (context_.loop_ != nullptr)
            return first_ == NONE && fw_await_group_winner(&group_) == nullptr;
        if (first_ != NONE && !cancel_others())
            return false;
        /*
         * What was granted meanwhile has a call of wake, which may be yet to come, and uses this:
         * so it goes on after that.  Woken before this line: here.  After: there; it may be over
         * already.
         */
        return state_.exchange(SUSPENDED, std::memory_order_acq_rel) != WOKEN;
    }

    value await_resume()
    {
        cancel_others();
        waits_now_ = false;
        return result(std::index_sequence_for<Waits...>());
    }

  private:
    static constexpr std::size_t NONE = sizeof...(Waits);
    enum { SUBMITTING, SUSPENDED, WOKEN };

    struct slot {
        fw_await operation; /* first, so that done finds the rest */
        any_awaiter *owner;
    };

    template <std::size_t... I> void submit_all(std::index_sequence<I...>)
    {
        (submit<I>() && ...);
    }

    /* False: that was enough. */
    template <std::size_t I> bool submit()
    {
        const int error = std::get<I>(waits_).submit(&slots_[I].operation);

        if (error == EINPROGRESS)
            return true;
        if (error != ECANCELED)
            ended(I, error);
        return false;
    }

    void ended(std::size_t i, int error) noexcept
    {
        first_ = i;
        error_ = error;
    }

    /*
     * All are at their end: the one that came first, and the others, which never will.  Was one
     * found granted?
     */
    bool cancel_others()
    {
        bool is_granted = false;

        for (std::size_t i = 0; i < NONE; i++)
            if (i != first_ && !fw_await_cancel(&slots_[i].operation)) {
                ended(i, fw_await_poll(&slots_[i].operation)); /* 0, or a dead owner's */
                is_granted = true;
            }
        return is_granted;
    }

    static void done(fw_await *operation, int error)
    {
        slot &one = *reinterpret_cast<slot *>(operation);
        any_awaiter &self = *one.owner;

        self.ended(static_cast<std::size_t>(&one - self.slots_.data()), error);
        self.context_.loop_->resume(self.context_);
    }

    static void wake(void *argument)
    {
        any_awaiter &self = *static_cast<any_awaiter *>(argument);

        if (self.state_.exchange(WOKEN, std::memory_order_acq_rel) == SUSPENDED)
            self.context_.wake_(&self.context_);
    }

    template <std::size_t... I> value result(std::index_sequence<I...>)
    {
        std::optional<value> found;

        ((I == first_
              ? void(found.emplace(std::in_place_index<I>,
                                   awaiter<std::tuple_element_t<I, std::tuple<Waits...>>>::finish(
                                       std::get<I>(waits_), context_.task(), error_)))
              : void()),
         ...);
        return std::move(*found);
    }

    std::tuple<Waits...> waits_;
    context &context_;
    std::array<slot, sizeof...(Waits)> slots_;
    fw_await_group group_;
    std::size_t first_ = NONE;
    int error_ = 0;
    bool waits_now_ = false;
    std::atomic<int> state_{SUBMITTING};
};

/* Several waits, before a coroutine awaits the first of them. */
template <class... Waits> class first_of {
  public:
    explicit first_of(const Waits &...waits) : waits_(waits...) {}

    [[nodiscard]] any_awaiter<Waits...> as(context &c) const
    {
        return {waits_, c};
    }

  private:
    std::tuple<Waits...> waits_;
};

} // namespace fw::co

#endif
