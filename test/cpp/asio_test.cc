// SPDX-License-Identifier: MIT
/* furwock/asio.hpp and, with TEST_BOOST_ASIO, furwock/boost_asio.hpp: the same test for both. */
#ifdef TEST_BOOST_ASIO
#include <utility> /* Boost 1.74's awaitable.hpp forgets it */

#include <boost/asio.hpp>
#include <furwock/boost_asio.hpp>

namespace net = boost::asio;
namespace with = fw::with_boost_asio;
using error_code = boost::system::error_code;
#ifdef BOOST_ASIO_HAS_CO_AWAIT
#define HAS_CO_AWAIT 1
#endif
#define HAS_SLOTS (BOOST_ASIO_VERSION >= 101900)
#else
#include <asio.hpp>
#include <furwock/asio.hpp>

namespace net = asio;
namespace with = fw::with_asio;
using error_code = asio::error_code;
#ifdef ASIO_HAS_CO_AWAIT
#define HAS_CO_AWAIT 1
#endif
#define HAS_SLOTS (ASIO_VERSION >= 101900)
#endif

#include "check.hpp"

#include <atomic>
#include <memory>
#include <mutex>

/* A handler's lock is free again when it has gone; the release does not run the next handler. */
static void test_handlers()
{
    net::io_context context;
    auto executor = context.get_executor();
    fw::mutex m;
    fw::shared_mutex rw;
    fw::counting_semaphore<> s(1);
    fw::event e;
    fw::latch l(1);
    int ran = 0;

    m.lock();
    with::async_lock(executor, m, [&](error_code error, auto held) {
        CHECK(!error && held.owns_lock() && !m.try_lock());
        ran++;
    });
    with::async_lock(executor, rw, [&](error_code error, auto held) {
        CHECK(!error && held && !rw.try_lock_shared());
        ran++;
    });
    with::async_lock_shared(executor, rw, [&](error_code error, auto held) {
        CHECK(!error && held);
        held.unlock();
        CHECK(!held);
        ran++;
    });
    for (int i = 0; i < 2; i++)
        with::async_acquire(executor, s, [&](error_code error) {
            CHECK(!error);
            s.release();
            ran++;
        });
    with::async_wait(executor, e, [&](error_code error) { ran += !error; });
    with::async_wait(executor, l, [&](error_code error) { ran += !error; });
    CHECK(ran == 0); /* never inside the call that begins it */
    m.unlock();
    CHECK(ran == 0 && !m.try_lock());
    elsewhere([&] {
        e.set();
        l.count_down();
    });
    context.run();
    CHECK(ran == 7);
    CHECK(m.try_lock() && rw.try_lock());
    m.unlock();
    rw.unlock();
}

static void test_futures()
{
    net::thread_pool pool(2);
    fw::mutex m;
    fw::co::identity who;

    m.lock();
    auto later = with::async_lock(pool.get_executor(), m, net::use_future);
    CHECK(later.wait_for(1ms) == std::future_status::timeout);
    m.unlock();
    auto held = later.get();
    CHECK(held.owns_lock());
    held.unlock();
    {
        auto again = with::async_lock(pool.get_executor(), m, who, net::use_future).get();
        CHECK(fw_task_switch(who.get()) == 0 && m.is_held_by_me());
        fw_task_switch(0);
        with::held<fw::co::mutex_guard> moved;
        moved = std::move(again);
        CHECK(!again.owns_lock() && moved.owns_lock());
    }
    CHECK(m.try_lock());
    m.unlock();
    pool.join();
}

/* What waits when its context goes is given up, and has given back what it was granted. */
static void test_context_goes_first()
{
    fw::mutex m;
    auto token = std::make_shared<int>(0);

    m.lock();
    {
        net::io_context context;
        for (int i = 0; i < 5; i++)
            with::async_lock(context.get_executor(), m,
                             [token](error_code, auto) { CHECK(!"it must not be called"); });
        CHECK(token.use_count() == 6);
        m.unlock();
    }
    CHECK(token.use_count() == 1 && m.try_lock());
    m.unlock();
}

