// SPDX-License-Identifier: MIT
#include "check.hpp"

#include <atomic>
#include <csignal>
#include <cstring>
#include <mutex>
#include <shared_mutex>

#include <sys/wait.h>
#include <unistd.h>

#if defined(__has_include)
#if __has_include(<boost/thread/lock_types.hpp>)
#define HAVE_BOOST
#include <boost/thread/lock_types.hpp>
#endif
#endif

#include <furwock.hpp>

/* fw::recursive_mutex; wait policies; fw::wait_any; guards of the upgradable mode. */
namespace {

enum { THREADS = 4, TIMES = 2000 };

/* f ends a child of fork by SIGABRT, with a message that has that word. */
template <class F> bool aborts(const char *word, F f)
{
    int ends[2], status;
    char text[500] = "";

    CHECK(pipe(ends) == 0);
    const pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        f();
        _exit(0);
    }
    close(ends[1]);
    CHECK(read(ends[0], text, sizeof text - 1) >= 0);
    close(ends[0]);
    CHECK(waitpid(child, &status, 0) == child);
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT && std::strstr(text, word) != nullptr;
}

void recursion()
{
    fw::recursive_mutex m;
    long count = 0;

    in_threads(THREADS, [&](int) {
        for (int i = 0; i < TIMES; i++) {
            std::lock_guard once(m);
            std::lock_guard twice(m);
            std::unique_lock thrice(m, 1h);
            CHECK(m.depth() == 3 && m.is_held_by_me());
            count++;
        }
        CHECK(m.depth() == 0 && !m.is_held_by_me());
    });
    CHECK(count == THREADS * TIMES);
    std::scoped_lock both(m, m);
    m.lock(fw::wait_policy::block());
    m.unlock();
    CHECK(m.depth() == 2);
    elsewhere([&] {
        CHECK(!m.try_lock() && !m.try_lock_for(1ms) && m.depth() == 0);
        CHECK(!m.try_lock_until(std::chrono::system_clock::now(), fw::wait_policy::yield()));
        CHECK(aborts("mutex", [&] { m.unlock(); }));
    });
    CHECK(m.depth() == 2);
}

void recursion_limit()
{
    static fw::recursive_mutex m;
    const std::uint32_t max = fw::recursive_mutex::max_depth();

    for (std::uint32_t i = 0; i < max; i++)
        m.lock();
    CHECK(throws(EAGAIN, [] { m.lock(); }));
    CHECK(!m.try_lock() && !m.try_lock_for(1h) && m.depth() == max);
    for (std::uint32_t i = 0; i < max; i++)
        m.unlock();
    elsewhere([] {
        CHECK(m.try_lock());
        m.unlock();
    });
    CHECK(aborts("mutex", [] { m.unlock(); }));
}

/* A user's policy, in the type of a lock. */
struct patient {
    constexpr operator fw::wait_policy() const noexcept
    {
        return fw::wait_policy::spin_then_block(20us);
    }
};

static_assert(sizeof(fw::waiting<fw::mutex, patient>) == sizeof(fw::mutex));
static_assert(sizeof(fw::waiting<fw::shared_mutex, fw::block_policy>) == sizeof(fw::shared_mutex));

template <class Mutex> void exclusive(Mutex &m)
{
    long count = 0;

    in_threads(THREADS, [&](int) {
        for (int i = 0; i < TIMES; i++) {
            std::unique_lock lock(m, std::defer_lock);
            if (i % 3 == 0 || !lock.try_lock_for(i % 2 == 0 ? 0s : 10s))
                lock.lock();
            count++;
        }
    });
    CHECK(count == THREADS * TIMES);
}

template <class Mutex> void shared(Mutex &m)
{
    exclusive(m);
    std::shared_lock lock(m);
    elsewhere([&] {
        CHECK(std::shared_lock(m, 1h) && std::shared_lock(m, std::chrono::system_clock::now()));
        CHECK(!m.try_lock_for(1ms));
    });
}

