// SPDX-License-Identifier: MIT
/* The first half of the text of furwock/asio.hpp and furwock/boost_asio.hpp: see asio.hpp here. */
namespace fw::FW_ASIO_SPACE_ {

/* What an operation is in the list of its execution context, which ends it if it is destroyed. */
class pending_base {
  public:
    pending_base(const pending_base &) = delete;
    pending_base &operator=(const pending_base &) = delete;

  protected:
    pending_base() noexcept = default;
    ~pending_base() = default;

  private:
    friend class service;

    virtual void abandon() noexcept = 0;

    pending_base *next_ = nullptr, **at_ = nullptr;
};

/* All operations of an execution context: what waits when that is shut down is given up. */
class service : public FW_ASIO_::execution_context::service {
  public:
    using key_type = service;
    inline static FW_ASIO_::execution_context::id id;

    explicit service(FW_ASIO_::execution_context &context)
        : FW_ASIO_::execution_context::service(context)
    {
    }

    void add(pending_base &p)
    {
        std::lock_guard<mutex> guard(mutex_);

        p.next_ = first_;
        if (first_ != nullptr)
            first_->at_ = &p.next_;
        p.at_ = &first_;
        first_ = &p;
    }

    void remove(pending_base &p)
    {
        std::lock_guard<mutex> guard(mutex_);

        *p.at_ = p.next_;
        if (p.next_ != nullptr)
            p.next_->at_ = p.at_;
    }

    /* A thread that releases a lock posts a handler: the context has to stay until it has. */
    void begin_wake() noexcept
    {
        waking_.fetch_add(1, std::memory_order_relaxed);
    }

    void end_wake() noexcept
    {
        waking_.fetch_sub(1, std::memory_order_release);
    }

    void wait_for_wakes() const noexcept
    {
        while (waking_.load(std::memory_order_acquire) != 0)
            std::this_thread::yield();
    }

  private:
    void shutdown() noexcept override
    {
        while (first_ != nullptr)
            first_->abandon();
        wait_for_wakes();
    }

    std::atomic<unsigned> waking_{0};
    mutex mutex_;
    pending_base *first_ = nullptr;
};

/* What a lock is for: the owner is given, or lives as long as what is locked. */
class owner {
  public:
    owner() = default;
    explicit owner(const co::identity &who) noexcept : task_(who.get()) {}

    fw_task begin()
    {
        if (task_ == 0) {
            detail::check(fw_task_begin(&task_), "fw::async_lock");
            is_own_ = true;
        }
        return task_;
    }

    void end() noexcept
    {
        if (is_own_)
            fw_task_end(task_);
        is_own_ = false;
        task_ = 0;
    }

  private:
    fw_task task_ = 0;
    bool is_own_ = false;
};

/* A guard as in coro.hpp, which has its owner with it.  Whoever has it may unlock. */
template <class Guard> class held {
  public:
    held() noexcept = default;
    held(Guard guard, const owner &who) noexcept : guard_(std::move(guard)), owner_(who) {}

    held(held &&other) noexcept
        : guard_(std::move(other.guard_)), owner_(std::exchange(other.owner_, owner()))
    {
    }

    held &operator=(held &&other) noexcept
    {
        if (this != &other) {
            unlock();
            guard_ = std::move(other.guard_);
            owner_ = std::exchange(other.owner_, owner());
        }
        return *this;
    }

    ~held()
    {
        unlock();
    }

    void unlock() noexcept
    {
        guard_.unlock();
        owner_.end();
    }

    [[nodiscard]] bool owns_lock() const noexcept
    {
        return guard_.owns_lock();
    }

    explicit operator bool() const noexcept
    {
        return owns_lock();
    }

    /* For a condition variable. */
    [[nodiscard]] Guard &guard() noexcept
    {
        return guard_;
    }

  private:
    Guard guard_;
    owner owner_;
};

/* How a wait's value reaches a handler: a lock as `held`, what has no owner by the error alone. */
template <class Wait> struct delivery {
    using signature = void(FW_ASIO_ERROR_);

    template <class Handler>
    static void call(Handler &&handler, const FW_ASIO_ERROR_ &error, Wait &wait, owner &who)
    {
        (void)wait;
        who.end();
        std::forward<Handler>(handler)(error);
    }
};

template <class Wait>
requires(!std::is_same_v<typename Wait::value, bool>) struct delivery<Wait> {
    using guard_type = held<typename Wait::value>;
    using signature = void(FW_ASIO_ERROR_, guard_type);

    template <class Handler>
    static void call(Handler &&handler, const FW_ASIO_ERROR_ &error, Wait &wait, owner &who)
    {
        guard_type result;

        if (error)
            who.end();
        else
            result = guard_type(wait.granted(who.begin()), who);
        std::forward<Handler>(handler)(error, std::move(result));
    }
};

} // namespace fw::FW_ASIO_SPACE_
