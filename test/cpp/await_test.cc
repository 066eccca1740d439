// SPDX-License-Identifier: MIT
#include "check.hpp"

#include <deque>
#include <mutex>

#include <furwock.hpp>

/* fw::mutex::await, and fw::note. */
namespace {

enum { THREADS = 4, TIMES = 2000 };

using steady = std::chrono::steady_clock;

/* A clock that stands still until it is told. */
struct slow_clock {
    using duration = std::chrono::milliseconds;
    using rep = duration::rep;
    using period = duration::period;
    using time_point = std::chrono::time_point<slow_clock>;
    static inline int looks = 0;

    static time_point now()
    {
        return time_point(duration(looks++));
    }
};

void what_is_true_or_too_late()
{
    fw::waiting<fw::mutex, fw::spin_policy> m;
    bool flag = false;
    const auto is_set = [&flag] { return flag; };

    std::unique_lock lock(m);
    CHECK(!m.await_for(1ms, is_set) && m.is_held_by_me());
    CHECK(!m.await_until(steady::now() - 1s, is_set));
    CHECK(!m.await_until(std::chrono::system_clock::now() + 1ms, is_set));
    CHECK(!m.await_until(slow_clock::now() + 3ms, is_set) && slow_clock::looks > 3);
    flag = true;
    m.await(is_set);
    CHECK(m.await_for(0s, is_set) && m.await_until(steady::time_point::max(), is_set));
    CHECK(m.is_held_by_me());
}

/* A bounded queue without a condition variable; predicates are lvalues, const, and moved. */
void queue()
{
    fw::mutex m;
    std::deque<int> items;
    long sum = 0;
    auto is_full = [&items] { return items.size() == 2; };

    in_threads(2 * THREADS, [&](int i) {
        for (int n = 0; n < TIMES; n++) {
            fw::lock_guard<fw::mutex> hold(m);
            if (i % 2 == 0) {
                m.await([&] { return !is_full(); });
                items.push_back(n);
            } else {
                CHECK(m.await_for(1h, [&]() -> std::size_t { return items.size(); }));
                sum += items.front();
                items.pop_front();
            }
        }
    });
    CHECK(items.empty() && sum == long{THREADS} * TIMES * (TIMES - 1) / 2);
}

void *be_cancelled(void *mutex)
{
    std::lock_guard hold(*static_cast<fw::mutex *>(mutex));

    static_cast<fw::mutex *>(mutex)->await([] { return false; });
    return nullptr;
}

void cancelled()
{
    fw::mutex m;
    pthread_t thread;
    void *end = nullptr;

    CHECK(pthread_create(&thread, nullptr, be_cancelled, &m) == 0);
    CHECK(pthread_cancel(thread) == 0 && pthread_join(thread, &end) == 0);
    CHECK(end == PTHREAD_CANCELED && m.try_lock());
    m.unlock();
}

/* Every wait with the note, for what is not there. */
void none_ends_well(const fw::note &stop)
{
    fw::mutex m;
    fw::condition_variable changed;
    fw::event e, automatic(fw::event_kind::automatic);
    fw::latch l(1);
    fw::binary_semaphore s(0);
    const auto never = [] { return false; };
    std::unique_lock lock(m);

    CHECK(!stop.acquire(s) && !stop.acquire(s, 1h) && !stop.acquire(s, steady::now()));
    CHECK(!stop.wait(e) && !stop.wait(automatic, 1h) && !stop.wait(l));
    CHECK(!stop.wait_any(e, s, l));
    CHECK(!stop.wait(changed, lock, never) && !stop.wait(changed, lock, never, 1h));
    CHECK(lock.owns_lock() && m.is_held_by_me());
    elsewhere([&] { CHECK(!stop.lock(m) && !stop.lock(m, 1h)); });
    stop.wait();
    CHECK(stop.wait(1h) && stop.is_notified());
}

void notified()
{
    fw::note root, child(&root), leaf(&child, 1h), late(&root, 1ms), past(nullptr, steady::now());

    CHECK(!leaf.is_notified() && past.is_notified());
    none_ends_well(late);
    child.notify();
    CHECK(leaf.is_notified() && !root.is_notified());
    none_ends_well(leaf);
    none_ends_well(past);
}

/* What is there is taken, and times pass. */
void not_notified()
{
    static fw::note stop; /* no code makes it */
    fw::mutex m;
    fw::condition_variable changed;
    fw::event e;
    fw::latch l(0);
    fw::binary_semaphore s(1);

    CHECK(!stop.wait(1ms) && !stop.wait(slow_clock::now() + 1ms));
    CHECK(stop.acquire(s) && !stop.acquire(s, 1ms) && !stop.acquire(s, slow_clock::now() + 2ms));
    CHECK(!stop.wait(e, 1ms) && stop.wait(l));
    CHECK(stop.wait_any(e, l) == 1u);
    e.set();
    CHECK(stop.wait(e) && stop.wait_any(e, l) == 0u);
    CHECK(stop.lock(m));
    std::unique_lock lock(m, std::adopt_lock);
    CHECK(stop.wait(changed, lock, [] { return true; }));
    CHECK(!stop.wait(
        changed, lock, [] { return false; }, 1ms));
    elsewhere([&] { CHECK(!stop.lock(m, 1ms)); });
    stop.notify();
    CHECK(stop.wait(
        changed, lock, [] { return true; }, 0s));
}

void refused()
{
    fw::note root(nullptr, 1h);
    fw::note a(&root), b(&a), c(&b), d(&c), e(&d), f(&e), g(&f);
    const auto on_another_clock = std::chrono::system_clock::now() + 1h;

    CHECK(throws(EINVAL, [&] { fw::note too_deep(&g); }));
    CHECK(throws(EINVAL, [&] { fw::note other(&root, on_another_clock); }));
}

/* Workers that are told to stop while they wait. */
void workers()
{
    fw::mutex m;
    fw::condition_variable changed;
    fw::note stop;
    int items = 0, taken = 0;

    in_threads(THREADS + 1, [&](int i) {
        if (i == 0) {
            for (int n = 0; n < TIMES; n++) {
                std::lock_guard hold(m);
                items++;
                changed.notify_one();
            }
            stop.notify();
            return;
        }
        for (std::unique_lock lock(m); stop.wait(changed, lock, [&] { return items > 0; });) {
            items--;
            taken++;
        }
        CHECK(stop.is_notified());
    });
    CHECK(taken + items == TIMES);
}

} // namespace

int main()
{
    what_is_true_or_too_late();
    queue();
    cancelled();
    notified();
    not_notified();
    refused();
    workers();
    return 0;
}
