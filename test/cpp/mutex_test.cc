// SPDX-License-Identifier: MIT
#include "check.hpp"

#include <mutex>
#include <shared_mutex>

#include <furwock.hpp>

/* fw::mutex, fw::shared_mutex and fw::brlock under the guards of the standard library. */
namespace {

enum { THREADS = 4, TIMES = 5000 };

template <class Mutex> void guards()
{
    Mutex m;
    long count = 0;

    in_threads(THREADS, [&](int) {
        for (int i = 0; i < TIMES; i++) {
            if (i % 2 == 0) {
                std::lock_guard guard(m);
                count++;
            } else {
                std::unique_lock lock(m, std::defer_lock);
                if (!lock.try_lock_for(i % 3 == 0 ? 0s : 10s))
                    lock.lock();
                count++;
            }
        }
    });
    CHECK(count == THREADS * TIMES);
}

/* A try fails on a lock that is held elsewhere, and succeeds on a free one. */
template <class Mutex> void tries()
{
    Mutex m;
    std::unique_lock lock(m);

    elsewhere([&] {
        CHECK(!m.try_lock());
        CHECK(!m.try_lock_for(1ms));
        CHECK(!m.try_lock_until(std::chrono::system_clock::now() + 1ms));
        CHECK(!std::unique_lock(m, std::try_to_lock));
        CHECK(!std::unique_lock(m, 1ms));
        CHECK(!std::unique_lock(m, std::chrono::steady_clock::now()));
    });
    lock.unlock();
    elsewhere([&] {
        CHECK(std::unique_lock(m, std::try_to_lock));
        CHECK(std::unique_lock(m, 1s));
        CHECK(std::unique_lock(m, std::chrono::system_clock::now()));
    });
    CHECK(m.native_handle() != nullptr);
}

/* Several at once, in any order: std::lock must be able to back out. */
void several()
{
    fw::mutex a;
    fw::shared_mutex b;
    fw::brlock c;
    long count = 0;

    in_threads(THREADS, [&](int i) {
        for (int n = 0; n < TIMES; n++) {
            if (i % 2 == 0) {
                std::scoped_lock all(a, b, c);
                count++;
            } else {
                std::unique_lock x(a, std::defer_lock), y(a, std::defer_lock);
                std::unique_lock z(b, std::defer_lock);
                std::unique_lock w(c, std::defer_lock);
                std::lock(w, z, x);
                count++;
            }
        }
    });
    CHECK(count == THREADS * TIMES);
    {
        std::lock_guard held(b);
        elsewhere([&] {
            CHECK(std::try_lock(a, b, c) == 1);
            CHECK(std::try_lock(a, c) == -1);
            a.unlock();
            c.unlock();
        });
    }
}

void hand_over()
{
    fw::mutex m;
    bool mine = false;

    m.lock();
    std::thread other([&] {
        std::lock_guard guard(m);
        mine = true;
    });
    doze();
    m.unlock_fair();
    other.join();
    CHECK(mine);
}

template <class Mutex> void shared(Mutex &m)
{
    long value = 0;

    in_threads(THREADS, [&](int i) {
        for (int n = 0; n < TIMES; n++) {
            if (n % 8 == i) {
                std::lock_guard guard(m);
                value += 2;
            } else {
                std::shared_lock lock(m);
                CHECK(value % 2 == 0);
            }
        }
    });
    {
        std::shared_lock lock(m);
        elsewhere([&] {
            CHECK(std::shared_lock(m, std::try_to_lock));
            CHECK(std::shared_lock(m, 1s));
            CHECK(std::shared_lock(m, std::chrono::steady_clock::now() + 1s));
            CHECK(!m.try_lock());
            CHECK(!m.try_lock_for(1ms));
        });
    }
    {
        std::lock_guard guard(m);
        elsewhere([&] {
            CHECK(!m.try_lock_shared());
            CHECK(!m.try_lock_shared_for(1ms));
            CHECK(!m.try_lock_shared_until(std::chrono::system_clock::now() + 1ms));
        });
    }
}

void upgrades()
{
    fw::shared_mutex m;
    fw::event reads, may_leave;

    m.lock_upgrade();
    elsewhere([&] {
        CHECK(m.try_lock_shared());
        m.unlock_shared();
        CHECK(!m.try_lock_upgrade() && !m.try_lock_upgrade_for(1ms) && !m.try_lock());
        CHECK(!m.try_lock_upgrade_until(std::chrono::steady_clock::now()));
    });
    m.upgrade();
    elsewhere([&] { CHECK(!m.try_lock_shared()); });
    m.downgrade_upgradable();
    std::thread reader([&] {
        std::shared_lock lock(m);
        reads.set();
        may_leave.wait();
    });
    reads.wait();
    CHECK(!m.try_upgrade_for(1us));
    CHECK(!m.try_upgrade_until(std::chrono::system_clock::now()));
    may_leave.set();
    reader.join();
    CHECK(m.try_upgrade());
    m.downgrade();
    elsewhere([&] {
        CHECK(m.try_lock_upgrade());
        m.unlock_upgrade();
    });
    m.unlock_shared();
    m.lock();
    m.unlock();
}

} // namespace

int main()
{
    guards<fw::mutex>();
    guards<fw::shared_mutex>();
    guards<fw::brlock>();
    tries<fw::mutex>();
    tries<fw::shared_mutex>();
    tries<fw::brlock>();
    several();
    hand_over();
    for (fw::preference p : {fw::preference::fair, fw::preference::readers, fw::preference::writers,
                             fw::preference::greedy}) {
        fw::shared_mutex m(p);
        shared(m);
    }
    fw::brlock b;
    shared(b);
    upgrades();
    return 0;
}
