// SPDX-License-Identifier: MIT
/* furwock/coro.hpp: what tasks get, from whom, and whose it is then. */
#include <furwock/coro.hpp>

#include "check.hpp"

#include <atomic>
#include <deque>
#include <mutex>
#include <stdexcept>

namespace co = fw::co;

static_assert(sizeof(fw_await) <= 128, "what the header of await.h says");

/* A loop in a thread of its own. */
class other_loop {
  public:
    ~other_loop()
    {
        stop_.request_stop();
        thread_.join();
    }

    co::loop loop;

  private:
    std::stop_source stop_;
    std::thread thread_{[this] { loop.run_until(stop_.get_token()); }};
};

static co::task<int> answer(int n)
{
    co_return n;
}

static co::task<int> fails()
{
    throw std::runtime_error("as it should");
    co_return co_await answer(1);
}

static co::task<int> sum(int n)
{
    int all = 0;

    for (int i = 1; i <= n; i++)
        all += co_await answer(i);
    co_return all;
}

static void test_tasks()
{
    co::loop loop;
    bool has_thrown = false;

    CHECK(loop.run(sum(100)) == 5050);
    try {
        loop.run(fails());
    } catch (const std::runtime_error &) {
        has_thrown = true;
    }
    CHECK(has_thrown && loop.tasks() == 0);
}

static co::task<> count(fw::mutex &m, long &counter, int times, std::atomic<int> &left,
                        co::loop *other)
{
    for (int i = 0; i < times; i++) {
        const auto held = co_await co::lock(m);
        const long before = counter;

        CHECK(held.owns_lock() && m.is_held_by_me() && !m.try_lock());
        co_await co::yield();
        if (other != nullptr && i % 16 == 0)
            co_await co::resume_on(*other);
        CHECK(m.is_held_by_me());
        counter = before + 1;
    }
    left--;
}

/* Two loops, tasks that migrate with the lock in hand, and threads that block for it. */
static void test_exclusion()
{
    enum { TASKS = 64, TIMES = 50, THREADS = 2 };
    std::atomic<int> left{2 * TASKS};
    fw::mutex m;
    long counter = 0;

    {
        other_loop other;
        co::loop loop;

        for (int i = 0; i < TASKS; i++) {
            loop.spawn(count(m, counter, TIMES, left, nullptr));
            other.loop.spawn(count(m, counter, TIMES, left, &loop));
        }
        in_threads(THREADS + 1, [&](int i) {
            while (i == THREADS && left != 0) /* also when it has none, as one may still come */
                loop.poll();
            if (i == THREADS)
                return;
            for (int n = 0; n < TIMES * TASKS / 4; n++) {
                std::lock_guard guard(m);
                counter++;
            }
        });
    }
    CHECK(counter == 2 * TASKS * TIMES + THREADS * (TIMES * TASKS / 4));
    CHECK(m.try_lock());
    m.unlock();
}

static co::task<> ask(fw::mutex &m, std::atomic<int> &asked, bool &has_it)
{
    asked++;
    const auto held = co_await co::lock(m);
    has_it = true;
}

/* The release does not run who gets it: that is for the loop. */
static void test_release_resumes_nobody()
{
    fw::mutex m;
    co::loop loop;
    std::atomic<int> asked{0};
    bool has_it = false;

    m.lock();
    loop.spawn(ask(m, asked, has_it));
    loop.poll();
    CHECK(asked == 1 && !has_it);
    m.unlock();
    CHECK(!has_it && !m.try_lock()); /* it was handed over */
    loop.run();
    CHECK(has_it && m.try_lock());
    m.unlock();
}

static co::task<> shared(fw::shared_mutex &rw, int &inside, fw::latch &all)
{
    const auto held = co_await co::lock_shared(rw);

    inside++;
    all.count_down();
    co_await co::wait(all); /* together with the others */
    inside--;
}

static co::task<> exclusive(fw::shared_mutex &rw, const int &inside)
{
    const auto held = co_await co::lock(rw);

    CHECK(inside == 0 && rw.is_held_by_me());
    co_await co::yield();
    CHECK(inside == 0);
}