void policies()
{
    const fw::wait_policy some[] = {
        {},
        fw::wait_policy::block(),
        fw::wait_policy::yield(),
        fw::wait_policy::spin_then_block(3us),
        fw::wait_policy::adaptive(1s),
    };
    fw::waiting<fw::mutex, patient> typed;
    fw::waiting<fw::mutex, fw::yield_policy> yields;
    fw::waiting<fw::mutex, fw::spin_policy> spins;
    fw::waiting<fw::mutex, fw::spin_then_block_policy<100>> spins_a_little;

    CHECK(typed.policy().native_handle()->kind == FW_WAIT_SPIN_THEN_BLOCK);
    CHECK(typed.policy().native_handle()->spin_ns == 20000);
    CHECK(spins.policy().native_handle()->kind == FW_WAIT_SPIN);
    exclusive(typed);
    exclusive(yields);
    exclusive(spins_a_little);
    elsewhere([&] { CHECK(std::unique_lock(spins, 0s)); });
    for (const fw::wait_policy &p : some) {
        fw::waiting<fw::mutex> m(p);
        fw::waiting<fw::shared_mutex> rw(p, fw::preference::writers);
        fw::waiting<fw::brlock> br(p);
        fw::waiting<fw::recursive_mutex> r(p);
        fw::binary_semaphore s(1);
        fw::event e(fw::event_kind::automatic);
        fw::latch l(1);

        exclusive(m);
        exclusive(r);
        shared(rw);
        shared(br);
        rw.lock_upgrade();
        elsewhere([&] { CHECK(!rw.try_lock_upgrade_for(1ms)); });
        rw.unlock_upgrade();
        s.acquire(p);
        CHECK(!s.try_acquire_for(1ms, p));
        std::thread other([&] {
            s.release();
            e.set();
            l.count_down();
        });
        s.acquire(p);
        e.wait(p);
        l.wait(p);
        other.join();
        CHECK(l.wait_for(0s, p) && !e.wait_until(std::chrono::steady_clock::now(), p));
    }
    CHECK(throws(EINVAL, [] { (void)fw::wait_policy::spin_then_block(2s); }));
    CHECK(throws(EINVAL, [] { (void)fw::wait_policy::adaptive(-1ns); }));
}

/* A condition variable waits with such a mutex. */
void policy_and_condition()
{
    fw::waiting<fw::mutex, patient> m;
    fw::condition_variable c;
    bool go = false;
    std::thread other([&] {
        std::lock_guard lock(m);
        go = true;
        c.notify_one();
    });

    std::unique_lock lock(m);
    while (!go)
        c.wait(lock, fw::wait_policy::block());
    c.wait(lock, [&] { return go; });
    CHECK(c.wait_for(lock, 1h, [&] { return go; }));
    other.join();
}

void any()
{
    fw::event stop;
    fw::counting_semaphore<> items(0);
    fw::latch all(1);

    CHECK(!fw::wait_any_for(1ms, stop, items, all));
    CHECK(!fw::wait_any_until(std::chrono::system_clock::now() + 1ms, stop, items));
    items.release();
    CHECK(fw::wait_any(stop, items, all) == 1 && !items.try_acquire());
    all.count_down();
    CHECK(fw::wait_any_for(1h, stop, items, all) == 2u);
    stop.set();
    CHECK(fw::wait_any_until(std::chrono::steady_clock::now() + 1h, all, stop) == 0u);

    std::vector<fw::any_waitable> list = {items};
    CHECK(!fw::wait_any_for(1ms, list.data(), list.size()));
    CHECK(!fw::wait_any_until(std::chrono::steady_clock::now(), list.data(), list.size()));
    list.push_back(stop);
    CHECK(fw::wait_any(list.data(), list.size()) == 1);
    CHECK(throws(EINVAL, [&] { (void)fw::wait_any(list.data(), 0); }));
    list.resize(fw::wait_any_max + 1, stop);
    CHECK(throws(EINVAL, [&] { (void)fw::wait_any(list.data(), list.size()); }));

    /* An array and its length, in variables. */
    fw::any_waitable two[] = {items, stop};
    std::size_t n = 2;
    CHECK(fw::wait_any(two, n) == 1 && fw::wait_any_for(1ms, two, n) == 1u);
    CHECK(fw::wait_any_until(std::chrono::steady_clock::now(), two, n) == 1u);
    CHECK(fw::wait_any(two[0], two[1]) == 1);

    long taken = 0;
    stop.reset();
    in_threads(2, [&](int is_giver) {
        if (is_giver) {
            for (int i = 0; i < TIMES; i++)
                items.release();
            stop.set();
        } else {
            while (fw::wait_any(items, stop) == 0)
                taken++;
        }
    });
    CHECK(taken == TIMES);
}

