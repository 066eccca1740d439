// SPDX-License-Identifier: MIT
/* furwock/coro.hpp: the first of several, tasks that are destroyed, and others' coroutines. */
#include <furwock/coro.hpp>

#include "check.hpp"

#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <random>

namespace co = fw::co;

static co::task<std::size_t> first(fw::mutex &m, fw::event &e)
{
    auto found = co_await co::when_any(co::lock(m), co::wait(e), co::sleep_for(1h));

    if (found.index() == 0)
        CHECK(std::get<0>(found).owns_lock() && m.is_held_by_me());
    co_return found.index();
}

static co::task<bool> with_limit(fw::mutex &m)
{
    auto found = co_await co::when_any(co::lock(m), co::sleep_for(1ms));

    co_return found.index() == 0;
}

static void test_first()
{
    fw::mutex m;
    fw::event e;
    co::loop loop;

    CHECK(loop.run(first(m, e)) == 0); /* free: at once */
    m.lock();
    CHECK(!loop.run(with_limit(m)));
    std::thread setter([&] { e.set(); });
    CHECK(loop.run(first(m, e)) == 1);
    setter.join();
    CHECK(loop.run(first(m, e)) == 1); /* set already */
    e.reset();
    m.unlock();
    CHECK(m.try_lock()); /* no loser has it */
    m.unlock();
}

/* Many tasks, two locks, and the first of both: nothing is lost, nothing held at the end. */
static co::task<> storm(fw::mutex (&locks)[2], long (&counts)[2], long &got, int times)
{
    for (int i = 0; i < times; i++) {
        auto found = co_await co::when_any(co::lock(locks[0]), co::lock(locks[1]));
        const std::size_t which = found.index();
        const long before = counts[which];

        co_await co::yield();
        counts[which] = before + 1;
        got++;
    }
}

static void test_first_of_contended()
{
    enum { TASKS = 50, TIMES = 40 };
    fw::mutex locks[2];
    long counts[2] = {}, got[2] = {}, more = 0;
    std::atomic<int> at_work{2};

    in_threads(3, [&](int i) {
        if (i == 2) {
            while (at_work != 0) {
                std::lock_guard guard(locks[0]);
                counts[0]++;
                more++;
            }
            return;
        }
        co::loop loop;
        for (int task = 0; task < TASKS; task++)
            loop.spawn(storm(locks, counts, got[i], TIMES));
        loop.run();
        at_work--;
    });
    CHECK(got[0] + got[1] == 2 * TASKS * TIMES);
    CHECK(counts[0] + counts[1] == got[0] + got[1] + more);
    CHECK(locks[0].try_lock() && locks[1].try_lock());
    locks[0].unlock();
    locks[1].unlock();
}

static co::task<> hold_for_ever(fw::mutex &m, fw::mutex &other)
{
    const auto held = co_await co::lock(m);
    const auto more = co_await co::lock(other);

    co_await co::sleep_for(1h);
}

static co::task<> wait_for_any(fw::mutex &m, fw::event &never)
{
    co_await co::when_any(co::wait(never), co::lock(m));
    co_await co::sleep_for(1h);
}

/* Wherever its tasks are when a loop goes, all that they had is free afterwards. */
static void test_destroyed_where_they_wait()
{
    for (unsigned seed = 0; seed < 40; seed++) {
        fw::mutex a, b, c;
        fw::event never;
        std::minstd_rand random(seed);

        c.lock();
        {
            co::loop loop;

            for (int i = 0; i < 10; i++) {
                loop.spawn(hold_for_ever(a, b));
                loop.spawn(hold_for_ever(b, c)); /* a cycle with c, which is held here */
                loop.spawn(wait_for_any(c, never));
            }
            for (auto steps = random() % 6; steps > 0; steps--)
                loop.poll();
            if (seed % 2)
                c.unlock(); /* granted, and never delivered */
        }
        if (seed % 2 == 0)
            c.unlock();
        CHECK(a.try_lock() && b.try_lock() && c.try_lock());
        a.unlock();
        b.unlock();
        c.unlock();
    }
}

/* Another library: a pool of threads, and a coroutine type that knows nothing of furwock. */
class pool {
  public:
    explicit pool(int n)
    {
        for (int i = 0; i < n; i++)
            threads_.emplace_back([this] { work(); });
    }

    ~pool()
    {
        {
            std::lock_guard guard(mutex_);
            is_over_ = true;
        }
        changed_.notify_all();
        for (std::thread &t : threads_)
            t.join();
    }

    void operator()(std::coroutine_handle<> handle)
    {
        {
            std::lock_guard guard(mutex_);
            ready_.push_back(handle);
        }
        changed_.notify_one();
    }

  private:
    void work()
    {
        for (;;) {
            std::unique_lock guard(mutex_);
            changed_.wait(guard, [this] { return is_over_ || !ready_.empty(); });
            if (ready_.empty())
                return;
            const std::coroutine_handle<> handle = ready_.front();
            ready_.pop_front();
            guard.unlock();
            handle.resume();
        }
    }

    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<std::coroutine_handle<>> ready_;
    std::vector<std::thread> threads_;
    bool is_over_ = false;
};

struct foreign {
    struct promise_type {
        foreign get_return_object() noexcept
        {
            return {};
        }
        std::suspend_never initial_suspend() noexcept
        {
            return {};
        }
        std::suspend_never final_suspend() noexcept
        {
            return {};
        }
        void return_void() noexcept {}
        void unhandled_exception() noexcept
        {
            std::terminate();
        }
    };
};

struct table {
    fw::mutex lock, other;
    fw::condition_variable changed;
    long count = 0, got = 0;
};

static foreign work(pool &p, table &t, int times, fw::latch &finished)
{
    co::context self(p);

    for (int i = 0; i < times; i++) {
        auto held = co_await co::lock(t.lock).as(self);
        t.count++;
        t.changed.notify_one();
        held.unlock();
        const auto any = co_await co::when_any(co::lock(t.other), co::lock(t.lock)).as(self);
        CHECK(any.index() < 2);
    }
    finished.count_down();
}

static foreign collect(pool &p, table &t, long all, fw::latch &finished)
{
    co::context self(p);
    auto held = co_await co::lock(t.lock).as(self);

    while (t.got < all) {
        while (t.count == 0)
            co_await co::wait(t.changed, held).as(self);
        t.got += t.count;
        t.count = 0;
    }
    held.unlock();
    finished.count_down();
}

static void test_other_coroutines()
{
    enum { TASKS = 20, TIMES = 50 };
    table t;
    fw::latch finished(TASKS + 1);
    {
        pool p(3);

        collect(p, t, TASKS * TIMES, finished);
        for (int i = 0; i < TASKS; i++)
            work(p, t, TIMES, finished);
        finished.wait();
    }
    CHECK(t.got == TASKS * TIMES && t.lock.try_lock() && t.other.try_lock());
    t.lock.unlock();
    t.other.unlock();
}

int main()
{
    test_first();
    test_first_of_contended();
    test_destroyed_where_they_wait();
    test_other_coroutines();
    return 0;
}
