// SPDX-License-Identifier: MIT
#ifndef FURWOCK_IPC_REGION_HPP
#define FURWOCK_IPC_REGION_HPP

#include <exception>
#include <new>
#include <string>
#include <tuple>
#include <utility>

#include <furwock/bits/ipc/error.hpp>

namespace fw::ipc {

namespace detail {

/* Data: a T is constructed in zeroed memory before others can find it. */
template <class T> struct named {
    static_assert(std::is_trivially_destructible_v<T> && !std::is_polymorphic_v<T>,
                  "no destructor is ever called, and processes have different addresses");
    static_assert(alignof(T) <= 64, "objects of a region are aligned to 64");

    template <class... Args>
    static int get(fw_region *region, const char *name, unsigned flags, T **object, Args &&...args)
    {
        struct context {
            std::tuple<Args &&...> args;
            std::exception_ptr thrown;
        } c = {std::forward_as_tuple(std::forward<Args>(args)...), nullptr};
        const auto construct = [](void *memory, void *arg) {
            context &now = *static_cast<context *>(arg);
            try {
                std::apply(
                    [memory](auto &&...a) {
                        if constexpr (std::is_constructible_v<T, Args &&...>)
                            ::new (memory) T(std::forward<Args>(a)...);
                        else
                            ::new (memory) T{std::forward<Args>(a)...};
                    },
                    std::move(now.args));
                return 0;
            } catch (...) {
                now.thrown = std::current_exception();
                return ECANCELED;
            }
        };
        void *memory = nullptr;
        const int error =
            (flags & FW_REGION_CREATE) != 0
                ? fw_region_object_init(region, name, FW_REGION_DATA, sizeof(T), flags, construct,
                                        &c, &memory)
                : fw_region_object(region, name, FW_REGION_DATA, sizeof(T), flags, &memory);

        if (c.thrown)
            std::rethrow_exception(c.thrown);
        *object = static_cast<T *>(memory);
        return error;
    }

    static int find(fw_region *region, const char *name, T **object)
    {
        void *memory = nullptr;
        const int error = fw_region_object(region, name, FW_REGION_DATA, sizeof(T), 0, &memory);

        *object = static_cast<T *>(memory);
        return error;
    }
};

} // namespace detail

/*
 * fw_region (furwock/ipc/region.h): a segment of shared memory, with objects that have names.  A
 * handle that is moved, and closes the region for this process when the last one is destroyed.
 *
 *     struct totals {
 *         fw::ipc::mutex lock;
 *         long runs = 0, errors = 0;
 *     };
 *
 *     auto region = fw::ipc::region::create("/tally", 1 << 20);
 *     totals &t = region.find_or_construct<totals>("totals");
 *
 * What can be in a region: the classes of fw::ipc, and any T without a destructor, without virtual
 * functions and without pointers to memory of one process, such as a struct of these.  An object
 * exists for as long as its region; its address here is valid until the region is closed.
 *
 * Errors are thrown: std::system_error with the errno that the C header explains.
 */
class region {
  public:
    /* Options of create and open, which may be combined. */
    enum option : unsigned {
        none = 0,
        exclusive = FW_REGION_EXCLUSIVE, /* create: EEXIST if there is one */
        stamp = FW_REGION_STAMP,         /* when created: owners record when they locked */
        shared = FW_REGION_SHARED,       /* accept a file of any owner and permissions */
        renew = FW_REGION_RENEW          /* create: replace one from before the last boot */
    };

    /* No region. */
    region() noexcept = default;

    region(region &&other) noexcept : r_(std::exchange(other.r_, nullptr)) {}

    region &operator=(region &&other) noexcept
    {
        region former(std::move(other)); /* closes what this one was */

        std::swap(r_, former.r_);
        return *this;
    }

    /* Closes it; errors are ignored. */
    ~region()
    {
        if (r_ != nullptr)
            (void)fw_region_close(r_);
    }

    /* Joins the region of that name, or makes one of that many bytes; whoever comes first. */
    [[nodiscard]] static region create(const std::string &name, std::size_t size,
                                       option options = none, unsigned permissions = 0600)
    {
        return opened(name, size,
                      create_bit | static_cast<unsigned>(options) | (permissions & 0777u));
    }

    /* Joins the region of that name, which must have at least that many bytes. */
    [[nodiscard]] static region open(const std::string &name, std::size_t size = 0,
                                     option options = none)
    {
        return opened(name, size, options);
    }