/* The same with the guards of fw and of Boost: the table of sizes is read, and seldom changed. */
template <class Upgrade, class ToUnique> void guards()
{
    fw::shared_mutex m;
    long value = 0, changes = 0;

    in_threads(THREADS, [&](int me) {
        for (int i = 0; i < TIMES / 4; i++) {
            if (me == 0) {
                std::shared_lock lock(m);
                CHECK(value % 2 == 0);
                continue;
            }
            Upgrade lock(m);
            const long seen = value;
            CHECK(lock.owns_lock() && seen % 2 == 0);
            if (i % 8 == 0) {
                ToUnique writing(lock);
                CHECK(value == seen && m.is_held_by_me());
                value++;
                value++;
                changes++;
            }
            CHECK(lock.owns_lock());
        }
    });
    CHECK(value == 2 * changes);
    m.lock();
    m.unlock();
}

void upgrade_lock()
{
    using guard = fw::upgrade_lock<fw::shared_mutex>;
    fw::shared_mutex m;
    guard empty, lock(m), other(m, std::defer_lock);
    const auto now = std::chrono::steady_clock::now();

    elsewhere([&] {
        CHECK(m.try_lock_shared());
        m.unlock_shared();
        CHECK(!guard(m, std::try_to_lock) && !guard(m, 1ms) && !guard(m, now));
        guard late(m, std::defer_lock);
        CHECK(!late.try_lock() && !late.try_lock_for(1ms) && !late.try_lock_until(now));
    });
    CHECK(throws(EPERM, [&] { empty.lock(); }) && throws(EPERM, [&] { other.unlock(); }));
    CHECK(throws(EDEADLK, [&] { lock.lock(); }));
    CHECK(throws(EPERM, [&] { fw::upgrade_to_unique_lock to(other); }));
    empty = std::move(lock);
    CHECK(!lock && empty && empty.mutex() == &m);
    std::unique_lock exclusive = std::move(empty).upgrade();
    CHECK(exclusive.owns_lock() && !empty && empty.mutex() == nullptr);
    elsewhere([&] { CHECK(!m.try_lock_shared()); });
    guard again(std::move(exclusive));
    CHECK(again && !exclusive && exclusive.mutex() == nullptr);
    {
        m.lock_shared(); /* as if by a reader that stays */
        m.unlock_shared();
        fw::upgrade_to_unique_lock to(again, 1h);
        CHECK(to.owns_lock());
    }
    fw::event reads, may_leave;
    std::thread reader([&] {
        std::shared_lock mine(m);
        reads.set();
        may_leave.wait();
    });
    reads.wait();
    CHECK(!fw::upgrade_to_unique_lock(again, 1ms) && again.owns_lock());
    may_leave.set();
    reader.join();
    std::shared_lock reading = std::move(again).downgrade();
    CHECK(reading && !again);
    elsewhere([&] { CHECK(guard(m, std::try_to_lock)); });
    reading.unlock();
    guard adopted((m.lock_upgrade(), m), std::adopt_lock);
    CHECK(adopted.release() == &m);
    m.unlock_upgrade();
    m.lock();
    m.unlock();
}

} // namespace

int main()
{
    recursion();
    recursion_limit();
    policies();
    policy_and_condition();
    any();
    upgrade_lock();
    guards<fw::upgrade_lock<fw::shared_mutex>, fw::upgrade_to_unique_lock<fw::shared_mutex>>();
#ifdef HAVE_BOOST
    guards<boost::upgrade_lock<fw::shared_mutex>,
           boost::upgrade_to_unique_lock<fw::shared_mutex>>();
#endif
    return 0;
}
