// SPDX-License-Identifier: MIT
#include "check.hpp"

#include <atomic>
#include <memory>
#include <mutex>
#include <shared_mutex>

#include <furwock.hpp>

/* fw::condition_variable_any: with every kind of lock, destroyed early, and stopped. */
namespace {

enum { THREADS = 4, ROUNDS = 500 };

/* A turn goes round, by every call that waits. */
template <class Lock, class Mutex> void turns(Mutex &m)
{
    fw::condition_variable_any changed;
    std::atomic<int> turn = 0;

    in_threads(THREADS, [&](int me) {
        const auto is_mine = [&] { return turn == me; };

        for (int i = 0; i < ROUNDS; i++) {
            Lock lock(m);
            switch ((i + me) % 5) {
            case 0:
                while (!is_mine())
                    changed.wait(lock);
                break;
            case 1:
                changed.wait(lock, is_mine);
                break;
            case 2:
                CHECK(changed.wait_for(lock, 1h, is_mine));
                break;
            case 3:
                CHECK(changed.wait_until(lock, std::chrono::system_clock::now() + 1h, is_mine));
                break;
            default:
                while (!is_mine())
                    CHECK(changed.wait_for(lock, 1h) == std::cv_status::no_timeout);
            }
            turn = (turn + 1) % THREADS;
            changed.notify_all();
        }
    });
    CHECK(turn == 0);
}

/* Readers wait beside each other until a writer has written. */
void readers()
{
    fw::shared_mutex m;
    fw::condition_variable_any written;
    std::atomic<int> waiting = 0;
    int value = 0;
    std::vector<std::thread> threads;

    for (int i = 0; i < THREADS; i++)
        threads.emplace_back([&] {
            std::shared_lock lock(m);
            waiting++;
            written.wait(lock, [&] { return value != 0; });
            CHECK(value == 7);
        });
    while (waiting != THREADS)
        std::this_thread::yield();
    {
        std::lock_guard lock(m); /* no reader keeps it while it waits */
        value = 7;
        written.notify_all();
    }
    for (std::thread &t : threads)
        t.join();
}

/* Each notification ends one wait, the longest. */
void in_order()
{
    std::mutex m;
    fw::condition_variable_any go;
    std::vector<int> order;
    std::vector<std::thread> threads;
    int entered = 0;

    for (int i = 0; i < THREADS; i++) {
        threads.emplace_back([&, i] {
            std::unique_lock lock(m);
            entered++;
            go.wait(lock);
            order.push_back(i);
        });
        for (bool waits = false; !waits; std::this_thread::yield()) {
            std::lock_guard lock(m);
            waits = entered > i;
        }
    }
    for (int i = 0; i < THREADS; i++) {
        go.notify_one();
        for (bool has_left = false; !has_left; std::this_thread::yield()) {
            std::lock_guard lock(m);
            has_left = static_cast<int>(order.size()) > i;
        }
    }
    for (std::thread &t : threads)
        t.join();
    for (int i = 0; i < THREADS; i++)
        CHECK(order[static_cast<std::size_t>(i)] == i);
}

void time_outs()
{
    std::mutex m;
    fw::condition_variable_any c;
    std::unique_lock lock(m);
    const auto begin = std::chrono::steady_clock::now();

    CHECK(c.wait_for(lock, 2ms) == std::cv_status::timeout && lock.owns_lock());
    CHECK(std::chrono::steady_clock::now() - begin >= 2ms);
    CHECK(c.wait_until(lock, begin) == std::cv_status::timeout && lock.owns_lock());
    CHECK(!c.wait_for(lock, 1ms, [] { return false; }));
    CHECK(c.wait_until(lock, begin, [] { return true; }));
    c.notify_one(); /* nobody is left to take it */
    CHECK(c.wait_for(lock, 1ms) == std::cv_status::timeout);
}

/* Waits that time out neither lose nor take what others are given. */
void time_outs_among_others()
{
    std::mutex m;
    fw::condition_variable_any c;
    int tickets = 0, taken = 0;

    in_threads(3, [&](int me) {
        std::unique_lock lock(m, std::defer_lock);

        for (int i = 0; me == 0 && i < ROUNDS; i++) { /* the giver */
            lock.lock();
            tickets++;
            lock.unlock();
            c.notify_one();
        }
        if (me == 0)
            return;
        lock.lock();
        for (unsigned i = 0; taken != ROUNDS; i++) {
            if (me == 1) /* takes a ticket if it was notified only */
                while (taken != ROUNDS && (c.wait_for(lock, std::chrono::microseconds(i % 97)) ==
                                               std::cv_status::timeout ||
                                           tickets == 0))
                    i++;
            else
                c.wait(lock, [&] { return tickets != 0 || taken == ROUNDS; });
            if (taken == ROUNDS)
                break;
            tickets--;
            if (++taken == ROUNDS)
                c.notify_all();
        }
    });
    CHECK(tickets == 0 && taken == ROUNDS);
}

/* It may be destroyed when all have been notified, and before they have the lock. */
void destroyed_early()
{
    for (int i = 0; i < 200; i++) {
        std::mutex m;
        auto c = std::make_unique<fw::condition_variable_any>();
        int waiting = 0;
        bool go = false;
        std::vector<std::thread> threads;

        for (int t = 0; t < 2; t++)
            threads.emplace_back([&, t] {
                std::unique_lock lock(m);
                waiting++;
                while (!go)
                    if (t == 0)
                        c->wait(lock);
                    else
                        (void)c->wait_for(lock, std::chrono::microseconds(i));
            });
        for (bool is_done = false; !is_done; std::this_thread::yield()) {
            std::lock_guard lock(m); /* while it is held, all that came are in the queue */
            if (waiting != 2)
                continue;
            go = is_done = true;
            c->notify_all();
            c.reset();
        }
        for (std::thread &t : threads)
            t.join();
    }
}

/* A lock whose release fails has not been waited with. */
void release_fails()
{
    struct broken {
        void lock() {}
        void unlock()
        {
            throw 7;
        }
    } lock;
    fw::condition_variable_any c;
    bool has_thrown = false;

    try {
        c.wait(lock);
    } catch (int n) {
        has_thrown = n == 7;
    }
    CHECK(has_thrown);
    c.notify_one();
}

#ifdef __cpp_lib_jthread
void stops()
{
    std::mutex m;
    fw::condition_variable_any c;
    std::stop_source none, early;
    std::unique_lock lock(m);
    const auto never = [] { return false; };
    const auto always = [] { return true; };

    early.request_stop();
    CHECK(!c.wait(lock, early.get_token(), never) && c.wait(lock, early.get_token(), always));
    CHECK(!c.wait_for(lock, early.get_token(), 1h, never));
    CHECK(!c.wait_for(lock, none.get_token(), 1ms, never));
    CHECK(!c.wait_until(lock, none.get_token(), std::chrono::system_clock::now() + 1ms, never));
    CHECK(c.wait_until(lock, none.get_token(), std::chrono::steady_clock::now(), always));
    CHECK(c.wait(lock, std::stop_token(), always));
    lock.unlock();

    for (int way = 0; way < 3; way++) { /* a stop in the middle of it */
        std::atomic<bool> waits = false;
        bool result = true;
        std::jthread thread([&](std::stop_token stop) {
            std::unique_lock mine(m);
            const auto begins = [&] {
                waits = true;
                return false;
            };
            result = way == 0 ? c.wait(mine, stop, begins)
                     : way == 1
                         ? c.wait_for(mine, stop, 1h, begins)
                         : c.wait_until(mine, stop, std::chrono::system_clock::now() + 1h, begins);
            CHECK(mine.owns_lock());
        });
        while (!waits)
            std::this_thread::yield();
        thread.request_stop();
        thread.join();
        CHECK(!result);
    }
}

/* Stops, time-outs and notifications at once: no notification is lost with a stopped wait. */
void stops_among_others()
{
    std::mutex m;
    fw::condition_variable_any c;
    int tickets = 0, taken = 0;
    const auto can_take = [&] { return tickets != 0 || taken == ROUNDS; };
    std::jthread giver([&] {
        for (int i = 0; i < ROUNDS; i++) {
            {
                std::lock_guard lock(m);
                tickets++;
            }
            c.notify_one();
        }
    });

    in_threads(2, [&](int is_stopped) {
        for (bool is_done = false; !is_done;) {
            std::stop_source source;
            std::jthread stopper;
            std::unique_lock lock(m);
            if (is_stopped)
                stopper = std::jthread([&] { source.request_stop(); });
            const bool has = is_stopped ? c.wait(lock, source.get_token(), can_take)
                                        : (c.wait(lock, can_take), true);
            if (has && taken != ROUNDS) {
                tickets--;
                taken++;
            }
            is_done = taken == ROUNDS;
            if (is_done)
                c.notify_all();
            lock.unlock();
        }
    });
    CHECK(tickets == 0);
}
#endif

} // namespace

int main()
{
    fw::mutex a;
    std::mutex b;
    std::timed_mutex c;
    fw::shared_mutex d;
    fw::recursive_mutex e;

    turns<std::unique_lock<fw::mutex>>(a);
    turns<std::unique_lock<std::mutex>>(b);
    turns<std::unique_lock<std::timed_mutex>>(c);
    turns<std::unique_lock<fw::shared_mutex>>(d);
    turns<std::unique_lock<fw::recursive_mutex>>(e);
    readers();
    in_order();
    time_outs();
    time_outs_among_others();
    destroyed_early();
    release_fails();
#ifdef __cpp_lib_jthread
    stops();
    stops_among_others();
#endif
    return 0;
}