/* The same where all was free, and had at once, or is being granted by another thread. */
static void test_context_goes_with_what_it_has()
{
    for (int i = 0; i < 200; i++) {
        fw::mutex m, free;
        fw::counting_semaphore<> s(1);
        fw::event e(fw::event_kind::automatic);

        m.lock();
        e.set();
        {
            net::io_context context;
            auto executor = context.get_executor();
            with::async_lock(executor, m, [](error_code, auto) { CHECK(!"not to be called"); });
            with::async_lock(executor, free, [](error_code, auto) { CHECK(!"not to be called"); });
            with::async_acquire(executor, s, [](error_code) { CHECK(!"not to be called"); });
            with::async_wait(executor, e, [](error_code) { CHECK(!"not to be called"); });
            if (i % 2 == 0)
                m.unlock();
        }
        if (i % 2 != 0)
            m.unlock();
        CHECK(m.try_lock() && free.try_lock() && s.try_acquire() && e.try_wait());
        m.unlock();
        free.unlock();
    }
}

/* Another thread is about to post to a context that goes. */
static void test_context_goes_while_it_is_posted_to()
{
    fw::mutex m;
    std::atomic<bool> is_over{false};
    std::thread other([&] {
        while (!is_over) {
            std::lock_guard guard(m);
            std::this_thread::yield();
        }
    });

    for (int i = 0; i < 300; i++) {
        net::io_context context;
        for (int n = 0; n < 4; n++)
            with::async_lock(context.get_executor(), m, [](error_code, auto) {});
        context.poll_one();
    }
    is_over = true;
    other.join();
    CHECK(m.try_lock());
    m.unlock();
}

#ifdef HAS_CO_AWAIT
struct state {
    fw::mutex m;
    fw::event e;
    long counter = 0, had = 0, aborted = 0;
};

static net::awaitable<void> count(state &s, int times)
{
    auto executor = co_await net::this_coro::executor;

    for (int i = 0; i < times; i++) {
        auto held = co_await with::async_lock(executor, s.m, net::use_awaitable);
        const long before = s.counter;

        co_await net::post(executor, net::use_awaitable);
        s.counter = before + 1;
    }
}

static void test_coroutines()
{
    enum { TASKS = 40, TIMES = 50, THREADS = 2 };
    state s;
    net::io_context context;

    for (int i = 0; i < TASKS; i++)
        net::co_spawn(context, count(s, TIMES), net::detached);
    in_threads(2 * THREADS, [&](int i) {
        if (i < THREADS) {
            context.run();
            return;
        }
        for (int n = 0; n < TIMES; n++) {
            std::lock_guard guard(s.m);
            s.counter++;
        }
    });
    CHECK(s.counter == (TASKS + THREADS) * TIMES);
}
#endif

#if HAS_SLOTS
/* Cancelled at any moment: aborted and never held, or had, and nothing in between. */
static void test_cancellation()
{
    enum { TASKS = 50, TIMES = 60 };
    fw::mutex m;
    std::atomic<bool> is_over{false};
    long had = 0, aborted = 0;
    std::thread other([&] {
        while (!is_over) {
            std::lock_guard guard(m);
            std::this_thread::yield();
        }
    });

    for (int round = 0; round < TIMES; round++) {
        net::io_context context;
        net::cancellation_signal signals[TASKS];

        for (int i = 0; i < TASKS; i++)
            with::async_lock(
                context.get_executor(), m,
                net::bind_cancellation_slot(signals[i].slot(), [&](error_code error, auto held) {
                    CHECK(held.owns_lock() == !error);
                    CHECK(!error || error == net::error::operation_aborted);
                    ++(error ? aborted : had);
                }));
        context.poll_one();
        for (int i = round % 3; i < TASKS; i += 2) {
            signals[i].emit(net::cancellation_type::total);
            signals[i].emit(net::cancellation_type::total);
        }
        context.run();
    }
    is_over = true;
    other.join();
    CHECK(had + aborted == TASKS * TIMES && had > 0);
    CHECK(m.try_lock());
    m.unlock();
}

/* It is cancelled where nobody ever releases the lock. */
static void test_cancelled_for_good()
{
    net::io_context context;
    net::cancellation_signal signal;
    fw::mutex m;
    bool is_aborted = false;

    m.lock();
    with::async_lock(context.get_executor(), m,
                     net::bind_cancellation_slot(signal.slot(), [&](error_code error, auto held) {
                         is_aborted = error == net::error::operation_aborted && !held;
                     }));
    signal.emit(net::cancellation_type::terminal);
    context.run();
    CHECK(is_aborted);
    m.unlock();
}
#endif

int main()
{
    test_handlers();
    test_futures();
    test_context_goes_first();
    test_context_goes_with_what_it_has();
    test_context_goes_while_it_is_posted_to();
#ifdef HAS_CO_AWAIT
    test_coroutines();
#endif
#if HAS_SLOTS
    test_cancellation();
    test_cancelled_for_good();
#endif
    return 0;
}
