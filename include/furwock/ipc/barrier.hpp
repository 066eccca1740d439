// SPDX-License-Identifier: MIT
#ifndef FURWOCK_IPC_BARRIER_HPP
#define FURWOCK_IPC_BARRIER_HPP

#include <optional>

#include <furwock/bits/ipc/error.hpp>
#include <furwock/ipc/barrier.h>
#include <furwock/ipc/named.h>

namespace fw::ipc {

/* How a wait at a barrier ended. */
enum class [[nodiscard]] barrier_result{
    passed,    /* the phase has ended */
    serial,    /* the same; to one of its threads */
    owner_died /* a participant died, and the barrier is broken until reset() */
};

/*
 * fw_ipc_barrier (furwock/ipc/barrier.h): a reusable barrier between processes, which breaks or
 * goes on when a participant dies.  In a region, found or made with the number of participants and
 * the mode:
 *
 *     auto &step = region.find_or_construct<fw::ipc::barrier>("step", 3, FW_IPC_BARRIER_GO_ON);
 *
 * Errors are thrown: std::system_error with EBUSY (all party slots are taken), EDEADLK (arrived in
 * this phase already), EINVAL, EAGAIN, EUCLEAN.  That it is broken is a result.
 */
class barrier {
  public:
    using native_handle_type = fw_ipc_barrier *;

    /* What arrive() returns, for wait(). */
    class arrival_token {
      private:
        friend barrier;
        std::uint64_t token_ = 0;
        bool is_broken_ = false;
    };

    barrier(const barrier &) = delete;
    barrier &operator=(const barrier &) = delete;

    /* Becomes a participant, if the thread is none: its death is noticed from then on. */
    barrier_result join()
    {
        return result(fw_ipc_barrier_join(&b_), "fw::ipc::barrier::join");
    }

    /* Arrives, and waits until all have. */
    barrier_result arrive_and_wait(const wait_policy &policy = {})
    {
        return result(fw_ipc_barrier_wait_policy(&b_, policy.native_handle(), nullptr),
                      "fw::ipc::barrier::arrive_and_wait");
    }

    /* The same within that time; else nothing, and the thread has not arrived. */
    template <class Rep, class Period>
    [[nodiscard]] std::optional<barrier_result>
    arrive_and_wait_for(const std::chrono::duration<Rep, Period> &d, const wait_policy &policy = {})
    {
        const int error = detail::within(fw_ipc_barrier_wait_policy, &b_, d, policy);

        if (error == ETIMEDOUT)
            return std::nullopt;
        return result(error, "fw::ipc::barrier::arrive_and_wait_for");
    }

    /* Arrives, and does not wait. */
    [[nodiscard]] arrival_token arrive()
    {
        arrival_token token;
        const int error = fw_ipc_barrier_arrive(&b_, &token.token_);

        token.is_broken_ = result(error, "fw::ipc::barrier::arrive") == barrier_result::owner_died;
        return token;
    }

    /* Waits for the end of the phase of that arrival; never `serial`. */
    barrier_result wait(arrival_token arrival)
    {
        return result(arrival.is_broken_ ? EOWNERDEAD : fw_ipc_barrier_await(&b_, arrival.token_),
                      "fw::ipc::barrier::wait");
    }

    /* The others do not wait for the caller any more.  EPERM: it is no participant. */
    void leave()
    {
        detail::check(fw_ipc_barrier_leave(&b_), "fw::ipc::barrier::leave");
    }

    /* After a failure: as new, in the next phase, without participants. */
    void reset()
    {
        detail::check(fw_ipc_barrier_reset(&b_), "fw::ipc::barrier::reset");
    }

    /* A participant that died, if its slot has not been taken since. */
    [[nodiscard]] std::optional<death> last_death() const
    {
        death d = {};
        const int error = fw_ipc_barrier_death(&b_, &d);

        if (error == ENOENT)
            return std::nullopt;
        detail::check(error, "fw::ipc::barrier::last_death");
        return d;
    }

    /* A snapshot of the number of the phase. */
    [[nodiscard]] std::uint32_t phase() const noexcept
    {
        return fw_ipc_barrier_round(&b_);
    }

    native_handle_type native_handle() noexcept
    {
        return &b_;
    }

  private:
    static barrier_result result(int error, const char *what)
    {
        if (error == FW_IPC_BARRIER_SERIAL)
            return barrier_result::serial;
        if (error == EOWNERDEAD)
            return barrier_result::owner_died;
        detail::check(error, what);
        return barrier_result::passed;
    }

    fw_ipc_barrier b_;
};

namespace detail {

template <> struct named<barrier> {
    static int get(fw_region *region, const char *name, unsigned flags, barrier **object,
                   std::uint32_t parties, fw_ipc_barrier_mode mode = FW_IPC_BARRIER_FAIL)
    {
        fw_ipc_barrier *b = nullptr;
        const int error = fw_region_barrier(region, name, parties, mode, flags, &b);

        *object = as<barrier>(b);
        return error;
    }
    static int find(fw_region *region, const char *name, barrier **object)
    {
        return get(region, name, 0, object, 0);
    }
};

} // namespace detail
} // namespace fw::ipc

#endif
