// SPDX-License-Identifier: MIT
#ifndef FURWOCK_BARRIER_HPP
#define FURWOCK_BARRIER_HPP

#include <type_traits>
#include <utility>

#include <furwock/barrier.h>
#include <furwock/bits/error.hpp>

namespace fw {
namespace detail {

struct nothing {
    void operator()() const noexcept {}
};

} // namespace detail

/*
 * fw_barrier (furwock/barrier.h) with the calls of std::barrier.  The completion runs in the thread
 * that arrives last, after all have arrived and before any is let go.  No parties, or too many,
 * throw std::system_error; more arrivals than parties stop the program.  The destructor waits until
 * those who have waited are gone; where some wait for a round that will not end, as when the
 * process exits among its threads, it leaves them waiting.  A global at which threads still arrive
 * while the process exits is to be leaked: allocated with new, and never deleted.
 */
template <class CompletionFunction = detail::nothing> class barrier {
    static_assert(std::is_nothrow_invocable_v<CompletionFunction &>,
                  "a completion may not throw: nobody could be told");

  public:
    using native_handle_type = fw_barrier *;

    class arrival_token {
      public:
        arrival_token(arrival_token &&) = default;
        arrival_token &operator=(arrival_token &&) = default;

      private:
        friend class barrier;
        explicit arrival_token(std::uint32_t phase) : phase_(phase) {}
        std::uint32_t phase_;
    };

    static constexpr std::ptrdiff_t(max)() noexcept
    {
        return FW_BARRIER_MAX;
    }

    explicit barrier(std::ptrdiff_t expected, CompletionFunction f = CompletionFunction())
        : complete_(std::move(f))
    {
        detail::check(fw_barrier_init(&b_, detail::clamped(expected)), "fw::barrier");
    }
    barrier(const barrier &) = delete;
    barrier &operator=(const barrier &) = delete;
    ~barrier()
    {
        (void)fw_barrier_trydestroy(&b_);
    }

    [[nodiscard]] arrival_token arrive(std::ptrdiff_t n = 1) noexcept
    {
        return arrival_token(arrive_(n, false, false));
    }

    void wait(arrival_token &&arrival) const noexcept
    {
        fw_barrier_await(&b_, arrival.phase_);
    }

    void arrive_and_wait() noexcept
    {
        arrive_(1, true, false);
    }

    void arrive_and_drop() noexcept
    {
        arrive_(1, false, true);
    }

    native_handle_type native_handle() noexcept
    {
        return &b_;
    }

  private:
    std::uint32_t arrive_(std::ptrdiff_t n, bool stay, bool drop) noexcept
    {
        std::uint32_t phase;

        if (fw_barrier_arrive_(&b_, detail::clamped(n != 0 ? n : -1), stay, drop, &phase)) {
            complete_();
            fw_barrier_open_(&b_, stay);
        } else if (stay) {
            fw_barrier_stay_(&b_, phase);
        }
        return phase;
    }

    mutable fw_barrier b_; /* who waits says so in the word */
    CompletionFunction complete_;
};

} // namespace fw

#endif
