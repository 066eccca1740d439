// SPDX-License-Identifier: MIT
/*
 * The text of furwock/asio.hpp and furwock/boost_asio.hpp, which say what FW_ASIO_ (the namespace
 * of Asio), FW_ASIO_SPACE_ (that of what is made here), FW_ASIO_ERROR_ (the error_code) and
 * FW_ASIO_CATEGORY_ are, and whether there are cancellation slots (FW_ASIO_SLOTS_).  So it has no
 * include guard.
 */
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

  private:
    void shutdown() noexcept override
    {
        while (first_ != nullptr)
            first_->abandon();
    }

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

/* One operation, from its initiation to its handler. */
template <class Wait, class Executor, class Handler> class pending final : public pending_base {
  public:
    using executor_type = FW_ASIO_::associated_executor_t<Handler, Executor>;
    using allocator_type = typename std::allocator_traits<
        FW_ASIO_::associated_allocator_t<Handler>>::template rebind_alloc<pending>;

    static void start(Handler handler, const Executor &executor, const Wait &wait, owner who)
    {
        allocator_type allocator(FW_ASIO_::get_associated_allocator(handler));
        pending *const p = std::allocator_traits<allocator_type>::allocate(allocator, 1);

        try {
            who.begin();
            new (p) pending(std::move(handler), executor, wait, who);
        } catch (...) {
            who.end();
            std::allocator_traits<allocator_type>::deallocate(allocator, p, 1);
            throw;
        }
        p->submit();
    }

  private:
    pending(Handler handler, const Executor &executor, const Wait &wait, const owner &who)
        : handler_(std::move(handler)), work_(executor),
          handler_work_(FW_ASIO_::get_associated_executor(handler_, executor)), wait_(wait),
          owner_(who), service_(FW_ASIO_::use_service<service>(
                           FW_ASIO_::query(executor, FW_ASIO_::execution::context)))
    {
        service_.add(*this);
    }

    void submit()
    {
        fw_await_init_waker(
            &operation_, owner_.begin(), [](void *self) { static_cast<pending *>(self)->post(); },
            this);
        connect();
        wait_.begin();
        const int error = wait_.submit(&operation_, nullptr);

        if (error == EINPROGRESS)
            return; /* it may be over by now */
        over(error);
    }

    /* The cancellation slot.  Asio calls it where the handler may run, so never beside step(). */
    void connect()
    {
#if FW_ASIO_SLOTS_
        auto slot = FW_ASIO_::get_associated_cancellation_slot(handler_);

        if (slot.is_connected())
            slot.assign([this](FW_ASIO_::cancellation_type type) {
                if (type != FW_ASIO_::cancellation_type::none)
                    cancel();
            });
#endif
    }

    /* If it was granted, the releaser has posted the handler, or is about to. */
    void cancel()
    {
        if (is_over_)
            return;
        if (fw_await_cancel(&operation_))
            over(ECANCELED);
        else
            is_over_ = true;
    }

    void disconnect()
    {
#if FW_ASIO_SLOTS_
        auto slot = FW_ASIO_::get_associated_cancellation_slot(handler_);

        if (slot.is_connected())
            slot.clear();
#endif
    }

    void over(int error)
    {
        is_over_ = true;
        error_ = error;
        post();
    }

    /* By whoever releases the lock: never the handler itself. */
    void post()
    {
        FW_ASIO_::post(handler_work_.get_executor(), [this] { step(); });
    }

    /* Where the handler runs. */
    void step()
    {
        if (!is_over_) {
            error_ = fw_await_poll(&operation_);
            if (error_ == EINPROGRESS)
                return; /* a condition's signal: it is queued for the mutex now, and comes again */
        }
        finish();
    }

    void finish()
    {
        const FW_ASIO_ERROR_ error = error_ == ECANCELED
                                         ? FW_ASIO_ERROR_(FW_ASIO_::error::operation_aborted)
                                         : FW_ASIO_ERROR_(error_, FW_ASIO_CATEGORY_());
        Wait wait = wait_;
        owner who = owner_;

        if (error_ != ECANCELED)
            wait.end(); /* else a condition's mutex is not held */
        disconnect();
        service_.remove(*this);
        Handler handler = destroy();
        delivery<Wait>::call(std::move(handler), error, wait, who);
    }

    void abandon() noexcept override
    {
        fw_await_drop(&operation_);
        owner_.end();
        service_.remove(*this);
        destroy();
    }

    Handler destroy()
    {
        Handler handler = std::move(handler_);
        allocator_type allocator(FW_ASIO_::get_associated_allocator(handler));

        this->~pending();
        std::allocator_traits<allocator_type>::deallocate(allocator, this, 1);
        return handler;
    }

    fw_await operation_;
    Handler handler_;
    FW_ASIO_::executor_work_guard<Executor> work_;
    FW_ASIO_::executor_work_guard<executor_type> handler_work_;
    Wait wait_;
    owner owner_;
    service &service_;
    int error_ = 0;
    bool is_over_ = false;
};

template <class Wait, class Executor, class Token>
auto initiate(const Executor &executor, const Wait &wait, const owner &who, Token &&token)
{
    return FW_ASIO_::async_initiate<Token, typename delivery<Wait>::signature>(
        [executor, wait, who](auto handler) {
            pending<Wait, Executor, decltype(handler)>::start(std::move(handler), executor, wait,
                                                              who);
        },
        token);
}

/* Each takes where the handler runs if it has no executor of its own, and a completion token. */
template <class Executor, class Token>
auto async_lock(const Executor &executor, mutex &m, Token &&token)
{
    return initiate(executor, co::mutex_wait(*m.native_handle()), owner(),
                    std::forward<Token>(token));
}

/* For an owner that is known: locking twice is an error that ends the program. */
template <class Executor, class Token>
auto async_lock(const Executor &executor, mutex &m, const co::identity &who, Token &&token)
{
    return initiate(executor, co::mutex_wait(*m.native_handle()), owner(who),
                    std::forward<Token>(token));
}

template <class Executor, class Token>
auto async_lock(const Executor &executor, shared_mutex &m, Token &&token)
{
    return initiate(executor, co::exclusive_wait(*m.native_handle()), owner(),
                    std::forward<Token>(token));
}

template <class Executor, class Token>
auto async_lock_shared(const Executor &executor, shared_mutex &m, Token &&token)
{
    return initiate(executor, co::shared_wait(*m.native_handle()), owner(),
                    std::forward<Token>(token));
}

template <class Executor, std::ptrdiff_t Max, class Token>
auto async_acquire(const Executor &executor, counting_semaphore<Max> &s, Token &&token)
{
    return initiate(executor, co::semaphore_wait(*s.native_handle()), owner(),
                    std::forward<Token>(token));
}

template <class Executor, class Token>
auto async_wait(const Executor &executor, event &e, Token &&token)
{
    return initiate(executor, co::event_wait(*e.native_handle()), owner(),
                    std::forward<Token>(token));
}

template <class Executor, class Token>
auto async_wait(const Executor &executor, latch &l, Token &&token)
{
    return initiate(executor, co::latch_wait(*l.native_handle()), owner(),
                    std::forward<Token>(token));
}

} // namespace fw::FW_ASIO_SPACE_
