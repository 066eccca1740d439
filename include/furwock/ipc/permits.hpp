// SPDX-License-Identifier: MIT
#ifndef FURWOCK_IPC_PERMITS_HPP
#define FURWOCK_IPC_PERMITS_HPP

#include <utility>

#include <furwock/bits/ipc/error.hpp>
#include <furwock/ipc/named.h>
#include <furwock/ipc/permits.h>

namespace fw::ipc {

class permits;

/* One of the permits, held by the calling thread and given back in the end; moved, not copied. */
class [[nodiscard]] permit {
  public:
    /* None. */
    permit() noexcept = default;

    permit(permit &&other) noexcept
        : of_(std::exchange(other.of_, nullptr)), number_(other.number_),
          owner_died_(std::exchange(other.owner_died_, false))
    {
    }

    permit &operator=(permit &&other) noexcept
    {
        permit former(std::move(other)); /* gives back what this one was */

        std::swap(of_, former.of_);
        std::swap(number_, former.number_);
        std::swap(owner_died_, former.owner_died_);
        return *this;
    }

    ~permit()
    {
        if (of_ != nullptr)
            (void)fw_ipc_permits_give(of_, number_);
    }

    /* Is it one? */
    explicit operator bool() const noexcept
    {
        return of_ != nullptr;
    }

    /* Which one, from 0. */
    [[nodiscard]] std::uint32_t number() const noexcept
    {
        return number_;
    }

    /* Did its last holder die with it? */
    [[nodiscard]] bool owner_died() const noexcept
    {
        return owner_died_;
    }

    /* Gives it back.  Throws EPERM if there is none; or if another thread took it: it is kept. */
    void give_back()
    {
        const auto give = [this](fw_ipc_permits *of) { return fw_ipc_permits_give(of, number_); };

        detail::check(detail::give_back(of_, give), "fw::ipc::permit::give_back");
    }

  private:
    friend permits;
    permit(fw_ipc_permits *of, std::uint32_t number, bool owner_died) noexcept
        : of_(of), number_(number), owner_died_(owner_died)
    {
    }

    fw_ipc_permits *of_ = nullptr;
    std::uint32_t number_ = 0;
    bool owner_died_ = false;
};

/*
 * fw_ipc_permits (furwock/ipc/permits.h): a number of permits that processes borrow, and which come
 * back when their holders die.  In a region, found or made with that number:
 *
 *     auto &licences = region.find_or_construct<fw::ipc::permits>("licences", 8);
 *     const fw::ipc::permit mine = licences.take();
 *
 * Errors are thrown: std::system_error with EINVAL, EAGAIN, EUCLEAN.
 */
class permits {
  public:
    using native_handle_type = fw_ipc_permits *;

    permits(const permits &) = delete;
    permits &operator=(const permits &) = delete;

    /* Takes a permit, waiting for one if need be. */
    permit take(const wait_policy &policy = {})
    {
        return taken([&](std::uint32_t *number) {
            return fw_ipc_permits_take(&p_, number, policy.native_handle(), nullptr);
        });
    }

    /* Takes one that is free; or within that time.  Else the result is none. */
    permit try_take()
    {
        return try_take_for(std::chrono::seconds(0));
    }

    template <class Rep, class Period>
    permit try_take_for(const std::chrono::duration<Rep, Period> &d, const wait_policy &policy = {})
    {
        const fw_deadline at = fw::detail::from_now(d);

        return taken([&](std::uint32_t *number) {
            return fw_ipc_permits_take(&p_, number, policy.native_handle(), &at);
        });
    }

    /* Snapshots: all; those that could be taken; those of the calling thread. */
    [[nodiscard]] std::uint32_t count() const noexcept
    {
        return fw_ipc_permits_count(&p_);
    }

    [[nodiscard]] std::uint32_t value() const noexcept
    {
        return fw_ipc_permits_value(&p_);
    }

    [[nodiscard]] std::uint32_t held_by_me() const noexcept
    {
        return fw_ipc_permits_held_by_me(&p_);
    }

    native_handle_type native_handle() noexcept
    {
        return &p_;
    }

  private:
    template <class Take> permit taken(Take take)
    {
        std::uint32_t number = 0;
        const int error = take(&number);

        if (error == ETIMEDOUT)
            return permit();
        if (error != EOWNERDEAD)
            detail::check(error, "fw::ipc::permits::take");
        return permit(&p_, number, error == EOWNERDEAD);
    }

    fw_ipc_permits p_;
};

namespace detail {

template <> struct named<permits> {
    static int get(fw_region *region, const char *name, unsigned flags, permits **object,
                   std::uint32_t n)
    {
        fw_ipc_permits *p = nullptr;
        const int error = fw_region_permits(region, name, n, flags, &p);

        *object = as<permits>(p);
        return error;
    }
    static int find(fw_region *region, const char *name, permits **object)
    {
        return get(region, name, 0, object, 0);
    }
};

} // namespace detail
} // namespace fw::ipc

#endif
