// SPDX-License-Identifier: MIT
/*
 * The text of furwock/asio.hpp and furwock/boost_asio.hpp, which say what FW_ASIO_ (the namespace
 * of Asio), FW_ASIO_SPACE_ (that of what is made here), FW_ASIO_ERROR_ (the error_code) and
 * FW_ASIO_CATEGORY_ are, and whether there are cancellation slots (FW_ASIO_SLOTS_).  So it has no
 * include guard.
 */
namespace fw::FW_ASIO_SPACE_ {

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
            &operation_, owner_.begin(), [](void *self) { static_cast<pending *>(self)->wake(); },
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
            is_over_ = is_granted_ = true;
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

    /* By whoever releases the lock.  Once it is posted, this may be gone, but not the service. */
    void wake()
    {
        service &all = service_;

        all.begin_wake();
        is_woken_.store(true, std::memory_order_release);
        post();
        all.end_wake();
    }

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

    /* Its execution context goes.  What it has is given back, and whoever gave it is done here. */
    void abandon() noexcept override
    {
        bool is_woken_soon = is_granted_;

        if (!is_over_)
            is_woken_soon = !fw_await_drop(&operation_);
        else if (error_ == 0)
            wait_.give_back(owner_.begin());
        if (is_woken_soon) {
            while (!is_woken_.load(std::memory_order_acquire))
                std::this_thread::yield();
            service_.wait_for_wakes();
        }
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
    bool is_over_ = false, is_granted_ = false;
    std::atomic<bool> is_woken_{false};
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