    /* The same in an open file (a memfd), which stays the caller's.  Size 0: that of the file. */
    [[nodiscard]] static region create_fd(int fd, std::size_t size, option options = none)
    {
        region result;

        detail::check(
            fw_region_open_fd(fd, size, create_bit | static_cast<unsigned>(options), &result.r_),
            "fw::ipc::region::create_fd");
        return result;
    }

    [[nodiscard]] static region open_fd(int fd)
    {
        region result;

        detail::check(fw_region_open_fd(fd, 0, 0, &result.r_), "fw::ipc::region::open_fd");
        return result;
    }

    /* The same in a shared mapping of the caller's own, which must outlive the region. */
    [[nodiscard]] static region adopt(void *memory, std::size_t size, option options = none)
    {
        region result;

        detail::check(
            fw_region_adopt(memory, size, create_bit | static_cast<unsigned>(options), &result.r_),
            "fw::ipc::region::adopt");
        return result;
    }

    /* Removes a name; those who have the region keep it.  False: there was none. */
    static bool remove(const std::string &name)
    {
        const int error = fw_region_remove(name.c_str());

        if (error != ENOENT)
            detail::check(error, "fw::ipc::region::remove");
        return error == 0;
    }

    /* Closes it now.  What was found in it must not be used any more. */
    void close()
    {
        detail::check(fw_region_close(std::exchange(r_, nullptr)), "fw::ipc::region::close");
    }

    /* Gives back the calling thread's participant slot: what it holds is released as by death. */
    void leave()
    {
        detail::check(fw_region_leave(r_), "fw::ipc::region::leave");
    }

    [[nodiscard]] explicit operator bool() const noexcept
    {
        return r_ != nullptr;
    }

    /* Where it begins, and its size; nullptr and 0 if there is none. */
    [[nodiscard]] void *base() const noexcept
    {
        return fw_region_base(r_);
    }

    [[nodiscard]] std::size_t size() const noexcept
    {
        return fw_region_size(r_);
    }

    /* The user who owned its file when it was opened. */
    [[nodiscard]] uid_t owner() const
    {
        uid_t user = 0;

        detail::check(fw_region_owner(r_, &user), "fw::ipc::region::owner");
        return user;
    }

    /*
     * The object of that name, or a new one made of the arguments; those of an object of fw::ipc
     * are with its class.  If the constructor throws, or the process dies in it, there is no
     * object, and the next one begins anew.  EPROTO: there is one of another kind, too small, or
     * with other parameters.
     */
    template <class T, class... Args>
    [[nodiscard]] T &find_or_construct(const std::string &name, Args &&...args)
    {
        return made<T>(name, create_bit, std::forward<Args>(args)...);
    }

    /* A new object; EEXIST if there is one of that name. */
    template <class T, class... Args> T &construct(const std::string &name, Args &&...args)
    {
        return made<T>(name, create_bit | FW_REGION_EXCLUSIVE, std::forward<Args>(args)...);
    }

    /* The object of that name; nullptr if there is none. */
    template <class T> [[nodiscard]] T *find(const std::string &name)
    {
        T *object = nullptr;
        const int error = detail::named<T>::find(r_, name.c_str(), &object);

        if (error == ENOENT)
            return nullptr;
        detail::check(error, name.c_str());
        return object;
    }

    /* The C handle, for calls of C; nullptr if there is none. */
    [[nodiscard]] fw_region *native_handle() const noexcept
    {
        return r_;
    }

  private:
    static constexpr unsigned create_bit = FW_REGION_CREATE; /* not of an enumeration */

    static region opened(const std::string &name, std::size_t size, unsigned flags)
    {
        region result;

        detail::check(fw_region_open(name.c_str(), size, flags, &result.r_), name.c_str());
        return result;
    }

    template <class T, class... Args>
    T &made(const std::string &name, unsigned flags, Args &&...args)
    {
        T *object = nullptr;

        detail::check(
            detail::named<T>::get(r_, name.c_str(), flags, &object, std::forward<Args>(args)...),
            name.c_str());
        return *object;
    }

    fw_region *r_ = nullptr;
};

constexpr region::option operator|(region::option a, region::option b) noexcept
{
    return static_cast<region::option>(static_cast<unsigned>(a) | static_cast<unsigned>(b));
}

} // namespace fw::ipc

#endif