static void test_shared()
{
    enum { READERS = 8 };
    fw::shared_mutex rw;
    fw::latch all(READERS);
    co::loop loop;
    int inside = 0;

    for (int i = 0; i < READERS; i++)
        loop.spawn(shared(rw, inside, all));
    loop.spawn(exclusive(rw, inside));
    loop.spawn(exclusive(rw, inside));
    loop.run();
    CHECK(rw.try_lock());
    rw.unlock();
}

static co::task<> take(fw::counting_semaphore<> &s, int times, int &took)
{
    for (int i = 0; i < times; i++) {
        const bool has_one = co_await co::acquire(s);
        CHECK(has_one);
        took++;
    }
}

static co::task<> wait_for_event(fw::event &e, int &woken)
{
    const bool is_set = co_await co::wait(e);

    CHECK(is_set);
    woken++;
}

static void test_semaphore_and_events()
{
    enum { UNITS = 100 };
    fw::counting_semaphore<> s(0);
    fw::event manual, automatic(fw::event_kind::automatic);
    co::loop loop;
    int took = 0, woken = 0, one = 0;

    loop.spawn(take(s, UNITS / 2, took));
    loop.spawn(take(s, UNITS / 2, took));
    for (int i = 0; i < 3; i++) {
        loop.spawn(wait_for_event(manual, woken));
        loop.spawn(wait_for_event(automatic, one));
    }
    elsewhere([&] {
        for (int i = 0; i < UNITS; i++)
            s.release();
        manual.set();
    });
    while (took != UNITS || woken != 3)
        loop.poll();
    for (int i = 1; i <= 3; i++) {
        automatic.set();
        while (one < i)
            loop.poll();
        loop.poll();
        CHECK(one == i);
    }
    loop.run();
}

struct box {
    fw::mutex lock;
    fw::condition_variable changed;
    std::deque<int> items;
};

static co::task<long> get_all(box &b, int n)
{
    auto held = co_await co::lock(b.lock);
    long all = 0;

    for (int i = 0; i < n; i++) {
        while (b.items.empty())
            co_await co::wait(b.changed, held);
        CHECK(held.owns_lock() && b.lock.is_held_by_me());
        all += b.items.front();
        b.items.pop_front();
    }
    co_return all;
}

static co::task<bool> misses(box &b)
{
    auto held = co_await co::lock(b.lock);
    co::mutex_guard none;
    bool is_refused = false;

    try {
        co_await co::wait(b.changed, none);
    } catch (const std::system_error &) {
        is_refused = true;
    }
    while (co_await co::wait_for(b.changed, held, 1ms))
        ; /* spurious */
    co_return is_refused &&held.owns_lock() && b.lock.is_held_by_me();
}

static void test_condition()
{
    enum { ITEMS = 500 };
    box b;
    co::loop loop;
    std::thread putter([&] {
        for (int i = 1; i <= ITEMS; i++) {
            std::lock_guard guard(b.lock);
            b.items.push_back(i);
            b.changed.notify_one();
        }
    });

    CHECK(loop.run(get_all(b, ITEMS)) == ITEMS * (ITEMS + 1L) / 2);
    putter.join();
    CHECK(loop.run(misses(b)));
}

static co::task<> times_out(fw::mutex &m, fw::counting_semaphore<> &s, fw::event &e, fw::latch &l)
{
    const auto begun = std::chrono::steady_clock::now();

    CHECK(!co_await co::try_lock_for(m, 2ms));
    CHECK(!co_await co::try_acquire_for(s, 1ms));
    CHECK(!co_await co::wait_for(e, 1ms));
    CHECK(!co_await co::wait_until(l, std::chrono::system_clock::now() + 1ms));
    CHECK(!co_await co::try_lock_until(m, begun)); /* in the past */
    CHECK(std::chrono::steady_clock::now() - begun >= 4ms);
    CHECK(co_await co::sleep_for(1ms));
    CHECK(co_await co::sleep_until(begun));
}

static void test_times()
{
    fw::mutex m;
    fw::counting_semaphore<> s(0);
    fw::event e;
    fw::latch l(1);
    co::loop loop;

    m.lock();
    loop.run(times_out(m, s, e, l));
    m.unlock();
}

int main()
{
    test_tasks();
    test_exclusion();
    test_release_resumes_nobody();
    test_shared();
    test_semaphore_and_events();
    test_condition();
    test_times();
    return 0;
}
